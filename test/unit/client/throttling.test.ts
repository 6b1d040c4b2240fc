import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { throttled } from '../../../src/client/throttling.ts';
import { Problem, type ProblemKind } from '../../../src/errors/problem.ts';
import { ping } from '../../../src/operations/ping.ts';

/** A client whose third request fails, and the counts of its requests: all, and the most at a time. */
function failing(kind: ProblemKind) {
  let [asked, underWay, atOnce] = [0, 0, 0];
  const client: Client = {
    async ask() {
      asked += 1;
      const third = asked === 3;
      underWay += 1;
      atOnce = Math.max(atOnce, underWay);
      await new Promise((resolve) => setTimeout(resolve, 1));
      underWay -= 1;
      if (third) throw new Problem(kind, 'no');
      const request_id = `req_${asked}`;
      return { object: 'ping', request_id, status: 'ok', results: [], results_count: 0, has_more: false };
    },
    watch: async () => ({ changed: async () => false, requests: () => 1 }),
    origin: async () => ({ mode: 'embedded', where: '', sample: false }),
    close: async () => undefined,
  };
  return { client, counts: () => ({ asked, atOnce }) };
}

async function twenty(kind: ProblemKind) {
  const { client, counts } = failing(kind);
  const answered: string[] = [];
  const calm = throttled(client, new AbortController().signal, (id) => answered.push(id));
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => calm.ask(ping, [])));
  const failed = outcomes.filter(({ status }) => status === 'rejected').length;
  return { ...counts(), failed, answered: answered.length, requests: calm.requests() };
}

describe('a throttled client', () => {
  it.each<ProblemKind>(['rate-limit-exceeded', 'unauthorized', 'plan-upgrade-required', 'unreachable'])(
    'makes no further request after %s',
    async (kind) => {
      const { asked, failed, answered, requests } = await twenty(kind);
      expect(asked).toBeLessThanOrEqual(7);
      expect({ failed, answered, requests }).toEqual({
        failed: 21 - asked,
        answered: asked - 1,
        requests: asked,
      });
    },
  );

  it.each<ProblemKind>(['not-found', 'validation-error', 'bad-answer'])(
    'goes on, four requests at a time, after %s',
    async (kind) => {
      expect(await twenty(kind)).toEqual({ asked: 20, atOnce: 4, failed: 1, answered: 19, requests: 20 });
    },
  );

  it('notices a signal between answers that come at once, and makes no further request', async () => {
    const stop = new AbortController();
    let asked = 0;
    const client: Client = {
      ...failing('not-found').client,
      async ask() {
        asked += 1;
        if (asked === 1) setImmediate(() => stop.abort('SIGINT'));
        return {
          object: 'ping',
          request_id: '',
          status: 'ok',
          results: [],
          results_count: 0,
          has_more: false,
        };
      },
    };
    const calm = throttled(client, stop.signal, () => undefined);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => calm.ask(ping, [])));
    expect(asked).toBeLessThan(10);
    const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(reasons).toEqual(Array.from({ length: 100 - asked }, () => 'SIGINT'));
  });

  it('makes the first request alone while the data is watched, and counts the request that checks for a change', async () => {
    const { client, counts } = failing('not-found');
    const alone: number[] = [];
    const calm = throttled(client, new AbortController().signal, () => alone.push(counts().asked));
    const watch = await calm.watch();
    await Promise.all([1, 2].map(() => calm.ask(ping, [])));
    expect([alone[0], counts().asked, calm.requests()]).toEqual([1, 2, 2]);
    expect([await watch.changed(), calm.requests()]).toEqual([false, 3]);
  });
});
