import type { Client } from '../../src/client/client.ts';
import { type RemoteOptions, remoteClient } from '../../src/client/remote/client.ts';
import { Problem } from '../../src/errors/problem.ts';

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

/** A value of the wire as asof holds it: a midnight becomes a day. */
export function inside<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('T00:00:00Z"', '"'));
}
