import { describe, expect, it } from 'vitest';
import { type Rhythm, schedule } from '../../../../src/domain/series/date.ts';

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
    ['month-end', '2999-11-30', '2999-12-31', ['2999-11-30', '2999-12-31']],
  ])('%s from %s to %s', (rhythm, from, to, days) => {
    expect(schedule(rhythm, from, to)).toEqual(days);
  });
});
