import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectedDay } from '../../../../src/domain/calendar/next.ts';
import { addDays, weekendDay } from '../../../../src/domain/values/date.ts';

// Days on which GDP was published, as ALFRED lists them.
const gdp = ['2015-01-30', '2014-12-23', '2014-11-25', '2014-10-30'];

describe('a projected day', () => {
  it('is the newest vintage and the median distance of the last ones', () => {
    // 26, 28 and 38 days lie between; the second estimate did appear on 27 February 2015.
    expect(projectedDay(gdp, '2015-02-02')).toEqual({ day: '2015-02-27' });
  });

  it('is as far away as it was a year before, where the record reaches back a year', () => {
    // The twelve releases of a year, and those that followed: 30 January 2015 and 29 January 2016 (ALFRED).
    const [second, third, first] = [
      '2013-11-26 2014-11-25',
      '2013-12-20 2014-12-23',
      '2014-01-30 2015-01-30',
    ].map((pair) => pair.split(' '));
    const year = ['2014-10-30', '2014-09-26', '2014-08-28', '2014-07-30', '2014-06-25', '2014-05-29'];
    const days = [
      third?.[1],
      second?.[1],
      ...year,
      '2014-04-30',
      '2014-03-27',
      '2014-02-28',
      first?.[0],
      third?.[0],
    ];
    expect(projectedDay(days.map(String), '2015-01-15')).toEqual({ day: '2015-01-29' });
  });

  it('moves from a weekend to Monday', () => {
    expect(projectedDay(['2015-01-31', ...gdp.slice(1)], '2015-02-02')).toEqual({ day: '2015-03-02' });
    expect(projectedDay(['2015-02-01', ...gdp.slice(1)], '2015-02-02')).toEqual({ day: '2015-03-02' });
  });

  it('is today if the day of the rhythm passed, or the Monday after it', () => {
    expect(projectedDay(gdp, '2015-03-04')).toEqual({ day: '2015-03-04', passed: '2015-02-27' });
    expect(projectedDay(gdp, '2015-03-07')).toEqual({ day: '2015-03-09', passed: '2015-02-27' });
  });

  it('follows the last twelve distances alone', () => {
    const weekly = Array.from({ length: 13 }, (_, i) => addDays('2020-06-04', -7 * i));
    const before = Array.from({ length: 40 }, (_, i) => addDays('2019-01-01', -30 * i));
    expect(projectedDay([...weekly, ...before], '2020-06-05')).toEqual({ day: '2020-06-11' });
  });

  it.each([
    [gdp.slice(0, 3), '2015-02-02', '3 vintages are too few for a rhythm'],
    [[], '2015-02-02', '0 vintages are too few for a rhythm'],
    [gdp, '2015-04-25', 'its newest vintage, of 2015-01-30, is 85 days old: it has ended, or a pull is due'],
  ])('is missing for %j as of %s', (days, asOf, reason) => {
    expect(projectedDay(days, asOf)).toEqual({ reason });
  });

  it('is a weekday, and never before the as-of date', () => {
    const distances = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(distances, fc.integer({ min: 0, max: 400 }), (apart, age) => {
        let day = '2020-01-15';
        const days = [day, ...apart.map((distance) => (day = addDays(day, -distance)))];
        const asOf = addDays('2020-01-15', age);
        const found = projectedDay(days, asOf);
        if ('reason' in found) return;
        expect(found.day >= asOf && weekendDay(found.day) === undefined).toBe(true);
        expect((found.passed ?? '') < asOf).toBe(true);
      }),
    );
  });
});
