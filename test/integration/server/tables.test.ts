import { readFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { openStore, writing } from '../../../src/store/open.ts';
import { asof } from '../../support/command.ts';
import { contractStore, now } from '../../support/contract-cases.ts';
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

function ask(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  { url, key } = service,
): Promise<Response> {
  return fetch(url + target, { headers: { 'x-api-key': key, ...headers } });
}

/** The bytes of a command's output in a format. */
async function commandBytes(line: string, format: string): Promise<Buffer> {
  const file = join(folder, `out.${format}`);
  const { code, err } = await asof([...line.split(' '), '--store', path, '-f', format, '-o', file, '-q']);
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

const months = 'as_of_each=month-end&from=2020-11-01&to=2021-02-28';
const eachMonth = '--as-of-each month-end --from 2020-11-01 --to 2021-02-28';

/** Targets that one operation answers, and the lines that ask the same. */
const single: readonly (readonly [target: string, line: string])[] = [
  ['/v1/series/GDP/observations', 'obs GDP'],
  ['/v1/series/GDP/observations?as_of=2020-12-31', 'obs GDP --as-of 2020-12-31'],
  ['/v1/series/GDP/observations?release=first', 'obs GDP --first-release'],
  ['/v1/series/GDP/observations?limit=2', 'obs GDP --limit 2'],
  ['/v1/series/GDP/observations?as_of=2019-01-01', 'obs GDP --as-of 2019-01-01'],
  ['/v1/series/GDP/revisions?date=2020-03-01', 'revisions GDP --date 2020-03-01'],
  ['/v1/series/GDP/revisions', 'revisions GDP'],
  ['/v1/series/GDP/vintages', 'vintages GDP'],
  ['/v1/series?q=GDP', 'series search GDP --match id'],
  ['/v1/series/GDP', 'series show GDP'],
  ['/v1/treasury/yields/curve?date=2026-01-14', 'curve --date 2026-01-14'],
  ['/v1/treasury/yields?curve_type=TIPS', 'yields --type tips'],
  ['/v1/treasury/yields/spread', 'spread'],
  ['/v1/insider/filings?from=2025-01-01', 'insider filings --from 2025-01-01'],
  ['/v1/insider/clusters', 'insider clusters'],
];

/** Targets whose answers are composed of several. */
const composed: typeof single = [
  ['/v1/observations?ids=GDP,UNRATE', 'obs GDP UNRATE'],
  ['/v1/observations?ids=GDP*&limit=3', 'obs GDP* --limit 3'],
  ['/v1/observations?ids=GDP&units=pch&sort=asc', 'obs GDP --units pch --sort asc'],
  ['/v1/panel?ids=GDP,UNRATE&as_of=2020-12-31', 'panel GDP UNRATE --as-of 2020-12-31'],
  ['/v1/panel?ids=GDP,UNRATE&wide=true&sort=asc', 'panel GDP UNRATE --wide --sort asc'],
  [
    `/v1/panel?ids=GDP,GDPC1&${months}&last=2&known_before_each=true&beyond=repeat`,
    `panel GDP GDPC1 ${eachMonth} --last 2 --known-before-each --beyond repeat`,
  ],
  [`/v1/panel?ids=GDP&${months}&wide=true&with_dates=true`, `panel GDP ${eachMonth} --wide --with-dates`],
  [
    '/v1/panel?ids=GDP:pch,UNRATE&as_of=2020-12-31&wide=true',
    'panel GDP:pch UNRATE --as-of 2020-12-31 --wide',
  ],
  ['/v1/observations?ids=GDP:pch,GDP', 'obs GDP:pch GDP'],
  ['/v1/diff?ids=GDP&days=2020-12-31,2021-01-31', 'diff GDP 2020-12-31 2021-01-31'],
];

describe('a table over HTTP', () => {
  it.each([...single, ...composed])(
    'of %s has the bytes of asof %s, in every format',
    async (target, line) => {
      for (const [format, type] of Object.entries(types)) {
        const named = await ask(`${target}${target.includes('?') ? '&' : '?'}format=${format}`);
        expect([named.status, named.headers.get('content-type')]).toEqual([200, type]);
        expect((await bytesOf(named)).equals(await commandBytes(line, format))).toBe(true);
      }
    },
  );

  it.each(composed)('of %s is in JSON what asof %s writes', async (target, line) => {
    const response = await ask(target);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(idless(await bytesOf(response))).toBe(idless(await commandBytes(line, 'json')));
  });

  it.each(['json', 'csv'])(
    'of a path with units in the place of an id is not found, in %s',
    async (format) => {
      const { status } = await ask(`/v1/series/GDP:pch/observations?format=${format}`);
      expect(status).toBe(404);
    },
  );

  it.each(Object.entries(types))('comes in the format that the client accepts: %s', async (format, type) => {
    const accepted = await ask('/v1/series/GDP/vintages', { accept: type });
    expect(accepted.headers.get('content-type')).toBe(type);
    const named = await ask(`/v1/series/GDP/vintages?format=${format}`);
    expect((await bytesOf(accepted)).equals(await bytesOf(named))).toBe(true);
  });

  it('names the next page where a limit cuts it off, and continues there', async () => {
    const rows = async (response: Response) => (await response.text()).trim().split('\n').slice(1);
    const found: string[] = [];
    let next: string | undefined = '?format=csv&limit=4';
    for (const size of [4, 4, 2]) {
      const page = await ask(`/v1/series/GDP/observations${next}`);
      next = /^<(\?.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      expect(found.push(...(await rows(page))) % 4).toBe(size % 4);
    }
    expect(next).toBeUndefined();
    expect(found).toEqual(await rows(await ask('/v1/series/GDP/observations?format=csv')));
  });

  it.each(['GDP', 'DGS10'])(
    'of one id in /v1/observations has no pages, and says whether a limit cut it: %s',
    async (id) => {
      const target = `/v1/observations?ids=${id}&limit=2`;
      const { results_count, has_more, next_cursor } = await bodyOf(ask(target));
      expect([results_count, has_more, next_cursor]).toEqual([2, true, undefined]);
      const csv = await ask(`${target}&format=csv`);
      expect([csv.status, csv.headers.get('link')]).toEqual([200, null]);
    },
  );

  it('counts as one request, also if it takes many answers', async () => {
    const used = async () => Number((await bodyOf(ask('/v1/ping'))).results[0]?.daily_used);
    const before = await used();
    await ask('/v1/panel?ids=*&as_of_each=day&from=2020-01-01&to=2020-03-31&format=csv');
    expect(await used()).toBe(before + 2);
  });

  it('is sent again only if it is another one', async () => {
    const target = '/v1/panel?ids=GDP,UNRATE&wide=true';
    const known = { 'if-none-match': (await ask(`${target}&format=csv`)).headers.get('etag') ?? '' };
    const again = await ask(`${target}&format=csv`, known);
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await ask(`${target}&format=ndjson`, known)).status).toBe(200);
  });

  it('is sent again whenever it may differ a second later, as the last pulls of followed items', async () => {
    const store = await contractStore(scratchFolder());
    const following = await startService({ openStore: () => openStore(store), clock });
    const target = '/v1/calendar/due?every=true&format=csv';
    const first = await ask(target, {}, following);
    const known = first.headers.get('etag') ?? '"none"';
    await writing(store, async (writer) => {
      const item = { source: 'fred', name: 'PAYEMS', since: '', bookmark: '{}', left: '' };
      await writer.follow({ ...item, upTo: '2026-01-15', lastRun: '2026-01-15T11:59:00.000Z' });
      await writer.commit();
    });
    const second = await ask(target, { 'if-none-match': known }, following);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toContain('2026-01-15T11:59:00Z');
    await following.stop();
  });

  const dateForm = 'use YYYY-MM-DD format';
  const rhythms =
    'use day, business-day, friday, week-end, month-end, quarter-end, year-end, or dates (YYYY-MM-DD) separated by commas';
  it.each<[target: string, field: string | undefined, detail: string]>([
    [
      'panel?ids=GDP&asof=2020-12-31',
      'asof',
      "unknown parameter 'asof': use ids, as_of, known_at, as_of_each, known_before_each, from, to, wide, last, lag, with_dates, beyond, sort, skip_missing, units, digits, frequency, aggregate, partial, exact, max_age, format",
    ],
    ['panel?ids=GDP&ids=A', 'ids', "'ids' is given more than once: separate its values by commas"],
    ['panel?ids=GDP&wide=true&wide=true', 'wide', "parameter 'wide' is given more than once"],
    ['panel', 'ids', "parameter 'ids' is missing"],
    ['observations?ids=GDP,', 'ids', '"GDP,": use ids separated by commas, such as GDP,UNRATE'],
    ['panel?ids=GDP&from=2015-02-30', 'from', `invalid 'from' date: ${dateForm}`],
    ['diff?ids=GDP&days=2015-01-30,x', 'days', `invalid 'days' date: ${dateForm}`],
    ['panel?ids=GDP&wide=yes', 'wide', 'invalid \'wide\' "yes": use true or false'],
    ['panel?ids=GDP&as_of_each=monthly', 'as_of_each', `invalid 'as_of_each' "monthly": ${rhythms}`],
    ['panel?ids=GDP&as_of_each=day&from=2020-01-01', 'to', "'as_of_each' needs 'from' and 'to'"],
    ['panel?ids=GDP&as_of=2999-01-01', 'as_of', 'is in the future'],
    ['diff?ids=GDP&days=2020-12-31', 'days', 'use two as-of dates, such as 2009-07-30 and latest'],
    ['observations?ids=GDP&cursor=x', 'cursor', "unknown parameter 'cursor'"],
    ['series/GDP/observations?format=csv&as_of=2020-2-1', 'as_of', dateForm],
    ['series/GDP/observations?format=csv&limit=0', 'limit', 'use an integer from 1 to 1000'],
    ['series/GDP/observations?format=xls', 'format', 'use json, csv, ndjson, parquet or answer'],
    ['panel?ids=GDP&as_of_each=2025-01-01&beyond=fail', 'beyond', 'GDP is covered to 2021-01-01'],
    // Data that do not meet what was asked.
    ['observations?ids=GDP&max_age=10', 'max_age', ''],
    ['observations?ids=GDP&frequency=w', 'frequency', ''],
    ['panel?ids=GDP&as_of_each=month-end&from=2020-01-02&to=2020-01-03', 'as_of_each', ''],
  ])('is refused with 400: /v1/%s', async (target, field, detail) => {
    const response = await ask(`/v1/${target}`, { accept: 'text/csv, application/json' });
    const problem = await bodyOf(response);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ]);
    expect(problem).toMatchObject({
      type: `${service.url}/errors/validation-error`,
      instance: `/v1/${target.split('?')[0]}`,
      ...(field !== undefined && { field }),
    });
    expect(problem.detail).toContain(detail);
  });

  it.each(['/v1/observations?ids=HOUST', '/v1/diff?ids=HOUST&days=2015-01-30,latest'])(
    'is refused with 400 where the vintages are not exact and should be: %s',
    async (target) => {
      const sample = await startService({ openStore: () => openStore(samplePath()), clock });
      expect(await bodyOf(ask(`${target}&exact=true`, {}, sample))).toMatchObject({
        status: 400,
        field: 'exact',
      });
      await sample.stop();
    },
  );

  it.each([
    ['GDPX', '/v1/series/GDPX/observations?format=csv'],
    ['GDPX', '/v1/observations?ids=GDP,GDPX'],
    ['GDPX', '/v1/panel?ids=GDPX&skip_missing=true'],
    ['GDPX', '/v1/diff?ids=GDPX,GDP&days=2020-12-31,2021-01-31'],
    // Ids are in upper case.
    ['gdp', '/v1/series/gdp/observations'],
    ['gdp', '/v1/observations?ids=GDP,gdp'],
  ])('is refused with 404 for a series that does not exist, %s: %s', async (id, target) => {
    const response = await ask(target);
    const { detail } = await bodyOf(response);
    expect([response.status, detail]).toEqual([404, `series '${id}' not found`]);
  });

  it.each([
    '/v1/observations?ids=%&as_of=2021-01-31',
    '/v1/panel?ids=%&wide=true',
    '/v1/panel?ids=%&as_of_each=2021-01-31',
    '/v1/diff?ids=%&days=2020-12-31,2021-01-31',
  ])(
    'of the series that exist is the answer with skip_missing, which names the others: %s',
    async (target) => {
      const [some, all] = [
        `${target.replace('%', 'NOPE,GDP')}&skip_missing=true`,
        target.replace('%', 'GDP'),
      ];
      const { results } = await bodyOf(ask(all));
      expect(await bodyOf(ask(some))).toMatchObject({ results, missing: ['NOPE'] });
      const csv = async (one: string) => (await ask(`${one}&format=csv`)).text();
      expect(await csv(some)).toBe(await csv(all));
    },
  );

  it('of what the store follows needs the plan of its owner, in JSON too', async () => {
    const plan = { ...unlimited, name: 'pro' };
    const customer = await startService({ openStore: () => openStore(path), clock, plan });
    for (const query of ['', '?every=true', '?every=true&format=csv']) {
      const response = await ask(`/v1/calendar/due${query}`, {}, customer);
      expect([response.status, (await response.json()).detail]).toEqual([
        403,
        "what the store follows needs the plan 'owner'; this key is on 'pro': ask the operator of this service",
      ]);
    }
    await customer.stop();
  });

  it.each([
    [
      '/v1/observations?ids=gdp&as_of=2019-01-01&limit=1',
      'observations_of_several',
      { ids: 'gdp', as_of: '2019-01-01', limit: 1 },
    ],
    [
      '/v1/series/gdp/revisions?summary=true&date=2020-03-01',
      'revisions',
      { id: 'gdp', summary: true, date: '2020-03-01' },
    ],
    ['/v1/treasury/yields/curve?date=2026-01-17', 'curve', { date: '2026-01-17' }],
    ['/v1/series?q=GDP&match=id&limit=2000', 'series_search', { text: 'GDP', match: 'id', limit: 2000 }],
  ])('in the format `answer` is what `asof lines` writes: %s', async (target, name, values) => {
    const line = await asof(['lines', '--store', path], {
      stdin: Readable.from([Buffer.from(JSON.stringify({ ask: name, values }))]),
    });
    const answer = await ask(target, { accept: 'application/vnd.asof.answer+json' });
    expect(answer.headers.get('content-type')).toBe('application/vnd.asof.answer+json');
    const { id: _, request_id: __, ...written } = JSON.parse(line.out);
    const { request_id: ___, ...sent } = JSON.parse(await answer.text());
    expect(written.fields.length).toBeGreaterThan(0);
    expect(sent).toEqual(written);
  });

  it('in the format `answer` fails with its kind and hints, which the problem of another format lacks', async () => {
    const refused = '/v1/observations?ids=GDPP&format=';
    expect(await (await ask(`${refused}answer`)).json()).toMatchObject({
      ...{ status: 404, kind: 'not-found', hints: [expect.stringMatching(/^did you mean GDP/)] },
    });
    const problem = await (await ask(`${refused}csv`)).json();
    expect(problem).not.toHaveProperty('kind');
    expect(problem).not.toHaveProperty('hints');
    const late = await (await ask('/v1/observations?ids=GDP&max_age=1&format=answer')).json();
    expect(late).toMatchObject({ status: 400, kind: 'too-old', field: 'max_age' });
  });

  it('as of a day needs a plan with vintage access', async () => {
    const plan = { ...unlimited, name: 'free', vintageAccess: false };
    const poor = await startService({ openStore: () => openStore(path), clock, plan });
    for (const [target, status] of [
      ['/v1/series/GDP/observations?format=csv&as_of=2020-12-31', 403],
      [`/v1/panel?ids=GDP&${months}`, 403],
      ['/v1/diff?ids=GDP&days=2020-12-31,2021-01-31', 403],
      ['/v1/series/GDP/observations?format=csv', 200],
      ['/v1/panel?ids=GDP,UNRATE&wide=true', 200],
    ] as const)
      expect([target, (await ask(target, {}, poor)).status]).toEqual([target, status]);
    await poor.stop();
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
    const sent = { 'x-api-key': key, ...headers };
    const request = httpGet(url + target, { headers: sent }, async (response) => {
      const chunks: Buffer[] = [];
      const text = () => Buffer.concat(chunks).toString('latin1');
      response.on('error', () => resolve({ text: text(), isWhole: false }));
      response.on('end', () => resolve({ text: text(), isWhole: response.complete }));
      await onFirst?.(response);
      response.on('data', (chunk) => chunks.push(chunk));
    });
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

  it.each([{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br' }])(
    'is cut off where its plan allows no more rows, so that no client takes it for whole (%j)',
    async (headers) => {
      expect((await streamed(limited, target, headers)).isWhole).toBe(false);
    },
  );

  it.each([
    ['/v1/panel?ids=LONG1,LONG2&from=1940-01-01&format=csv'],
    ['/v1/observations?ids=LONG1,LONG2&from=1940-01-01&format=csv'],
    // Each day of a series, twenty values a month, and each day in a row, all before they are made.
    ['/v1/panel?format=csv&ids=LONG1&as_of_each=day&from=1880-01-01&to=2020-12-31'],
    ['/v1/panel?format=csv&ids=LONG1&as_of_each=month-end&from=1610-01-01&to=2020-12-31&last=20'],
    ['/v1/panel?format=csv&ids=LONG1,LONG2&as_of_each=day&from=1950-01-01&to=2020-12-31&wide=true'],
  ])('is refused where its plan allows no more rows and nothing was sent yet: %s', async (asked) => {
    const response = await ask(asked, {}, limited);
    const { detail } = await bodyOf(response);
    expect([response.status, detail]).toEqual([
      403,
      expect.stringContaining('has more than 50000 rows, the limit of one request'),
    ]);
  });

  it('has as many rows of a panel as its plan allows', async () => {
    const plan = { ...unlimited, name: 'small', maxRows: 12 };
    const allowed = await startService({ openStore: () => openStore(path), clock, plan });
    const asked = '/v1/panel?ids=GDP&as_of_each=month-end&from=2020-01-01&format=csv';
    const year = await ask(`${asked}&to=2020-12-31`, {}, allowed);
    expect([year.status, (await year.text()).trim().split('\n').length]).toEqual([200, 13]);
    expect((await ask(`${asked}&to=2021-01-31`, {}, allowed)).status).toBe(403);
    await allowed.stop();
  });

  it('of few changes reads a page of each series, where its plan allows no whole series', async () => {
    const plan = { ...unlimited, name: 'small', maxRows: 10_000 };
    const allowed = await startService({ openStore: () => openStore(long), clock, plan });
    const asked = '/v1/observations?ids=LONG1,LONG2,LONG3&units=chg&limit=2&format=csv';
    const changes = await ask(asked, {}, allowed);
    const values = (await changes.text()).trim().split('\n').slice(1);
    expect([changes.status, values.map((line) => line.split(',')[1])]).toEqual([200, Array(6).fill('1.00')]);
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

  it('is whole in the coding that a client prefers, and of one state, if the data change meanwhile', async () => {
    const { text, isWhole } = await streamed(running, target, {}, async () => {
      await importFiles(long, {
        'a.csv': 'series_id,date,as_of_date,value\nLONG3,1910-01-01,2021-01-01,7\n',
      });
    });
    expect(isWhole).toBe(true);
    const rows = text.trim().split('\n');
    expect(rows).toHaveLength(120_000);
    expect(JSON.parse(rows[0] ?? '')).toMatchObject({ series_id: 'LONG1', date: `${days.at(-1)}T00:00:00Z` });
    expect(JSON.parse(rows.at(-1) ?? '')).toMatchObject({ series_id: 'LONG3', value: '0.25' });
    const later = await streamed(running, target, { 'accept-encoding': 'gzip' });
    expect(later.isWhole).toBe(true);
    const laterRows = gunzipSync(Buffer.from(later.text, 'latin1')).toString().trim().split('\n');
    expect([laterRows.length, JSON.parse(laterRows.at(-1) ?? '').value]).toEqual([120_000, '7']);
  });

  it('ends when the client leaves, and the service stops without waiting for it', async () => {
    const leaving = await startService({ openStore: () => openStore(long), clock });
    await new Promise<void>((resolve, reject) => {
      const headers = { 'x-api-key': leaving.key };
      const request = httpGet(leaving.url + target, { headers }, (response) => {
        response.once('data', () => resolve(void response.destroy()));
      });
      request.on('error', reject);
    });
    const started = performance.now();
    await leaving.stop();
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
