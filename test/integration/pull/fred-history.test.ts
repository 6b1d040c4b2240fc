import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratchFolder } from '../../support/folders.ts';
import {
  type Fault,
  type LoopbackFred,
  loopbackFred,
  recordedGdp,
  recordedRows,
  wellBehaved,
} from '../../support/pull/loopback-fred.ts';
import {
  contentOf,
  historyUpTo,
  importHistory,
  pullFrom,
  VirtualTime,
} from '../../support/pull/pulled-store.ts';
import { newStorePath, reading } from '../../support/scratch-store.ts';

vi.setConfig({ testTimeout: 120_000 });

const folder = scratchFolder();
const gdp = recordedGdp();
/** The dates from 2019 on: a history with revisions, withdrawals and 71 vintages, small enough for many runs. */
const recent = { ...gdp, rows: gdp.rows.filter(({ date }) => date >= '2019-01-01') };
const vintageDays = [...new Set(recent.rows.map((row) => row.realtime_start))].sort();
const lastDay = '2025-01-20';

let fred: LoopbackFred;

beforeAll(async () => {
  fred = await loopbackFred();
});

beforeEach(() => {
  Object.assign(fred.state, wellBehaved());
  fred.requests.length = 0;
});

afterAll(() => fred.close());

const follow = { request: { fred: ['GDP'] } };

async function imported(series: typeof gdp, day = lastDay) {
  const store = newStorePath(folder);
  await importHistory(store, series, day);
  return contentOf(store, 'GDP');
}

describe('a pulled history of FRED', () => {
  it('is that of an import of the whole recorded answer', async () => {
    const store = newStorePath(folder);
    const { subjects, stops } = await pullFrom(fred, store, follow);
    expect([subjects[0]?.outcome, stops]).toEqual(['pulled', []]);
    expect(await contentOf(store, 'GDP')).toEqual(await imported(gdp));
  });

  it('is the same for any limits of vintages and rows in an answer', async () => {
    const whole = await imported(recent);
    const sizes = fc.record({
      maxVintages: fc.oneof(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 2000 })),
      maxRows: fc.oneof(fc.integer({ min: 20, max: 500 }), fc.constant(100_000)),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (limits) => {
        Object.assign(fred.state, { series: { GDP: recent }, ...limits });
        const store = newStorePath(folder);
        const { subjects } = await pullFrom(fred, store, follow);
        expect(subjects[0]).toMatchObject({ outcome: 'pulled', left: '' });
        expect(await contentOf(store, 'GDP')).toEqual(whole);
      }),
      { numRuns: 25 },
    );
  });

  it('is the same after interruptions at any requests, and right up to its bookmark after each of them', async () => {
    const whole = await imported(recent);
    const faults: readonly Fault[] = [
      'reset',
      'cut',
      'half',
      'bad-gateway',
      'locked',
      'throttled',
      'forbidden',
    ];
    const plan = fc.record({
      maxVintages: fc.integer({ min: 1, max: 40 }),
      interruptions: fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.constantFrom(...faults)), {
        minLength: 1,
        maxLength: 6,
      }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ maxVintages, interruptions }) => {
        Object.assign(fred.state, { series: { GDP: recent }, maxVintages });
        const store = newStorePath(folder);
        for (const [after, fault] of interruptions) {
          const first = fred.requests.length;
          fred.state.fault = (number) => (number - first === after ? fault : undefined);
          await pullFrom(fred, store, { ...follow, retries: 0, maxWait: 0 });
          await expectRightUpToBookmark(store);
        }
        fred.state.fault = () => undefined;
        await pullFrom(fred, store, follow);
        expect(await contentOf(store, 'GDP')).toEqual(whole);
      }),
      { numRuns: 25 },
    );
  });

  it('is the same where FRED throttles and fails at any requests, as long as the pull may wait', async () => {
    const whole = await imported(recent);
    const fault = fc.constantFrom<Fault | undefined>(
      'throttled',
      'forbidden',
      'bad-gateway',
      'half',
      'reset',
      undefined,
      undefined,
      undefined,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 30 }), async (faults) => {
        const first = fred.requests.length;
        Object.assign(fred.state, {
          series: { GDP: recent },
          maxVintages: 30,
          fault: (number: number) => faults[number - first],
        });
        const store = newStorePath(folder);
        const time = new VirtualTime();
        const summary = await pullFrom(fred, store, {
          ...follow,
          timing: time.timing,
          maxWait: 10_000,
          retries: 40,
        });
        expect(summary.stops).toEqual([]);
        expect(await contentOf(store, 'GDP')).toEqual(whole);
        const met = faults.slice(0, fred.requests.length - first);
        const throttles = met.filter((one) => one === 'throttled' || one === 'forbidden').length;
        expect(time.sleeps.filter((milliseconds) => milliseconds >= 59_000).length).toBe(throttles);
      }),
      { numRuns: 25 },
    );
  });

  it('is the same after any days of incremental runs', async () => {
    const days = fc.subarray(vintageDays, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(days, fc.integer({ min: 0, max: 40 }), async (runs, later) => {
        Object.assign(fred.state, { series: { GDP: recent } });
        const store = newStorePath(folder);
        for (const day of runs) {
          // Also on days between vintages, and twice a day.
          const today = new Date(Date.parse(day) + later * 86_400_000).toISOString().slice(0, 10);
          fred.state.today = today < lastDay ? today : lastDay;
          await pullFrom(fred, store, follow);
          const before = await contentOf(store, 'GDP');
          const { subjects } = await pullFrom(fred, store);
          expect(subjects[0]).toMatchObject({ outcome: 'nothing-new', requests: 1 });
          expect(await contentOf(store, 'GDP')).toEqual(before);
          expect(before).toEqual(await imported(recent, fred.state.today));
        }
      }),
      { numRuns: 15, examples: [[['2019-04-26', '2022-11-30'], 0]] },
    );
  });

  it('takes one request when it is pulled again on the day of its first vintage, and gets what comes later', async () => {
    const [first = ''] = vintageDays;
    Object.assign(fred.state, { series: { GDP: recent }, today: first });
    const store = newStorePath(folder);
    await pullFrom(fred, store, follow);
    expect((await pullFrom(fred, store)).subjects[0]).toMatchObject({ outcome: 'nothing-new', requests: 1 });
    fred.state.today = lastDay;
    await pullFrom(fred, store);
    expect(await contentOf(store, 'GDP')).toEqual(await imported(recent));
  });

  it('gives exactly the new vintages over the store of an older state', async () => {
    const older = {
      ...gdp,
      rows: recordedRows('macro/fred-api/GDP-observations-realtime_end-2019-01-01.json'),
    };
    const store = newStorePath(folder);
    fred.state.today = '2019-01-01';
    await pullFrom(fred, store, follow);
    expect(await contentOf(store, 'GDP')).toEqual(await imported(older, '2019-01-01'));
    fred.state.today = lastDay;
    fred.requests.length = 0;
    const { subjects } = await pullFrom(fred, store);
    const news = vintagesAfter('2019-01-01');
    expect(subjects[0]).toMatchObject({ outcome: 'pulled', counts: { new_vintages: news.length } });
    // One request for the vintages, and one for the description, which may have changed with them.
    expect(fred.requests.map(({ path }) => path)).toEqual(['series/observations', 'series']);
    expect(fred.requests[0]?.query).toMatchObject({ realtime_start: '2018-12-21', realtime_end: lastDay });
    expect(await contentOf(store, 'GDP')).toEqual(await imported(gdp));
  });

  it('gives exactly the new vintages over an import of an older answer', async () => {
    const older = {
      ...gdp,
      rows: recordedRows('macro/fred-api/GDP-observations-realtime_end-2019-01-01.json'),
    };
    const store = newStorePath(folder);
    await importHistory(store, older, '2019-01-01');
    const { subjects } = await pullFrom(fred, store, follow);
    expect(subjects[0]?.counts.new_vintages).toBe(vintagesAfter('2019-01-01').length);
    expect(await contentOf(store, 'GDP')).toEqual(await imported(gdp));
  });
});

/** The vintage dates that FRED recorded after a day. */
function vintagesAfter(day: string): readonly string[] {
  return [...new Set(gdp.rows.map((row) => row.realtime_start))].filter((vintage) => vintage > day);
}

/** The store has every statement up to the day that it says it covers, and none after it. */
async function expectRightUpToBookmark(store: string): Promise<void> {
  const followed = await reading(store, (view) => view.sources.followed()).catch(() => []);
  const upTo = followed.find(({ name }) => name === 'GDP')?.upTo;
  if (upTo === undefined) return;
  const { statements, series } = await contentOf(store, 'GDP');
  const published = historyUpTo(recent.rows, upTo).map(
    ({ date, realtime_start: asOf, value }) => `${date} ${asOf} ${value === '.' ? null : value}`,
  );
  expect(statements.map(({ date, asOf, value }) => `${date} ${asOf} ${value}`).sort()).toEqual(
    published.sort(),
  );
  expect(series).toMatchObject({ coveredTo: upTo });
}
