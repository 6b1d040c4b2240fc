import type { Filing } from '../domain/insider/filing.ts';
import type { HeldFiling } from '../domain/insider/merge-filings.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import { type DateSetText, formatDateSet, parseDateSet } from '../domain/series/date-set.ts';
import type { HeldVintage, MergePlan } from '../domain/series/merge-plan.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../domain/series/series.ts';
import type { CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
import type { DescriptionChange, Followed } from './followed.ts';

/**
 * What an import changed in one subject, in the form that a store keeps: `series GDP`, `curve PAR`, `filings`,
 * `followed`.
 */
export type ImportChange = {
  readonly import: number;
  readonly subject: string;
  /** The version of a series after the import; 0 for any other subject. */
  readonly version: number;
  /** JSON. */
  readonly content: string;
};

type RowKind = KeptChange['kind'];

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
  /** The rows that the import added, as their dates by vintage. */
  readonly added: Readonly<Record<RowKind, readonly (readonly [asOf: Day, dates: DateSetText])[]>>;
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
  /** The rates that the import added, as their trade dates by maturity. */
  readonly added: readonly (readonly [maturity: Maturity, days: DateSetText])[];
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

/** The rows of a series that an import adds and removes, in all its merges together. */
export class RowChanges {
  readonly #rows = new Map<
    string,
    { readonly before: KeptChange | undefined; now: KeptChange | undefined }
  >();
  readonly #vintages = new Map<Day, HeldVintage | undefined>();

  /** Takes what is about to be written; `held` are the vintages before it, none if all vintages of the plan are new. */
  take({ removed, inserted, vintages }: MergePlan, held: readonly HeldVintage[]): void {
    for (const row of removed) this.#entry(row, row).now = undefined;
    for (const row of inserted) this.#entry(row, undefined).now = row;
    const before = new Map(held.map((vintage) => [vintage.asOf, vintage]));
    for (const { asOf } of vintages)
      if (!this.#vintages.has(asOf)) this.#vintages.set(asOf, before.get(asOf));
  }

  /** What was there before the import, and what it added. */
  before(): Pick<SeriesBefore, 'added' | 'removed' | 'addedVintages' | 'vintages'> {
    const dates: Record<RowKind, Map<Day, Day[]>> = { fact: new Map(), respelling: new Map() };
    const removed: KeptChange[] = [];
    for (const { before, now } of this.#rows.values()) {
      if (before?.value === now?.value && (before === undefined) === (now === undefined)) continue;
      if (before !== undefined) removed.push(before);
      if (now === undefined) continue;
      const own = dates[now.kind].get(now.asOf);
      if (own === undefined) dates[now.kind].set(now.asOf, [now.date]);
      else own.push(now.date);
    }
    const listed = (kind: RowKind) =>
      Array.from(dates[kind], ([asOf, days]) => [asOf, formatDateSet(days)] as const);
    const vintages = [...this.#vintages.values()].filter((one) => one !== undefined);
    const addedVintages = [...this.#vintages].flatMap(([asOf, one]) => (one === undefined ? [asOf] : []));
    return {
      added: { fact: listed('fact'), respelling: listed('respelling') },
      removed,
      addedVintages,
      vintages,
    };
  }

  #entry(row: KeptChange, before: KeptChange | undefined) {
    const key = `${row.kind} ${row.date} ${row.asOf}`;
    const known = this.#rows.get(key) ?? { before, now: undefined };
    this.#rows.set(key, known);
    return known;
  }
}

/** The places of the added rows, without their values. */
export function addedRows({ added }: Pick<SeriesBefore, 'added'>): readonly KeptChange[] {
  return (['fact', 'respelling'] as const).flatMap((kind) =>
    added[kind].flatMap(([asOf, dates]) =>
      parseDateSet(dates)
        .days()
        .map((date) => ({ kind, date, asOf, value: null })),
    ),
  );
}

/** What an import changes besides series, collected until the import ends. */
export class OtherChanges {
  readonly #points = new Map<
    string,
    { readonly point: CurvePoint; readonly before: CurvePoint | undefined }
  >();
  readonly #days = new Map<CurveType, Set<Day>>();
  readonly #filings = new Map<
    string,
    { readonly issuerCik: string; before: HeldFiling | null | undefined }
  >();
  readonly #followed = new Map<string, FollowedBefore[number]>();

  points(given: readonly CurvePoint[], put: readonly CurvePoint[], held: readonly CurvePoint[]): void {
    for (const { curveType, tradeDate } of given) {
      const days = this.#days.get(curveType) ?? new Set<Day>();
      this.#days.set(curveType, days.add(tradeDate));
    }
    const keyOf = ({ curveType, tradeDate, maturity }: CurvePoint) => `${curveType} ${tradeDate} ${maturity}`;
    const before = new Map(held.map((point) => [keyOf(point), point]));
    for (const point of put) {
      const key = keyOf(point);
      if (!this.#points.has(key)) this.#points.set(key, { point, before: before.get(key) });
    }
  }

  filings(given: readonly Filing[], put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>): void {
    for (const { filingId, issuerCik } of given)
      if (!this.#filings.has(filingId)) this.#filings.set(filingId, { issuerCik, before: undefined });
    for (const { header } of put) {
      const known = this.#filings.get(header.filingId);
      if (known !== undefined && known.before === undefined) known.before = held.get(header.filingId) ?? null;
    }
  }

  followed(source: string, name: string, before: Followed | undefined): void {
    const key = `${source} ${name}`;
    if (!this.#followed.has(key)) this.#followed.set(key, { source, name, before: before ?? null });
  }

  /** The subjects, and what each was before. */
  before(): readonly (readonly [subject: string, content: object])[] {
    const points = Array.from(this.#days, ([curveType, days]) => {
      const own = [...this.#points.values()].filter(({ point }) => point.curveType === curveType);
      const added = new Map<Maturity, Day[]>();
      for (const { point, before } of own) {
        if (before !== undefined) continue;
        const known = added.get(point.maturity);
        if (known === undefined) added.set(point.maturity, [point.tradeDate]);
        else known.push(point.tradeDate);
      }
      const content: PointsBefore = {
        curveType,
        days: formatDateSet(days),
        added: Array.from(added, ([maturity, dates]) => [maturity, formatDateSet(dates)]),
        changed: own.flatMap(({ before }) => before ?? []),
      };
      return [`curve ${curveType}`, content] as const;
    });
    const filings: FilingsBefore = {
      held: [...this.#filings].flatMap(([filingId, { before }]) => (before === null ? [] : [filingId])),
      added: [...this.#filings].flatMap(([filingId, { issuerCik, before }]) =>
        before === null ? [[filingId, issuerCik] as const] : [],
      ),
      changed: [...this.#filings.values()].flatMap(({ before }) => before ?? []),
    };
    const followed: FollowedBefore = [...this.#followed.values()];
    return [
      ...points,
      ...(this.#filings.size > 0 ? [['filings', filings] as const] : []),
      ...(followed.length > 0 ? [['followed', followed] as const] : []),
    ];
  }
}

/** A rate by its place on a curve. */
export type PointPlace = Pick<CurvePoint, 'curveType' | 'tradeDate' | 'maturity'>;

/** The places of the rates that were added. */
export function addedPoints({ curveType, added }: PointsBefore): readonly PointPlace[] {
  return added.flatMap(([maturity, dates]) =>
    parseDateSet(dates)
      .days()
      .map((tradeDate) => ({ curveType, tradeDate, maturity })),
  );
}

/** A filing, and the issuer by which its rows are found. */
export type FilingPlace = Pick<Filing, 'filingId' | 'issuerCik'>;
