/** The examples of asof as a whole: a comment and a command line, again and again. */
export const introduction = `
# GDP as it was known on 30 January 2015
asof observations GDP --as-of 2015-01-30
# how one number was revised
asof revisions GDP --date 2008-10-01 --plot
# for a backtest: the newest values known at each month-end
asof panel GDP PAYEMS --as-of-each month-end --from 2014-01-01 --to 2014-12-31
`;

/** The examples of families, and of the questions that do not declare their own, by their words. */
export const examples: Readonly<Record<string, string>> = {
  diff: `
# what the annual revision of July 2009 changed
asof diff GDP 2009-07-30 2009-07-31 --from 2008-01-01
# several series, and the dates that did not change
asof diff GDP GDPC1 2009-07-30 2009-07-31 --from 2008-01-01 --all-rows
# in a script: exit code 1 means that there are differences
asof diff GDP 2009-07-30 2009-07-31 --exit-code -o changes.csv || echo "GDP was revised"
`,
  join: `
# what was known on the day of each trade (needs the file)
asof join trades.csv --on day GDP UNRATE -o joined.csv
# growth as known before the day, with the period and the age of each value (needs the file)
asof join trades.csv --on day GDP --strict --units pca --with-dates --with-age
`,
  check: `
# whether a file looks ahead: exit code 1 if it does (needs the file)
asof check features.csv --on day
# a column with another name than its series, as it may be used the day after publication (needs the file)
asof check features.csv --on day --column unemployment=UNRATE --strict
`,
  store: `
# what the store holds
asof store info
# whether it is whole
asof store check
# a backup while it is in use
asof store backup backup.db
# into PostgreSQL (needs a database)
asof store copy mine.db postgres://importer@db.example.org/markets
`,
};
