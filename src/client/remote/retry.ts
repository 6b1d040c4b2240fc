import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../errors/problem.ts';
import type { Reply } from './exchange.ts';
import type { ConnectionFailure } from './failure.ts';

/** How often and how long to try: waiting for one request is never longer than `maxWait` seconds in all. */
export type RetryPolicy = {
  readonly retries: number;
  readonly maxWait: number;
  readonly signal: AbortSignal | undefined;
  /** Told before each wait. */
  readonly waiting: (wait: Wait) => void;
};

/** A pause before the next try, and why. */
export type Wait = { readonly seconds: number; readonly reason: string };

const worthRetrying: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Tries a request again where that is safe and may help: after a network error, 429 and 502 to 504. */
export async function withRetries(
  attempt: () => Promise<Reply | ConnectionFailure>,
  { retries, maxWait, signal, waiting }: RetryPolicy,
): Promise<Reply> {
  let waited = 0;
  for (let failed = 1; ; failed += 1) {
    const outcome = await attempt();
    const wait = pauseAfter(outcome, failed);
    if (wait === undefined || failed > retries || waited + wait.seconds > maxWait) return replyOf(outcome);
    waiting(wait);
    waited += wait.seconds;
    await sleep(wait.seconds * 1000, undefined, signal && { signal }).catch(() => {
      throw new Problem('interrupted', 'interrupted');
    });
  }
}

function replyOf(outcome: Reply | ConnectionFailure): Reply {
  if ('problem' in outcome) throw outcome.problem;
  return outcome;
}

/** The pause that makes sense after the try of that number, or undefined where no other should follow. */
function pauseAfter(outcome: Reply | ConnectionFailure, failed: number): Wait | undefined {
  const growing = 2 ** (failed - 1);
  if ('problem' in outcome)
    return outcome.transient ? { seconds: growing / 4, reason: outcome.problem.detail } : undefined;
  if (!worthRetrying.has(outcome.status)) return undefined;
  const asked = retryAfterOf(outcome, new Date());
  return { seconds: Math.max(asked ?? 0, growing / 2), reason: `${outcome.url} answered ${outcome.status}` };
}

/** The seconds that `Retry-After` asks to wait, as a number or as a date; undefined when it says nothing of sense. */
export function retryAfterOf({ headers }: Pick<Reply, 'headers'>, now: Date): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = /^\w{3},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}
