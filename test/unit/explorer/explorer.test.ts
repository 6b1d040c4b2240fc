import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/values/date.ts';
import { historyOf, positionOf } from '../../../src/explorer/history.ts';
import { changed, commandLine, searchOf, stateIn } from '../../../src/explorer/state.ts';

describe('the history of revisions of the explorer', () => {
  const day = fc.integer({ min: 0, max: 40 }).map((count) => addDays('2015-01-01', count));
  const statements = fc.uniqueArray(
    fc.record({
      date: fc.integer({ min: 0, max: 5 }).map((month) => `2014-0${month + 1}-01`),
      asOf: day,
      value: fc.option(fc.integer({ min: -9, max: 9 }).map(String), { nil: null }),
    }),
    { selector: ({ date, asOf }) => `${date} ${asOf}`, maxLength: 60 },
  );

  it('has each date once, and knows of it what the latest statement up to a day says', () => {
    fc.assert(
      fc.property(statements, day, (all, on) => {
        const history = historyOf(all);
        expect(history.dates).toEqual([...new Set(all.map(({ date }) => date))].sort());
        const latest = (date: string) =>
          all
            .filter((one) => one.date === date && one.asOf <= on)
            .sort((a, b) => (a.asOf < b.asOf ? -1 : 1))
            .at(-1);
        const known = history.dates.map((date) => history.on(on).valueOf(date)?.value);
        expect(known).toEqual(history.dates.map((date) => latest(date)?.value ?? undefined));
      }),
    );
  });

  it('says from which vintage a value is', () => {
    // BEA's figures for the fourth quarter of 2014, as they came out (ALFRED, series GDP).
    const history = historyOf([
      { date: '2014-10-01', asOf: '2015-03-27', value: '17703.7' },
      { date: '2014-10-01', asOf: '2015-01-30', value: '17710.7' },
      { date: '2014-10-01', asOf: '2015-02-27', value: '17701.3' },
    ]);
    const knownOn = (on: string) => history.on(on).valueOf('2014-10-01');
    expect(knownOn('2015-03-26')).toEqual({ asOf: '2015-02-27', value: '17701.3' });
    expect(knownOn('2015-01-29')).toBeUndefined();
    expect(history.changesOf('2014-10-01').at(-1)?.value).toBe('17703.7');
  });

  it('finds the newest of ascending days on or before a day', () => {
    fc.assert(
      fc.property(fc.uniqueArray(day), day, (unsorted, on) => {
        const days = unsorted.sort();
        expect(positionOf(days, on)).toBe(days.filter((one) => one <= on).length - 1);
      }),
    );
  });
});

describe('the address of the explorer', () => {
  const dayUntil = (max: Date) =>
    fc
      .date({ min: new Date('1700-01-01'), max, noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
  const day = dayUntil(new Date('2900-01-01'));
  const text = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.trim() === one);
  const hide = fc.constantFrom('latest', 'first', 'latest,first', 'recessions');
  const seriesState = fc
    .record(
      {
        view: fc.constant('series' as const),
        series: text,
        'as-of': dayUntil(new Date()),
        units: fc.constantFrom('lin', 'chg', 'pch', 'pc1', 'pca'),
        range: fc.constantFrom('5y', '10y', '20y', 'max'),
        with: text,
        from: day,
        to: day,
        date: day,
        hide,
      },
      { requiredKeys: ['view'] },
    )
    .filter(({ from = '', to = '9' }) => from <= to);

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
    ['?series=GDP&hide=latest,lowest', "hide is 'lowest', and can be latest, first or recessions"],
    ['?series=GDP&units=yoy', "units is 'yoy', and can be lin, chg, pch, pc1 or pca"],
    ['?series=GDP&as-of=2999-01-01', 'as-of is 2999-01-01, which has not come yet'],
    ['?series=GDP&from=2012-01-01&to=2011-12-31', 'to is 2011-12-31, before from, which is 2012-01-01'],
  ])('of %s says what is wrong, and leaves that out', (search, fault) => {
    const { state, faults } = stateIn(search);
    expect(faults).toEqual([fault]);
    for (const part of ['as-of', 'vs', 'type', 'hide', 'to', 'units'])
      expect(state).not.toHaveProperty([part]);
  });

  it('leaves out what belongs to another page', () => {
    const { state } = stateIn('?view=curve&series=GDP&date=2015-01-30');
    expect(state).toEqual({ view: 'curve', date: '2015-01-30' });
  });

  it('changes in parts, and an empty text takes a part away', () => {
    const state = { view: 'series', series: 'GDP', from: '2005-01-01' } as const;
    const next = changed(state, { from: '', 'as-of': '2009-01-30' });
    expect(next).toEqual({ view: 'series', series: 'GDP', 'as-of': '2009-01-30' });
  });
});

describe('a command that the explorer shows', () => {
  it('leaves out flags without a value, and keeps switches', () => {
    const line = commandLine(['observations', 'GDP'], {
      '--first-release': '',
      '--from': undefined,
      '--to': '2012-12-31',
    });
    expect(line).toBe('asof observations GDP --first-release --to 2012-12-31');
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
