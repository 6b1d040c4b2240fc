import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, importFiles, open, Problem, pull } from '../../src/index.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';

const clock = () => now;
const folder = scratchFolder();
let path: string;
let asof: Asof;

beforeAll(async () => {
  path = await contractStore(folder);
  asof = await open(path, { clock });
});
afterAll(() => asof.close());

/** Calls a method as a program without types does. */
function call(method: string, ...asked: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(Reflect.get(asof, method), asof, asked);
}

/** Opens as a program without types does. */
function opened(...asked: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(open, undefined, asked);
}

function imported(...asked: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(importFiles, undefined, asked);
}

function pulled(...asked: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(pull, undefined, asked);
}

async function iterated(rows: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of rows) count += 1;
  return count;
}

/** The Problem that a call rejects with. */
async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error(`it did not fail with a Problem: ${String(outcome)}`);
}

const range = { from: '2020-11-01', to: '2021-02-01' };
const plan = 'plan.txt';

describe('what a method does not take is a bad-input Problem that names it', () => {
  it.each<[detail: string, work: () => Promise<unknown>]>([
    [
      'invalid \'parameters\' "2020-12-31": use an object with',
      () => call('observations', 'GDP', '2020-12-31'),
    ],
    ["invalid 'parameters' null: use an object", () => call('observations', 'GDP', null)],
    [
      "invalid 'parameters' (Map): use an object",
      () => call('observations', 'GDP', new Map([['asOf', '2020-12-31']])),
    ],
    [
      'too many arguments: use observations(id, parameters)',
      () => call('observations', 'GDP', {}, { asOf: '2020-12-31' }),
    ],
    ["unknown parameter 'as_of': use asOf, ", () => call('observations', 'GDP', { as_of: '2020-12-31' })],
    ["unknown parameter 'id': use asOf, ", () => call('observations', 'GDP', { id: 'UNRATE' })],
    [
      "unknown option 'asof': use out, asOf",
      () => call('snapshot', plan, { out: 'desk', asof: '2020-12-31' }),
    ],
    ["unknown option 'dryrun': use settings, ", () => pulled({ store: 'x.db', dryrun: true })],
    ["option 'store' is missing", () => pulled({ request: { fred: ['GDP'] } })],
    [
      'invalid \'request.fred\' "GDP": use a list of texts',
      () => pulled({ store: 'x.db', request: { fred: 'GDP' } }),
    ],
    ["unknown source 'fredd': use fred, treasury, sec", () => call('pull', { fredd: ['GDP'] })],
    ["unknown option 'asof': use kind, asOf, ", () => call('import', ['x.csv'], { asof: '2020-12-31' })],
    ["unknown option 'store'", () => call('import', ['x.csv'], { store: 'other.db' })],
    ["unknown option 'apiKey': use key, timeout, ", () => opened('http://127.0.0.1:9', { apiKey: 'k' })],
    ['invalid \'days\' ["2020-12-31"]: use two dates', () => call('diff', 'GDP', ['2020-12-31'])],
    [
      'invalid \'days\' ["2020-12-31", "2021-01-31", "2021-02-28"]: use two dates',
      () => call('diff', 'GDP', ['2020-12-31', '2021-01-31', '2021-02-28']),
    ],
    ['invalid \'days\' "2020-12-31": use two dates', () => call('diff', 'GDP', '2020-12-31')],
    ["argument 'days' is missing", () => call('diff', 'GDP')],
    ["argument 'id' is missing", () => call('revisions')],
    ["option 'out' is missing", () => call('snapshot', plan)],
    ['invalid \'paths\' "file.csv": use a list of texts', () => call('import', 'file.csv')],
    ["option 'store' is missing", () => imported(['file.csv'])],
    ['invalid \'sort\' "up": use asc or desc', () => call('panel', ['GDP'], { sort: 'up' })],
    ['invalid \'wide\' "yes": use true or false', () => call('panel', ['GDP'], { wide: 'yes' })],
    ["invalid 'exact' 1: use true or false", () => call('panel', ['GDP'], { exact: 1 })],
    ["invalid 'maxAge' -1: use an integer of at least 0", () => call('observations', 'GDP', { maxAge: -1 })],
    [
      "invalid 'limit' true: use an integer of at least 1",
      () => call('observations', 'GDP', { limit: true }),
    ],
    ["invalid 'limit' 0: use an integer of at least 1", () => call('observations', 'GDP', { limit: 0 })],
    [
      "invalid 'limit' Infinity: use an integer",
      () => call('observations', 'GDP', { limit: Number.POSITIVE_INFINITY }),
    ],
    ['invalid \'first\' "2": use an integer', () => call('vintages', 'GDP', { first: '2' })],
    ["invalid 'days' 366: use an integer from 1 to 365", () => call('insiderFilings', { days: 366 })],
    ['invalid \'explain\' "yes": use true or false', () => call('insiderClusters', { explain: 'yes' })],
    ["use either 'explain' or 'signals'", () => call('insiderClusters', { explain: true, signals: true })],
    ['invalid \'transactionCode\' "Q": use P, S', () => call('insiderClusters', { transactionCode: 'Q' })],
    ["unknown parameter 'signals'", () => call('insiderClusterExplanations', { signals: true })],
    [
      'invalid \'asOfEach\' "decade-end": use day, business-day, friday, week-end, month-end, quarter-end or year-end',
      () => call('panel', ['GDP'], { asOfEach: 'decade-end', ...range }),
    ],
    ["'asOfEach' needs 'from' and 'to'", () => call('panel', ['GDP'], { asOfEach: 'day' })],
    ["'beyond' is about as-of dates", () => call('panel', ['GDP'], { beyond: 'empty' })],
    ["invalid 'ids' []: use the id of a series, or a list", () => call('panel', [])],
    ["invalid 'ids' []", () => call('diff', [], ['2020-12-31', '2021-01-31'])],
    ["invalid 'ids' []", () => iterated(asof.observations.all([]))],
    ["invalid 'ids' []", () => iterated(asof.facts([]))],
    ['invalid \'id\' "": use the id of one series', () => call('observations', '')],
    ["invalid 'id' null", () => call('observations', null)],
    ["invalid 'id' (Object)", () => call('observations', { id: 'GDP' })],
    [
      'invalid \'id\' ["GDP", "UNRATE"]: use the id of one series',
      () => call('observations', ['GDP', 'UNRATE']),
    ],
    [
      'invalid \'asOf\' date "2015-02-30": there is no such date',
      () => call('observations', 'GDP', { asOf: '2015-02-30' }),
    ],
    ['invalid \'asOf\' date "2015": use YYYY-MM-DD', () => call('observations', 'GDP', { asOf: '2015' })],
    ["invalid 'asOf' date (Date): use YYYY-MM-DD", () => call('observations', 'GDP', { asOf: new Date() })],
    ["invalid 'asOf' date null: use YYYY-MM-DD", () => call('panel', ['GDP'], { asOf: null })],
    ["invalid 'timeout' -1: use seconds", () => opened('http://127.0.0.1:9', { timeout: -1 })],
    ["invalid 'timeout' NaN: use seconds", () => opened('http://127.0.0.1:9', { timeout: Number.NaN })],
    ["invalid 'timeout' 1000000000000: use seconds", () => opened('http://127.0.0.1:9', { timeout: 1e12 })],
    [
      "invalid 'retries' 1.5: use an integer from 0 to 100",
      () => opened('http://127.0.0.1:9', { retries: 1.5 }),
    ],
    ["invalid 'maxWait' -1: use seconds", () => opened('http://127.0.0.1:9', { maxWait: -1 })],
    ["invalid 'key': use a text", () => opened('http://127.0.0.1:9', { key: null })],
    ["invalid 'address' (URL): use a text", () => opened(new URL('http://127.0.0.1:9'))],
    ['invalid \'address\' ""', () => opened('')],
    ['it does not begin with http:// or https://', () => opened('ftp://x/y')],
    ["the path - is the option 'stdin'", () => imported(['-'], { store: join(folder, 'stdin.db') })],
  ])('%s', async (detail, work) => {
    const problem = await problemOf(work());
    expect([problem.kind, problem.detail]).toEqual(['bad-input', expect.stringContaining(detail)]);
  });

  it('is suggested where it was mistyped', async () => {
    expect(await problemOf(call('observations', 'GDP', { asof: '2020-12-31' }))).toMatchObject({
      field: 'asof',
      hints: ['did you mean asOf?'],
    });
  });

  it('is not repeated where it may be a key', async () => {
    const { detail } = await problemOf(opened({ key: 'secret' }));
    expect(detail).not.toContain('secret');
  });
});

it('a parameter that is undefined counts as left out', async () => {
  const given = { asOf: undefined, from: undefined, limit: undefined };
  expect((await asof.observations('GDP', given)).rows).toEqual((await asof.observations('GDP')).rows);
  const panel = { asOf: undefined, sort: undefined, wide: undefined };
  expect((await asof.panel('GDP', panel)).rows).toEqual((await asof.panel(['GDP'])).rows);
});

it('the host of a service without a scheme is refused with the way out', async () => {
  expect((await problemOf(open('localhost:28787'))).hints).toContain(
    'the address of a service begins with http:// or https://',
  );
});

describe('importing', () => {
  const csv = (name: string, date: string) => {
    const file = join(folder, name);
    writeFileSync(file, `series_id,date,as_of_date,value\nBREAD,${date},2021-02-01,5\n`);
    return file;
  };

  it('into a service is refused, and writes nothing', async () => {
    const work = importFiles([csv('one.csv', '2020-01-01')], { store: 'http://127.0.0.1:28787' });
    expect(await problemOf(work)).toMatchObject({ kind: 'bad-input', field: 'store' });
    expect([existsSync('http:'), readdirSync('.').some((name) => name.startsWith('http'))]).toEqual([
      false,
      false,
    ]);
  });

  it('twice at the same time into one store takes both, also where it is new', async () => {
    const store = join(folder, 'both.db');
    const files = ['2020-01-01', '2020-02-01', '2020-03-01'].map((date) => csv(`${date}.csv`, date));
    const results = await Promise.all(files.map((file) => importFiles([file], { store, clock })));
    // Which of them comes first is not promised.
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    const from = await open(store, { clock });
    const more = ['2020-04-01', '2020-05-01'].map((date) => from.import([csv(`${date}.csv`, date)]));
    const started = performance.now();
    await Promise.all(more);
    // SQLite alone would block the process for the five seconds that it waits for a lock.
    expect(performance.now() - started).toBeLessThan(4000);
    expect((await from.observations('BREAD')).rows.map(({ date }) => date)).toEqual([
      '2020-05-01',
      '2020-04-01',
      '2020-03-01',
      '2020-02-01',
      '2020-01-01',
    ]);
    await from.close();
  });

  it('that waits for another import can be stopped', async () => {
    const store = join(folder, 'waiting.db');
    const stop = new AbortController();
    const reason = new Error('enough');
    const first = importFiles([csv('first.csv', '2020-01-01')], { store, clock });
    const second = importFiles([csv('second.csv', '2020-02-01')], { store, clock, signal: stop.signal });
    stop.abort(reason);
    expect(await problemOf(second)).toMatchObject({ kind: 'interrupted', cause: reason });
    expect((await first).created).toBe(true);
    const third = importFiles([csv('third.csv', '2020-03-01')], { store, clock });
    expect((await third).created).toBe(false);
  });

  it('stops at the signal of the call as at that of the store', async () => {
    const work = asof.import([csv('stopped.csv', '2020-01-01')], { signal: AbortSignal.abort() });
    expect((await problemOf(work)).kind).toBe('interrupted');
  });
});

describe('a signal', () => {
  it.each<[string, (from: Asof) => Promise<unknown>]>([
    ['a panel', (from) => from.panel(['GDP', 'UNRATE'])],
    ['the rows of a listing', (from) => iterated(from.observations.all('GDP'))],
    ['facts', (from) => iterated(from.facts('GDP'))],
    ['the origin', (from) => from.origin()],
    ['an import', (from) => from.import(['x.csv'])],
  ])('that has been given stops %s with a Problem', async (_, work) => {
    const from = await open(path, { signal: AbortSignal.abort() });
    const problem = await problemOf(work(from));
    expect([problem.kind, problem.cause]).toEqual([
      'interrupted',
      expect.objectContaining({ name: 'AbortError' }),
    ]);
    await from.close();
  });

  it('stops what is under way with a Problem', async () => {
    const stop = new AbortController();
    const from = await open(path, { signal: stop.signal, clock });
    const work = problemOf(
      from.panel(['GDP', 'UNRATE'], { asOfEach: 'day', from: '2000-01-01', to: '2026-01-01' }),
    );
    setTimeout(() => stop.abort(), 10);
    expect((await work).kind).toBe('interrupted');
    await from.close();
  });
});

describe('what was closed', () => {
  it.each<[string, (from: Asof) => Promise<unknown>]>([
    ['observations', (from) => from.observations('GDP')],
    ['the origin', (from) => from.origin()],
    ['a listing', (from) => iterated(from.observations.all('GDP'))],
    ['a ping', (from) => from.ping()],
  ])('says so: %s', async (_, work) => {
    for (const address of [path, 'http://127.0.0.1:9']) {
      const from = await open(address);
      await from.close();
      expect(await problemOf(work(from))).toMatchObject({
        kind: 'bad-input',
        detail: 'this asof was closed',
      });
      await from.close();
    }
  });

  it('says so in a call that was under way', async () => {
    const from = await open(path, { clock });
    const work = problemOf(
      from.panel(['GDP', 'UNRATE'], { asOfEach: 'day', from: '2000-01-01', to: '2026-01-01' }),
    );
    await from.close();
    expect((await work).detail).toBe('this asof was closed');
  });
});
