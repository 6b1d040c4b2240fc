import type { Day } from '../domain/series/date.ts';
import { readStoreIfAny, writing } from '../store/open.ts';
import type { StoreWriter } from '../store/writer.ts';
import { Getter, type PullEvent } from './getter.ts';
import type { Timing } from './pace.ts';
import type { PullSource, SourceName, SourceSettings } from './source.ts';
import type { PulledSubject, PullStop } from './summary.ts';

/**
 * What to pull: names by source, such as `{ fred: ['GDP'] }`. Without names, all that the store follows of that
 * source.
 */
export type PullRequest = Readonly<Partial<Record<SourceName, readonly string[]>>>;

/** How to pull. */
export type PullOptions = {
  /** The address of the store; a missing store is created. */
  readonly store: string;
  /** What to follow from now on; without it, everything that the store follows is brought up to date. */
  readonly request?: PullRequest | undefined;
  /** Keys, contact and base addresses of the sources. */
  readonly settings?: Readonly<Partial<Record<SourceName, SourceSettings>>>;
  /** Asks again for whole histories. */
  readonly full?: boolean;
  /** The first day of histories that begin now. */
  readonly since?: Day | undefined;
  /** Reports which requests it would send, and sends none. */
  readonly dryRun?: boolean;
  /** Seconds after which no further window begins, and no wait ends. */
  readonly maxDuration?: number | undefined;
  /** Seconds that one try of a request may take; 30 unless given. */
  readonly timeout?: number | undefined;
  /** Tries after a transient failure; 3 unless given. */
  readonly retries?: number | undefined;
  /** Seconds that one request may wait in all; 60 unless given. */
  readonly maxWait?: number | undefined;
  /**
   * The folder of the files by which processes share the pace of each source; without it the pace is only this
   * call's.
   */
  readonly cacheFolder?: string | undefined;
  /** The environment, whose usual variables name the proxies; that of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: (() => Date) | undefined;
  /** Stops the pull between two windows. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  /** Called when a subject is done. */
  readonly onSubject?: ((subject: PulledSubject) => void) | undefined;
  /** Called after each try of a request and before each wait, without secrets. */
  readonly watch?: ((event: PullEvent) => void) | undefined;
  /** How time passes; tests replace it. */
  readonly timing?: Timing | undefined;
};

/** The progress of a pull. */
export type PullProgress = {
  readonly source: SourceName;
  readonly name: string;
  /** The subjects that are done, and all of them. */
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Statements, rates and trades that were read. */
  readonly rows: number;
};

/** What the sources of a pull share. */
export type PullContext = {
  readonly options: PullOptions;
  readonly signal: AbortSignal;
  readonly clock: () => Date;
  readonly timing: Timing;
  readonly results: PullResults;
};

type PullResults = {
  readonly started: number;
  readonly subjects: PulledSubject[];
  readonly stops: PullStop[];
  created: boolean;
  outOfTime: boolean;
  requests: number;
  rows: number;
  plannedSeconds: number;
};

/** The results of a pull that begins at this time. */
export function newResults(started: number): Pick<PullContext, 'results'> {
  const counts = { requests: 0, rows: 0, plannedSeconds: 0 };
  return { results: { started, subjects: [], stops: [], created: false, outOfTime: false, ...counts } };
}

/**
 * Writes to the store at an address in one transaction, and creates a missing store; a failure leaves it as it was.
 * If another process creates the store meanwhile, `work` runs again.
 */
export async function writeStore<T>(address: string, work: (writer: StoreWriter) => Promise<T>): Promise<T> {
  let creates = false;
  try {
    return await writing(address, async (writer) => {
      creates = writer.created;
      const result = await work(writer);
      await writer.commit();
      return result;
    });
  } catch (error) {
    const isThere = creates && (await readStoreIfAny(address, async () => true)) === true;
    if (isThere) return writeStore(address, work);
    throw error;
  }
}

/** Opens the requests to a source; `unauthorized` without the key or contact that it needs. */
export function openGetter(source: PullSource, { options, timing, signal, results }: PullContext): Getter {
  const { maxDuration = Number.POSITIVE_INFINITY } = options;
  return new Getter(source, source.access(options.settings?.[source.name] ?? {}), {
    timeout: options.timeout ?? 30,
    retries: options.retries ?? 3,
    maxWait: options.maxWait ?? 60,
    deadline: results.started + maxDuration * 1000,
    paceFolder: options.cacheFolder,
    env: options.env ?? process.env,
    timing,
    signal,
    watch: options.watch ?? (() => undefined),
  });
}
