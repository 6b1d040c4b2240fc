import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addDays } from '../../../src/domain/series/date.ts';
import { runs } from '../../support/arbitrary.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  type HistoryRow,
  type LoopbackFred,
  loopbackFred,
  wellBehaved,
} from '../../support/pull/loopback-fred.ts';
import { contentOf, historyUpTo, importAnswer, pullFrom } from '../../support/pull/pulled-store.ts';
import {
  additions,
  RewrittenHistory,
  rewrites,
  rhythms,
  type Step,
} from '../../support/pull/rewritten-history.ts';
import { newStorePath } from '../../support/scratch-store.ts';

vi.setConfig({ testTimeout: 600_000 });

const folder = scratchFolder();

let fred: LoopbackFred;

beforeAll(async () => {
  fred = await loopbackFred();
});

beforeEach(() => {
  Object.assign(fred.state, wellBehaved());
});

afterAll(() => fred.close());

const limits = fc.record({
  maxVintages: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(2000)),
  maxRows: fc.constantFrom(50, 100_000),
});

/** A store that pulls the series X from a FRED whose history steps change. */
class Puller {
  readonly store = newStorePath(folder);
  readonly history: RewrittenHistory;
  readonly #since: string | undefined;

  constructor(history: RewrittenHistory, since?: string) {
    this.history = history;
    this.#since = since;
  }

  /** The rows that FRED has, and that a request from the first day on gives. */
  get rows(): readonly HistoryRow[] {
    const rows = historyUpTo(this.history.rows(), this.history.today);
    const since = this.#since ?? '1776-07-04';
    return rows
      .filter(({ realtime_end: end }) => end >= since)
      .map((row) => (row.realtime_start < since ? { ...row, realtime_start: since } : row));
  }

  async pull(full = false) {
    fred.state.today = this.history.today;
    fred.state.series = { X: this.history.series('X') };
    const { subjects, stops } = await pullFrom(fred, this.store, {
      request: { fred: ['X'] },
      full,
      since: this.#since,
    });
    expect(stops).toEqual([]);
    return subjects[0];
  }

  content() {
    return contentOf(this.store, 'X');
  }

  /** The content of a store into which FRED's last answer was imported. */
  async imported() {
    const store = newStorePath(folder);
    const period = { realtime_start: this.#since ?? '1776-07-04', realtime_end: this.history.today };
    await importAnswer(store, this.history.series('X').description, { ...period, observations: this.rows });
    return contentOf(store, 'X');
  }
}

/** Takes steps; before and after each pull, what `check` wants. */
async function take(
  steps: readonly Step[],
  puller: Puller,
  onPull: (full: boolean) => Promise<void>,
): Promise<void> {
  const { history } = puller;
  for (const step of steps)
    if (step.kind !== 'pull') history.take(step);
    else {
      history.today = addDays(history.today, step.after);
      await onPull(step.full);
    }
}

const textsOf = (rows: readonly HistoryRow[]) =>
  new Set(rows.map(({ date, realtime_start: from, value }) => `${date} ${from} ${value}`));

const statementsIn = async (puller: Puller) => {
  const { statements } = await puller.content().catch(() => ({ statements: [] }));
  return statements.map(({ date, asOf, value }) => `${date} ${asOf} ${value ?? '.'}`);
};

describe('a history to which FRED adds dates under vintages of the past, and vintages that change few dates', () => {
  it('is after each pull that of an import of the last answer', async () => {
    await fc.assert(
      fc.asyncProperty(rhythms, additions, limits, async (rhythm, steps, limited) => {
        Object.assign(fred.state, limited);
        const puller = new Puller(new RewrittenHistory(rhythm));
        await take([...steps, { kind: 'pull', after: 0, full: false }], puller, async () => {
          const subject = await puller.pull();
          expect(subject?.problem?.detail).toBeUndefined();
          expect(await puller.content()).toEqual(await puller.imported());
        });
      }),
      { numRuns: runs(30) },
    );
  });

  it('that begins on the day of --since is that of an import of an answer that begins then', async () => {
    await fc.assert(
      fc.asyncProperty(rhythms, additions, additions, limits, async (rhythm, before, after, limited) => {
        Object.assign(fred.state, limited);
        const history = new RewrittenHistory(rhythm);
        await take(before, new Puller(history), async () => undefined);
        const since = addDays(history.today, -1);
        const puller = new Puller(history, since);
        await take([...after, { kind: 'pull', after: 0, full: false }], puller, async () => {
          expect((await puller.pull())?.problem?.detail).toBeUndefined();
          const content = await puller.content();
          expect(content).toEqual(await puller.imported());
          // The window made its first day; the others are days of publication.
          const kinds = content.vintages?.map(({ asOfDate, kind }) => [asOfDate > since, kind]);
          expect(kinds).toEqual(kinds?.map(([isLater]) => [isLater, isLater === true ? 'exact' : 'fetched']));
        });
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('a history from which FRED also removes vintages, and whose vintages it moves by a day,', () => {
  it('is named by --full exactly if it lacks a statement of the store, and is otherwise that of an import', async () => {
    await fc.assert(
      fc.asyncProperty(rhythms, rewrites, limits, async (rhythm, steps, limited) => {
        Object.assign(fred.state, limited);
        const puller = new Puller(new RewrittenHistory(rhythm));
        const first: Step = { kind: 'pull', after: 0, full: false };
        await take([first, ...steps, { kind: 'pull', after: 0, full: true }], puller, async (full) => {
          const before = await statementsIn(puller);
          const published = textsOf(puller.rows);
          const contradicted = before.filter((text) => !published.has(text));
          const subject = await puller.pull(full);
          const isConflict = subject?.outcome === 'conflict';
          if (full || isConflict)
            expect([isConflict, contradicted]).toEqual([contradicted.length > 0, contradicted]);
          else expect(subject?.problem?.detail).toBeUndefined();
          // No pull invents a statement, or takes one away.
          const after = await statementsIn(puller);
          const known = new Set(before);
          expect(after.filter((text) => !known.has(text) && !published.has(text))).toEqual([]);
          expect(before.filter((text) => !after.includes(text))).toEqual([]);
          if (full && !isConflict) expect(await puller.content()).toEqual(await puller.imported());
        });
      }),
      { numRuns: runs(40) },
    );
  });
});
