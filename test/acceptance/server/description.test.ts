import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/server/endpoints.ts';
import { shippedPlans } from '../../../src/server/keys/plans.ts';
import { openStore } from '../../../src/store/open.ts';
import { ProgramFolder } from '../../support/console.ts';
import { scratchFolder } from '../../support/folders.ts';
import { type Running, startService, unlimited } from '../../support/modes.ts';
import { builtSample, tools } from '../../support/repository.ts';

type Json = { readonly [key: string]: unknown };

type Answer = { readonly results: readonly Json[] };

/** What the test reads of the description of an operation. */
type Described = {
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: { readonly examples?: readonly unknown[] };
    readonly example?: unknown;
  }[];
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly example: Answer } } };
  };
};

const folder = scratchFolder();
let services: Readonly<Record<'pro' | 'free' | 'owner', Running>>;
let description: Json;

/** A request that is not a GET with a key of the plan pro. */
type Request = {
  readonly plan?: 'free' | 'no key' | 'owner';
  readonly accept?: string;
  readonly method?: string;
};

function ask(path: string, { plan, accept = '*/*', method = 'GET' }: Request = {}): Promise<Response> {
  const { url, key } = services[plan === undefined || plan === 'no key' ? 'pro' : plan];
  return fetch(url + path, {
    method,
    headers: { accept, ...(plan !== 'no key' && { 'x-api-key': key }) },
  });
}

beforeAll(async () => {
  const serving = (name: string) =>
    startService({ openStore: () => openStore(builtSample), plan: shippedPlans.get(name) ?? unlimited });
  services = { pro: await serving('pro'), free: await serving('free'), owner: await serving('owner') };
  description = (await (await ask('/v1/openapi.json')).json()) as Json;
});
afterAll(async () => {
  for (const { stop } of Object.values(services)) await stop();
});

/** Runs a program of the tools, which may not phone home. */
function tool(name: string, ...args: readonly string[]) {
  const path = join(tools, '.bin', name);
  const quiet = {
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  };
  return spawnSync(process.execPath, [path, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...quiet },
    encoding: 'utf8',
  });
}

/** What the recommended rules of Redocly find in a description. */
function redocly(file: string): readonly string[] {
  const { stdout } = tool('redocly', 'lint', file, '--extends', 'recommended', '--format', 'json');
  const { problems }: { problems: { ruleId: string; message: string }[] } = JSON.parse(stdout);
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

function operationAt(path: string): Described {
  const { get } = (description.paths as Record<string, { get: Described }>)[path] ?? {};
  if (get === undefined) throw new Error(`${path} is not described`);
  return get;
}

function described(name: string, content: Json): string {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return name;
}

describe('the description of a service', () => {
  it('gives Redocly nothing to find by its recommended rules, and names a contact', () => {
    expect(redocly(described('whole.json', description))).toEqual([]);
    const { contact, license: _license, ...info } = description.info as Json;
    expect(contact).toHaveProperty('name');
    // A small description is linted soon.
    const found = redocly(described('poor.json', { ...description, info, paths: {} }));
    expect(found).toContainEqual(expect.stringContaining('info-license'));
  });

  it('has a tag and a description for every endpoint', () => {
    const tags = (description.tags as Json[]).map(({ name }) => name);
    expect(tags).toEqual(['Series', 'Calendar', 'Treasury rates', 'Insiders', 'Service']);
    const paths = Object.values(description.paths as Record<string, { get: Json }>);
    for (const { get } of paths) {
      expect(get.description).toMatch(/\.$/);
      expect(tags).toEqual(expect.arrayContaining(get.tags as string[]));
    }
  });

  it('has an example of every answer with a content', () => {
    const { responses: shared } = description.components as { readonly responses: Json };
    const paths = Object.entries(description.paths as Record<string, { readonly get: Described }>);
    const answers = [
      ...Object.entries(shared),
      ...paths.flatMap(([path, { get }]) =>
        Object.entries(get.responses).map(([status, answer]) => [`${path} ${status}`, answer] as const),
      ),
    ];
    const contents = answers.flatMap(([name, answer]) =>
      Object.values((answer as { readonly content?: Json }).content ?? {}).map((content) => ({
        name,
        content,
      })),
    );
    expect(contents.length).toBeGreaterThan(20);
    expect(contents.filter(({ content }) => (content as Json).example === undefined)).toEqual([]);
  });

  it.each([
    ['CurveRow', 'maturity', '1M 1.5M 2M 3M 4M 6M 1Y 2Y 3Y 5Y 7Y 10Y 20Y 30Y'.split(' ')],
    ['CurveRow', 'curve_type', ['PAR', 'TIPS']],
    ['SeriesShowRow', 'frequency', ['D', 'W', 'BW', 'M', 'Q', 'SA', 'A', '']],
    ['InsiderFilingsRow', 'ownership', ['D', 'I', null]],
  ])('lists the values of %s.%s', (schema, property, values) => {
    const { schemas } = description.components as { schemas: Record<string, { properties: Json }> };
    expect(schemas[schema]?.properties[property]).toMatchObject({ enum: values });
  });

  it.each(endpoints.map(({ name, path }) => [name, path]))(
    'shows as the example of %s what the sample answers',
    async (_, path) => {
      const { description: text, parameters, responses } = operationAt(path);
      const given = parameters.flatMap(({ name, in: place, schema }) =>
        (schema.examples ?? []).map((example) => ({ name, place, text: String(example) })),
      );
      const filled = given
        .filter(({ place }) => place === 'path')
        .reduce((whole, { name, text }) => whole.replace(`{${name}}`, text), path);
      const query = new URLSearchParams();
      for (const { name, place, text } of given) if (place === 'query') query.set(name, text);
      const shown = /Example: `GET ([^`]+)`\.$/.exec(text)?.[1] ?? '';
      const [place, asked = ''] = shown.split('?');
      expect([place, [...new URLSearchParams(asked)].sort()]).toEqual([filled, [...query].sort()]);
      // A page that shows the description fills its form with these.
      expect(parameters.flatMap(({ example }) => example ?? [])).toEqual(
        parameters.flatMap(({ schema }) => schema.examples?.flat() ?? []),
      );
      // What a store follows is for its owner.
      const response = await ask(shown, path === '/v1/calendar/due' ? { plan: 'owner' } : {});
      const { results, ...answer } = (await response.json()) as Answer;
      const ofOnePage = { request_id: '', results_count: 0, has_more: false, next_cursor: '' };
      // How many requests a key has made differs from key to key.
      const used = path === '/v1/ping' ? { daily_used: 12, monthly_used: 340 } : {};
      const [first] = results as readonly Json[];
      // The sample follows nothing, so nothing is due.
      const shownRows = first === undefined ? [] : [{ ...first, ...used }];
      expect({ ...answer, ...ofOnePage, results: shownRows }).toEqual({
        ...responses[200].content['application/json'].example,
        ...ofOnePage,
      });
    },
  );
});

describe('the description of a failure', () => {
  type Failure = {
    readonly description: string;
    readonly content: { readonly 'application/problem+json': { readonly example: Json } };
  };

  const failure = (name: string): Failure => {
    const { [name]: found } = (description.components as { readonly responses: Record<string, Failure> })
      .responses;
    if (found === undefined) throw new Error(`${name} is not described`);
    return found;
  };

  const withoutOwn = ({ type, request_id: _, ...others }: Json) => ({
    ...others,
    type: String(type).replace(/^https?:\/\/[^/]+/, ''),
  });

  it.each<[name: string, condition: string, asked?: Request]>([
    ['Problem400', ''],
    ['Problem401', ' without the header X-API-Key', { plan: 'no key' }],
    ['Problem403', ' with a key of the plan free', { plan: 'free' }],
    ['Problem404', ''],
    ['Problem406', ' with `Accept: image/png`', { accept: 'image/png' }],
    ['Problem', ''],
  ])('%s has a request and what it is answered', async (name, condition, asked) => {
    const { description: text, content } = failure(name);
    const [, method = '', path = '', when] = /Example: `(\w+) ([^`]+)`(.*)\.$/.exec(text) ?? [];
    expect(when).toBe(condition);
    const problem = (await (await ask(path, { ...asked, method })).json()) as Json;
    expect(withoutOwn(problem)).toEqual(withoutOwn(content['application/problem+json'].example));
  });

  it('of a quota has the answer to the request after the last', async () => {
    const { description: text, content } = failure('Problem429');
    const [, path = '', count] = /Example: `GET ([^`]+)` for the (\d+)st time in a minute/.exec(text) ?? [];
    expect(count).toBe('31');
    // A new minute may begin in between.
    for (let i = 0; i < 2 * Number(count); i += 1) {
      const answer = await ask(path, { plan: 'free' });
      if (answer.status === 200) continue;
      const problem = (await answer.json()) as Json;
      expect(withoutOwn(problem)).toEqual(withoutOwn(content['application/problem+json'].example));
      return;
    }
    throw new Error('no request was refused');
  });
});

describe("openapi-typescript's client", () => {
  const program = (shown: string) => ({
    source: `
import createClient from 'openapi-fetch';
import type { paths } from './api.mjs';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl,
  headers: { 'X-API-Key': key },
  querySerializer: { array: { style: 'form', explode: false } },
});
const query = { ticker: 'MAIA', from: '2026-06-01', to: '2026-06-30' };
const { data, error } = await client.GET('/v1/insider/clusters', { params: { query } });
if (data === undefined) throw new Error(error.detail);
const { data: gdp } = await client.GET('/v1/series/{id}/observations', {
  params: { path: { id: 'GDP' }, query: { as_of: '2015-01-30', limit: 1 } },
});
for (const { date, value } of gdp?.results ?? []) console.log(date, value);
const csv = await client.GET('/v1/series/{id}/observations', {
  params: { path: { id: 'GDP' }, query: { as_of: '2015-01-30', limit: 1, format: 'csv' } },
  parseAs: 'text',
});
const text: string = csv.data ?? '';
console.log(text.split('\\n')[1]);
const asked = { ids: ['GDP', 'UNRATE'], as_of_each: 'month-end', from: '2015-01-01', to: '2015-01-31', wide: true } as const;
const panel = await client.GET('/v1/panel', { params: { query: { ...asked, ids: [...asked.ids] } } });
for (const row of panel.data?.results ?? []) console.log(row.as_of, 'GDP' in row ? row.GDP : row.value);
for (const { ticker, insiders } of data.results)
  for (const insider of insiders) {
    const line: string = ${shown};
    console.log(ticker, line);
  }
`,
    shown: undefined,
  });

  it('compiles under strict, reads the insiders of a cluster with their types, and gets them from the service', async () => {
    const { status, stderr } = tool(
      'openapi-typescript',
      described('api.json', description),
      '-o',
      'api.d.mts',
    );
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const programs = new ProgramFolder(folder, ['openapi-fetch']);
    const right = program('insider.owner_name');
    // What is misspelt, or may be missing, is found by the compiler.
    expect(programs.errorsOf([right, program('insider.owner'), program('insider.shares')])).toEqual([
      expect.stringContaining("Property 'owner' does not exist"),
      expect.stringContaining("'string | null' is not assignable to type 'string'"),
    ]);
    const { url, key } = services.pro;
    expect(await programs.outputsOf([right], url, key)).toEqual([
      '2014-10-01T00:00:00Z 17710.7\n2014-10-01,17710.7,2015-01-30,GDP,Billions of Dollars,Q,FRED\n2015-01-31T00:00:00Z 17710.7\nMAIA Gryaznov Sergei\nMAIA Smith Stan\nMAIA Vitoc Vlad\n',
    ]);
  });
});
