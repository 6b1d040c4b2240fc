/** The examples of asof as a whole: a comment and a command line, again and again. */
export const introduction = `
# GDP as it was known on 30 January 2015
asof observations GDP --as-of 2015-01-30
# how one number was revised
asof revisions GDP --date 2008-10-01 --plot
# for a backtest: the newest values known at each month-end
asof panel GDP PAYEMS --as-of-each month-end --from 2014-01-01 --to 2014-12-31
`;

/** The examples of families of commands that are not those of their commands, by their words. */
export const examples: Readonly<Record<string, string>> = {
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
