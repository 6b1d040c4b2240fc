import { describe, expect, it } from 'vitest';
import type { Query } from '../../../src/answering/question.ts';
import type { CommandSpec, QueryLine } from '../../../src/lines/command.ts';
import { questionCommands } from '../../../src/lines/parse.ts';
import { observationsCommand } from '../../../src/lines/question-command.ts';
import { everyCommand, parse } from '../../support/command.ts';
import { operations } from '../../support/operations.ts';

const now = new Date('2026-03-15T12:00:00Z');

function lineOf(text: string, inPlan = false): QueryLine {
  const line = parse(text.split(' '), { now, inPlan });
  if (!('resolved' in line && 'query' in line)) throw new Error(`${text} asks no question`);
  return line as QueryLine;
}

/** The query as plain data: the name of the question stands for its declaration. */
const named = ({ question, values }: Query) => [question.name, values];

const several = 'observations_of_several';

const days = ['2009-07-30', '2009-07-31'];

const queries: readonly (readonly [line: string, question: string, values: object])[] = [
  ['ping', 'ping', {}],
  ['series search', 'series_search', { match: 'words' }],
  ['series search gdp --match ID', 'series_search', { q: 'gdp', match: 'id' }],
  ['series search --limit 20', 'series_search', { match: 'words', limit: 20 }],
  ['series search --cursor abc', 'series_search', { match: 'words', cursor: 'abc' }],
  ['series show gdp', 'series_show', { id: 'GDP' }],
  ['observations GDP', several, { ids: ['GDP'] }],
  ['obs gdp PCE*', several, { ids: ['gdp', 'PCE*'] }],
  ['obs GDP --as-of 2015-01-30', several, { ids: ['GDP'], as_of: '2015-01-30' }],
  ['obs GDP --as-of today', several, { ids: ['GDP'], as_of: '2026-03-15' }],
  ['obs GDP --as-of yesterday', several, { ids: ['GDP'], as_of: '2026-03-14' }],
  ['obs GDP --as-of -30d', several, { ids: ['GDP'], as_of: '2026-02-13' }],
  ['obs GDP --as-of=-2w', several, { ids: ['GDP'], as_of: '2026-03-01' }],
  ['obs GDP --as-of -13m', several, { ids: ['GDP'], as_of: '2025-02-15' }],
  ['obs GDP --as-of -1y', several, { ids: ['GDP'], as_of: '2025-03-15' }],
  // Somewhere on Earth tomorrow has begun.
  ['obs GDP --as-of 2026-03-16', several, { ids: ['GDP'], as_of: '2026-03-16' }],
  ['obs GDP --from 2008Q3 --to 2008q4', several, { ids: ['GDP'], from: '2008-07-01', to: '2008-12-31' }],
  ['obs GDP --from 2008-09 --to 2012-02', several, { ids: ['GDP'], from: '2008-09-01', to: '2012-02-29' }],
  ['obs GDP --from 2008 --to 2009', several, { ids: ['GDP'], from: '2008-01-01', to: '2009-12-31' }],
  // Before September began.
  ['obs GDP --known-before 2008-09', several, { ids: ['GDP'], as_of: '2008-08-31' }],
  ['obs GDP --known-before 2015-03-01', several, { ids: ['GDP'], as_of: '2015-02-28' }],
  ['obs GDP --known-before 2016-03-01', several, { ids: ['GDP'], as_of: '2016-02-29' }],
  ['obs GDP --first-release', several, { ids: ['GDP'], release: 'first' }],
  ['obs GDP --limit 8 --sort asc', several, { ids: ['GDP'], limit: 8, sort: 'asc' }],
  ['obs GDP --first 8', several, { ids: ['GDP'], first: 8 }],
  ['obs GDP --cursor abc', several, { ids: ['GDP'], cursor: 'abc' }],
  ['revisions gdp --date 2008Q4', 'revisions', { id: 'GDP', date: '2008-10-01' }],
  ['revisions GDP --to 2008Q3 --cursor abc', 'revisions', { id: 'GDP', to: '2008-09-30', cursor: 'abc' }],
  [
    'revisions GDP --release 2,final --after 90d,365 --as-of 2010-12-31 --limit 8',
    'revisions',
    { id: 'GDP', release: [2, 'final'], after: [90, 365], as_of: '2010-12-31', limit: 8 },
  ],
  ['revisions GDP --stats --from 2000', 'revisions', { id: 'GDP', stats: true, from: '2000-01-01' }],
  ['revisions GDP --wide', 'revisions', { id: 'GDP', wide: true }],
  ['calendar --series gdp --from 2015', 'calendar', { series: 'GDP', from: '2015-01-01' }],
  ['due --every', 'due', { every: true }],
  ['next gdp UNRATE --as-of 2015-01-30', 'next_releases', { ids: ['gdp', 'UNRATE'], as_of: '2015-01-30' }],
  ['vintages gdp', 'vintages', { id: 'GDP' }],
  ['vintages GDP --from 2009 --limit 5', 'vintages', { id: 'GDP', from: '2009-01-01', limit: 5 }],
  ['vintages GDP --as-of 2009-12-31', 'vintages', { id: 'GDP', as_of: '2009-12-31' }],
  ['curve', 'curve', {}],
  ['curve --on-or-before --type tips', 'curve', { curve_type: 'TIPS', on_or_before: true }],
  ['curve --date today --vs 2020-03-09', 'curve', { date: '2026-03-15', vs: '2020-03-09' }],
  ['yields', 'yields', {}],
  ['yields --maturity 10y --type par --limit 3', 'yields', { maturity: '10Y', curve_type: 'PAR', limit: 3 }],
  ['yields --wide --type tips --from 2022', 'yield_table', { curve_type: 'TIPS', from: '2022-01-01' }],
  ['spread --long 10Y --short 3m --from 2019', 'spread', { long: '10Y', short: '3M', from: '2019-01-01' }],
  [
    'insider filings --ticker MAIA --owner Smith --code P --days 30 --as-of 2025-12-10',
    'insider_filings',
    { ticker: 'MAIA', owner_name: 'Smith', days: 30, transaction_code: 'P', as_of: '2025-12-10' },
  ],
  ['insider clusters --min-insiders 2 --days 7', 'insider_clusters', { min_insiders: 2, days: 7 }],
  ['insider clusters --min-value 1000000', 'insider_clusters', { min_value: 1_000_000 }],
  ['insider clusters --to 2025-03', 'insider_clusters', { to: '2025-03-31' }],
  ['insider clusters --signals --code s', 'insider_clusters', { signals: true, transaction_code: 'S' }],
  ['insider clusters --explain --limit 1', 'insider_clusters', { explain: true, limit: 1 }],
  ['diff gdp PCE* 2009-07-30 today', 'diff', { ids: ['gdp', 'PCE*'], days: ['2009-07-30', '2026-03-15'] }],
  ['diff GDP 2009-07-30 2009-07-31 --all-rows', 'diff', { ids: ['GDP'], days, all_rows: true }],
  [
    'diff GDP 2009-07-30 2009-07-31 --known-before --from 2008-01-01',
    'diff',
    { ids: ['GDP'], days: ['2009-07-29', '2009-07-30'], from: '2008-01-01' },
  ],
  ['panel GDP unrate --skip-missing', 'panel', { ids: ['GDP', 'unrate'], skip_missing: true }],
  [
    'panel GDP --as-of 2009-01-30 --from 2008-01-01 --wide --sort asc',
    'panel',
    { ids: ['GDP'], as_of: '2009-01-30', from: '2008-01-01', wide: true, sort: 'asc' },
  ],
  [
    'panel GDP --as-of-each month-end --from 2008-10 --to 2009-02 --wide --with-dates --beyond REPEAT',
    'panel',
    {
      ...{ ids: ['GDP'], as_of_each: 'month-end', from: '2008-10-01', to: '2009-02-28' },
      ...{ beyond: 'repeat', with_dates: true, wide: true },
    },
  ],
];

describe('a command line that asks for data becomes a query', () => {
  it.each(queries)('asof %s', (text, question, values) => {
    expect(named(lineOf(text).query)).toEqual([question, values]);
  });

  it('for every operation', () => {
    const asked = new Set(queries.map(([text]) => lineOf(text).words));
    expect(operations.map(({ command }) => command.words).filter((words) => !asked.has(words))).toEqual([]);
  });

  it.each(['vintages GDP', 'yields', 'yields --wide', 'spread', 'insider filings', 'insider clusters'])(
    'with the first rows of asof %s',
    (text) =>
      expect(lineOf(`${text} --first 3`).query.values).toEqual({ ...lineOf(text).query.values, first: 3 }),
  );

  it('that JSON can hold', () => {
    for (const [text] of queries) {
      const line = lineOf(text);
      const data = { ...line, query: named(line.query) };
      expect(JSON.parse(JSON.stringify(data))).toEqual(data);
    }
  });

  it('which in a plan may leave the last as-of date of a panel to the plan', () => {
    expect(named(lineOf('panel GDP --as-of-each day --from 2015-01-01', true).query)).toEqual([
      'panel',
      { ids: ['GDP'], as_of_each: 'day', from: '2015-01-01' },
    ]);
  });
});

const plainOutput = { header: true, everything: false, plot: false, failEmpty: false, colour: true };
const silent = { quiet: false, verbose: false, debug: false };

describe('the flags that all queries share', () => {
  it.each<readonly [line: string, output: object]>([
    ['ping', {}],
    ['ping -f json', { format: 'json' }],
    ['ping --csv', { format: 'csv' }],
    ['ping --json -fjson', { format: 'json' }],
    ['ping -o ping.csv', { file: 'ping.csv' }],
    ['ping -o -', {}],
    ['ping --columns status,plan', { columns: ['status', 'plan'] }],
    ['ping --no-header --no-color --fail-empty', { header: false, colour: false, failEmpty: true }],
    ['ping --no-header --no-header --csv --csv', { header: false, format: 'csv' }],
    ['obs GDP --all', { everything: true }],
    ['obs GDP --plot', { plot: true }],
    ['panel GDP unrate --wide --columns date,unrate', { columns: ['date', 'unrate'] }],
  ])('say how the output of asof %s looks', (text, output) => {
    expect(lineOf(text).output).toEqual({ ...plainOutput, ...output });
  });

  it('say whom to ask, and how much is told', () => {
    expect(lineOf('ping')).toMatchObject({ connection: {}, messages: silent });
    expect(lineOf('ping --store my.db -q')).toMatchObject({
      connection: { store: 'my.db' },
      messages: { ...silent, quiet: true },
    });
    const remote = 'ping --base-url http://localhost:1 --timeout 2.5 --retries 0 --max-wait 3600';
    expect(lineOf(`${remote} -v --debug -v`)).toMatchObject({
      connection: { baseUrl: 'http://localhost:1', timeout: 2.5, retries: 0, maxWait: 3600 },
      messages: { quiet: false, verbose: true, debug: true },
    });
  });

  it('say what a composed answer is for', () => {
    const diff = 'diff GDP 2009-07-30 2009-07-31';
    expect(lineOf(diff)).toMatchObject({ dryRun: false, exitCode: false });
    expect(lineOf(`${diff} --dry-run --exit-code`)).toMatchObject({ dryRun: true, exitCode: true });
    expect(lineOf('panel GDP --dry-run')).toMatchObject({ dryRun: true });
  });

  it('are listed as they were typed, as are the days that were not typed as dates', () => {
    const line = lineOf('obs GDP --from today --as-of=today -q --no-header');
    expect([...line.typed].sort()).toEqual(['--as-of', '--from', '--no-header', '--quiet']);
    expect([...line.resolved.map(({ flag }) => flag)].sort()).toEqual(['--as-of', '--from']);
    expect(lineOf('diff GDP 2009-07-30 today').resolved).toEqual([
      { flag: 'second date', text: 'today', day: '2026-03-15', moves: true },
    ]);
    expect(lineOf('obs GDP --from 2008Q3').resolved).toEqual([
      { flag: '--from', text: '2008Q3', day: '2008-07-01', moves: false },
    ]);
  });
});

const messages = silent;
const output = plainOutput;
const plainImport = {
  ...{ rename: {}, merge: false, replace: false, complete: false, projections: false, skipUnknown: false },
  ...{ chunked: false, withSample: false, dryRun: false, messages, log: false, resolved: [] },
};
const change = { dryRun: false, yes: false, messages };
const plainPull = {
  args: [],
  list: false,
  due: false,
  full: false,
  replace: false,
  dryRun: false,
  output,
  connection: {},
  messages,
};
const facts = { output: { ...output, format: 'csv' }, skipMissing: false, messages };
const help = (...words: string[]) => ({ command: 'help', words, isMistake: false });

const others: readonly (readonly [line: string, parsed: object])[] = [
  [
    'snapshot plan.txt --out desk',
    { args: ['plan.txt'], out: 'desk', demands: {}, dryRun: false, connection: {}, messages },
  ],
  [
    'snapshot plan.txt --out desk --as-of 2015-02-01 --max-age 3d --dry-run --store a.db',
    {
      ...{ args: ['plan.txt'], out: 'desk', asOf: '2015-02-01', demands: { maxAge: 3 }, dryRun: true },
      ...{ connection: { store: 'a.db' }, messages },
    },
  ],
  ['verify desk', { args: ['desk'], connection: {}, messages }],
  [
    'ping --sources --json --retries 0',
    {
      ...{ args: [], output: expect.objectContaining({ format: 'json' }) },
      ...{ connection: { retries: 0 }, messages },
    },
  ],
  ['facts GDP PCE* --skip-missing', { ...facts, args: ['GDP', 'PCE*'], skipMissing: true }],
  [
    'facts GDP -o gdp.csv --store a.db',
    { ...facts, args: ['GDP'], output: { ...output, format: 'csv', file: 'gdp.csv' }, store: 'a.db' },
  ],
  ['import a.csv folder', { ...plainImport, args: ['a.csv', 'folder'] }],
  [
    'import a.csv --kind fred-md --series gdp --id GDP=A --id UNRATE=B --as-of today --filed-on 2015-01-02 --date-format D/M/YYYY --skip-days 2017-04-14,2017-04-17',
    {
      ...plainImport,
      ...{ args: ['a.csv'], kind: 'fred-md', series: 'GDP', rename: { GDP: 'A', UNRATE: 'B' } },
      ...{ asOf: '2026-03-15', dateFormat: 'D/M/YYYY', filedOn: '2015-01-02' },
      skipDays: ['2017-04-14', '2017-04-17'],
      resolved: [{ flag: '--as-of', text: 'today', day: '2026-03-15', moves: true }],
    },
  ],
  [
    'import a.csv --merge --replace --complete --projections --skip-unknown --with-sample --dry-run --store a.db -q',
    {
      ...plainImport,
      ...{ args: ['a.csv'], merge: true, replace: true, complete: true, projections: true },
      ...{ skipUnknown: true, withSample: true, dryRun: true, store: 'a.db' },
      messages: { ...messages, quiet: true },
    },
  ],
  ['import --log --store a.db', { ...plainImport, args: [], log: true, store: 'a.db' }],
  ['pull', plainPull],
  [
    'pull fred GDP --release 53 --since 2015 --full --max-duration 10m --store a.db',
    {
      ...{ ...plainPull, args: ['fred', 'GDP'], request: { fred: ['GDP', 'release 53'] } },
      ...{ since: '2015-01-01', full: true, maxDuration: 600, connection: { store: 'a.db' } },
    },
  ],
  [
    'unfollow fred GDP UNRATE',
    { args: ['fred', 'GDP', 'UNRATE'], request: { fred: ['GDP', 'UNRATE'] }, messages },
  ],
  ['store init --distribute', { args: [], distribute: true, messages }],
  ['store info --csv', { args: [], rows: { ...output, format: 'csv' }, messages }],
  ['store check --store a.db', { args: [], store: 'a.db', messages }],
  ['store backup b.db --keep 7 -y', { ...change, args: ['b.db'], keep: 7, yes: true }],
  ['store restore b.db --dry-run', { ...change, args: ['b.db'], dryRun: true }],
  ['store copy a.db b.db', { ...change, args: ['a.db', 'b.db'] }],
  [
    'store merge a.db --merge --replace',
    { ...change, args: ['a.db'], merge: true, replace: true, skipKnown: false },
  ],
  ['store undo 3 --list', { ...change, args: ['3'], list: true, rows: output }],
  ['series rename A B', { ...change, args: ['A', 'B'] }],
  ['series rm A', { ...change, args: ['A'] }],
  ['series alias A B', { args: ['A', 'B'], rm: false, dryRun: false, rows: output, messages }],
  [
    'series alias --rm A --dry-run --store s.db',
    { args: ['A'], rm: true, dryRun: true, rows: output, store: 's.db', messages },
  ],
  ['mcp', { args: [], connection: {}, messages }],
  [
    'mcp --as-of 2015-01-30 --base-url https://data.example.org',
    { args: [], asOf: '2015-01-30', connection: { baseUrl: 'https://data.example.org' }, messages },
  ],
  ['lines --store s.db', { args: [], connection: { store: 's.db' }, messages }],
  ['explore', { args: [], noOpen: false, messages }],
  [
    'explore --no-open --port 8790 --store s.db',
    { args: [], store: 's.db', port: 8790, noOpen: true, messages },
  ],
  ['serve', { args: [], typed: {}, quiet: false }],
  [
    'serve --host 0.0.0.0 --port 0 --public-url https://data.example.org/ --billing-url http://b.example.org/x --plans p.json --store s.db --access a.db -q',
    {
      ...{ args: [], quiet: true },
      typed: {
        ...{ host: '0.0.0.0', port: 0, 'public-url': 'https://data.example.org', plans: 'p.json' },
        ...{ 'billing-url': 'http://b.example.org/x', store: 's.db', access: 'a.db', 'log-level': 'warn' },
      },
    },
  ],
  [
    'serve --config s.json --cors-origin https://a.example --cors-origin https://b.example --metrics-port 9464 --metrics-key m.key --log-level error',
    {
      ...{ args: [], quiet: false, config: 's.json' },
      typed: {
        'cors-origin': ['https://a.example', 'https://b.example'],
        ...{ 'metrics-port': 9464, 'metrics-key': 'm.key', 'log-level': 'error' },
      },
    },
  ],
  ['keys create --name ann --expires 2026-03-31', { args: [], name: 'ann', expires: '2026-03-31', messages }],
  ['keys create --name ann --expires 90d', { args: [], name: 'ann', expires: '2026-06-13', messages }],
  [
    'keys create --name ann --plan pro --plans p.json --access a.db',
    { args: [], name: 'ann', plan: 'pro', plans: 'p.json', access: 'a.db', messages },
  ],
  ['keys rotate k_1', { args: ['k_1'], overlap: 7, messages }],
  ['keys rotate k_1 --overlap 0d --access a.db', { args: ['k_1'], overlap: 0, access: 'a.db', messages }],
  [
    'keys usage --csv --plans p.json',
    { args: [], output: { ...output, format: 'csv' }, plans: 'p.json', messages },
  ],
  ['keys list --json', { args: [], output: { ...output, format: 'json' }, messages }],
  ['keys revoke k_0a1b2c3d', { args: ['k_0a1b2c3d'], messages }],
  ['auth login', { args: [], withToken: false, messages }],
  [
    'auth login --base-url https://data.example.org --with-token',
    { args: [], baseUrl: 'https://data.example.org', withToken: true, messages },
  ],
  ['auth status', { args: [], messages }],
  ['auth logout', { args: [], messages }],
  ['config get format', { args: ['format'] }],
  ['config set format csv', { args: ['format', 'csv'] }],
  ['config set -- retries -1', { args: ['retries', '-1'] }],
  ['config unset format', { args: ['format'] }],
  ['config list', { args: [] }],
  ['config path', { args: [] }],
  ['completion bash', { args: ['bash'] }],
  ['completion fish -- obs --csv G', { args: ['fish', 'obs', '--csv', 'G'] }],
  ['help', { args: [] }],
  ['help series show', { args: ['series', 'show'] }],
  ['--help', help()],
  ['obs GDP --as-of 2015-01-30 -h', help('observations')],
  ['series show --help', help('series', 'show')],
  ['series --help', help('series')],
  ['series', { command: 'help', words: ['series'], isMistake: true }],
  ['--version', { command: 'version' }],
  ['-V', { command: 'version' }],
];

describe('a command line that asks for no data becomes data too', () => {
  it.each(others)('asof %s', (text, parsed) => {
    expect(parse(text.split(' '), { now })).toEqual(parsed);
  });

  it('without arguments, as help', () => {
    expect(parse([], { now })).toEqual(help());
  });

  it('for every command', () => {
    const questions = new Set(questionCommands().map(({ words }) => words));
    const names = everyCommand.map(({ words }) => words).filter((words) => !questions.has(words));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((words) => !others.some(([line]) => `${line} `.startsWith(`${words} `)))).toEqual([]);
  });
});

it('reads a line of observations by the same command alone as among all', () => {
  const described = ({ alias, args, flags }: CommandSpec) =>
    JSON.parse(JSON.stringify({ alias, args, flags }));
  const all = questionCommands().filter(({ words }) => words === 'observations');
  expect(observationsCommand().map(described)).toEqual(all.map(described));
});
