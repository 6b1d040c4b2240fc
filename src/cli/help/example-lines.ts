/** The examples of asof as a whole: a comment and a command line, again and again. */
export const introduction = `
# GDP as it was known on 30 January 2015
asof observations GDP --as-of 2015-01-30
# how one number was revised
asof revisions GDP --date 2008-10-01 --plot
# for a backtest: the newest values known at each month-end
asof panel GDP PAYEMS --as-of-each month-end --from 2014-01-01 --to 2014-12-31
`;

/** The examples of each command that is not about one operation, by its words. */
export const examples: Readonly<Record<string, string>> = {
  diff: `
# what the annual revision of July 2009 changed
asof diff GDP 2009-07-30 2009-07-31 --from 2008-01-01
# several series, and the dates that did not change
asof diff GDP GDPC1 2009-07-30 2009-07-31 --from 2008-01-01 --all-rows
# in a script: exit code 1 means that there are differences
asof diff GDP 2009-07-30 2009-07-31 --exit-code -o changes.csv || echo "GDP was revised"
`,
  panel: `
# two series side by side, as known on a date
asof panel GDP UNRATE --as-of 2009-01-30 --from 2008-01-01 --wide
# for a backtest: the newest values known at each month-end
asof panel GDP PAYEMS --as-of-each month-end --from 2008-10-01 --to 2009-02-28 --sort asc
# into a Parquet file, for DuckDB or pandas
asof panel GDP UNRATE --as-of 2009-01-30 -o panel.parquet
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
  snapshot: `
# what a plan would write as of a date (needs a plan)
asof snapshot plan.txt --out desk --as-of 2015-02-01 --dry-run
# every night from cron: as of yesterday, complete or not at all (needs a plan)
asof snapshot plan.txt --out desk
`,
  verify: `
# whether the files are still what their commands give (needs a snapshot)
asof verify desk
# the same, with the data of a service (needs a service at that address)
asof verify desk --base-url https://data.example.org
`,
  facts: `
# every statement about a series, to keep or to import elsewhere
asof facts GDP -o gdp.csv
# titles, units and frequencies, to import with the statements
asof facts GDP --metadata -o gdp-metadata.csv
# the number of statements
asof facts "PCE*" | tail -n +2 | wc -l
`,
  import: `
# a store of your own from facts of the sample
asof facts GDP -o gdp.csv && asof import gdp.csv --store mine.db
# check a download from FRED without writing (needs the file)
asof import GDP.csv --as-of 2024-04-25 --dry-run
# the files that were imported
asof import --log
`,
  pull: `
# every vintage of two series (needs a key of FRED)
asof pull fred GDP UNRATE
# every night from cron: whatever is new in what the store follows (needs a store that follows something)
asof pull --max-duration 30m
# what FRED has (needs a key of FRED)
asof pull fred --search "core pce"
`,
  unfollow: `
# no more requests for a series; its facts stay (needs a store that follows it)
asof unfollow fred GDP
# no more requests for real curves (needs a store that follows them)
asof unfollow treasury real
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
  'store init': `
# an empty store (needs a name that no store has)
asof store init --store mine.db
# a store on a cluster (needs Citus)
asof store init --distribute --store postgres://importer@db.example.org/markets
`,
  'store info': `
# what the store holds
asof store info
# for a script
asof store info --json
`,
  'store check': `
# whether the store is whole
asof store check
# every month from cron (needs a store at that address)
asof store check --store postgres://reader@db.example.org/markets
`,
  'store backup': `
# a backup while the store is in use
asof store backup backup.db
# every night from cron: a dated file, of which the newest seven stay
asof store backup backups/ --keep 7 -q
`,
  'store restore': `
# whether a backup is whole, and what it holds (needs a backup)
asof store restore backup.db --dry-run
# the backup in the place of your store (needs a backup)
asof store restore backup.db --yes
`,
  'store merge': `
# what a colleague's store would add (needs two stores)
asof store merge theirs.db --store mine.db --dry-run
# add it; contradictions are listed and refuse it (needs two stores)
asof store merge theirs.db --store mine.db --yes
`,
  'store undo': `
# what the last import changed (needs a store with an import)
asof store undo --dry-run
# take it back (needs a store with an import)
asof store undo --yes
# the imports that can be taken back (needs a store of your own)
asof store undo --list
`,
  'series rename': `
# what would change (needs a store with the series)
asof series rename OLD NEW --dry-run
# another id for a series (needs a store with the series)
asof series rename OLD NEW --yes
`,
  'series rm': `
# what would be removed (needs a store with the series)
asof series rm OLD --dry-run
# remove a series with its history (needs a store with the series)
asof series rm OLD --yes
`,
  'store copy': `
# what a copy would hold (needs a store of your own)
asof store copy mine.db copy.db --dry-run
# into PostgreSQL (needs a database)
asof store copy mine.db postgres://importer@db.example.org/markets
`,
  explore: `
# the page of your store, in your browser (needs a browser)
asof explore
# only its address, on a port of your choice (needs a free port)
asof explore --no-open --port 8790
`,
  mcp: `
# what an assistant starts (needs an assistant)
asof mcp
# every answer as of a day (needs an assistant)
asof mcp --as-of 2015-01-30
`,
  serve: `
# a service on this machine, until Ctrl-C (needs a free port)
asof serve --port 8787
# behind a proxy that ends TLS (needs the proxy)
asof serve --public-url https://data.example.org 2>> serve.log
# with metrics for Prometheus (needs two free ports)
asof serve --metrics-port 9464
`,
  'keys create': `
# a key for Ann, written to a file
asof keys create --name ann --plan pro > ann.key
# a key without access to vintages, for three months
asof keys create --name guest --plan free --expires 90d
`,
  'keys list': `
# all keys
asof keys list
# the ids of the keys that are not revoked
asof keys list --csv | awk -F, 'NR > 1 && $6 == "" { print $1 }'
`,
  'keys rotate': `
# a new secret; the old one works for another week (needs a key with that id)
asof keys rotate k_0a1b2c3d > ann.key
# the old one stops at once (needs a key with that id)
asof keys rotate k_0a1b2c3d --overlap 0d
`,
  'keys usage': `
# all keys
asof keys usage
# the keys that were never used
asof keys usage --csv | awk -F, 'NR > 1 && $4 == "" { print $1 }'
`,
  'keys revoke': `
# one key (needs a key with that id)
asof keys revoke k_0a1b2c3d
# every key named ann
asof keys list --csv | awk -F, '$2 == "ann" { print $1 }' | xargs -r -n 1 asof keys revoke
`,
  'auth login': `
# prompt for the key, and store it for that service only (needs a terminal)
asof auth login --base-url https://data.example.org
# in a script (needs the key in that file)
asof auth login --base-url https://data.example.org --with-token < ann.key
`,
  'auth status': `
# the stored keys (needs a stored key, else it exits with 4)
asof auth status
# the key that a service gets (needs a key for it)
asof auth status --base-url https://data.example.org
`,
  'auth logout': `
# remove the key for a service (needs a key for it)
asof auth logout --base-url https://data.example.org
# for the service in the settings (needs a setting and its key)
asof auth logout
`,
  'config get': `
# the service that is asked (needs the setting, else it exits with 3)
asof config get base_url
# in a script: the format, or csv
asof config get format 2> /dev/null || echo csv
`,
  'config set': `
# ask a service from now on
asof config set base_url https://data.example.org
# CSV on a terminal too
asof config set format csv
`,
  'config unset': `
# ask your own store again
asof config unset base_url
# tables on a terminal again
asof config unset format
`,
  'config list': `
# all settings
asof config list
# the settings of another folder
ASOF_CONFIG_DIR=elsewhere asof config list
`,
  'config path': `
# the file with the settings
asof config path
# a copy of it (needs a setting)
cp "$(asof config path)" settings.json
`,
  completion: `
# in bash: a line for ~/.bashrc
source <(asof completion bash)
# in zsh: a line for ~/.zshrc (needs zsh)
source <(asof completion zsh)
# in fish: once
mkdir -p ~/.config/fish/completions && asof completion fish > ~/.config/fish/completions/asof.fish
`,
  help: `
# the flags of a command
asof help observations
# what "as of" means
asof help as-of
# the exit codes that scripts can rely on
asof help exit-codes
`,
};
