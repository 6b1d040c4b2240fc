import type { Database } from 'better-sqlite3';
import type { SeriesMetadata } from '../../domain/series/series.ts';
import type { SeriesRecord } from '../store.ts';
import { prepare } from './connect.ts';

/** What the store holds of a series besides numbers; undefined for one it never heard of. */
export function readRecord(db: Database, seriesId: string): SeriesRecord | undefined {
  const row = prepare(
    db,
    `select title, units, frequency, seasonal_adjustment as seasonalAdjustment, source, stated_covered_to as coveredTo,
      implied_frequency as impliedFrequency, implied_source as impliedSource, first_vintage as firstVintage from series where id = ?`,
  ).get(seriesId) as Record<string, string | null> | undefined;
  if (row === undefined) return undefined;
  const { impliedFrequency, impliedSource, firstVintage, ...stated } = row;
  return {
    stated: metadata(seriesId, stated),
    implied: metadata(seriesId, { frequency: impliedFrequency ?? null, source: impliedSource ?? null }),
    begun: typeof firstVintage === 'string',
  };
}

/** The fields that are not null; the columns hold only what a SeriesMetadata held. */
function metadata(seriesId: string, fields: Record<string, string | null>): SeriesMetadata {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  return { seriesId, ...Object.fromEntries(present) };
}

/** Writes what is held of a series besides numbers; false when it was so already. */
export function writeRecord(
  db: Database,
  key: number,
  { stated, implied }: Pick<SeriesRecord, 'stated' | 'implied'>,
): boolean {
  const outcome = prepare(
    db,
    `update series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_covered_to = @coveredTo,
      implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where key = @key and (title is not @title or units is not @units or frequency is not @frequency
      or seasonal_adjustment is not @seasonalAdjustment or source is not @source
      or stated_covered_to is not @coveredTo
      or implied_frequency is not @impliedFrequency or implied_source is not @impliedSource)`,
  ).run({
    key,
    title: stated.title ?? null,
    units: stated.units ?? null,
    frequency: stated.frequency ?? null,
    seasonalAdjustment: stated.seasonalAdjustment ?? null,
    source: stated.source ?? null,
    coveredTo: stated.coveredTo ?? null,
    impliedFrequency: implied.frequency ?? null,
    impliedSource: implied.source ?? null,
  });
  return outcome.changes > 0;
}
