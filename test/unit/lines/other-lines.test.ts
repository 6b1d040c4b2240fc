import { describe, expect, it } from 'vitest';
import { fileCommands } from '../../../src/lines/file-commands.ts';
import { parse } from '../../../src/lines/parse.ts';
import { serviceCommands } from '../../../src/lines/service-commands.ts';

const now = new Date('2026-03-15T12:00:00Z');
const messages = { quiet: false, verbose: false, debug: false };
const plainImport = {
  command: 'import',
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
const help = (...words: string[]) => ({ command: 'help', words, isMistake: false });

const lines: readonly (readonly [line: string, parsed: object])[] = [
  [
    'snapshot plan.txt --out desk',
    {
      command: 'snapshot',
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
      command: 'snapshot',
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
      command: 'ping-sources',
      output: expect.objectContaining({ format: 'json' }),
      connection: { retries: 0 },
      messages,
    },
  ],
  ['verify desk', { command: 'verify', folder: 'desk', connection: {}, messages }],
  ['facts GDP PCE*', { command: 'facts', ids: ['GDP', 'PCE*'], metadata: false, messages }],
  [
    'facts GDP --skip-missing',
    { command: 'facts', ids: ['GDP'], skipMissing: true, metadata: false, messages },
  ],
  ['facts * --metadata', { command: 'facts', ids: ['*'], metadata: true, messages }],
  [
    'facts GDP -o gdp.csv --store a.db',
    { command: 'facts', ids: ['GDP'], metadata: false, file: 'gdp.csv', store: 'a.db', messages },
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
  ['import --log', { command: 'import-log' }],
  ['import --log --store a.db', { command: 'import-log', store: 'a.db' }],
  ['mcp', { command: 'mcp', connection: {}, messages }],
  [
    'mcp --as-of 2015-01-30 --base-url https://data.example.org -q',
    {
      command: 'mcp',
      asOf: '2015-01-30',
      connection: { baseUrl: 'https://data.example.org' },
      messages: { ...messages, quiet: true },
    },
  ],
  ['explore', { command: 'explore', port: 0, open: true, messages }],
  [
    'explore --no-open --port 8790 --store s.db',
    { command: 'explore', store: 's.db', port: 8790, open: false, messages },
  ],
  ['serve', { command: 'serve', typed: {} }],
  [
    'serve --host 0.0.0.0 --port 0 --public-url https://data.example.org/ --billing-url http://b.example.org/x --plans p.json --store s.db --access a.db -q',
    {
      command: 'serve',
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
      command: 'serve',
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
    { command: 'keys create', name: 'ann', plan: 'free', expires: '2026-03-31', messages },
  ],
  [
    'keys create --name ann --expires 90d',
    { command: 'keys create', name: 'ann', plan: 'free', expires: '2026-06-13', messages },
  ],
  ['keys rotate k_1', { command: 'keys rotate', id: 'k_1', overlap: 7, messages }],
  [
    'keys rotate k_1 --overlap 0d --access a.db',
    { command: 'keys rotate', id: 'k_1', overlap: 0, access: 'a.db', messages },
  ],
  [
    'keys usage --csv --plans p.json',
    {
      command: 'keys usage',
      output: { format: 'csv', header: true, everything: false, plot: false, failEmpty: false, colour: true },
      plans: 'p.json',
      messages,
    },
  ],
  ['keys create --name ann', { command: 'keys create', name: 'ann', plan: 'free', messages }],
  [
    'keys create --name ann --plan pro --plans p.json --access a.db',
    { command: 'keys create', name: 'ann', plan: 'pro', plans: 'p.json', access: 'a.db', messages },
  ],
  ['keys list', { command: 'keys list', output: plainOutput, messages }],
  ['keys list --json', { command: 'keys list', output: { ...plainOutput, format: 'json' }, messages }],
  ['keys revoke k_0a1b2c3d', { command: 'keys revoke', id: 'k_0a1b2c3d', messages }],
  ['auth login', { command: 'auth login', withToken: false, messages }],
  [
    'auth login --base-url https://data.example.org --with-token',
    { command: 'auth login', baseUrl: 'https://data.example.org', withToken: true, messages },
  ],
  ['auth status', { command: 'auth status', withToken: false, messages }],
  ['auth logout', { command: 'auth logout', withToken: false, messages }],
  ['config get format', { command: 'config get', name: 'format' }],
  ['config set format csv', { command: 'config set', name: 'format', value: 'csv' }],
  ['config set -- retries -1', { command: 'config set', name: 'retries', value: '-1' }],
  ['config unset format', { command: 'config unset', name: 'format' }],
  ['config list', { command: 'config list' }],
  ['config path', { command: 'config path' }],
  ['completion bash', { command: 'completion', shell: 'bash', sent: [] }],
  ['completion fish -- obs --csv G', { command: 'completion', shell: 'fish', sent: ['obs', '--csv', 'G'] }],
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
    const seen = new Set<string>(lines.map(([line]) => parse(line.split(' '), { now }).command));
    expect(
      [...fileCommands, ...serviceCommands].map(({ words }) => words).filter((words) => !seen.has(words)),
    ).toEqual([]);
  });
});
