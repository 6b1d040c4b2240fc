import type { StoredFiling } from '../domain/insider/merge-filings.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import { type DateSetText, formatDateSet } from '../domain/series/date-set.ts';
import { addTo } from '../domain/series/groups.ts';
import type { StoredVintage } from '../domain/series/merge-plan.ts';
import type { StoredChange } from '../domain/series/revision-history.ts';
import type { CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
import type { SeriesDescription } from './store.ts';

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

/** The added rows of an import: days by common property. */
type AddedDays<Key> = readonly (readonly [key: Key, days: DateSetText])[];

/** Groups the days of rows by what the rows have in common. */
export function addedDays<Key>(rows: Iterable<readonly [key: Key, day: Day]>): AddedDays<Key> {
  const days = new Map<Key, Day[]>();
  for (const [key, day] of rows) addTo(days, key, day);
  return Array.from(days, ([key, own]) => [key, formatDateSet(own)] as const);
}

/** A series before an import. */
export type SeriesBefore = SeriesDescription & {
  readonly isNew: boolean;
  /** False if the import brought all vintages. */
  readonly hadVintages: boolean;
  readonly normalisedBy: Frequency;
  readonly coveredTo: string;
  /** The coverage after the import; a pull that finds nothing new extends it further. */
  readonly coveredAfter: string;
  /** The rows that the import added, by vintage. */
  readonly added: Readonly<Record<StoredChange['kind'], AddedDays<Day>>>;
  readonly removed: readonly StoredChange[];
  readonly addedVintages: readonly Day[];
  readonly vintages: readonly StoredVintage[];
  readonly descriptions?: readonly DescriptionChange[];
};

/** The rates of a curve before an import. */
export type PointsBefore = {
  readonly curveType: CurveType;
  readonly days: DateSetText;
  /** The rates that the import added, by maturity. */
  readonly added: AddedDays<Maturity>;
  readonly changed: readonly CurvePoint[];
};

/** The filings before an import. */
export type FilingsBefore = {
  /** Filings of the import that the store had before. */
  readonly held: readonly string[];
  readonly added: readonly (readonly [filingId: string, issuerCik: string])[];
  readonly changed: readonly StoredFiling[];
};

/** Followed items before an import; null for an item not followed then. */
export type FollowedBefore = readonly {
  readonly source: string;
  readonly name: string;
  readonly before: Followed | null;
}[];
