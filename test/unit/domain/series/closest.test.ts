import { describe, expect, it } from 'vitest';
import { closest } from '../../../../src/domain/series/closest.ts';

const columns = ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source'];

describe('closest finds the known name', () => {
  it.each([
    ['a letter missing', 'valu', 'value'],
    ['a letter too many', 'values', 'value'],
    ['two letters swapped', 'vlaue', 'value'],
    ['another letter', 'dade', 'date'],
    ['another letter case', 'UNIT', 'unit'],
    ['a hyphen for an underscore', 'as-of-date', 'as_of_date'],
    ['only the beginning, however short', 'freq', 'frequency'],
    ['blanks around it', ' source ', 'source'],
  ])('%s', (_, typed, meant) => {
    expect(closest(typed, columns)).toBe(meant);
  });

  it('prefers the closer name to the earlier one', () => {
    expect(closest('GDPC2', ['GDP', 'GDPC1'])).toBe('GDPC1');
  });

  it('counts a swap of neighbours as one mistake', () => {
    expect(closest('abdc', ['abxx', 'abcd'])).toBe('abcd');
    expect(closest('ba', ['cd', 'ab'])).toBe('ab');
  });
});

describe('closest finds nothing', () => {
  it.each([
    ['about a name that resembles nothing', 'price'],
    ['about an empty name', ''],
    ['about a short name of which little is right', 'xx'],
  ])('%s', (_, typed) => {
    expect(closest(typed, columns)).toBeUndefined();
  });

  it('without known names', () => {
    expect(closest('date', [])).toBeUndefined();
  });

  it('for a beginning that several names share, unless one is close', () => {
    expect(closest('s', ['series', 'spread'])).toBeUndefined();
  });
});
