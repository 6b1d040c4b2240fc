import type { SeriesMetadata } from '../domain/series/series.ts';

/** The metadata of a series in a store. */
export type SeriesRecord = {
  /** Stated by metadata files. */
  readonly stated: SeriesMetadata;
  /** Implied by the formats of its files; used for fields that are not stated. */
  readonly implied: SeriesMetadata;
  /** Whether the series had any statement before this import. */
  readonly hadStatements: boolean;
};

/** The columns of a series' record; null where nothing is stated or implied. */
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
