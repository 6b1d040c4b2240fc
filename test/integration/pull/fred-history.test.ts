import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays, earlier } from '../../../src/domain/series/date.ts';
import type { PullOptions } from '../../../src/pull/options.ts';
import { runs } from '../../support/arbitrary.ts';
import {
  fredFaults,
  type LoopbackFred,
  loopbackFred,
  recordedGdp,
  recordedRows,
} from '../../support/pull/loopback-fred.ts';
import type { Trouble } from '../../support/pull/loopbacks.ts';
import {
  contentOf,
  historyUpTo,
  importHistory,
  type Pulled,
  type Puller,
  puller,
} from '../../support/pull/pulling.ts';

const gdp = recordedGdp();
/** The dates from 2019 on: a history with revisions and 71 vintages, small enough for many runs. */
const recent = recordedGdp('2019-01-01');
const vintageDays = [...new Set(recent.rows.map((row) => row.realtime_start))].sort();
const lastDay = '2025-01-20';

/** The vintage dates that FRED recorded after 2019-01-01. */
const later = [...new Set(gdp.rows.map((row) => row.realtime_start))].filter((day) => day > '2019-01-01');
const older = {
  ...gdp,
  rows: recordedRows('macro/fred-api/GDP-observations-realtime_end-2019-01-01.json'),
};

let fred: LoopbackFred;

beforeAll(async () => {
  fred = await loopbackFred({ series: { GDP: recent } });
});

beforeEach(() => fred.restore());

const imported = async (series = recent, day = lastDay) => contentOf(await importHistory(series, day), 'GDP');

/** A new store that pulls GDP on a day of FRED. */
function newStore(fixed: Partial<PullOptions> = {}) {
  const own = puller(fred, { request: { fred: ['GDP'] }, ...fixed });
  const pull = (today = lastDay, options: Partial<PullOptions> = {}): Promise<Pulled> => {
    fred.state.today = today;
    return own.pull(`${today}T18:00:00Z`, options);
  };
  return { ...own, pull, content: () => contentOf(own.store, 'GDP') };
}

/** The requests of a pull go wrong in this order, from the next one on. */
function failNext(...faults: readonly Trouble[]): void {
  const { length: first } = fred.asked;
  fred.trouble = (number) => faults[number - first];
}

describe('a pulled history of FRED', () => {
  it('is the same for any limits of vintages and rows in an answer', async () => {
    const whole = await imported();
    const sizes = fc.record({
      maxVintages: fc.oneof(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 2000 })),
      maxRows: fc.oneof(fc.integer({ min: 20, max: 500 }), fc.constant(100_000)),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (limits) => {
        fred.restore(limits);
        const { pull, content } = newStore();
        expect((await pull()).subjects).toMatchObject([{ outcome: 'pulled', left: '' }]);
        expect(await content()).toEqual(whole);
      }),
      { numRuns: runs(10) },
    );
  });

  it('is the same after interruptions at any requests, and right up to its bookmark after each of them', async () => {
    const whole = await imported();
    const faults = ['reset', 'cut', ...Object.values(fredFaults)] as const;
    const plan = fc.record({
      maxVintages: fc.integer({ min: 1, max: 40 }),
      interruptions: fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.constantFrom(...faults)), {
        minLength: 1,
        maxLength: 4,
      }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ maxVintages, interruptions }) => {
        fred.restore({ maxVintages });
        const { store, pull, content } = newStore({ maxWait: 0 });
        for (const [after, fault] of interruptions) {
          failNext(...Array<Trouble>(after).fill(undefined), fault);
          const { followed } = await pull();
          await expectRightUpToBookmark(store, followed);
        }
        fred.trouble = () => undefined;
        await pull();
        expect(await content()).toEqual(whole);
      }),
      { numRuns: runs(10) },
    );
  });

  it('is the same where FRED throttles and fails at any requests, as long as the pull may wait', async () => {
    const whole = await imported();
    const { throttled, forbidden, badGateway, half } = fredFaults;
    const faults = [throttled, forbidden, badGateway, half, 'reset', ...Array(3).fill(undefined)] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom<Trouble>(...faults), { maxLength: 30 }), async (some) => {
        fred.restore({ maxVintages: 30 });
        failNext(...some);
        const { pull, content } = newStore({ maxWait: 10_000, retries: 40 });
        const { stops, waits, asked } = await pull();
        expect(stops).toEqual([]);
        expect(await content()).toEqual(whole);
        const met = some.slice(0, asked.length);
        const throttles = met.filter((one) => one === throttled || one === forbidden).length;
        expect(waits.filter((milliseconds) => milliseconds >= 59_000).length).toBe(throttles);
      }),
      { numRuns: runs(10) },
    );
  });

  it('is the same after any days of incremental runs', async () => {
    const days = fc.subarray(vintageDays, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(days, fc.integer({ min: 0, max: 40 }), async (runDays, after) => {
        const { pull, content } = newStore();
        for (const day of [...runDays, lastDay]) {
          // Also on days between vintages, and twice a day.
          const today = earlier(addDays(day, after), lastDay);
          await pull(today);
          const before = await content();
          const { subjects } = await pull(today, { request: undefined });
          expect(subjects).toMatchObject([{ outcome: 'nothing-new', requests: 1 }]);
          expect(await content()).toEqual(before);
          expect(before).toEqual(await imported(recent, today));
        }
      }),
      { numRuns: runs(8), examples: [[['2019-04-26', '2022-11-30'], 0]] },
    );
  });

  it('is that of an import of the recorded answers, and gets exactly the vintages that are new', async () => {
    fred.restore({ series: { GDP: gdp } });
    const { pull, content } = newStore();
    await pull('2019-01-01');
    expect(await content()).toEqual(await imported(older, '2019-01-01'));
    const { length: from } = fred.queries;
    const { asked, subjects } = await pull();
    expect(subjects).toMatchObject([{ outcome: 'pulled', counts: { new_vintages: later.length } }]);
    // One request for the vintages, and one for the description, which may have changed with them.
    expect(asked).toEqual(['series/observations', 'series']);
    expect(fred.queries[from]).toMatchObject({ realtime_start: '2018-12-21', realtime_end: lastDay });
    expect(await content()).toEqual(await imported(gdp));
  });

  it('gets exactly the new vintages over an import of an older answer', async () => {
    fred.restore({ series: { GDP: gdp } });
    const { store, pull, content } = newStore();
    await importHistory(older, '2019-01-01', { store });
    expect((await pull()).subjects).toMatchObject([{ counts: { new_vintages: later.length } }]);
    expect(await content()).toEqual(await imported(gdp));
  });
});

/** The store has every statement up to the day that it says it covers, and none after it. */
async function expectRightUpToBookmark(store: Puller['store'], [record]: Pulled['followed']): Promise<void> {
  const upTo = record?.upTo;
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
