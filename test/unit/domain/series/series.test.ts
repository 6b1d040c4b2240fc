import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Frequency, keptDate } from '../../../../src/domain/series/date.ts';
import {
  frequencyOf,
  frequencyOn,
  impliedFrequencies,
  parseFrequency,
  parseSeriesId,
} from '../../../../src/domain/series/series.ts';
import { maturitiesOf, monthsOf } from '../../../../src/domain/treasury/curve.ts';

const every = (step: number, count: number, first = '2020-01-03') =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(first) + i * step * 86_400_000).toISOString().slice(0, 10),
  );
const months = (step: number, count: number, day = '01') =>
  Array.from({ length: count }, (_, i) => {
    const month = i * step;
    return `${2020 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-${day}`;
  });

describe('the spacing of dates implies their frequency', () => {
  test.each<[string, readonly string[], string]>([
    ['nothing', [], ''],
    ['one date, even twice', ['2020-01-01', '2020-01-01'], ''],
    ['days in a row', every(1, 5), 'D'],
    ['working days', ['2020-01-02', '2020-01-03', '2020-01-06'], 'D'],
    ['weeks', every(7, 5), 'W'],
    ['fortnights', every(14, 5), 'BW'],
    ['months', months(1, 14), 'M'],
    ['month ends', ['2020-01-31', '2020-02-29', '2020-03-31'], 'M'],
    ['months with a hole', months(1, 14).filter((_, i) => i !== 5), 'M'],
    ['quarters', months(3, 5), 'Q'],
    ['half-years', months(6, 4), 'SA'],
    ['years', months(12, 3), 'A'],
    ['dates in any order', months(3, 5).reverse(), 'Q'],
    ['28 days apart, twice in one month', every(28, 14), 'BW'],
  ])('%s', (_, days, frequency) => expect(frequencyOf(days)).toBe(frequency));

  test.each<[string, Frequency, string, string]>([
    ['a stated quarter', 'Q', '2020-05-17', '2020-04-01'],
    ['a calendar year by its last day', 'A', '2020-12-31', '2020-01-01'],
    ['no fiscal year', 'A', '2020-09-30', '2020-09-30'],
    ['no week', 'W', '2020-05-15', '2020-05-15'],
    ['no date without a stated frequency', '', '2020-03-31', '2020-03-31'],
  ])('and moves %s', (_, stated, day, kept) => expect(keptDate(day, stated)).toBe(kept));

  test.each([
    ['q', 'Q'],
    [' BW ', 'BW'],
    ['5Y', undefined],
    ['', undefined],
  ])('the code %j is %j', (text, code) => expect(parseFrequency(text)).toBe(code));
});

describe('a series id', () => {
  test.each([
    ['gdpc1', 'GDPC1'],
    [' S&P 500 ', 'S&P 500'],
    ['T10Y2Y', 'T10Y2Y'],
    ['PX.1:A%', 'PX.1:A%'],
    ['', undefined],
    ['A*', undefined],
    ['_A', undefined],
    ['A/B', undefined],
    ['A,B', undefined],
    ['A\nB', undefined],
    ['A'.repeat(80), 'A'.repeat(80)],
    ['A'.repeat(81), undefined],
  ])('%j is %j', (text, id) => expect(parseSeriesId(text)).toBe(id));
});

describe('maturities', () => {
  test('are sorted shortest first, and include those of TIPS', () => {
    const months = maturitiesOf('PAR').map(monthsOf);
    expect(months).toEqual([1, 1.5, 2, 3, 4, 6, 12, 24, 36, 60, 84, 120, 240, 360]);
    expect(maturitiesOf('TIPS')).toEqual(['5Y', '7Y', '10Y', '20Y', '30Y']);
  });
});

describe('the frequency that the spacing implied on a day', () => {
  const date = fc.integer({ min: 0, max: 1500 }).map((n) => every(1, 1501, '2018-01-01')[n] ?? '');

  test('is that of all dates known by then', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(date, date), { maxLength: 12 }), date, (pairs, day) => {
        const known = new Map(pairs);
        const dates = [...known].filter(([, since]) => since <= day).map(([one]) => one);
        expect(frequencyOn(impliedFrequencies(known), day)).toBe(frequencyOf(dates));
      }),
    );
  });
});
