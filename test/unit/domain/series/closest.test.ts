import { describe, expect, it } from 'vitest';
import { closest } from '../../../../src/domain/series/closest.ts';

const columns = ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source'];

describe('closest finds what was meant', () => {
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

  it('prefers the nearer name to the earlier one', () => {
    expect(closest('GDPC2', ['GDP', 'GDPC1'])).toBe('GDPC1');
  });

  it('counts a swap of neighbours as one mistake, not two', () => {
    expect(closest('abdc', ['abxx', 'abcd'])).toBe('abcd');
    expect(closest('ba', ['cd', 'ab'])).toBe('ab');
  });
});

describe('closest stays silent', () => {
  it.each([
    ['about a name that resembles nothing', 'price'],
    ['about an empty name', ''],
    ['about a short name of which little is right', 'xx'],
  ])('%s', (_, typed) => {
    expect(closest(typed, columns)).toBeUndefined();
  });

  it('where nothing is known', () => {
    expect(closest('date', [])).toBeUndefined();
  });

  it('about a beginning that several names share, unless one is near', () => {
    expect(closest('s', ['series', 'spread'])).toBeUndefined();
  });
});
