import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Frequency, keptDate } from '../../../../src/domain/series/date.ts';
import { formatDateSet, parseDateSet } from '../../../../src/domain/series/date-set.ts';

const isoDay = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, 10);

/** The same day of the following months, which a range by months might contain by mistake. */
const monthsAfter = (day: string) =>
  [1, 2, 3, 4].map((count) => {
    const date = new Date(day);
    date.setUTCMonth(date.getUTCMonth() + count);
    return date.toISOString().slice(0, 10);
  });

/** Single days, and runs by days or by months, many of them nearly a range. */
const run = fc.oneof(
  fc.integer({ min: -9000, max: 20_000 }).map((day) => [isoDay(day)]),
  fc
    .record({
      first: fc.integer({ min: 0, max: 9000 }),
      step: fc.constantFrom(1, 7, 14, 30),
      count: fc.nat(12),
    })
    .map(({ first, step, count }) => Array.from({ length: count }, (_, i) => isoDay(first + i * step))),
  fc
    .record({
      month: fc.integer({ min: 0, max: 500 }),
      step: fc.constantFrom(1, 2, 3, 12),
      count: fc.nat(12),
      day: fc.constantFrom(1, 15, 28, 30, 31),
    })
    .map(({ month, step, count, day }) =>
      Array.from({ length: count }, (_, i) =>
        new Date(Date.UTC(1970, month + i * step, day)).toISOString().slice(0, 10),
      ),
    ),
);
const sets = fc.array(run, { maxLength: 6 }).map((runs) => runs.flat());
const frequencies = fc.constantFrom<Frequency[]>('', 'D', 'W', 'M', 'Q', 'SA', 'A');

describe('a set of days as text', () => {
  test('gives back its days and contains no other', () => {
    fc.assert(
      fc.property(
        sets,
        fc.array(fc.integer({ min: -9000, max: 21_000 }), { maxLength: 20 }),
        (days, others) => {
          const set = parseDateSet(formatDateSet(days));
          const wanted = new Set(days);
          expect(set.days()).toEqual([...wanted].sort());
          for (const day of days) expect(set.has(day)).toBe(true);
          for (const day of [...others.map(isoDay), ...days.flatMap(monthsAfter)]) {
            expect(set.has(day)).toBe(wanted.has(day));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is the same text for any order and repetition of days', () => {
    fc.assert(
      fc.property(sets, (days) => {
        const text = formatDateSet([...days].sort());
        expect(formatDateSet([...days, ...days].reverse())).toBe(text);
      }),
    );
  });

  test('contains the periods of its days by a frequency', () => {
    fc.assert(
      fc.property(sets, frequencies, (days, frequency) => {
        const set = parseDateSet(formatDateSet(days), frequency);
        const starts = new Set(days.map((day) => keptDate(day, frequency)));
        expect([...set.days()].sort()).toEqual([...starts].sort());
        for (const day of days) {
          expect(set.has(keptDate(day, frequency))).toBe(true);
          expect(set.has(day)).toBe(starts.has(day));
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [[], ''],
    [['2020-01-01'], '2020-01-01'],
    [['2020-01-01', '2020-04-01'], '2020-01-01,2020-04-01'],
    [['2020-01-01', '2020-04-01', '2020-07-01'], '2020-01-01/2020-07-01/3M'],
    [['2020-01-03', '2020-01-10', '2020-01-17', '2020-01-20'], '2020-01-03/2020-01-17/7D,2020-01-20'],
  ])('%j is %j: a regular range is as short as its ends', (days, text) => {
    expect(formatDateSet(days)).toBe(text);
  });
});
