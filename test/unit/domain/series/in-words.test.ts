import { describe, expect, it } from 'vitest';
import { thenAndNow } from '../../../../src/domain/series/in-words.ts';

const gdp = { name: 'GDP', date: '2008-10-01', frequency: 'Q', unit: 'Billions of Dollars' } as const;

describe('the sentence about a value then and now', () => {
  it('says when each value was known, and the change in percent', () => {
    const [then, now] = [
      { day: '2009-01-30', value: '14264.6' },
      { day: 'latest', value: '14608.209' },
    ];
    expect(thenAndNow(gdp, then, now)).toBe(
      'On 30 January 2009, GDP of 2008 Q4 was 14,264.6; today it is 14,608.2 (+2.4 %)',
    );
  });

  it('names both days if the later one is not today', () => {
    const [then, now] = [
      { day: '2009-01-30', value: '14264.6' },
      { day: '2009-02-27', value: '14200.3' },
    ];
    expect(thenAndNow(gdp, then, now)).toBe(
      'On 30 January 2009, GDP of 2008 Q4 was 14,264.6; on 27 February 2009 it was 14,200.3 (-0.5 %)',
    );
  });

  it('dates a sample by its own day, which is no day of publication', () => {
    const then = { day: '2009-01-30', recordedOn: '2008-11-15', value: '6.5' };
    const about = { ...gdp, name: 'UNRATE', frequency: 'M', unit: 'Percent' } as const;
    expect(thenAndNow(about, then, { day: 'latest', value: '6.5' })).toBe(
      'As recorded on 15 November 2008, UNRATE of October 2008 was 6.5; today it is 6.5 (unchanged)',
    );
  });

  it('names an instant with its time', () => {
    const [then, now] = [
      { day: '2009-01-30T08:29-05:00', value: '14412.8' },
      { day: '2009-01-30', value: '14412.8' },
    ];
    expect(thenAndNow({ ...gdp, date: '2008-07-01' }, then, now)).toBe(
      'At 2009-01-30T08:29-05:00, GDP of 2008 Q3 was 14,412.8; on 30 January 2009 it was 14,412.8 (unchanged)',
    );
  });

  it.each([
    ['14264.60', '14608.209', '14,264.60', '14,608.21'],
    ['11720', '16854.345', '11,720', '16,854.3'],
    ['1.2753', '1.2753', '1.2753', '1.2753'],
  ])('rounds %s and %s to the decimals of both', (before, after, first, second) => {
    const [then, now] = [
      { day: '2009-01-30', value: before },
      { day: 'latest', value: after },
    ];
    const text = thenAndNow(gdp, then, now);
    expect(text).toContain(` was ${first}; today it is ${second} (`);
  });

  it.each([
    ['2008-10-01', 'M', 'October 2008'],
    ['2008-01-01', 'A', '2008'],
    ['2008-07-01', 'SA', '2008 H2'],
    ['2008-10-03', 'D', '3 October 2008'],
    ['2008-10-01', '', '1 October 2008'],
    // The fiscal year of the United States ends in September; a week is known by its last day.
    ['2008-09-30', 'A', '30 September 2008'],
    ['2008-11-01', 'W', '1 November 2008'],
  ] as const)('calls the period of %s with frequency "%s" %s', (date, frequency, period) => {
    const same = { day: '2009-01-30', value: '1' };
    expect(thenAndNow({ ...gdp, date, frequency }, same, same)).toContain(`GDP of ${period} was 1;`);
  });

  it.each([
    ['6.5', '6.6', 'Percent', '+0.1'],
    ['6.6', '6.5', 'Percent', '-0.1'],
    ['1.25000', '-0.50000', 'Percent Change from Year Ago', '-1.75000'],
    ['9.50001', '9.56235', 'Natural Log of Billions of Dollars', '+0.06234'],
    ['10.0', '20.0', 'Change, Billions of Dollars', '+10.0'],
    ['-700.1', '-690.0', 'Billions of Dollars', '+10.1'],
    ['0', '1234.5', 'Billions of Dollars', '+1,234.5'],
    ['100000', '100001', 'Thousands of Persons', '+0.001 %'],
    ['17701.3', '17703.7', 'Billions of Dollars', '+0.01 %'],
    ['10000000', '10000001', 'Thousands of Persons', '+1'],
    ['14264.6', '14264.60', 'Billions of Dollars', 'unchanged'],
    // GDPC1 of 2008 Q3 in dollars of 2000 and of 2017.
    ['11712.4', '16227.9', 'Billions of Chained 2017 Dollars', '+38.6 %, perhaps by another base year'],
  ])('says of %s and %s in %s: %s', (before, after, unit, change) => {
    const [then, now] = [
      { day: '2009-01-30', value: before },
      { day: 'latest', value: after },
    ];
    expect(thenAndNow({ ...gdp, unit }, then, now).endsWith(` (${change})`)).toBe(true);
  });
});
