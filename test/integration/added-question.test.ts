import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { embeddedClient } from '../../src/client/open.ts';
import { type Demands, open } from '../../src/index.ts';
import { asofOf } from '../../src/library/asof.ts';
import { methodNaming } from '../../src/library/call.ts';
import { type QuestionMethod, type QuestionRow, signatureOf } from '../../src/library/methods.ts';
import { Session } from '../../src/library/session.ts';
import { planLineParser } from '../../src/lines/parse.ts';
import { assistantTools } from '../../src/mcp/server.ts';
import type { ParamsOf } from '../../src/operations/param.ts';
import { boundLine } from '../../src/snapshot/line.ts';
import { openStore } from '../../src/store/open.ts';
import { asof, linesOf } from '../support/command.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import type { gaps, gapsAtMost } from '../support/gap-question.ts';
import { type Running, startService } from '../support/modes.ts';

// The lines that the questions would have in the table.
vi.mock('../../src/questions/table.ts', async (original) => {
  const [table, added] = await Promise.all([
    original<typeof import('../../src/questions/table.ts')>(),
    import('../support/gap-question.ts'),
  ]);
  return { ...table, questions: { ...table.questions, valueGaps: added.gaps, gapsAtMost: added.gapsAtMost } };
});

const clock = () => now;
let path: string;
let service: Running;

beforeAll(async () => {
  path = await contractStore(scratchFolder());
  service = await startService({ openStore: () => openStore(path), clock });
});
afterAll(() => service.stop());

/** The store has nine months of GDP and one of GDPC1; the last month of GDP is of the second vintage. */
const newest = { date: '2020-10-01', series: 1, missing: 1 };

it('a question that is declared has a command with arguments and flags', async () => {
  const line = ['gaps', 'GDP', 'GDPC1', '--store', path, '--to', '2020-02'];
  expect(linesOf((await asof(line)).out)).toEqual([
    'date,series,missing',
    '2020-02-01,1,1',
    '2020-01-01,2,0',
  ]);
  expect(linesOf((await asof([...line, '--only-gaps'])).out)).toEqual([
    'date,series,missing',
    '2020-02-01,1,1',
  ]);
  expect(linesOf((await asof([...line, '--as-of', '2020-03-01'])).out)).toEqual([
    'date,series,missing',
    '2020-01-01,1,1',
  ]);
});

it('a question that is declared refuses values and contradictions by the names of its flags', async () => {
  const refused = async (...line: readonly string[]) => {
    const { code, err } = await asof(['gaps', ...line, '--store', path]);
    return [code, err];
  };
  expect(await refused('GDP', '--least', '0')).toEqual([
    2,
    'asof: --least "0": use an integer from 1 to 9\n',
  ]);
  expect(await refused('GDP', '--only-gaps')).toEqual([2, 'asof: --only-gaps needs two series\n']);
  expect(await refused('GDP', '--from', '2021', '--to', '2020')).toEqual([
    2,
    'asof: --from 2021-01-01 is after --to 2020-12-31\n',
  ]);
});

it('a question that is declared is in the help texts and completes', async () => {
  expect((await asof(['help'])).out).toMatch(/^ {2}gaps.* {2}Count the series that have a value$/m);
  const { out } = await asof(['help', 'gaps']);
  expect(out).toContain('asof gaps GDP UNRATE --only-gaps');
  expect(out).toMatch(/--only-gaps +leaves out dates for which no value is missing/);
  expect(out).toMatch(/--least <n> +series that a date has at least \(default 1\)/);
  const offered = await asof(['completion', 'fish', '--', 'gaps', '--on']);
  expect(linesOf(offered.out).map((text) => text.split('\t')[0])).toEqual(['words', '--only-gaps']);
});

it('a question that is declared has a method with types', async () => {
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
  const store = await open(path, { clock });
  const method: Method = Reflect.get(store, 'valueGaps');
  expect((await method(['GDP', 'GDPC1'], { onlyGaps: true })).rows[0]).toEqual(newest);
  expect((await method('GDP', { asOf: '2020-12-31' })).asOf).toBe('2020-12-31');
  await expect(method('GDP', { onlyGaps: true })).rejects.toThrow("'onlyGaps' needs two series");
  await expect(Reflect.apply(method, store, ['GDP', { onlygaps: true }])).rejects.toThrow(
    "unknown parameter 'onlygaps'",
  );
  await store.close();
});

it('a question that is declared has an OpenAPI entry, and checks its requests', async () => {
  const headers = { 'X-API-Key': service.key };
  const { paths, components } = (await (await fetch(`${service.url}/v1/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, unknown>>;
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
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
  const refusal = async (query: string) => {
    const response = await fetch(`${service.url}/v1/gaps?${query}`, { headers });
    const { field, detail } = (await response.json()) as { readonly field: string; readonly detail: string };
    return [response.status, field, detail];
  };
  expect(await refusal('ids=GDP&least=0')).toEqual([
    400,
    'least',
    `invalid 'least' "0": use an integer from 1 to 9`,
  ]);
  expect(await refusal('ids=GDP&only_gaps=true')).toEqual([400, 'only_gaps', "'only_gaps' needs two series"]);
  expect(await refusal('least=1')).toEqual([400, 'ids', "parameter 'ids' is missing"]);
});

it('a question that is declared is asked of a service', async () => {
  const { out } = await asof(['gaps', 'GDP', 'GDPC1', '--only-gaps', '--base-url', service.url, '--json'], {
    env: { ASOF_API_KEY: service.key },
  });
  const { object, results } = JSON.parse(out);
  expect([object, results[0]]).toEqual(['gaps', { ...newest, date: '2020-10-01T00:00:00Z' }]);
});

it('a question that is declared is a tool', async () => {
  const tool = assistantTools().find(({ name }) => name === 'value_gaps');
  expect(tool).toMatchObject({
    description: 'How many of several series have a value for each date, newest first.',
    inputSchema: { required: ['ids'], properties: { onlyGaps: { type: 'boolean' }, least: { default: 1 } } },
  });
  const store = await open(path, { clock });
  expect((await tool?.call(store, { ids: ['GDP', 'GDPC1'], least: 2 }))?.rows).toEqual([
    { date: '2020-01-01', series: 2, missing: 0 },
  ]);
  await store.close();
});

it('a question that is declared is a line of a plan, bound to its day', () => {
  const line = (words: string) =>
    boundLine({ name: 'gaps.csv', words: words.split(' '), number: 1 }, '2020-12-15', planLineParser(now));
  expect(line('gaps GDP GDPC1').words).toEqual(['gaps', 'GDP', 'GDPC1', '--as-of', '2020-12-15']);
  expect(line('gaps GDP --as-of 2020-12-01')).toMatchObject({ asOf: '2020-12-01', words: { length: 4 } });
  expect(() => line('gaps GDP --as-of 2021-01-01')).toThrow(
    '--as-of 2021-01-01 is later than 2020-12-15, the as-of date of the snapshot',
  );
});

it('the method of a bounded asof is bound to its day', async () => {
  const opened = await openStore(path);
  const { signal } = new AbortController();
  const store = asofOf({
    client: embeddedClient(opened, clock),
    clock,
    signal,
    session: new Session(signal, clock),
    naming: methodNaming,
    asOf: '2020-12-15',
  });
  const method: QuestionMethod<typeof gaps> = Reflect.get(store, 'valueGaps');
  expect((await method(['GDP', 'GDPC1'])).rows[0]).toEqual({ date: '2020-09-01', series: 1, missing: 1 });
  await expect(method('GDP', { asOf: '2021-01-01' })).rejects.toThrow('later than 2020-12-15');
  await store.close();
});

describe('a parameter that is added to a question', () => {
  const schema = { type: 'integer', minimum: 1, maximum: 9, description: 'Series that a date has at most.' };

  it('has a flag', async () => {
    const { out } = await asof(['help', 'gaps-at-most']);
    expect(out).toMatch(/--most <n> +series that a date has at most/);
    expect(await asof(['gaps-at-most', 'GDP', '--most', '0'])).toMatchObject({
      code: 2,
      err: 'asof: --most "0": use an integer from 1 to 9\n',
    });
  });

  it('has a place in the method', async () => {
    expectTypeOf<ParamsOf<typeof gapsAtMost>['most']>().toEqualTypeOf<number | undefined>();
    const { gapsAtMost: declared } = await import('../support/gap-question.ts');
    expect(signatureOf(declared).params?.kinds.most?.schema).toEqual(schema);
    const store = await open(path, { clock });
    const method: QuestionMethod<typeof gapsAtMost> = Reflect.get(store, 'gapsAtMost');
    await expect(method('GDP', { most: 10 })).rejects.toThrow("'most' 10: use an integer from 1 to 9");
    await store.close();
  });

  it('is read from requests and described in OpenAPI', async () => {
    const { paths } = (await (await fetch(`${service.url}/v1/openapi.json`)).json()) as {
      readonly paths: Readonly<
        Record<string, { readonly get: { readonly parameters: readonly { readonly name: string }[] } }>
      >;
    };
    const described = paths['/v1/gaps-at-most']?.get.parameters.find(({ name }) => name === 'most');
    const { description, ...bounds } = schema;
    expect(described).toMatchObject({ in: 'query', required: false, description, schema: bounds });
    const headers = { 'X-API-Key': service.key };
    const refused = await fetch(`${service.url}/v1/gaps-at-most?ids=GDP&most=0`, { headers });
    expect([refused.status, await refused.json()]).toMatchObject([400, { field: 'most' }]);
  });

  it('is a property of the tool', () => {
    const tool = assistantTools().find(({ name }) => name === 'gaps_at_most');
    expect(tool?.inputSchema).toMatchObject({ properties: { most: schema } });
  });
});
