import { describe, expect, it } from 'vitest';
import { parsePeriod, sdmxFrequency } from '../../../../src/domain/values/period.ts';

describe('a period of a publisher', () => {
  it.each([
    ['2015-Q1', '2015-01-01', 'Q'],
    ['2000q2', '2000-04-01', 'Q'],
    ['Q4-1959', '1959-10-01', 'Q'],
    ['Q1 1955', '1955-01-01', 'Q'],
    ['1947:Q3', '1947-07-01', 'Q'],
    ['1947:01', '1947-01-01', 'M'],
    ['2026-03', '2026-03-01', 'M'],
    ['2026-M12', '2026-12-01', 'M'],
    ['1995-S1', '1995-01-01', 'SA'],
    ['1995-H2', '1995-07-01', 'SA'],
    ['1991', '1991-01-01', 'A'],
    ['2015-01-31', '2015-01-31', 'D'],
    // ISO 8601: the first week has 4 January, so it can begin in the year before.
    ['2013-W01', '2012-12-31', 'W'],
    ['2016-W01', '2016-01-04', 'W'],
    ['2020-W53', '2020-12-28', 'W'],
  ])('%s begins on %s and is one of frequency %s', (text, start, frequency) => {
    expect(parsePeriod(text)).toEqual({ start, frequency });
  });

  it.each([
    '2015-Q5',
    '2015-13',
    '2015-00',
    '2015-S3',
    '2015-W00',
    '2019-W53',
    '15-Q1',
    'Q1',
    '2015-02-30',
    '',
  ])('%s is none', (text) => {
    expect(parsePeriod(text)).toBeUndefined();
  });
});

describe('a frequency of SDMX', () => {
  it.each([
    ['A', 'A'],
    ['S', 'SA'],
    ['H', 'SA'],
    ['q', 'Q'],
    ['B', 'D'],
  ])('%s is %s', (code, frequency) => {
    expect(sdmxFrequency(code)).toBe(frequency);
  });

  it('is none for minutes', () => {
    expect(sdmxFrequency('I')).toBeUndefined();
  });
});
