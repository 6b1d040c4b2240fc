import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  dayNumber,
  dayOf,
  earlier,
  type Frequency,
  latestDay,
  monthEnd,
  parseDay,
  periodStart,
  utcDay,
} from '../../../../src/domain/series/date.ts';

/** A day between the contract's bounds, by JavaScript's own calendar. */
const instants = fc.date({
  min: new Date('1600-01-01T00:00:00Z'),
  max: new Date('2999-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const days = instants.map((instant) => instant.toISOString().slice(0, 10));

describe('a day', () => {
  test("is valid exactly if JavaScript's calendar has it between 1600 and 2999", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1590, max: 3010 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, dayOfMonth) => {
          const date = new Date(Date.UTC(year, month - 1, dayOfMonth));
          const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth;
          const expected =
            exists && year >= 1600 && year <= 2999 ? date.toISOString().slice(0, 10) : undefined;
          expect(dayOf(year, month, dayOfMonth)).toBe(expected);
          const two = (part: number) => String(part).padStart(2, '0');
          expect(parseDay(`${year}-${two(month)}-${two(dayOfMonth)}`)).toBe(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("has the number and the neighbours of JavaScript's instants", () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -4000, max: 4000 }), (day, count) => {
        expect(dayNumber(day)).toBe(Date.parse(day) / 86_400_000);
        const moved = new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);
        expect(addDays(day, count)).toBe(moved);
        expect(earlier(day, moved)).toBe(count < 0 ? moved : day);
        expect(addDays(monthEnd(day), 1).slice(8)).toBe('01');
        expect(monthEnd(day).slice(0, 7)).toBe(day.slice(0, 7));
      }),
    );
  });

  test.each<[Frequency, string, string]>([
    ['', '2020-05-17', '2020-05-17'],
    ['D', '2020-05-17', '2020-05-17'],
    ['W', '2020-05-17', '2020-05-17'],
    ['BW', '2020-05-17', '2020-05-17'],
    ['M', '2020-05-31', '2020-05-01'],
    ['Q', '2020-03-31', '2020-01-01'],
    ['Q', '2020-04-01', '2020-04-01'],
    ['Q', '2020-12-01', '2020-10-01'],
    ['SA', '2020-06-30', '2020-01-01'],
    ['SA', '2020-07-01', '2020-07-01'],
    ['A', '2020-12-31', '2020-01-01'],
  ])('by frequency %j, %s is in the period that begins on %s', (frequency, day, start) => {
    expect(periodStart(day, frequency)).toBe(start);
    expect(periodStart(start, frequency)).toBe(start);
  });

  test('begins in the Line Islands before it begins in UTC', () => {
    const instant = new Date('2026-01-15T10:00:00Z');
    expect([utcDay(instant), latestDay(instant)]).toEqual(['2026-01-15', '2026-01-16']);
    expect(latestDay(new Date('2026-01-15T09:59:59.999Z'))).toBe('2026-01-15');
  });
});
