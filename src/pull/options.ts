import type { RequestOptions } from '../client/remote/exchange.ts';
import type { Day } from '../domain/values/date.ts';
import type { Problem } from '../errors/problem.ts';
import type { MergeChoices } from '../import/load/registry.ts';

/** The live sources that a store can follow. */
export const sourceNames = [
  'fred',
  'treasury',
  'sec',
  'rtdsm',
  'fred-md',
  'fred-qd',
  'ecb',
  'eurostat',
  'oecd',
  'calendar',
] as const;

/** The name of a live source. */
export type SourceName = (typeof sourceNames)[number];

/** A source's settings in a user's environment. */
export type SourceSettings = {
  /** Replaces the publisher's base address. */
  readonly url?: string | undefined;
  /** The user's key. */
  readonly key?: string | undefined;
  /** The user's name and mail address, for a publisher that requires them. */
  readonly contact?: string | undefined;
};

type Timing = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** What to pull: names by source, such as `{ fred: ['GDP'] }`. Without names, all that the store follows there. */
export type PullRequest = Readonly<Partial<Record<SourceName, readonly string[]>>>;

/** How to pull. */
export type PullOptions = RequestOptions &
  Pick<MergeChoices, 'keepUndo'> & {
    /** The address of the store; a missing store is created. */
    readonly store: string;
    /** What to follow from now on. Default: update everything that the store follows. */
    readonly request?: PullRequest | undefined;
    /** Keys, contact and base addresses of the sources. */
    readonly settings?: Readonly<Partial<Record<SourceName, SourceSettings>>>;
    /** Pulls only followed items that were released since their last pull, by `asof due`. */
    readonly due?: boolean;
    /** Asks again for whole histories. */
    readonly full?: boolean;
    /** Stores what a source of whole files says in place of what is stored; an undo takes it back. */
    readonly replace?: boolean;
    /** The first day of histories that begin now; a followed one that begins later gets the part before. */
    readonly since?: Day | undefined;
    /** True to report the requests without sending any. */
    readonly dryRun?: boolean;
    /** Seconds after which no further window begins, and no wait ends. */
    readonly maxDuration?: number | undefined;
    /** The folder where processes share the pace of each source. Default: a pace for this call only. */
    readonly cacheFolder?: string | undefined;
    readonly onProgress?: ((progress: PullProgress) => void) | undefined;
    /** Called when a subject is done. */
    readonly onSubject?: ((subject: PulledSubject) => void) | undefined;
    /** Replaces the clock and waits in tests. */
    readonly timing?: Timing | undefined;
  };

/** The progress of a pull. */
export type PullProgress = {
  readonly source: SourceName;
  readonly name: string;
  /** The number of subjects that are done, and of all. */
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** The seconds since the request began whose answer has not come yet; 0 without one. */
  readonly waiting: number;
  /** Statements, rates and trades read so far. */
  readonly rows: number;
};

/** Counts by name, of stored or new items of a subject. */
export type PullCounts = Readonly<Record<string, number>>;

/** How pulling one subject ended. */
export type PullOutcome = 'pulled' | 'nothing-new' | 'conflict' | 'failed' | 'left' | 'planned';

/** The result of a pull for one subject: a series, a curve, a company. */
export type PulledSubject = {
  readonly source: SourceName;
  readonly name: string;
  readonly outcome: PullOutcome;
  /** New items by the names of the source, such as `new_vintages`. */
  readonly counts: PullCounts;
  /** The requests that were sent, or the fewest for a dry run. */
  readonly requests: number;
  /** The last day for which the store has what the source published. */
  readonly upTo: Day | undefined;
  /** What is left to do, in words; empty if nothing is. */
  readonly left: string;
  readonly notes: readonly string[];
  /** The failure, or what contradicts the store. */
  readonly problem?: Problem;
};

/** Why a pull left a source early. */
export type PullStop = { readonly source: SourceName; readonly problem: Problem };

/** The result of a pull or a dry run. */
export type PullSummary = {
  /** The address of the store. */
  readonly store: string;
  /** True if this pull created the store. */
  readonly created: boolean;
  /** True if there is a store after the pull, which remembers what is left. */
  readonly stored: boolean;
  readonly dryRun: boolean;
  readonly subjects: readonly PulledSubject[];
  readonly stops: readonly PullStop[];
  /** True if the allowed time ran out. */
  readonly outOfTime: boolean;
  readonly requests: number;
  /** The time taken, or for a dry run the shortest time that the pace allows. */
  readonly seconds: number;
};
