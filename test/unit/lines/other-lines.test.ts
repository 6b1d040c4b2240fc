import { describe, expect, it } from 'vitest';
import { questionCommands } from '../../../src/lines/parse.ts';
import { everyCommand, parse } from '../../support/lines.ts';

const now = new Date('2026-03-15T12:00:00Z');
const messages = { quiet: false, verbose: false, debug: false };
const plainImport = {
  rename: {},
  merge: false,
  replace: false,
  complete: false,
  projections: false,
  skipUnknown: false,
  withSample: false,
  dryRun: false,
  messages,
  resolved: [],
} as const;
const plainOutput = { header: true, everything: false, plot: false, failEmpty: false, colour: true };
const plainKeys = { id: '', name: '', plan: 'free', overlap: 7, output: plainOutput, messages };
const plainStore = {
  args: [],
  merge: false,
  replace: false,
  list: false,
  distribute: false,
  dryRun: false,
  yes: false,
  output: plainOutput,
  messages,
};
const plainPull = { list: false, full: false, dryRun: false, output: plainOutput, connection: {}, messages };
const help = (...words: string[]) => ({ command: 'help', words, isMistake: false });

const lines: readonly (readonly [line: string, parsed: object])[] = [
  [
    'snapshot plan.txt --out desk',
    {
      plan: 'plan.txt',
      out: 'desk',
      demands: {},
      dryRun: false,
      connection: {},
      messages,
    },
  ],
  [
    'snapshot plan.txt --out desk --as-of 2015-02-01 --max-age 3d --dry-run --store a.db',
    {
      plan: 'plan.txt',
      out: 'desk',
      asOf: '2015-02-01',
      demands: { maxAge: 3 },
      dryRun: true,
      connection: { store: 'a.db' },
      messages,
    },
  ],
  [
    'ping --sources --json --retries 0',
    {
      output: expect.objectContaining({ format: 'json' }),
      connection: { retries: 0 },
      messages,
    },
  ],
  ['verify desk', { folder: 'desk', connection: {}, messages }],
  ['facts GDP PCE*', { ids: ['GDP', 'PCE*'], metadata: false, messages }],
  ['facts GDP --skip-missing', { ids: ['GDP'], skipMissing: true, metadata: false, messages }],
  ['facts * --metadata', { ids: ['*'], metadata: true, messages }],
  [
    'facts GDP -o gdp.csv --store a.db',
    { ids: ['GDP'], metadata: false, file: 'gdp.csv', store: 'a.db', messages },
  ],
  ['import a.csv folder', { ...plainImport, paths: ['a.csv', 'folder'] }],
  [
    'import a.csv --kind fred-md --series gdp --id GDP=A --id UNRATE=B --as-of today --filed-on 2015-01-02 --date-format D/M/YYYY --skip-days 2017-04-14,2017-04-17',
    {
      ...plainImport,
      paths: ['a.csv'],
      kind: 'fred-md',
      series: 'GDP',
      rename: { GDP: 'A', UNRATE: 'B' },
      asOf: '2026-03-15',
      dateFormat: 'D/M/YYYY',
      filedOn: '2015-01-02',
      skipDays: ['2017-04-14', '2017-04-17'],
      resolved: [{ flag: '--as-of', text: 'today', day: '2026-03-15', moves: true }],
    },
  ],
  [
    'import a.csv --merge --replace --complete --projections --skip-unknown --with-sample --dry-run --store a.db -q',
    {
      ...plainImport,
      paths: ['a.csv'],
      merge: true,
      replace: true,
      complete: true,
      projections: true,
      skipUnknown: true,
      withSample: true,
      dryRun: true,
      store: 'a.db',
      messages: { ...messages, quiet: true },
    },
  ],
  ['import --log', { log: true }],
  ['import --log --store a.db', { log: true, store: 'a.db' }],
  ['pull', plainPull],
  [
    'pull fred GDP --release 53 --since 2015 --full --max-duration 10m --store a.db',
    {
      ...plainPull,
      request: { fred: ['GDP', 'release 53'] },
      since: '2015-01-01',
      full: true,
      maxDuration: 600,
      connection: { store: 'a.db' },
    },
  ],
  ['unfollow fred GDP UNRATE', { source: 'fred', names: ['GDP', 'UNRATE'], messages }],
  ['store init --distribute', { ...plainStore, distribute: true }],
  ['store info --csv', { ...plainStore, output: { ...plainOutput, format: 'csv' } }],
  ['store check --store a.db', { ...plainStore, store: 'a.db' }],
  ['store backup b.db --keep 7 -y', { ...plainStore, args: ['b.db'], keep: 7, yes: true }],
  ['store restore b.db --dry-run', { ...plainStore, args: ['b.db'], dryRun: true }],
  ['store copy a.db b.db', { ...plainStore, args: ['a.db', 'b.db'] }],
  ['store merge a.db --merge --replace', { ...plainStore, args: ['a.db'], merge: true, replace: true }],
  ['store undo 3 --list', { ...plainStore, args: ['3'], list: true }],
  ['series rename A B', { ...plainStore, args: ['A', 'B'] }],
  ['series rm A', { ...plainStore, args: ['A'] }],
  ['mcp', { connection: {}, messages }],
  [
    'mcp --as-of 2015-01-30 --base-url https://data.example.org -q',
    {
      asOf: '2015-01-30',
      connection: { baseUrl: 'https://data.example.org' },
      messages: { ...messages, quiet: true },
    },
  ],
  ['explore', { port: 0, open: true, messages }],
  ['explore --no-open --port 8790 --store s.db', { store: 's.db', port: 8790, open: false, messages }],
  ['serve', { typed: {} }],
  [
    'serve --host 0.0.0.0 --port 0 --public-url https://data.example.org/ --billing-url http://b.example.org/x --plans p.json --store s.db --access a.db -q',
    {
      typed: {
        host: '0.0.0.0',
        port: '0',
        'public-url': 'https://data.example.org/',
        'billing-url': 'http://b.example.org/x',
        plans: 'p.json',
        store: 's.db',
        access: 'a.db',
        'log-level': 'warn',
      },
    },
  ],
  [
    'serve --config s.json --cors-origin https://a.example --cors-origin https://b.example --metrics-port 9464 --metrics-key m.key --log-level error',
    {
      config: 's.json',
      typed: {
        'cors-origin': 'https://a.example,https://b.example',
        'metrics-port': '9464',
        'metrics-key': 'm.key',
        'log-level': 'error',
      },
    },
  ],
  [
    'keys create --name ann --expires 2026-03-31',
    { ...plainKeys, name: 'ann', plan: 'free', expires: '2026-03-31', messages },
  ],
  [
    'keys create --name ann --expires 90d',
    { ...plainKeys, name: 'ann', plan: 'free', expires: '2026-06-13', messages },
  ],
  ['keys rotate k_1', { ...plainKeys, id: 'k_1', overlap: 7, messages }],
  [
    'keys rotate k_1 --overlap 0d --access a.db',
    { ...plainKeys, id: 'k_1', overlap: 0, access: 'a.db', messages },
  ],
  [
    'keys usage --csv --plans p.json',
    {
      ...plainKeys,
      output: { format: 'csv', header: true, everything: false, plot: false, failEmpty: false, colour: true },
      plans: 'p.json',
      messages,
    },
  ],
  ['keys create --name ann', { ...plainKeys, name: 'ann', plan: 'free', messages }],
  [
    'keys create --name ann --plan pro --plans p.json --access a.db',
    { ...plainKeys, name: 'ann', plan: 'pro', plans: 'p.json', access: 'a.db', messages },
  ],
  ['keys list', { ...plainKeys, output: plainOutput, messages }],
  ['keys list --json', { ...plainKeys, output: { ...plainOutput, format: 'json' }, messages }],
  ['keys revoke k_0a1b2c3d', { ...plainKeys, id: 'k_0a1b2c3d', messages }],
  ['auth login', { withToken: false, messages }],
  [
    'auth login --base-url https://data.example.org --with-token',
    { baseUrl: 'https://data.example.org', withToken: true, messages },
  ],
  ['auth status', { withToken: false, messages }],
  ['auth logout', { withToken: false, messages }],
  ['config get format', { name: 'format', value: '' }],
  ['config set format csv', { name: 'format', value: 'csv' }],
  ['config set -- retries -1', { name: 'retries', value: '-1' }],
  ['config unset format', { name: 'format', value: '' }],
  ['config list', { name: '', value: '' }],
  ['config path', { name: '', value: '' }],
  ['completion bash', { name: 'bash', sent: [] }],
  ['completion fish -- obs --csv G', { name: 'fish', sent: ['obs', '--csv', 'G'] }],
  ['help', help()],
  ['help series show', help('series', 'show')],
  ['help as-of', help('as-of')],
  ['--help', help()],
  ['obs --help', help('observations')],
  ['obs GDP --as-of 2015-01-30 -h', help('observations')],
  ['series show --help', help('series', 'show')],
  ['series --help', help('series')],
  ['series', { command: 'help', words: ['series'], isMistake: true }],
  ['--version', { command: 'version' }],
  ['-V', { command: 'version' }],
];

describe('a command line becomes data', () => {
  it.each(lines)('asof %s', (text, parsed) => {
    expect(parse(text.split(' '), { now })).toEqual(parsed);
  });

  it('without arguments it asks for help', () => {
    expect(parse([], { now })).toEqual(help());
  });

  it('for every command that does not ask for data', () => {
    const questions = new Set(questionCommands().map(({ words }) => words));
    const others = everyCommand.map(({ words }) => words).filter((words) => !questions.has(words));
    expect(others.length).toBeGreaterThan(20);
    expect(others.filter((words) => !lines.some(([line]) => `${line} `.startsWith(`${words} `)))).toEqual([]);
  });
});
