import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newestOnDays, realTimePeriodsOf } from '../../../../src/domain/series/newest-values.ts';
import type { Change } from '../../../../src/domain/series/revision-history.ts';
import { Vintages } from '../../../../src/domain/series/transformer.ts';

const dayOf = (day: string) => `2020-01-${day}`;

describe('as-of dates between which nothing was published', () => {
  it.each<readonly [publications: readonly string[], asked: readonly string[], periods: string]>([
    [['05'], ['04', '05', '06'], '04 | 05 06 since 05'],
    [['05', '10', '15'], ['05', '09', '10', '14', '15'], '05 09 since 05 | 10 14 since 10 | 15 since 15'],
    [['05', '06', '07'], ['20', '21'], '20 21 since 07'],
    [[], ['04'], '04'],
    [['05'], [], ''],
  ])('published %j, as of %j: %s', (publications, asked, periods) => {
    const found = realTimePeriodsOf(asked.map(dayOf), publications.map(dayOf)).map(({ days, since }) => {
      const of = days.map((day) => day.slice(8)).join(' ');
      return since === undefined ? of : `${of} since ${since.slice(8)}`;
    });
    expect(found.join(' | ')).toBe(periods);
  });
});

/** Changes of three dates: each has a first day and, as a rule, revisions and withdrawals after it. */
const changesOfDate = fc
  .uniqueArray(
    fc.record({
      asOf: fc.integer({ min: 10, max: 31 }).map((day) => dayOf(String(day))),
      value: fc.constantFrom('1', '2', null),
    }),
    { selector: ({ asOf }) => asOf, maxLength: 6 },
  )
  .map((changes): readonly Change[] => changes.sort((a, b) => (a.asOf < b.asOf ? -1 : 1)));

describe('the newest values on each of many days', () => {
  it('are the newest dates that have a value in the vintage of the day', () => {
    const dates = ['2019-10-01', '2019-11-01', '2019-12-01'];
    const days = Array.from({ length: 26 }, (_, i) => dayOf(String(i + 6).padStart(2, '0')));
    fc.assert(
      fc.property(fc.tuple(changesOfDate, changesOfDate, changesOfDate), (all) => {
        const changes = new Map(dates.map((date, i) => [date, all[i] ?? []]));
        const known = new Map(
          newestOnDays(new Vintages(changes), days, 2).flatMap((one) =>
            one.days.map((day) => [day, one.values]),
          ),
        );
        for (const day of days) {
          const expected = [...changes].reverse().flatMap(([date, own]) => {
            const change = own.filter(({ asOf }) => asOf <= day).at(-1);
            return change === undefined || change.value === null ? [] : [{ date, ...change }];
          });
          expect(known.get(day)).toEqual(expected.slice(0, 2));
        }
      }),
    );
  });
});
