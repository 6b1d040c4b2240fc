import type { Day, Frequency } from '../domain/series/date.ts';
import { parseDateSet } from '../domain/series/date-set.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import { type Change, knownOn, type Statement } from '../domain/series/revision-history.ts';
import {
  type FrequencySince,
  impliedFrequencies,
  type KeptKind,
  kindOf,
  type SeriesMetadata,
  type VintageKind,
} from '../domain/series/series.ts';
import type { SeriesContents, SeriesFigures } from './contents.ts';
import type { Series } from './store.ts';

/** The metadata of a series in a store. */
export type SeriesRecord = {
  /** Stated by metadata files. */
  readonly stated: SeriesMetadata;
  /** Implied by the formats of its files; used for fields that are not stated. */
  readonly implied: SeriesMetadata;
  /** Whether the series had any statement before this import. */
  readonly hadStatements: boolean;
};

/** A series as its table holds it; `key` is that of an engine with numbers for series. */
export type SeriesRow = Series &
  StatedKind & { readonly dateCount: number; readonly factCount: number; readonly key?: number };

export function seriesOf({
  dateCount: _dates,
  factCount: _facts,
  statedKind: _stated,
  ...row
}: SeriesRow): Series {
  const { key: _key, ...series } = row;
  return series;
}

/** The columns of a series' record; null where nothing is stated or implied. */
export type RecordRow = ReturnType<typeof recordCells> & { readonly firstVintage: string | null };

export function recordOf(
  seriesId: string,
  { impliedFrequency, impliedSource, firstVintage, ...stated }: RecordRow,
): SeriesRecord {
  return {
    stated: { seriesId, ...present(stated) },
    implied: { seriesId, ...present({ frequency: impliedFrequency, source: impliedSource }) },
    hadStatements: firstVintage !== null,
  };
}

export function recordCells({ stated, implied }: Pick<SeriesRecord, 'stated' | 'implied'>) {
  return {
    title: stated.title ?? null,
    units: stated.units ?? null,
    frequency: stated.frequency ?? null,
    seasonalAdjustment: stated.seasonalAdjustment ?? null,
    source: stated.source ?? null,
    vintageKind: stated.vintageKind ?? null,
    coveredTo: stated.coveredTo ?? null,
    impliedFrequency: implied.frequency ?? null,
    impliedSource: implied.source ?? null,
  };
}

type Present<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as Present<T>;
}

/** The row of a series with everything that is kept of it. */
export type ContentsRow = RecordRow &
  Pick<SeriesFigures, 'observationCount' | 'dateCount' | 'factCount' | 'spacing'> & {
    readonly normalisedBy: Frequency;
    readonly coverage: string | null;
    readonly keptKinds: string;
    readonly lastVintage: string | null;
  };

/** The contents of a series from its row and its vintages. */
export function contentsOf(id: string, row: ContentsRow, vintages: readonly HeldVintage[]): SeriesContents {
  const { normalisedBy, coverage, keptKinds, lastVintage, ...rest } = row;
  const { observationCount, dateCount, factCount, spacing, ...record } = rest;
  const { stated, implied } = recordOf(id, record);
  const days = { firstVintage: record.firstVintage ?? '', lastVintage: lastVintage ?? '' };
  const figures = { observationCount, dateCount, factCount, ...days, spacing, vintageKind: keptKinds };
  return { id, stated, implied, normalisedBy, coveredTo: coverage ?? '', figures, vintages };
}

/** What metadata states about all vintages of a series. */
export type StatedKind = { readonly statedKind: VintageKind | null };

/** A row with the kind of its vintage: as files imply or, if these leave it open, as metadata states. */
export function withKind<T extends { readonly kind: KeptKind }>(row: T, { statedKind }: StatedKind) {
  return { ...row, kind: kindOf(row.kind, statedKind ?? undefined) };
}

/** What its statements need to know about a series. */
export type StatedSeries = StatedKind & {
  readonly seriesId: string;
  readonly normalisedBy: Frequency;
  readonly vintages: readonly HeldVintage[];
};

const batchSize = 5000;

/**
 * Every statement about a series, by date and then as-of date, in batches; statements that changed nothing are derived
 * from the vintages. `changes` reads the changes of the dates between two days.
 */
export async function* statementsOf(
  { seriesId, normalisedBy, statedKind, vintages: held }: StatedSeries,
  changes: (from: Day, to: Day) => Promise<ReadonlyMap<Day, readonly Change[]>>,
): AsyncGenerator<readonly Statement[]> {
  const sets = new Map<string, ReturnType<typeof parseDateSet>>();
  const vintages = held.map(({ asOf, dates: text, complete, kind }) => {
    const dates = sets.get(text) ?? parseDateSet(text, normalisedBy);
    sets.set(text, dates);
    return { asOf, dates, complete, kind: kindOf(kind, statedKind ?? undefined) };
  });
  const dates = [...new Set([...sets.values()].flatMap((set) => set.days()))].sort();
  // Read as many dates at once as have about one batch of changes.
  const datesRead = Math.max(16, Math.floor(batchSize / Math.max(1, vintages.length)));
  let batch: Statement[] = [];
  for (let at = 0; at < dates.length; at += datesRead) {
    const some = dates.slice(at, at + datesRead);
    const known = await changes(some[0] ?? '', some.at(-1) ?? '');
    for (const date of some) {
      const own = known.get(date) ?? [];
      for (const vintage of vintages) {
        if (!vintage.complete && !vintage.dates.has(date)) continue;
        const { asOf, kind } = vintage;
        batch.push({ seriesId, date, asOf, value: knownOn(own, asOf), kind });
      }
      if (batch.length >= batchSize) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/** The frequencies that the spacing of the dates in vintages (ascending) implied, each from a day on. */
export function frequenciesIn(
  vintages: readonly Pick<HeldVintage, 'asOf' | 'dates'>[],
): readonly FrequencySince[] {
  const known = new Map<Day, Day>();
  const seen = new Set<string>();
  for (const { asOf, dates } of vintages) {
    if (seen.has(dates)) continue;
    seen.add(dates);
    for (const date of parseDateSet(dates).days()) if (!known.has(date)) known.set(date, asOf);
  }
  return impliedFrequencies(known);
}

/** The changes of rows that are ordered by date and then as-of date. */
export function changesByDate(
  rows: Iterable<readonly [date: Day, asOf: Day, value: string | null]>,
): ReadonlyMap<Day, readonly Change[]> {
  const changes = new Map<Day, Change[]>();
  for (const [date, asOf, value] of rows) {
    const known = changes.get(date);
    if (known === undefined) changes.set(date, [{ asOf, value }]);
    else known.push({ asOf, value });
  }
  return changes;
}
