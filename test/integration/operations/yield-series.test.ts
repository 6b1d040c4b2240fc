import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, open } from '../../../src/index.ts';
import { observations, revisions } from '../../../src/operations/series/observations.ts';
import { seriesSearch, seriesShow } from '../../../src/operations/series/series.ts';
import { vintages } from '../../../src/operations/series/vintages.ts';
import { openStore } from '../../../src/store/open.ts';
import { asof, linesOf, transcript } from '../../support/command.ts';
import { folder } from '../../support/example-stores.ts';
import { newFolder } from '../../support/folders.ts';
import { ask } from '../../support/http-service.ts';
import { startService } from '../../support/modes.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';

/** Rates that the Treasury published for two days of January 2015. */
const curves = 'Date,"3 Mo","2 Yr","10 Yr"\n2015-01-02,0.02,0.66,2.12\n2015-01-05,0.03,0.68,2.04\n';
const realCurves = 'Date,"5 YR","10 YR"\n2015-01-02,0.13,0.43\n2015-01-05,0.09,0.39\n';

async function storeOf(files: Readonly<Record<string, string>>): Promise<string> {
  const path = newStorePath(folder);
  await importFiles(path, files);
  return path;
}

let store = '';
let real = '';
let library: Asof;
beforeAll(async () => {
  store = await storeOf({ 'curves.csv': curves, 'gdp.csv': facts('GDP 2014-07-01 2014-12-23 17599.8') });
  real = await storeOf({ 'real.csv': realCurves });
  library = await open(store);
});
afterAll(() => library.close());

describe('a maturity of the curves is a series', () => {
  it.each([
    ['DGS10', ['2015-01-05 2.04', '2015-01-02 2.12']],
    ['T10Y2Y', ['2015-01-05 1.36', '2015-01-02 1.46']],
    ['T10Y3M', ['2015-01-05 2.01', '2015-01-02 2.10']],
  ])('%s with the published rates, each known from its trade date', async (id, expected) => {
    const { results } = await ask(store, observations, `id=${id}`);
    expect(results.map(({ date, value }) => `${date} ${Number(value).toFixed(2)}`)).toEqual(expected);
    expect(results.every(({ date, as_of_date }) => date === as_of_date)).toBe(true);
    expect(results[0]).toMatchObject({ series_id: id, unit: 'Percent', frequency: 'D' });
  });

  it('that as of a day has no later rate, and whose pages join to the whole', async () => {
    const dates = async (query: string) =>
      (await ask(store, observations, `id=DGS10&${query}`)).results.map(({ date }) => date);
    expect(await dates('as_of=2015-01-04')).toEqual(['2015-01-02']);
    expect(await dates('as_of=2015-01-01')).toEqual([]);
    const first = await ask(store, observations, 'id=DGS10&limit=1');
    const second = await ask(store, observations, `id=DGS10&limit=1&cursor=${first.next_cursor}`);
    expect([...first.results, ...second.results].map(({ date }) => date)).toEqual([
      '2015-01-05',
      '2015-01-02',
    ]);
    expect(second.has_more).toBe(false);
  });

  it('that is described and found by search', async () => {
    const { results } = await ask(store, seriesShow, 'id=DGS10');
    expect(results[0]).toMatchObject({
      id: 'DGS10',
      title:
        'Market Yield on U.S. Treasury Securities at 10-Year Constant Maturity, Quoted on an Investment Basis',
      observation_count: 2,
      first_vintage: '2015-01-02',
      covered_to: '2015-01-05',
      vintage_kind: 'exact',
    });
    expect((await ask(store, seriesSearch, 'q=ten-year&match=words')).results[0]?.id).toBe('DGS10');
  });

  it('of which each trade date is a vintage that adds one value, and no value is revised', async () => {
    const listed = await ask(store, vintages, 'id=DGS10');
    expect(listed.results.map(({ as_of_date, added, revised }) => [as_of_date, added, revised])).toEqual([
      ['2015-01-05', 1, 0],
      ['2015-01-02', 1, 0],
    ]);
    const { results } = await ask(store, revisions, 'id=DGS10&date=2015-01-05');
    expect(results).toMatchObject([{ as_of_date: '2015-01-05', value: '2.04' }]);
  });

  it('that does not exist where no rate of it is held', async () => {
    await expect(ask(store, seriesShow, 'id=DGS30')).rejects.toMatchObject({ kind: 'not-found' });
    await expect(ask(store, observations, 'id=DFII10')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('unless the store holds a series of that id, which answers instead', async () => {
    const both = await storeOf({
      'curves.csv': curves,
      'facts.csv': facts('T10Y2Y 2015-01-02 2015-01-03 1.5'),
    });
    const { results } = await ask(both, observations, 'id=T10Y2Y');
    expect(results.map(({ value }) => value)).toEqual(['1.5']);
    expect((await ask(both, seriesSearch, 'q=T10Y2Y')).results).toHaveLength(1);
    const held = (await asof(['facts', '*', '--store', both])).out;
    expect(linesOf(held).slice(1)).toEqual(['T10Y2Y,2015-01-02,2015-01-03,1.5,exact,,,,,,2015-01-03']);
  });
});

describe('a command or a request for a maturity of the curves', () => {
  it('is answered by a service with the same bytes as by its store', async () => {
    const lines = [
      ...['series search ten-year', 'series search dgs10', 'series show T10Y2Y'],
      ...['observations DGS10 T10Y3M --as-of 2015-01-02', 'observations DGS*', 'observations DGS10 --plot'],
      'panel DGS10 T10Y2Y --as-of-each day --from 2015-01-01 --to 2015-01-05',
      ...['revisions DGS10 --date 2015-01-02', 'vintages T10Y2Y', 'diff DGS10 2015-01-02 2015-01-05'],
    ];
    const clock = () => new Date('2026-01-15T12:00:00Z');
    const service = await startService({ openStore: () => openStore(store), clock });
    const env = { ASOF_BASE_URL: service.url, ASOF_API_KEY: service.key };
    const get = async (path: string) => {
      const answer = await fetch(`${service.url}/v1/${path}`, { headers: { 'x-api-key': service.key } });
      return { status: answer.status, results: Object(await answer.json()).results };
    };
    try {
      for (const line of lines) {
        const embedded = await asof([...line.split(' '), '--store', store]);
        expect(embedded.code).toBe(0);
        expect(linesOf(embedded.out).length).toBeGreaterThan(1);
        expect(await asof(line.split(' '), { env })).toEqual(embedded);
      }
      const known = [{ date: '2015-01-02T00:00:00Z', value: '2.12', as_of_date: '2015-01-02T00:00:00Z' }];
      expect(await get('series/DGS10/observations?as_of=2015-01-03')).toMatchObject({ results: known });
      expect((await get('series/T10Y2Y')).results).toMatchObject([{ id: 'T10Y2Y', observation_count: 2 }]);
      expect((await get('series/DFII10')).status).toBe(404);
    } finally {
      await service.stop();
    }
  });

  transcript(
    `
    # finds the published rates, by words and by id
    $ asof series search ten-year --columns id --no-header
    DGS10
    …
    $ asof observations DGS10 --columns date,value --no-header
    2015-01-05,2.04
    2015-01-02,2.12
    $ asof panel DGS10 T10Y2Y --as-of 2015-01-02 --wide
    date,DGS10,T10Y2Y
    2015-01-02,2.12,1.46

    # for its facts is refused, with the question that gives its rates
    $ asof facts dgs10
    ! asof: series 'DGS10' has no facts: its rates come from the curves
    !       asof yields --maturity 10Y gives its rates
    [exit 3]
    $ asof facts T10Y3M
    ! asof: series 'T10Y3M' has no facts: its rates come from the curves
    !       asof spread --long 10Y --short 3M gives its rates
    [exit 3]
    $ asof yields --maturity 10Y --csv --columns trade_date,rate --no-header
    2015-01-05,2.04
    2015-01-02,2.12

    # for the facts of a pattern leaves out the series that the curves answer
    $ asof facts *
    series_id,date,as_of_date,value,vintage_kind,title,units,frequency,seasonal_adjustment,source,covered_to
    GDP,2014-07-01,2014-12-23,17599.8,exact,…
    $ asof facts T10*
    ! asof: series 'T10*' has no facts: its rates come from the curves
    …
    [exit 3]
    $ asof facts GDP DGS10 -o /dev/null
    …
    [exit 3]
    `,
    () => ({ env: { ASOF_STORE: store } }),
  );

  it('for the facts of a real one is refused in its own words, and by the library in those of methods', async () => {
    const { code, err } = await asof(['facts', 'DFII5', '--store', real]);
    expect([code, err.split('\n')[1]]).toEqual([
      3,
      '      asof yields --maturity 5Y --type TIPS gives its rates',
    ]);
    await expect(library.facts('DGS10')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      kind: 'not-found',
      detail: "series 'DGS10' has no facts: its rates come from the curves",
      hints: ['yields({ maturity: "10Y" }) gives its rates'],
    });
    const ids: string[] = [];
    for await (const { series_id } of library.facts('*')) ids.push(series_id);
    expect(ids).toEqual(['GDP']);
  });

  it('is sealed in a snapshot, which later rates leave as it is', async () => {
    const place = newFolder();
    const own = await storeOf({ 'curves.csv': curves });
    const lines = [
      'ten.csv observations DGS10',
      'wide.csv panel DGS10 T10Y2Y --wide',
      'ten.svg panel DGS10 T10Y2Y',
    ];
    const plan = place.write('plan.txt', `${lines.join('\n')}\n`);
    const out = place.path('desk');
    const taken = await asof(['snapshot', plan, '--out', out, '--as-of', '2015-01-04', '--store', own]);
    expect(taken.code).toBe(0);
    const textOf = (name: string) => readFileSync(join(out, name), 'utf8');
    expect(textOf('ten.csv').split('\n')[1]).toMatch(/^2015-01-02,2\.12,2015-01-02,DGS10,/);
    expect(textOf('wide.csv')).toBe('date,DGS10,T10Y2Y\n2015-01-02,2.12,1.46\n');
    expect(existsSync(join(out, 'ten.svg'))).toBe(true);
    const coverage = [{ subject: 'DGS10', covered_to: '2015-01-02', vintage_kind: 'exact' }];
    expect(JSON.parse(textOf('manifest.json')).files[0]).toMatchObject({
      name: 'ten.csv',
      rows: 1,
      coverage,
    });
    await importFiles(own, { 'more.csv': 'Date,"2 Yr","10 Yr"\n2015-01-06,0.63,1.97\n' });
    expect(await asof(['verify', out, '--store', own])).toMatchObject({ code: 0 });
  });
});
