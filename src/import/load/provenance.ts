import type { SeriesMetadata } from '../../domain/series/series.ts';
import type { SeriesRecord } from '../../store/store.ts';

const separator = '; ';

/** A field of metadata that differs from the one held. */
export type MetadataConflict = {
  readonly seriesId: string;
  readonly field: string;
  readonly held: string;
  readonly given: string;
};

/** A record with one more piece of metadata, and the fields in which that contradicts what is held. */
export type Combined = { readonly record: SeriesRecord; readonly conflicts: readonly MetadataConflict[] };

const labels: Readonly<Record<string, string>> = { seasonalAdjustment: 'seasonal adjustment' };

/** Adds metadata as a person or a catalogue states it. A field that differs from the one held is a conflict unless it is to be replaced. */
export function withStated(record: SeriesRecord, given: SeriesMetadata, replace: boolean): Combined {
  const conflicts: MetadataConflict[] = [];
  const { coveredTo: heldTo, ...held } = record.stated;
  const { coveredTo: givenTo, ...fields } = given;
  for (const [field, value] of Object.entries(fields)) {
    const before = held[field as keyof typeof held];
    if (before === undefined || before === value || replace) continue;
    conflicts.push({ seriesId: given.seriesId, field: labels[field] ?? field, held: before, given: value });
  }
  const implied = record.implied.frequency;
  if (given.frequency !== undefined && implied !== undefined && implied !== given.frequency) {
    conflicts.push({ seriesId: given.seriesId, field: 'frequency', held: implied, given: given.frequency });
  }
  const coveredTo = [heldTo ?? '', givenTo ?? ''].sort().at(-1) ?? '';
  const stated = { ...held, ...fields, ...(coveredTo !== '' && { coveredTo }) };
  return { record: { ...record, stated }, conflicts };
}

/** Adds what a file's format implies of a series; another frequency than the one held is a conflict. */
export function withImplied(record: SeriesRecord, given: SeriesMetadata): Combined {
  const held = record.stated.frequency ?? record.implied.frequency;
  if (given.frequency === undefined) return { record, conflicts: [] };
  if (held !== undefined && held !== given.frequency) {
    return {
      record,
      conflicts: [{ seriesId: given.seriesId, field: 'frequency', held, given: given.frequency }],
    };
  }
  return { record: { ...record, implied: { ...record.implied, frequency: given.frequency } }, conflicts: [] };
}

/** The sources of a series' facts so far; where no format named one, the source in its metadata. */
export function sourcesOf(record: SeriesRecord): readonly string[] {
  const source = record.implied.source ?? record.stated.source;
  return source === undefined ? [] : source.split(separator);
}

/** A record whose facts also come from these sources, in an order that does not depend on that of the imports. */
export function withSources(record: SeriesRecord, sources: readonly string[]): SeriesRecord {
  if (sources.length === 0) return record;
  const held = record.implied.source?.split(separator) ?? [];
  const source = [...new Set([...held, ...sources])].sort().join(separator);
  return { ...record, implied: { ...record.implied, source } };
}
