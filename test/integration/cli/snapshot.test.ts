import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { wordsOf } from '../../../src/snapshot/plan.ts';
import { openLock, openStore } from '../../../src/store/open.ts';
import { asof, importedStore, linesOf, statements } from '../../support/command.ts';
import { newFolder, scratchFolder } from '../../support/folders.ts';
import { type Running, startService } from '../../support/modes.ts';
import { problem, proxyOf } from '../../support/service-double.ts';

/** The milliseconds of each wait of a timer, which ends a hundred times sooner. */
const waits: number[] = [];

vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const setTimeout = (ms: number, ...more: [undefined, object]) => {
    waits.push(ms);
    return real.setTimeout(ms / 100, ...more);
  };
  return { ...real, setTimeout };
});

const day = '2015-02-01';
let store = '';
let service: Running;
beforeAll(async () => {
  store = await importedStore(newFolder());
  service = await startService({ openStore: () => openStore(samplePath()) });
});
afterAll(() => service.stop());

let folder = '';
let out = '';
const use = (root: string) => {
  folder = root;
  out = join(root, 'snap');
};
beforeEach(() => use(scratchFolder()));

const file = (name: string) => join(out, name);
const read = (name: string) => readFileSync(file(name), 'utf8');
const manifest = () => JSON.parse(read('manifest.json'));
const inode = (name: string) => statSync(file(name)).ino;
const runs = () => readdirSync(folder).filter((name) => /^\.snap\.\d/.test(name));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const plan = (lines: readonly string[]) => write('plan.txt', `${lines.join('\n')}\n`);

/** Takes a snapshot as of the day, by default of the shipped sample. */
const snapshot = (lines: readonly string[], ...flags: readonly string[]) =>
  asof(['snapshot', plan(lines), '--out', out, '--as-of', day, ...flags]);
const remote = (lines: readonly string[], url: string, ...flags: readonly string[]) =>
  asof(['snapshot', plan(lines), '--out', out, '--as-of', day, '-q', '--base-url', url, ...flags], {
    env: { ASOF_API_KEY: service.key },
  });
const verify = (...flags: readonly string[]) => asof(['verify', out, ...flags]);

const success = { code: 0, out: '', err: '' };

/** One line of every kind. */
const everyKind = [
  "gdp.csv  obs gdp 'GDPC*' --from 2014-01-01 --sort asc   # two of them",
  'first.ndjson observations GDP --first-release --from 2014-01-01',
  'own.tsv observations GDP --as-of 2014-12-31 --limit 3',
  'story.json revisions GDP --date 2008-10-01',
  'vintages.json vintages GDP',
  'diff.csv diff GDP 2009-07-30 2009-07-31',
  'panel.csv panel GDP PAYEMS --from 2014-01-01 --wide',
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

describe('a snapshot of lines of every kind', () => {
  const shared = scratchFolder();
  beforeAll(async () => {
    use(shared);
    expect(await snapshot(everyKind, '-q')).toEqual(success);
  });
  beforeEach(() => use(shared));

  it('has what was known on a Sunday', () => {
    // BEA published 17710.7 on Friday 30 January; the Treasury's ten-year rate of that day was 1.68.
    expect(read('gdp.csv')).toContain('\n2014-10-01,17710.7,2015-01-30,GDP,');
    expect(read('own.tsv')).toMatch(/\n2014-07-01\t17599\.8\t2014-12-23\tGDP\t/);
    expect(read('own.tsv')).not.toContain('2014-10-01');
    expect(read('months.csv')).toContain('\n2015-01-31,GDP,2014-10-01,17710.7,2015-01-30\n');
    expect(read('story.json')).not.toContain('2015-07-30');
    for (const name of ['curve.csv', 'friday.csv', 'rates.csv'])
      expect(read(name)).toContain('\n2015-01-30,10Y,1.68,PAR,');
    const dates = linesOf(read('rates.csv')).map((line) => line.slice(0, 10));
    expect(dates).toEqual(['trade_date', '2015-01-30', '2015-01-29', '2015-01-28']);
  });

  it('has the bytes that the recorded commands give, request ids aside', async () => {
    const formats: Readonly<Record<string, string>> = { txt: 'table' };
    for (const { name, command } of manifest().files) {
      const extension = name.split('.')[1];
      const { code, out } = await asof([...wordsOf(command), '-f', formats[extension] ?? extension]);
      expect([name, code]).toEqual([name, 0]);
      expect(read(name)).toBe(out.replace(/^ {2}"request_id": .*\n/m, ''));
      expect(read(name)).not.toContain('req_');
    }
  });

  it('describes each file in the manifest', () => {
    const { as_of, source, files } = manifest();
    expect([as_of, source.sample]).toEqual([day, true]);
    const names = everyKind.map((line) => line.split(' ')[0]);
    expect(files.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(readdirSync(out).sort()).toEqual([...names, 'manifest.json'].sort());
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
    expect(of('rates.csv')).toMatchObject({ as_of: day, rows: 3 });
    expect(of('panel.csv').rows).toBe(linesOf(read('panel.csv')).length - 1);
    expect(of('gdp.csv').command).toBe("obs gdp 'GDPC*' --from 2014-01-01 --sort asc --as-of 2015-02-01");
  });

  it('has the same bytes of a service, does not reveal the key, and is no reason for verify to ask the service', async () => {
    const own = manifest().files;
    use(scratchFolder());
    expect(await remote(everyKind, service.url)).toEqual(success);
    expect(manifest()).toMatchObject({ files: own, source: { service: service.url } });
    for (const name of readdirSync(out)) expect(read(name)).not.toContain(service.key);
    const env = { ASOF_API_KEY: service.key, ASOF_BASE_URL: service.url };
    const { code, err } = await asof(['verify', out, '-v'], { env });
    expect([code, err]).toEqual([0, expect.stringContaining('as their commands give them')]);
    expect((await verify()).err).toContain('only the files were read');
  });
});

describe('a snapshot of a service', () => {
  it('asks for what is written, and at the end whether it changed; a note comes once', async () => {
    const { url, asked } = await proxyOf(service, () => undefined);
    const lines = ['a.csv obs GDP GDPC1 --limit 3', 'b.csv panel UNRATE GDPC1 --from 2014-01-01'];
    const told = ['GDPC1', 'UNRATE'].map(
      (id) =>
        `asof: ${id} is sampled: values are from the sample of 2014-11-15; later publications may be missing\n`,
    );
    const dated =
      'asof: vintages are dated differently: GDP by the day of publication; GDPC1 by the middle of a month or quarter\n';
    const line = ['snapshot', plan(lines), '--out', out, '--as-of', day, '--base-url', url];
    const { code, err } = await asof(line, { env: { ASOF_API_KEY: service.key } });
    expect([code, err]).toEqual([0, told.join(dated)]);
    expect(asked.map((request) => /series\/(\w+(?:\/obs)?)/.exec(request.url ?? '')?.[1])).toEqual([
      // The note on how vintages are dated asks what those of samples mean.
      ...['GDP/obs', 'GDPC1/obs', 'GDPC1', 'UNRATE/obs', 'GDPC1/obs', 'UNRATE', 'GDPC1'],
      'GDP/obs',
    ]);
  });

  const tooMany = 'daily limit of 5 requests exceeded';
  it.each<readonly [code: number, what: string, fail: (answer: ServerResponse) => void, said: string]>([
    [7, 'breaks off', (answer) => answer.destroy(), 'cannot reach'],
    [
      6,
      'has no requests left',
      (answer) => problem(answer, 429, 'rate-limit-exceeded', tooMany, {}, { 'retry-after': '3600' }),
      `${tooMany} (try again in 3600 s; --max-wait 3600 waits for it; request req_1); `,
    ],
  ])('ends with %i where the service %s, and says at which line', async (code, _, fail, said) => {
    await snapshot(['a.csv obs GDP']);
    const before = readlinkSync(out);
    const { url } = await proxyOf(service, (path, _number, answer) => {
      if (path.includes('/yields')) fail(answer);
    });
    const ended = await remote(['a.csv obs GDP', 'b.csv spread'], url, '--retries', '0', '--max-wait', '0');
    expect(ended).toEqual({ code, out: '', err: expect.stringContaining(said) });
    expect(ended.err).toMatch(/^asof: \S+plan\.txt line 2 \(b\.csv\): \S[^\n]*; \S+snap is unchanged\n$/);
    expect([readlinkSync(out), runs()]).toEqual([before, [before]]);
  });
});

describe('asof snapshot', () => {
  it('compresses a file whose name ends in .gz, to the same bytes every time, which verify unpacks', async () => {
    const line = 'observations GDP --from 2014-01-01';
    const lines = [`gdp.csv ${line}`, `gdp.csv.gz ${line}`];
    await snapshot(lines);
    expect(gunzipSync(readFileSync(file('gdp.csv.gz'))).toString()).toBe(read('gdp.csv'));
    expect(manifest().files.map(({ rows }: { rows: number }) => rows)).toEqual([4, 4]);
    const before = inode('gdp.csv.gz');
    await snapshot(lines);
    expect(inode('gdp.csv.gz')).toBe(before);
    expect(await verify()).toEqual(success);
    unlinkSync(file('gdp.csv.gz'));
    writeFileSync(file('gdp.csv.gz'), gzipSync(read('gdp.csv').replace(',17710.7,', ',17710.8,')));
    const found = (await verify()).out;
    expect(found).toMatch(/^gdp\.csv\.gz has changed: /);
    expect(found).toContain(
      'gdp.csv.gz differs from what its command gives, from line 2 on: "2014-10-01,17710.8,2015-01-30,',
    );
  });

  it('leaves out unknown series with --skip-missing, and says so for each file', async () => {
    const lines = ['p.csv panel GDP NOPE --wide --skip-missing', 'o.csv obs GDP NOPE --skip-missing'];
    const told = ['p.csv', 'o.csv'].map((name) => `asof: ${name}: left out, because not found: NOPE\n`);
    expect(await snapshot(lines)).toEqual({ ...success, err: told.join('') });
    expect(linesOf(read('p.csv'))[0]).toBe('date,GDP');
    expect(await verify()).toEqual(success);
  });

  it('is by default of yesterday, the last day that is over in UTC, and says once what the sample lacks then', async () => {
    const line = ['snapshot', plan(['gdp.csv observations GDP', 'curve.csv curve']), '--out', out];
    for (const [flags, asOf] of [
      [[], '2026-03-14'],
      [['--as-of', 'today'], '2026-03-15'],
    ] as const) {
      const { code, err } = await asof([...line, ...flags, '--debug']);
      expect([code, err.match(/^asof: .* is covered to .*$/gm)]).toEqual([
        0,
        ['asof: GDP is covered to 2024-12-19', 'asof: the PAR curve is covered to 2025-12-31'],
      ]);
      expect(err.match(new RegExp(`^asof: yields to=${asOf} limit=20: 20 rows`, 'gm'))).toHaveLength(1);
      expect(manifest().as_of).toBe(asOf);
    }
  });

  it('prints one line with -v, every request with --debug, and its progress on a terminal', async () => {
    const lines = ['a.csv obs GDP --limit 2', 'b.csv curve'];
    expect((await snapshot(lines, '-v')).err).toMatch(
      /^asof: \S+snap as of 2015-02-01: 2 files, 13 rows, 0 unchanged, \d+ ms\n$/,
    );
    const debug = (await snapshot(lines, '--debug')).err;
    expect(debug).toContain('asof: observations id=GDP as_of=2015-02-01 limit=2: 2 rows');
    expect(debug).toContain(': 2 files, 13 rows, 2 unchanged, ');
    const more = ['c', 'd', 'e', 'f'].map((name) => `${name}.csv obs GDP --all`);
    const line = ['snapshot', plan([...lines, ...more]), '--out', out, '--as-of', day];
    const { err } = await asof(line, { stderrIsTerminal: true, columns: 60, pace: 300 });
    expect(err.split('\r\u001B[K').at(-2)).toMatch(/^\[#+\.*\] [345] of 6\b.*, [def]\.csv$/);
  });

  it('names the imports that made its store, as their log does', async () => {
    await snapshot(['gdp.csv obs GDP'], '--store', store);
    const log = (await asof(['import', '--log', '--store', store])).out;
    const imports_sha256 = createHash('sha256').update(log).digest('hex');
    expect(manifest().source).toEqual({ store, imports: 1, imports_sha256 });
  });

  it('gives the same files whatever the environment says', async () => {
    const line = ['snapshot', plan(['a.csv obs GDP', 'b.txt obs GDP --limit 1', 'c.txt obs GDP --plot'])];
    for (const columns of ['40', '']) {
      const env = { ASOF_FORMAT: 'json', COLUMNS: columns };
      expect(await asof([...line, '--out', out, '--as-of', day], { env })).toEqual(success);
      expect(read('a.csv')).toMatch(/^date,value,/);
      expect(read('b.txt')).toMatch(/^date +value +as_of_date/);
      expect(Math.max(...linesOf(read('c.txt')).map(({ length }) => length))).toBe(80);
      expect(await asof(['verify', out], { env: { COLUMNS: '60' } })).toEqual(success);
    }
  });

  it('with --dry-run prints what it would run and write, writes nothing, and refuses what a run refuses', async () => {
    const lines = ["a.csv obs 'GD*' GDP", 'b.csv curve', 'c.csv yields --to 2015-01-30'];
    expect(await snapshot(lines, '--dry-run')).toEqual({
      ...success,
      out: `a.csv: asof obs 'GD*' GDP --as-of 2015-02-01
b.csv: asof curve --date 2015-02-01 --on-or-before
c.csv: asof yields --to 2015-01-30
manifest.json: the commands and checksums of these files, as of 2015-02-01
${out} would contain these files
`,
    });
    expect(readdirSync(folder)).toEqual(['plan.txt']);
    expect((await snapshot(['a.csv ping'], '--dry-run')).code).toBe(2);
    writeFileSync(out, 'mine');
    expect((await snapshot(['a.csv obs GDP'], '--dry-run')).code).toBe(10);
  });

  it('waits for another run that is at work, and for five seconds at most', async () => {
    const lock = await openLock(join(folder, '.snap.lock'));
    waits.length = 0;
    expect(await snapshot(['a.csv obs GDP'])).toEqual({
      code: 10,
      out: '',
      err: `asof: another asof snapshot is writing ${out} (try again when it is done); nothing was written\n`,
    });
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(5000);
    const waiting = snapshot(['a.csv obs GDP']);
    await vi.waitUntil(() => waits.length > 55, { interval: 1 });
    expect(existsSync(out)).toBe(false);
    await lock?.close();
    expect(await waiting).toEqual(success);
  });
});

describe('a snapshot that is taken again', () => {
  const lines = ['gdp.csv obs GDP', 'rate.csv obs UNRATE'];

  it('is another folder, which keeps the last one for its readers and links the files that did not change', async () => {
    const store = await importedStore(newFolder());
    await snapshot(lines, '--store', store);
    const [first, before] = [readlinkSync(out), ['gdp.csv', 'rate.csv', 'manifest.json'].map(inode)];
    const again = await snapshot(lines, '--store', store, '-v');
    expect(again.err).toContain('2 unchanged');
    expect(runs().sort()).toEqual([first, readlinkSync(out)].sort());
    expect(['gdp.csv', 'rate.csv', 'manifest.json'].map(inode)).toEqual(before);
    const more = write('more.csv', statements(['GDP,2015-01-01,2015-02-01,17710.0']));
    await asof(['import', more, '--store', store]);
    await snapshot(lines, '--store', store);
    expect(read('gdp.csv')).toContain('2015-01-01,17710.0');
    const after = ['gdp.csv', 'rate.csv', 'manifest.json'].map(inode);
    expect(after.map((one, i) => one === before[i])).toEqual([false, true, false]);
    expect([runs().length, runs().includes(first)]).toEqual([2, false]);
  });

  it('removes what a killed run left, and no other file, and has only what the plan names now', async () => {
    const half = ['.snap.2015-01-01-0123456789ab', '.snap.link'];
    const others = ['.snap.2015-01-01', '.snap.a.2015-01-01-0123456789ab', '.snapx.2015-01-01-0123456789ab'];
    for (const name of [...half, ...others]) mkdirSync(join(folder, name));
    write(`${half[0]}/.gdp.csv.1.part`, 'half');
    write(`${others[0]}/mine.txt`, 'mine');
    // asof leaves a link with this name, never a folder: it does not remove a folder, and names it in the error.
    const { code, err } = await snapshot(lines.slice(0, 1));
    expect([code, err]).toEqual([10, expect.stringContaining('.snap.link')]);
    rmdirSync(join(folder, '.snap.link'));
    symlinkSync('.snap.2015-01-01-0123456789ab', join(folder, '.snap.link'));
    await snapshot(['rate.csv obs UNRATE'], '--store', store);
    expect(await snapshot(lines.slice(0, 1), '--store', store)).toEqual(success);
    expect(readdirSync(out).sort()).toEqual(['gdp.csv', 'manifest.json']);
    const left = readdirSync(folder);
    for (const name of others) expect(left).toContain(name);
    for (const name of half) expect(left).not.toContain(name);
  });

  it('removes leftovers before it needs the space, even if it then fails', async () => {
    mkdirSync(join(folder, '.snap.2015-01-01-0123456789ab'));
    expect((await snapshot(['none.csv obs NONE'], '--store', store)).code).toBe(3);
    expect(readdirSync(folder).sort()).toEqual(['.snap.lock', 'plan.txt']);
  });
});

describe('a failure says in one line what became of the snapshot:', () => {
  it('a line that a plan cannot use fails before anything is written', async () => {
    expect(await snapshot(['good.csv obs GDP', 'bad.csv obs GDP --as-of 2015-02-02'])).toEqual({
      code: 2,
      out: '',
      err: `asof: ${join(folder, 'plan.txt')} line 2: --as-of 2015-02-02 is later than 2015-02-01, the as-of date of the snapshot; nothing was written\n`,
    });
    expect(readdirSync(folder)).toEqual(['plan.txt']);
  });

  it.each([
    ['obs GDPX', 3, "series 'GDPX' not found (did you mean GDP or GDPC1?)"],
    ['panel GDP NOPE', 3, "series 'NOPE' not found"],
    ['obs GDP --from 2030-01-01 --fail-empty', 9, 'it has no rows'],
  ])('%s', async (line, code, said) => {
    const lines = ['a.csv obs GDP', `b.csv ${line}`];
    const first = await snapshot(lines, '--store', store);
    expect([first.code, first.err]).toEqual([code, expect.stringMatching(/; nothing was written\n$/)]);
    expect(existsSync(out)).toBe(false);
    await snapshot(['a.csv obs GDP'], '--store', store);
    const before = readlinkSync(out);
    const { err } = await snapshot(lines, '--store', store);
    expect(err).toContain(`plan.txt line 2 (b.csv): ${said}`);
    expect(err).toMatch(/^[^\n]*; \S*snap is unchanged\n$/);
    expect([readlinkSync(out), runs()]).toEqual([before, [before]]);
    expect(await verify()).toEqual(success);
  });

  it.each<readonly [name: string, make: (path: string) => void, reason: string]>([
    ['none', () => undefined, 'there is no such file or folder'],
    ['folder', (path) => mkdirSync(path), 'it is a folder'],
  ])('a plan that cannot be read: %s', async (name, make, reason) => {
    const path = join(folder, name);
    make(path);
    const err = `asof: cannot read the plan ${path}: ${reason}; nothing was written\n`;
    expect(await asof(['snapshot', path, '--out', out])).toEqual({ code: 10, out: '', err });
  });
});

describe('a snapshot replaces nothing but a snapshot:', () => {
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
    const { code, err } = await snapshot(['a.csv obs GDP']);
    expect([code, err]).toEqual([10, expect.stringContaining(said)]);
    expect(lstatSync(out).ino).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(['plan.txt', 'snap']);
  });

  it.each([
    ['', '"": it is not the name of a folder'],
    ['/', '"/": it is not the name of a folder'],
    ['nowhere/snap', 'there is no folder'],
  ])('--out %j names no place for one', async (name, said) => {
    const { code, err } = await asof(['snapshot', plan(['a.csv obs GDP']), '--out', name]);
    expect([code, err]).toEqual([10, expect.stringContaining(said)]);
  });

  it('except an empty folder, and a link whose run is gone', async () => {
    mkdirSync(out);
    expect(await snapshot(['a.csv obs GDP'])).toEqual(success);
    expect(lstatSync(out).isSymbolicLink()).toBe(true);
    rmSync(join(folder, readlinkSync(out)), { recursive: true });
    expect(await snapshot(['a.csv obs GDP'])).toEqual(success);
    expect(await verify()).toEqual(success);
  });
});
