import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../errors/problem.ts';
import { integer, seconds } from '../../operations/value.ts';
import type { HttpReply, Requester, RequestOptions } from './exchange.ts';

const day = 86_400;

/** The most seconds of waiting for one request that a user can allow. */
export const longestWait = 7 * day;

/** What a user can allow: seconds for one try, retries, and seconds of waiting for one request in all. */
export const requestLimits = {
  timeout: seconds('some', day),
  retries: integer(0, 100),
  maxWait: seconds('any', longestWait),
} as const;

type TryOutcome = Awaited<ReturnType<Requester['get']>>;

const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Retries after a transient network error, 429 and 502 to 504. Gives the last reply, or throws the last Problem. */
export async function withRetries(
  attempt: () => Promise<TryOutcome>,
  { retries = 2, maxWait = 60, signal, watch }: RequestOptions,
): Promise<HttpReply> {
  let waited = 0;
  for (let failed = 1; ; failed += 1) {
    const outcome = await attempt();
    const wait = waitAfter(outcome, failed);
    if (wait === undefined || failed > retries || waited + wait.seconds > maxWait) return replyOf(outcome);
    watch?.({ wait });
    waited += wait.seconds;
    await waitFor(wait.seconds * 1000, signal);
  }
}

/** Waits some milliseconds; throws `interrupted` on the signal. */
export async function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal && { signal }).catch(() => {
    throw new Problem('interrupted', 'interrupted');
  });
}

function replyOf(outcome: TryOutcome): HttpReply {
  if ('problem' in outcome) throw outcome.problem;
  return outcome;
}

function waitAfter(outcome: TryOutcome, failed: number) {
  const backoff = 2 ** (failed - 1);
  if ('problem' in outcome)
    return outcome.transient ? { seconds: backoff / 4, reason: outcome.problem.detail } : undefined;
  if (!retriedStatuses.has(outcome.status)) return undefined;
  const asked = retryAfterOf(outcome, new Date());
  return { seconds: Math.max(asked ?? 0, backoff / 2), reason: `${outcome.url} answered ${outcome.status}` };
}

/** The seconds to wait according to `Retry-After`, a number or a date; undefined if it is absent or invalid. */
export function retryAfterOf({ headers }: Pick<HttpReply, 'headers'>, now: Date): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = /^\w{3},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}
