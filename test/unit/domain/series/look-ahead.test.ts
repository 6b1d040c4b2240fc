import { describe, expect, it } from 'vitest';
import { PublishedValues } from '../../../../src/domain/series/look-ahead.ts';
import { transformationOf } from '../../../../src/domain/series/transformation.ts';
import { Transformer, Vintages } from '../../../../src/domain/series/transformer.ts';

// Unemployment for October to March, as it came out each following month, and with the annual revision of December.
const vintages = new Vintages(
  new Map([
    ['2014-10-01', [{ asOf: '2014-11-07', value: '5.8' }]],
    ['2014-11-01', [{ asOf: '2014-12-05', value: '5.8' }]],
    [
      '2014-12-01',
      [
        { asOf: '2015-01-09', value: '5.6' },
        { asOf: '2016-01-08', value: '5.5' },
      ],
    ],
    ['2015-01-01', [{ asOf: '2015-02-06', value: '5.7' }]],
    ['2015-02-01', [{ asOf: '2015-03-06', value: '5.5' }]],
    ['2015-03-01', [{ asOf: '2015-04-03', value: '5.8' }]],
  ]),
);
const values = new PublishedValues(vintages);
/** 20 January 2015, when December was the newest month. */
const day = '2015-01-20';
const newest = '2014-12-01';

describe('a value that is not the one known on a day', () => {
  it.each([
    ['the figure of the next month', '5.7', 'ahead', '2015-01-01', '2015-02-06'],
    [
      'a figure of two months later, before the revision to the same number',
      '5.50',
      'ahead',
      '2015-02-01',
      '2015-03-06',
    ],
    [
      'the figure of the month before, which comes back three months later',
      '5.8',
      'old',
      '2014-11-01',
      '2014-12-05',
    ],
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
      new Vintages(
        new Map([
          ['1990-01-01', [{ asOf: '1991-12-04', value: '5375.4' }]],
          [
            '1990-04-01',
            [
              { asOf: '1991-12-04', value: '5443.3' },
              { asOf: '1992-12-22', value: '5441.1' },
            ],
          ],
        ]),
      ),
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
