import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../../src/index.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { revisions } from '../../../src/operations/series/revisions.ts';
import { seriesSearch, seriesShow } from '../../../src/operations/series/series.ts';
import { vintages } from '../../../src/operations/series/vintages.ts';
import { openStore } from '../../../src/store/open.ts';
import { asof, linesOf } from '../../support/command.ts';
import { folder } from '../../support/example-stores.ts';
import { newFolder } from '../../support/folders.ts';
import { startService } from '../../support/modes.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';
import { ask } from '../../support/service.ts';

/** Rates that the Treasury published for two days of January 2015. */
const curves = 'Date,"3 Mo","2 Yr","10 Yr"\n2015-01-02,0.02,0.66,2.12\n2015-01-05,0.03,0.68,2.04\n';

const realCurves = 'Date,"5 YR","10 YR"\n2015-01-02,0.13,0.43\n2015-01-05,0.09,0.39\n';

let store = '';
beforeAll(async () => {
  store = newStorePath(folder);
  await importFiles(store, { 'curves.csv': curves, 'gdp.csv': facts('GDP 2014-07-01 2014-12-23 17599.8') });
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

describe('a command or a request for a maturity of the curves', () => {
  const run = (...line: readonly string[]) => asof([...line, '--store', store]);
  const commands = [
    ['series', 'search', 'ten-year'],
    ['series', 'search', 'dgs10'],
    ['series', 'search', 'yield curve'],
    ['series', 'show', 'dgs10'],
    ['series', 'show', 'T10Y2Y'],
    ['observations', 'DGS10', 'T10Y3M', '--as-of', '2015-01-02'],
    ['observations', 'DGS*'],
    ['panel', 'DGS10', 'GDP', '--as-of', '2015-01-02', '--wide'],
    ['panel', 'DGS10', 'T10Y2Y', '--as-of-each', 'day', '--from', '2015-01-01', '--to', '2015-01-05'],
    ['revisions', 'DGS10', '--date', '2015-01-02'],
    ['vintages', 'T10Y2Y'],
    ['diff', 'DGS10', '2015-01-02', '2015-01-05'],
    ['observations', 'DGS10', '--plot'],
  ];

  it('is answered by a service with the same bytes as by its store', async () => {
    const service = await startService({
      openStore: () => openStore(store),
      clock: () => new Date('2026-01-15T12:00:00Z'),
    });
    try {
      for (const line of commands) {
        const env = { ASOF_BASE_URL: service.url, ASOF_API_KEY: service.key };
        const embedded = await run(...line);
        expect(embedded.code).toBe(0);
        expect(linesOf(embedded.out).length).toBeGreaterThan(1);
        expect(await asof(line, { env })).toEqual(embedded);
      }
      const get = async (path: string) => {
        const answer = await fetch(`${service.url}/v1/${path}`, {
          headers: { 'x-api-key': service.key },
        });
        return { status: answer.status, results: Object(await answer.json()).results };
      };
      expect(await get('series/DGS10/observations?as_of=2015-01-03')).toMatchObject({
        status: 200,
        results: [{ date: '2015-01-02T00:00:00Z', value: '2.12', as_of_date: '2015-01-02T00:00:00Z' }],
      });
      expect((await get('series/T10Y2Y')).results).toMatchObject([{ id: 'T10Y2Y', observation_count: 2 }]);
      expect((await get('series/DFII10')).status).toBe(404);
    } finally {
      await service.stop();
    }
  });

  it('finds the published rates, by words and by id', async () => {
    const { out } = await run('series', 'search', 'ten-year', '--columns', 'id', '--no-header');
    expect(linesOf(out)[0]).toBe('DGS10');
    expect((await run('observations', 'DGS10', '--columns', 'date,value', '--no-header')).out).toBe(
      '2015-01-05,2.04\n2015-01-02,2.12\n',
    );
    expect((await run('panel', 'DGS10', 'T10Y2Y', '--as-of', '2015-01-02', '--wide')).out).toBe(
      'date,DGS10,T10Y2Y\n2015-01-02,2.12,1.46\n',
    );
  });

  it('is sealed in a snapshot, which later rates leave as it is', async () => {
    const place = newFolder();
    const own = newStorePath(folder);
    await importFiles(own, { 'curves.csv': curves });
    const plan = place.write(
      'plan.txt',
      'ten.csv observations DGS10\nwide.csv panel DGS10 T10Y2Y --wide\nten.svg panel DGS10 T10Y2Y\n',
    );
    const out = place.path('desk');
    const taken = await asof(['snapshot', plan, '--out', out, '--as-of', '2015-01-04', '--store', own]);
    expect(taken.code).toBe(0);
    expect(readFileSync(join(out, 'ten.csv'), 'utf8').split('\n')[1]).toMatch(
      /^2015-01-02,2\.12,2015-01-02,DGS10,/,
    );
    expect(readFileSync(join(out, 'wide.csv'), 'utf8')).toBe('date,DGS10,T10Y2Y\n2015-01-02,2.12,1.46\n');
    expect(existsSync(join(out, 'ten.svg'))).toBe(true);
    expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))).toMatchObject({
      files: [
        {
          name: 'ten.csv',
          rows: 1,
          coverage: [{ subject: 'DGS10', covered_to: '2015-01-02', vintage_kind: 'exact' }],
        },
        { name: 'wide.csv' },
        { name: 'ten.svg' },
      ],
    });
    await importFiles(own, { 'more.csv': 'Date,"2 Yr","10 Yr"\n2015-01-06,0.63,1.97\n' });
    expect(await asof(['verify', out, '--store', own])).toMatchObject({ code: 0 });
  });

  it('for its facts is refused, with the question that gives its rates', async () => {
    const real = newStorePath(folder);
    await importFiles(real, { 'real.csv': realCurves });
    const problem = (id: string, command: string) => ({
      code: 3,
      out: '',
      err: `asof: series '${id}' has no statements: the curves answer it\n      asof ${command} gives its rates\n`,
    });
    expect(await run('facts', 'dgs10')).toEqual(problem('DGS10', 'yields --maturity 10Y'));
    expect(await run('facts', 'T10Y3M')).toEqual(problem('T10Y3M', 'spread --long 10Y --short 3M'));
    expect(await asof(['facts', 'DFII5', '--store', real])).toEqual(
      problem('DFII5', 'yields --maturity 5Y --type TIPS'),
    );
    const library = await open(store);
    await expect(library.facts('DGS10')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      kind: 'not-found',
      detail: "series 'DGS10' has no statements: the curves answer it",
      hints: ['yields({ maturity: "10Y" }) gives its rates'],
    });
    await library.close();
    // The hint holds: the command writes the rates that were published.
    const rates = await run(
      'yields',
      '--maturity',
      '10Y',
      '--csv',
      '--columns',
      'trade_date,rate',
      '--no-header',
    );
    expect(rates.out).toBe('2015-01-05,2.04\n2015-01-02,2.12\n');
  });

  it('for the facts of a pattern leaves out the series that the curves answer', async () => {
    const expected = {
      code: 0,
      out: 'series_id,date,as_of_date,value,vintage_kind\nGDP,2014-07-01,2014-12-23,17599.8,exact\n',
      err: '',
    };
    expect(await run('facts', '*')).toEqual(expected);
    const library = await open(store);
    const ids: string[] = [];
    for await (const { series_id } of library.facts('*')) ids.push(series_id);
    await library.close();
    expect(ids).toEqual(['GDP']);
    expect((await run('facts', 'T10*')).err).toContain("series 'T10*' has no statements");
    expect((await run('facts', 'GDP', 'DGS10', '-o', '/dev/null')).code).toBe(3);
  });
});
