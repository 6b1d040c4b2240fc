import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type MergePlan,
  planCompletion,
  planMerge,
  planMove,
  type StoredSeries,
  type StoredVintage,
} from '../../../../src/domain/series/merge-plan.ts';
import { type Change, knownOn, type StoredChange } from '../../../../src/domain/series/revision-history.ts';
import { Statements } from '../../../../src/domain/series/statements.ts';
import { type Frequency, storedDate } from '../../../../src/domain/values/date.ts';
import { parseDateSet } from '../../../../src/domain/values/date-set.ts';
import { agreeing, contradicting, days, onePerKey, runs, seriesIds } from '../../../support/arbitrary.ts';
import {
  emptyModel,
  importInto,
  type ModelStatement,
  type NaiveModel,
  revisionsOf,
  statementsOf,
} from '../../../support/knowledge.ts';

/** The rows of one series, as a store keeps them, in memory. Refuses what the keys of a table would refuse. */
class SeriesRows {
  readonly #changes = new Map<string, StoredChange>();
  readonly #vintages = new Map<string, StoredVintage>();
  #frequency: Frequency = '';

  /** The rows that a merge is planned against. */
  held(): StoredSeries {
    const changes = new Map<string, Change[]>();
    for (const { date, asOf, value } of this.changes()) {
      const known = changes.get(date) ?? [];
      changes.set(date, [...known, { asOf, value }]);
    }
    const vintages = [...this.#vintages.values()].sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
    return { frequency: this.#frequency, vintages, changes };
  }

  /** Applies a plan; from then on dates are normalised to a frequency. */
  apply(plan: MergePlan, frequency: Frequency = this.#frequency): void {
    for (const row of plan.removed) {
      const held = this.#changes.get(keyOf(row));
      if (held?.value !== row.value || held.kind !== row.kind)
        throw new Error(`the plan removes a row that is not there: ${keyOf(row)}`);
      this.#changes.delete(keyOf(row));
    }
    for (const row of plan.inserted) {
      if (this.#changes.has(keyOf(row))) throw new Error(`the plan inserts a row twice: ${keyOf(row)}`);
      this.#changes.set(keyOf(row), row);
    }
    for (const vintage of plan.vintages) this.#vintages.set(vintage.asOf, vintage);
    this.#frequency = frequency;
  }

  /** All changes, by date and then as-of date. */
  changes(): readonly StoredChange[] {
    return [...this.#changes.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** Every statement that the rows hold, as `date asOf value`, sorted. */
  statements(): readonly string[] {
    const { vintages, changes } = this.held();
    const dates = new Set(vintages.flatMap((vintage) => parseDateSet(vintage.dates, this.#frequency).days()));
    return vintages
      .flatMap(({ asOf, dates: listed, complete }) =>
        [...dates]
          .filter((date) => complete || parseDateSet(listed, this.#frequency).has(date))
          .map((date) => `${date} ${asOf} ${knownOn(changes.get(date) ?? [], asOf) ?? 'withdrawn'}`),
      )
      .sort();
  }
}

function keyOf({ date, asOf }: StoredChange): string {
  return `${date} ${asOf}`;
}

const keep = { replace: false };

/** Merges statements into rows; returns the plan. */
function merge(
  rows: SeriesRows,
  said: readonly Omit<ModelStatement, 'series'>[],
  replace = false,
): MergePlan {
  const plan = planMerge(rows.held(), new Statements('X', said), { replace });
  rows.apply(plan);
  return plan;
}

/** The rows after a merge of these statements about X: `2020-01-01 2020-03-01 1` gives one. */
function rowsOf(...lines: readonly string[]): SeriesRows {
  const rows = new SeriesRows();
  merge(rows, lines.map(said));
  return rows;
}

function said(line: string): ModelStatement {
  const [date = '', asOf = '', value = null] = line.split(' ');
  return { series: 'X', date, asOf, value };
}

/** Statements of the series X that agree, some of them repeated. */
const ofOneSeries = agreeing.map((items) =>
  items
    .filter((item) => item.said.series === seriesIds[0])
    .map((item) => ({ piece: item.piece, said: { ...item.said, series: 'X' } })),
);
const statementsIn = <T>(items: readonly { readonly said: T }[]) => items.map((item) => item.said);

/** Imports of statements of X that may contradict each other. */
const contradictory = contradicting.map((imports) =>
  imports.map((items) => statementsIn(items).map((one) => ({ ...one, series: 'X' }))),
);

/** Items in batches, by their batch numbers. */
function batches<T extends { readonly piece: number }>(items: readonly T[]): readonly (readonly T[])[] {
  return [0, 1, 2, 3].map((batch) => items.filter(({ piece }) => piece % 4 === batch));
}

/** Expects the rows to hold every statement, and a fact exactly where the number changes. */
function expectRows(rows: SeriesRows, known: NaiveModel): void {
  const statements = statementsOf(known, 'X');
  const texts = statements.map(({ date, asOf, value }) => `${date} ${asOf} ${value ?? 'withdrawn'}`);
  expect(rows.statements()).toEqual(texts.sort());
  const facts = [...new Set(statements.map(({ date }) => date))].flatMap((date) =>
    revisionsOf(known, 'X', date).map((change) => ({ ...change, kind: 'fact' })),
  );
  expect(rows.changes().filter(({ kind }) => kind === 'fact')).toEqual(facts);
}

describe('a plan to merge statements', () => {
  it('keeps every statement, in any batches and any order, and writes nothing for those that are held', () => {
    fc.assert(
      fc.property(ofOneSeries, (items) => {
        const rows = new SeriesRows();
        for (const batch of batches(items)) {
          const plan = merge(rows, statementsIn(batch));
          expect(plan.conflicts).toEqual([]);
          expect(plan.added + plan.known).toBe(batch.length);
          expect(plan.added).toBeLessThanOrEqual(onePerKey(statementsIn(batch)).length);
        }
        expectRows(rows, importInto(emptyModel, statementsIn(batches(items).flat())).after);
        const again = planMerge(rows.held(), new Statements('X', statementsIn(items)), keep);
        expect([[...again.removed], [...again.inserted], again.vintages]).toEqual([[], [], []]);
        expect([again.added, again.known]).toEqual([0, items.length]);
      }),
      { numRuns: runs(250) },
    );
  });

  it('needs only the changes of the dates that the statements are about', () => {
    fc.assert(
      fc.property(ofOneSeries, ofOneSeries, (before, after) => {
        const rows = new SeriesRows();
        merge(rows, onePerKey(statementsIn(before)));
        const held = rows.held();
        const statements = new Statements('X', statementsIn(after));
        const dates = new Set(statements.dates.distinct());
        const changes = new Map([...held.changes].filter(([date]) => dates.has(date)));
        expect(planMerge({ ...held, changes }, statements, { replace: true })).toEqual(
          planMerge(held, statements, { replace: true }),
        );
      }),
      { numRuns: runs(150) },
    );
  });

  it('lists every conflict and keeps the statements held', () => {
    type Conflict = { date: string; asOf: string; held: string | null; given: string | null };
    const textsOf = (conflicts: readonly Conflict[]) =>
      conflicts.map(({ date, asOf, held, given }) => [date, asOf, held, given].join(' ')).sort();
    fc.assert(
      fc.property(contradictory, (imports) => {
        const rows = new SeriesRows();
        let known = emptyModel;
        for (const news of imports) {
          const { after, contradictions } = importInto(known, news);
          const expected = contradictions.map((one) => ({
            ...one.said,
            held: one.held,
            given: one.said.value,
          }));
          expect(textsOf(merge(rows, news).conflicts)).toEqual(textsOf(expected));
          known = after;
        }
        expectRows(rows, known);
      }),
      { numRuns: runs(200) },
    );
  });

  it('with replace, accepts the new statements and changes no others', () => {
    fc.assert(
      fc.property(contradictory, (imports) => {
        const rows = new SeriesRows();
        let known = emptyModel;
        for (const news of imports.map(onePerKey)) {
          known = importInto(known, news, { replace: true }).after;
          expect(merge(rows, news, true).conflicts).toEqual([]);
        }
        expectRows(rows, known);
      }),
      { numRuns: runs(200) },
    );
  });

  it('counts every statement without a value as added, and as a withdrawal if a value was known until then', () => {
    const statements = ['2020-01-01 2020-02-01', '2020-02-01 2020-02-01 1', '2020-02-01 2020-03-01'].map(
      said,
    );
    const counts = { added: 3, known: 0, withdrawn: 1 };
    expect(planMerge(new SeriesRows().held(), new Statements('X', statements), keep)).toMatchObject(counts);
  });
});

describe('a plan to complete vintages', () => {
  it('withdraws every known date that they do not list, in any order', () => {
    const vintages = fc.uniqueArray(fc.constantFrom(...days), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(ofOneSeries, vintages, fc.nat(4), (items, wanted, place) => {
        const statements = onePerKey(statementsIn(items));
        const whole = wanted.filter((day) => statements.some(({ asOf }) => asOf === day));
        const isWhole = ({ asOf }: ModelStatement) => whole.includes(asOf);
        const rows = new SeriesRows();
        const others = statements
          .filter((item) => !isWhole(item))
          .map((item, piece) => ({ piece, said: item }));
        const steps = batches(others).map((batch) => () => void merge(rows, statementsIn(batch)));
        // The plan includes the statements of the whole vintages.
        steps.splice(place, 0, () => {
          const own = statements.filter(isWhole);
          merge(rows, own);
          const complete = whole.map((asOf) => ({
            asOf,
            dates: new Set(own.filter((item) => item.asOf === asOf).map(({ date }) => date)),
          }));
          rows.apply(planCompletion(rows.held(), complete, keep));
        });
        for (const step of steps) step();
        const complete = whole.map((asOf) => ({ series: 'X', asOf }));
        expectRows(rows, importInto(emptyModel, statements, { complete }).after);
      }),
      { numRuns: runs(200) },
    );
  });

  it('uses the dates in the store for a vintage without dates', () => {
    const rows = rowsOf('2020-01-01 2020-03-01 1', '2020-02-01 2020-03-01 1', '2020-01-01 2020-04-01 2');
    const plan = planCompletion(rows.held(), [{ asOf: '2020-04-01' }], keep);
    expect(plan).toMatchObject({ added: 1, withdrawn: 1 });
    rows.apply(plan);
    expect(rows.statements()).toEqual([
      '2020-01-01 2020-03-01 1',
      '2020-01-01 2020-04-01 2',
      '2020-02-01 2020-03-01 1',
      '2020-02-01 2020-04-01 withdrawn',
    ]);
  });

  it('lists a conflict if the vintage omits a date that it states', () => {
    const rows = rowsOf('2020-01-01 2020-03-01 1');
    const plan = planCompletion(rows.held(), [{ asOf: '2020-03-01', dates: new Set() }], keep);
    expect(plan.conflicts).toEqual([{ date: '2020-01-01', asOf: '2020-03-01', held: '1', given: null }]);
  });
});

describe('a plan to move dates to their periods', () => {
  /** Statements about any days; those about one period on one day agree, whichever of these frequencies it is of. */
  const stamps = fc.array(
    fc.record({
      date: fc
        .integer({ min: 0, max: 800 })
        .map((n) => new Date(Date.UTC(2019, 10, 15 + n)).toISOString().slice(0, 10)),
      asOf: fc.constantFrom('2022-01-05', '2022-02-05', '2022-03-05'),
      piece: fc.nat(3),
    }),
    { minLength: 1, maxLength: 14 },
  );
  const frequencies = fc.constantFrom<Frequency>('M', 'Q', 'A');
  const detour = fc.array(fc.constantFrom<Frequency>('', 'M', 'Q', 'A'), { maxLength: 2 });

  it('produces the same rows as a frequency that was known from the start', () => {
    fc.assert(
      fc.property(stamps, frequencies, fc.nat(4), detour, (items, frequency, place, detours) => {
        const stated = items.map(({ date, asOf, piece }) => ({
          piece,
          said: said(`${date} ${asOf} ${date.slice(2, 4)}.${asOf.slice(6, 7)}`),
        }));
        const rows = new SeriesRows();
        const steps = batches(stated).map((batch) => () => void merge(rows, statementsIn(batch)));
        steps.splice(place, 0, () => {
          for (const to of [...detours, frequency]) {
            const plan = planMove(rows.held(), to);
            expect(plan.conflicts).toEqual([]);
            rows.apply(plan, to);
          }
        });
        for (const step of steps) step();
        const moved = statementsIn(stated).map((one) => ({ ...one, date: storedDate(one.date, frequency) }));
        expectRows(rows, importInto(emptyModel, moved).after);
      }),
      { numRuns: runs(200) },
    );
  });

  it('keeps a vintage complete, listed by any day of a period', () => {
    const rows = rowsOf(
      ...['2020-01-01', '2020-02-01', '2020-03-01'].map((date) => `${date} 2020-06-01 1`),
      ...['2020-01-31', '2020-03-31'].map((date) => `${date} 2020-07-01 1`),
    );
    rows.apply(planCompletion(rows.held(), [{ asOf: '2020-07-01' }], keep));
    rows.apply(planMove(rows.held(), 'M'), 'M');
    expect(rows.statements()).toEqual([
      '2020-01-01 2020-06-01 1',
      '2020-01-01 2020-07-01 1',
      '2020-02-01 2020-06-01 1',
      '2020-02-01 2020-07-01 withdrawn',
      '2020-03-01 2020-06-01 1',
      '2020-03-01 2020-07-01 1',
    ]);
  });

  it('lists two different values in one period as a conflict', () => {
    const rows = rowsOf('2020-01-01 2020-05-01 1', '2020-03-01 2020-05-01 2');
    expect(planMove(rows.held(), 'Q').conflicts).toEqual([
      {
        ...{ date: '2020-01-01', asOf: '2020-05-01', held: '1', given: '2' },
        period: { frequency: 'Q', held: '2020-01-01', given: '2020-03-01' },
      },
    ]);
  });
});
