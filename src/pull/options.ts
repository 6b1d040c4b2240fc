import type { RequestOptions } from '../client/remote/exchange.ts';
import type { Day } from '../domain/series/date.ts';
import { type Problem, refused } from '../errors/problem.ts';
import { seconds, type Value } from '../operations/value.ts';

/** The live sources that a store can follow. */
export const sourceNames = ['fred', 'treasury', 'sec'] as const;

/** The name of a live source. */
export type SourceName = (typeof sourceNames)[number];

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, '': 1 };

/** A number of seconds, which a text may give in minutes or hours. */
export const duration: Value<number> = {
  ...seconds('some', Number.MAX_SAFE_INTEGER),
  parse(given, name) {
    const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)?$/.exec(given) ?? [];
    const value = Number(count) * (unitSeconds[unit] ?? Number.NaN);
    if (value > 0) return value;
    throw refused({ param: name, value: given, reason: 'use a time such as 90s, 10m or 2h' });
  },
  placeholder: 'time',
};

/** What a user's environment says about a source. */
export type SourceSettings = {
  /** The base address, which replaces the publisher's. */
  readonly url?: string | undefined;
  /** The user's key. */
  readonly key?: string | undefined;
  /** The user's name and mail address, for a publisher that wants to know who asks. */
  readonly contact?: string | undefined;
};

/** Tells the time and waits; tests replace it. */
type Timing = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/**
 * What to pull: names by source, such as `{ fred: ['GDP'] }`. Without names, all that the store follows of that
 * source.
 */
export type PullRequest = Readonly<Partial<Record<SourceName, readonly string[]>>>;

/** How to pull. */
export type PullOptions = RequestOptions & {
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
  /**
   * The folder of the files by which processes share the pace of each source; without it the pace is only this
   * call's.
   */
  readonly cacheFolder?: string | undefined;
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  /** Called when a subject is done. */
  readonly onSubject?: ((subject: PulledSubject) => void) | undefined;
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

/** Numbers of what a store has of a subject, or of what was new in it, by the names that the source gives them. */
export type PullCounts = Readonly<Record<string, number>>;

/** How pulling one subject ended. */
export type PullOutcome = 'pulled' | 'nothing-new' | 'conflict' | 'failed' | 'left' | 'planned';

/** What a pull did for one subject: a series, a curve, a company. */
export type PulledSubject = {
  readonly source: SourceName;
  readonly name: string;
  readonly outcome: PullOutcome;
  /** What is new in the store, by the names of the source: `new_vintages`. */
  readonly counts: PullCounts;
  /** The requests that were sent for it, or for a dry run the fewest that would be. */
  readonly requests: number;
  /** The last day for which the store now has what the source published. */
  readonly upTo: Day | undefined;
  /** What is left to do, in words; empty if nothing. */
  readonly left: string;
  readonly notes: readonly string[];
  /** Why it failed, or what contradicts the store. */
  readonly problem?: Problem;
};

/** Why a source was left before all its subjects were done. */
export type PullStop = { readonly source: SourceName; readonly problem: Problem };

/** What a pull did, or for a dry run would do. */
export type PullSummary = {
  /** The address of the store. */
  readonly store: string;
  /** Whether this pull created the store. */
  readonly created: boolean;
  /** Whether there is a store after the pull, which remembers what is left. */
  readonly stored: boolean;
  readonly dryRun: boolean;
  readonly subjects: readonly PulledSubject[];
  readonly stops: readonly PullStop[];
  /** Whether the time that was allowed ran out. */
  readonly outOfTime: boolean;
  readonly requests: number;
  /** The time that it took, or for a dry run the shortest time that the pace allows. */
  readonly seconds: number;
};
