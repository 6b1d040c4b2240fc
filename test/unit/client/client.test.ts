import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Client,
  dataChanged,
  isDataChange,
  readConsistently,
  restartOnChange,
} from '../../../src/client/client.ts';
import { readAhead } from '../../../src/client/open.ts';
import { type Extent, lastRows, pagesOf } from '../../../src/client/pagination.ts';
import { throttled } from '../../../src/client/throttling.ts';
import { Problem, type ProblemKind } from '../../../src/errors/problem.ts';
import type { Envelope, Row } from '../../../src/operations/envelope.ts';
import { insiderClusterExplanations } from '../../../src/operations/insiders/clusters.ts';
import { ping } from '../../../src/operations/ping.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { vintages } from '../../../src/operations/series/vintages.ts';
import { answerWith, madeUpClient, textsOf } from '../../support/service-double.ts';

describe('work on data that changes', () => {
  const another = () => new Problem('bad-answer', 'no');

  it.each<[what: string, changes: number, of: { isCommitted?: boolean; failure?: () => Problem }, number]>([
    ['is restarted up to three times, and its output is discarded each time', 3, { isCommitted: false }, 4],
    ['fails when the data changes a fourth time', 9, {}, 4],
    ['is not restarted once its output cannot be discarded', 1, { isCommitted: true }, 1],
    ['is not restarted after another failure', 1, { failure: another }, 1],
  ])('%s', async (_, changes, { isCommitted, failure = dataChanged }, expected) => {
    let [attempts, restarts] = [0, 0];
    const work = async () => {
      attempts += 1;
      if (attempts <= changes) throw failure();
      return 'done';
    };
    const restart = async () => {
      restarts += 1;
    };
    const output = isCommitted === undefined ? undefined : { committed: () => isCommitted, restart };
    const outcome = await restartOnChange(work, output).catch((error: unknown) => error);
    expect([attempts, restarts]).toEqual([expected, isCommitted === false ? expected - 1 : 0]);
    if (changes < expected) expect(outcome).toBe('done');
    else expect(outcome).toMatchObject({ kind: failure().kind, detail: failure().detail });
    expect(isDataChange(outcome)).toBe(changes >= expected && failure === dataChanged);
  });

  /** A client whose data changes during the first attempts. */
  const clientOf = (changes: number): Client => {
    let watches = 0;
    return {
      ...madeUpClient(async (operation) => answerWith(operation, [])),
      async watch() {
        watches += 1;
        const isChanging = watches <= changes;
        return { changed: async () => isChanging, requests: () => 0 };
      },
    };
  };

  it.each([
    [0, 1],
    [2, 3],
  ])('is read again after each change: %i changes take %i attempts', async (changes, attempts) => {
    let made = 0;
    expect(
      await readConsistently(clientOf(changes), async () => {
        made += 1;
        return made;
      }),
    ).toBe(attempts);
  });

  it('cannot be read when the data never stays the same', async () => {
    const reading = readConsistently(clientOf(9), async () => 1);
    await expect(reading).rejects.toThrow('the data changed while asof was reading them');
  });
});

async function all(pages: AsyncIterable<Envelope>): Promise<readonly Envelope[]> {
  const found: Envelope[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

describe('the last rows of a listing', () => {
  /** A listing in pages of any sizes; every page but the last says where the next begins. */
  async function* inPages(pages: readonly (readonly Row[])[]): AsyncGenerator<Envelope> {
    for (const [i, rows] of pages.entries()) {
      const page = answerWith(insiderClusterExplanations, rows);
      yield i === pages.length - 1 ? page : { ...page, has_more: true, next_cursor: `c${i}` };
    }
  }

  const count = fc.integer({ min: 1, max: 12 });

  it('are its last rows in its order, in one page that ends it, however the service pages', async () => {
    const listing = fc.array(fc.array(fc.record({ n: fc.integer() }), { maxLength: 5 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(listing, count, async (pages, n) => {
        const [page, ...more] = await all(lastRows(inPages(pages), n));
        expect(more).toEqual([]);
        expect(page?.results).toEqual(pages.flat().slice(-n));
        expect([page?.has_more, page?.next_cursor]).toEqual([pages.flat().length > n, undefined]);
        expect(page?.results_count).toBe(page?.results.length);
      }),
    );
  });

  it('are all rows of the last clusters where the limit counts clusters', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), count, async (trades, perPage, n) => {
        const clusters = trades.map((size, i) =>
          Array.from({ length: size }, (_, row) => ({
            issuer_cik: '7',
            date_first: `2020-01-${10 + i}`,
            row,
          })),
        );
        const rows = clusters.flat();
        const pages = Array.from({ length: Math.ceil(rows.length / perPage) }, (_, i) =>
          rows.slice(i * perPage, (i + 1) * perPage),
        );
        const [page] = await all(lastRows(inPages(pages), n, insiderClusterExplanations));
        expect(page?.results).toEqual(clusters.slice(-n).flat());
      }),
    );
  });
});

it('two clusters that end on one day may lie on two pages, because their rows have no identity', async () => {
  const clusters = ['7', '8'].map((issuer_cik) => ({
    ...{ issuer_cik, date_first: '2020-01-10', date_last: '2020-01-20', row: 1 },
  }));
  const client = madeUpClient(async (operation, texts) => {
    const at = texts.some(([name]) => name === 'cursor') ? 1 : 0;
    const page = answerWith(operation, clusters.slice(at, at + 1));
    return at === 1 ? page : { ...page, has_more: true, next_cursor: 'c1' };
  });
  const { signal } = new AbortController();
  const pages = await all(pagesOf(client, insiderClusterExplanations, textsOf('ticker=A'), {}, signal));
  expect(pages.flatMap(({ results }) => results)).toEqual(clusters);
});

it.each<[Extent, string]>([
  [{ first: 3, limit: 3 }, "use either 'first' or 'limit'"],
  [{ first: 3, cursor: 'abc' }, "use either 'first' or 'cursor'"],
])('the oldest rows cannot be asked for with %j', async (extent, detail) => {
  const client = madeUpClient(async () => {
    throw new Error('the client was asked');
  });
  const { signal } = new AbortController();
  const asked = all(pagesOf(client, observations, textsOf('id=GDP'), extent, signal));
  await expect(asked).rejects.toMatchObject({ detail });
  await expect(asked).rejects.toBeInstanceOf(Problem);
});

describe('questions that are expected', () => {
  const question = (i: number) => textsOf(`id=S${i}&limit=1000`);

  /** Reads 100 expected questions ahead; the question with number 5 fails. Names the parts that were read. */
  function readingAhead() {
    const parts: (readonly string[])[] = [];
    const ahead = readAhead(
      (questions) => {
        const ids = questions.map(([id]) => id?.[1] ?? '');
        parts.push(ids);
        return ids.map(async (request_id) => {
          if (request_id === 'S5') throw new Error('S5 is not there');
          return { ...answerWith(observations, []), request_id };
        });
      },
      observations,
      Array.from({ length: 100 }, (_, i) => question(i)),
    );
    return { ahead, parts };
  }

  it('are each read once, several together, and no more ahead than what a part holds', async () => {
    const { ahead, parts } = readingAhead();
    // Not before the first of them is asked.
    expect(parts).toEqual([]);
    for (let i = 0; i < 100; i += 1) {
      if (i !== 5) expect((await ahead.take(observations, question(i)))?.request_id).toBe(`S${i}`);
      const most = Math.max(...parts.map(({ length }) => length));
      expect(parts.flat().length).toBeLessThanOrEqual(i + 2 * most);
    }
    expect(parts.flat()).toEqual(Array.from({ length: 100 }, (_, i) => `S${i}`));
    expect(parts.length).toBeLessThan(10);
  });

  it('fail alone, when they are asked', async () => {
    const { ahead } = readingAhead();
    await ahead.take(observations, question(0));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(ahead.take(observations, question(5))).rejects.toThrow('S5 is not there');
    expect((await ahead.take(observations, question(6)))?.request_id).toBe('S6');
  });

  it('are asked again like any other question that was not expected', async () => {
    const { ahead } = readingAhead();
    await ahead.take(observations, question(3));
    expect(ahead.take(observations, question(3))).toBeUndefined();
    expect(ahead.take(observations, textsOf('id=S4'))).toBeUndefined();
    expect(ahead.take(vintages, question(4))).toBeUndefined();
  });
});

describe('a throttled client', () => {
  const { signal } = new AbortController();

  /** A client whose third request fails, and the counts of its requests: all, and the most at a time. */
  function failing(kind: ProblemKind) {
    let [asked, underWay, atOnce] = [0, 0, 0];
    const client = madeUpClient(async (operation) => {
      asked += 1;
      const third = asked === 3;
      underWay += 1;
      atOnce = Math.max(atOnce, underWay);
      await new Promise((resolve) => setTimeout(resolve, 1));
      underWay -= 1;
      if (third) throw new Problem(kind, 'no');
      return answerWith(operation, []);
    });
    return { client, counts: () => ({ asked, atOnce }) };
  }

  async function twenty(kind: ProblemKind) {
    const { client, counts } = failing(kind);
    let answered = 0;
    const calm = throttled(client, signal, () => {
      answered += 1;
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => calm.ask(ping, [])));
    const failed = outcomes.filter(({ status }) => status === 'rejected').length;
    return { ...counts(), failed, answered, requests: calm.requests() };
  }

  it.each<ProblemKind>(['rate-limit-exceeded', 'unauthorized', 'plan-upgrade-required', 'unreachable'])(
    'makes no further request after %s',
    async (kind) => {
      const { asked, atOnce: _, ...counted } = await twenty(kind);
      expect(asked).toBeLessThanOrEqual(7);
      expect(counted).toEqual({ failed: 21 - asked, answered: asked - 1, requests: asked });
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
    const client = madeUpClient(async (operation) => {
      asked += 1;
      if (asked === 1) setImmediate(() => stop.abort('SIGINT'));
      return answerWith(operation, []);
    });
    const calm = throttled(client, stop.signal, () => undefined);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => calm.ask(ping, [])));
    expect(asked).toBeLessThan(10);
    const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(reasons).toEqual(Array.from({ length: 100 - asked }, () => 'SIGINT'));
  });

  it('makes the first request alone while the data is watched, and counts the request that checks for a change', async () => {
    const { client, counts } = failing('not-found');
    const alone: number[] = [];
    const calm = throttled(client, signal, () => alone.push(counts().asked));
    const watch = await calm.watch();
    await Promise.all([1, 2].map(() => calm.ask(ping, [])));
    expect([alone[0], counts().asked, calm.requests()]).toEqual([1, 2, 2]);
    expect([await watch.changed(), calm.requests()]).toEqual([false, 3]);
  });
});
