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

/** How fresh a store is that follows sources: its stalest item counts. */
export type Freshness = {
  readonly count: number;
  /** The last day that all of them reach; undefined if one has no facts yet. */
  readonly upTo: Day | undefined;
  /** The oldest time at which an item was last answered, ISO 8601; undefined if one never was. */
  readonly lastRun: string | undefined;
  /** The number of items that the last run left unfinished. */
  readonly unfinished: number;
};

/** How fresh the followed items are. */
export function freshnessOf(followed: readonly Followed[]): Freshness {
  // An undefined value counts as the oldest.
  const oldest = (texts: readonly (string | undefined)[]) =>
    texts.map((text) => text ?? '').sort()[0] || undefined;
  return {
    count: followed.length,
    upTo: oldest(followed.map(({ upTo }) => upTo)),
    lastRun: oldest(followed.map(({ lastRun }) => lastRun)),
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
