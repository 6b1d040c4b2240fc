import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { asof, importedStore, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

describe('a usage error exits 2, says so in one line of asof, and writes nothing to stdout', () => {
  it.each<readonly [words: string, said: string]>([
    ['pnig', "asof: unknown command 'pnig'\n      did you mean ping?"],
    ['series serch GDP', "asof: unknown command 'serch'\n      did you mean search?"],
    ['ping --jsn', "asof: unknown option '--jsn'\n      did you mean --json?"],
    [
      'curve --lag 1',
      "asof: unknown option '--lag'\n      --lag is a flag of asof panel, asof join and asof check",
    ],
    ['ping more', "asof: 'asof ping' has no argument for more"],
    ['obs', "asof: missing required argument 'id'"],
    ['obs GDP --as-of', "asof: option '--as-of <date>' argument missing"],
    ['obs GDP --limit 0', 'asof: --limit "0": use an integer of at least 1'],
    ['obs GDP --limit 1.5', 'asof: --limit "1.5": use an integer of at least 1'],
    ['obs GDP --sort up', 'asof: --sort "up": use desc or asc'],
    ['obs GDP --all --limit 3', 'asof: use either --all or --limit'],
    ['obs GDP --as-of 2015-02-30', 'asof: --as-of "2015-02-30": there is no such date\n'],
    [
      'obs GDP --known-before soon',
      'asof: --known-before "soon": use YYYY-MM-DD, a month 2014-10, a quarter 2014Q4, a year 2014, today, yesterday, or a distance such as -30d or -5y\n',
    ],
    ['obs GDP --as-of 2015-01-30 --known-before 2015-01-30', 'asof: use either --as-of or --known-before'],
    ['obs GDP --from 2015-01-02 --to 2015-01-01', 'asof: --from 2015-01-02 is after --to 2015-01-01\n'],
    ['obs GDP --cursor mine', 'asof: --cursor "mine": not a cursor of this service'],
    ['obs GDP UNRATE --cursor mine', 'asof: --cursor continues one series: name one id'],
    [
      'obs GDP -f cvs',
      'asof: --format "cvs": use table, csv, tsv, json, ndjson, parquet, markdown, latex, xlsx, svg, png\n      did you',
    ],
    ['facts GDP -o gdp.parquet', 'asof: --output "gdp.parquet": facts writes only CSV\n'],
    ['facts GDP -o gdp.xls', 'asof: asof writes no .xls files'],
    ['facts GDP -o gdp.xlsx', 'asof: --output "gdp.xlsx": facts writes only CSV\n'],
    ['obs GDP --csv -f tsv', 'asof: two formats: tsv and csv'],
    ['obs GDP --columns date,valu', "asof: unknown column 'valu': the columns are"],
    ['obs GDP -o=', 'asof: '],
    ['curve --type nominal', 'asof: --type "nominal": use PAR or TIPS'],
    ['import', 'asof: nothing to import: name files or folders'],
    ['import --log x.csv', 'asof: --log lists past imports and takes no files'],
    ['help nothing-of-the-kind', "asof: there is no help on 'nothing-of-the-kind'"],
  ])('asof %s', async (words, said) => {
    const line = words === 'obs GDP -o=' ? ['obs', 'GDP', '-o', ''] : words.split(' ');
    const { code, out, err } = await asof(line, { env: { ASOF_STORE: store } });
    expect({ code, out, err: err.slice(0, said.length) }).toEqual({ code: 2, out: '', err: said });
  });

  it('a group without a command shows its help on stderr', async () => {
    const { code, out, err } = await asof(['series']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^Usage: asof series /);
  });
});

describe('help that was requested goes to stdout', () => {
  it.each([[''], ['--help'], ['help'], ['-h'], ['observations --help'], ['help series show']])(
    'asof %s',
    async (words) => {
      const { code, out, err } = await asof(words === '' ? [] : words.split(' '));
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(/^Usage: asof /);
    },
  );
});

describe('a series that does not exist', () => {
  it('exits 3, names up to three near ids, nearest first, and the request', async () => {
    const { code, out, err } = await asof(['obs', 'gdpx', '--store', store]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(
      /^asof: series 'GDPX' not found\n {6}did you mean GDP or GDPC1\?\n {6}request req_[0-9a-f]{32}\n$/,
    );
  });

  it.each([
    // One letter away from UNRATE, and one from the beginning of `United`, which many titles have.
    ['series show unrte', "asof: series 'UNRTE' not found\n      did you mean UNRATE?\n"],
    ['series show unrat', "asof: series 'UNRAT' not found\n      did you mean UNRATE?\n"],
    ['facts unrat', "asof: series 'UNRAT' not found\n      did you mean UNRATE?\n"],
    [
      'obs CPIAUCSL',
      "asof: series 'CPIAUCSL' not found\n      asof series search finds series by words\n      request",
    ],
    ['obs ', "asof: series '' not found\n      asof series search finds series by words\n"],
    ['obs XY*', "asof: series 'XY*' not found\n      no series id matches this pattern\n"],
  ])('asof %s', async (words, said) => {
    const { code, out, err } = await asof([...words.split(' '), '--store', store]);
    expect({ code, out, err: err.slice(0, said.length) }).toEqual({ code: 3, out: '', err: said });
  });
});

describe('with --json stderr is the problem document', () => {
  it('of an answer, with its request', async () => {
    const { code, out, err } = await asof(['obs', 'NOPE', '--json', '--store', store]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(JSON.parse(err)).toEqual({
      type: 'asof://local/errors/not-found',
      title: 'Not Found',
      status: 404,
      detail: "series 'NOPE' not found",
      instance: '/v1/series/NOPE/observations',
      request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
    });
  });

  it('of a usage error, with its flag and without a request', async () => {
    const { code, out, err } = await asof(['obs', 'GDP', '--as-of', 'x', '--json', '--store', store]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toEqual({
      type: 'about:blank',
      title: 'Bad Input',
      detail: '--as-of "x": use YYYY-MM-DD, today, yesterday, or a distance such as -30d or -5y',
      field: '--as-of',
    });
  });

  it.each([['--json'], ['-f json'], ['-fjson'], ['--format json'], ['--format=json']])(
    'of usage, however it was typed: %s',
    async (flags) => {
      const { code, err } = await asof(['ping', '--nonsense', ...flags.split(' ')]);
      expect(code).toBe(2);
      expect(JSON.parse(err)).toMatchObject({ title: 'Bad Input', detail: "unknown option '--nonsense'" });
    },
  );

  it('one for the first of several unknown series', async () => {
    const { code, out, err } = await asof(['obs', 'NOPE', 'GDP', 'NIL', '--json', '--store', store]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(JSON.parse(err).detail).toBe("series 'NOPE' not found");
  });
});

describe('a store that cannot be read exits 10 and is named', () => {
  const damaged = folder.write('damaged.db', 'SQLite format 3\0 and then nothing that makes sense');
  const text = folder.write('notes.txt', 'no store at all, but a text that is long enough to look at');

  it.each([
    ['missing', folder.path('missing.db'), 'there is no such file or folder'],
    ['a folder', folder.path('.'), 'it is not a file'],
    ['damaged', damaged, ''],
    ['a text', text, ''],
  ])('%s', async (_, path, reason) => {
    for (const line of [['obs', 'GDP'], ['facts', 'GDP'], ['ping'], ['import', '--log']]) {
      const flagged = await asof([...line, '--store', path]);
      expect({ code: flagged.code, out: flagged.out }).toEqual({ code: 10, out: '' });
      expect(flagged.err).toMatch(/^asof: /);
      expect(flagged.err).toContain(path);
      expect(flagged.err).toContain(reason);
      expect(flagged.err).not.toContain('ASOF_STORE');
    }
  });

  it('also where the damage is found only while rows are read', async () => {
    const path = folder.path('partly.db');
    const bytes = readFileSync(samplePath());
    writeFileSync(path, bytes.fill(0xa5, 100 * 4096, 300 * 4096));
    const { code, err } = await asof(['obs', '*', '--limit', '1', '--store', path]);
    expect(code).toBe(10);
    expect(err).toContain(`cannot use the store ${path}: it is damaged`);
    expect(err).not.toContain('bug');
  });

  it('and ASOF_STORE is named if it set the path', async () => {
    const env = { ASOF_STORE: folder.path('missing.db') };
    for (const line of [['obs', 'GDP'], ['facts', 'GDP'], ['ping']]) {
      const { code, err } = await asof(line, { env });
      expect(code).toBe(10);
      expect(err).toContain('ASOF_STORE names this store');
    }
  });
});

describe('a place where no folder can be made exits 10 at once and is named', () => {
  it.each<readonly [line: string, env: Readonly<Record<string, string>>, said: string]>([
    [
      'import FACTS --store /proc/nope/x',
      {},
      'cannot create the store /proc/nope/x: there is no such folder',
    ],
    [
      'import FACTS',
      { ASOF_STORE: '/proc/nope/x/y/z.db' },
      'cannot create the store /proc/nope/x/y/z.db: there is no such folder',
    ],
    [
      'keys create --name ann --access /proc/nope/x',
      {},
      'cannot create the access store /proc/nope/x: there is no such folder',
    ],
    [
      'config set format csv',
      { ASOF_CONFIG_DIR: '/proc/nope/x' },
      'cannot write to /proc/nope/x/config.json: there is no such folder',
    ],
  ])('asof %s %j', async (line, env, said) => {
    const facts = folder.write('some-facts.csv', statements(['A,2020-01-01,2020-02-01,1']));
    const { code, out, err } = await asof(line.replace('FACTS', facts).split(' '), { env });
    expect({ code, out }).toEqual({ code: 10, out: '' });
    expect(err).toContain(`asof: ${said}`);
  });
});
