import { describe, expect, it } from 'vitest';
import { recessionsIn } from '../../../src/answering/recessions.ts';
import { recessionsOn } from '../../../src/domain/calendar/recessions.ts';

function monthsOf({ from, to = '' }: { readonly from: string; readonly to?: string }): number {
  const number = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return number(to) - number(from) + 1;
}

describe('the recessions that NBER dates', () => {
  it('last as many months as its table says, from peak to trough', () => {
    // The column "Contraction, peak to trough" of US Business Cycle Expansions and Contractions.
    const published = [
      18, 8, 32, 18, 65, 38, 13, 10, 17, 18, 18, 23, 13, 24, 23, 7, 18, 14, 13, 43, 13, 8, 11, 10, 8, 10, 11,
      16, 6, 16, 8, 8, 18, 2,
    ];
    expect(recessionsOn(undefined).map(monthsOf)).toEqual(published);
  });

  it('begin in the month after the peak, as those of FRED do', () => {
    expect(recessionsOn(undefined).slice(-2)).toEqual([
      { from: '2008-01-01', to: '2009-06-30' },
      { from: '2020-03-01', to: '2020-04-30' },
    ]);
  });

  it.each<readonly [day: string, last: object]>([
    // NBER announced none before 1980.
    ['1966-01-15', { from: '1960-05-01', to: '1961-02-28' }],
    ['1970-06-15', { from: '1970-01-01' }],
    ['2008-11-30', { from: '2001-04-01', to: '2001-11-30' }],
    ['2008-12-01', { from: '2008-01-01' }],
    ['2010-09-19', { from: '2008-01-01' }],
    ['2010-09-20', { from: '2008-01-01', to: '2009-06-30' }],
    ['2020-06-07', { from: '2008-01-01', to: '2009-06-30' }],
    ['2020-06-08', { from: '2020-03-01' }],
    ['2021-07-19', { from: '2020-03-01', to: '2020-04-30' }],
  ])(
    'are known from the day of their announcement, older ones after the month of a turn: %s',
    (day, last) => {
      expect(recessionsOn(day).at(-1)).toEqual(last);
    },
  );
});

describe('the recessions of a series of zeros and ones', () => {
  it('are its runs of ones, in any order of the rows', () => {
    const rows = [
      ['2001-05-01', '1'],
      ['2001-06-01', '0'],
      ['2001-03-01', '0'],
      ['2001-04-01', '1.0'],
      ['2001-07-01', '1'],
    ].map(([date = '', value = '']) => ({ date, value }));
    expect(recessionsIn(rows)).toEqual([{ from: '2001-04-01', to: '2001-05-31' }, { from: '2001-07-01' }]);
  });

  it('are none without ones', () => {
    expect(recessionsIn([{ date: '2001-05-01', value: '0' }])).toEqual([]);
  });
});
