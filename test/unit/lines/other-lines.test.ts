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
  log: false,
  resolved: [],
} as const;
const plainOutput = { header: true, everything: false, plot: false, failEmpty: false, colour: true };
const factsLine = { output: { ...plainOutput, format: 'csv' }, messages };
const change = { dryRun: false, yes: false, messages };
const plainPull = {
  ...{ args: [], list: false, full: false, dryRun: false },
  ...{ output: plainOutput, connection: {}, messages },
};
const help = (...words: string[]) => ({ command: 'help', words, isMistake: false });

const lines: readonly (readonly [line: string, parsed: object])[] = [
  [
    'snapshot plan.txt --out desk',
    {
      args: ['plan.txt'],
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
      args: ['plan.txt'],
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
      args: [],
      sources: true,
      output: expect.objectContaining({ format: 'json' }),
      connection: { retries: 0 },
      messages,
    },
  ],
  ['verify desk', { args: ['desk'], connection: {}, messages }],
  ['facts GDP PCE*', { ...factsLine, args: ['GDP', 'PCE*'], skipMissing: false, metadata: false }],
  ['facts GDP --skip-missing', { ...factsLine, args: ['GDP'], skipMissing: true, metadata: false }],
  ['facts * --metadata', { ...factsLine, args: ['*'], skipMissing: false, metadata: true }],
  [
    'facts GDP -o gdp.csv --store a.db',
    {
      args: ['GDP'],
      skipMissing: false,
      metadata: false,
      output: { ...plainOutput, format: 'csv', file: 'gdp.csv' },
      store: 'a.db',
      messages,
    },
  ],
  ['import a.csv folder', { ...plainImport, args: ['a.csv', 'folder'] }],
  [
    'import a.csv --kind fred-md --series gdp --id GDP=A --id UNRATE=B --as-of today --filed-on 2015-01-02 --date-format D/M/YYYY --skip-days 2017-04-14,2017-04-17',
    {
      ...plainImport,
      args: ['a.csv'],
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
      args: ['a.csv'],
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
  ['import --log', { ...plainImport, args: [], log: true }],
  ['import --log --store a.db', { ...plainImport, args: [], log: true, store: 'a.db' }],
  ['pull', plainPull],
  [
    'pull fred GDP --release 53 --since 2015 --full --max-duration 10m --store a.db',
    {
      ...plainPull,
      args: ['fred', 'GDP'],
      request: { fred: ['GDP', 'release 53'] },
      since: '2015-01-01',
      full: true,
      maxDuration: 600,
      connection: { store: 'a.db' },
    },
  ],
  ['unfollow fred GDP UNRATE', { args: ['fred', 'GDP', 'UNRATE'], messages }],
  ['store init --distribute', { args: [], distribute: true, messages }],
  ['store info --csv', { args: [], rows: { ...plainOutput, format: 'csv' }, messages }],
  ['store check --store a.db', { args: [], store: 'a.db', messages }],
  ['store backup b.db --keep 7 -y', { ...change, args: ['b.db'], keep: 7, yes: true }],
  ['store restore b.db --dry-run', { ...change, args: ['b.db'], dryRun: true }],
  ['store copy a.db b.db', { ...change, args: ['a.db', 'b.db'] }],
  ['store merge a.db --merge --replace', { ...change, args: ['a.db'], merge: true, replace: true }],
  ['store undo 3 --list', { ...change, args: ['3'], list: true, rows: plainOutput }],
  ['series rename A B', { ...change, args: ['A', 'B'] }],
  ['series rm A', { ...change, args: ['A'] }],
  ['mcp', { args: [], connection: {}, messages }],
  [
    'mcp --as-of 2015-01-30 --base-url https://data.example.org -q',
    {
      args: [],
      asOf: '2015-01-30',
      connection: { baseUrl: 'https://data.example.org' },
      messages: { ...messages, quiet: true },
    },
  ],
  ['explore', { args: [], noOpen: false, messages }],
  [
    'explore --no-open --port 8790 --store s.db',
    { args: [], store: 's.db', port: 8790, noOpen: true, messages },
  ],
  ['serve', { args: [], typed: {}, quiet: false }],
  [
    'serve --host 0.0.0.0 --port 0 --public-url https://data.example.org/ --billing-url http://b.example.org/x --plans p.json --store s.db --access a.db -q',
    {
      args: [],
      quiet: true,
      typed: {
        host: '0.0.0.0',
        port: 0,
        'public-url': 'https://data.example.org',
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
      args: [],
      quiet: false,
      config: 's.json',
      typed: {
        'cors-origin': ['https://a.example', 'https://b.example'],
        'metrics-port': 9464,
        'metrics-key': 'm.key',
        'log-level': 'error',
      },
    },
  ],
  ['keys create --name ann --expires 2026-03-31', { args: [], name: 'ann', expires: '2026-03-31', messages }],
  ['keys create --name ann --expires 90d', { args: [], name: 'ann', expires: '2026-06-13', messages }],
  ['keys rotate k_1', { args: ['k_1'], overlap: 7, messages }],
  ['keys rotate k_1 --overlap 0d --access a.db', { args: ['k_1'], overlap: 0, access: 'a.db', messages }],
  [
    'keys usage --csv --plans p.json',
    {
      args: [],
      output: { format: 'csv', header: true, everything: false, plot: false, failEmpty: false, colour: true },
      plans: 'p.json',
      messages,
    },
  ],
  ['keys create --name ann', { args: [], name: 'ann', messages }],
  [
    'keys create --name ann --plan pro --plans p.json --access a.db',
    { args: [], name: 'ann', plan: 'pro', plans: 'p.json', access: 'a.db', messages },
  ],
  ['keys list', { args: [], output: plainOutput, messages }],
  ['keys list --json', { args: [], output: { ...plainOutput, format: 'json' }, messages }],
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
  ['completion bash', { args: ['bash'], shell: 'bash' }],
  ['completion fish -- obs --csv G', { args: ['fish', 'obs', '--csv', 'G'], shell: 'fish' }],
  ['help', { args: [] }],
  ['help series show', { args: ['series', 'show'] }],
  ['help as-of', { args: ['as-of'] }],
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
