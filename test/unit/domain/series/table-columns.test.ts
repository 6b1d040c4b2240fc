import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { provenFrequency, readColumns } from '../../../../src/domain/series/table-columns.ts';

const monthsFrom = (year: number, count: number, day = '01') =>
  Array.from({ length: count }, (_, i) => {
    const month = String((i % 12) + 1).padStart(2, '0');
    return `${year + Math.floor(i / 12)}-${month}-${day}`;
  });

const daysFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(first) + i * 86_400_000).toISOString().slice(0, 10),
  );

/** The frequency that a series is read with, and the rows in which a blank cell says something. */
const read = (rows: readonly string[], series: Readonly<Record<string, readonly string[]>>, id: string) => {
  const figures = new Map(Object.entries(series).map(([name, days]) => [name, new Set(days)]));
  const reading = readColumns(rows, figures).get(id);
  return [reading?.implied, rows.filter((row) => reading?.speaksFor(row))];
};

describe('the columns of a table', () => {
  const rows = monthsFrom(2024, 12);

  it('speak for every row where all series have one frequency', () => {
    expect(read(rows, { A: rows, B: rows.slice(3, 9) }, 'B')).toEqual(['M', rows]);
    expect(read(rows, { A: rows.slice(0, 1) }, 'A')).toEqual(['', rows]);
  });

  it.each([
    ['quarterly by first months', ['2024-01-01', '2024-04-01', '2024-10-01'], 'Q', ['01', '04', '07', '10']],
    ['quarterly by last months', ['2024-03-01', '2024-06-01'], 'Q', ['03', '06', '09', '12']],
    ['quarterly with a gap', ['2024-03-01', '2024-09-01'], 'Q', ['03', '06', '09', '12']],
    ['without figures', [], '', rows.map((row) => row.slice(5, 7))],
  ])('beside a monthly one that is %s count on the dates of their periods', (_, days, implied, months) => {
    const spoken = months.map((month) => `2024-${month}-01`);
    expect(read(rows, { GDP: days, UNRATE: rows }, 'GDP')).toEqual([implied, spoken]);
  });

  it('of fiscal years count on the dates of the fiscal years', () => {
    const years = monthsFrom(2018, 84);
    const fiscal = ['2018-10-01', '2019-10-01', '2020-10-01', '2022-10-01'];
    expect(read(years, { FY: fiscal, UNRATE: years }, 'FY')).toEqual([
      'A',
      years.filter((row) => row.slice(5, 7) === '10'),
    ]);
  });

  it('of weeks count on their weekday, beside days', () => {
    const days = daysFrom('2024-01-01', 60);
    const fridays = days.filter((day) => new Date(day).getUTCDay() === 5);
    expect(read(days, { ICSA: fridays.slice(0, 4), SP: days }, 'ICSA')).toEqual(['W', fridays]);
  });

  it('with a single figure say nothing about its year', () => {
    const years = monthsFrom(2023, 24);
    expect(read(years, { GDP: ['2024-01-01'], UNRATE: years }, 'GDP')).toEqual([
      '',
      [...years.slice(0, 12), '2024-01-01'],
    ]);
  });

  it('of a quarterly series beside a monthly one say nothing about the other months, for any blanks', () => {
    const quarters = rows.filter((_, i) => i % 3 === 0);
    fc.assert(
      fc.property(
        fc.subarray(quarters, { minLength: 2 }),
        fc.subarray(rows, { minLength: 7 }),
        (own, monthly) => {
          const [, spoken] = read(rows, { GDP: own, UNRATE: monthly }, 'GDP');
          expect(spoken).toEqual(expect.arrayContaining(own));
          expect(quarters).toEqual(expect.arrayContaining(spoken as string[]));
        },
      ),
    );
  });
});

describe('figures', () => {
  it.each([
    ['four months in a row', monthsFrom(2024, 4), 'M'],
    ['months with one missing', monthsFrom(2024, 9).filter((_, i) => i !== 4), 'M'],
    ['three months', monthsFrom(2024, 3), ''],
    ['quarters', ['2024-01-01', '2024-04-01', '2024-07-01', '2024-10-01'], 'Q'],
    ['months far apart', ['2020-01-01', '2021-02-01', '2022-09-01', '2022-10-01'], ''],
    ['quarters that begin in February', ['2024-02-01', '2024-05-01', '2024-08-01', '2024-11-01'], ''],
    ['fiscal years', ['2020-10-01', '2021-10-01', '2022-10-01', '2023-10-01'], 'A'],
    ['business days', daysFrom('2024-01-01', 5).concat(daysFrom('2024-01-08', 5)), 'D'],
    ['weeks', ['2024-01-05', '2024-01-12', '2024-01-19', '2024-01-26'], 'W'],
    ['five-year periods', ['2000-01-01', '2005-01-01', '2010-01-01', '2015-01-01'], ''],
  ])('prove a frequency if they are enough of them: %s', (_, days, frequency) => {
    expect(provenFrequency(new Set(days))).toBe(frequency);
  });
});
