import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { embeddedClient } from '../../src/client/open.ts';
import { remoteClient } from '../../src/client/remote/client.ts';
import { type Asof, type Demands, open } from '../../src/index.ts';
import { asofOf } from '../../src/library/asof.ts';
import { methodNaming, Session } from '../../src/library/call.ts';
import { type QuestionMethod, type QuestionRow, signatureOf } from '../../src/library/methods.ts';
import { planLineParser } from '../../src/lines/parse.ts';
import { assistantTools } from '../../src/mcp/server.ts';
import type { RowOf } from '../../src/operations/operation.ts';
import type { ParamsOf } from '../../src/operations/param.ts';
import { boundLine } from '../../src/snapshot/plan.ts';
import { openStore } from '../../src/store/open.ts';
import { type gaps, gapsAtMost, sources } from '../support/added-questions.ts';
import { asof, linesOf, transcript } from '../support/command.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import type { Json } from '../support/http-service.ts';
import { type Running, startService } from '../support/modes.ts';

// The lines that the questions would have in their table.
vi.mock('../../src/questions/table.ts', async (original) => {
  const [table, added, { asking }] = await Promise.all([
    original<typeof import('../../src/questions/table.ts')>(),
    import('../support/added-questions.ts'),
    import('../../src/questions/operation-question.ts'),
  ]);
  const { gaps: valueGaps, gapsAtMost, sources } = added;
  return { ...table, questions: { dataSources: asking(sources), ...table.questions, valueGaps, gapsAtMost } };
});

const clock = () => now;
let path: string;
let service: Running;
let store: Asof;

beforeAll(async () => {
  path = await contractStore(scratchFolder());
  service = await startService({ openStore: () => openStore(path), clock });
  store = await open(path, { clock });
});
afterAll(async () => {
  await store.close();
  await service.stop();
});

/** A method of the library that its types do not have. */
function methodNamed<T>(name: string, of: Asof = store): T {
  return Reflect.get(of, name) as T;
}

/** The status and the body of an answer of the service. */
async function ask(target: string): Promise<[status: number, body: Json]> {
  const response = await fetch(service.url + target, { headers: { 'X-API-Key': service.key } });
  return [response.status, (await response.json()) as Json];
}

type Description = {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly Json[] } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};
const described = async () => (await ask('/v1/openapi.json'))[1] as unknown as Description;

async function openSource() {
  const { signal } = new AbortController();
  const client = embeddedClient(await openStore(path), clock);
  return { client, clock, signal, session: new Session(signal, clock), naming: methodNaming };
}

const toolNamed = (name: string) => assistantTools().find((tool) => tool.name === name);

/** A line of a plan, bound to 15 December 2020. */
const bound = (line: string) =>
  boundLine({ name: 'a.csv', words: line.split(' '), number: 1 }, '2020-12-15', planLineParser(now));

async function offered(...words: readonly string[]): Promise<readonly (string | undefined)[]> {
  const { out } = await asof(['completion', 'fish', '--', ...words]);
  return linesOf(out).map((text) => text.split('\t')[0]);
}

/** The curves of the store are series too, and their source is the last by name. */
const curves = { source: 'Federal Reserve H.15', series_count: 6, last_vintage: '2026-01-16' };
/** The store has nine months of GDP and one of GDPC1; the last month of GDP is of the second vintage. */
const newest = { date: '2020-10-01', series: 1, missing: 1 };

describe('an operation that is declared', () => {
  transcript(
    `
    # has a command with flags, an alias and every output
    $ asof sources --min-series 2
    source,series_count,last_vintage
    Federal Reserve H.15,6,2026-01-16
    BEA,2,2021-01-01
    ,4,2020-02-01
    $ asof src --min-series 2 --limit 1 --json
    …
      "results": [
        {
          "source": "Federal Reserve H.15",
          "series_count": 6,
          "last_vintage": "2026-01-16T00:00:00Z"
        }
      ],
    …
    $ asof sources --min-series 0
    ! asof: --min-series "0": use an integer from 1 to 1000
    [exit 2]

    # is in the help texts
    $ asof help
    …
      sources…  List the sources of series
    …
    $ asof help sources
    …
    …List the sources of series
    …
    …--min-series <n> …series that a source has at least (default 1)
    …
    `,
    () => ({ env: { ASOF_STORE: path } }),
  );

  it('has a route, and an OpenAPI entry with its schema', async () => {
    const results = [{ ...curves, last_vintage: '2026-01-16T00:00:00Z' }];
    const whole = { object: 'source_list', results, has_more: true };
    expect(await ask('/v1/sources?limit=1')).toMatchObject([200, whole]);
    const { paths, components } = await described();
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
    const lastVintage = { type: ['string', 'null'], format: 'date-time' };
    expect(components.schemas.DataSourcesRow).toEqual({
      type: 'object',
      required: ['source', 'series_count', 'last_vintage'],
      properties: {
        source: { type: 'string', description: 'Name of the data source.' },
        series_count: { type: 'integer', description: 'Its series.' },
        last_vintage: { ...lastVintage, description: 'The last vintage of any of them.' },
      },
    });
  });

  it('is requested from a service, whose answer is checked', async () => {
    const client = remoteClient({ baseUrl: service.url, key: service.key, env: {} });
    const { results } = await client.ask(sources, [['min_series', '2']]);
    expectTypeOf(results).toEqualTypeOf<readonly RowOf<typeof sources>[]>();
    expect(results[0]).toEqual(curves);
    await client.close();
  });

  it('has a method of the library, and types', async () => {
    expectTypeOf<RowOf<typeof sources>>().toEqualTypeOf<{
      readonly source: string;
      readonly series_count: number;
      readonly last_vintage: string | null;
    }>();
    expectTypeOf<ParamsOf<typeof sources>['minSeries']>().toEqualTypeOf<number | undefined>();
    const method = methodNamed<(params: object) => Promise<unknown>>('dataSources');
    expect(await method({ minSeries: 2, limit: 1 })).toMatchObject({ rows: [curves], hasMore: true });
  });
});

describe('a question that is declared', () => {
  transcript(
    `
    # has a command with arguments and flags
    $ asof gaps GDP GDPC1 --to 2020-02
    date,series,missing
    2020-02-01,1,1
    2020-01-01,2,0
    $ asof gaps GDP GDPC1 --to 2020-02 --only-gaps
    date,series,missing
    2020-02-01,1,1
    $ asof gaps GDP GDPC1 --to 2020-02 --as-of 2020-03-01
    date,series,missing
    2020-01-01,1,1
    …

    # refuses values and contradictions by the names of its flags
    $ asof gaps GDP --least 0
    ! asof: --least "0": use an integer from 1 to 9
    [exit 2]
    $ asof gaps GDP --only-gaps
    ! asof: --only-gaps needs two series
    [exit 2]
    $ asof gaps GDP --from 2021 --to 2020
    ! asof: --from 2021-01-01 is after --to 2020-12-31
    [exit 2]

    # is in the help texts
    $ asof help
    …
      gaps…  Count the series that have a value
    …
    $ asof help gaps
    …
    …--only-gaps …leaves out dates for which no value is missing
    …--least <n> …series that a date has at least (default 1)
    …
    …asof gaps GDP UNRATE --only-gaps
    …
    `,
    () => ({ env: { ASOF_STORE: path } }),
  );

  it('completes on the command line', async () => {
    // The first line says what kind of choices follow.
    expect(await offered('gaps', '--on')).toEqual(['words', '--only-gaps']);
    expect(await offered('sou')).toEqual(['words', 'sources']);
  });

  it('has a method with types', async () => {
    type Method = QuestionMethod<typeof gaps>;
    expectTypeOf<Parameters<Method>>().toEqualTypeOf<
      [ids: string | readonly string[], params?: ParamsOf<typeof gaps> & Demands]
    >();
    expectTypeOf<QuestionRow<typeof gaps>>().toEqualTypeOf<{
      date: string;
      series: number;
      missing: number;
    }>();
    expectTypeOf<ParamsOf<typeof gaps>['onlyGaps']>().toEqualTypeOf<boolean | undefined>();
    // @ts-expect-error A parameter of another question.
    const wrong: Parameters<Method>[1] = { allRows: true };
    expect(wrong).toEqual({ allRows: true });
    const method = methodNamed<Method>('valueGaps');
    expect((await method(['GDP', 'GDPC1'], { onlyGaps: true })).rows[0]).toEqual(newest);
    expect((await method('GDP', { asOf: '2020-12-31' })).asOf).toBe('2020-12-31');
    await expect(method('GDP', { onlyGaps: true })).rejects.toThrow("'onlyGaps' needs two series");
    const misspelt = Reflect.apply(method, store, ['GDP', { onlygaps: true }]);
    await expect(misspelt).rejects.toThrow("unknown parameter 'onlygaps'");
  });

  it('has an OpenAPI entry, and checks its requests', async () => {
    const { paths, components } = await described();
    expect(paths['/v1/gaps']).toMatchObject({
      get: {
        operationId: 'value_gaps',
        parameters: [
          { name: 'ids', required: true, schema: { type: 'array' } },
          { name: 'as_of', required: false, schema: { type: 'string', format: 'date' } },
          { name: 'from' },
          { name: 'to' },
          { name: 'only_gaps', schema: { type: 'boolean' } },
          { name: 'least', schema: { type: 'integer', minimum: 1, maximum: 9 } },
          { name: 'skip_missing' },
          { name: 'exact' },
          { name: 'max_age' },
        ],
      },
    });
    expect(components.schemas.ValueGapsRow).toMatchObject({ required: ['date', 'series', 'missing'] });
    for (const [query, field, detail] of [
      ['ids=GDP&least=0', 'least', `invalid 'least' "0": use an integer from 1 to 9`],
      ['ids=GDP&only_gaps=true', 'only_gaps', "'only_gaps' needs two series"],
      ['least=1', 'ids', "parameter 'ids' is missing"],
    ])
      expect(await ask(`/v1/gaps?${query}`)).toMatchObject([400, { field, detail }]);
  });

  it('is asked of a service', async () => {
    const env = { ASOF_API_KEY: service.key };
    const line = ['gaps', 'GDP', 'GDPC1', '--only-gaps', '--base-url', service.url, '--json'];
    const { object, results } = JSON.parse((await asof(line, { env })).out);
    expect([object, results[0]]).toEqual(['gaps', { ...newest, date: '2020-10-01T00:00:00Z' }]);
  });

  it('is a tool', async () => {
    const tool = toolNamed('value_gaps');
    const properties = { onlyGaps: { type: 'boolean' }, least: { default: 1 } };
    expect(tool).toMatchObject({
      description: 'How many of several series have a value for each date, newest first.',
      inputSchema: { required: ['ids'], properties },
    });
    const source = await openSource();
    const answer = await tool?.call(source, { ids: ['GDP', 'GDPC1'], least: 2 });
    expect(answer?.result.rows).toEqual([{ date: '2020-01-01', series: 2, missing: 0 }]);
    await source.client.close();
  });

  it('is a line of a plan, bound to its day', () => {
    expect(bound('gaps GDP GDPC1').words).toEqual(['gaps', 'GDP', 'GDPC1', '--as-of', '2020-12-15']);
    const earlier = { asOf: '2020-12-01', words: { length: 4 } };
    expect(bound('gaps GDP --as-of 2020-12-01')).toMatchObject(earlier);
    expect(() => bound('gaps GDP --as-of 2021-01-01')).toThrow(
      '--as-of 2021-01-01 is later than 2020-12-15, the as-of date of the snapshot',
    );
  });

  it('has a method of a bounded asof that is bound to its day', async () => {
    const bounded = asofOf({ ...(await openSource()), asOf: '2020-12-15' });
    const method = methodNamed<QuestionMethod<typeof gaps>>('valueGaps', bounded);
    expect((await method(['GDP', 'GDPC1'])).rows[0]).toEqual({ date: '2020-09-01', series: 1, missing: 1 });
    await expect(method('GDP', { asOf: '2021-01-01' })).rejects.toThrow('later than 2020-12-15');
    await bounded.close();
  });
});

describe('a parameter that is added to a question', () => {
  const schema = { type: 'integer', minimum: 1, maximum: 9, description: 'Series that a date has at most.' };

  transcript(
    `
    # has a flag
    $ asof help gaps-at-most
    …
    …--most <n> …series that a date has at most
    …
    $ asof gaps-at-most GDP --most 0
    ! asof: --most "0": use an integer from 1 to 9
    [exit 2]
    `,
    () => ({ env: { ASOF_STORE: path } }),
  );

  it('has a place in the method', async () => {
    expectTypeOf<ParamsOf<typeof gapsAtMost>['most']>().toEqualTypeOf<number | undefined>();
    expect(signatureOf(gapsAtMost).params?.kinds.most?.schema).toEqual(schema);
    const method = methodNamed<QuestionMethod<typeof gapsAtMost>>('gapsAtMost');
    await expect(method('GDP', { most: 10 })).rejects.toThrow("'most' 10: use an integer from 1 to 9");
  });

  it('is read from requests and described in OpenAPI', async () => {
    const { paths } = await described();
    const parameter = paths['/v1/gaps-at-most']?.get.parameters.find(({ name }) => name === 'most');
    const { description, ...bounds } = schema;
    expect(parameter).toMatchObject({ in: 'query', required: false, description, schema: bounds });
    expect(await ask('/v1/gaps-at-most?ids=GDP&most=0')).toMatchObject([400, { field: 'most' }]);
  });

  it('is a property of the tool', () => {
    expect(toolNamed('gaps_at_most')?.inputSchema).toMatchObject({ properties: { most: schema } });
  });
});
