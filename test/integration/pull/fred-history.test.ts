import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays, earlier, later, weekendDay } from '../../../src/domain/values/date.ts';
import type { PullOptions } from '../../../src/pull/options.ts';
import { runs } from '../../support/arbitrary.ts';
import {
  fredFaults,
  type HistoryRow,
  type LoopbackFred,
  type LoopbackSeries,
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
const laterDays = [...new Set(gdp.rows.map((row) => row.realtime_start))].filter((day) => day > '2019-01-01');
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
      { numRuns: runs(6) },
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
      { numRuns: runs(6) },
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
      { numRuns: runs(6) },
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
      { numRuns: runs(5), examples: [[['2019-04-26', '2022-11-30'], 0]] },
    );
  });

  it('is that of an import of the recorded answers, and gets exactly the vintages that are new', async () => {
    fred.restore({ series: { GDP: gdp } });
    const { pull, content } = newStore();
    await pull('2019-01-01');
    expect(await content()).toEqual(await imported(older, '2019-01-01'));
    const { length: from } = fred.queries;
    const { asked, subjects } = await pull();
    expect(subjects).toMatchObject([{ outcome: 'pulled', counts: { new_vintages: laterDays.length } }]);
    // One request for the vintages, and one for the description, which may have changed with them.
    expect(asked).toEqual(['series/observations', 'series']);
    expect(fred.queries[from]).toMatchObject({ realtime_start: '2018-12-21', realtime_end: lastDay });
    expect(await content()).toEqual(await imported(gdp));
  });

  it('gets exactly the new vintages over an import of an older answer', async () => {
    fred.restore({ series: { GDP: gdp } });
    const { store, pull, content } = newStore();
    await importHistory(older, '2019-01-01', { store });
    expect((await pull()).subjects).toMatchObject([{ counts: { new_vintages: laterDays.length } }]);
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

/** What happens at FRED, or to a store that pulls from it. */
type Step =
  | {
      readonly kind: 'publish';
      readonly after: number;
      readonly added: number;
      readonly revised: 'nothing' | 'some' | 'each first of a longer period' | 'all but a few';
      readonly number: number;
    }
  /** A date that comes to be known under vintages of the past. */
  | { readonly kind: 'backfill'; readonly vintages: readonly number[] }
  | { readonly kind: 'remove'; readonly vintage: number }
  | { readonly kind: 'move'; readonly vintage: number; readonly by: 1 | -1 }
  | { readonly kind: 'pull'; readonly after: number; readonly full: boolean };

/** A frequency, its dates from 2000 on, and how many of its periods the next longer ones have. */
const calendars = {
  M: { longer: [3, 12], dateAt: (i: number) => dayOfMonth(i) },
  Q: { longer: [4], dateAt: (i: number) => dayOfMonth(3 * i) },
  D: { longer: [5], dateAt: (i: number) => weekdayAt(i) },
} as const;

function dayOfMonth(months: number): string {
  return new Date(Date.UTC(2000, months, 1)).toISOString().slice(0, 10);
}

/** The weekdays from Friday, 7 January 2000, on. */
function weekdayAt(i: number): string {
  const day = addDays('2000-01-07', Math.floor(i / 5) * 7 + (i % 5) + (i % 5 === 0 ? 0 : 2));
  if (weekendDay(day) !== undefined) throw new Error(`${day} is on a weekend`);
  return day;
}

/** A frequency whose dates have longer periods. */
const rhythms = fc.constantFrom(...(Object.keys(calendars) as (keyof typeof calendars)[]));

const published = fc.record({
  kind: fc.constant('publish' as const),
  after: fc.nat(30),
  added: fc.nat(2),
  revised: fc.constantFrom('nothing', 'some', 'each first of a longer period', 'all but a few'),
  number: fc.nat(1000),
});
const backfilled = fc.record({
  kind: fc.constant('backfill' as const),
  vintages: fc.array(fc.nat(100), { minLength: 1, maxLength: 2 }),
});
const removed = fc.record({ kind: fc.constant('remove' as const), vintage: fc.nat(100) });
const moved = fc.record({
  kind: fc.constant('move' as const),
  vintage: fc.nat(100),
  by: fc.constantFrom(1 as const, -1 as const),
});
const pulled = (full: fc.Arbitrary<boolean>) =>
  fc.record({ kind: fc.constant('pull' as const), after: fc.nat(3), full });

/** Steps in which FRED adds to its past, and takes nothing back. */
const additions: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: published }, backfilled, {
    weight: 2,
    arbitrary: pulled(fc.constant(false)),
  }),
  { minLength: 3, maxLength: 12 },
);

/** Steps in which FRED also removes vintages, or moves them by a day. */
const rewrites: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: published }, backfilled, removed, moved, {
    weight: 2,
    arbitrary: pulled(fc.boolean()),
  }),
  { minLength: 3, maxLength: 12 },
);

const datesAtFirst = 60;

/** The history of a series at FRED, which steps change. */
class RewrittenHistory {
  readonly #frequency: keyof typeof calendars;
  /** What each vintage states, oldest first after sorting. */
  #vintages = new Map<string, Map<string, string>>();
  #first = 1000;
  #next = 1000 + datesAtFirst;
  /** The day at FRED. */
  today = '2020-03-02';

  constructor(frequency: keyof typeof calendars) {
    this.#frequency = frequency;
    const dates = Array.from(
      { length: datesAtFirst },
      (_, i) => [this.#dateAt(1000 + i), `${i % 3}`] as const,
    );
    this.#vintages.set(this.today, new Map(dates));
  }

  take(step: Exclude<Step, { readonly kind: 'pull' }>): void {
    const days = [...this.#vintages.keys()].sort();
    const dayAt = (place: number) => days[place % days.length] ?? '';
    if (step.kind === 'publish') this.#publish(step, days.at(-1) ?? '');
    else if (step.kind === 'backfill') {
      this.#first -= 1;
      const date = this.#dateAt(this.#first);
      for (const [i, place] of step.vintages.entries())
        this.#vintages.get(dayAt(place))?.set(date, `${7 + i}`);
    } else if (step.kind === 'remove' && days.length > 1) this.#vintages.delete(dayAt(step.vintage));
    else if (step.kind === 'move') {
      const day = dayAt(step.vintage);
      const other = addDays(day, step.by);
      const own = this.#vintages.get(day);
      if (own === undefined || this.#vintages.has(other) || other > this.today) return;
      this.#vintages.delete(day);
      this.#vintages.set(other, own);
    }
  }

  /** The rows that FRED has: a value that is the same as before begins no new period. */
  rows(): readonly HistoryRow[] {
    const changes = new Map<string, { readonly from: string; readonly value: string }[]>();
    for (const [from, stated] of [...this.#vintages].sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const [date, value] of stated) {
        const own = changes.get(date) ?? [];
        changes.set(date, own);
        // FRED does not say that a date has no value before it has had one.
        if (own.length === 0 ? value !== '.' : own.at(-1)?.value !== value) own.push({ from, value });
      }
    return [...changes].flatMap(([date, own]) =>
      own.map(({ from, value }, i) => {
        const next = own[i + 1];
        const end = next === undefined ? '9999-12-31' : addDays(next.from, -1);
        return { realtime_start: from, realtime_end: end, date, value };
      }),
    );
  }

  /** The series at FRED; FRED says the frequency of every series that it has in the contract's words. */
  series(id: string): LoopbackSeries {
    const description = { id, title: 'A series', units: 'Units', frequency_short: this.#frequency };
    return { description, rows: this.rows() };
  }

  #publish({ after, added, revised, number }: Extract<Step, { kind: 'publish' }>, last: string): void {
    this.today = addDays(later(addDays(last, 1), this.today), after);
    const stated = new Map<string, string>();
    const { longer } = calendars[this.#frequency];
    const each = longer[number % longer.length] ?? 1;
    const value = `${number % 4}.5`.replace('3.5', '.');
    for (let i = this.#first; i < this.#next; i += 1) {
      const isRevised = {
        nothing: false,
        some: (i * 7 + number) % 11 === 0,
        'each first of a longer period': i % each === 0,
        'all but a few': (i + number) % 7 !== 0,
      }[revised];
      if (isRevised) stated.set(this.#dateAt(i), revised === 'some' ? value : `${number % 3}`);
    }
    for (let i = 0; i < added; i += 1) stated.set(this.#dateAt(this.#next + i), `${i}`);
    this.#next += added;
    if (stated.size > 0) this.#vintages.set(this.today, stated);
  }

  #dateAt(i: number): string {
    return calendars[this.#frequency].dateAt(i - 900);
  }
}

const limits = fc.record({
  maxVintages: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(2000)),
  maxRows: fc.constantFrom(50, 100_000),
});

/** A store that pulls the series X from a FRED whose history steps change. */
class RewrittenStore {
  readonly #since: string;
  readonly #own: ReturnType<typeof puller>;
  readonly history: RewrittenHistory;

  constructor(history: RewrittenHistory, since?: string) {
    this.history = history;
    this.#since = since ?? '1776-07-04';
    this.#own = puller(fred, { request: { fred: ['X'] }, since });
  }

  async pull(full = false) {
    const { today } = this.history;
    Object.assign(fred.state, { today, series: { X: this.history.series('X') } });
    const { stops, ends, said } = await this.#own.pull(`${today}T18:00:00Z`, { full });
    expect(stops).toEqual([]);
    return { said, isConflict: ends[0] === 'X conflict: bad-answer' };
  }

  content() {
    return contentOf(this.#own.store, 'X');
  }

  /** What the store states: `2020-01-01 2020-02-01 1.5`. */
  async statements(): Promise<readonly string[]> {
    const { statements } = await this.content().catch(() => ({ statements: [] }));
    return statements.map(({ date, asOf, value }) => `${date} ${asOf} ${value ?? '.'}`);
  }

  /** What FRED states now. */
  published(): ReadonlySet<string> {
    const rows = historyUpTo(this.history.rows(), this.history.today);
    return new Set(rows.map(({ date, realtime_start: from, value }) => `${date} ${from} ${value}`));
  }

  /** The content of a store into which the last answer of FRED was imported. */
  async imported() {
    const { history } = this;
    const store = await importHistory(history.series('X'), history.today, { from: this.#since });
    return contentOf(store, 'X');
  }
}

/** Takes steps; a pull is what `onPull` does. */
async function take(
  steps: readonly Step[],
  history: RewrittenHistory,
  onPull: (full: boolean) => Promise<void>,
): Promise<void> {
  for (const step of steps)
    if (step.kind !== 'pull') history.take(step);
    else {
      history.today = addDays(history.today, step.after);
      await onPull(step.full);
    }
}

const lastPull = (full = false): Step => ({ kind: 'pull', after: 0, full });

describe('a history to which FRED adds dates under vintages of the past, and vintages that change few dates', () => {
  it('is after each pull that of an import of the last answer', async () => {
    await fc.assert(
      fc.asyncProperty(rhythms, additions, limits, async (rhythm, steps, limited) => {
        fred.restore(limited);
        const own = new RewrittenStore(new RewrittenHistory(rhythm));
        await take([...steps, lastPull()], own.history, async () => {
          expect((await own.pull()).said).toBe('');
          expect(await own.content()).toEqual(await own.imported());
        });
      }),
      { numRuns: runs(9) },
    );
  });

  it('that begins on the day of --since is that of an import of an answer that begins then', async () => {
    await fc.assert(
      fc.asyncProperty(rhythms, additions, additions, limits, async (rhythm, before, after, limited) => {
        fred.restore(limited);
        const history = new RewrittenHistory(rhythm);
        await take(before, history, async () => undefined);
        const since = addDays(history.today, -1);
        const own = new RewrittenStore(history, since);
        await take([...after, lastPull()], history, async () => {
          expect((await own.pull()).said).toBe('');
          const content = await own.content();
          expect(content).toEqual(await own.imported());
          // The window made its first day; the others are days of publication.
          const kinds = content.vintages?.map(({ asOfDate, kind }) => [asOfDate > since, kind]);
          expect(kinds).toEqual(kinds?.map(([isLater]) => [isLater, isLater === true ? 'exact' : 'fetched']));
        });
      }),
      { numRuns: runs(5) },
    );
  });
});

describe('a history from which FRED also removes vintages, and whose vintages it moves by a day,', () => {
  it('is named by --full exactly if it lacks a statement of the store, and is otherwise that of an import', async () => {
    await fc.assert(
      fc.asyncProperty(rhythms, rewrites, limits, async (rhythm, steps, limited) => {
        fred.restore(limited);
        const own = new RewrittenStore(new RewrittenHistory(rhythm));
        await take([lastPull(), ...steps, lastPull(true)], own.history, async (full) => {
          const before = await own.statements();
          const published = own.published();
          const contradicted = before.filter((text) => !published.has(text));
          const { said, isConflict } = await own.pull(full);
          if (full || isConflict)
            expect([isConflict, contradicted]).toEqual([contradicted.length > 0, contradicted]);
          else expect(said).toBe('');
          // No pull invents a statement, or takes one away.
          const after = await own.statements();
          const known = new Set(before);
          expect(after.filter((text) => !known.has(text) && !published.has(text))).toEqual([]);
          expect(before.filter((text) => !after.includes(text))).toEqual([]);
          if (full && !isConflict) expect(await own.content()).toEqual(await own.imported());
        });
      }),
      { numRuns: runs(12) },
    );
  });
});
