import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { Problem } from '../../src/errors/problem.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import { operations } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { ping } from '../../src/operations/ping.ts';
import { curve } from '../../src/operations/rates/yields.ts';
import { observations } from '../../src/operations/series/observations.ts';
import { shippedPlans } from '../../src/server/keys/plans.ts';
import { openStore } from '../../src/store/open.ts';
import { changedStore } from '../support/changed-store.ts';
import { answered, contractStore, listings, now, refused } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { type ModeName, modeNames, modes, type Opened, unlimited } from '../support/modes.ts';
import { facts, importFiles } from '../support/scratch-store.ts';

function titleOf([{ name }, given]: readonly [Operation, ParamTexts, ...unknown[]]): string {
  return `${name} ${JSON.stringify(given)}`;
}

/** Cases under their titles. */
function titled<T extends readonly [Operation, ParamTexts, ...unknown[]]>(
  cases: readonly T[],
): [string, ...T][] {
  return cases.map((one) => [titleOf(one), ...one]);
}

const folder = scratchFolder();
const clock = () => now;
const others = modeNames.filter((name) => name !== 'embedded');

const opened = new Map<ModeName, Opened>();
beforeAll(async () => {
  const path = await contractStore(folder);
  for (const name of modeNames)
    opened.set(name, await modes[name]({ openStore: () => openStore(path), clock }));
});
afterAll(async () => {
  for (const { close } of opened.values()) await close();
});

function clientOf(mode: ModeName): Client {
  const found = opened.get(mode);
  if (found === undefined) throw new Error(`${mode} was not opened`);
  return found.client;
}

/** The answer to a query without what differs in every request: an envelope, or a problem document with its hints. */
async function outcome(client: Client, operation: Operation, given: ParamTexts): Promise<unknown> {
  try {
    const { request_id, results, ...rest } = await client.ask(operation, given);
    // Only a service counts requests.
    const envelope = { ...rest, results: results.map(({ daily_used: _, monthly_used: __, ...row }) => row) };
    return { envelope, requestId: /^req_[0-9a-f]{32}$/.test(request_id) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { request_id: _, type, ...document } = error.toDocument('base');
    // The two sides have different base addresses for their error pages; the contract fixes only the rest.
    return { kind: error.kind, hints: error.hints, document, type: type.replace(/^.*\//, '') };
  }
}

/** The whole listing in pages of a size, as envelopes. */
async function pages(
  client: Client,
  operation: Operation,
  given: ParamTexts,
  size: number,
): Promise<Envelope[]> {
  const found: Envelope[] = [];
  let cursor: string | undefined;
  do {
    const { request_id: _, ...page } = await client.ask(operation, [
      ...given,
      ['limit', String(size)],
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    found.push({ ...page, request_id: '' });
    cursor = page.next_cursor;
  } while (cursor !== undefined && found.length < 100);
  return found;
}

describe('the contract cases', () => {
  it('ask every operation, and give every parameter a valid and an invalid value', () => {
    const named = (cases: readonly (readonly [Operation, ParamTexts, ...unknown[]])[]) =>
      new Set(cases.flatMap(([{ name }, given]) => [name, ...given.map(([key]) => `${name} ${key}`)]));
    const given = named([
      ...answered,
      ...listings.map(([operation]) => [operation, [['cursor', '']]] as const),
    ]);
    const broken = named(refused);
    const all = operations.flatMap(({ name, params }) => [
      name,
      ...Object.keys(params).map((key) => `${name} ${key}`),
    ]);
    expect(all.filter((one) => !given.has(one))).toEqual([]);
    expect(all.filter((one) => !broken.has(one))).toEqual([]);
  });
});

describe('the embedded and the remote client give the same answer', () => {
  it.each(titled(answered))('%s', async (_, operation, given, rows) => {
    const expected = await outcome(clientOf('embedded'), operation, given);
    expect(expected).toMatchObject({
      envelope: { object: operation.object, results_count: rows },
      requestId: true,
    });
    for (const mode of others)
      expect(await outcome(clientOf(mode), operation, given), mode).toEqual(expected);
  });
});

describe('the embedded and the remote client give the same refusal', () => {
  it.each(titled(refused))('%s', async (_, operation, given, kind, field) => {
    const expected = await outcome(clientOf('embedded'), operation, given);
    expect(expected).toMatchObject({ kind, document: { ...(field !== undefined && { field }) } });
    for (const mode of others)
      expect(await outcome(clientOf(mode), operation, given), mode).toEqual(expected);
  });
});

describe('the embedded and the remote client give the same pages', () => {
  it.each(
    listings.flatMap((listing) =>
      [1, 2, 3, 1000].map((size) => [`${titleOf(listing)} by ${size}`, ...listing, size] as const),
    ),
  )('%s', async (_, operation, given, size) => {
    const expected = await pages(clientOf('embedded'), operation, given, size);
    for (const mode of others)
      expect(await pages(clientOf(mode), operation, given, size), mode).toEqual(expected);
    const [whole] = await pages(clientOf('embedded'), operation, given, 1000);
    expect(expected.flatMap(({ results }) => results)).toEqual(whole?.results);
    const counted = operation.limitCounts ?? [];
    const keyOf = (row: Row) => JSON.stringify(counted.map((name) => row[name]));
    const sizes = expected.map(({ results }) =>
      counted.length === 0 ? results.length : new Set(results.map(keyOf)).size,
    );
    expect(sizes.slice(0, -1).every((one) => one === size)).toBe(true);
  });

  it.each(modeNames)('and take the cursor of another client: %s', async (mode) => {
    const given = [
      ['id', 'GDP'],
      ['limit', '4'],
    ] as const;
    const { next_cursor = '' } = await clientOf('embedded').ask(observations, given);
    const next = await clientOf(mode).ask(observations, [...given, ['cursor', next_cursor]]);
    expect(next.results.map(({ date }) => String(date).slice(0, 7))).toEqual([
      '2020-06',
      '2020-05',
      '2020-04',
      '2020-03',
    ]);
  });

  it('and refuse a cursor with another query', async () => {
    const first = [
      ['id', 'GDP'],
      ['limit', '4'],
    ] as const;
    const { next_cursor = '' } = await clientOf('embedded').ask(observations, first);
    const given = [
      ['id', 'GDPC1'],
      ['cursor', next_cursor],
    ] as const;
    const expected = await outcome(clientOf('embedded'), observations, given);
    expect(expected).toMatchObject({ kind: 'validation-error', document: { field: 'cursor' } });
    for (const mode of others) expect(await outcome(clientOf(mode), observations, given)).toEqual(expected);
  });
});

describe('an import between two pages', () => {
  it.each(modeNames)(
    'makes the client refuse the second page, and is in every later answer: %s',
    async (mode) => {
      const path = await contractStore(folder);
      const { client, close } = await modes[mode]({ openStore: () => openStore(path), clock });
      try {
        const given = [
          ['id', 'GDP'],
          ['limit', '2'],
        ] as const;
        const { next_cursor = '' } = await client.ask(observations, given);
        await importFiles(path, { 'more.csv': facts('GDP 2020-09-01 2021-02-01 99.5') });
        expect(await outcome(client, observations, [...given, ['cursor', next_cursor]])).toEqual({
          kind: 'data-changed',
          hints: [],
          type: 'validation-error',
          document: {
            title: 'Validation Error',
            status: 400,
            detail: 'the data changed since the first page; start again',
            instance: '/v1/series/GDP/observations',
            field: 'cursor',
          },
        });
        const { results } = await client.ask(observations, given);
        expect(results.map(({ value }) => value)).toEqual(['-7', '99.5']);
      } finally {
        await close();
      }
    },
  );
});

describe('a bug in the service is the same internal error for every client', () => {
  it.each(modeNames)('%s', async (mode) => {
    const path = await contractStore(folder);
    const broken = async () =>
      changedStore(await openStore(path), () => ({
        rates: { curve: () => Promise.reject(new TypeError('a bug')) },
      }));
    const { client, close } = await modes[mode]({ openStore: broken, clock });
    try {
      expect(await outcome(client, curve, [])).toMatchObject({
        kind: 'internal-error',
        document: {
          status: 500,
          detail: 'an internal error occurred',
          instance: '/v1/treasury/yields/curve',
        },
      });
    } finally {
      await close();
    }
  });
});

// The embedded store has no keys: whoever can read the file owns the data.
const free = shippedPlans.get('free');
const tight = { ...unlimited, name: 'tight', dailyLimit: 2 };

describe('a service refuses a request for its key or its plan', () => {
  const asOf = [
    ['id', 'GDP'],
    ['as_of', '2020-12-31'],
  ] as const;
  it.each(
    others.flatMap((mode) =>
      (
        [
          ['no key', undefined, [[ping, []]], 'unauthorized', 'missing X-API-Key header'],
          ['no vintage access', free, [[observations, asOf]], 'plan-upgrade-required', /'free'/],
          [
            'no vintage access',
            free,
            [[observations, [asOf[0], ['release', 'first']]]],
            'plan-upgrade-required',
            /'free'/,
          ],
          [
            'a bad date before the plan',
            free,
            [[observations, [asOf[0], ['as_of', 'x']]]],
            'validation-error',
            /as_of/,
          ],
          [
            'the plan before the series',
            free,
            [[observations, [['id', 'X'], asOf[1]]]],
            'plan-upgrade-required',
            /'free'/,
          ],
          [
            'the third of two requests a day',
            tight,
            [
              [ping, []],
              [observations, [['id', 'X']]],
              [ping, []],
            ],
            'rate-limit-exceeded',
            'daily limit of 2 requests exceeded',
          ],
        ] as const
      ).map((row) => [mode, ...row] as const),
    ),
  )('%s: %s', async (mode, _, plan, questions, kind, detail) => {
    const path = await contractStore(folder);
    const { client, close } = await modes[mode]({ openStore: () => openStore(path), clock, plan });
    try {
      let last: unknown;
      for (const [operation, given] of questions) last = await outcome(client, operation, given);
      expect(last).toMatchObject({
        kind,
        document: { detail: typeof detail === 'string' ? detail : expect.stringMatching(detail) },
      });
    } finally {
      await close();
    }
  });

  it('and says when the daily quota starts again', async () => {
    const path = await contractStore(folder);
    const { client, close } = await modes.remote({ openStore: () => openStore(path), clock, plan: tight });
    try {
      for (let i = 0; i < 2; i += 1) await client.ask(ping, []);
      // At noon there are twelve hours left.
      await expect(client.ask(ping, [])).rejects.toMatchObject({
        kind: 'rate-limit-exceeded',
        retryAfter: 43_200,
      });
    } finally {
      await close();
    }
  });
});
