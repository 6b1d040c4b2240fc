import type { Filing } from '../domain/insider/filing.ts';
import type { HeldFiling } from '../domain/insider/merge-filings.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import { type DateSetText, formatDateSet, parseDateSet } from '../domain/series/date-set.ts';
import type { HeldVintage, RowPlan } from '../domain/series/merge-plan.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../domain/series/series.ts';
import type { CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
import type { DescriptionChange, Followed } from './followed.ts';

/** The rows that an import added, as days by what they have in common. */
type AddedDays<Key> = readonly (readonly [key: Key, days: DateSetText])[];

function addedDays<Key>(rows: Iterable<readonly [key: Key, day: Day]>): AddedDays<Key> {
  const days = new Map<Key, Day[]>();
  for (const [key, day] of rows) {
    const own = days.get(key);
    if (own === undefined) days.set(key, [day]);
    else own.push(day);
  }
  return Array.from(days, ([key, own]) => [key, formatDateSet(own)] as const);
}

function eachAdded<Key>(added: AddedDays<Key>): readonly (readonly [key: Key, day: Day])[] {
  return added.flatMap(([key, days]) =>
    parseDateSet(days)
      .days()
      .map((day) => [key, day] as const),
  );
}

/** A series before an import. */
export type SeriesBefore = {
  /** Whether the import created the series. */
  readonly isNew: boolean;
  /** Whether it had vintages; if not, the import brought all of them. */
  readonly hadVintages: boolean;
  readonly stated: SeriesMetadata;
  readonly implied: SeriesMetadata;
  readonly normalisedBy: Frequency;
  readonly coveredTo: string;
  /** The coverage after the import: a pull that finds nothing new extends it further. */
  readonly coveredAfter: string;
  /** The rows that the import added, by vintage. */
  readonly added: Readonly<Record<KeptChange['kind'], AddedDays<Day>>>;
  readonly removed: readonly KeptChange[];
  readonly addedVintages: readonly Day[];
  readonly vintages: readonly HeldVintage[];
  /** The changes of its description, if the import added to them. */
  readonly descriptions?: readonly DescriptionChange[];
};

/** The rates of a curve before an import. */
export type PointsBefore = {
  readonly curveType: CurveType;
  /** The trade dates that the import covered. */
  readonly days: DateSetText;
  /** The rates that the import added, by maturity. */
  readonly added: AddedDays<Maturity>;
  readonly changed: readonly CurvePoint[];
};

/** The filings before an import. */
export type FilingsBefore = {
  /** Those that the store had before. */
  readonly held: readonly string[];
  readonly added: readonly (readonly [filingId: string, issuerCik: string])[];
  readonly changed: readonly HeldFiling[];
};

/** What a store followed before an import, by source and name; null for what it did not follow. */
export type FollowedBefore = readonly {
  readonly source: string;
  readonly name: string;
  readonly before: Followed | null;
}[];

/** The places of the rows of a series that an import added, without their values. */
export function addedRows({ added }: SeriesBefore): readonly KeptChange[] {
  return (['fact', 'respelling'] as const).flatMap((kind) =>
    eachAdded(added[kind]).map(([asOf, date]) => ({ kind, date, asOf, value: null })),
  );
}

/** The rows of a series that an import adds and removes, in all its merges together. */
export class ChangedRows {
  readonly #rows = new Map<string, { readonly before: KeptChange | undefined; now?: KeptChange }>();
  readonly #vintages = new Map<Day, HeldVintage | undefined>();

  /** Takes what is about to be written; `held` are the vintages before it, none if all vintages of the plan are new. */
  take({ removed, inserted, vintages }: RowPlan, held: readonly HeldVintage[]): void {
    const keyOf = ({ kind, date, asOf }: KeptChange) => `${kind} ${date} ${asOf}`;
    for (const row of removed) {
      const { before } = this.#rows.get(keyOf(row)) ?? { before: row };
      this.#rows.set(keyOf(row), { before });
    }
    for (const row of inserted)
      this.#rows.set(keyOf(row), { before: this.#rows.get(keyOf(row))?.before, now: row });
    const known = new Map(held.map((vintage) => [vintage.asOf, vintage]));
    for (const { asOf } of vintages) if (!this.#vintages.has(asOf)) this.#vintages.set(asOf, known.get(asOf));
  }

  /** What was there before the import, and what it added. */
  before(): Pick<SeriesBefore, 'added' | 'removed' | 'addedVintages' | 'vintages'> {
    const changed = [...this.#rows.values()].filter(
      ({ before, now }) => before?.value !== now?.value || (before === undefined) !== (now === undefined),
    );
    const added = (kind: KeptChange['kind']) =>
      addedDays(changed.flatMap(({ now }) => (now?.kind === kind ? [[now.asOf, now.date] as const] : [])));
    return {
      added: { fact: added('fact'), respelling: added('respelling') },
      removed: changed.flatMap(({ before }) => before ?? []),
      addedVintages: [...this.#vintages].flatMap(([asOf, one]) => (one === undefined ? [asOf] : [])),
      vintages: [...this.#vintages.values()].flatMap((one) => one ?? []),
    };
  }
}

/** What an import changes besides series, collected until the import ends. */
export class OtherChanges {
  readonly #points = new Map<
    string,
    { readonly point: CurvePoint; readonly before: CurvePoint | undefined }
  >();
  readonly #days = new Map<CurveType, Set<Day>>();
  readonly #filings = new Map<string, string>();
  /** The changed filings; null for a new one. */
  readonly #changedFilings = new Map<string, HeldFiling | null>();
  readonly #followed = new Map<string, FollowedBefore[number]>();

  points(given: readonly CurvePoint[], put: readonly CurvePoint[], held: readonly CurvePoint[]): void {
    for (const { curveType, tradeDate } of given)
      this.#days.set(curveType, (this.#days.get(curveType) ?? new Set()).add(tradeDate));
    const keyOf = ({ curveType, tradeDate, maturity }: CurvePoint) => `${curveType} ${tradeDate} ${maturity}`;
    const known = new Map(held.map((point) => [keyOf(point), point]));
    for (const point of put) {
      const key = keyOf(point);
      if (!this.#points.has(key)) this.#points.set(key, { point, before: known.get(key) });
    }
  }

  filings(given: readonly Filing[], put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>): void {
    for (const { filingId, issuerCik } of given)
      if (!this.#filings.has(filingId)) this.#filings.set(filingId, issuerCik);
    for (const { filingId } of put.map(({ header }) => header))
      if (!this.#changedFilings.has(filingId)) this.#changedFilings.set(filingId, held.get(filingId) ?? null);
  }

  followed(source: string, name: string, before: Followed | undefined): void {
    const key = `${source} ${name}`;
    if (!this.#followed.has(key)) this.#followed.set(key, { source, name, before: before ?? null });
  }

  /** The subjects, and what each was before. */
  before(): readonly (readonly [subject: string, content: object])[] {
    const points = Array.from(this.#days, ([curveType, days]) => {
      const own = [...this.#points.values()].filter(({ point }) => point.curveType === curveType);
      const added = own.filter(({ before }) => before === undefined);
      const content: PointsBefore = {
        curveType,
        days: formatDateSet(days),
        added: addedDays(added.map(({ point }) => [point.maturity, point.tradeDate])),
        changed: own.flatMap(({ before }) => before ?? []),
      };
      return [`curve ${curveType}`, content] as const;
    });
    const isAdded = ([filingId]: readonly [string, string]) => this.#changedFilings.get(filingId) === null;
    const filings: FilingsBefore = {
      held: [...this.#filings].filter((one) => !isAdded(one)).map(([filingId]) => filingId),
      added: [...this.#filings].filter(isAdded),
      changed: [...this.#changedFilings.values()].flatMap((before) => before ?? []),
    };
    const followed: FollowedBefore = [...this.#followed.values()];
    return [
      ...points,
      ...(this.#filings.size > 0 ? [['filings', filings] as const] : []),
      ...(followed.length > 0 ? [['followed', followed] as const] : []),
    ];
  }
}
