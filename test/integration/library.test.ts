import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Asof, importFiles, type ObservationRow, open, Problem, samplePath } from '../../src/index.ts';
import { operations } from '../../src/operations/index.ts';
import { camelCase } from '../../src/operations/param.ts';
import { openStore } from '../../src/store/open.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { type Running, startService } from '../support/modes.ts';
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

/** The Problem that a call rejects with. */
async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error(`it did not fail: ${JSON.stringify(outcome)}`);
}

async function all<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

/** A call of every kind of method. */
const calls: Readonly<Record<string, (from: Asof) => Promise<{ readonly rows: readonly object[] }>>> = {
  ping: (from) => from.ping(),
  seriesSearch: (from) => from.seriesSearch('gdp'),
  seriesShow: (from) => from.seriesShow('GDP'),
  observations: (from) => from.observations('GDP', { asOf: '2020-12-31', from: '2020-03-01', limit: 2 }),
  revisions: (from) => from.revisions('GDP', { date: '2020-03-01' }),
  vintages: (from) => from.vintages('GDP'),
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
  it('exists for every operation', () => {
    const names = operations.map(({ name }) => camelCase(name));
    expect(names.filter((name) => typeof Reflect.get(asof, name) !== 'function')).toEqual([]);
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
    const rows = await all(
      asof.observations.all(['unrate', 'GDP*'], { asOf: '2020-12-31', to: '2020-01-31' }),
    );
    expectTypeOf(rows).toEqualTypeOf<readonly ObservationRow[]>();
    expect(rows.map(({ series_id, value }) => [series_id, value])).toEqual([
      ['UNRATE', '1'],
      ['GDP', '0.10'],
      ['GDPC1', '1'],
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

describe('what a method refuses', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    [
      'an unknown parameter',
      () => asof.observations('GDP', { asof: '2020-12-31' } as never),
      "unknown parameter 'asof'",
    ],
    [
      'an unknown parameter of a panel',
      () => asof.panel(['GDP'], { as_of: '2020-12-31' } as never),
      "unknown parameter 'as_of'",
    ],
    [
      'two kinds of panel',
      () =>
        asof.panel(['GDP'], {
          asOfEach: 'day',
          from: '2020-01-01',
          to: '2020-01-02',
          asOf: '2020-01-01',
        } as never),
      "use either 'asOf' or 'asOfEach'",
    ],
    [
      'a limit where there is no listing',
      () => Reflect.apply(asof.ping, undefined, [{ limit: 1 }]),
      "unknown parameter 'limit'",
    ],
    [
      'a date that does not exist',
      () => asof.observations('GDP', { from: '2020-02-30' }),
      "invalid 'from' date",
    ],
    ['an invalid date of a panel', () => asof.panel(['GDP'], { from: 'soon' }), "invalid 'from' date"],
    [
      'a date range that ends before it begins',
      () => asof.diff('GDP', ['2020-01-01', '2020-01-02'], { from: '2020-02-02', to: '2020-02-01' }),
      'invalid date range',
    ],
    [
      'an as-of date in the future',
      () => asof.observations('GDP', { asOf: '2999-01-01' }),
      "'asOf' 2999-01-01",
    ],
    [
      'an as-of date of a panel in the future',
      () => asof.revisions('GDP', { date: '2020-03-01', asOf: '2999-01-01' }),
      "'asOf' 2999-01-01",
    ],
    [
      'as-of dates of a panel in the future',
      () => asof.panel(['GDP'], { asOfEach: 'day', from: '2026-01-01', to: '2999-01-01' }),
      "'to' 2999-01-01",
    ],
    ['an invalid limit', () => asof.observations('GDP', { limit: 0 }), "invalid 'limit'"],
    ['a series that does not exist', () => asof.observations('GDPX'), "series 'GDPX' not found"],
    ['a series of a panel that does not exist', () => asof.panel(['GDP', 'GDPX']), "series 'GDPX' not found"],
    [
      'a series of several that does not exist',
      () => all(asof.observations.all(['GDP', 'GDPX'])),
      "series 'GDPX' not found",
    ],
  ])('is a Problem that names it: %s', async (_, call, detail) => {
    expect((await problemOf(call())).detail).toContain(detail);
  });

  it.each<readonly [name: string, call: () => Promise<{ readonly missing?: readonly string[] }>]>([
    ['panel', () => asof.panel(['NOPE', 'GDP'], { skipMissing: true })],
    ['wide panel', () => asof.panel(['NOPE', 'GDP'], { wide: true, skipMissing: true })],
    ['panel on days', () => asof.panel(['NOPE', 'GDP'], { asOfEach: ['2020-12-31'], skipMissing: true })],
    ['diff', () => asof.diff(['NOPE', 'GDP'], ['2020-12-31', '2021-01-31'], { skipMissing: true })],
    ['comparison', () => asof.compare(['NOPE', 'GDP'], ['2020-12-31', 'latest'], { skipMissing: true })],
    ['versions', () => asof.versions(['NOPE', 'GDP'], ['2020-12-31'], { skipMissing: true })],
    ['join', () => asof.join([{ day: '2020-12-31' }], ['NOPE', 'GDP'], { on: 'day', skipMissing: true })],
    [
      'check',
      () =>
        asof.check([{ day: '2020-12-31', a: 1, b: 2 }], {
          columns: { a: 'NOPE', b: 'GDP' },
          skipMissing: true,
        }),
    ],
  ])('is not thrown with skipMissing: a %s names the ids that it leaves out', async (_, call) => {
    expect((await call()).missing).toEqual(['NOPE']);
  });

  it('is thrown before the first row of several series', async () => {
    for (const source of [asof, remote]) {
      const rows = source.observations.all(['GDP', 'GDPX'])[Symbol.asyncIterator]();
      expect((await problemOf(rows.next())).detail).toBe("series 'GDPX' not found");
    }
    const facts = asof.facts(['GDP', 'GDPX'])[Symbol.asyncIterator]();
    expect((await problemOf(facts.next())).detail).toBe("series 'GDPX' not found");
  });

  it('is a note of an iteration with skipMissing', async () => {
    const notes: string[] = [];
    const noted = await open(path, { clock, onNote: ({ text }) => void notes.push(text) });
    expect(await all(noted.observations.all(['GDPX', 'GDP'], { skipMissing: true }))).toEqual(
      await all(asof.observations.all('GDP')),
    );
    expect(await all(noted.facts(['GDPX', 'GDP'], { skipMissing: true }))).toEqual(
      await all(asof.facts('GDP')),
    );
    expect(notes).toEqual(Array.from({ length: 2 }, () => 'left out, because not found: GDPX'));
    await noted.close();
  });

  it('has hints where there are good ones', async () => {
    expect((await problemOf(asof.seriesShow('GDPC2'))).hints).toEqual(['did you mean GDPC1 or GDP?']);
  });
});

describe('opening', () => {
  it.each([
    ['a store that does not exist', () => open(join(folder, 'none.db')), 'none.db'],
    ['an invalid base URL', () => open('https://data.example.org?x=1'), 'invalid base URL'],
    ['a store with a key', () => open(path, { key: 'k' }), 'a key is for a service'],
  ])('fails with a Problem: %s', async (_, opening, detail) => {
    expect((await problemOf(opening())).detail).toContain(detail);
  });

  it('says where answers come from', async () => {
    expect(await asof.origin()).toMatchObject({ mode: 'embedded', where: path, sample: false });
    expect(await remote.origin()).toEqual({ mode: 'remote', where: service.url, sample: false });
  });

  it('notes an as-of date that a series does not cover', async () => {
    const notes: string[] = [];
    const noting = await open(path, { clock, onNote: ({ text }) => notes.push(text) });
    await noting.panel(['GDP'], { asOf: '2025-12-31' });
    expect(notes).toEqual(['GDP is covered to 2021-01-01']);
    await noting.close();
  });

  it('stops at a signal', async () => {
    const stop = new AbortController();
    const stopped = await open(path, { signal: stop.signal });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(stopped.observations('GDP')).rejects.toThrow('enough');
    expect(await problemOf(stopped.panel(['GDP']))).toMatchObject({ kind: 'interrupted', cause: reason });
    await stopped.close();
  });
});

describe('facts and imports', () => {
  it('go from one store into another', async () => {
    const csv = join(folder, 'gdp.csv');
    const rows = await all(asof.facts('GDP'));
    expect(rows).toHaveLength(19);
    expect(rows[0]).toEqual({
      series_id: 'GDP',
      date: '2020-01-01',
      as_of_date: '2020-12-01',
      value: '0.10',
      vintage_kind: 'exact',
    });
    const lines = rows.map(({ series_id, date, as_of_date, value }) =>
      [series_id, date, as_of_date, value].join(),
    );
    writeFileSync(csv, ['series_id,date,as_of_date,value', ...lines, ''].join('\n'));
    const copy = join(folder, 'copy.db');
    expect(await importFiles([csv], { store: copy, clock })).toMatchObject({ created: true });
    const from = await open(copy, { clock });
    expect((await from.observations('GDP', { asOf: '2020-12-31' })).rows.map(({ value }) => value)).toEqual(
      (await asof.observations('GDP', { asOf: '2020-12-31' })).rows.map(({ value }) => value),
    );
    writeFileSync(csv, 'series_id,date,as_of_date,value\nGDP,2020-11-01,2021-02-01,5\n');
    expect((await from.import([csv])).files).toMatchObject([{ statementsNew: 1 }]);
    expect((await from.observations('GDP', { limit: 1 })).rows).toMatchObject([{ value: '5' }]);
    await from.close();
  });

  it.each([
    ['facts of a service', () => all(remote.facts('GDP')), 'a service gives no facts'],
    ['imports into a service', () => remote.import([]), 'a service gives no imports'],
    ['facts of an unknown series', () => all(asof.facts('GDPX')), "series 'GDPX' not found"],
    ['facts of a yield', () => all(asof.facts(['GDP', 'DGS10'])), "series 'DGS10' has no statements"],
  ])('refuse with a Problem: %s', async (_, call, detail) => {
    expect((await problemOf(call())).detail).toContain(detail);
  });
});

describe('a snapshot', () => {
  it('is written as of a day, and verified', async () => {
    const home = join(folder, 'desk');
    mkdirSync(home);
    const [plan, out] = [join(home, 'plan.txt'), join(home, 'out')];
    writeFileSync(
      plan,
      'gdp.csv observations GDP\nclusters.json insider clusters --min-insiders 2 --explain\n',
    );
    expect(await asof.snapshot(plan, { out, asOf: '2020-12-31' })).toEqual({
      files: 2,
      rows: 9,
      unchanged: 0,
    });
    expect(existsSync(join(out, 'manifest.json'))).toBe(true);
    expect(await asof.verify(out)).toEqual([]);
    expect(await remote.verify(out)).toEqual([]);
    writeFileSync(join(out, 'gdp.csv'), 'date,value\n');
    expect(new Set((await asof.verify(out)).map(({ name }) => name))).toEqual(new Set(['gdp.csv']));
  });
});

describe('the sample', () => {
  it('answers by its path, and takes no import', async () => {
    const sample = await open(samplePath());
    expect(await sample.origin()).toMatchObject({ sample: true });
    expect((await problemOf(sample.import(['x.csv']))).detail).toBe('the shipped sample is read-only');
    await sample.close();
  });
});
