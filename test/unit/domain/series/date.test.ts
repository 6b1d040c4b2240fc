import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
  type Rhythm,
  schedule,
  storedDate,
  utcDay,
} from '../../../../src/domain/values/date.ts';
import { formatDateSet, parseDateSet } from '../../../../src/domain/values/date-set.ts';
import { runs } from '../../../support/arbitrary.ts';

/** A day by its number, by JavaScript's own calendar. */
const isoDay = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, 10);
/** The days of JavaScript's own calendar between the contract's bounds. */
const days = fc.integer({ min: -135_140, max: 376_199 }).map(isoDay);

describe('a day', () => {
  it("is valid exactly if JavaScript's calendar has it between 1600 and 2999", () => {
    const years = fc.integer({ min: 1590, max: 3010 });
    const [months, daysOfMonth] = [fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 })];
    fc.assert(
      fc.property(years, months, daysOfMonth, (year, month, dayOfMonth) => {
        const date = new Date(Date.UTC(year, month - 1, dayOfMonth));
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth;
        const isValid = exists && year >= 1600 && year <= 2999;
        const expected = isValid ? date.toISOString().slice(0, 10) : undefined;
        expect(dayOf(year, month, dayOfMonth)).toBe(expected);
        const two = (part: number) => String(part).padStart(2, '0');
        expect(parseDay(`${year}-${two(month)}-${two(dayOfMonth)}`)).toBe(expected);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("has the number and the neighbours of JavaScript's instants", () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -4000, max: 4000 }), (day, count) => {
        expect(dayNumber(day)).toBe(Date.parse(day) / 86_400_000);
        const moved = isoDay(Date.parse(day) / 86_400_000 + count);
        expect(addDays(day, count)).toBe(moved);
        expect(earlier(day, moved)).toBe(count < 0 ? moved : day);
        expect(addDays(monthEnd(day), 1).slice(8)).toBe('01');
        expect(monthEnd(day).slice(0, 7)).toBe(day.slice(0, 7));
      }),
    );
  });

  it.each<[Frequency, string, string]>([
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

  it.each<[string, Frequency, string, string]>([
    ['a stated quarter', 'Q', '2020-05-17', '2020-04-01'],
    ['a calendar year by its last day', 'A', '2020-12-31', '2020-01-01'],
    ['no fiscal year', 'A', '2020-09-30', '2020-09-30'],
    ['no week', 'W', '2020-05-15', '2020-05-15'],
    ['no date without a stated frequency', '', '2020-03-31', '2020-03-31'],
  ])('is moved by %s', (_, stated, day, kept) => expect(storedDate(day, stated)).toBe(kept));

  it('begins in the Line Islands before it begins in UTC', () => {
    const instant = new Date('2026-01-15T10:00:00Z');
    expect([utcDay(instant), latestDay(instant)]).toEqual(['2026-01-15', '2026-01-16']);
    expect(latestDay(new Date('2026-01-15T09:59:59.999Z'))).toBe('2026-01-15');
  });
});

describe('the days of a schedule between two days', () => {
  it.each<[Rhythm, string, string, readonly string[]]>([
    ['day', '2024-02-28', '2024-03-01', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['day', '2024-02-28', '2024-02-28', ['2024-02-28']],
    ['month-end', '2023-12-31', '2024-02-29', ['2023-12-31', '2024-01-31', '2024-02-29']],
    ['month-end', '2024-01-01', '2024-02-28', ['2024-01-31']],
    ['month-end', '2024-02-01', '2024-02-28', []],
    // Sundays of the calendar: 4 January 1970, 29 December 1968, 1 March 2026.
    ['week-end', '1969-12-30', '1970-01-11', ['1970-01-04', '1970-01-11']],
    ['week-end', '1968-12-23', '1968-12-29', ['1968-12-29']],
    ['week-end', '2026-03-01', '2026-03-07', ['2026-03-01']],
    ['week-end', '2026-03-02', '2026-03-07', []],
    // 1 March 2024 was a Friday.
    ['business-day', '2024-03-01', '2024-03-05', ['2024-03-01', '2024-03-04', '2024-03-05']],
    ['business-day', '2024-03-02', '2024-03-03', []],
    ['friday', '2024-02-24', '2024-03-08', ['2024-03-01', '2024-03-08']],
    ['quarter-end', '2023-12-31', '2024-07-01', ['2023-12-31', '2024-03-31', '2024-06-30']],
    ['year-end', '2023-01-01', '2024-12-31', ['2023-12-31', '2024-12-31']],
    ['month-end', '2999-11-30', '2999-12-31', ['2999-11-30', '2999-12-31']],
  ])('%s from %s to %s', (rhythm, from, to, expected) => {
    expect(schedule(rhythm, from, to)).toEqual(expected);
  });
});

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
    .tuple(fc.nat(9000), fc.constantFrom(1, 7, 14, 30), fc.nat(12))
    .map(([first, step, length]) => Array.from({ length }, (_, i) => isoDay(first + i * step))),
  fc
    .tuple(fc.nat(500), fc.constantFrom(1, 2, 3, 12), fc.nat(12), fc.constantFrom(1, 15, 28, 30, 31))
    .map(([month, step, length, day]) =>
      Array.from({ length }, (_, i) => isoDay(Date.UTC(1970, month + i * step, day) / 86_400_000)),
    ),
);
const sets = fc.array(run, { maxLength: 6 }).map((all) => all.flat());

describe('a set of days as text', () => {
  it('gives back its days and contains no other', () => {
    const others = fc.array(fc.integer({ min: -9000, max: 21_000 }).map(isoDay), { maxLength: 20 });
    fc.assert(
      fc.property(sets, others, (members, some) => {
        const set = parseDateSet(formatDateSet(members));
        const wanted = new Set(members);
        expect(set.days()).toEqual([...wanted].sort());
        const asked = [...members, ...some, ...members.flatMap(monthsAfter)];
        expect(asked.filter((day) => set.has(day) !== wanted.has(day))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is the same text for any order and repetition of days', () => {
    fc.assert(
      fc.property(sets, (members) => {
        expect(formatDateSet([...members, ...members].reverse())).toBe(formatDateSet([...members].sort()));
      }),
    );
  });

  it('contains the periods of its days by a frequency', () => {
    const frequencies = fc.constantFrom<Frequency[]>('', 'D', 'W', 'M', 'Q', 'SA', 'A');
    fc.assert(
      fc.property(sets, frequencies, (members, frequency) => {
        const set = parseDateSet(formatDateSet(members), frequency);
        const starts = new Set(members.map((day) => storedDate(day, frequency)));
        expect([...set.days()].sort()).toEqual([...starts].sort());
        const asked = [...members, ...starts];
        expect(asked.filter((day) => set.has(day) !== starts.has(day))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    [[], ''],
    [['2020-01-01'], '2020-01-01'],
    [['2020-01-01', '2020-04-01'], '2020-01-01,2020-04-01'],
    [['2020-01-01', '2020-04-01', '2020-07-01'], '2020-01-01/2020-07-01/3M'],
    [['2020-01-03', '2020-01-10', '2020-01-17', '2020-01-20'], '2020-01-03/2020-01-17/7D,2020-01-20'],
  ])('%j is %j: a regular range is as short as its ends', (members, text) => {
    expect(formatDateSet(members)).toBe(text);
  });
});
