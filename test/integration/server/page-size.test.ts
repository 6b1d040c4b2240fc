import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { openStore } from '../../../src/store/open.ts';
import { scratchFolder } from '../../support/folders.ts';
import { type Running, startService } from '../../support/modes.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';

type Revision = { readonly date: string; readonly as_of_date: string };
type Page = {
  readonly results: readonly Revision[];
  readonly has_more: boolean;
  readonly next_cursor?: string;
  readonly field?: string;
};

const clock = () => new Date('2026-07-01T12:00:00Z');
const folder = scratchFolder();
const mostRevised = newStorePath(folder);

let sample: Running;
let revised: Running;

beforeAll(async () => {
  const days = Array.from({ length: 1100 }, (_, i) =>
    new Date(Date.UTC(2020, 1, 1 + i)).toISOString().slice(0, 10),
  );
  const lines = days.flatMap((day, i) => [`NFCI 2020-01-03 ${day} ${i}`]);
  const others = ['NFCI 2020-01-10 2020-02-01 1', 'NFCI 2019-12-27 2020-02-01 1'];
  await importFiles(mostRevised, { 'facts.csv': facts(...lines, ...others) });
  sample = await startService({ openStore: () => openStore(samplePath()), clock });
  revised = await startService({ openStore: () => openStore(mostRevised), clock });
});
afterAll(() => Promise.all([sample.stop(), revised.stop()]));

const get = async ({ url, key }: Running, path: string): Promise<Page> =>
  (await (await fetch(url + path, { headers: { 'x-api-key': key } })).json()) as Page;

/** All pages of a listing. */
async function pagesOf(service: Running, path: string): Promise<readonly Page[]> {
  const pages = [await get(service, path)];
  for (let cursor = pages[0]?.next_cursor; cursor !== undefined; cursor = pages.at(-1)?.next_cursor)
    pages.push(await get(service, `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`));
  return pages;
}

describe('a page of revisions', () => {
  it('has whole dates and at most 1000 rows, and all pages have what each date has alone', async () => {
    const path = '/v1/series/GDP/revisions';
    const pages = await pagesOf(sample, `${path}?limit=364`);
    expect(pages.length).toBeGreaterThan(1);
    for (const { results, has_more } of pages) {
      expect(results.length).toBeLessThanOrEqual(1000);
      // No page is short without need: the next date, of about 40 rows, had no room.
      if (has_more) expect(results.length).toBeGreaterThan(900);
    }
    const rows = pages.flatMap(({ results }) => results);
    const dates = [...new Set(rows.map(({ date }) => date))];
    expect(dates).toEqual([...dates].sort().reverse());
    for (const date of [dates[0], dates[25], dates[26], dates[60], dates.at(-1)]) {
      const alone = (await get(sample, `${path}?date=${date?.slice(0, 10)}`)).results;
      expect(rows.filter((row) => row.date === date)).toEqual(alone);
    }
    const observed = await pagesOf(sample, '/v1/series/GDP/observations?limit=1000');
    const known = observed.flatMap(({ results }) => results.map(({ date }) => date));
    expect(known.filter((date) => !dates.includes(date))).toEqual([]);
  });

  it('has one date alone if that has more rows', async () => {
    const pages = await pagesOf(revised, '/v1/series/NFCI/revisions');
    const counts = pages.map(({ results }) => [results[0]?.date.slice(0, 10), results.length]);
    expect(counts).toEqual([
      ['2020-01-10', 1],
      ['2020-01-03', 1100],
      ['2019-12-27', 1],
    ]);
  });
});

describe('the rows of one id', () => {
  it.each(['GDP', 'DGS10'])('have no pages in /v1/observations, even with a limit: %s', async (id) => {
    const { results, has_more, next_cursor } = await get(sample, `/v1/observations?ids=${id}&limit=2`);
    expect([results.length, has_more, next_cursor]).toEqual([2, false, undefined]);
    const csv = await fetch(`${sample.url}/v1/observations?ids=${id}&limit=2&format=csv`, {
      headers: { 'x-api-key': sample.key },
    });
    expect([csv.status, csv.headers.get('link')]).toEqual([200, null]);
  });
});

describe('data that do not meet what was asked are refused with the parameter', () => {
  it.each([
    ['exact', '/v1/observations?ids=HOUST&exact=true'],
    ['exact', '/v1/diff?ids=HOUST&days=2015-01-30,latest&exact=true'],
    ['max_age', '/v1/observations?ids=GDP&max_age=10'],
    ['frequency', '/v1/observations?ids=GDP&frequency=w'],
    ['as_of_each', '/v1/panel?ids=GDP&as_of_each=month-end&from=2020-01-02&to=2020-01-03'],
    ['beyond', '/v1/panel?ids=GDP&as_of_each=2026-06-30&beyond=fail'],
  ])('%s: %s', async (field, path) => {
    expect(await get(sample, path)).toMatchObject({ status: 400, field });
  });
});
