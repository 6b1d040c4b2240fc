import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CurvePoint, monthsOf, planPoints } from '../../../../src/domain/treasury/curve.ts';
import { addDays, weekendDay } from '../../../../src/domain/values/date.ts';
import { bondMarketHoliday } from '../../../../src/import/formats/treasury.ts';
import { runs } from '../../../support/arbitrary.ts';
import { emptyModel, importInto, type ModelStatement, type NaiveModel } from '../../../support/knowledge.ts';
import { readData, testData } from '../../../support/repository.ts';

/** The weekdays of 1990..2025 on which the Treasury published no par curve, from its own files. */
const withoutCurve = readData(testData, 'treasury/closed-days/weekdays-without-par-curve.txt')
  .toString()
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [year = '', ...days] = line.split(' ');
    return days.map((day) => `${year}-${day}`);
  });

/** Funerals of presidents, the days after 2001-09-11, and a storm: the other days without a curve are Good Fridays. */
const closedOnce = ['1994-04-27', '2001-09-11', '2001-09-12', '2004-06-11', '2012-10-30', '2018-12-05'];

function* weekdays(from: string, to: string) {
  for (let day = from; day <= to; day = addDays(day, 1)) if (weekendDay(day) === undefined) yield day;
}

describe('the holidays of the bond market', () => {
  const all = [...weekdays('1990-01-02', '2025-12-31')];
  const holidays = all.filter((day) => bondMarketHoliday(day) !== undefined);

  it('are days on which the Treasury published no curve, in each year from 1990 to 2025', () => {
    expect(holidays.filter((day) => !withoutCurve.includes(day))).toEqual([]);
    expect(holidays).toHaveLength(353);
  });

  it('are all days without a curve except single closures and Good Fridays', () => {
    const others = withoutCurve.filter((day) => !holidays.includes(day) && !closedOnce.includes(day));
    expect(others).toHaveLength(28);
    // Easter is between 22 March and 25 April.
    expect(others.filter((day) => !/-(?:03-(?:2\d|3[01])|04-(?:[01]\d|2[0-3]))$/.test(day))).toEqual([]);
  });

  it('have the name under which people know them', () => {
    const of2022 = [...weekdays('2022-01-01', '2022-12-31')].flatMap((day) => {
      const name = bondMarketHoliday(day);
      return name === undefined ? [] : [`${day.slice(5)} ${name}`];
    });
    // The recommendations of SIFMA for 2022; New Year's Day was a Saturday.
    expect(of2022).toEqual([
      '01-17 Martin Luther King Day',
      '02-21 Presidents’ Day',
      '05-30 Memorial Day',
      '06-20 Juneteenth',
      '07-04 Independence Day',
      '09-05 Labor Day',
      '10-10 Columbus Day',
      '11-11 Veterans Day',
      '11-24 Thanksgiving',
      '12-26 Christmas Day',
    ]);
  });

  it('are not known before the daily curve of the Treasury begins', () => {
    expect(bondMarketHoliday('1989-12-25')).toBeUndefined();
  });
});

const keep = { replace: false };

/** A rate as a statement of the naive model: curve type as series, maturity as vintage date. */
function statementOf({ curveType, tradeDate, maturity, rate }: CurvePoint): ModelStatement {
  return { series: curveType, date: tradeDate, asOf: maturity, value: rate };
}

const points: fc.Arbitrary<readonly CurvePoint[]> = fc.array(
  fc.record({
    curveType: fc.constantFrom('PAR' as const, 'TIPS' as const),
    tradeDate: fc.constantFrom('2024-01-02', '2024-01-03'),
    maturity: fc.constantFrom('1.5M' as const, '10Y' as const),
    rate: fc.constantFrom('4.1', '4.10', '04.1', '3', '-0.5'),
    source: fc.constantFrom('Federal Reserve H.15', 'U.S. Treasury'),
  }),
  { maxLength: 12 },
);

/** Points without contradictions: repeated ones have the same number. */
const agreeingPoints = points.map((some) =>
  some.filter((point, i) => {
    const { after } = importInto(emptyModel, some.slice(0, i).map(statementOf));
    return importInto(after, [statementOf(point)]).contradictions.length === 0;
  }),
);

/** What a store holds after it has written the plans for some batches. */
function merged(batches: readonly (readonly CurvePoint[])[], replace = false): readonly CurvePoint[] {
  let held: readonly CurvePoint[] = [];
  for (const batch of batches) {
    const { put } = planPoints(held, batch, { replace });
    const written = new Set(put.map(keyOf));
    expect(written.size).toBe(put.length);
    held = [...held.filter((point) => !written.has(keyOf(point))), ...put];
  }
  return [...held].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ curveType, tradeDate, maturity }: CurvePoint): string {
  return `${curveType} ${tradeDate} ${String(monthsOf(maturity)).padStart(5, '0')}`;
}

function expectRates(held: readonly CurvePoint[], known: NaiveModel): void {
  const texts = (said: readonly ModelStatement[]) =>
    said.map(({ series, date, asOf, value }) => [series, date, asOf, value].join(' ')).sort();
  expect(texts(held.map(statementOf))).toEqual(texts(known.said));
}

describe('a plan to merge curve points', () => {
  it('keeps one rate for each curve, date and maturity, the same in any batches and any order', () => {
    const twoOrders = agreeingPoints.chain((some) =>
      fc.tuple(fc.constant(some), fc.shuffledSubarray([...some], { minLength: some.length })),
    );
    fc.assert(
      fc.property(twoOrders, fc.nat(12), ([some, shuffled], cut) => {
        const held = merged([some]);
        expect(merged([shuffled.slice(0, cut), shuffled.slice(cut)])).toEqual(held);
        expectRates(held, importInto(emptyModel, some.map(statementOf)).after);
      }),
      { numRuns: runs(200) },
    );
  });

  it('keeps the source that sorts first among points with the same text', () => {
    const point = { curveType: 'PAR', tradeDate: '2024-01-02', maturity: '10Y' } as const;
    const given: readonly CurvePoint[] = [
      { ...point, rate: '4.10', source: 'U.S. Treasury' },
      { ...point, rate: '4.1', source: 'A' },
      { ...point, rate: '4.10', source: 'Federal Reserve H.15' },
    ];
    expect(merged([given])).toEqual([{ ...point, rate: '4.10', source: 'Federal Reserve H.15' }]);
  });

  it('lists every conflict, and writes nothing for known rates', () => {
    fc.assert(
      fc.property(points, points, (before, after) => {
        const held = merged([before]);
        const known = importInto(emptyModel, held.map(statementOf)).after;
        const { contradictions } = importInto(known, after.map(statementOf));
        const plan = planPoints(held, after, keep);
        expect(plan.conflicts.map(({ held: old, given }) => [old.rate, statementOf(given)])).toEqual(
          contradictions.map(({ said, held: old }) => [old, said]),
        );
        expect(plan.added + plan.known + plan.conflicts.length).toBe(after.length);
        expect(planPoints(merged([held, after]), merged([held, after]), keep).put).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('with replace, accepts the new rates', () => {
    fc.assert(
      fc.property(points, points, (before, after) => {
        const held = merged([before]);
        const known = importInto(emptyModel, held.map(statementOf)).after;
        const news = after.map(statementOf);
        expectRates(merged([held, after], true), importInto(known, news, { replace: true }).after);
        expect(planPoints(held, after, { replace: true }).conflicts).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });
});
