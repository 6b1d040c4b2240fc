import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/series/date.ts';
import { historyOf, positionOf } from '../../../src/explorer/history.ts';

type StatedValue = Parameters<typeof historyOf>[0][number];

const day = fc.integer({ min: 0, max: 40 }).map((count) => addDays('2015-01-01', count));

const statements = fc.uniqueArray(
  fc.record({
    date: fc.integer({ min: 0, max: 5 }).map((month) => `2014-0${month + 1}-01`),
    asOf: day,
    value: fc.option(fc.integer({ min: -9, max: 9 }).map(String), { nil: null }),
  }),
  { selector: ({ date, asOf }) => `${date} ${asOf}`, maxLength: 60 },
);

/** The definition: of the statements about a date on or before the day, the one of the latest day counts. */
function knownOn(all: readonly StatedValue[], date: string, on: string): string | undefined {
  const before = all.filter((one) => one.date === date && one.asOf <= on);
  const latest = before.find((one) => before.every((other) => other.asOf <= one.asOf));
  return latest?.value ?? undefined;
}

describe('the history of revisions of the explorer', () => {
  it('knows on each day what the latest statement about each date up to that day says', () => {
    fc.assert(
      fc.property(statements, day, (all, on) => {
        const history = historyOf(all);
        const known = history.dates.map((date) => history.on(on).valueOf(date)?.value);
        expect(known).toEqual(history.dates.map((date) => knownOn(all, date, on)));
      }),
    );
  });

  it('has every date that anything was stated about, once and oldest first', () => {
    fc.assert(
      fc.property(statements, (all) => {
        expect(historyOf(all).dates).toEqual([...new Set(all.map(({ date }) => date))].sort());
      }),
    );
  });

  it('says from which vintage a value is', () => {
    // BEA's figures for the fourth quarter of 2014, as they came out (ALFRED, series GDP).
    const history = historyOf([
      { date: '2014-10-01', asOf: '2015-03-27', value: '17703.7' },
      { date: '2014-10-01', asOf: '2015-01-30', value: '17710.7' },
      { date: '2014-10-01', asOf: '2015-02-27', value: '17701.3' },
    ]);
    const knownOn = (on: string) => history.on(on).valueOf('2014-10-01');
    expect(knownOn('2015-03-26')).toEqual({ asOf: '2015-02-27', value: '17701.3' });
    expect(knownOn('2015-01-29')).toBeUndefined();
    expect(history.changesOf('2014-10-01').at(-1)?.value).toBe('17703.7');
  });

  it('finds the newest of ascending days on or before a day', () => {
    fc.assert(
      fc.property(fc.uniqueArray(day), day, (unsorted, on) => {
        const days = unsorted.sort();
        expect(positionOf(days, on)).toBe(days.filter((one) => one <= on).length - 1);
      }),
    );
  });
});
