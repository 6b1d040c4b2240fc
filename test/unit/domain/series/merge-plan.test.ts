import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frequency, keptDate } from '../../../../src/domain/series/date.ts';
import {
  type HeldSeries,
  type MergePlan,
  planCompletion,
  planMerge,
  planMove,
} from '../../../../src/domain/series/merge-plan.ts';
import { agreeing, contradicting, days, onePerKey, runs, seriesIds } from '../../../support/arbitrary.ts';
import { SeriesRows } from '../../../support/held-series.ts';
import {
  emptyModel,
  importInto,
  type ModelStatement,
  type NaiveModel,
  revisionsOf,
  statementsOf,
} from '../../../support/knowledge.ts';

const keep = { replace: false };
const empty: HeldSeries = { frequency: '', vintages: [], changes: new Map() };

/** Statements of the series X that agree. */
const ofOneSeries = agreeing.map((items) =>
  items
    .filter(({ said }) => said.series === seriesIds[0])
    .map(({ piece, said }) => ({ piece, said: inX(said) })),
);

function inX(said: ModelStatement): ModelStatement {
  return { ...said, series: 'X' };
}

/** Items in batches, by their batch numbers. */
function batches<T extends { readonly piece: number }>(items: readonly T[]): readonly (readonly T[])[] {
  return [0, 1, 2, 3].map((batch) => items.filter(({ piece }) => piece % 4 === batch));
}

function expectedStatements(known: NaiveModel): readonly string[] {
  return statementsOf(known, 'X')
    .map(({ date, asOf, value }) => `${date} ${asOf} ${value ?? 'withdrawn'}`)
    .sort();
}

/** Expects the rows to hold every statement, and a fact exactly where the number changes. */
function expectRows(rows: SeriesRows, known: NaiveModel): void {
  expect(rows.statements()).toEqual(expectedStatements(known));
  const dates = [...new Set(statementsOf(known, 'X').map(({ date }) => date))];
  const facts = dates.flatMap((date) =>
    revisionsOf(known, 'X', date).map(({ asOfDate, value }) => ({
      date,
      asOf: asOfDate,
      value,
      kind: 'fact',
    })),
  );
  expect(rows.changes().filter(({ kind }) => kind === 'fact')).toEqual(facts);
}

function isEmpty({ removed, inserted, vintages }: MergePlan): boolean {
  return removed.length + inserted.length + vintages.length === 0;
}

describe('a plan to merge statements', () => {
  it('keeps every statement, in any batches and any order', () => {
    fc.assert(
      fc.property(ofOneSeries, (items) => {
        const rows = new SeriesRows();
        for (const batch of batches(items)) {
          const statements = onePerKey(batch.map(({ said }) => said));
          const plan = planMerge(
            rows.held(),
            batch.map(({ said }) => ({ ...said, seriesId: 'X' })),
            keep,
          );
          expect(plan.conflicts).toEqual([]);
          expect(plan.added + plan.known).toBe(batch.length);
          expect(plan.added).toBeLessThanOrEqual(statements.length);
          rows.apply(plan);
        }
        expectRows(
          rows,
          importInto(
            emptyModel,
            batches(items)
              .flat()
              .map(({ said }) => said),
          ).after,
        );
      }),
      { numRuns: runs(400) },
    );
  });

  it('writes nothing for statements that are held', () => {
    fc.assert(
      fc.property(ofOneSeries, (items) => {
        const rows = new SeriesRows();
        const statements = items.map(({ said }) => said);
        rows.apply(planMerge(rows.held(), statements, keep));
        const again = planMerge(rows.held(), statements, keep);
        expect(isEmpty(again)).toBe(true);
        expect([again.added, again.known]).toEqual([0, statements.length]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('needs only the changes of the dates that the statements are about', () => {
    fc.assert(
      fc.property(ofOneSeries, ofOneSeries, (before, after) => {
        const rows = new SeriesRows();
        rows.apply(planMerge(empty, onePerKey(before.map(({ said }) => said)), keep));
        const held = rows.held();
        const statements = after.map(({ said }) => said);
        const dates = new Set(statements.map(({ date }) => date));
        const changes = new Map([...held.changes].filter(([date]) => dates.has(date)));
        expect(planMerge({ ...held, changes }, statements, { replace: true })).toEqual(
          planMerge(held, statements, { replace: true }),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it('lists every conflict and keeps the statements held', () => {
    fc.assert(
      fc.property(contradicting, (imports) => {
        const rows = new SeriesRows();
        let known = emptyModel;
        for (const items of imports) {
          const news = items.map(({ said }) => inX(said));
          const { after, contradictions } = importInto(known, news);
          const plan = planMerge(rows.held(), news, keep);
          expect(textsOf(plan.conflicts)).toEqual(
            textsOf(contradictions.map(({ said, held }) => ({ ...said, held, given: said.value }))),
          );
          rows.apply(plan);
          known = after;
        }
        expectRows(rows, known);
      }),
      { numRuns: runs(300) },
    );
  });

  it('with replace, accepts the new statements and changes no others', () => {
    fc.assert(
      fc.property(contradicting, (imports) => {
        const rows = new SeriesRows();
        let known = emptyModel;
        for (const items of imports) {
          const news = onePerKey(items.map(({ said }) => inX(said)));
          known = importInto(known, news, { replace: true }).after;
          const plan = planMerge(rows.held(), news, { replace: true });
          expect(plan.conflicts).toEqual([]);
          rows.apply(plan);
        }
        expectRows(rows, known);
      }),
      { numRuns: runs(300) },
    );
  });

  it('counts every statement without a value as added, and as a withdrawal if a value was known until then', () => {
    const statements = [
      { date: '2020-01-01', asOf: '2020-02-01', value: null },
      { date: '2020-02-01', asOf: '2020-02-01', value: '1' },
      { date: '2020-02-01', asOf: '2020-03-01', value: null },
    ];
    expect(planMerge(empty, statements, keep)).toMatchObject({ added: 3, known: 0, withdrawn: 1 });
  });
});

function textsOf(
  conflicts: readonly { date: string; asOf: string; held: string | null; given: string | null }[],
): readonly string[] {
  return conflicts.map(({ date, asOf, held, given }) => [date, asOf, held, given].join(' ')).sort();
}

describe('a plan to complete vintages', () => {
  it('withdraws every known date that they do not list, in any order', () => {
    fc.assert(
      fc.property(
        ofOneSeries,
        fc.uniqueArray(fc.constantFrom(...days), { minLength: 1, maxLength: 4 }),
        fc.nat(4),
        (items, wanted, place) => {
          const said = onePerKey(items.map((item) => item.said));
          const whole = wanted.filter((day) => said.some(({ asOf }) => asOf === day));
          const isWhole = ({ asOf }: ModelStatement) => whole.includes(asOf);
          const rows = new SeriesRows();
          const merge = (statements: readonly ModelStatement[]) =>
            rows.apply(planMerge(rows.held(), statements, keep));
          const others = said.filter((item) => !isWhole(item)).map((item, piece) => ({ piece, said: item }));
          const steps = batches(others).map((batch) => () => merge(batch.map((item) => item.said)));
          // The plan includes the statements of the whole vintages.
          steps.splice(place, 0, () => {
            const own = said.filter(isWhole);
            merge(own);
            const vintages = whole.map((asOf) => ({
              asOf,
              dates: new Set(own.filter((item) => item.asOf === asOf).map(({ date }) => date)),
            }));
            rows.apply(planCompletion(rows.held(), vintages, keep));
          });
          for (const step of steps) step();
          const complete = whole.map((asOf) => ({ series: 'X', asOf }));
          const known = importInto(emptyModel, said, { complete }).after;
          expectRows(rows, known);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('uses the dates in the store for a vintage without dates', () => {
    const rows = new SeriesRows();
    const statements = ['2020-01-01', '2020-02-01'].map((date) => ({ date, asOf: '2020-03-01', value: '1' }));
    rows.apply(planMerge(rows.held(), statements, keep));
    rows.apply(planMerge(rows.held(), [{ date: '2020-01-01', asOf: '2020-04-01', value: '2' }], keep));
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
    const rows = new SeriesRows();
    rows.apply(planMerge(rows.held(), [{ date: '2020-01-01', asOf: '2020-03-01', value: '1' }], keep));
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

  it('produces the same rows as a frequency that was known from the start', () => {
    fc.assert(
      fc.property(
        stamps,
        fc.constantFrom('M' as const, 'Q' as const, 'A' as const),
        fc.nat(4),
        fc.array(fc.constantFrom<Frequency>('', 'M', 'Q', 'A'), { maxLength: 2 }),
        (items, frequency, place, detours) => {
          const said = items.map(({ date, asOf, piece }) => ({
            piece,
            said: { series: 'X', date, asOf, value: `${date.slice(2, 4)}.${asOf.slice(6, 7)}` },
          }));
          const rows = new SeriesRows();
          const move = (to: Frequency) => {
            const plan = planMove(rows.held(), to);
            expect(plan.conflicts).toEqual([]);
            rows.apply(plan, to);
          };
          const steps = batches(said).map(
            (batch) => () =>
              rows.apply(
                planMerge(
                  rows.held(),
                  batch.map((item) => item.said),
                  keep,
                ),
              ),
          );
          steps.splice(place, 0, () => {
            for (const to of [...detours, frequency]) move(to);
          });
          for (const step of steps) step();
          const moved = said.map((item) => ({ ...item.said, date: keptDate(item.said.date, frequency) }));
          expectRows(rows, importInto(emptyModel, moved).after);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('keeps a vintage complete, listed by any day of a period', () => {
    const rows = new SeriesRows();
    const state = (asOf: string, ...dates: readonly string[]) =>
      rows.apply(
        planMerge(
          rows.held(),
          dates.map((date) => ({ date, asOf, value: '1' })),
          keep,
        ),
      );
    state('2020-06-01', '2020-01-01', '2020-02-01', '2020-03-01');
    state('2020-07-01', '2020-01-31', '2020-03-31');
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
    const rows = new SeriesRows();
    const statements = [
      { date: '2020-01-01', asOf: '2020-05-01', value: '1' },
      { date: '2020-03-01', asOf: '2020-05-01', value: '2' },
    ];
    rows.apply(planMerge(rows.held(), statements, keep));
    expect(planMove(rows.held(), 'Q').conflicts).toEqual([
      { date: '2020-01-01', asOf: '2020-05-01', held: '1', given: '2' },
    ]);
  });
});
