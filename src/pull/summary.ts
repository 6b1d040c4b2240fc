import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { counted } from '../errors/wording.ts';
import type { ImportRefusal } from '../import/load/conflict.ts';
import type { PullCounts, SourceName } from './source.ts';

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

/** Counts in words, those that are not 0: `2 new vintages, 1 new date`. */
export function countsText(
  counts: PullCounts,
  words: Readonly<Record<string, readonly [one: string, several: string]>>,
): string {
  return Object.entries(words)
    .filter(([name]) => (counts[name] ?? 0) > 0)
    .map(([name, [one, several]]) => counted(counts[name] ?? 0, one, several))
    .join(', ');
}

/** What is left of a subject, in words. */
export function leftText(windows: number, upTo: Day | undefined): string {
  if (windows > 0) return counted(windows, 'more window');
  return upTo === undefined ? 'everything' : `everything after ${upTo}`;
}

/** What is new in the second of two counts. */
export function newCounts(before: PullCounts, after: PullCounts): PullCounts {
  const counts = Object.entries(after).map(
    ([name, count]) => [name, Math.max(0, count - (before[name] ?? 0))] as const,
  );
  return Object.fromEntries(counts);
}

/** More lines would hide what they are about. */
const mostConflicts = 100;

/** A source that says something else than the store has: every conflict is listed, and the store keeps what it has. */
export class Contradiction extends Problem {
  constructor(refusal: ImportRefusal, title: string, name: string) {
    const shown = refusal.list.slice(0, mostConflicts);
    const left = refusal.list.length - shown.length;
    const more = left > 0 ? [`… and ${left} more`] : [];
    const count = counted(refusal.list.length, 'conflict');
    const detail = `${title} contradicts what the store has of ${name}: ${count}; the store keeps what it has`;
    super('bad-answer', detail, {
      list: [...shown, ...more],
      hints: ['asof import --replace takes the new figures from a file, if they are right'],
    });
  }
}
