import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { manifestText } from '../../../src/snapshot/manifest.ts';
import { openStore } from '../../../src/store/open.ts';
import { asof, importedStore, linesOf, statements } from '../../support/command.ts';
import { newFolder, scratchFolder } from '../../support/folders.ts';
import { startService } from '../../support/modes.ts';
import { builtSample as samplePath } from '../../support/repository.ts';

vi.setConfig({ testTimeout: 60_000 });

const stores = newFolder();

let folder = '';
let out = '';
beforeEach(() => {
  folder = scratchFolder();
  out = join(folder, 'snap');
});

const file = (name: string) => join(out, name);
const read = (name: string) => readFileSync(file(name), 'utf8');
const manifest = () => JSON.parse(read('manifest.json'));
const unlink = (name: string) => unlinkSync(file(name));
const putPipe = (name: string) => {
  unlink(name);
  expect(spawnSync('sh', ['-c', 'mkfifo "$0"', file(name)]).status).toBe(0);
};
const inodes = () =>
  Object.fromEntries(readdirSync(out).map((name) => [name, statSync(file(name)).ino] as const));
const runsBeside = () => readdirSync(folder).filter((name) => /^\.snap\.\d/.test(name));

function plan(...lines: readonly string[]): string {
  const path = join(folder, 'plan.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** Takes a snapshot, by default of the shipped sample. */
const snapshot = (lines: readonly string[], ...flags: readonly string[]) =>
  asof(['snapshot', plan(...lines), '--out', out, ...flags]);
const verify = (...flags: readonly string[]) => asof(['verify', out, ...flags]);

const success = { code: 0, out: '', err: '' };
/** The data of the sample end before the day on which the tests run. */
const outdated = { ...success, err: 'asof: GDP is covered to 2024-12-19\n' };

/** One line of every kind, as of a Sunday. */
const everyKind = [
  "gdp.csv  obs gdp 'GDPC*' --from 2014-01-01 --sort asc   # two of them",
  'first.ndjson observations GDP --first-release --from 2014-01-01',
  'own.tsv observations GDP --as-of 2014-12-31 --limit 3',
  'story.json revisions GDP --date 2008-10-01',
  'vintages.json vintages GDP',
  'diff.csv diff GDP 2009-07-30 2009-07-31',
  'panel.csv panel GDP PAYEMS --from 2014-01-01 --wide',
  'panel.json panel GDP --from 2014-07-01',
  'months.csv panel GDP PAYEMS --as-of-each month-end --from 2014-11-01',
  'curve.csv curve',
  'before.csv curve --on-or-before --type tips',
  'friday.csv curve --date 2015-01-30',
  'two.csv curve --vs 2014-01-31',
  'rates.csv yields --maturity 10Y --from 2015-01-28',
  'wide.txt yields --wide --from 2015-01-28',
  'spread.csv spread --from 2015-01-28',
  'filings.json insider filings --ticker MAIA --days 365',
  'clusters.json insider clusters --min-insiders 3',
];

describe('asof snapshot', () => {
  it('writes what its commands write as of one day, and with -q prints nothing', async () => {
    expect(await snapshot(everyKind, '--as-of', '2015-02-01', '-q')).toEqual(success);
    const names = everyKind.map((line) => line.split(' ')[0]);
    expect(readdirSync(out).sort()).toEqual([...names, 'manifest.json'].sort());
    // BEA published 17710.7 on Friday 30 January; the Treasury's ten-year rate of that day was 1.68.
    expect(read('gdp.csv')).toContain('\n2014-10-01,17710.7,2015-01-30,GDP,');
    expect(read('own.tsv')).toMatch(/\n2014-07-01\t17599\.8\t2014-12-23\tGDP\t/);
    expect(read('own.tsv')).not.toContain('2014-10-01');
    expect(read('months.csv')).toContain('\n2015-01-31,GDP,2014-10-01,17710.7,2015-01-30\n');
    expect(read('story.json')).not.toContain('2015-07-30');
    for (const name of ['curve.csv', 'friday.csv', 'rates.csv'])
      expect(read(name)).toContain('\n2015-01-30,10Y,1.68,PAR,');
    expect(
      linesOf(read('rates.csv'))
        .slice(1)
        .map((line) => line.slice(0, 10)),
    ).toEqual(['2015-01-30', '2015-01-29', '2015-01-28']);
  });

  it('gives each file the bytes that its recorded command gives, request ids aside', async () => {
    await snapshot(everyKind, '--as-of', '2015-02-01');
    const formats: Readonly<Record<string, string>> = { txt: 'table' };
    for (const { name, command } of manifest().files) {
      const extension = name.split('.')[1];
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
      const { code, out } = await asof([...words, '-f', formats[extension] ?? extension]);
      expect([name, code]).toEqual([name, 0]);
      expect(read(name)).toBe(out.replace(/^ {2}"request_id": .*\n/m, ''));
      expect(read(name)).not.toContain('req_');
    }
  });

  it('compresses a file whose name ends in .gz, to the same bytes every time, which verify unpacks', async () => {
    const line = 'observations GDP --from 2014-01-01';
    const plain = [`gdp.csv ${line}`, `gdp.csv.gz ${line}`];
    expect((await snapshot(plain, '--as-of', '2015-02-01')).code).toBe(0);
    expect(gunzipSync(readFileSync(file('gdp.csv.gz'))).toString()).toBe(read('gdp.csv'));
    expect(manifest().files.map(({ rows }: { rows: number }) => rows)).toEqual([4, 4]);
    const before = inodes();
    await snapshot(plain, '--as-of', '2015-02-01');
    expect(inodes()['gdp.csv.gz']).toBe(before['gdp.csv.gz']);
    expect((await verify()).code).toBe(0);
    unlink('gdp.csv.gz');
    writeFileSync(file('gdp.csv.gz'), gzipSync(read('gdp.csv').replace(',17710.7,', ',17710.8,')));
    const { code, out: found } = await verify();
    expect(code).toBe(1);
    expect(found).toMatch(/^gdp\.csv\.gz is changed: /);
    expect(found).toContain(
      'gdp.csv.gz differs from what its command gives, from line 2 on: "2014-10-01,17710.8,2015-01-30,',
    );
  });

  it('describes each file in the manifest', async () => {
    await snapshot(everyKind, '--as-of', '2015-02-01');
    const { as_of, source, files } = manifest();
    expect([as_of, source.sample]).toEqual(['2015-02-01', true]);
    for (const { name, bytes, sha256 } of files) {
      const content = readFileSync(file(name));
      expect([bytes, sha256]).toEqual([content.length, createHash('sha256').update(content).digest('hex')]);
    }
    const of = (wanted: string) => files.find(({ name }: { name: string }) => name === wanted);
    expect(of('own.tsv')).toMatchObject({
      command: 'observations GDP --as-of 2014-12-31 --limit 3',
      as_of: '2014-12-31',
      rows: 3,
    });
    expect(of('rates.csv')).toMatchObject({ as_of: '2015-02-01', rows: 3 });
    expect(of('panel.csv').rows).toBe(linesOf(read('panel.csv')).length - 1);
    expect(of('gdp.csv').command).toBe("obs gdp 'GDPC*' --from 2014-01-01 --sort asc --as-of 2015-02-01");
  });

  it('fails where one series of a line is unknown, and leaves it out with --skip-missing', async () => {
    const failed = await snapshot(['p.csv panel GDP NOPE --wide'], '--as-of', '2015-02-01');
    expect([failed.code, existsSync(out)]).toEqual([3, false]);
    expect(failed.err).toContain("line 1 (p.csv): series 'NOPE' not found");
    const lines = ['p.csv panel GDP NOPE --wide --skip-missing', 'o.csv obs GDP NOPE --skip-missing'];
    const { code, err } = await snapshot(lines, '--as-of', '2015-02-01');
    expect([code, linesOf(err)]).toEqual([
      0,
      ['p.csv', 'o.csv'].map((name) => `asof: ${name}: left out, because not found: NOPE`),
    ]);
    expect(linesOf(read('p.csv'))[0]).toBe('date,GDP');
    expect(await verify()).toEqual(success);
  });

  it('is by default of yesterday, the last day that is over in UTC', async () => {
    expect(await snapshot(['gdp.csv observations GDP'])).toEqual(outdated);
    expect(manifest().as_of).toBe('2026-03-14');
    expect(await snapshot(['gdp.csv observations GDP'], '--as-of', 'today')).toEqual(outdated);
    expect(manifest().as_of).toBe('2026-03-15');
  });

  it('prints one line with -v', async () => {
    const { err } = await snapshot(['a.csv obs GDP --limit 2', 'b.csv curve'], '--as-of', '2015-02-01', '-v');
    expect(err).toMatch(/^asof: \S+snap as of 2015-02-01: 2 files, 13 rows, 0 unchanged, \d+ ms\n$/);
  });

  it('shows progress on a terminal, and every request with --debug', async () => {
    const more = ['c', 'd', 'e', 'f'].map((name) => `${name}.csv obs GDP --all`);
    const line = ['snapshot', plan('a.csv obs GDP --limit 2', 'b.csv curve', ...more), '--out', out];
    const { err } = await asof(line, { stderrIsTerminal: true, columns: 60, pace: 300 });
    const shown = err.split('\r\u001B[K');
    expect(shown.at(-1)).toBe(`${outdated.err}asof: the PAR curve is covered to 2025-12-31\n`);
    expect(shown.at(-2)).toMatch(/^\[#+\.*\] [345] of 6\b.*, [def]\.csv$/);
    const debug = (await asof([...line, '--debug'])).err;
    expect(debug).toContain('asof: observations id=GDP as_of=2026-03-14 limit=2: 2 rows');
    expect(debug.match(/^asof: yields limit=1 to=2026-03-14: 1 rows/gm)).toHaveLength(1);
  });

  it('names the imports that made its store, as their log does', async () => {
    const store = await importedStore(stores);
    await snapshot(['gdp.csv obs GDP'], '--store', store);
    const log = (await asof(['import', '--log', '--store', store])).out;
    expect(manifest().source).toEqual({
      store,
      imports: linesOf(log).length - 1,
      imports_sha256: createHash('sha256').update(log).digest('hex'),
    });
  });

  it('gets the same bytes from a service, and does not reveal the key', async () => {
    const { url, key, stop } = await startService({ openStore: () => openStore(samplePath) });
    try {
      await snapshot(everyKind, '--as-of', '2015-02-01');
      const own = manifest().files;
      const flags = ['--as-of', '2015-02-01', '--base-url', url, '-q'];
      const line = ['snapshot', plan(...everyKind), '--out', out, ...flags];
      expect(await asof(line, { env: { ASOF_API_KEY: key } })).toEqual(success);
      expect(manifest().files).toEqual(own);
      expect(manifest().source).toEqual({ service: url });
      for (const name of readdirSync(out)) expect(read(name)).not.toContain(key);
      const verified = ['verify', out, '--base-url', url, '-v'];
      const { code, err } = await asof(verified, { env: { ASOF_API_KEY: key } });
      expect([code, err]).toEqual([0, expect.stringContaining('as their commands give them')]);
    } finally {
      await stop();
    }
  });
});

describe('a snapshot that is taken again', () => {
  const lines = ['gdp.csv observations GDP', 'curve.json curve'];

  it('of the same day and data is another folder of the same files', async () => {
    await snapshot(lines, '--as-of', '2015-02-01');
    const [before, target] = [inodes(), readlinkSync(out)];
    expect((await snapshot(lines, '--as-of', '2015-02-01', '-v')).err).toContain('2 unchanged');
    expect(inodes()).toEqual(before);
    expect(readlinkSync(out)).not.toBe(target);
  });

  it('of new data links the files that did not change, and no others', async () => {
    const store = await importedStore(newFolder());
    const some = ['gdp.csv observations GDP', 'rate.csv observations UNRATE'];
    await snapshot(some, '--store', store);
    const before = inodes();
    const more = join(folder, 'more.csv');
    writeFileSync(more, statements(['GDP,2015-01-01,2015-04-29,17710.0']));
    await asof(['import', more, '--store', store]);
    await snapshot(some, '--store', store);
    const after = inodes();
    expect(after['rate.csv']).toBe(before['rate.csv']);
    expect(after['gdp.csv']).not.toBe(before['gdp.csv']);
    expect(after['manifest.json']).not.toBe(before['manifest.json']);
    expect(read('gdp.csv')).toContain('2015-01-01,17710.0');
  });

  it('does not link to a damaged file', async () => {
    await snapshot(lines, '--as-of', '2015-02-01');
    const whole = read('gdp.csv');
    writeFileSync(file('gdp.csv'), whole.replace('17710.7', '17710.8'));
    await snapshot(lines, '--as-of', '2015-02-01');
    expect(read('gdp.csv')).toBe(whole);
  });

  it('keeps the previous run for its readers, and no older one', async () => {
    const targets: string[] = [];
    for (const day of ['2015-02-01', '2015-02-02', '2015-02-03']) {
      await snapshot(lines, '--as-of', day);
      targets.push(readlinkSync(out));
    }
    expect(runsBeside().sort()).toEqual(targets.slice(1).sort());
    expect(readdirSync(folder).sort()).toEqual(
      [...targets.slice(1), '.snap.lock', 'plan.txt', 'snap'].sort(),
    );
  });

  it('removes what a killed run left, and no other file', async () => {
    const half = ['.snap.2015-01-01-0123456789ab', '.snap.link'];
    const others = ['.snap.2015-01-01', '.snap.a.2015-01-01-0123456789ab', '.snapx.2015-01-01-0123456789ab'];
    for (const name of [...half, ...others]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, half[0] ?? '', '.gdp.csv.1.part'), 'half');
    writeFileSync(join(folder, others[0] ?? '', 'mine.txt'), 'mine');
    // asof leaves a link with this name, never a folder: it does not remove a folder, and names it in the error.
    const { code, err } = await snapshot(lines, '--as-of', '2015-02-01');
    expect([code, err]).toEqual([10, expect.stringContaining('.snap.link')]);
    rmdirSync(join(folder, '.snap.link'));
    symlinkSync('.snap.2015-01-01-0123456789ab', join(folder, '.snap.link'));
    expect(await snapshot(lines, '--as-of', '2015-02-01')).toEqual(success);
    const left = readdirSync(folder);
    for (const name of others) expect(left).toContain(name);
    for (const name of half) expect(left).not.toContain(name);
  });

  it('removes leftovers before it needs the space, even if it then fails', async () => {
    mkdirSync(join(folder, '.snap.2015-01-01-0123456789ab'));
    expect((await snapshot(['none.csv obs NONE'])).code).toBe(3);
    expect(runsBeside()).toEqual([]);
  });

  it('has only the files that the plan names now', async () => {
    await snapshot(lines, '--as-of', '2015-02-01');
    await snapshot(lines.slice(1), '--as-of', '2015-02-01');
    expect(readdirSync(out).sort()).toEqual(['curve.json', 'manifest.json']);
  });
});

describe('a line that has no place in a plan fails before anything is written', () => {
  it.each<readonly [line: string, said: string]>([
    ['ping', "'ping' cannot be bound to what was known on a date"],
    ['series search GDP', "'series search' cannot be bound to what was known on a date"],
    ['series show GDP', "'series show' cannot be bound to what was known on a date"],
    ['series', "'series' is not a command that reads data"],
    ['import x.csv', "'import x.csv' is not a command that reads data"],
    ['import --log', "'import --log' is not a command that reads data"],
    ['serve', "'serve' is not a command that reads data"],
    ['facts GDP', "'facts GDP' is not a command that reads data"],
    ['keys list', "'keys list' is not a command that reads data"],
    ['config list', "'config list' is not a command that reads data"],
    ['auth status', "'auth status' is not a command that reads data"],
    ['snapshot p --out x', "'snapshot p --out x' is not a command that reads data"],
    ['verify x', "'verify x' is not a command that reads data"],
    ['help', "'help' is not a command that reads data"],
    ['obs GDP --help', "'obs GDP --help' is not a command that reads data"],
    ['--version', "'--version' is not a command that reads data"],
    ['asof obs GDP', "every command of a plan is an asof command: leave out 'asof'"],
    ['obs -- GDP', "'--' has no place in a plan"],
    ['obs', "missing required argument 'id'"],
    ['obsevations GDP', "unknown command 'obsevations' (did you mean observations?)"],
    ['obs GDP --bogus', "unknown option '--bogus'"],
    ['obs GDP -o x.csv', '--output has no place in a plan: the line starts with the name of its file'],
    ['obs GDP --store x', '--store has no place in a plan: it is a flag of the snapshot as a whole'],
    ['obs GDP --base-url http://x', '--base-url has no place in a plan'],
    ['obs GDP --timeout 3', '--timeout has no place in a plan'],
    ['obs GDP -q', '--quiet has no place in a plan'],
    ['obs GDP --debug', '--debug has no place in a plan'],
    ['obs GDP --cursor x', '--cursor has no place in a plan'],
    ['obs GDP --known-before 2015-01-01', '--known-before has no place in a plan'],
    ['diff GDP 2015-01-01 2015-01-02 --exit-code', '--exit-code has no place in a plan'],
    ['panel GDP --dry-run', '--dry-run has no place in a plan'],
    ['obs GDP --as-of today', "'today' has no place in a plan"],
    ['yields --to today', "'today' has no place in a plan"],
    ['yields --from -30d', "'-30d' has no place in a plan"],
    ['panel GDP --as-of-each day --from 2015-01-01 --to today', "'today' has no place in a plan"],
    ['diff GDP today 2015-01-01', "'today' has no place in a plan"],
    [
      'obs GDP --as-of 2015-02-02',
      '--as-of 2015-02-02 is later than 2015-02-01, the as-of date of the snapshot',
    ],
    ['revisions GDP --date 2014-01-01 --as-of 2015-02-02', '--as-of 2015-02-02 is later'],
    ['panel GDP --as-of 2015-02-02', '--as-of 2015-02-02 is later'],
    ['panel GDP --as-of-each day --from 2015-01-01 --to 2015-02-02', '--to 2015-02-02 is later'],
    ['diff GDP 2015-02-02 2015-01-01', 'the first date 2015-02-02 is later'],
    ['diff GDP 2015-01-01 2015-02-02', 'the second date 2015-02-02 is later'],
    ['vintages GDP --to 2015-02-02', '--to 2015-02-02 is later'],
    ['curve --date 2015-02-02', '--date 2015-02-02 is later'],
    ['curve --date 2015-01-30 --vs 2015-02-02', '--vs 2015-02-02 is later'],
    ['curve --date 2015-01-30 --vs 2015-02-02 --on-or-before', '--vs 2015-02-02 is later'],
    ['yields --to 2015-02-02', '--to 2015-02-02 is later'],
    ['yields --from 2015-02-02', '--from 2015-02-02 is later'],
    ['spread --to 2015-02-02', '--to 2015-02-02 is later'],
    ['insider filings --to 2015-02-02', '--to 2015-02-02 is later'],
    ['insider clusters --from 2015-02-02', '--from 2015-02-02 is later'],
    ['obs GDP --as-of 2015-02-30', '--as-of "2015-02-30": there is no such date'],
    ['obs GDP --from 2015-01-02 --to 2015-01-01', '--from 2015-01-02 is after --to 2015-01-01'],
    ['obs GDP --columns date,valu', "unknown column 'valu'"],
    ['obs GDP -f cvs', '--format "cvs": use table'],
    ['spread --long 9Y', '--long "9Y": use 1M, 1.5M'],
    ['curve --type tops', '--type "tops": use PAR or TIPS'],
    ['panel GDP --as-of-each month-end', '--as-of-each needs --from and --to'],
  ])('%s', async (line, said) => {
    const { code, out, err } = await snapshot(
      ['good.csv obs GDP', `bad.csv ${line}`],
      '--as-of',
      '2015-02-01',
    );
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`plan.txt line 2: ${said}`);
    expect(err).toMatch(/; nothing was written\n$/);
    expect(linesOf(err)).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['plan.txt']);
  });

  it.each([
    ['a', 'the name a has no format'],
    ['a.dat', 'asof writes no .dat files'],
    ['a.ods', 'asof writes no .ods files'],
  ])('a file name without a format that asof writes: %s', async (name, said) => {
    const { code, err } = await snapshot([`${name} obs GDP`]);
    expect([code, err]).toEqual([2, expect.stringContaining(`line 1: ${said}`)]);
  });

  it('but periods may be after the day, and a format may be named', async () => {
    const lines = [
      'a.dat obs GDP --from 2014-01-01 --to 2030-12-31 --csv',
      'b.csv panel GDP --to 2030-12-31',
      'c.csv revisions GDP --date 2030-01-01',
      'd.csv diff GDP 2015-01-01 2015-02-01 --to 2030-12-31',
    ];
    expect(await snapshot(lines, '--as-of', '2015-02-01')).toEqual(success);
    expect(linesOf(read('a.dat'))[1]).toMatch(/^2014-10-01,17710\.7,/);
  });

  it('and no environment variable changes that', async () => {
    const line = ['snapshot', plan('a.csv obs GDP', 'b.txt obs GDP --limit 1'), '--out', out];
    const env = { ASOF_FORMAT: 'json', COLUMNS: '40' };
    expect(await asof([...line, '--as-of', '2015-02-01'], { env })).toEqual(success);
    expect(read('a.csv')).toMatch(/^date,value,/);
    expect(read('b.txt')).toMatch(/^date +value +as_of_date/);
  });

  it.each(['40', '200', ''])(
    'a chart in text is 80 wide, and verified so, where COLUMNS is "%s"',
    async (columns) => {
      const line = ['snapshot', plan('a.txt obs UNRATE --plot'), '--out', out, '--as-of', '2015-02-01'];
      expect(await asof(line, { env: { COLUMNS: columns } })).toEqual({
        ...success,
        err: 'asof: UNRATE is sampled: this is 2014-11-15; what was published since then may be missing\n',
      });
      expect(Math.max(...linesOf(read('a.txt')).map(({ length }) => length))).toBe(80);
      expect(await asof(['verify', out], { env: { COLUMNS: '60' } })).toEqual(success);
      expect(await verify()).toEqual(success);
    },
  );
});

describe('a line that fails when it runs leaves the snapshot as it was', () => {
  it.each([
    ['obs GDPX', 3, "series 'GDPX' not found (did you mean GDP or GDPC1?; request req_"],
    ['obs GDP NOPE', 3, "series 'NOPE' not found"],
    ['panel GDP NOPE', 3, "series 'NOPE' not found"],
    ['obs GDP --from 2030-01-01 --fail-empty', 9, 'it has no rows'],
  ])('%s', async (line, code, said) => {
    const lines = ['a.csv obs GDP', `b.csv ${line}`];
    const first = await snapshot(lines);
    expect([first.code, first.err]).toEqual([code, expect.stringContaining('; nothing was written\n')]);
    expect(existsSync(out)).toBe(false);
    await snapshot(['a.csv obs GDP']);
    const before = readlinkSync(out);
    const { err } = await snapshot(lines);
    expect(err).toContain(`plan.txt line 2 (b.csv): ${said}`);
    expect(err).toMatch(/; \S*snap is as it was\n$/);
    expect(linesOf(err)).toHaveLength(1);
    expect([readlinkSync(out), runsBeside()]).toEqual([before, [before]]);
    expect(await verify()).toEqual(success);
  });
});

describe('a snapshot replaces nothing but a snapshot', () => {
  const lines = ['a.csv obs GDP'];

  it.each<readonly [what: string, make: () => void, said: string]>([
    ['a file', () => writeFileSync(out, 'mine'), 'it is a file'],
    [
      'a folder with something in it',
      () => {
        mkdirSync(out);
        writeFileSync(file('mine.txt'), 'mine');
      },
      'it is a folder with something in it',
    ],
    ['a link to elsewhere', () => symlinkSync('/tmp', out), 'it is a link to /tmp, which is not a snapshot'],
    ['a link to nothing', () => symlinkSync('gone', out), 'it is a link to gone, which is not a snapshot'],
    [
      'a link to the run of another',
      () => symlinkSync('.other.2015-01-01-0123456789ab', out),
      'which is not a snapshot',
    ],
  ])('%s', async (_, make, said) => {
    make();
    const before = lstatSync(out).ino;
    const { code, err } = await snapshot(lines);
    expect([code, err]).toEqual([10, expect.stringContaining(said)]);
    expect(lstatSync(out).ino).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(['plan.txt', 'snap']);
  });

  it.each([
    ['', '"": it is not the name of a folder'],
    ['/', '"/": it is not the name of a folder'],
    ['nowhere/snap', 'there is no folder'],
  ])('--out %j', async (name, said) => {
    const { code, err } = await asof(['snapshot', plan(...lines), '--out', name]);
    expect([code, err]).toEqual([10, expect.stringContaining(said)]);
  });

  it('except an empty folder, and a link whose run is gone', async () => {
    mkdirSync(out);
    expect(await snapshot(lines)).toEqual(outdated);
    expect(lstatSync(out).isSymbolicLink()).toBe(true);
    rmSync(join(folder, readlinkSync(out)), { recursive: true });
    expect(await snapshot(lines)).toEqual(outdated);
    expect(await verify()).toEqual(success);
  });

  it.each<readonly [name: string, make: (path: string) => void, reason: string]>([
    ['none', () => undefined, 'there is no such file or folder'],
    ['folder', (path) => mkdirSync(path), 'it is a folder'],
    ['loop', (path) => symlinkSync(path, path), 'its symbolic links form a loop'],
    ['plan.txt/in', () => plan('x'), 'a part of the path is not a folder'],
  ])('a plan that cannot be read is exit 10: %s', async (name, make, reason) => {
    const path = join(folder, name);
    make(path);
    expect(await asof(['snapshot', path, '--out', out])).toEqual({
      code: 10,
      out: '',
      err: `asof: cannot read the plan ${path}: ${reason}; nothing was written\n`,
    });
  });
});

describe('asof snapshot --dry-run', () => {
  it('prints what it would run and write, and writes nothing', async () => {
    const lines = ["a.csv obs 'GD*' GDP", 'b.csv curve', 'c.csv yields --to 2015-01-30'];
    const { code, out: said, err } = await snapshot(lines, '--as-of', '2015-02-01', '--dry-run');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(linesOf(said)).toEqual([
      "a.csv: asof obs 'GD*' GDP --as-of 2015-02-01",
      'b.csv: asof curve --date 2015-02-01 --on-or-before',
      'c.csv: asof yields --to 2015-01-30',
      'manifest.json: the commands and checksums of these files, as of 2015-02-01',
      `${out} would contain these files`,
    ]);
    expect(readdirSync(folder)).toEqual(['plan.txt']);
  });

  it('refuses what a run refuses', async () => {
    expect((await snapshot(['a.csv ping'], '--dry-run')).code).toBe(2);
    writeFileSync(out, 'mine');
    expect((await snapshot(['a.csv obs GDP'], '--dry-run')).code).toBe(10);
  });
});

describe('asof verify', () => {
  const lines = ['gdp.csv obs GDP', 'curve.json curve', 'rates.csv yields --maturity 10Y'];
  beforeEach(async () => {
    expect(await snapshot(lines, '--as-of', '2015-02-01')).toEqual(success);
  });

  it('accepts a new snapshot, and prints nothing', async () => {
    expect(await verify()).toEqual(success);
    expect((await verify('-v')).err).toMatch(
      /^asof: \S+snap as of 2015-02-01: 3 files as recorded, and as their commands give them\n$/,
    );
  });

  it.each<readonly [what: string, damage: () => void, found: readonly string[]]>([
    ['a missing file', () => unlink('curve.json'), ['curve.json is missing']],
    [
      'a changed file, with its first differing line',
      () => writeFileSync(file('gdp.csv'), read('gdp.csv').replace(',17710.7,', ',17710.8,')),
      [
        'gdp.csv is changed: its SHA-256 is another',
        'gdp.csv differs from what its command gives, from line 2 on: "2014-10-01,17710.8,2015-01-30,GDP,Billions of Dollars,Q,FRED" here, "2014-10-01,17710.7,2015-01-30,GDP,Billions of Dollars,Q,FRED" there',
      ],
    ],
    [
      'a file that was cut',
      () => writeFileSync(file('gdp.csv'), read('gdp.csv').split('\n').slice(0, 3).join('\n').concat('\n')),
      [
        expect.stringMatching(/^gdp\.csv is changed: \d+ bytes, not \d+$/),
        expect.stringMatching(/^gdp\.csv differs .* from line 4 on: "" here, "2014-04-01,17328\.2,/),
      ] as unknown as string[],
    ],
    ['an additional file', () => writeFileSync(file('mine.txt'), ''), ['mine.txt is not in the manifest']],
    [
      'a folder in the place of a file',
      () => {
        unlink('curve.json');
        mkdirSync(file('curve.json'));
      },
      ['curve.json is not a regular file'],
    ],
    [
      'a link in the place of a file',
      () => {
        writeFileSync(join(folder, 'elsewhere'), read('curve.json'));
        unlink('curve.json');
        symlinkSync(join(folder, 'elsewhere'), file('curve.json'));
      },
      ['curve.json is not a regular file'],
    ],
    // Opening a pipe without a writer would block for ever.
    ['a pipe in the place of a file', () => putPipe('gdp.csv'), ['gdp.csv is not a regular file']],
    [
      'a pipe in the place of the manifest',
      () => putPipe('manifest.json'),
      ['manifest.json is not a regular file'],
    ],
    [
      'a link in the place of the manifest',
      () => {
        writeFileSync(join(folder, 'elsewhere'), read('manifest.json'));
        unlink('manifest.json');
        symlinkSync(join(folder, 'elsewhere'), file('manifest.json'));
      },
      ['manifest.json is not a regular file'],
    ],
    [
      'a damaged manifest',
      () => writeFileSync(file('manifest.json'), read('manifest.json').replace('"rows": 11', '"rows": 12')),
      ['manifest.json is damaged'],
    ],
    [
      'a manifest that was cut',
      () => writeFileSync(file('manifest.json'), read('manifest.json').slice(0, 300)),
      ['manifest.json is damaged'],
    ],
  ])('reports %s', async (_, damage, found) => {
    damage();
    const { code, out: said, err } = await verify();
    expect(code).toBe(1);
    expect(linesOf(said)).toEqual(found);
    expect(err).toMatch(/^asof: \S+snap differs from its manifest or its data: [\w., ]+\n$/);
    expect((await verify('-q')).err).toBe('');
  });

  it('reports where later data differ about the day', async () => {
    const store = await importedStore(newFolder());
    await snapshot(['gdp.csv obs GDP', 'rate.csv obs UNRATE'], '--as-of', '2015-02-01', '--store', store);
    expect(await verify()).toEqual(success);
    const more = join(folder, 'more.csv');
    writeFileSync(
      more,
      statements(['GDP,2014-04-01,2014-07-30,17294.7', 'GDP,2014-04-01,2015-07-30,17285.6']),
    );
    await asof(['import', more, '--store', store]);
    expect(await verify()).toMatchObject({
      code: 1,
      out: 'gdp.csv is not what its command gives now, from line 4 on: "" here, "2014-04-01,17294.7,2014-07-30,GDP,,Q," there\n',
    });
  });

  it.each<readonly [what: string, make: () => string]>([
    ['it does not exist', () => join(folder, 'none')],
    ['it is a file', () => plan('x')],
  ])('exits with 10 if %s', async (_, make) => {
    const { code, out: said, err } = await asof(['verify', make()]);
    expect([code, said]).toEqual([10, '']);
    expect(err).toMatch(/^asof: cannot read \S+: [^\n]+\n$/);
  });

  it('exits with 10 if a folder is not a snapshot, and says so', async () => {
    const { code, err } = await asof(['verify', folder]);
    expect([code, err]).toEqual([
      10,
      `asof: ${realpathSync(folder)} is not a snapshot: it has no manifest.json\n`,
    ]);
  });

  /** Replaces the manifest with a changed one whose sum is right. */
  function forge(change: (first: Record<string, unknown>) => void) {
    const { format: _, manifest_sha256: __, ...content } = manifest();
    change(content.files[0]);
    unlink('manifest.json');
    writeFileSync(file('manifest.json'), manifestText(content));
  }

  it('exits with 2, and runs nothing, if a manifest names what no plan could', async () => {
    const target = join(folder, 'made.db');
    const csv = join(folder, 'made.csv');
    writeFileSync(csv, statements(['X,2015-01-01,2015-01-02,1']));
    forge((first) => {
      first.command = `import ${csv} --store ${target}`;
    });
    const { code, err } = await verify();
    expect([code, err]).toEqual([
      2,
      `asof: gdp.csv: 'import ${csv} --store ${target}' is not a command that reads data\n`,
    ]);
    expect(existsSync(target)).toBe(false);
  });

  it('names the file whose recorded command cannot be read', async () => {
    forge((first) => {
      first.command = 'obs "GDP';
    });
    expect(await verify()).toEqual({
      ...success,
      code: 2,
      err: 'asof: gdp.csv: a quote is not closed: "GDP\n',
    });
  });

  it.each([
    [{ rows: 99 }, /^gdp\.csv has \d+ rows by its command, not 99\n$/],
    [{ as_of: '2014-12-31' }, /^gdp\.csv is as of 2015-02-01 by its command, not 2014-12-31\n$/],
  ])('reports where the manifest misstates the result of its command: %j', async (wrong, found) => {
    forge((first) => Object.assign(first, wrong));
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringMatching(found) });
  });

  it('reports on the files even if the data cannot be read', async () => {
    appendFileSync(file('gdp.csv'), 'x');
    const { code, out: said, err } = await verify('--store', join(folder, 'none.db'));
    expect([code, said]).toEqual([10, expect.stringMatching(/^gdp\.csv is changed: \d+ bytes, not \d+\n$/)]);
    expect(err).toMatch(
      /^asof: cannot open the store \S+none\.db: there is no such file or folder \(`asof import` makes a store/,
    );
  });

  it('says "1 file" of a single file', async () => {
    await snapshot(['gdp.csv obs GDP'], '--as-of', '2015-02-01');
    expect((await verify('-v')).err).toContain(': 1 file as recorded, and');
  });
});

describe('asof verify runs the commands again on', () => {
  const env = (store: string) => ({ env: { ASOF_STORE: store } });

  async function changedStore(): Promise<string> {
    const store = await importedStore(newFolder());
    const more = join(folder, 'more.csv');
    writeFileSync(more, statements(['GDP,2014-04-01,2014-07-30,17294.7']));
    await asof(['import', more, '--store', store]);
    return store;
  }

  it('the store that the snapshot came from, unless another is named', async () => {
    const [store, other] = [await importedStore(newFolder()), await changedStore()];
    await snapshot(['gdp.csv obs GDP'], '--as-of', '2015-02-01', '--store', store);
    expect((await verify()).code).toBe(0);
    expect((await verify('--store', other)).code).toBe(1);
    expect((await asof(['verify', out], env(other))).code).toBe(1);
    expect((await asof(['verify', out, '--store', store], env(other))).code).toBe(0);
  });

  it('the sample if it came from that, even if there is a store by now', async () => {
    const home = join(folder, 'home');
    const line = ['snapshot', plan('gdp.csv obs GDP'), '--out', out, '--as-of', '2015-02-01'];
    await asof(line, { env: { HOME: home } });
    const facts = join(folder, 'f.csv');
    writeFileSync(facts, statements(['GDP,2014-04-01,2014-07-30,1']));
    await asof(['import', facts], { env: { HOME: home } });
    expect(await asof(['verify', out], { env: { HOME: home } })).toEqual(success);
  });

  it('nothing if there is no source, and says so', async () => {
    const stores = newFolder();
    const store = await importedStore(stores);
    await snapshot(['gdp.csv obs GDP'], '--as-of', '2015-02-01', '--store', store);
    rmSync(store);
    const said = 'asof: no store or service to compare with: only the files were read\n';
    expect(await verify()).toEqual({ ...success, err: said });
    appendFileSync(file('gdp.csv'), 'x');
    expect((await verify()).code).toBe(1);
  });

  it('a service only if the user names it, never because a manifest does', async () => {
    const { url, key, stop } = await startService({ openStore: () => openStore(samplePath) });
    const line = ['snapshot', plan('gdp.csv obs GDP'), '--out', out, '--base-url', url];
    await asof(line, { env: { ASOF_API_KEY: key } });
    await stop();
    expect((await verify()).err).toContain('only the files were read');
    expect((await verify('--base-url', url, '--retries', '0')).code).toBe(7);
  });
});
