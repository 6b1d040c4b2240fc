import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { asof, type Ended, linesOf, statements } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { type Running, startService, unlimited } from '../../support/modes.ts';
import { serve } from '../../support/service-double.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder: Folder = newFolder();
const months = Array.from({ length: 60 }, (_, i) =>
  new Date(Date.UTC(2015, i, 1)).toISOString().slice(0, 10),
);
const following = (i: number, day: number) => new Date(Date.UTC(2015, i + 1, day)).toISOString().slice(0, 10);
let store = '';
let service: Running;

beforeAll(async () => {
  // Each month is published on the 15th of the next; MUCH revises the month before on the 20th as well.
  const lines = months.flatMap((date, i) => [
    `CALM,${date},${following(i, 15)},${i}.5`,
    `MUCH,${date},${following(i, 15)},${i}.5`,
    `MUCH,${date},${following(i, 20)},${i}.75`,
  ]);
  // Each quarter comes out on the 28th of the month after it, and is revised on the 28th of the next two.
  const quarters = months.flatMap((date, i) =>
    i % 3 === 0 ? [2, 3, 4].map((later) => `QUARTER,${date},${following(i + later, 28)},${i}.${later}`) : [],
  );
  store = folder.path('store.db');
  const file = folder.write('facts.csv', statements([...lines, ...quarters]));
  const { code, err } = await asof(['import', file, '--store', store]);
  if (code !== 0) throw new Error(err);
  service = await startService({ openStore: () => openStore(store) });
});
afterAll(async () => {
  await service.stop();
});

type Asked = { readonly paths: readonly string[]; readonly atOnce: number };

function known({ 'if-none-match': tag }: IncomingHttpHeaders): { readonly 'if-none-match'?: string } {
  return tag === undefined ? {} : { 'if-none-match': tag };
}

/** The description of a service without the questions of several series, as that of another service. */
function withoutPanels(description: string): string {
  const { paths, ...others } = JSON.parse(description);
  const { '/v1/panel': _, '/v1/observations': _observations, '/v1/diff': _diff, ...contract } = paths;
  return JSON.stringify({ ...others, paths: contract });
}

/**
 * A proxy of the same service, without panels unless asked for, that answers some paths itself, and records the
 * requests.
 */
async function inFront(
  lacks: RegExp | undefined,
  {
    wait = 0,
    instead = new Response('nothing here', { status: 404 }),
    panels = false,
    of = service,
    changed = (text: string) => text,
  } = {},
): Promise<{ url: string; asked: () => Asked }> {
  const paths: string[] = [];
  let [underWay, atOnce] = [0, 0];
  const { url } = await serve(async (request, response) => {
    const path = request.url ?? '';
    paths.push(path);
    underWay += 1;
    atOnce = Math.max(atOnce, underWay);
    await new Promise((resolve) => setTimeout(resolve, wait));
    const lacking = lacks?.test(path) === true;
    const answer = lacking
      ? instead.clone()
      : await fetch(of.url + path, { headers: { 'x-api-key': of.key, ...known(request.headers) } });
    underWay -= 1;
    const type = answer.headers.get('content-type') ?? 'text/plain';
    const etag = answer.headers.get('etag');
    response
      .writeHead(answer.status, { 'content-type': type, ...(etag !== null && { etag }) })
      .end(
        path === '/v1/openapi.json' && !panels && !lacking
          ? withoutPanels(await answer.text())
          : changed(await answer.text()),
      );
  });
  return { url, asked: () => ({ paths, atOnce }) };
}

const each = 'panel CALM MUCH --as-of-each month-end --from 2015-01-01 --to 2019-12-31';

const remote = (line: string, url: string) =>
  asof([...line.split(' '), '--base-url', url, '--retries', '0'], { env: { ASOF_API_KEY: service.key } });
const embedded = (line: string) => asof([...line.split(' '), '--store', store]);

describe('over a service', () => {
  it.each([
    each,
    `${each} --wide --json`,
    `${each} --last 3 --json`,
    `${each} --last 2 --lag 1 --wide --with-dates`,
    `${each} --units pch --digits 2 --known-before-each`,
    `${each} --frequency q --aggregate eop`,
    `${each} --beyond repeat`,
    `${each} --beyond fail`,
    `${each} --max-age 5`,
    `${each} --exact`,
    'panel * --as-of-each month-end --from 2014-12-01 --to 2021-12-31',
    'panel * --as-of-each month-end --from 2014-12-01 --to 2021-12-31 --lag 1 --sort asc',
    'panel CALM NONE --as-of-each quarter-end --from 2015-01-01 --to 2019-12-31',
    'panel calm much --as-of-each business-day --from 2015-01-01 --to 2019-12-31 --wide',
    'panel CALM MUCH --as-of 2017-03-16 --wide',
    'panel * --known-before 2017-03-16 --csv',
    'diff MUCH 2017-03-16 2018-03-16',
    'revisions MUCH --date 2016-01-01',
    'vintages MUCH --limit 10',
  ])('%s writes the same', async (line) => {
    const same = ({ code, out, err }: Ended) => [
      code,
      out.replace(/req_\w+/g, 'req_'),
      err.replace(/req_\w+/, 'req_'),
    ];
    const expected = same(await embedded(line));
    for (const panels of [true, false]) {
      const { url } = await inFront(undefined, { panels });
      expect(same(await remote(line, url))).toEqual(expected);
    }
  });

  it('that offers panels, one of 2 series on 60 days takes a request, their descriptions, and a check', async () => {
    const { url, asked } = await inFront(undefined, { panels: true });
    const dry = await remote(`${each} --dry-run`, url);
    expect(dry.err).toBe('asof: this panel takes at most 4 requests\n');
    expect(asked().paths.filter((path) => path.includes('panel'))).toEqual([]);
    const wet = await inFront(undefined, { panels: true });
    expect((await remote(each, wet.url)).code).toBe(0);
    const panel = `/v1/panel?ids=CALM%2CMUCH&as_of_each=month-end&from=2015-01-31&to=2019-12-31&beyond=empty`;
    expect(wet.asked().paths).toEqual([
      '/v1/openapi.json',
      panel,
      '/v1/series/CALM',
      '/v1/series/MUCH',
      panel,
    ]);
  });

  it('that offers panels, days without a rhythm are asked for in lists that fit into an address', async () => {
    // Every ninth day: 812 days over 20 years, of two series.
    const days = Array.from({ length: 812 }, (_, i) =>
      new Date(Date.UTC(2001, 0, 1 + 9 * i)).toISOString().slice(0, 10),
    );
    const file = folder.write('days.csv', `day\n${days.join('\n')}\n`);
    const line = `join ${file} --on day CALM MUCH --with-dates --with-age`;
    const { url, asked } = await inFront(undefined, { panels: true });
    const { code, out } = await remote(line, url);
    expect([code, out]).toEqual([0, (await embedded(line)).out]);
    const panels = asked().paths.filter((path) => path.startsWith('/v1/panel'));
    // Two lists, and the first one again, to see whether the data changed.
    expect([panels.length, Math.max(...panels.map((path) => path.length)) < 8000]).toEqual([3, true]);
  });

  type Cells = Readonly<Record<string, string | null>>;
  const ofMay = ({ series_id: id, as_of: day = '' }: Cells) => id === 'CALM' && day?.startsWith('2016-05');

  it.each<readonly [string, (rows: readonly Cells[]) => readonly Cells[]]>([
    ['lacks a row', (rows) => rows.filter((row) => !ofMay(row))],
    [
      'shows what was not known yet',
      (rows) => rows.map((row) => (ofMay(row) ? { ...row, as_of_date: '2016-06-15T00:00:00Z' } : row)),
    ],
    ['has a value without a date', (rows) => rows.map((row) => (ofMay(row) ? { ...row, date: null } : row))],
    ['has a day twice', (rows) => rows.flatMap((row) => (ofMay(row) ? [row, row] : [row]))],
    ['has no rows', () => []],
  ])('whose panel %s, the series are asked one by one', async (_, changed) => {
    const { url, asked } = await inFront(undefined, {
      panels: true,
      changed(text) {
        // The answer to the check that nothing changed is empty.
        const answer = text === '' ? {} : JSON.parse(text);
        if (answer.object !== 'panel') return text;
        const results = changed(answer.results);
        return JSON.stringify({ ...answer, results, results_count: results.length });
      },
    });
    const { code, out } = await remote(each, url);
    expect([code, out]).toEqual([0, (await embedded(each)).out]);
    expect(asked().paths.filter((path) => path.includes('/vintages')).length).toBeGreaterThan(1);
  });

  it('whose plan allows too few rows for a panel at once, the series are asked one by one', async () => {
    const small = await startService({
      openStore: () => openStore(store),
      plan: { ...unlimited, name: 'small', maxRows: 100 },
    });
    try {
      const env = { ASOF_API_KEY: small.key };
      const { code, out } = await asof([...each.split(' '), '--base-url', small.url], { env });
      expect([code, out]).toEqual([0, (await embedded(each)).out]);
    } finally {
      await small.stop();
    }
  });

  it('that offers panels, a description that cannot be had is no failure', async () => {
    const { url } = await inFront(/^\/v1\/series\/\w+$/, { panels: true });
    const { code, out, err } = await remote(`${each} -v`, url);
    expect([code, out]).toEqual([0, (await embedded(each)).out]);
    expect(err).toContain('no description of CALM');
  });

  it('a panel of 2 series on 60 days takes few requests, and no more than --dry-run said', async () => {
    const { url } = await inFront(undefined, { wait: 5 });
    const dry = await remote(`${each} --dry-run`, url);
    const [, most] = /takes at most (\d+) requests/.exec(dry.err) ?? [];
    const wet = await inFront(undefined, { wait: 5 });
    expect((await remote(each, wet.url)).code).toBe(0);
    const { paths, atOnce } = wet.asked();
    const asked = paths.filter((path) => !path.includes('openapi'));
    // For each series its vintages and its history, and one of them again, to see whether the data changed.
    expect([dry.out, asked.length, Number(most) >= 5]).toEqual(['', 5, true]);
    expect(atOnce).toBeGreaterThan(1);
    expect(atOnce).toBeLessThanOrEqual(4);
  });

  it('without a history, a panel takes a request for each real-time period', async () => {
    const line = 'panel QUARTER --as-of-each business-day --from 2015-01-01 --to 2019-12-31';
    const { url, asked } = await inFront(/\/revisions/);
    expect((await remote(line, url)).out).toBe((await embedded(line)).out);
    const periods = asked().paths.filter((path) => /as_of=/.test(path));
    // A quarter has three publications; the days before the first one take no request.
    expect(periods).toHaveLength(57);
  });

  it('without vintages and history, a panel of several values is the same', async () => {
    const line =
      'panel QUARTER CALM --as-of-each quarter-end --from 2015-01-01 --to 2017-12-31 --last 2 --lag 1';
    const { url } = await inFront(/\/(vintages|revisions)/);
    const { code, out } = await remote(line, url);
    expect([code, out]).toEqual([0, (await embedded(line)).out]);
  });

  it.each([
    ['the vintages', /\/vintages|openapi/],
    ['revisions', /\/revisions/],
  ])('that lacks %s, the panel is the same', async (_, lacks) => {
    const { url, asked } = await inFront(lacks);
    const line = each.replace('CALM', 'QUARTER');
    const { code, out } = await remote(line, url);
    expect([code, out]).toEqual([0, (await embedded(line)).out]);
    expect(asked().paths.some((path) => lacks.test(path))).toBe(true);
  });

  it.each([
    ['the vintages', /\/vintages/],
    ['revisions', /\/revisions/],
  ])('behind a proxy that answers for %s with a page of HTML, the panel fails', async (_, lacks) => {
    const instead = new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
    const { url } = await inFront(lacks, { instead });
    const { code, err } = await remote(each.replace('CALM', 'QUARTER'), url);
    expect([code, err]).toEqual([8, expect.stringContaining('an HTML page')]);
  });

  it('that lacks the vintages, --dry-run counts the requests for coverage too', async () => {
    const line = 'panel CALM MUCH --as-of-each month-end --from 2015-03-01 --to 2015-08-31';
    const dry = await inFront(/\/vintages/);
    const [, most] =
      /takes at most (\d+) requests/.exec((await remote(`${line} --dry-run`, dry.url)).err) ?? [];
    const wet = await inFront(/\/vintages/);
    expect((await remote(line, wet.url)).code).toBe(0);
    const made = wet.asked().paths.filter((path) => !path.includes('openapi')).length;
    expect(made).toBeLessThanOrEqual(Number(most));
    // One of them is asked again, to see whether the data changed.
    const described = wet.asked().paths.filter((path) => /^\/v1\/series\/\w+$/.test(path));
    expect([...new Set(described)].sort()).toEqual(['/v1/series/CALM', '/v1/series/MUCH']);
  });

  it('that lacks vintages and history, more than a thousand days are refused, and why', async () => {
    const { url, asked } = await inFront(/\/(vintages|revisions)/);
    const line = 'panel CALM --as-of-each day --from 2015-01-01 --to 2019-12-31';
    const { code, out, err } = await remote(line, url);
    expect([code, out]).toEqual([8, '']);
    expect(err).toContain('the service has no /v1/series/CALM/vintages; without it CALM takes 1826 requests');
    expect(asked().paths.length).toBeLessThan(5);
  });

  it('that gives the oldest date first, the newest one is still found', async () => {
    const { url } = await serve(async (request, response) => {
      const asked = new URL(request.url ?? '', 'http://localhost');
      const ofSeries = /^\/v1\/series\/CALM(\/observations)?$/.exec(asked.pathname);
      if (ofSeries === null) {
        response.writeHead(404, { 'content-type': 'text/plain' }).end();
        return;
      }
      const limit = asked.searchParams.get('limit') ?? '100';
      asked.searchParams.set('limit', '1000');
      const answer = await fetch(service.url + asked.pathname + (ofSeries[1] ? asked.search : ''), {
        headers: { 'x-api-key': service.key },
      });
      const page = (await answer.json()) as { readonly results: readonly unknown[] };
      const from = Number(asked.searchParams.get('cursor') ?? 0);
      const rows = [...page.results].reverse();
      const results = rows.slice(from, from + Number(limit));
      const more = rows.length > from + Number(limit);
      const next = more ? { has_more: true, next_cursor: String(from + Number(limit)) } : {};
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...page, results, results_count: results.length, ...next }));
    });
    const line = 'panel CALM --as-of-each month-end --from 2016-01-01 --to 2016-03-31';
    expect((await remote(line, url)).out).toBe((await embedded(line)).out);
  });

  it('whose quota is used up, the panel stops asking and ends with 6', async () => {
    const tight = { ...unlimited, name: 'tight', dailyLimit: 3 };
    const other = await startService({ openStore: () => openStore(store), plan: tight });
    try {
      const { url } = await inFront(undefined, { of: other });
      const { code, out, err } = await remote(`${each} -v`, url);
      expect([code, out]).toEqual([6, '']);
      expect(linesOf(err).filter((line) => /: 429, /.test(line)).length).toBeLessThanOrEqual(4);
      expect(err.match(/daily limit of 3 requests exceeded/g)).toHaveLength(1);
    } finally {
      await other.stop();
    }
  });

  it('whose plan has no vintages, a panel ends with 5', async () => {
    const free = { ...unlimited, name: 'poor', vintageAccess: false };
    const other = await startService({ openStore: () => openStore(store), plan: free });
    try {
      const env = { ASOF_API_KEY: other.key };
      const { code, out } = await asof([...each.split(' '), '--base-url', other.url], { env });
      expect([code, out]).toEqual([5, '']);
    } finally {
      await other.stop();
    }
  });

  it.each([
    ['diff MUCH 2017-03-16 2018-03-16 --dry-run', /takes at most \d+ requests/],
    ['panel CALM MUCH --as-of 2017-03-16 --dry-run', /takes at most \d+ requests/],
  ])('%s', async (line, words) => {
    const { url } = await inFront(undefined);
    const { code, out, err } = await remote(line, url);
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(words);
  });
});
