import { setImmediate as turn } from 'node:timers/promises';
import { Problem, type ProblemKind } from '../errors/problem.ts';
import type { Client } from './client.ts';

/** A client that counts what it is asked. */
export type ThrottledClient = Client & { readonly requests: () => number };

/** So many requests are under way at a time. */
const mostAtOnce = 4;

/** After one of these every further request would meet the same. */
const final: ReadonlySet<ProblemKind> = new Set([
  'unauthorized',
  'plan-upgrade-required',
  'rate-limit-exceeded',
  'unreachable',
  'service-unavailable',
  'interrupted',
  'local-io',
]);

/** Whether a failure is not of one question, but of everything that could be asked now. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof Problem) || final.has(error.kind);
}

/**
 * The same client with a few requests at a time, whatever it is asked at once; `answered` hears the id of each.
 * After a failure that is final, and after the signal, it asks nothing more: those who wait meet the same failure.
 */
export function throttled(
  client: Client,
  signal: AbortSignal,
  answered: (requestId: string) => void,
): ThrottledClient {
  let [asked, underWay] = [0, 0];
  let stopped: { readonly error: unknown } | undefined;
  const waiting: (() => void)[] = [];

  let most = mostAtOnce;
  const place = async (): Promise<void> => {
    if (underWay >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
  };
  /** Gives those who wait the places that are free, so that nobody comes between. */
  const admit = (): void => {
    for (; underWay < most && waiting.length > 0; underWay += 1) waiting.shift()?.();
  };

  return {
    ...client,
    requests: () => asked,
    async watch() {
      // An answer beside the first could be of an older state than the first, and nobody would see it.
      most = 1;
      const { changed, requests } = await client.watch();
      return {
        requests,
        changed() {
          asked += requests();
          return changed();
        },
      };
    },
    async ask(operation, given) {
      await place();
      try {
        if (stopped !== undefined) throw stopped.error;
        // Hundreds of questions to a store in this process follow each other at once: only here a signal is heard.
        await turn();
        signal.throwIfAborted();
        asked += 1;
        const envelope = await client.ask(operation, given);
        most = mostAtOnce;
        answered(envelope.request_id);
        return envelope;
      } catch (error) {
        if (isFinal(error)) stopped ??= { error };
        throw error;
      } finally {
        underWay -= 1;
        admit();
      }
    },
  };
}
