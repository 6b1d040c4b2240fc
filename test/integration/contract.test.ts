import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { embeddedClient } from '../../src/client/open.ts';
import { remoteClient } from '../../src/client/remote/client.ts';
import { Problem } from '../../src/errors/problem.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { observations } from '../../src/operations/series/observations.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { answered, contractStore, listings, now, refused } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { everyPage } from '../support/http-service.ts';
import { startService } from '../support/modes.ts';
import { operations } from '../support/operations.ts';
import { facts, importFiles } from '../support/scratch-store.ts';
import { textsOf } from '../support/service-double.ts';

type Case = readonly [operation: Operation, given: ParamTexts, ...unknown[]];

function titleOf([{ name }, given]: Case): string {
  return `${name} ${JSON.stringify(given)}`;
}

/** The cases by their operations. */
function byOperation<T extends Case>(cases: readonly T[]): [string, T[]][] {
  return operations.map(({ name }) => [name, cases.filter(([operation]) => operation.name === name)]);
}

const folder = scratchFolder();
const clock = () => now;

/** How a client is opened that asks a store itself, and one that asks its service. */
const opening = {
  async embedded(open: () => Promise<Store>): Promise<Client> {
    return embeddedClient(await open(), clock);
  },
  async remote(open: () => Promise<Store>): Promise<Client> {
    const { url, key, stop } = await startService({ openStore: open, clock });
    const client = remoteClient({ baseUrl: url, env: {}, retries: 0, clock, key });
    return { ...client, close: () => client.close().then(stop) };
  },
};

let path: string;
let embedded: Client;
let remote: Client;
const open = () => openStore(path);

beforeAll(async () => {
  path = await contractStore(folder);
  [embedded, remote] = await Promise.all([opening.embedded(open), opening.remote(open)]);
});
afterAll(() => Promise.all([embedded.close(), remote.close()]));

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

/** The outcome of a case with an embedded client, which a remote one must have too. */
async function sameOutcome([operation, given]: Case): Promise<unknown> {
  const expected = await outcome(embedded, operation, given);
  expect(await outcome(remote, operation, given), titleOf([operation, given])).toEqual(expected);
  return expected;
}

/** The whole listing in pages of a size, as envelopes. */
async function pages(
  client: Client,
  operation: Operation,
  given: ParamTexts,
  size: number,
): Promise<Envelope[]> {
  const texts = [...given, ['limit', String(size)] as const];
  const found = await everyPage((cursor) => client.ask(operation, [...texts, ...cursor]));
  return found.map((page) => ({ ...page, request_id: '' }));
}

it('the contract cases ask every operation, and give every parameter a valid and an invalid value', () => {
  const named = (cases: readonly Case[]) =>
    new Set(cases.flatMap(([{ name }, given]) => [name, ...given.map(([key]) => `${name} ${key}`)]));
  const given = named([
    ...answered,
    ...listings.map(([operation]) => [operation, textsOf('cursor=')] as const),
  ]);
  const broken = named(refused);
  const all = operations.flatMap(({ name, params }) => [
    name,
    ...Object.keys(params).map((key) => `${name} ${key}`),
  ]);
  expect(all.filter((one) => !given.has(one))).toEqual([]);
  expect(all.filter((one) => !broken.has(one))).toEqual([]);
});

describe('the embedded and the remote client', () => {
  it.each(byOperation(answered))('give the same answers to %s', async (_, cases) => {
    for (const one of cases) {
      const [{ object }, , results_count] = one;
      const expected = { envelope: { object, results_count }, requestId: true };
      expect(await sameOutcome(one), titleOf(one)).toMatchObject(expected);
    }
  });

  it.each(byOperation(refused))('give the same refusals of %s', async (_, cases) => {
    for (const one of cases) {
      const [, , kind, field] = one;
      const document = field === undefined ? {} : { field };
      expect(await sameOutcome(one), titleOf(one)).toMatchObject({ kind, document });
    }
  });

  it.each(
    listings.flatMap((listing) =>
      [1, 2, 3, 1000].map((size) => [`${titleOf(listing)} by ${size}`, ...listing, size] as const),
    ),
  )('give the same pages of %s', async (_, operation, given, size) => {
    const expected = await pages(embedded, operation, given, size);
    expect(await pages(remote, operation, given, size)).toEqual(expected);
    const [whole] = await pages(embedded, operation, given, 1000);
    expect(expected.flatMap(({ results }) => results)).toEqual(whole?.results);
    const counted = operation.limitCounts ?? [];
    const keyOf = (row: Row) => JSON.stringify(counted.map((name) => row[name]));
    const sizes = expected.map(({ results }) =>
      counted.length === 0 ? results.length : new Set(results.map(keyOf)).size,
    );
    expect(sizes.slice(0, -1).every((one) => one === size)).toBe(true);
  });

  it('take the cursor of each other, and refuse one with another query', async () => {
    const { next_cursor = '' } = await embedded.ask(observations, textsOf('id=GDP&limit=4'));
    const next = await sameOutcome([observations, textsOf(`id=GDP&limit=4&cursor=${next_cursor}`)]);
    const results = [6, 5, 4, 3].map((month) => ({ date: `2020-0${month}-01` }));
    expect(next).toMatchObject({ envelope: { results } });
    expect(await sameOutcome([observations, textsOf(`id=GDPC1&cursor=${next_cursor}`)])).toMatchObject({
      kind: 'validation-error',
      document: { field: 'cursor' },
    });
  });
});

describe.each(['embedded', 'remote'] as const)('a client that is %s', (mode) => {
  it('refuses the second page after an import, which is in every later answer', async () => {
    const own = await contractStore(folder);
    const client = await opening[mode](() => openStore(own));
    const given = textsOf('id=GDP&limit=2');
    const { next_cursor = '' } = await client.ask(observations, given);
    await importFiles(own, { 'more.csv': facts('GDP 2020-09-01 2021-02-01 99.5') });
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
    await client.close();
  });
});
