import type { Day } from '../domain/series/date.ts';

/** Something that a store follows at a live source, such as a series of FRED, and how far it has come. */
export type Followed = {
  readonly source: string;
  /** What is followed, in the words of the source: `GDP`. */
  readonly name: string;
  /** When following began, ISO 8601. */
  readonly since: string;
  /** How far the facts in the store reach, in the words of the source; empty before the first of them. */
  readonly bookmark: string;
  /** The last day for which the store has what the source published. */
  readonly upTo: Day | undefined;
  /** When the source last answered, ISO 8601. */
  readonly lastRun: string | undefined;
  /** What the last run left undone, in words; empty if nothing. */
  readonly left: string;
};

/** Gives what a store follows at live sources; absent if answers come from a service. */
export type AskFollowed = () => Promise<readonly Followed[]>;

/** Returns how fresh a store is that follows sources: its stalest item counts; undefined if one has nothing yet. */
export function freshnessOf(followed: readonly Followed[]) {
  // An undefined value counts as the oldest.
  const oldest = (texts: readonly (string | undefined)[]) =>
    texts.map((text) => text ?? '').sort()[0] || undefined;
  return {
    count: followed.length,
    /** The last day that all items reach. */
    upTo: oldest(followed.map(({ upTo }) => upTo)),
    /** The oldest time at which an item was last answered, ISO 8601. */
    lastRun: oldest(followed.map(({ lastRun }) => lastRun)),
    /** The number of items that the last run left unfinished. */
    unfinished: followed.filter(({ left }) => left !== '').length,
  };
}

/** A field of a series' description that had another text before. */
export type DescriptionChange = {
  readonly seriesId: string;
  readonly changedOn: Day;
  readonly field: string;
  readonly before: string;
  readonly after: string;
};
