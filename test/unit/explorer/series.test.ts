import { describe, expect, it } from 'vitest';
import { historyOf, type LoadedSeries } from '../../../src/explorer/history.ts';
import { groupsOf } from '../../../src/explorer/home/home.ts';
import { sentenceOf } from '../../../src/explorer/series/series-view.ts';
import {
  firstShownDay,
  largestRevisions,
  rangeFor,
  ShownValues,
} from '../../../src/explorer/series/shown-values.ts';

/** BEA's figures for quarters of 2007 and 2008, as they came out (ALFRED, series GDP). */
const history = historyOf([
  { date: '2007-10-01', asOf: '2008-12-23', value: '14031.2' },
  { date: '2008-10-01', asOf: '2009-01-30', value: '14264.6' },
  { date: '2008-10-01', asOf: '2009-02-27', value: '14200.3' },
]);

const gdp: LoadedSeries = {
  id: 'GDP',
  title: 'GDP: Gross Domestic Product',
  about: { units: 'Billions of Dollars', frequency: 'Q', covered_to: '2009-02-27' },
  next: undefined,
  history,
  revisions: [],
  vintages: [],
  days: ['2008-12-23', '2009-01-30', '2009-02-27'],
  kinds: [],
  latest: ['14031.2', '14200.3'],
  first: ['14031.2', '14264.6'],
};

describe('the values of a series in the explorer', () => {
  it('are growth within each vintage, as FRED computes it', () => {
    const growth = new ShownValues(gdp, 'pc1');
    expect(growth.unit).toBe('Percent Change from Year Ago');
    // (14264.6 / 14031.2 - 1) and (14200.3 / 14031.2 - 1), in percent.
    expect(growth.valueOn('2009-01-30', '2008-10-01')).toEqual({ value: '1.66344', asOf: '2009-01-30' });
    expect(growth.latest).toEqual([null, '1.20517']);
    expect(growth.first).toEqual([null, '1.66344']);
  });

  it('are levels where the frequency is unknown, which growth needs', () => {
    const levels = new ShownValues({ ...gdp, about: { units: 'Index' } }, 'pc1');
    expect([levels.units, levels.latest[1]]).toEqual(['lin', '14200.3']);
  });

  it('are said in a sentence, of the newest date or a given one', () => {
    const said = (date?: string) => sentenceOf(gdp, new ShownValues(gdp, undefined), '2009-01-30', date);
    expect(said()).toBe('On 30 January 2009, GDP of 2008 Q4 was 14,264.6; today it is 14,200.3 (-0.5 %).');
    expect(said('2007-10-01')).toContain('2007 Q4 was 14,031.2; today it is 14,031.2 (unchanged)');
    expect(said('2009-01-01')).toBe('');
  });
});

describe('the day that the explorer shows first', () => {
  it.each([
    [['2022-01-05', '2023-01-05', '2023-02-01', '2024-01-20'], '2023-01-05'],
    [['2024-01-05', '2024-01-20'], '2024-01-05'],
    [[], ''],
  ])('of %s is the newest of a year before the newest, or the first', (days, day) => {
    expect(firstShownDay(days)).toBe(day);
  });
});

describe('the dates that the explorer shows', () => {
  const dates = Array.from({ length: 60 }, (_, i) => `${1965 + i}-01-01`);
  const range = (state: object, asOf: string) => rangeFor({ view: 'series', ...state }, dates, asOf, '');

  it('are the last 20 years, or those about an older day', () => {
    expect(range({}, '2023-05-01')).toEqual({ from: '2004-01-01', to: '2024-01-01' });
    expect(range({}, '1990-05-01')).toEqual({ from: '1985-01-01', to: '2005-12-31' });
    expect(range({ range: '5y' }, '1966-01-01')).toEqual({ from: '1965-01-01', to: '1970-12-31' });
  });

  it('are all, or those of the address', () => {
    expect(range({ range: 'max' }, '1990-05-01')).toEqual({ from: '1965-01-01', to: '2024-01-01' });
    expect(range({ from: '2001-01-01' }, '1990-05-01')).toEqual({ from: '2001-01-01', to: '2024-01-01' });
  });
});

describe('the largest revisions', () => {
  it('are by the mean of their changes, without vintages that changed a base year', () => {
    const months = Array.from(
      { length: 15 },
      (_, i) => `2000-${String((i % 12) + 1).padStart(2, '0')}-${i < 12 ? '01' : '02'}`,
    );
    const statements = months.flatMap((date, i) => [
      { date, asOf: '2002-01-01', value: '100' },
      // The first three by 2 %, then all to a third.
      ...(i < 3 ? [{ date, asOf: '2002-02-01', value: '102' }] : []),
      { date, asOf: '2002-03-01', value: '33' },
    ]);
    const found = largestRevisions({ ...gdp, history: historyOf(statements) });
    expect(found.map(({ day, about }) => [day, about])).toEqual([
      ['2002-02-01', '3 values revised by 2.00 % on average'],
    ]);
  });
});

describe('the groups of the first page', () => {
  const named = (id: string, title: string, source = 'FRED') => ({ id, title, source });

  it('have the best-known series of a subject first, two at most, and the others by words of their titles', () => {
    const groups = groupsOf([
      named('GDPC1', 'Real Gross Domestic Product'),
      named('INDPRO', 'Industrial Production: Total Index'),
      named('GDP', 'Gross Domestic Product'),
      named('IQ', 'Export Price Index'),
      named('EXPGSC1', 'Real Exports of Goods and Services'),
    ]);
    const ids = groups.map(({ name, known, others }) => [
      name,
      known.map(({ row }) => row.id),
      others.map(({ id }) => id),
    ]);
    expect(ids).toEqual([
      ['Output', ['GDP', 'INDPRO'], ['GDPC1']],
      ['Prices', [], ['IQ']],
      ['Trade', [], ['EXPGSC1']],
    ]);
  });

  it('are the sources of series whose titles say no subject', () => {
    const groups = groupsOf([named('BREAD', 'Bread in my town', 'Me'), named('X', '', '')]);
    expect(groups.map(({ name, others }) => [name, others.map(({ id }) => id)])).toEqual([
      ['Me', ['BREAD']],
      ['Without a source', ['X']],
    ]);
  });
});
