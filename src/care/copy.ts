import { setImmediate as tick } from 'node:timers/promises';
import type { KeptChange } from '../domain/series/revision-history.ts';
import { Problem } from '../errors/problem.ts';
import { identityOf } from '../platform/files.ts';
import { isDatabase, shownAddress } from '../store/address.ts';
import { checkDraftable, openDraft, readStore } from '../store/open.ts';
import type { WholeView } from '../store/store.ts';
import type { StoreDraft, StoreWriter } from '../store/writer.ts';
import {
  allFilings,
  allPoints,
  digestOfOthers,
  digestOfSeries,
  digestOfStore,
  SeriesDigest,
} from './digest.ts';

/** How a store is copied. */
export type CopyOptions = {
  /** Reads and counts, but writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Allows a file at the address of the copy; the copy replaces it when it is complete. */
  readonly replace?: boolean | undefined;
  /** Stops the copy; the next one continues it. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** The number of rows that one transaction writes; it does not affect the result. */
  readonly rowsAtOnce?: number | undefined;
};

/** The number of series that are copied, and then of those that are read again and compared. */
type CopyProgress = {
  readonly stage: 'copy' | 'compare';
  readonly done: number;
  readonly total: number;
};

/** What a copy holds. */
export type CopySummary = {
  /** The address of the copy, without a password. */
  readonly store: string;
  readonly dryRun: boolean;
  readonly series: number;
  /** The number of changes of values in the copy. */
  readonly facts: number;
  /** The number of series that an earlier copy had written before it was stopped. */
  readonly already: number;
  readonly rates: number;
  readonly trades: number;
  readonly imports: number;
  readonly followed: number;
  /** The SHA-256 of everything that both stores hold; empty for a dry run. */
  readonly digest: string;
};

/**
 * Copies everything that a store holds, from one state of it, to a new store in a file or a database. Nobody can open
 * the copy before it is complete and has been read again and compared. Continues a copy that was stopped.
 */
export async function copyStore(from: string, to: string, options: CopyOptions = {}): Promise<CopySummary> {
  refuseSame(from, to);
  return readStore(from, async (view) => {
    const store = shownAddress(to);
    if (options.dryRun === true) {
      await checkDraftable(to, options.replace);
      return { ...(await countOf(view)), store, dryRun: true };
    }
    return {
      ...(await copyInto(view, () => openDraft(to, shownAddress(from), options.replace), options)),
      store,
    };
  });
}

/** Copies what a view reads into the draft that `open` gives, reads it again, and publishes it if it is the same. */
export async function copyInto(
  view: WholeView,
  open: () => Promise<StoreDraft>,
  options: CopyOptions,
): Promise<Omit<CopySummary, 'store'>> {
  const run = async () => {
    const draft = await open();
    try {
      return await new StoreCopy(view, draft, options).run();
    } finally {
      await draft.close();
    }
  };
  // If a stopped copy left data that the store does not hold, the first run discards all, and the second copies.
  const copied = (await run()) ?? (await run());
  if (copied !== undefined) return copied;
  throw new Problem('local-io', 'the copy does not read as it was written; it is removed', {
    hints: ['`asof store check` checks the store that was copied, and another disk may hold the copy'],
  });
}

/** Refuses two addresses that name the same store. */
export function refuseSame(from: string, to: string): void {
  const fileOf = (address: string) => (isDatabase(address) ? undefined : identityOf(address)) ?? address;
  if (fileOf(from) !== fileOf(to)) return;
  throw new Problem('bad-input', `${shownAddress(to)} is the store itself`, {
    hints: ['name another address'],
  });
}

/** Counts what a copy of a view would hold. */
export async function countOf(view: WholeView): Promise<Omit<CopySummary, 'store' | 'dryRun'>> {
  const { series, described, facts } = await view.contents.totals();
  const rates = (await view.rates.summaries()).reduce((sum, { count }) => sum + count, 0);
  const { trades } = await view.filings.counts();
  const [imports, followed] = [(await view.sources.imports()).length, (await view.sources.followed()).length];
  return { series: series + described, facts, already: 0, rates, trades, imports, followed, digest: '' };
}

/** One copy of a store. */
class StoreCopy {
  readonly #from: WholeView;
  readonly #to: StoreDraft;
  readonly #options: CopyOptions;
  readonly #rowsAtOnce: number;
  readonly #digests = new Map<string, string>();
  #already = 0;

  constructor(from: WholeView, to: StoreDraft, options: CopyOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
    this.#rowsAtOnce = options.rowsAtOnce ?? 200_000;
  }

  /** Makes and publishes the copy; undefined if it differs from the store and was therefore discarded. */
  async run(): Promise<Omit<CopySummary, 'store'> | undefined> {
    const ids = await this.#from.contents.seriesIds();
    await this.#copySeries(ids);
    await this.#copyOthers();
    await this.#pause();
    const others = digestOfOthers(this.#from);
    const digest = await digestOfStore(this.#from, { others, series: this.#digests });
    const copied = await this.#to.read(async (view) =>
      digestOfStore(view, { series: await this.#digestsOf(view) }),
    );
    if (copied !== digest) {
      await this.#to.discard();
      return undefined;
    }
    await this.#to.publish();
    return { ...(await countOf(this.#from)), already: this.#already, dryRun: false, digest };
  }

  /** Writes the series that the copy lacks or holds differently, in several transactions. */
  async #copySeries(ids: readonly string[]): Promise<void> {
    const held = await this.#to.read((view) => this.#digestsOf(view));
    const known = new Set(ids);
    const gone = [...held.keys()].filter((id) => !known.has(id));
    let next = 0;
    do {
      await this.#to.write(async (writer) => {
        for (const id of gone.splice(0)) await writer.removeSeries(id);
        for (let rows = 0; next < ids.length && rows < this.#rowsAtOnce; next += 1) {
          const id = ids[next] ?? '';
          rows += 100 + (await this.#copyOne(id, held.get(id), writer));
          await this.#pause();
          this.#options.onProgress?.({ stage: 'copy', done: next + 1, total: ids.length });
        }
      });
    } while (next < ids.length);
  }

  /** Writes one series, unless its digest in the copy (`held`) shows no difference; returns the number of rows. */
  async #copyOne(id: string, held: string | undefined, writer: StoreWriter): Promise<number> {
    if (held !== undefined && (await digestOfSeries(this.#from, id)) === held) {
      this.#digests.set(id, held);
      this.#already += 1;
      return 0;
    }
    const contents = await this.#from.contents.series(id);
    if (contents === undefined) return 0;
    const digest = new SeriesDigest(contents);
    let rows = contents.vintages.length;
    const read = this.#from.contents.changes(id);
    async function* counted(): AsyncGenerator<readonly KeptChange[]> {
      for await (const changes of read) {
        digest.changes(changes);
        rows += changes.length;
        yield changes;
      }
    }
    await writer.putSeries(contents, counted());
    const descriptions = await this.#from.series.descriptionChanges(id);
    digest.descriptions(descriptions);
    for (const change of descriptions) await writer.recordChange(change);
    this.#digests.set(id, digest.text());
    return rows;
  }

  /** Writes curves, filings, what the store follows, and the log. */
  async #copyOthers(): Promise<void> {
    const [from, replace] = [this.#from, { replace: true }];
    await this.#to.write(async (writer) => {
      for await (const points of allPoints(from)) await writer.mergePoints(points, replace);
    });
    const filings = allFilings(from);
    let isDone = false;
    while (!isDone)
      await this.#to.write(async (writer) => {
        for (let rows = 0; rows < this.#rowsAtOnce && !isDone; ) {
          const { value, done } = await filings.next();
          isDone = done === true;
          if (value === undefined) continue;
          await writer.mergeFilings(value, replace);
          await this.#pause();
          rows += value.length;
        }
      });
    const held = await this.#to.read(async (view) => ({
      log: await view.sources.imports(),
      followed: await view.sources.followed(),
    }));
    await this.#to.write(async (writer) => {
      for (const { source, name } of held.followed) await writer.unfollow(source, name);
      for (const record of await from.sources.followed()) await writer.follow(record);
      for (const entry of (await from.sources.imports()).slice(held.log.length))
        await writer.recordImport(entry);
    });
  }

  async #digestsOf(view: WholeView): Promise<ReadonlyMap<string, string>> {
    const series = new Map<string, string>();
    const ids = await view.contents.seriesIds();
    for (const [index, id] of ids.entries()) {
      series.set(id, (await digestOfSeries(view, id)) ?? '');
      await this.#pause();
      this.#options.onProgress?.({ stage: 'compare', done: index + 1, total: ids.length });
    }
    return series;
  }

  /** Lets the process receive a signal, which it can only between two turns of the event loop. */
  async #pause(): Promise<void> {
    await tick();
    this.#options.signal?.throwIfAborted();
  }
}
