import { beforeAll, describe, expect, it } from 'vitest';
import {
  observations,
  revisions,
  seriesSearch,
  seriesShow,
  vintages,
} from '../../../src/operations/index.ts';
import { folder } from '../../support/example-stores.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';
import { ask } from '../../support/service.ts';

/** Rates that the Treasury published for two days of January 2015. */
const curves = 'Date,"3 Mo","2 Yr","10 Yr"\n2015-01-02,0.02,0.66,2.12\n2015-01-05,0.03,0.68,2.04\n';

let store = '';
beforeAll(async () => {
  store = newStorePath(folder);
  await importFiles(store, { 'curves.csv': curves });
});

describe('a maturity of the curves is a series', () => {
  it.each([
    ['DGS10', ['2015-01-05 2.04', '2015-01-02 2.12']],
    ['T10Y2Y', ['2015-01-05 1.36', '2015-01-02 1.46']],
    ['T10Y3M', ['2015-01-05 2.01', '2015-01-02 2.10']],
  ])('%s with the published rates, each known from its trade date', async (id, expected) => {
    const { results } = await ask(store, observations, [['id', id]]);
    expect(results.map(({ date, value }) => `${date} ${Number(value).toFixed(2)}`)).toEqual(expected);
    expect(results.every(({ date, as_of_date }) => date === as_of_date)).toBe(true);
    expect(results[0]).toMatchObject({ series_id: id, unit: 'Percent', frequency: 'D' });
  });

  it('that as of a day has no later rate', async () => {
    const known = await ask(store, observations, [
      ['id', 'DGS10'],
      ['as_of', '2015-01-04'],
    ]);
    expect(known.results.map(({ date }) => date)).toEqual(['2015-01-02']);
    const before = await ask(store, observations, [
      ['id', 'DGS10'],
      ['as_of', '2015-01-01'],
    ]);
    expect(before.results).toEqual([]);
  });

  it('of which pages join to the whole', async () => {
    const first = await ask(store, observations, [
      ['id', 'DGS10'],
      ['limit', '1'],
    ]);
    const second = await ask(store, observations, [
      ['id', 'DGS10'],
      ['limit', '1'],
      ['cursor', first.next_cursor ?? ''],
    ]);
    expect([...first.results, ...second.results].map(({ date }) => date)).toEqual([
      '2015-01-05',
      '2015-01-02',
    ]);
    expect(second.has_more).toBe(false);
  });

  it('that is described and found by search', async () => {
    const { results } = await ask(store, seriesShow, [['id', 'DGS10']]);
    expect(results[0]).toMatchObject({
      id: 'DGS10',
      title:
        'Market Yield on U.S. Treasury Securities at 10-Year Constant Maturity, Quoted on an Investment Basis',
      observation_count: 2,
      first_vintage: '2015-01-02',
      covered_to: '2015-01-05',
      vintage_kind: 'exact',
    });
    const found = await ask(store, seriesSearch, [
      ['q', 'ten-year'],
      ['match', 'words'],
    ]);
    expect(found.results[0]?.id).toBe('DGS10');
  });

  it('of which each trade date is a vintage that adds one value, and no value is revised', async () => {
    const listed = await ask(store, vintages, [['id', 'DGS10']]);
    expect(listed.results.map(({ as_of_date, added, revised }) => [as_of_date, added, revised])).toEqual([
      ['2015-01-05', 1, 0],
      ['2015-01-02', 1, 0],
    ]);
    const history = await ask(store, revisions, [
      ['id', 'DGS10'],
      ['date', '2015-01-05'],
    ]);
    expect(history.results.map(({ as_of_date, value }) => [as_of_date, value])).toEqual([
      ['2015-01-05', '2.04'],
    ]);
  });

  it('that does not exist where no rate of it is held', async () => {
    await expect(ask(store, seriesShow, [['id', 'DGS30']])).rejects.toMatchObject({ kind: 'not-found' });
    await expect(ask(store, observations, [['id', 'DFII10']])).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('unless the store holds a series of that id, which answers instead', async () => {
    const both = newStorePath(folder);
    await importFiles(both, { 'curves.csv': curves, 'facts.csv': facts('T10Y2Y 2015-01-02 2015-01-03 1.5') });
    const { results } = await ask(both, observations, [['id', 'T10Y2Y']]);
    expect(results.map(({ value }) => value)).toEqual(['1.5']);
    const found = await ask(both, seriesSearch, [['q', 'T10Y2Y']]);
    expect(found.results).toHaveLength(1);
  });
});
