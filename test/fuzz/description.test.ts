import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplePath } from '../../src/platform/installation.ts';
import { openStore } from '../../src/store/open.ts';
import { type DescribedParameter, Description, type Json } from '../support/http-service.ts';
import { type Running, startService, unlimited } from '../support/modes.ts';
import { fuzz, fuzzTimeout } from './run.ts';

const clock = () => new Date('2026-07-01T12:00:00Z');

/** A service for keys with vintage access, and one for keys without. */
let services: Readonly<Record<'pro' | 'free', Running>>;
let api: Description;
let ids: readonly string[];

beforeAll(async () => {
  const serving = (vintageAccess: boolean) =>
    startService({ openStore: () => openStore(samplePath()), clock, plan: { ...unlimited, vintageAccess } });
  const [pro, free] = await Promise.all([serving(true), serving(false)]);
  services = { pro, free };
  const json = async (path: string) => (await (await get('pro', path)).json()) as Json;
  api = new Description(await json('/v1/openapi.json'));
  const { results } = await json('/v1/series?limit=1000');
  ids = (results as readonly { readonly id: string }[]).map(({ id }) => id);
});
afterAll(() => Promise.all(Object.values(services).map(({ stop }) => stop())));

type Who = 'free' | 'pro' | 'stranger';

function get(who: Who, target: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const { url, key } = who === 'free' ? services.free : services.pro;
  return fetch(url + target, { headers: { ...(who !== 'stranger' && { 'x-api-key': key }), ...headers } });
}

/** A request of an endpoint; `broken` is the one parameter that the description does not allow as it is. */
type Asked = {
  readonly who: Who;
  readonly path: string;
  readonly texts: readonly (readonly [name: string, text: string])[];
  readonly broken?: string;
};

const days = [
  ...['1991-12-04', '2008-10-30', '2014-10-01', '2014-12-31', '2015-01-30', '2015-02-27', '2020-02-29'],
  ...['2022-11-24', '2024-12-20', '2024-12-24', '2025-12-31', '2026-06-01', '2026-06-30', '2026-07-01'],
];
const words: Readonly<Record<string, readonly string[]>> = {
  q: ['', 'GDP', 'core inflation', 'zzz', 'employment'],
  ticker: ['MAIA', 'maia', 'TSLA', 'ZZZZ'],
  owner_name: ['vitoc', 'Gryaznov', 'a'],
  transaction_code: ['P', 'p', 'S'],
};

/** Texts that the schema of a parameter allows; undefined if there are none to draw. */
function allowed(name: string, schema: Json): fc.Arbitrary<string> | undefined {
  const { type, format, minimum = 0, maximum = Number(minimum) + 1000, items, minItems = 1 } = schema;
  if (name === 'cursor') return undefined;
  if (name === 'format') return fc.constant('json');
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum.map(String));
  if ('const' in schema) return fc.constant(String(schema.const));
  if (type === 'array') {
    const one = name === 'ids' ? fc.constantFrom(...ids, 'DGS10') : allowed('', items as Json);
    const constraints = { minLength: Number(minItems), maxLength: Number(schema.maxItems ?? 3) };
    return one && fc.uniqueArray(one, constraints).map((parts) => parts.join(','));
  }
  if (Array.isArray(schema.anyOf))
    return fc.oneof(...schema.anyOf.flatMap((one) => allowed(name, { ...one }) ?? []));
  if (type === 'boolean') return fc.constantFrom('true', 'false');
  if (type === 'integer') {
    const [min, max] = [Number(minimum), Number(maximum)];
    const numbers = [
      fc.integer({ min, max: Math.min(max, min + 5) }),
      fc.integer({ min, max }),
      fc.constant(max),
    ];
    return fc.oneof(...numbers).map(String);
  }
  if (format === 'date') return fc.constantFrom(...days);
  if (format === 'date-time')
    return fc.constantFrom('2015-01-30T13:29:00Z', '2009-01-30T08:29:00-05:00', '2014-07-30T21:30:00+09:00');
  if (name === 'id') return fc.constantFrom(...ids, ...ids, 'DGS10', 'NOPE');
  return fc.constantFrom(...(words[name] ?? ['GDP']));
}

/** Texts that the schema of a parameter forbids; undefined if it allows every text. */
function forbidden(name: string, schema: Json): fc.Arbitrary<string> | undefined {
  const { type, format, minimum, maximum, pattern } = schema;
  if (name === 'cursor') return fc.constantFrom('', 'x', '%00', 'e30');
  if (Array.isArray(schema.enum) || Array.isArray(schema.anyOf) || type === 'boolean')
    return fc.constantFrom('', 'nope', '٣', '2015-13-01', '"');
  if (type === 'array')
    return fc.constantFrom('', ',', ' ,', ...(name === 'days' ? ['2015-01-30', 'x,y'] : []));
  if (type === 'integer') {
    const beyond = [Number(minimum) - 1, ...(maximum === undefined ? [] : [Number(maximum) + 1])];
    return fc.constantFrom(...beyond.map(String), '', '1.5', '1e2', 'x', '99999999999999999999');
  }
  if (format === 'date')
    return fc.constantFrom('', '2015-02-30', '2015-1-30', '01/30/2015', '2015-01-30T00:00:00Z', '1599-12-31');
  if (format === 'date-time')
    return fc.constantFrom('', '2015-01-30', '2015-01-30T08:29', 'x', '2015-02-30T08:29:00Z');
  return pattern === undefined ? undefined : fc.constantFrom('', ' ', '\t');
}

function requestsOf(path: string): fc.Arbitrary<Asked> {
  const parameters = api.parametersOf(path);
  const who = fc.constantFrom<Who>('pro', 'pro', 'pro', 'pro', 'free', 'stranger');
  const texts = Object.fromEntries(
    parameters.flatMap(({ name, schema }): [string, fc.Arbitrary<string>][] => {
      const drawn = allowed(name, schema);
      return drawn === undefined ? [] : [[name, drawn]];
    }),
  );
  const [must, may] = [true, false].map((required) =>
    Object.keys(texts).filter((name) => isRequired(parameters, name) === required),
  );
  // Few parameters together are rarely refused for contradicting each other.
  const names = fc.oneof(
    fc.subarray(may ?? [], { maxLength: Math.min(3, may?.length ?? 0) }),
    fc.subarray(may ?? []),
  );
  const plain = fc.tuple(who, names, fc.record(texts)).map(([who, chosen, values]): Asked => {
    const given = [...(must ?? []), ...chosen];
    return { who, path, texts: given.map((name) => [name, values[name] ?? '']) };
  });
  const inQuery = parameters.filter((one) => one.in === 'query');
  if (inQuery.length === 0) return plain;
  const fault = fc.constantFrom(...inQuery).chain((parameter): fc.Arbitrary<[string, string[]]> => {
    const { name, schema, required } = parameter;
    const bad = forbidden(name, schema);
    const twice = allowed(name, schema)?.map((text): [string, string[]] => [name, [text, text]]);
    return fc.oneof(
      fc.constantFrom('asof', `${name}x`, `${name}[]`).map((wrong): [string, string[]] => [wrong, ['1']]),
      ...(bad === undefined ? [] : [bad.map((text): [string, string[]] => [name, [text]])]),
      ...(twice === undefined ? [] : [twice]),
      ...(required ? [fc.constant<[string, string[]]>([name, []])] : []),
    );
  });
  const broken = fc.tuple(plain, fault).map(([asked, [name, given]]): Asked => {
    // Only what is required stands beside the fault, so that nothing else can be refused.
    const others = asked.texts.filter(([own]) => own !== name && isRequired(parameters, own));
    return { ...asked, texts: [...others, ...given.map((text) => [name, text] as const)], broken: name };
  });
  return fc.oneof(plain, broken);
}

function isRequired(parameters: readonly DescribedParameter[], name: string): boolean {
  return parameters.some((one) => one.name === name && one.required);
}

function targetOf(path: string, texts: Asked['texts']): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(texts.find(([own]) => own === name)?.[1] ?? ''),
  );
  const query = texts.filter(([name]) => !path.includes(`{${name}}`));
  return query.length === 0
    ? filled
    : `${filled}?${new URLSearchParams(query.map(([name, text]): [string, string] => [name, text]))}`;
}

async function check(asked: Asked): Promise<void> {
  const { who, path, texts, broken } = asked;
  const target = targetOf(path, texts);
  const response = await get(who, target);
  const type = response.headers.get('content-type') ?? '';
  const received = await response.text();
  const body = type.includes('json') ? (JSON.parse(received) as Body) : undefined;
  expect(api.faults(path, response, body ?? received), target).toEqual([]);
  const { status } = response;
  const isOpen = !path.startsWith('/v1/') || path === '/v1/openapi.json';
  if (isOpen || body === undefined) {
    expect([200, 404], target).toContain(status);
    return;
  }
  expect(response.headers.get('x-request-id'), target).toBe(body.request_id);
  if (who !== 'stranger')
    for (const name of ['limit', 'remaining', 'reset'])
      expect(response.headers.get(`ratelimit-${name}`), target).toMatch(/^\d+$/);
  if (who === 'stranger') return expect(status, target).toBe(401);
  if (broken !== undefined) return expect([status, body.field], target).toEqual([400, broken]);
  expect([200, 400, 403, 404], target).toContain(status);
  if (status === 400) checkField(asked, body);
  // What a store follows is told to its owner alone.
  if (status === 403 && path !== '/v1/calendar/due') expect(who, target).toBe('free');
  if (status === 404) expect(body.detail, target).toMatch(/^series '.+' not found$/);
  if (status === 200) await checkPage(asked, response, body);
}

/** A refusal names a parameter that was given, or one that is missing beside it. */
function checkField({ path, texts }: Asked, { field = '', detail }: Body): void {
  if (texts.some(([name]) => name === field)) return;
  const described = api.parametersOf(path).map(({ name }) => name);
  expect(described, targetOf(path, texts)).toContain(field);
  expect(detail, targetOf(path, texts)).toContain(`'${field}'`);
}

/** What `limit` counts where it does not count rows. */
const counted: Readonly<Record<string, readonly string[]>> = {
  '/v1/series/{id}/revisions': ['date'],
  '/v1/insider/clusters/explanations': ['issuer_cik', 'date_first'],
};
const notPaged = ['/v1/observations', '/v1/panel', '/v1/diff'];

/** The envelope of a page, and the pages that follow it. */
async function checkPage({ who, path, texts }: Asked, response: Response, body: Page): Promise<void> {
  const target = targetOf(path, texts);
  const asked = Object.fromEntries(texts);
  const { results, results_count, has_more, next_cursor } = body;
  const continues = has_more && !notPaged.includes(path);
  expect([results_count, next_cursor !== undefined], target).toEqual([results.length, continues]);
  if (asked.known_at === undefined)
    expect(body.as_of, target).toBe(path === '/v1/series' ? undefined : body.as_of && asked.as_of);
  else if (body.as_of !== undefined) {
    // The day of the instant in the zone of the publisher, or the day before.
    const since = (Date.parse(asked.known_at) - Date.parse(body.as_of)) / 86_400_000;
    expect(since, target).toBeGreaterThan(0);
    expect(since, target).toBeLessThan(2.5);
  }
  if (path === '/v1/panel' && asked.wide !== 'true')
    for (const row of results)
      expect(api.faultsAt(['components', 'schemas', 'PanelRow'], row), target).toEqual([]);
  if (!notPaged.includes(path)) {
    const limit = Number(asked.limit ?? 100);
    const unit = counted[path];
    const units = new Set(
      results.map((row) => JSON.stringify(unit === undefined ? row : unit.map((name) => row[name]))),
    );
    expect(unit === undefined ? results.length : units.size, target).toBeLessThanOrEqual(limit);
    if (units.size > 1) expect(results.length, target).toBeLessThanOrEqual(1000);
  }
  const etag = response.headers.get('etag');
  // A ping counts the requests.
  if (etag !== null && path !== '/v1/ping') {
    const again = await get(who, target, { 'if-none-match': etag });
    expect([again.status, await again.text(), api.faults(path, again, '')], target).toEqual([304, '', []]);
  }
  if (next_cursor === undefined || texts.some(([name]) => name === 'cursor')) return;
  const next = [...texts, ['cursor', next_cursor]] as const;
  const following = await get(who, targetOf(path, next));
  const page = (await following.json()) as Page;
  expect(api.faults(path, following, page), targetOf(path, next)).toEqual([]);
  expect(page.results?.length, targetOf(path, next)).toBeGreaterThan(0);
  const before = new Set(results.map((row) => JSON.stringify(row)));
  expect(
    page.results.filter((row) => before.has(JSON.stringify(row))),
    targetOf(path, next),
  ).toEqual([]);
  await checkPage({ who, path, texts: next }, following, page);
}

/** A problem, or a page. */
type Body = Page & { readonly request_id: string; readonly field?: string; readonly detail?: string };

type Page = {
  readonly as_of?: string;
  readonly results: readonly Json[];
  readonly results_count: number;
  readonly has_more: boolean;
  readonly next_cursor?: string;
};

describe('requests that the description of the service allows or forbids', () => {
  it(
    'are each answered as it says: by a page with nothing else in it, or by a refusal that names the parameter',
    async () => {
      const requests = fc.constantFrom(...api.paths).chain(requestsOf);
      await fuzz('description', requests, check);
    },
    fuzzTimeout,
  );
});
