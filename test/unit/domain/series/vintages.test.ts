import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PublishedValues } from '../../../../src/domain/series/look-ahead.ts';
import { newestOnDays, realTimePeriodsOf } from '../../../../src/domain/series/newest-values.ts';
import type { Change } from '../../../../src/domain/series/revision-history.ts';
import { transformationOf } from '../../../../src/domain/series/transformation.ts';
import { Transformer, Vintages } from '../../../../src/domain/series/transformer.ts';

/** Vintages of dates, each with its changes as `asOf value`; without a value a withdrawal. */
function vintagesOf(changes: Readonly<Record<string, readonly string[]>>): Vintages {
  const read = (text: string): Change => {
    const [asOf = '', value = null] = text.split(' ');
    return { asOf, value };
  };
  return new Vintages(new Map(Object.entries(changes).map(([date, own]) => [date, own.map(read)])));
}

describe('the vintages of a series', () => {
  it('know the newest date on each day, after withdrawals too', () => {
    const vintages = vintagesOf({
      '2020-01-01': ['2020-02-01 1'],
      '2020-02-01': ['2020-03-01 2', '2020-03-05', '2020-03-09 3'],
    });
    const newest = {
      '2020-01-31': undefined,
      '2020-02-01': '2020-01-01',
      '2020-03-01': '2020-02-01',
      '2020-03-05': '2020-01-01',
      '2020-03-08': '2020-01-01',
      '2020-03-09': '2020-02-01',
    };
    for (const [day, date] of Object.entries(newest)) expect(vintages.newestOn(day), day).toBe(date);
    expect(vintages.on('2020-03-05').valueOf('2020-02-01')).toBeUndefined();
    expect(vintages.on('2020-03-09').valueOf('2020-02-01')).toEqual({ value: '3', asOf: '2020-03-09' });
  });
});

const dayOf = (day: string) => `2020-01-${day}`;

describe('as-of dates between which nothing was published', () => {
  it.each<readonly [publications: readonly string[], asked: readonly string[], periods: string]>([
    [['05'], ['04', '05', '06'], '04 | 05 06 since 05'],
    [['05', '10', '15'], ['05', '09', '10', '14', '15'], '05 09 since 05 | 10 14 since 10 | 15 since 15'],
    [['05', '06', '07'], ['20', '21'], '20 21 since 07'],
    [[], ['04'], '04'],
    [['05'], [], ''],
  ])('published %j, as of %j: %s', (publications, asked, periods) => {
    const found = realTimePeriodsOf(asked.map(dayOf), publications.map(dayOf)).map(({ days, since }) => {
      const of = days.map((day) => day.slice(8)).join(' ');
      return since === undefined ? of : `${of} since ${since.slice(8)}`;
    });
    expect(found.join(' | ')).toBe(periods);
  });
});

/** Changes of three dates: each has a first day and, as a rule, revisions and withdrawals after it. */
const changesOfDate = fc
  .uniqueArray(
    fc.record({
      asOf: fc.integer({ min: 10, max: 31 }).map((day) => dayOf(String(day))),
      value: fc.constantFrom('1', '2', null),
    }),
    { selector: ({ asOf }) => asOf, maxLength: 6 },
  )
  .map((changes): readonly Change[] => changes.sort((a, b) => (a.asOf < b.asOf ? -1 : 1)));

describe('the newest values on each of many days', () => {
  it('are the newest dates that have a value in the vintage of the day', () => {
    const dates = ['2019-10-01', '2019-11-01', '2019-12-01'];
    const days = Array.from({ length: 26 }, (_, i) => dayOf(String(i + 6).padStart(2, '0')));
    fc.assert(
      fc.property(fc.tuple(changesOfDate, changesOfDate, changesOfDate), (all) => {
        const changes = new Map(dates.map((date, i) => [date, all[i] ?? []]));
        const known = new Map(
          newestOnDays(new Vintages(changes), days, 2).flatMap((one) =>
            one.days.map((day) => [day, one.values]),
          ),
        );
        for (const day of days) {
          const expected = [...changes].reverse().flatMap(([date, own]) => {
            const change = own.filter(({ asOf }) => asOf <= day).at(-1);
            return change === undefined || change.value === null ? [] : [{ date, ...change }];
          });
          expect(known.get(day)).toEqual(expected.slice(0, 2));
        }
      }),
    );
  });
});

// Unemployment for October to March, as it came out each following month, and with the annual revision of December.
const vintages = vintagesOf({
  '2014-10-01': ['2014-11-07 5.8'],
  '2014-11-01': ['2014-12-05 5.8'],
  '2014-12-01': ['2015-01-09 5.6', '2016-01-08 5.5'],
  '2015-01-01': ['2015-02-06 5.7'],
  '2015-02-01': ['2015-03-06 5.5'],
  '2015-03-01': ['2015-04-03 5.8'],
});
const values = new PublishedValues(vintages);
/** 20 January 2015, when December was the newest month. */
const day = '2015-01-20';
const newest = '2014-12-01';

describe('a value that is not the one known on a day', () => {
  it.each([
    ['the figure of the next month', '5.7', 'ahead', '2015-01-01', '2015-02-06'],
    ['a figure of two months later, before a revision to it', '5.50', 'ahead', '2015-02-01', '2015-03-06'],
    ['the figure of the month before, which comes back later', '5.8', 'old', '2014-11-01', '2014-12-05'],
    ['a number that no vintage has', '4.9', 'never', undefined, undefined],
  ])('is %s', (_, value, kind, date, asOf) => {
    const { kind: found, published } = values.placed(value, { day, newest });
    expect([found, published?.date, published?.asOf]).toEqual([kind, date, asOf]);
  });

  it('is the revision of its date, where the date is known', () => {
    expect(values.placed('5.5', { day, newest, date: newest })).toEqual({
      kind: 'ahead',
      published: { date: newest, value: '5.5', asOf: '2016-01-08' },
    });
    expect(values.placed('5.8', { day, newest, date: newest })).toEqual({ kind: 'never' });
  });

  it('was known later, if it was as near before as after', () => {
    // On 10 March the newest month is February; 5.7 is a month back, and 5.8 a month ahead and further back.
    expect(values.placed('5.8', { day: '2015-03-10', newest: '2015-02-01' }).kind).toBe('ahead');
    expect(values.placed('5.7', { day: '2015-03-10', newest: '2015-02-01' }).kind).toBe('old');
  });

  it('was known later, where nothing was known on the day', () => {
    expect(values.placed('5.8', { day: '2014-01-01', newest: undefined }).published?.asOf).toBe('2014-11-07');
  });

  it('is of no certain kind on a day before the first vintage, unless its period had not begun or it came later', () => {
    const record = new PublishedValues(
      vintagesOf({
        '1990-01-01': ['1991-12-04 5375.4'],
        '1990-04-01': ['1991-12-04 5443.3', '1992-12-22 5441.1'],
      }),
    );
    const on = { day: '1990-05-01', newest: undefined };
    expect(record.placed('5375.4', on)).toEqual({ kind: 'before' });
    expect(record.placed('5400', on)).toEqual({ kind: 'before' });
    expect(record.placed('5441.1', on).published?.asOf).toBe('1992-12-22');
    expect(record.placed('5443.3', { ...on, day: '1990-03-01' }).kind).toBe('ahead');
    expect(record.placed('5400', { ...on, day: '1992-01-01' }).kind).toBe('never');
  });

  it('is newer than a lag allows, where it was known of a later date than the lag leaves', () => {
    const lagged = { day, newest: '2014-11-01', isLagged: true };
    expect(values.placed('5.6', lagged)).toEqual({
      kind: 'newer',
      published: { date: '2014-12-01', value: '5.6', asOf: '2015-01-09' },
    });
    expect(values.placed('5.8', { ...lagged, newest: '2014-10-01' }).kind).toBe('old');
    expect(values.placed('5.7', lagged).kind).toBe('ahead');
  });

  it('may be a change, which is known from the day on which both of its values are', () => {
    const transformation = transformationOf({ units: 'chg', digits: 1 });
    if (transformation === undefined) throw new Error('there is no transformation');
    const changes = new PublishedValues(vintages, new Transformer('UNRATE', 'M', transformation));
    expect(changes.placed('0.1', { day, newest })).toEqual({
      kind: 'ahead',
      published: { date: '2015-01-01', value: '0.1', asOf: '2015-02-06' },
    });
    // With the revision of December to 5.5, January rose by 0.2.
    expect(changes.placed('0.2', { day, newest }).published?.asOf).toBe('2016-01-08');
  });
});
