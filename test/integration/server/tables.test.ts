import { readFileSync, writeFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { asof } from '../../support/command.ts';
import { contractStore, now } from '../../support/contract-cases.ts';
import { queryDuckDb } from '../../support/duckdb.ts';
import { scratchFolder } from '../../support/folders.ts';
import { bodyOf } from '../../support/http-service.ts';
import { type Running, startService, unlimited } from '../../support/modes.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const clock = () => now;
let path: string;
let service: Running;

beforeAll(async () => {
  path = await contractStore(folder);
  service = await startService({ openStore: () => openStore(path), clock });
});
afterAll(() => service.stop());

type Init = { readonly headers?: Readonly<Record<string, string>>; readonly method?: string };

function ask(target: string, { headers, ...init }: Init = {}, { url, key } = service): Promise<Response> {
  return fetch(`${url}${target}`, { ...init, headers: { 'x-api-key': key, ...headers } });
}

/** The bytes of a command's output in a format. */
async function commandBytes(line: readonly string[], format: string): Promise<Buffer> {
  const file = join(folder, `out.${format}`);
  const { code, err } = await asof([...line, '--store', path, '-f', format, '-o', file, '-q']);
  expect([code, err]).toEqual([0, '']);
  return readFileSync(file);
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

const idless = (bytes: Buffer) => bytes.toString('latin1').replace(/req_[0-9a-f]{32}/, 'req_');

const types = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;

const questions: readonly (readonly [what: string, target: string, line: readonly string[]])[] = [
  ['observations', '/v1/series/GDP/observations', ['obs', 'GDP']],
  [
    'observations as of a day',
    '/v1/series/GDP/observations?as_of=2020-12-31',
    ['obs', 'GDP', '--as-of', '2020-12-31'],
  ],
  ['first releases', '/v1/series/GDP/observations?release=first', ['obs', 'GDP', '--first-release']],
  ['the newest rows', '/v1/series/GDP/observations?limit=2', ['obs', 'GDP', '--limit', '2']],
  ['no rows', '/v1/series/GDP/observations?as_of=2019-01-01', ['obs', 'GDP', '--as-of', '2019-01-01']],
  [
    'revisions of a date',
    '/v1/series/GDP/revisions?date=2020-03-01',
    ['revisions', 'GDP', '--date', '2020-03-01'],
  ],
  ['all revisions', '/v1/series/GDP/revisions', ['revisions', 'GDP']],
  ['vintages', '/v1/series/GDP/vintages', ['vintages', 'GDP']],
  ['series', '/v1/series?q=GDP', ['series', 'search', 'GDP', '--match', 'id']],
  ['a series', '/v1/series/GDP', ['series', 'show', 'GDP']],
  ['a curve', '/v1/treasury/yields/curve?date=2026-01-14', ['curve', '--date', '2026-01-14']],
  ['yields', '/v1/treasury/yields?curve_type=TIPS', ['yields', '--type', 'tips']],
  ['a spread', '/v1/treasury/yields/spread', ['spread']],
  ['filings', '/v1/insider/filings?from=2025-01-01', ['insider', 'filings', '--from', '2025-01-01']],
  ['clusters', '/v1/insider/clusters', ['insider', 'clusters']],
  ['several series', '/v1/observations?ids=GDP,UNRATE', ['obs', 'GDP', 'UNRATE']],
  ['a pattern of ids', '/v1/observations?ids=GDP*&limit=3', ['obs', 'GDP*', '--limit', '3']],
  [
    'growth rates',
    '/v1/observations?ids=GDP&units=pch&sort=asc',
    ['obs', 'GDP', '--units', 'pch', '--sort', 'asc'],
  ],
  [
    'a panel of one day',
    '/v1/panel?ids=GDP,UNRATE&as_of=2020-12-31',
    ['panel', 'GDP', 'UNRATE', '--as-of', '2020-12-31'],
  ],
  [
    'a wide panel',
    '/v1/panel?ids=GDP,UNRATE&wide=true&sort=asc',
    ['panel', 'GDP', 'UNRATE', '--wide', '--sort', 'asc'],
  ],
  [
    'a panel for a backtest',
    '/v1/panel?ids=GDP,GDPC1&as_of_each=month-end&from=2020-11-01&to=2021-02-28&last=2&known_before_each=true&beyond=repeat',
    [
      ...['panel', 'GDP', 'GDPC1', '--as-of-each', 'month-end', '--from', '2020-11-01', '--to', '2021-02-28'],
      ...['--last', '2', '--known-before-each', '--beyond', 'repeat'],
    ],
  ],
  [
    'a wide panel for a backtest',
    '/v1/panel?ids=GDP&as_of_each=month-end&from=2020-11-01&to=2021-02-28&wide=true&with_dates=true',
    [
      'panel',
      'GDP',
      '--as-of-each',
      'month-end',
      '--from',
      '2020-11-01',
      '--to',
      '2021-02-28',
      '--wide',
      '--with-dates',
    ],
  ],
  ['a diff', '/v1/diff?ids=GDP&days=2020-12-31,2021-01-31', ['diff', 'GDP', '2020-12-31', '2021-01-31']],
];

describe('a table over HTTP', () => {
  it.each(questions)(
    'of %s has the bytes that the command writes, in every format',
    async (_, target, line) => {
      for (const [format, type] of Object.entries(types)) {
        const named = await ask(`${target}${target.includes('?') ? '&' : '?'}format=${format}`);
        const bytes = await bytesOf(named);
        expect([named.status, named.headers.get('content-type')]).toEqual([200, type]);
        expect(bytes.equals(await commandBytes(line, format))).toBe(true);
        const accepted = await ask(target, { headers: { accept: type } });
        expect((await bytesOf(accepted)).equals(bytes)).toBe(true);
      }
    },
  );

  const composed = questions.filter(([, target]) => !/^\/v1\/(series|treasury|insider)/.test(target));
  it.each(composed)('of %s is in JSON what the command writes', async (_, target, line) => {
    const response = await ask(target);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(idless(await bytesOf(response))).toBe(idless(await commandBytes(line, 'json')));
  });

  it('has all rows, where JSON has a page', async () => {
    const json = await bodyOf(ask('/v1/treasury/yields?limit=1'));
    expect(json.results_count).toBe(1);
    const csv = await (await ask('/v1/treasury/yields?format=csv')).text();
    expect(csv.split('\n').length).toBeGreaterThan(3);
  });

  it('names the next page where a limit cuts it off, and continues there', async () => {
    const first = await ask('/v1/series/GDP/observations?format=csv&limit=4');
    const next = /^<(\?.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await ask(`/v1/series/GDP/observations${next}`);
    const third = /^<(\?.*)>; rel="next"$/.exec(second.headers.get('link') ?? '')?.[1];
    const last = await ask(`/v1/series/GDP/observations${third}`);
    expect(last.headers.get('link')).toBeNull();
    const rows = async (response: Response) => (await response.text()).trim().split('\n').slice(1);
    const all = await rows(await ask('/v1/series/GDP/observations?format=csv'));
    expect([...(await rows(first)), ...(await rows(second)), ...(await rows(last))]).toEqual(all);
  });

  it('counts as one request, also if it takes many answers', async () => {
    const used = async () => Number((await bodyOf(ask('/v1/ping'))).results[0]?.daily_used);
    const before = await used();
    await ask('/v1/panel?ids=*&as_of_each=day&from=2020-01-01&to=2020-03-31&format=csv');
    expect(await used()).toBe(before + 2);
  });

  it('is sent again only if it is another one', async () => {
    const target = '/v1/panel?ids=GDP,UNRATE&wide=true';
    const csv = await ask(`${target}&format=csv`);
    const tag = csv.headers.get('etag') ?? '';
    const again = await ask(`${target}&format=csv`, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await ask(`${target}&format=ndjson`, { headers: { 'if-none-match': tag } });
    expect(other.status).toBe(200);
  });

  it('to HEAD has the headers of GET', async () => {
    const target = '/v1/series/GDP/observations?format=csv';
    const [get, head] = [await ask(target), await ask(target, { method: 'HEAD' })];
    for (const name of ['content-type', 'content-length', 'etag', 'vary'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect(await head.text()).toBe('');
  });

  it.each([
    [
      'an unknown parameter',
      '/v1/panel?ids=GDP&asof=2020-12-31',
      'asof',
      "unknown parameter 'asof': use ids, as_of, as_of_each, known_before_each, from, to, wide, last, lag, with_dates, beyond, sort, skip_missing, units, digits, frequency, aggregate, partial, exact, max_age, format",
    ],
    [
      'a list in two parameters',
      '/v1/panel?ids=GDP&ids=A',
      'ids',
      "parameter 'ids' is given more than once: separate its values by commas",
    ],
    [
      'a parameter twice',
      '/v1/panel?ids=GDP&wide=true&wide=true',
      'wide',
      "parameter 'wide' is given more than once",
    ],
    ['no ids', '/v1/panel', 'ids', "parameter 'ids' is missing"],
    [
      'a blank id',
      '/v1/observations?ids=GDP,',
      'ids',
      'invalid \'ids\' "GDP,": use ids separated by commas, such as GDP,UNRATE',
    ],
    [
      'a day that the calendar lacks',
      '/v1/panel?ids=GDP&from=2015-02-30',
      'from',
      "invalid 'from' date: use YYYY-MM-DD format",
    ],
    [
      'a list with a text that is no day',
      '/v1/diff?ids=GDP&days=2015-01-30,x',
      'days',
      "invalid 'days' date: use YYYY-MM-DD format",
    ],
    ['a mistyped flag', '/v1/panel?ids=GDP&wide=yes', 'wide', 'invalid \'wide\' "yes": use true or false'],
    [
      'a mistyped rhythm',
      '/v1/panel?ids=GDP&as_of_each=monthly&from=2020-01-01&to=2020-02-01',
      'as_of_each',
      'invalid \'as_of_each\' "monthly": use day, business-day, friday, week-end, month-end, quarter-end, year-end, or dates (YYYY-MM-DD) separated by commas',
    ],
    [
      'a rhythm without an end',
      '/v1/panel?ids=GDP&as_of_each=month-end&from=2020-01-01',
      'to',
      "'as_of_each' needs 'from' and 'to'",
    ],
    ['a day that is yet to come', '/v1/panel?ids=GDP&as_of=2999-01-01', 'as_of', 'is in the future'],
    [
      'one day of a diff',
      '/v1/diff?ids=GDP&days=2020-12-31',
      'days',
      'use two dates separated by a comma, such as 2009-07-30,2009-07-31',
    ],
    [
      'a cursor, where there are no pages',
      '/v1/observations?ids=GDP&cursor=x',
      'cursor',
      "unknown parameter 'cursor'",
    ],
    [
      'a wrong date',
      '/v1/series/GDP/observations?format=csv&as_of=2020-2-1',
      'as_of',
      'use YYYY-MM-DD format',
    ],
    [
      'a limit of 0',
      '/v1/series/GDP/observations?format=csv&limit=0',
      'limit',
      'use an integer from 1 to 1000',
    ],
    [
      'an unknown format',
      '/v1/series/GDP/observations?format=xls',
      'format',
      'use json, csv, ndjson or parquet',
    ],
    [
      'a day beyond the coverage that should fail',
      '/v1/panel?ids=GDP&as_of_each=2021-01-31,2025-01-01&beyond=fail',
      undefined,
      'GDP is covered to 2021-01-01',
    ],
  ])('is refused with 400 for %s', async (_, target, field, detail) => {
    const response = await ask(target, { headers: { accept: 'text/csv, application/json' } });
    const problem = await bodyOf(response);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ]);
    expect(problem).toMatchObject({
      type: `${service.url}/errors/validation-error`,
      instance: target.split('?')[0],
      ...(field !== undefined && { field }),
    });
    expect(problem.detail).toContain(detail);
  });

  it.each([
    '/v1/series/GDPX/observations?format=csv',
    '/v1/observations?ids=GDP,GDPX',
    '/v1/panel?ids=GDPX,GDP',
    '/v1/panel?ids=GDPX&skip_missing=true',
    '/v1/diff?ids=GDPX,GDP&days=2020-12-31,2021-01-31',
  ])('is refused with 404 for a series that does not exist: %s', async (target) => {
    const response = await ask(target);
    expect([response.status, await bodyOf(response)]).toMatchObject([
      404,
      { detail: "series 'GDPX' not found" },
    ]);
  });

  it.each([
    '/v1/observations?ids=%&as_of=2021-01-31',
    '/v1/panel?ids=%&wide=true',
    '/v1/panel?ids=%&as_of_each=2021-01-31',
    '/v1/diff?ids=%&days=2020-12-31,2021-01-31',
  ])(
    'of the series that exist is the answer with skip_missing, which names the others: %s',
    async (target) => {
      const { request_id: _, ...skipped } = await bodyOf(
        await ask(`${target.replace('%', 'NOPE,GDP')}&skip_missing=true`),
      );
      const { request_id: _id, ...whole } = await bodyOf(await ask(target.replace('%', 'GDP')));
      expect(skipped).toMatchObject({ results: whole.results, missing: ['NOPE'] });
      const csv = async (ids: string, more: string) =>
        (await ask(`${target.replace('%', ids)}&format=csv${more}`)).text();
      expect(await csv('NOPE,GDP', '&skip_missing=true')).toBe(await csv('GDP', ''));
    },
  );

  it.each([
    '/v1/series/gdp/observations',
    '/v1/observations?ids=GDP,gdp',
    '/v1/panel?ids=gdp&wide=true',
    '/v1/diff?ids=gdp&days=2020-12-31,2021-01-31',
  ])('is refused with 404 for an id in lower case, as ids are in upper case: %s', async (target) => {
    const response = await ask(target);
    expect([response.status, await bodyOf(response)]).toMatchObject([
      404,
      { detail: "series 'gdp' not found" },
    ]);
  });

  it('as of a day needs a plan with vintage access', async () => {
    const free = { ...unlimited, name: 'free', vintageAccess: false };
    const poor = await startService({ openStore: () => openStore(path), clock, plan: free });
    const statuses = [];
    for (const target of [
      '/v1/series/GDP/observations?format=csv&as_of=2020-12-31',
      '/v1/panel?ids=GDP&as_of_each=month-end&from=2020-11-01&to=2021-02-28',
      '/v1/diff?ids=GDP&days=2020-12-31,2021-01-31',
      '/v1/series/GDP/observations?format=csv',
      '/v1/panel?ids=GDP,UNRATE&wide=true',
    ])
      statuses.push((await ask(target, {}, poor)).status);
    expect(statuses).toEqual([403, 403, 403, 200, 200]);
    await poor.stop();
  });

  it('is read by DuckDB with exact numbers', async () => {
    const file = join(folder, 'gdp.parquet');
    writeFileSync(file, await bytesOf(await ask('/v1/series/GDP/observations?format=parquet')));
    const rows = await queryDuckDb(
      `select date::varchar, value::varchar, as_of_date::varchar from '${file}' order by date limit 2`,
    );
    // What the store was made of, in January 2021.
    expect(rows).toEqual([
      ['2020-01-01', '0.500000000000000000', '2021-01-01'],
      ['2020-02-01', '1.500000000000000000', '2021-01-01'],
    ]);
  });
});

/** More days than the answer that is held back before the first byte is sent. */
const days = Array.from({ length: 40_000 }, (_, i) =>
  new Date(Date.UTC(1910, 0, 1 + i)).toISOString().slice(0, 10),
);

type Streamed = { readonly text: string; readonly isWhole: boolean };

/** What a client gets of an answer, and whether it takes that for all of it; `onFirst` runs after the first bytes. */
function streamed(
  { url, key }: Running,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  onFirst?: (response: IncomingMessage) => Promise<void>,
): Promise<Streamed> {
  return new Promise((resolve, reject) => {
    const request = httpGet(
      `${url}${target}`,
      { headers: { 'x-api-key': key, ...headers } },
      async (response) => {
        const chunks: Buffer[] = [];
        const text = () => Buffer.concat(chunks).toString('latin1');
        response.on('error', () => resolve({ text: text(), isWhole: false }));
        response.on('end', () => resolve({ text: text(), isWhole: response.complete }));
        await onFirst?.(response);
        response.on('data', (chunk) => chunks.push(chunk));
      },
    );
    request.on('error', reject);
  });
}

describe('a table that is sent while it is made', () => {
  const ids = ['LONG1', 'LONG2', 'LONG3'];
  const target = `/v1/observations?ids=${ids.join(',')}&format=ndjson`;
  let long: string;
  let running: Running;
  let limited: Running;

  beforeAll(async () => {
    long = newStorePath(folder);
    const lines = ids.flatMap((id) => days.map((day, i) => `${id},${day},2020-01-01,${i}.25`));
    await importFiles(long, { 'facts.csv': `series_id,date,as_of_date,value\n${lines.join('\n')}\n` });
    const openLong = () => openStore(long);
    running = await startService({ openStore: openLong, clock });
    const plan = { ...unlimited, name: 'limited', maxRows: 50_000 };
    limited = await startService({ openStore: openLong, clock, plan });
  });
  afterAll(async () => {
    await running.stop();
    await limited.stop();
  });

  it('is whole', async () => {
    const { text, isWhole } = await streamed(running, target);
    expect(isWhole).toBe(true);
    const rows = text.trim().split('\n');
    expect(rows).toHaveLength(120_000);
    expect(JSON.parse(rows[0] ?? '')).toMatchObject({ series_id: 'LONG1', date: `${days.at(-1)}T00:00:00Z` });
    expect(JSON.parse(rows.at(-1) ?? '')).toMatchObject({ series_id: 'LONG3', value: '0.25' });
  });

  it('is whole in the coding that a client prefers', async () => {
    const { text, isWhole } = await streamed(running, target, { 'accept-encoding': 'gzip' });
    expect(isWhole).toBe(true);
    expect(gunzipSync(Buffer.from(text, 'latin1')).toString().trim().split('\n')).toHaveLength(120_000);
  });

  it.each([{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br' }])(
    'is cut off where its plan allows no more rows, so that no client takes it for whole (%j)',
    async (headers) => {
      const { isWhole } = await streamed(limited, target, headers);
      expect(isWhole).toBe(false);
    },
  );

  it('is refused where its plan allows no more rows and nothing was sent yet', async () => {
    for (const one of ['/v1/panel?ids=LONG1,LONG2&format=csv', `/v1/observations?ids=LONG1,LONG2`]) {
      const response = await ask(
        `${one}&from=1940-01-01&format=csv`.replace('&format=csv&', '&'),
        {},
        limited,
      );
      expect([response.status, await bodyOf(response)]).toMatchObject([
        403,
        { detail: expect.stringContaining('takes more than 50000 rows, the most of one request') },
      ]);
    }
  });

  it.each([
    ['each day of a series', 'ids=LONG1&as_of_each=day&from=1880-01-01&to=2020-12-31'],
    ['twenty values a month', 'ids=LONG1&as_of_each=month-end&from=1610-01-01&to=2020-12-31&last=20'],
    ['each day in a row', 'ids=LONG1,LONG2&as_of_each=day&from=1950-01-01&to=2020-12-31&wide=true'],
  ])(
    'is refused before it is made where a panel of %s has more rows than its plan allows',
    async (_, asked) => {
      const response = await ask(`/v1/panel?${asked}&format=csv`, {}, limited);
      expect([response.status, await bodyOf(response)]).toMatchObject([
        403,
        { detail: expect.stringContaining('takes more than 50000 rows, the most of one request') },
      ]);
    },
  );

  it('has as many rows of a panel as its plan allows', async () => {
    const small = { ...unlimited, name: 'small', maxRows: 12 };
    const allowed = await startService({ openStore: () => openStore(path), clock, plan: small });
    const asked = '/v1/panel?ids=GDP&as_of_each=month-end&from=2020-01-01&format=csv';
    const year = await ask(`${asked}&to=2020-12-31`, {}, allowed);
    expect([year.status, (await year.text()).trim().split('\n').length]).toEqual([200, 13]);
    const longer = await ask(`${asked}&to=2021-01-31`, {}, allowed);
    expect(longer.status).toBe(403);
    await allowed.stop();
  });

  it('comes complete or not at all over HTTP/1.0, where the end of a connection is the end of an answer', async () => {
    const said = async ({ url, key }: Running) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('latin1');
    };
    expect(await said(limited)).toMatch(/^HTTP\/1\.1 403 /);
    const whole = await said(running);
    expect(whole).toMatch(/^content-length: \d{8}\r$/im);
    expect(whole.trim().split('\n').slice(-120_000)).toHaveLength(120_000);
  });

  it('comes from the state of the data in which it began, if the data change while it is sent', async () => {
    const { text, isWhole } = await streamed(running, target, {}, async () => {
      await importFiles(long, {
        'facts.csv': 'series_id,date,as_of_date,value\nLONG3,1910-01-01,2021-01-01,7\n',
      });
    });
    expect(isWhole).toBe(true);
    const last = (answer: string) => JSON.parse(answer.trim().split('\n').at(-1) ?? '').value;
    expect(last(text)).toBe('0.25');
    expect(last((await streamed(running, target)).text)).toBe('7');
  });

  it('ends when the client leaves, and the service stops without waiting for it', async () => {
    const leaving = await startService({ openStore: () => openStore(long), clock });
    await new Promise<void>((resolve, reject) => {
      const headers = { 'x-api-key': leaving.key };
      const request = httpGet(`${leaving.url}${target}`, { headers }, (response) => {
        response.once('data', () => {
          response.destroy();
          resolve();
        });
      });
      request.on('error', reject);
    });
    const started = performance.now();
    await leaving.stop();
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
