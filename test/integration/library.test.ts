import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, importFiles, type OpenOptions, open, samplePath } from '../../src/index.ts';
import { camelCase } from '../../src/operations/field.ts';
import { questions } from '../../src/questions/table.ts';
import { openStore } from '../../src/store/open.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { scratchFolder } from '../support/folders.ts';
import { type Running, startService } from '../support/modes.ts';
import { operations } from '../support/operations.ts';
import { facts, importFiles as importTexts } from '../support/scratch-store.ts';

const clock = () => now;
const folder = scratchFolder();
let path: string;
let service: Running;
let asof: Asof;
let remote: Asof;

beforeAll(async () => {
  path = await contractStore(folder);
  service = await startService({ openStore: () => openStore(path), clock });
  asof = await open(path, { clock });
  remote = await open(service.url, { key: service.key, clock });
});
afterAll(async () => {
  await Promise.all([asof.close(), remote.close()]);
  await service.stop();
});

async function all<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

/** Works with the store of these tests, opened with options; the notes that it gives. */
async function notesOf(work: (from: Asof) => Promise<unknown>, options: OpenOptions = {}): Promise<string[]> {
  const notes: string[] = [];
  const from = await open(path, { clock, ...options, onNote: ({ text }) => void notes.push(text) });
  await work(from);
  await from.close();
  return notes;
}

/** Writes a file of statements; its path. */
function csv(name: string, ...lines: readonly string[]): string {
  const file = join(folder, name);
  writeFileSync(file, facts(...lines));
  return file;
}

it('opens a service with a key that ends like the line of its file', async () => {
  const from = await open(service.url, { key: `${service.key}\r\n`, clock });
  const [{ rows: own }, { rows }] = [await from.seriesShow('GDP'), await remote.seriesShow('GDP')];
  expect(own).toEqual(rows);
  await from.close();
});

/** A call of every kind of method. */
const calls: Readonly<Record<string, (from: Asof) => Promise<{ readonly rows: readonly object[] }>>> = {
  ping: (from) => from.ping(),
  seriesSearch: (from) => from.seriesSearch('gdp'),
  seriesShow: (from) => from.seriesShow('GDP'),
  observations: (from) => from.observations('GDP', { asOf: '2020-12-31', from: '2020-03-01', limit: 2 }),
  revisions: (from) => from.revisions('GDP', { date: '2020-03-01' }),
  vintages: (from) => from.vintages('GDP'),
  calendar: (from) => from.calendar({ series: 'GDP', from: '2020-01-01' }),
  due: (from) => from.due({ every: true }),
  nextRelease: (from) => from.nextRelease('GDP'),
  nextReleases: (from) => from.nextReleases(['GDP', 'UNRATE'], { asOf: '2020-12-31' }),
  curve: (from) => from.curve({ date: '2026-01-15', onOrBefore: true }),
  'curve with vs': (from) => from.curve({ date: '2026-01-14', vs: '2026-01-13' }),
  yields: (from) => from.yields({ maturity: '10Y' }),
  yieldTable: (from) => from.yieldTable({ limit: 2 }),
  spread: (from) => from.spread({ long: '10Y', short: '2Y' }),
  insiderFilings: (from) => from.insiderFilings({ ticker: 'SVN', from: '2025-01-01' }),
  insiderClusters: (from) => from.insiderClusters({ minInsiders: 2 }),
  'insiderClusters with explain': (from) => from.insiderClusters({ minInsiders: 2, explain: true }),
  'insiderClusters with signals': (from) => from.insiderClusters({ minInsiders: 2, signals: true }),
  'insiderClusters of sales': (from) =>
    from.insiderClusters({ transactionCode: 'S', minInsiders: 1, minValue: 29 }),
  insiderClusterSignals: (from) => from.insiderClusterSignals({ minInsiders: 2 }),
  insiderClusterExplanations: (from) => from.insiderClusterExplanations({ minInsiders: 2 }),
  diff: (from) => from.diff('GDP', ['2020-12-31', '2021-01-31']),
  panel: (from) => from.panel(['GDP', 'UNRATE'], { asOf: '2020-12-31' }),
  'panel with wide': (from) => from.panel(['GDP', 'UNRATE'], { asOf: '2020-12-31', wide: true }),
  'panel with asOfEach': (from) =>
    from.panel(['GDP'], { asOfEach: 'month-end', from: '2020-11-01', to: '2021-02-01', sort: 'asc' }),
};

describe('a method', () => {
  it('exists for every operation and question', () => {
    const names = operations.map(({ name }) => camelCase(name));
    const all = Object.values(questions).map(({ name }) => camelCase(name));
    expect(all.filter((name) => typeof Reflect.get(asof, name) !== 'function')).toEqual([]);
    expect(names.filter((name) => !(name in calls))).toEqual([]);
  });

  it.each(Object.entries(calls))('gives the same rows of a store and of its service: %s', async (_, call) => {
    const { rows } = await call(asof);
    expect(rows.length).toBeGreaterThan(0);
    // Only a service counts requests.
    const uncounted = (row: object) =>
      'daily_used' in row ? { ...row, daily_used: null, monthly_used: null } : row;
    expect((await call(remote)).rows.map(uncounted)).toEqual(rows);
  });

  it('takes a parameter that is undefined as left out', async () => {
    const given = { asOf: undefined, from: undefined, limit: undefined };
    expect((await asof.observations('GDP', given)).rows).toEqual((await asof.observations('GDP')).rows);
    const panel = { asOf: undefined, sort: undefined, wide: undefined };
    expect((await asof.panel('GDP', panel)).rows).toEqual((await asof.panel(['GDP'])).rows);
  });
});

describe('the rows of a listing', () => {
  it('are all rows unless there is a limit, which says whether there are more', async () => {
    const whole = await asof.observations('GDP');
    expect([whole.rows.length, whole.hasMore, whole.nextCursor]).toEqual([10, false, undefined]);
    const first = await asof.observations('GDP', { limit: 4 });
    expect([first.rows, first.hasMore]).toEqual([whole.rows.slice(0, 4), true]);
    const next = await asof.observations('GDP', { limit: 9, cursor: first.nextCursor });
    expect([next.rows, next.hasMore]).toEqual([whole.rows.slice(4), false]);
  });

  it('are more than a page of the service holds', async () => {
    const long = join(folder, 'long.db');
    const dates = Array.from({ length: 1500 }, (_, i) => new Date(i * 86_400_000).toISOString().slice(0, 10));
    await importTexts(long, { 'long.csv': facts(...dates.map((date, i) => `LONG ${date} 2020-01-01 ${i}`)) });
    const from = await open(long);
    expect((await from.observations('LONG')).rows).toHaveLength(1500);
    expect((await from.observations('LONG', { limit: 1200 })).rows).toHaveLength(1200);
    expect(await all(from.observations.all('LONG'))).toHaveLength(1500);
    await from.close();
  });

  it('come one by one of several series, also of a pattern, in the order of the ids', async () => {
    const asked = { asOf: '2020-12-31', to: '2020-01-31' };
    const rows = await all(asof.observations.all(['unrate', 'GDP*'], asked));
    expect(rows.map(({ series_id, value }) => `${series_id} ${value}`)).toEqual([
      'UNRATE 1',
      'GDP 0.10',
      'GDPC1 1',
    ]);
  });

  it('come with what the envelope says besides', async () => {
    const observations = await asof.observations('GDP', { asOf: '2020-12-31', limit: 1 });
    expect(observations).toMatchObject({ asOf: '2020-12-31', series: { id: 'GDP', frequency: 'M' } });
    expect(observations.requestId).toMatch(/^req_[0-9a-f]{32}$/);
    expect((await asof.vintages('GDP')).coverage).toEqual({
      first_vintage: '2020-12-01',
      last_vintage: '2021-01-01',
      first_date: '2020-01-01',
      covered_to: '2021-01-01',
    });
  });
});

type Listing = (
  from: Asof,
  extent: { readonly first?: number },
) => Promise<{ readonly rows: readonly unknown[]; readonly hasMore: boolean }>;

/** Every listing whose rows are newest first. */
const listings: Readonly<Record<string, Listing>> = {
  observations: (from, extent) => from.observations('GDP', { asOf: '2020-12-31', ...extent }),
  'first releases': (from, extent) => from.observations('GDP', { release: 'first', ...extent }),
  vintages: (from, extent) => from.vintages('GDP', extent),
  yields: (from, extent) => from.yields(extent),
  'yields by date': (from, extent) => from.yieldTable(extent),
  spread: (from, extent) => from.spread({ long: '2Y', short: '1M', ...extent }),
  'insider filings': (from, extent) => from.insiderFilings({ from: '2025-01-01', ...extent }),
  'insider clusters': (from, extent) => from.insiderClusters({ minInsiders: 1, days: 1, ...extent }),
  'signals of clusters': (from, extent) =>
    from.insiderClusters({ minInsiders: 1, days: 1, signals: true, ...extent }),
};

describe.each([
  ['a store', () => asof],
  ['a service', () => remote],
])('the oldest rows that %s has', (_, from) => {
  it.each(Object.entries(listings))('are the last ones of the listing: %s', async (_name, listing) => {
    const { rows } = await listing(from(), {});
    expect(rows.length).toBeGreaterThan(0);
    for (const first of [1, rows.length, rows.length + 1]) {
      const oldest = await listing(from(), { first });
      expect([oldest.rows, oldest.hasMore]).toEqual([rows.slice(-first), first < rows.length]);
    }
  });

  it('are those of whole clusters where trades are explained', async () => {
    const { rows } = await from().insiderClusters({ minInsiders: 1, days: 1, explain: true });
    const last = rows.at(-1);
    const oldest = await from().insiderClusters({ minInsiders: 1, days: 1, explain: true, first: 1 });
    expect(oldest.rows).toEqual(
      rows.filter((row) => row.issuer_cik === last?.issuer_cik && row.date_first === last?.date_first),
    );
  });

  it('are refused of a listing that is not newest first', async () => {
    const outcome = await Reflect.apply(from().seriesSearch, undefined, ['gdp', { first: 1 }]).catch(
      (error: unknown) => error,
    );
    expect(String(outcome)).toContain("unknown parameter 'first'");
  });
});

describe('skipMissing', () => {
  const ids = ['NOPE', 'GDP'];

  it.each<readonly [name: string, call: () => Promise<{ readonly missing?: readonly string[] }>]>([
    ['panel', () => asof.panel(ids, { skipMissing: true })],
    ['diff', () => asof.diff(ids, ['2020-12-31', '2021-01-31'], { skipMissing: true })],
    ['join', () => asof.join([{ day: '2020-12-31' }], ids, { on: 'day', skipMissing: true })],
    [
      'check',
      () => {
        const columns = { a: 'NOPE', b: 'GDP' };
        return asof.check([{ day: '2020-12-31', a: 1, b: 2 }], { columns, skipMissing: true });
      },
    ],
  ])('leaves out ids that no series has, and a %s names them', async (_, call) => {
    expect((await call()).missing).toEqual(['NOPE']);
  });

  it('causes a note of an iteration', async () => {
    const notes = await notesOf(async (from) => {
      const observations = await all(from.observations.all(ids, { skipMissing: true }));
      expect(observations).toEqual(await all(asof.observations.all('GDP')));
      expect(await all(from.facts(ids, { skipMissing: true }))).toEqual(await all(asof.facts('GDP')));
    });
    expect(notes).toEqual(Array(2).fill('left out, because not found: NOPE'));
  });
});

describe('what is opened', () => {
  it('says where answers come from', async () => {
    expect(await asof.origin()).toMatchObject({ mode: 'embedded', where: path, sample: false });
    expect(await remote.origin()).toEqual({ mode: 'remote', where: service.url, sample: false });
  });

  it('notes an as-of date that a series does not cover', async () => {
    expect(await notesOf((from) => from.panel(['GDP'], { asOf: '2025-12-31' }))).toEqual([
      'GDP is covered to 2021-01-01',
    ]);
  });

  it('can be the sample, which takes no import', async () => {
    const sample = await open(samplePath());
    expect(await sample.origin()).toMatchObject({ sample: true });
    await expect(sample.import(['x.csv'])).rejects.toThrow('the shipped sample is read-only');
    await sample.close();
  });
});

/** Questions that take long enough to be stopped. */
const longPanel = (from: Asof) =>
  from.panel(['GDP', 'UNRATE'], { asOfEach: 'day', from: '2000-01-01', to: '2026-01-01' });

const works: readonly (readonly [string, (from: Asof) => Promise<unknown>])[] = [
  ['a panel', (from) => from.panel(['GDP', 'UNRATE'])],
  ['the rows of a listing', (from) => all(from.observations.all('GDP'))],
  ['facts', (from) => all(from.facts('GDP'))],
  ['the origin', (from) => from.origin()],
  ['an import', (from) => from.import(['x.csv'])],
];

describe('a signal', () => {
  it.each(works)('that has been given stops %s with a Problem', async (_, work) => {
    const reason = new Error('enough');
    const from = await open(path, { signal: AbortSignal.abort(reason) });
    await expect(work(from)).rejects.toMatchObject({ kind: 'interrupted', cause: reason });
    await from.close();
  });

  it('stops what is under way, and an import at the signal of its call', async () => {
    const stop = new AbortController();
    const from = await open(path, { signal: stop.signal, clock });
    const work = expect(longPanel(from)).rejects.toMatchObject({ kind: 'interrupted' });
    setTimeout(() => stop.abort(), 10);
    await work;
    await from.close();
    const signal = AbortSignal.abort();
    const imported = asof.import([csv('stopped.csv', 'BREAD 2020-01-01 2021-02-01 5')], { signal });
    await expect(imported).rejects.toMatchObject({ kind: 'interrupted' });
  });
});

describe('what was closed', () => {
  const closed = { kind: 'bad-input', detail: 'this asof was closed' };

  it.each([...works.slice(0, 4), ['a ping', (from: Asof) => from.ping()] as const])(
    'says so: %s',
    async (_, work) => {
      for (const address of [path, 'http://127.0.0.1:9']) {
        const from = await open(address);
        await from.close();
        await expect(work(from)).rejects.toMatchObject(closed);
        await from.close();
      }
    },
  );

  it.each<readonly [time: unknown, shown: string]>([
    [new Date(Number.NaN), 'Invalid Date'],
    ['2014-02-15', '2014-02-15'],
    [new Date('+010000-01-01'), ''],
    [new Date('0999-12-31'), ''],
  ])('refuses the time %s of a clock', async (time, shown) => {
    const from = await open(path, { clock: () => time as Date });
    await expect(from.observations('GDP')).rejects.toMatchObject({
      kind: 'bad-input',
      message: expect.stringMatching(
        new RegExp(`^clock returned ${shown}.*: return a Date of the years 1000 to 9998`),
      ),
    });
    await from.close();
  });

  it.each(['1000-01-01', '9998-12-31T23:59:59Z'])('takes the time %s of a clock', async (time) => {
    const from = await open(path, { clock: () => new Date(time) });
    await expect(from.observations('NOPE')).rejects.toThrow("series 'NOPE' not found");
    await from.close();
  });

  it('says so in a call that was under way', async () => {
    const from = await open(path, { clock });
    const work = expect(longPanel(from)).rejects.toMatchObject(closed);
    await from.close();
    await work;
  });
});

describe('facts and imports', () => {
  it('go from one store into another', async () => {
    const rows = await all(asof.facts('GDP'));
    expect(rows).toHaveLength(19);
    expect(rows[0]).toEqual({
      ...{ series_id: 'GDP', date: '2020-01-01', as_of_date: '2020-12-01' },
      ...{ value: '0.10', vintage_kind: 'exact' },
      ...{ title: expect.any(String), units: expect.any(String), frequency: expect.any(String) },
      ...{
        seasonal_adjustment: expect.any(String),
        source: expect.any(String),
        covered_to: expect.any(String),
      },
    });
    const lines = rows.map(
      ({ series_id, date, as_of_date, value }) => `${series_id} ${date} ${as_of_date} ${value}`,
    );
    const copy = join(folder, 'copy.db');
    const file = csv('gdp.csv', ...lines);
    expect((await importFiles([file], { store: copy, clock, dryRun: true })).imports).toEqual([]);
    const made = await importFiles([file], { store: copy, clock });
    const from = await open(copy, { clock });
    const [logged] = await from.store.imports();
    expect(made).toMatchObject({ created: true, imports: [logged?.number] });
    expect(await from.store.undo({ number: made.imports[0], dryRun: true })).toMatchObject({
      series: ['GDP'],
    });
    const values = async (one: Asof) =>
      (await one.observations('GDP', { asOf: '2020-12-31' })).rows.map(({ value }) => value);
    expect(await values(from)).toEqual(await values(asof));
    const more = csv('more.csv', 'GDP 2020-11-01 2021-02-01 5');
    expect((await from.import([more])).files).toMatchObject([{ statementsNew: 1 }]);
    expect((await from.observations('GDP', { limit: 1 })).rows).toMatchObject([{ value: '5' }]);
    await from.close();
  });

  it('of a service are refused, and an import into one writes nothing', async () => {
    await expect(all(remote.facts('GDP'))).rejects.toThrow('a service gives no facts');
    await expect(remote.import([])).rejects.toThrow('a service gives no imports');
    const work = importFiles([csv('one.csv')], { store: 'http://127.0.0.1:28787' });
    await expect(work).rejects.toMatchObject({ kind: 'bad-input', field: 'store' });
    expect(existsSync('http:') || readdirSync('.').some((name) => name.startsWith('http'))).toBe(false);
  });

  it('twice at the same time into one store takes both, also where it is new', async () => {
    const store = join(folder, 'both.db');
    const dates = [1, 2, 3, 4, 5].map((month) => `2020-0${month}-01`);
    const files = dates.map((date) => csv(`${date}.csv`, `BREAD ${date} 2021-02-01 5`));
    const first = files.slice(0, 3).map((file) => importFiles([file], { store, clock }));
    // Which of them comes first is not promised.
    expect((await Promise.all(first)).filter(({ created }) => created)).toHaveLength(1);
    const from = await open(store, { clock });
    const started = performance.now();
    await Promise.all(files.slice(3).map((file) => from.import([file])));
    // SQLite alone would block the process for the five seconds that it waits for a lock.
    expect(performance.now() - started).toBeLessThan(4000);
    const { rows } = await from.observations('BREAD');
    expect(rows.map(({ date }) => date)).toEqual(dates.reverse());
    await from.close();
  });

  it('that wait for another import can be stopped', async () => {
    const store = join(folder, 'waiting.db');
    const [one, two] = [
      csv('1.csv', 'BREAD 2020-01-01 2021-02-01 5'),
      csv('2.csv', 'X 2020-01-01 2021-02-01 5'),
    ];
    const stop = new AbortController();
    const reason = new Error('enough');
    const first = importFiles([one], { store, clock });
    const second = importFiles([two], { store, clock, signal: stop.signal });
    stop.abort(reason);
    await expect(second).rejects.toMatchObject({ kind: 'interrupted', cause: reason });
    expect((await first).created).toBe(true);
    expect((await importFiles([two], { store, clock })).created).toBe(false);
  });
});

it('a snapshot is written as of a day, and verified', async () => {
  const home = join(folder, 'desk');
  mkdirSync(home);
  const [plan, out] = [join(home, 'plan.txt'), join(home, 'out')];
  const lines = ['gdp.csv observations GDP', 'clusters.json insider clusters --min-insiders 2 --explain'];
  writeFileSync(plan, `${lines.join('\n')}\n`);
  const written = { files: 2, rows: 9, unchanged: 0 };
  expect(await asof.snapshot(plan, { out, asOf: '2020-12-31' })).toEqual(written);
  expect(existsSync(join(out, 'manifest.json'))).toBe(true);
  expect([await asof.verify(out), await remote.verify(out)]).toEqual([[], []]);
  writeFileSync(join(out, 'gdp.csv'), 'date,value\n');
  expect(new Set((await asof.verify(out)).map(({ name }) => name))).toEqual(new Set(['gdp.csv']));
});

onEveryEngine((engine) => {
  it('a store is described, copied, backed up, changed and checked, and undoes imports by their numbers', async () => {
    const address = engine.newAddress();
    await importTexts(address, { 'gdp.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
    await importTexts(address, {
      'cpi.csv': facts('CPI 2014-12-01 2015-01-16 236.151'),
      'm2.csv': facts('M2 2014-12-01 2015-01-15 11665.0'),
    });
    const own = await open(address);
    expect(await own.store.info()).toMatchObject({ engine: engine.name, series: 3, facts: 3, imports: 2 });
    const log = await own.store.imports();
    expect(log.map(({ file, statementsNew }) => [basename(file), statementsNew])).toEqual([
      ['gdp.csv', 1],
      ['cpi.csv', 1],
      ['m2.csv', 1],
    ]);
    const [first, second, third] = log.map(({ number }) => number ?? 0);
    expect(third).toBe(second);
    expect(second).toBeGreaterThan(first ?? 0);
    const copy = sqlite.newAddress();
    const { digest } = await own.store.copyTo(copy);
    const backup = join(dirname(copy), 'backup.db');
    expect((await own.store.backup(backup)).digest).toBe(digest);
    const at = new Date('2026-03-15T03:15:00Z');
    const dated = await own.store.backup(backup, { keep: 1, clock: () => at });
    expect(basename(dated.store)).toBe('backup-2026-03-15T031500Z.db');
    expect((await own.store.backup(backup, { keep: 1 })).removed).toEqual([dated.store]);
    expect(await own.store.undo({ number: second })).toMatchObject({ series: ['CPI', 'M2'] });
    expect(await own.store.renameSeries('GDP', 'PRODUCT')).toMatchObject({ facts: 1, vintages: 1 });
    expect((await own.observations('PRODUCT')).rows).toMatchObject([
      { date: '2014-10-01', value: '17710.7' },
    ]);
    expect((await own.store.imports()).map(({ number }) => number)).toEqual([first]);
    expect((await own.store.check()).faults).toEqual([]);
    await own.close();
    await expect(own.store.imports()).rejects.toThrow('this asof was closed');
    // Only the store into which an import was made knows what it changed.
    const copied = await open(copy);
    expect((await copied.store.imports()).map(({ number }) => number)).toEqual([null, null, null]);
    await copied.close();
  });
});

it('a restored store answers from the backup at once, where nothing else has it open', async () => {
  const address = sqlite.newAddress();
  await importTexts(address, { 'gdp.csv': facts('GDP 2014-10-01 2015-01-30 1') });
  const own = await open(address);
  const backup = join(dirname(address), 'backup.db');
  await own.store.backup(backup);
  await importTexts(address, { 'more.csv': facts('GDP 2014-10-01 2015-02-27 2') });
  const value = async () => (await own.observations('GDP')).rows[0]?.value;
  expect(await value()).toBe('2');
  expect(await own.store.restore(backup)).toMatchObject({ store: address, facts: 1 });
  expect(await value()).toBe('1');
  const other = await open(address);
  expect((await other.observations('GDP')).rows[0]?.value).toBe('1');
  await expect(own.store.restore(backup)).rejects.toThrow(/is a store in use/);
  await other.close();
  await own.close();
});

it('takes knownBefore wherever it takes asOf: what was published before that day', async () => {
  const sample = await open(samplePath(), { clock });
  const limit = 1;
  const [before] = (await sample.observations('GDP', { knownBefore: '2015-01-30', limit })).rows;
  // The advance estimate of 2014 Q4 came out on 30 January 2015.
  expect(before).toMatchObject({ date: '2014-07-01', as_of_date: '2014-12-23' });
  const range = { from: '2014-07-01', to: '2014-10-01' };
  const strict = await sample.panel('GDP', { knownBefore: '2015-01-30', ...range });
  expect(strict.rows).toEqual((await sample.panel('GDP', { asOf: '2015-01-29', ...range })).rows);
  await expect(
    sample.observations('GDP', { knownBefore: '2015-01-30', asOf: '2015-01-30' }),
  ).rejects.toMatchObject({ detail: "use either 'asOf' or 'knownBefore'" });
  await expect(sample.panel('GDP', { knownBefore: '2999-01-01' })).rejects.toMatchObject({
    detail: expect.stringContaining('is in the future'),
  });
  await sample.close();
});

it('closes at the end of a block with `await using`', async () => {
  const opened = await open(path, { clock });
  await opened[Symbol.asyncDispose]();
  await expect(opened.ping()).rejects.toMatchObject({ detail: 'this asof was closed' });
});
