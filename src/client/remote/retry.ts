import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../errors/problem.ts';
import { integer, seconds } from '../../operations/value.ts';
import type { HttpReply } from './exchange.ts';

const day = 86_400;

/** In seconds for one request. */
export const longestWait = 7 * day;

/** The limits of a user's options: seconds for a try, retries, and seconds of waiting for one request. */
export const requestLimits = {
  timeout: seconds('some', day),
  retries: integer(0, 100),
  maxWait: seconds('any', longestWait),
} as const;

/** Waits some milliseconds; throws `interrupted` on the signal. */
export async function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal && { signal }).catch(() => {
    throw new Problem('interrupted', 'interrupted');
  });
}

/** Reads the seconds of a `Retry-After`, a number or a date; undefined if it is absent or invalid. */
export function retryAfterOf({ headers }: Pick<HttpReply, 'headers'>, now: Date): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = /^\w{3},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}
