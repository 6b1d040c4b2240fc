import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vintageOf } from '../../../../src/answering/transforming.ts';
import {
  transformationChoices,
  transformationOf,
  type Units,
  unitText,
} from '../../../../src/domain/series/transformation.ts';
import { Transformer } from '../../../../src/domain/series/transformer.ts';
import { addDays, dayNumber, type Frequency } from '../../../../src/domain/values/date.ts';
import { root } from '../../../support/repository.ts';

const folder = join(root, 'test/data/units');

/** The cells of a file without its head. */
function cellsOf(name: string): readonly (readonly string[])[] {
  const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').slice(1);
  return lines.map((line) => line.split(','));
}

/** FRED's names of units, and what people type for some of them. */
const named = transformationChoices.units.filter((one) => one !== 'lin' && one.length === 3);
const words = { yoy: 'pc1', mom: 'pch', saar: 'pca' } as const;
const fredUnits = named.filter((one) => !Object.hasOwn(words, one) && one !== 'qoq');

type Values = { readonly [date: string]: string };

/** The transformed values of one vintage, by date. */
function transformed(
  values: Values,
  frequency: Frequency,
  params: Parameters<typeof transformationOf>[0],
): Values {
  const transformation = transformationOf(params);
  if (transformation === undefined) throw new Error('these values stay as they are');
  const transformer = new Transformer('X', frequency, transformation);
  const vintage = vintageOf(
    Object.entries(values).map(([date, value]) => ({ date, value, asOf: '2024-01-01' })),
  );
  const dates = [...new Set(Object.keys(values).map((date) => transformer.dateOf(date)))];
  const results = dates.flatMap((date) => {
    const result = transformer.valueIn(vintage, date);
    return result === undefined ? [] : [[date, result.value] as const];
  });
  return Object.fromEntries(results);
}

/** The values of a series in the file of one vintage, by date. */
function vintage(id: string): Values {
  return Object.fromEntries(
    cellsOf('vintage.csv').flatMap(([series, date = '', value = '']) =>
      series === id ? [[date, value]] : [],
    ),
  );
}

/** Values of successive months of 2020; a null leaves one out. */
function monthly(...values: readonly (string | null)[]): Values {
  const months = values.flatMap((value, i) =>
    value === null ? [] : [[`2020-${String(i + 1).padStart(2, '0')}-01`, value]],
  );
  return Object.fromEntries(months);
}

describe('transformed values', () => {
  it.each([
    ['CPIAUCSL', 'pch', {}],
    ['CPIAUCSL', 'pc1', {}],
    ['UNRATE', 'ch1', { frequency: 'q' }],
    ['CPIAUCSL', 'mom', {}],
    ['CPIAUCSL', 'yoy', {}],
  ] as const)("of %s are FRED's own answer for %s", (id, units, more) => {
    const fredName = units === 'yoy' || units === 'mom' ? words[units] : units;
    const column = id === 'UNRATE' ? 2 : 1;
    const levels = cellsOf('levels.csv').map((cells) => [cells[0] ?? '', cells[column] ?? '']);
    const ours = transformed(Object.fromEntries(levels), 'M', { units, ...more });
    const theirs = cellsOf('fred-answers.csv').filter(
      ([series, , asked]) => series === id && asked === fredName,
    );
    expect(theirs.length).toBeGreaterThan(20);
    for (const [, , , date = '', value = ''] of theirs) {
      // One of the two files leaves out zeros at the end.
      expect([date, ours[date]?.replace(/0+$/, '').padEnd(value.length, '0')]).toEqual([date, value]);
      expect((value.split('.')[1] ?? '').length).toBeLessThanOrEqual(5);
    }
  });

  it("of a daily series compare with the same weekday 52 weeks before, as FRED's own answer for oil does", () => {
    const oil = cellsOf('oil.csv');
    const values = Object.fromEntries(
      oil.filter(([, level]) => level !== '').map(([d = '', v = '']) => [d, v]),
    );
    const ours = transformed(values, 'D', { units: 'pc1' });
    const theirs = oil.filter(([, , answer]) => answer !== '').map(([date = '', , answer]) => [date, answer]);
    expect(Object.entries(ours)).toEqual(theirs);
    expect(theirs).toHaveLength(16);
  });

  it.each(['GDP', 'PAYEMS'])('of %s agree with another implementation, in all units', (id) => {
    const expected = cellsOf('expected.csv').filter(([series]) => series === id);
    for (const more of [{}, { frequency: 'a' } as const])
      for (const units of fredUnits) {
        const ours = transformed(vintage(id), id === 'GDP' ? 'Q' : 'M', { units, ...more });
        const theirs = expected.filter(([, own, asked]) => own === (more.frequency ?? '') && asked === units);
        expect(theirs.length).toBeGreaterThan(0);
        expect(ours, units).toEqual(Object.fromEntries(theirs.map(([, , , date, value]) => [date, value])));
      }
  });

  it('by the words of people are those by the names of FRED, of a fitting frequency alone', () => {
    const values = monthly('100', '102', '101', '105');
    for (const [word, name] of Object.entries(words))
      expect(transformed(values, 'M', { units: word as Units })).toEqual(
        transformed(values, 'M', { units: name }),
      );
    const quarters = { frequency: 'q', partial: true } as const;
    expect(transformed(values, 'M', { units: 'qoq', ...quarters })).toEqual(
      transformed(values, 'M', { units: 'pch', ...quarters }),
    );
    expect(() => transformed(values, 'M', { units: 'qoq' })).toThrow(
      /frequency M, and qoq compares quarters/,
    );
    expect(() => transformed(values, 'Q', { units: 'mom' })).toThrow(/frequency Q, and mom compares months/);
  });

  it('are missing where the date that they compare with is missing', () => {
    const values = { '2020-01-01': '1', '2020-03-01': '4', '2020-04-01': '5', '2021-03-01': '8' };
    expect(transformed(values, 'M', { units: 'chg' })).toEqual({ '2020-04-01': '1' });
    expect(transformed(values, 'M', { units: 'ch1' })).toEqual({ '2021-03-01': '4' });
  });

  it('of a daily series compare Monday with Friday, and are missing after a holiday', () => {
    const friday = { '2024-01-05': '1.00', '2024-01-08': '1.50', '2024-01-10': '2.00' };
    expect(transformed(friday, 'D', { units: 'chg' })).toEqual({ '2024-01-08': '0.50' });
    const everyDay = { '2024-01-05': '1', '2024-01-06': '2', '2024-01-07': '4', '2024-01-08': '8' };
    expect(transformed(everyDay, 'D', { units: 'chg' })).toEqual({
      '2024-01-06': '1',
      '2024-01-07': '2',
      '2024-01-08': '4',
    });
  });

  it.each([
    ['pch', '0', '1'],
    ['pca', '0', '1'],
    ['pca', '-1', '1'],
    ['cch', '-1', '-2'],
    ['cca', '1', '0'],
    ['log', '0', '-3'],
  ] as const)('in %s are missing where the formula has no result', (units, ...values) => {
    expect(transformed(monthly(...values), 'M', { units })).toEqual({});
  });

  it('are rounded half to even, at ties too', () => {
    // 100 × (401/400 − 1) is 0.25; 401 to 404.01 is 0.750…
    const percent = transformed(monthly('400', '401', '404.0100'), 'M', { units: 'pch', digits: 1 });
    expect(percent).toEqual(monthly(null, '0.2', '0.8'));
    const annual = { '2020-01-01': '1000', '2021-01-01': '1000.000125', '2022-01-01': '1000.000375' };
    expect(transformed(annual, 'A', { units: 'pca' })).toEqual({
      '2021-01-01': '0.00001',
      '2022-01-01': '0.00002',
    });
    expect(transformed(annual, 'A', { units: 'pca', digits: 6 })['2021-01-01']).toBe('0.000012');
  });

  it('have as many right digits as are asked for', () => {
    const exact = (units: Units) => transformed(monthly('1', '2', '3'), 'M', { units, digits: 20 });
    // Digits of ln 2 and of 1.5 to the 12th from a table and by hand: 3^12 / 2^12 = 531441 / 4096.
    expect(exact('log')['2020-02-01']).toBe('0.69314718055994530942');
    expect(exact('pca')['2020-03-01']).toBe('12874.63378906250000000000');
  });

  it('keep nothing of a sign before zero', () => {
    for (const units of ['pch', 'cch', 'pca'] as const)
      expect(transformed(monthly('1000000', '999999.99'), 'M', { units, digits: 2 })).toEqual(
        monthly(null, '0.00'),
      );
  });

  it('agree with a naive computation in doubles, whatever the values, units and frequency', () => {
    const value = fc.integer({ min: 1, max: 999_999 }).map((n) => (n / 100).toFixed(2));
    const months = fc.array(fc.option(value, { freq: 6 }), { minLength: 2, maxLength: 40 });
    const periods = { M: 1, Q: 3, SA: 6, A: 12 } as const;
    const inYear = { M: 12, Q: 4, SA: 2, A: 1 } as const;
    fc.assert(
      fc.property(
        months,
        fc.constantFrom(...fredUnits),
        fc.constantFrom('M', 'Q', 'SA', 'A'),
        (all, units, frequency) => {
          const dateOf = (i: number) => {
            const month = i * periods[frequency];
            return `${2000 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;
          };
          const known = all.flatMap((text, i) => (text === null ? [] : [[dateOf(i), text] as const]));
          const ours = transformed(Object.fromEntries(known), frequency, { units });
          const n = inYear[frequency];
          const back = units === 'ch1' || units === 'pc1' ? n : 1;
          const naive = all.flatMap((text, i) => {
            const [x, base] = [text, units === 'log' ? '1' : (all[i - back] ?? null)].map(
              (t) => t && Number(t),
            );
            if (typeof x !== 'number' || typeof base !== 'number') return [];
            return [[dateOf(i), naively(units, x, base, n)] as const];
          });
          expect(Object.keys(ours)).toEqual(naive.map(([date]) => date));
          for (const [date, number] of naive) {
            const far = Math.abs(Number(ours[date]) - number);
            expect(far).toBeLessThanOrEqual(0.0000051 + Math.abs(number) * 1e-12);
          }
        },
      ),
    );
  });
});

/** FRED's formulas with doubles. */
function naively(units: Units, x: number, base: number, n: number): number {
  switch (units) {
    case 'chg':
    case 'ch1':
      return x - base;
    case 'pch':
    case 'pc1':
      return (x / base - 1) * 100;
    case 'pca':
      return ((x / base) ** n - 1) * 100;
    case 'cch':
      return (Math.log(x) - Math.log(base)) * 100;
    case 'cca':
      return (Math.log(x) - Math.log(base)) * 100 * n;
    case 'log':
      return Math.log(x);
    default:
      throw new Error(`no formula of FRED is for ${units}`);
  }
}

describe('aggregated values', () => {
  /** A value for each weekday of a time but holidays. */
  function weekdays(from: string, to: string, holidays: readonly string[] = []): Values {
    const values: [string, string][] = [];
    for (let day = from; day <= to; day = addDays(day, 1))
      // 1970-01-01 was a Thursday.
      if ((dayNumber(day) + 3) % 7 < 5 && !holidays.includes(day)) values.push([day, '1.00']);
    return Object.fromEntries(values);
  }

  it("have the decimals of the data: FRED's example of 100.1, 100.4 and 100.9 is 100.5", () => {
    const quarter = (more: Parameters<typeof transformationOf>[0] = {}) =>
      transformed(monthly('100.1', '100.4', '100.9'), 'M', { frequency: 'q', ...more });
    expect(quarter()).toEqual(monthly('100.5'));
    expect(quarter({ aggregate: 'sum' })).toEqual(monthly('301.4'));
    expect(quarter({ aggregate: 'eop' })).toEqual(monthly('100.9'));
    expect(quarter({ digits: 3 })).toEqual(monthly('100.467'));
  });

  it('are transformed before they are rounded, as FRED computes UNRATE of quarters', () => {
    // UNRATE of 1961Q2 and 1961Q3 is 7.0 and 6.8 in quarters; FRED's percent change is -3.3, and -2.9 of the rounded
    // ones.
    const values = monthly(null, null, null, '7.0', '7.1', '6.9', '7.0', '6.6', '6.7');
    const change = transformed(values, 'M', { frequency: 'q', units: 'pch', digits: 1 });
    expect(change).toEqual({ '2020-07-01': '-3.3' });
  });

  it('leave out a quarter that lacks a month, unless partial ones are asked for', () => {
    const values = monthly('1', null, '2', '3', '4');
    expect(transformed(values, 'M', { frequency: 'q' })).toEqual({});
    expect(transformed(values, 'M', { frequency: 'q', aggregate: 'sum', partial: true })).toEqual({
      '2020-01-01': '3',
      '2020-04-01': '7',
    });
  });

  it('of days leave out a month until its last weekday is known, or a later day', () => {
    const monthOf = (values: Values) => transformed(values, 'D', { frequency: 'm' });
    // 30 March 2018 was Good Friday.
    expect(monthOf(weekdays('2018-03-01', '2018-03-28'))).toEqual({});
    expect(monthOf(weekdays('2018-03-01', '2018-03-29'))).toEqual({});
    const march = weekdays('2018-03-01', '2018-04-02', ['2018-03-30']);
    expect(monthOf(march)).toEqual({ '2018-03-01': '1.00' });
    expect(monthOf(weekdays('2018-04-01', '2018-04-30'))).toEqual({ '2018-04-01': '1.00' });
  });

  it('of days in a month need 17 values, as FRED does', () => {
    const all = Object.entries(weekdays('2018-05-01', '2018-05-31'));
    const last = (count: number) =>
      transformed(Object.fromEntries(all.slice(-count)), 'D', { frequency: 'm' });
    expect([last(16), last(17)]).toEqual([{}, { '2018-05-01': '1.00' }]);
  });

  it('of weeks end on Friday, and need four days', () => {
    const values = weekdays('2018-07-02', '2018-07-13', ['2018-07-04', '2018-07-11', '2018-07-12']);
    expect(transformed(values, 'D', { frequency: 'w' })).toEqual({ '2018-07-06': '1.00' });
  });

  it('of a series with every day of the week wait for the weekend', () => {
    const days = Object.fromEntries(
      Array.from({ length: 31 }, (_, i) => [addDays('2022-12-01', i), String(i)] as const),
    );
    expect(Object.keys(transformed(days, 'D', { frequency: 'm' }))).toEqual(['2022-12-01']);
    const { '2022-12-31': _, ...shorter } = days;
    expect(transformed(shorter, 'D', { frequency: 'm' })).toEqual({});
  });

  it('are the values themselves at their own frequency, and refused at a finer one', () => {
    const values = { '2020-01-01': '1.50', '2020-04-01': '2.50' };
    expect(transformed(values, 'Q', { frequency: 'q' })).toEqual(values);
    expect(() => transformed(values, 'Q', { frequency: 'm' })).toThrow('coarser than M');
  });
});

describe('a transformation', () => {
  it.each([
    [{ digits: 2 }, "'digits' needs 'units' or 'frequency'"],
    [{ aggregate: 'sum' as const }, "'aggregate' needs 'frequency'"],
    [{ partial: true }, "'partial' needs 'frequency'"],
  ])('with %j is refused', (params, message) => {
    expect(() => transformationOf(params)).toThrow(message);
  });

  it('of no units is none', () => {
    expect(transformationOf({})).toBeUndefined();
    expect(transformationOf({ units: 'lin' })).toBeUndefined();
  });

  it('of a series without a frequency is refused where it compares periods', () => {
    expect(() => transformed({ '2020-01-01': '1' }, '', { units: 'pch' })).toThrow(
      'the frequency of X is not known',
    );
    expect(transformed({ '2020-01-01': '1' }, '', { units: 'log' })).toEqual({ '2020-01-01': '0.00000' });
  });

  it.each([
    ['pch', 'Percent Change'],
    ['pc1', 'Percent Change from Year Ago'],
    ['pca', 'Compounded Annual Rate of Change'],
    ['chg', 'Change, Billions of Dollars'],
    ['log', 'Natural Log of Billions of Dollars'],
  ] as const)('to %s has the unit that FRED names %s', (units, text) => {
    expect(unitText(units, 'Billions of Dollars')).toBe(text);
    expect(unitText(units, '')).not.toMatch(/, $|of $/);
  });
});
