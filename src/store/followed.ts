import type { Day } from '../domain/series/date.ts';

/** An item, such as a series, followed at a live source. */
export type Followed = {
  readonly source: string;
  /** The item in the words of the source: `GDP`. */
  readonly name: string;
  /** The start of following, ISO 8601. */
  readonly since: string;
  /** Where the next pull resumes, in the words of the source; empty before the first fact. */
  readonly bookmark: string;
  /** The last day with everything that the source published. */
  readonly upTo: Day | undefined;
  /** The time of the source's last answer, ISO 8601. */
  readonly lastRun: string | undefined;
  /** What the last run left undone, in words; empty if nothing. */
  readonly left: string;
};

/** A function that lists followed items; absent if a service answers. */
export type AskFollowed = () => Promise<readonly Followed[]>;

/** Summarises how fresh the followed items are, by the stalest; undefined if an item has no value yet. */
export function freshnessOf(followed: readonly Followed[]) {
  // An undefined value counts as the oldest.
  const oldest = (texts: readonly (string | undefined)[]) =>
    texts.map((text) => text ?? '').sort()[0] || undefined;
  return {
    count: followed.length,
    /** The last day that all items reach. */
    upTo: oldest(followed.map(({ upTo }) => upTo)),
    /** The oldest time of an item's last answer, ISO 8601. */
    lastRun: oldest(followed.map(({ lastRun }) => lastRun)),
    /** The number of items that the last run left unfinished. */
    unfinished: followed.filter(({ left }) => left !== '').length,
  };
}

/** A changed text in the description of a series. */
export type DescriptionChange = {
  readonly seriesId: string;
  readonly changedOn: Day;
  readonly field: string;
  readonly before: string;
  readonly after: string;
};
