import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { openClient } from '../../src/client/open.ts';
import { open } from '../../src/index.ts';
import { planLineParser } from '../../src/lines/parse.ts';
import { assistantTools } from '../../src/mcp/server.ts';
import type { RowOf } from '../../src/operations/operation.ts';
import type { ParamsOf } from '../../src/operations/param.ts';
import { boundLine } from '../../src/snapshot/line.ts';
import { openStore } from '../../src/store/open.ts';
import { asof, linesOf } from '../support/command.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { type Running, startService } from '../support/modes.ts';
import { sources, type sourcesAtMost } from '../support/sources-operation.ts';

// The lines that the operations would have in the table.
vi.mock('../../src/operations/index.ts', async (original) => {
  const [table, added] = await Promise.all([
    original<typeof import('../../src/operations/index.ts')>(),
    import('../support/sources-operation.ts'),
  ]);
  return { ...table, operations: [...table.operations, added.sources, added.sourcesAtMost] };
});

const clock = () => now;
let path: string;
let service: Running;

beforeAll(async () => {
  path = await contractStore(scratchFolder());
  service = await startService({ openStore: () => openStore(path), clock });
});
afterAll(() => service.stop());

/** The curves of the store are series too, and their source is the last by name. */
const curves = { source: 'Federal Reserve H.15', series_count: 6, last_vintage: '2026-01-16' };

it('an operation that is declared has a command with flags, an alias and every output', async () => {
  const line = ['--min-series', '2', '--store', path];
  const { code, out } = await asof(['sources', ...line]);
  expect([code, linesOf(out)]).toEqual([
    0,
    [
      'source,series_count,last_vintage',
      'Federal Reserve H.15,6,2026-01-16',
      'BEA,2,2021-01-01',
      ',4,2020-02-01',
    ],
  ]);
  expect((await asof(['src', ...line, '--limit', '1', '--json'])).out).toContain(
    '"results": [\n    {\n      "source": "Federal Reserve H.15",\n      "series_count": 6,\n      "last_vintage": "2026-01-16T00:00:00Z"\n    }\n  ]',
  );
  expect(await asof(['sources', '--min-series', '0'])).toMatchObject({
    code: 2,
    err: 'asof: --min-series "0": use an integer from 1 to 1000\n',
  });
});

it('an operation that is declared is in the help texts', async () => {
  expect((await asof(['help'])).out).toMatch(/^ {2}sources.* {2}List the sources of series$/m);
  const { out } = await asof(['help', 'sources']);
  expect(out).toContain('List the sources of series');
  expect(out).toMatch(/--min-series <n> +series that a source has at least \(default 1\)/);
});

it('an operation that is declared has a route, and an OpenAPI entry with its schema', async () => {
  const headers = { 'X-API-Key': service.key };
  const response = await fetch(`${service.url}/v1/sources?limit=1`, { headers });
  expect(await response.json()).toMatchObject({
    object: 'source_list',
    results: [{ ...curves, last_vintage: '2026-01-16T00:00:00Z' }],
    has_more: true,
  });
  const { paths, components } = (await (await fetch(`${service.url}/v1/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, unknown>>;
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  expect(paths['/v1/sources']).toMatchObject({
    get: {
      operationId: 'data_sources',
      parameters: [
        { name: 'min_series', in: 'query', schema: { type: 'integer', minimum: 1 } },
        { name: 'to', schema: { type: 'string', format: 'date' } },
        { name: 'limit' },
        { name: 'cursor' },
      ],
    },
  });
  expect(components.schemas.DataSourcesRow).toEqual({
    type: 'object',
    required: ['source', 'series_count', 'last_vintage'],
    properties: {
      source: { type: 'string', description: 'Name of the data source.' },
      series_count: { type: 'integer', description: 'Its series.' },
      last_vintage: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'The last vintage of any of them.',
      },
    },
  });
});

it('an operation that is declared is requested from a service, whose answer is checked', async () => {
  const client = await openClient({ baseUrl: service.url, key: service.key, env: {} });
  const { results } = await client.ask(sources, [['min_series', '2']]);
  expectTypeOf(results).toEqualTypeOf<readonly RowOf<typeof sources>[]>();
  expect(results[0]).toEqual(curves);
  await client.close();
});

it('an operation that is declared has a method of the library, and types', async () => {
  expectTypeOf<RowOf<typeof sources>>().toEqualTypeOf<{
    readonly source: string;
    readonly series_count: number;
    readonly last_vintage: string | null;
  }>();
  expectTypeOf<ParamsOf<typeof sources>['minSeries']>().toEqualTypeOf<number | undefined>();
  const store = await open(path, { clock });
  const method: unknown = Reflect.get(store, 'dataSources');
  expect(await (method as (params: object) => Promise<unknown>)({ minSeries: 2, limit: 1 })).toMatchObject({
    rows: [curves],
    hasMore: true,
  });
  await store.close();
});

it('an operation that is declared completes on the command line', async () => {
  const offered = async (...words: readonly string[]) => {
    const { out } = await asof(['completion', 'fish', '--', ...words]);
    return linesOf(out).map((text) => text.split('\t')[0]);
  };
  // The first line says what kind of choices follow.
  expect(await offered('sou')).toEqual(['words', 'sources', 'sources-at-most']);
  expect(await offered('sources', '--mi')).toEqual(['words', '--min-series']);
});

it('an operation that is declared is a tool', async () => {
  const tool = assistantTools().find(({ name }) => name === 'data_sources');
  expect(tool).toMatchObject({
    description: 'List the sources of series. By name, the last first.',
    inputSchema: { required: [], properties: { minSeries: { type: 'integer', minimum: 1 }, to: {} } },
  });
  const store = await open(path, { clock });
  expect((await tool?.call(store, { minSeries: 2, limit: 1 }))?.rows).toEqual([curves]);
  await store.close();
});

it('an operation that is declared is a line of a plan, bound to its day', () => {
  const line = (words: string) =>
    boundLine({ name: 'a.csv', words: words.split(' '), number: 1 }, '2020-12-15', planLineParser(now));
  expect(line('sources').words).toEqual(['sources', '--to', '2020-12-15']);
  expect(line('sources --to 2020-12-01')).toMatchObject({ words: { length: 3 } });
  expect(() => line('sources --to 2021-01-01')).toThrow(
    '--to 2021-01-01 is later than 2020-12-15, the as-of date of the snapshot',
  );
});

describe('a parameter that is added to an operation', () => {
  it('has a flag', async () => {
    expect((await asof(['help', 'sources-at-most'])).out).toMatch(
      /--max-series <n> +series that a source has at most \(default 1000\)/,
    );
    expect(await asof(['sources-at-most', '--max-series', '0'])).toMatchObject({
      code: 2,
      err: 'asof: --max-series "0": use an integer from 1 to 1000\n',
    });
  });

  it('has a place in the method', async () => {
    expectTypeOf<ParamsOf<typeof sourcesAtMost>['maxSeries']>().toEqualTypeOf<number | undefined>();
    const store = await open(path, { clock });
    const method: unknown = Reflect.get(store, 'sourcesAtMost');
    const asked = (method as (params: object) => Promise<unknown>)({ maxSeries: 0 });
    await expect(asked).rejects.toThrow("'maxSeries' 0: use an integer from 1 to 1000");
    await store.close();
  });

  it('is read from requests and described in OpenAPI', async () => {
    const { paths } = (await (await fetch(`${service.url}/v1/openapi.json`)).json()) as {
      readonly paths: Readonly<
        Record<string, { readonly get: { readonly parameters: readonly { readonly name: string }[] } }>
      >;
    };
    const described = paths['/v1/sources-at-most']?.get.parameters.find(({ name }) => name === 'max_series');
    expect(described).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000 } });
    const headers = { 'X-API-Key': service.key };
    const refused = await fetch(`${service.url}/v1/sources-at-most?max_series=0`, { headers });
    expect([refused.status, await refused.json()]).toMatchObject([400, { field: 'max_series' }]);
  });

  it('is a property of the tool', () => {
    const tool = assistantTools().find(({ name }) => name === 'sources_at_most');
    expect(tool?.inputSchema).toMatchObject({
      properties: { maxSeries: { type: 'integer', maximum: 1000 } },
    });
  });
});
