import pLimit from 'p-limit';
import { Problem, type ProblemKind } from '../errors/problem.ts';
import { pause } from '../platform/promises.ts';
import type { Client } from './client.ts';

/** A client that limits and counts its requests. */
export type ThrottledClient = Client & { readonly requests: () => number };

const maxConcurrency = 4;

const finalKinds: ReadonlySet<ProblemKind> = new Set([
  'unauthorized',
  'plan-upgrade-required',
  'rate-limit-exceeded',
  'unreachable',
  'service-unavailable',
  'interrupted',
  'local-io',
]);

/** Tells whether every other query would fail in the same way. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof Problem) || finalKinds.has(error.kind);
}

/**
 * Limits a client to four requests at a time; `onAnswer` gets the request id of each answer.
 * After a final failure or the signal, waiting and further requests fail with the same error.
 */
export function throttled(
  client: Client,
  signal: AbortSignal,
  onAnswer: (requestId: string) => void,
): ThrottledClient {
  const limit = pLimit(maxConcurrency);
  let requests = 0;
  let stopped: { readonly error: unknown } | undefined;

  return {
    ...client,
    requests: () => requests,

    async watch() {
      // The first answer is the baseline; a simultaneous answer could be from an earlier state of the data.
      limit.concurrency = 1;
      const watch = await client.watch();
      return {
        requests: watch.requests,
        changed() {
          requests += watch.requests();
          return watch.changed();
        },
      };
    },

    ask: (operation, texts, options) =>
      limit(async () => {
        if (stopped !== undefined) throw stopped.error;
        try {
          await pause(signal);
          requests += 1;
          const envelope = await client.ask(operation, texts, options);
          limit.concurrency = maxConcurrency;
          onAnswer(envelope.request_id);
          return envelope;
        } catch (error) {
          // The failure of a request for a remark says nothing about others.
          if (isFinal(error) && options?.once !== true) stopped ??= { error };
          throw error;
        }
      }),
  };
}
