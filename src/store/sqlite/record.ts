import type { SeriesMetadata } from '../../domain/series/series.ts';
import type { SeriesRecord } from '../store.ts';
import type { Connection } from './connection.ts';

type RecordRow = {
  readonly title: string | null;
  readonly units: string | null;
  readonly frequency: SeriesMetadata['frequency'] | null;
  readonly seasonalAdjustment: string | null;
  readonly source: string | null;
  readonly coveredTo: string | null;
  readonly impliedFrequency: SeriesMetadata['frequency'] | null;
  readonly impliedSource: string | null;
  readonly firstVintage: string | null;
};

/** What the store holds of a series besides its statements; undefined for one it does not know. */
export function readRecord(connection: Connection, seriesId: string): SeriesRecord | undefined {
  const row = connection
    .objects<RecordRow>(
      `select title, units, frequency, seasonal_adjustment as seasonalAdjustment, source,
        stated_covered_to as coveredTo, implied_frequency as impliedFrequency, implied_source as impliedSource,
        first_vintage as firstVintage
      from series where id = ?`,
    )
    .get(seriesId);
  if (row === undefined) return undefined;
  const { impliedFrequency, impliedSource, firstVintage, ...stated } = row;
  return {
    stated: { seriesId, ...present(stated) },
    implied: { seriesId, ...present({ frequency: impliedFrequency, source: impliedSource }) },
    hadStatements: firstVintage !== null,
  };
}

type Present<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

/** The fields that are not null. */
function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as Present<T>;
}

/** Writes what is held of a series besides its statements; false when it is so already. */
export function writeRecord(
  connection: Connection,
  key: number,
  { stated, implied }: Pick<SeriesRecord, 'stated' | 'implied'>,
): boolean {
  const { changes } = connection.run(
    `update series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_covered_to = @coveredTo,
      implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where key = @key and (title is not @title or units is not @units or frequency is not @frequency
      or seasonal_adjustment is not @seasonalAdjustment or source is not @source
      or stated_covered_to is not @coveredTo
      or implied_frequency is not @impliedFrequency or implied_source is not @impliedSource)`,
    {
      key,
      title: stated.title ?? null,
      units: stated.units ?? null,
      frequency: stated.frequency ?? null,
      seasonalAdjustment: stated.seasonalAdjustment ?? null,
      source: stated.source ?? null,
      coveredTo: stated.coveredTo ?? null,
      impliedFrequency: implied.frequency ?? null,
      impliedSource: implied.source ?? null,
    },
  );
  return changes > 0;
}
