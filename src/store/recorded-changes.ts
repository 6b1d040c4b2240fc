import type { Look, Sighting } from '../domain/calendar/sighting.ts';
import type { StoredFiling } from '../domain/insider/merge-filings.ts';
import type { StoredVintage } from '../domain/series/merge-plan.ts';
import type { StoredChange } from '../domain/series/revision-history.ts';
import type { DescriptionChange } from '../domain/series/series.ts';
import type { CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
import type { Day, Frequency } from '../domain/values/date.ts';
import { type DateSetText, formatDateSet } from '../domain/values/date-set.ts';
import { addTo } from '../domain/values/groups.ts';
import type { Followed, SeriesDescription } from './store.ts';

/** The added rows of an import: days by common property. */
type AddedDays<Key> = readonly (readonly [key: Key, days: DateSetText])[];

/** Groups the days of rows by what the rows have in common. */
export function addedDays<Key>(rows: Iterable<readonly [key: Key, day: Day]>): AddedDays<Key> {
  const days = new Map<Key, Day[]>();
  for (const [key, day] of rows) addTo(days, key, day);
  return Array.from(days, ([key, own]) => [key, formatDateSet(own)] as const);
}

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

export type PointsBefore = {
  readonly curveType: CurveType;
  readonly days: DateSetText;
  /** The rates that the import added, by maturity. */
  readonly added: AddedDays<Maturity>;
  readonly changed: readonly CurvePoint[];
};

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

/** The looks at calendars of an import: what each was before, null if it was new, absent if it did not change. */
export type CalendarBefore = readonly { readonly look: Look; readonly before?: Sighting | null }[];

/** The aliases of an import: the series of each before, null if it was new, absent if it did not change. */
export type AliasesBefore = readonly { readonly name: string; readonly before?: string | null }[];
