import { describe, expect, it } from 'vitest';
import { addDays, weekendDay } from '../../../../src/domain/series/date.ts';
import { bondMarketHoliday } from '../../../../src/domain/treasury/curve-faults.ts';
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
