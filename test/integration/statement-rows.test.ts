import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromRows, open, samplePath } from '../../src/index.ts';

const clock = () => new Date('2026-03-15T12:00:00Z');
const bread = { series_id: 'BREAD', date: '2020-01-01', as_of_date: '2020-02-13' };

describe('the statements of a test', () => {
  it('make a store of their own, which is gone when it is closed', async () => {
    const own = await fromRows(
      [
        { ...bread, value: '2.033' },
        { ...bread, as_of_date: '2020-03-13', value: 2.034 },
        { ...bread, as_of_date: '2020-04-13', value: null },
      ],
      { clock },
    );
    const known = async (asOf: string) =>
      (await own.observations('BREAD', { asOf })).rows.map(({ value }) => value);
    expect([await known('2020-02-13'), await known('2020-03-13'), await known('2020-04-13')]).toEqual([
      ['2.033'],
      ['2.034'],
      [],
    ]);
    const { where } = await own.origin();
    await own[Symbol.asyncDispose]();
    expect(existsSync(dirname(where))).toBe(false);
  });

  it('may be facts of another store, with their descriptions', async () => {
    const sample = await open(samplePath());
    const facts = [];
    for await (const fact of sample.facts('GDP')) if (fact.date === '2014-10-01') facts.push(fact);
    const own = await fromRows(facts, { clock });
    const { rows } = await own.observations('GDP', { asOf: '2015-01-30' });
    // The advance estimate of 2014 Q4, as BEA published it.
    expect(rows).toMatchObject([{ value: '17710.7', unit: 'Billions of Dollars', frequency: 'Q' }]);
    await Promise.all([sample.close(), own.close()]);
  });

  it('may be none, or values of periods that had not begun', async () => {
    const empty = await fromRows([], { clock });
    expect((await empty.seriesSearch('')).rows).toEqual([]);
    await empty.close();
    const potential = await fromRows([{ ...bread, date: '2030-01-01', value: '3' }], { clock });
    expect((await potential.observations('BREAD')).rows).toMatchObject([{ date: '2030-01-01' }]);
    await potential.close();
  });

  it.each<[detail: string, rows: unknown, hint?: string]>([
    ["argument 'rows' is missing", undefined],
    ['invalid \'rows\' "BREAD": use a list such as [{ series_id:', 'BREAD'],
    ['rows[0] null: use an object with series_id, date, as_of_date, value', [null]],
    [
      "rows[0] has an unknown column 'valeu': use series_id, date, as_of_date, value,",
      [{ ...bread, valeu: '1' }],
      'did you mean value?',
    ],
    ['rows[1] has no value; null says that it was withdrawn', [{ ...bread, value: '1' }, bread]],
    ['rows[0] has no as_of_date', [{ series_id: 'A', date: '2020-01-01', value: '1' }]],
    [
      'rows[0].value NaN: use a decimal text such as "17710.7", a number, or null',
      [{ ...bread, value: Number.NaN }],
    ],
    ['rows[0].value "": use a decimal text', [{ ...bread, value: '' }]],
    ['rows[0].date "2020-02-30": there is no such date', [{ ...bread, date: '2020-02-30', value: '1' }]],
    ['rows[0].date (Date): use YYYY-MM-DD', [{ ...bread, date: new Date(0), value: '1' }]],
    [
      'rows[0].as_of_date "2030-01-01": it is in the future',
      [{ ...bread, as_of_date: '2030-01-01', value: '1' }],
    ],
    ['rows[0].series_id "a,b": use at most 80 letters, digits', [{ ...bread, series_id: 'a,b', value: '1' }]],
    [
      'rows[1] contradicts rows[0]: BREAD 2020-01-01 as of 2020-02-13 is 2, and 1',
      [
        { ...bread, value: '1' },
        { ...bread, series_id: 'bread', value: 2 },
      ],
      'a value has one statement for each as_of_date: leave one out',
    ],
  ])('are refused by their row and column: %s', async (detail, rows, hint) => {
    const refusal = Reflect.apply(fromRows, undefined, [rows, { clock }]);
    await expect(refusal).rejects.toMatchObject({
      ...{ kind: 'bad-input', detail: expect.stringContaining(detail) },
      hints: hint === undefined ? [] : [hint],
    });
  });

  it('may be stated twice in the same words', async () => {
    const own = await fromRows(
      [
        { ...bread, value: '1.50' },
        { ...bread, value: 1.5 },
      ],
      { clock },
    );
    expect((await own.observations('BREAD')).rows).toMatchObject([{ value: '1.50' }]);
    await own.close();
  });
});

describe('open', () => {
  it('takes the sample by its name', async () => {
    const sample = await open('sample');
    expect(await sample.origin()).toMatchObject({ mode: 'embedded', sample: true });
    await sample.close();
  });

  it('says what an address is where it gets an object', async () => {
    await expect(Reflect.apply(open, undefined, [{ store: 'sample' }])).rejects.toMatchObject({
      detail: expect.stringContaining('use the path of a store, "sample", postgres://… or https://…'),
    });
  });
});
