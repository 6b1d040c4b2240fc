import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, open, samplePath } from '../../src/index.ts';
import { camelCase } from '../../src/operations/field.ts';
import { questions } from '../../src/questions/table.ts';
import { openStore } from '../../src/store/open.ts';
import { asof as command } from '../support/command.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { bodyOf } from '../support/http-service.ts';
import { type Running, startService } from '../support/modes.ts';

const clock = () => now;
let path: string;
let service: Running;
let asof: Asof;
let remote: Asof;
let sample: Asof;

beforeAll(async () => {
  path = await contractStore(scratchFolder());
  service = await startService({ openStore: () => openStore(path), clock });
  asof = await open(path, { clock });
  remote = await open(service.url, { key: service.key, clock });
  sample = await open(samplePath());
});
afterAll(async () => {
  await Promise.all([asof.close(), remote.close(), sample.close()]);
  await service.stop();
});

type Answer = { readonly rows: readonly object[]; readonly hasMore: boolean };

type Extent = { readonly limit?: number; readonly first?: number };

type Call = (from: Asof, extent: Extent) => Promise<Answer>;

/** A call of every method that takes a limit, with an answer of several rows. */
const calls: Readonly<Record<string, Call>> = {
  seriesSearch: (from, extent) => from.seriesSearch('', extent),
  observations: (from, extent) => from.observations('GDP', extent),
  'observations in units': (from, extent) => from.observations('GDP', { units: 'chg', ...extent }),
  observationsOfSeveral: (from, extent) => from.observationsOfSeveral(['GDP', 'UNRATE'], extent),
  'observationsOfSeveral of one': (from, extent) => from.observationsOfSeveral(['GDP'], extent),
  'observationsOfSeveral, of which the last is whole': (from, extent) =>
    from.observationsOfSeveral(['GDP', 'A'], extent),
  'observationsOfSeveral in units': (from, extent) =>
    from.observationsOfSeveral(['GDP:chg', 'UNRATE'], { sort: 'asc', ...extent }),
  versions: (from, extent) => from.versions(['GDP', 'UNRATE'], ['2020-12-31', 'latest'], extent),
  revisions: (from, extent) => from.revisions('GDP', extent),
  'revisions as of a day': (from, extent) => from.revisions('GDP', { asOf: '2020-12-31', ...extent }),
  'revisions with wide': (from, extent) => from.revisions('GDP', { wide: true, ...extent }),
  vintages: (from, extent) => from.vintages('GDP', extent),
  yields: (from, extent) => from.yields(extent),
  yieldTable: (from, extent) => from.yieldTable(extent),
  spread: (from, extent) => from.spread(extent),
  insiderFilings: (from, extent) => from.insiderFilings({ from: '2000-01-01', ...extent }),
  insiderClusters: (from, extent) => from.insiderClusters({ minInsiders: 1, ...extent }),
  insiderClusterSignals: (from, extent) => from.insiderClusterSignals({ minInsiders: 1, ...extent }),
  insiderClusterExplanations: (from, extent) =>
    from.insiderClusterExplanations({ minInsiders: 1, ...extent }),
  calendar: (from, extent) => from.calendar({ from: '2000-01-01', ...extent }),
};

describe('hasMore', () => {
  it('is tested of every method with a limit', () => {
    const limited = Object.values(questions).filter(({ params }) => 'limit' in params);
    const names = limited.map(({ name }) => camelCase(name));
    expect(names.filter((name) => !(name in calls))).toEqual([]);
  });

  it.each(Object.entries(calls))('says whether a limit left out rows: %s', async (name, call) => {
    // The store of these tests has one cluster.
    const sources = name.startsWith('insiderCluster') ? [sample] : [asof, remote];
    const [method] = name.split(/,? /);
    const question = Object.values(questions).find((one) => camelCase(one.name) === method);
    const [any = asof] = sources;
    const whole = await call(any, {});
    expect([whole.rows.length > 1, whole.hasMore]).toEqual([true, false]);
    expect(await call(any, { limit: 1000 })).toMatchObject({ rows: whole.rows, hasMore: false });
    const extents = [{ limit: 1 }, ...('first' in (question?.params ?? {}) ? [{ first: 1 }] : [])];
    for (const extent of extents)
      for (const from of sources) {
        const part = await call(from, extent);
        expect([part.rows.length < whole.rows.length, part.hasMore]).toEqual([true, true]);
      }
  });

  it('is true where a limit ends with a page of the service', async () => {
    // A page has up to 1000 rates, and a curve up to 14 of them.
    for (let limit = 70; limit <= 130; limit += 1)
      expect([limit, (await sample.yieldTable({ limit })).hasMore]).toEqual([limit, true]);
  });

  it('is false where a limit is the number of dates that were known', async () => {
    const asked = { from: '2014-10-01', asOf: '2015-01-30' };
    expect(await sample.revisions('GDP', { ...asked, limit: 1 })).toMatchObject({ hasMore: false });
    expect(await sample.revisions('GDP', { ...asked, from: '2014-07-01', limit: 1 })).toMatchObject({
      hasMore: true,
    });
  });
});

describe('has_more of several series', () => {
  it('says over HTTP whether a limit left out rows', async () => {
    const ask = (query: string) =>
      bodyOf(fetch(`${service.url}/v1/observations?${query}`, { headers: { 'x-api-key': service.key } }));
    expect(await ask('ids=GDP,UNRATE&limit=1')).toMatchObject({ results_count: 2, has_more: true });
    expect(await ask('ids=GDP&limit=1')).toMatchObject({ results_count: 1, has_more: true });
    expect(await ask('ids=GDP,UNRATE')).toMatchObject({ has_more: false });
  });

  it('says it in the JSON of a command', async () => {
    const line = (limit: number) => `obs GDP UNRATE --json --limit ${limit} --store ${path}`.split(' ');
    expect(JSON.parse((await command(line(1))).out)).toMatchObject({ results_count: 2, has_more: true });
    expect(JSON.parse((await command(line(1000))).out)).toMatchObject({ has_more: false });
  });

  it('says it in a line of JSON', async () => {
    const question = { id: 1, ask: 'observations_of_several', values: { ids: ['GDP', 'UNRATE'], limit: 1 } };
    const stdin = Readable.from([`${JSON.stringify(question)}\n`]);
    const { out } = await command(['lines', '--store', path], { stdin });
    expect(JSON.parse(out)).toMatchObject({ has_more: true });
  });
});
