import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betterKnown } from '../../../../src/domain/series/merge-plan.ts';
import {
  frequencyOf,
  frequencyOn,
  frequencyWith,
  impliedFrequencies,
  kindOf,
  kindsText,
  parseFrequency,
  parseSeriesId,
  parseVintageKind,
  type StoredKind,
  vintageKinds,
} from '../../../../src/domain/series/series.ts';
import { provenFrequency, readColumns } from '../../../../src/domain/series/table-columns.ts';
import { maturitiesOf, monthsOf } from '../../../../src/domain/treasury/curve.ts';
import { addDays } from '../../../../src/domain/values/date.ts';
import { formatDateSet } from '../../../../src/domain/values/date-set.ts';

const every = (step: number, length: number, first = '2020-01-03') =>
  Array.from({ length }, (_, i) => addDays(first, i * step));
const months = (step: number, length: number, year = 2020) =>
  Array.from({ length }, (_, i) => new Date(Date.UTC(year, i * step)).toISOString().slice(0, 10));

describe('the spacing of dates implies their frequency', () => {
  it.each<[string, readonly string[], string]>([
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

  it('and on a day the frequency of all dates that were known by then', () => {
    const date = fc.integer({ min: 0, max: 1500 }).map((count) => addDays('2018-01-01', count));
    const dated = fc.array(fc.tuple(date, date), { maxLength: 12 });
    fc.assert(
      fc.property(dated, date, (pairs, day) => {
        const known = new Map(pairs);
        const dates = [...known].filter(([, since]) => since <= day).map(([one]) => one);
        expect(frequencyOn(impliedFrequencies(known), day)).toBe(frequencyOf(dates));
      }),
    );
  });

  it('and more dates the frequency of all, from the one before and the dates near them', () => {
    const start = fc.integer({ min: 1990, max: 2020 });
    const range = fc.oneof(
      fc.tuple(fc.constantFrom(1, 3, 6, 12), fc.nat(20), start).map((given) => months(...given)),
      fc
        .tuple(fc.constantFrom(1, 5, 7, 14, 90), fc.nat(20), start)
        .map(([step, length, year]) => every(step, length, `${year}-01-05`)),
    );
    fc.assert(
      fc.property(fc.array(range, { maxLength: 3 }), range, (before, added) => {
        const held = before.flat();
        const texts = [...before, added].map((days) => formatDateSet(days));
        expect(frequencyWith(frequencyOf(held), added, texts)).toBe(frequencyOf([...held, ...added]));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['q', 'Q'],
    [' BW ', 'BW'],
    ['5Y', undefined],
    ['', undefined],
  ])('the code %j is %j', (text, code) => expect(parseFrequency(text)).toBe(code));
});

it.each([
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
])('as the id of a series, %j is %j', (text, id) => expect(parseSeriesId(text)).toBe(id));

it('maturities are sorted shortest first, and include those of TIPS', () => {
  const par = maturitiesOf('PAR').map(monthsOf);
  expect(par).toEqual([1, 1.5, 2, 3, 4, 6, 12, 24, 36, 60, 84, 120, 240, 360]);
  expect(maturitiesOf('TIPS')).toEqual(['5Y', '7Y', '10Y', '20Y', '30Y']);
});

describe('the kind of a vintage', () => {
  it('of which several files speak does not depend on their order', () => {
    const kinds = fc.array(fc.constantFrom<StoredKind>(...vintageKinds, ''), { minLength: 1 });
    const pairs = kinds.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(pairs, ([all, shuffled]) => {
        expect(shuffled.reduce(betterKnown)).toBe(all.reduce(betterKnown));
      }),
    );
  });

  it.each<[StoredKind, StoredKind, StoredKind]>([
    ['exact', 'sampled', 'exact'],
    ['exact', 'fetched', 'exact'],
    ['fetched', 'sampled', 'fetched'],
    ['sampled', '', 'sampled'],
    ['', 'unknown', ''],
  ])('is, of %j and %j, %j', (one, other, better) => {
    expect(betterKnown(one, other)).toBe(better);
  });

  it.each([
    ['is what its files imply, even if metadata states another', 'sampled', 'exact', 'sampled'],
    ['is what metadata states where its files leave it open', '', 'sampled', 'sampled'],
    ['is a day of publication where nobody says anything else', '', undefined, 'exact'],
    ['is unknown in a store that does not know', 'unknown', undefined, 'unknown'],
    ['is what metadata states in a store that does not know', 'unknown', 'exact', 'exact'],
  ] as const)('%s', (_, files, stated, kind) => {
    expect(kindOf(files, stated)).toBe(kind);
  });

  it('is read in any letter case, and from no other word', () => {
    const read = ['Exact', ' sampled ', 'FETCHED', 'unknown', 'monthly', ''].map(parseVintageKind);
    expect(read).toEqual(['exact', 'sampled', 'fetched', 'unknown', undefined, undefined]);
  });

  it('is listed once among those of a series, in one order', () => {
    expect(kindsText(['sampled', 'exact', 'sampled'])).toBe('exact; sampled');
    expect(kindsText([])).toBe('');
  });
});

/** The frequency that a series of a table is read with, and the rows in which a blank cell says something. */
function read(rows: readonly string[], series: Readonly<Record<string, readonly string[]>>, id: string) {
  const figures = new Map(Object.entries(series).map(([name, days]) => [name, new Set(days)]));
  const reading = readColumns(rows, figures).get(id);
  return [reading?.implied, rows.filter((row) => reading?.speaksFor(row))];
}

describe('the columns of a table', () => {
  const rows = months(1, 12, 2024);

  it('speak for every row where all series have one frequency', () => {
    expect(read(rows, { A: rows, B: rows.slice(3, 9) }, 'B')).toEqual(['M', rows]);
    expect(read(rows, { A: rows.slice(0, 1) }, 'A')).toEqual(['', rows]);
  });

  it.each([
    ['quarterly by first months', ['2024-01-01', '2024-04-01', '2024-10-01'], 'Q', ['01', '04', '07', '10']],
    ['quarterly by last months', ['2024-03-01', '2024-06-01'], 'Q', ['03', '06', '09', '12']],
    ['quarterly with a gap', ['2024-03-01', '2024-09-01'], 'Q', ['03', '06', '09', '12']],
    ['without figures', [], '', rows.map((row) => row.slice(5, 7))],
  ])('beside a monthly one that is %s count on the dates of their periods', (_, days, implied, spoken) => {
    const expected = [implied, spoken.map((month) => `2024-${month}-01`)];
    expect(read(rows, { GDP: days, UNRATE: rows }, 'GDP')).toEqual(expected);
  });

  it('of fiscal years count on the dates of the fiscal years', () => {
    const years = months(1, 84, 2018);
    const fiscal = ['2018-10-01', '2019-10-01', '2020-10-01', '2022-10-01'];
    const octobers = years.filter((row) => row.slice(5, 7) === '10');
    expect(read(years, { FY: fiscal, UNRATE: years }, 'FY')).toEqual(['A', octobers]);
  });

  it('of weeks count on their weekday, beside days', () => {
    const days = every(1, 60, '2024-01-01');
    const fridays = days.filter((day) => new Date(day).getUTCDay() === 5);
    expect(read(days, { ICSA: fridays.slice(0, 4), SP: days }, 'ICSA')).toEqual(['W', fridays]);
  });

  it('with a single figure say nothing about its year', () => {
    const years = months(1, 24, 2023);
    const spoken = [...years.slice(0, 12), '2024-01-01'];
    expect(read(years, { GDP: ['2024-01-01'], UNRATE: years }, 'GDP')).toEqual(['', spoken]);
  });

  it('of a quarterly series beside a monthly one say nothing about the other months, for any blanks', () => {
    const quarters = rows.filter((_, i) => i % 3 === 0);
    const [some, most] = [fc.subarray(quarters, { minLength: 2 }), fc.subarray(rows, { minLength: 7 })];
    fc.assert(
      fc.property(some, most, (own, monthly) => {
        const [, spoken] = read(rows, { GDP: own, UNRATE: monthly }, 'GDP');
        expect(spoken).toEqual(expect.arrayContaining(own));
        expect(quarters).toEqual(expect.arrayContaining(spoken as string[]));
      }),
    );
  });

  it.each([
    ['four months in a row', months(1, 4), 'M'],
    ['months with one missing', months(1, 9).filter((_, i) => i !== 4), 'M'],
    ['three months', months(1, 3), ''],
    ['quarters', ['2024-01-01', '2024-04-01', '2024-07-01', '2024-10-01'], 'Q'],
    ['months far apart', ['2020-01-01', '2021-02-01', '2022-09-01', '2022-10-01'], ''],
    ['quarters that begin in February', ['2024-02-01', '2024-05-01', '2024-08-01', '2024-11-01'], ''],
    ['fiscal years', ['2020-10-01', '2021-10-01', '2022-10-01', '2023-10-01'], 'A'],
    ['business days', [...every(1, 5, '2024-01-01'), ...every(1, 5, '2024-01-08')], 'D'],
    ['weeks', every(7, 4), 'W'],
    ['five-year periods', ['2000-01-01', '2005-01-01', '2010-01-01', '2015-01-01'], ''],
  ])('prove a frequency if they have enough figures: %s', (_, days, frequency) => {
    expect(provenFrequency(new Set(days))).toBe(frequency);
  });
});
