import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changed, commandLine, searchOf, stateIn } from '../../../src/explorer/state.ts';

const day = fc
  .date({ min: new Date('1700-01-01'), max: new Date('2900-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const text = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.trim() === one && one !== '');

const seriesState = fc
  .record(
    {
      view: fc.constant('series' as const),
      series: text,
      'as-of': day,
      from: day,
      to: day,
      date: day,
      hide: fc.constantFrom('latest', 'first', 'latest,first'),
    },
    { requiredKeys: ['view'] },
  )
  .filter(({ from = '', to = '9' }) => from <= to);

describe('the address of the explorer', () => {
  it('holds the whole state, so that the same address gives the same page', () => {
    fc.assert(
      fc.property(seriesState, (state) => {
        expect(stateIn(searchOf(state))).toEqual({ state, faults: [] });
      }),
    );
  });

  it('is short where nothing is chosen', () => {
    expect(searchOf({ view: 'series' })).toBe('?');
    expect(searchOf({ view: 'clusters', ticker: 'MAIA' })).toBe('?view=clusters&ticker=MAIA');
  });

  it.each([
    ['?series=GDP&as-of=2015-02-30', "as-of is '2015-02-30', which is no date: dates are YYYY-MM-DD"],
    ['?view=curve&vs=yesterday', "vs is 'yesterday', which is no date: dates are YYYY-MM-DD"],
    ['?view=nothing', "there is no page 'nothing'"],
    ['?view=curve&type=real', "type is 'real', and can be PAR or TIPS"],
    ['?series=GDP&hide=latest,lowest', "hide is 'lowest', and can be latest or first"],
    ['?series=GDP&from=2012-01-01&to=2011-12-31', 'to is 2011-12-31, before from, which is 2012-01-01'],
  ])('of %s says what is wrong, and leaves that out', (search, fault) => {
    const { state, faults } = stateIn(search);
    expect(faults).toEqual([fault]);
    expect(state).not.toHaveProperty('as-of');
    for (const part of ['vs', 'type', 'hide', 'to']) expect(state).not.toHaveProperty(part);
  });

  it('leaves out what belongs to another page', () => {
    expect(stateIn('?view=curve&series=GDP&date=2015-01-30').state).toEqual({
      view: 'curve',
      date: '2015-01-30',
    });
  });

  it('changes in parts, and an empty text takes a part away', () => {
    const state = { view: 'series', series: 'GDP', from: '2005-01-01' } as const;
    expect(changed(state, { from: '', 'as-of': '2009-01-30' })).toEqual({
      view: 'series',
      series: 'GDP',
      'as-of': '2009-01-30',
    });
  });
});

describe('a command that the explorer shows', () => {
  it('leaves out flags without a value, and keeps switches', () => {
    const flags = { '--first-release': '', '--from': undefined, '--to': '2012-12-31' };
    expect(commandLine(['observations', 'GDP'], flags)).toBe(
      'asof observations GDP --first-release --to 2012-12-31',
    );
  });

  it.each([
    ['plain.db', 'plain.db'],
    ["Ada's store.db", "'Ada'\\''s store.db'"],
    ['$HOME/*', "'$HOME/*'"],
    ['postgres://desk@db/markets?sslmode=require', "'postgres://desk@db/markets?sslmode=require'"],
  ])('names %s so that a shell takes it as one word', (store, word) => {
    expect(commandLine(['curve'], { '--store': store })).toBe(`asof curve --store ${word}`);
  });
});
