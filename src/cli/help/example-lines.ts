/** A command line that is worth copying. */
export type Example = {
  /** What it is for. */
  readonly shows: string;
  readonly line: string;
  /** What must be there besides asof and its sample. */
  readonly needs?: string;
};

const service = 'a service at that address';

/** The examples of asof as a whole. */
export const introduction: readonly Example[] = [
  {
    shows: 'GDP as it was known on 30 January 2015',
    line: 'asof observations GDP --as-of 2015-01-30',
  },
  { shows: 'how one number was revised', line: 'asof revisions GDP --date 2008-10-01 --plot' },
  {
    shows: 'for a backtest: the newest values known at each month-end',
    line: 'asof panel GDP PAYEMS --as-of-each month-end --from 2014-01-01 --to 2014-12-31',
  },
];

/** Examples by the words of their command; a family of commands shows the first one of each. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  ping: [
    { shows: 'whether asof answers, and out of what', line: 'asof ping' },
    { shows: 'what your plan allows', line: 'asof ping --base-url https://data.example.org', needs: service },
  ],
  'series search': [
    { shows: 'which series are about prices', line: 'asof series search "price index"' },
    { shows: 'ids that contain GDP', line: 'asof series search gdp --match id --columns id,title' },
    {
      shows: 'everything there is, as a list of ids',
      line: 'asof series search --all --columns id --no-header -f csv',
    },
  ],
  'series show': [
    { shows: 'title, units, frequency', line: 'asof series show PAYEMS' },
    {
      shows: 'since when it is known, and how far',
      line: 'asof series show gdp --columns id,first_vintage,covered_to',
    },
  ],
  observations: [
    {
      shows: 'GDP as it was known at the end of 30 January 2015',
      line: 'asof observations GDP --as-of 2015-01-30',
    },
    {
      shows: 'two series as a decision at the start of that day could know them',
      line: 'asof obs gdp unrate --known-before 2015-01-30 --from 2014-01-01',
    },
    {
      shows: 'what was published first, of every series whose id begins with PCE',
      line: 'asof obs "PCE*" --first-release --from 2015-01-01 -o first.csv',
    },
    {
      shows: 'a picture of it',
      line: 'asof obs UNRATE --as-of 2020-06-30 --from 2000-01-01 --plot',
    },
    {
      shows: 'the same as a file for a report',
      line: 'asof obs UNRATE --as-of 2020-06-30 --from 2000-01-01 -o unrate.svg',
    },
  ],
  revisions: [
    {
      shows: 'how often the fourth quarter of 2008 was revised',
      line: 'asof revisions GDP --date 2008-10-01',
    },
    {
      shows: 'the revisions that were known by the end of 2010, in percent',
      line: 'asof revisions GDP --date 2008-10-01 --as-of 2010-12-31 --columns as_of_date,value,percent',
    },
    { shows: 'drawn as steps', line: 'asof revisions GDPC1 --date 2008-10-01 --plot' },
  ],
  vintages: [
    {
      shows: 'the days of 2009 on which GDP was published',
      line: 'asof vintages GDP --from 2009-01-01 --to 2009-12-31',
    },
    { shows: 'the last five', line: 'asof vintages UNRATE --limit 5' },
  ],
  curve: [
    { shows: 'the curve of a day', line: 'asof curve --date 2024-03-28' },
    { shows: 'of a Sunday: the newest one up to it', line: 'asof curve --date 2024-03-31 --on-or-before' },
    { shows: 'two days compared, in basis points', line: 'asof curve --date 2023-10-19 --vs 2020-03-09' },
    { shows: 'and drawn', line: 'asof curve --date 2023-10-19 --vs 2020-03-09 --plot' },
  ],
  yields: [
    {
      shows: 'the ten-year rate around a day',
      line: 'asof yields --maturity 10Y --from 2008-09-12 --to 2008-09-18',
    },
    {
      shows: 'real rates, a column for each maturity, into a file',
      line: 'asof yields --type tips --wide --from 2022-01-01 -o tips.csv',
    },
  ],
  spread: [
    {
      shows: 'ten years less two years',
      line: 'asof spread --long 10Y --short 2Y --from 2019-08-26 --to 2019-08-30',
    },
    {
      shows: 'the days on which the curve was inverted',
      line: `asof spread --long 10Y --short 3M --from 2019-01-01 --to 2019-12-31 --csv | awk -F, '$4 < 0'`,
    },
  ],
  'insider filings': [
    { shows: 'what was filed about a company', line: 'asof insider filings --ticker MAIA --from 2026-01-01' },
    {
      shows: 'purchases in the open market, as filed by a day',
      line: 'asof insider filings --code P --from 2025-11-01 --as-of 2025-12-10 --columns filing_date,ticker,owner_name,shares',
    },
  ],
  'insider clusters': [
    {
      shows: 'when several insiders bought at about the same time',
      line: 'asof insider clusters --ticker MAIA --from 2024-01-01',
    },
    {
      shows: 'why, trade by trade',
      line: 'asof insider clusters --ticker MAIA --from 2025-11-01 --to 2025-12-10 --explain',
    },
  ],
  diff: [
    {
      shows: 'what the annual revision of July 2009 changed',
      line: 'asof diff GDP 2009-07-30 2009-07-31 --from 2008-01-01',
    },
    {
      shows: 'in a script: exit code 1 means that something changed',
      line: 'asof diff GDP 2009-07-30 2009-07-31 --exit-code -o changes.csv || echo "GDP was revised"',
    },
  ],
  panel: [
    {
      shows: 'two series side by side, as known on a day',
      line: 'asof panel GDP UNRATE --as-of 2009-01-30 --from 2008-01-01 --wide',
    },
    {
      shows: 'for a backtest: the latest values known at each month-end',
      line: 'asof panel GDP PAYEMS --as-of-each month-end --from 2008-10-01 --to 2009-02-28 --sort asc',
    },
    {
      shows: 'into a Parquet file, for DuckDB or pandas',
      line: 'asof panel GDP UNRATE --as-of 2009-01-30 -o panel.parquet',
    },
  ],
  snapshot: [
    {
      shows: 'what a plan would write, as of a day',
      line: 'asof snapshot plan.txt --out desk --as-of 2015-02-01 --dry-run',
      needs: 'a plan',
    },
    {
      shows: 'every night from cron: as of yesterday, in one step or not at all',
      line: 'asof snapshot plan.txt --out desk',
      needs: 'a plan',
    },
  ],
  verify: [
    {
      shows: 'whether the files still are what their commands give',
      line: 'asof verify desk',
      needs: 'a snapshot',
    },
    {
      shows: 'the same, of a service',
      line: 'asof verify desk --base-url https://data.example.org',
      needs: service,
    },
  ],
  facts: [
    {
      shows: 'every statement about a series, to keep or to import elsewhere',
      line: 'asof facts GDP -o gdp.csv',
    },
    { shows: 'how many there are', line: 'asof facts "PCE*" | tail -n +2 | wc -l' },
  ],
  import: [
    {
      shows: 'a store of your own out of facts of the sample',
      line: 'asof facts GDP -o gdp.csv && asof import gdp.csv --store mine.db',
    },
    {
      shows: 'check a download from FRED, and write nothing',
      line: 'asof import GDP.csv --as-of 2024-04-25 --dry-run',
      needs: 'the file',
    },
    { shows: 'what was imported, file by file', line: 'asof import --log' },
  ],
  serve: [
    {
      shows: 'a service on this machine, until Ctrl-C',
      line: 'asof serve --port 8787',
      needs: 'a free port',
    },
    {
      shows: 'behind a proxy that ends TLS',
      line: 'asof serve --public-url https://data.example.org 2>> serve.log',
      needs: 'the proxy',
    },
  ],
  'keys create': [
    { shows: 'a key for Ann, kept in a file', line: 'asof keys create --name ann --plan pro > ann.key' },
    { shows: 'one that may not look into the past', line: 'asof keys create --name guest --plan free' },
  ],
  'keys list': [
    { shows: 'whose keys there are', line: 'asof keys list' },
    {
      shows: 'the ids of those that still work',
      line: `asof keys list --csv | awk -F, 'NR > 1 && $6 == "" { print $1 }'`,
    },
  ],
  'keys revoke': [
    { shows: 'the end of a key', line: 'asof keys revoke k_0a1b2c3d', needs: 'a key of that id' },
    {
      shows: 'of every key of Ann',
      line: `asof keys list --csv | awk -F, '$2 == "ann" { print $1 }' | xargs -r -n 1 asof keys revoke`,
    },
  ],
  'auth login': [
    {
      shows: 'asks for the key, and keeps it for that service alone',
      line: 'asof auth login --base-url https://data.example.org',
      needs: 'a terminal',
    },
    {
      shows: 'in a script',
      line: 'asof auth login --base-url https://data.example.org --with-token < ann.key',
      needs: 'the key in that file',
    },
  ],
  'auth status': [
    { shows: 'which keys are kept', line: 'asof auth status', needs: 'a stored key, else it ends with 4' },
    {
      shows: 'which key a service is sent',
      line: 'asof auth status --base-url https://data.example.org',
      needs: 'a key for it',
    },
  ],
  'auth logout': [
    {
      shows: 'forget it',
      line: 'asof auth logout --base-url https://data.example.org',
      needs: 'a key for it',
    },
    { shows: 'of the service that is set', line: 'asof auth logout', needs: 'a setting and its key' },
  ],
  'config get': [
    {
      shows: 'the service that is asked',
      line: 'asof config get base_url',
      needs: 'that it is set, else it ends with 3',
    },
    {
      shows: 'in a script: the format, or csv',
      line: 'asof config get format 2> /dev/null || echo csv',
    },
  ],
  'config set': [
    { shows: 'ask a service from now on', line: 'asof config set base_url https://data.example.org' },
    { shows: 'CSV also on a terminal', line: 'asof config set format csv' },
  ],
  'config unset': [
    { shows: 'ask your own store again', line: 'asof config unset base_url' },
    { shows: 'tables on a terminal again', line: 'asof config unset format' },
  ],
  'config list': [
    { shows: 'what is set', line: 'asof config list' },
    { shows: 'what is set in another place', line: 'ASOF_CONFIG_DIR=elsewhere asof config list' },
  ],
  'config path': [
    { shows: 'the file that holds the settings', line: 'asof config path' },
    { shows: 'keep a copy of it', line: 'cp "$(asof config path)" settings.json', needs: 'a setting' },
  ],
  completion: [
    { shows: 'in bash: a line for ~/.bashrc', line: 'source <(asof completion bash)' },
    { shows: 'in zsh: a line for ~/.zshrc', line: 'source <(asof completion zsh)', needs: 'zsh' },
    {
      shows: 'in fish: once',
      line: 'mkdir -p ~/.config/fish/completions && asof completion fish > ~/.config/fish/completions/asof.fish',
    },
  ],
  help: [
    { shows: 'the flags of a command', line: 'asof help observations' },
    { shows: 'what "as of" means', line: 'asof help as-of' },
    { shows: 'what scripts may rely on', line: 'asof help exit-codes' },
  ],
};
