import type { Client } from '../../src/client/client.ts';
import { type RemoteOptions, remoteClient } from '../../src/client/remote/client.ts';
import { Problem } from '../../src/errors/problem.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { ping } from '../../src/operations/ping.ts';
import { type Double, envelope, pong, reply, serve } from './service-double.ts';

/** A key that must not appear in messages. */
export const key = 'asof_live_sk_0123456789';

/** A client that tries once, uses no proxy, and times out soon. */
export function clientOf(baseUrl: string, more: Partial<RemoteOptions> = {}): Client {
  return remoteClient({ baseUrl, env: {}, retries: 0, timeout: 5, ...more });
}

/** The same with the key. */
export function clientWithKey(baseUrl: string, more: Partial<RemoteOptions> = {}): Client {
  return clientOf(baseUrl, { key, ...more });
}

/** The Problem that a request ends with. */
export async function failure(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    (value) => new Error(`it did not fail: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Problem) return error;
  throw error;
}

/** The Problem that a ping rejects with. */
export async function failedPing(client: Client): Promise<Problem> {
  return failure(client.ask(ping, [])).finally(() => client.close());
}

/** The envelope of a ping. */
export const pinged = envelope('ping', [pong]);

/** A service that answers every request in the same way. */
export function answering(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<Double> {
  return serve((_, response) => reply(response, status, body, headers));
}

/** The series parameter of most requests. */
export const gdp = [['id', 'GDP']] as const;

/** An observation as the contract has it. */
export const row = {
  date: '2014-10-01T00:00:00Z',
  value: '17710.7',
  as_of_date: '2015-01-30T00:00:00Z',
  series_id: 'GDP',
  unit: 'Bil. of $',
  frequency: 'Q',
  source: 'BEA',
};

/** A row of an operation with its required fields only. */
export function nothingOf({ fields }: Operation): Readonly<Record<string, null>> {
  return Object.fromEntries(
    fields.filter(({ extension }) => extension !== true).map(({ name }) => [name, null]),
  );
}

/** A value of the wire as asof holds it: a midnight becomes a day. */
export function inside<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('T00:00:00Z"', '"'));
}
