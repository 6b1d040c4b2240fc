import type { SeriesMetadata } from '../../domain/series/series.ts';
import type { SeriesRecord } from '../../store/store.ts';

const separator = '; ';

/** What stands against a piece of metadata: the field, what the store holds, and what was given. */
export type MetadataClash = {
  readonly seriesId: string;
  readonly field: string;
  readonly held: string;
  readonly given: string;
};

/** A record with one more piece of metadata, or the fields in which it contradicts what is held. */
export type Combined = { readonly record: SeriesRecord; readonly clashes: readonly MetadataClash[] };

const labels: Readonly<Record<string, string>> = { seasonalAdjustment: 'seasonal adjustment' };

/** Metadata as a person or a catalogue states it: what is held already may not differ, unless it is to be replaced. */
export function withStated(record: SeriesRecord, given: SeriesMetadata, replace: boolean): Combined {
  const clashes: MetadataClash[] = [];
  const { coveredTo: heldTo, ...held } = record.stated;
  const { coveredTo: givenTo, ...fields } = given;
  for (const [field, value] of Object.entries(fields)) {
    const before = held[field as keyof typeof held];
    if (before === undefined || before === value || replace) continue;
    clashes.push({ seriesId: given.seriesId, field: labels[field] ?? field, held: before, given: value });
  }
  const implied = record.implied.frequency;
  if (given.frequency !== undefined && implied !== undefined && implied !== given.frequency) {
    clashes.push({ seriesId: given.seriesId, field: 'frequency', held: implied, given: given.frequency });
  }
  const coveredTo = [heldTo ?? '', givenTo ?? ''].sort().at(-1) ?? '';
  const stated = { ...held, ...fields, ...(coveredTo !== '' && { coveredTo }) };
  return { record: { ...record, stated }, clashes };
}

/** What a file's format implies of a series: its frequency may not contradict the one held. */
export function withImplied(record: SeriesRecord, given: SeriesMetadata): Combined {
  const held = record.stated.frequency ?? record.implied.frequency;
  if (given.frequency === undefined) return { record, clashes: [] };
  if (held !== undefined && held !== given.frequency) {
    return {
      record,
      clashes: [{ seriesId: given.seriesId, field: 'frequency', held, given: given.frequency }],
    };
  }
  return { record: { ...record, implied: { ...record.implied, frequency: given.frequency } }, clashes: [] };
}

/** The sources that a series' facts came from so far; where no format named one, what its metadata says. */
export function sourcesOf(record: SeriesRecord): readonly string[] {
  const source = record.implied.source ?? record.stated.source;
  return source === undefined ? [] : source.split(separator);
}

/** A record whose facts also come from these sources; the order in which they came leaves no trace. */
export function withSources(record: SeriesRecord, sources: readonly string[]): SeriesRecord {
  if (sources.length === 0) return record;
  const held = record.implied.source?.split(separator) ?? [];
  const source = [...new Set([...held, ...sources])].sort().join(separator);
  return { ...record, implied: { ...record.implied, source } };
}
