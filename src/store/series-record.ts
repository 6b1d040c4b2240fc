import type { Frequency } from '../domain/series/date.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import type { SeriesMetadata } from '../domain/series/series.ts';
import type { SeriesContents } from './contents.ts';
import type { StatedKind } from './statements.ts';
import type { Series, SeriesRecord } from './store.ts';

/** A series as its table holds it. */
export type SeriesRow = Series & StatedKind & { readonly dateCount: number; readonly factCount: number };

/** The series of a row. */
export function seriesOf({
  dateCount: _dates,
  factCount: _facts,
  statedKind: _stated,
  ...series
}: SeriesRow): Series {
  return series;
}

/** The columns of a series' record; null where nothing is stated or implied. */
export type RecordRow = RecordCells & { readonly firstVintage: string | null };

/** The columns of a series' metadata. */
type RecordCells = {
  readonly title: string | null;
  readonly units: string | null;
  readonly frequency: NonNullable<SeriesMetadata['frequency']> | null;
  readonly seasonalAdjustment: string | null;
  readonly source: string | null;
  readonly vintageKind: NonNullable<SeriesMetadata['vintageKind']> | null;
  readonly coveredTo: string | null;
  readonly impliedFrequency: NonNullable<SeriesMetadata['frequency']> | null;
  readonly impliedSource: string | null;
};

/** The record of a row. */
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

/** The columns of a record. */
export function recordCells({ stated, implied }: Pick<SeriesRecord, 'stated' | 'implied'>): RecordCells {
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

/** The fields that are not null. */
function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as Present<T>;
}

/** The row of a series with everything that is kept of it. */
export type ContentsRow = RecordRow & {
  readonly normalisedBy: Frequency;
  readonly coverage: string | null;
  readonly spacing: Frequency;
  readonly keptKinds: string;
  readonly observationCount: number;
  readonly dateCount: number;
  readonly factCount: number;
  readonly lastVintage: string | null;
};

/** The contents of a series from its row and its vintages. */
export function contentsOf(id: string, row: ContentsRow, vintages: readonly HeldVintage[]): SeriesContents {
  const { normalisedBy, coverage, spacing, keptKinds, lastVintage, ...rest } = row;
  const { observationCount, dateCount, factCount, ...record } = rest;
  const { stated, implied } = recordOf(id, record);
  return {
    id,
    stated,
    implied,
    normalisedBy,
    coveredTo: coverage ?? '',
    figures: {
      observationCount,
      dateCount,
      factCount,
      firstVintage: record.firstVintage ?? '',
      lastVintage: lastVintage ?? '',
      spacing,
      vintageKind: keptKinds,
    },
    vintages,
  };
}
