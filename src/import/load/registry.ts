import { sourceNamesIn } from '../../domain/series/publishers.ts';
import { realTimeVariables } from '../../domain/series/real-time-data-set.ts';
import type { DescriptionChange, SeriesMetadata } from '../../domain/series/series.ts';
import { type Day, earlier, type Frequency, later } from '../../domain/values/date.ts';
import { entryOf, groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import type { SeriesRecord } from '../../store/sql/series-rows.ts';

import type { StoreWriter } from '../../store/writer.ts';
import { copyOf } from '../files/source-file.ts';
import type { Batch, ReadOptions } from '../formats/format.ts';
import type { ImportConflict } from './conflict.ts';

/** What a user chooses for the merge of files into a store. */
export type MergeChoices = {
  /** Accepts a series from a second source. */
  readonly merge?: boolean | undefined;
  /** Accepts new statements that contradict stored ones. */
  readonly replace?: boolean | undefined;
  /** Withdraws, in a whole vintage, stored dates that have no row. */
  readonly complete?: boolean | undefined;
  /** Accepts values of periods that begin after the day of publication, in files dated by `asOf`. */
  readonly projections?: boolean | undefined;
  /** The seconds for which imports can be undone; this one forgets what undoing older ones needs. Default: for ever. */
  readonly keepUndo?: number | undefined;
};

/** The share of an import's files that one transaction stores: whole series. */
export type Part = {
  /** True for the part with everything that belongs to no series, which is checked once. */
  readonly isFirst: boolean;
  /** The series of the parts up to this one. */
  readonly upTo: number;
  /** The ids under which to store series of this part, by their ids in the files. */
  readonly rename: ReadonlyMap<string, string>;
  /** Reads what a file has of this part, and counts the bytes; undefined if the file has nothing. */
  readonly read: (file: number, counter: (bytes: number) => void) => AsyncIterable<Batch> | undefined;
};

/** Options for loading files. */
export type LoadOptions = ReadOptions &
  MergeChoices & {
    /** The ids under which to store series, by their ids in the files. Default: the same ids. */
    readonly rename?: ReadonlyMap<string, string>;
    /** Accepts new metadata that differs from stored metadata, as in a publisher's newest description. */
    readonly redescribe?: boolean;
    /** The time of the import, ISO 8601. */
    readonly importedAt: string;
    /** The latest day that has begun anywhere on Earth. */
    readonly latest: Day;
    /** Selects what is loaded. Default: everything. */
    readonly part?: Part;
    /** The name for all files as one entry in the log. Default: one entry a file. */
    readonly loggedAs?: string;
    /** Receives the conflicts of the import, which are then left out instead of refused. */
    readonly onConflicts?: (conflicts: readonly ImportConflict[]) => void;
    /** The number of statements to collect before a merge; the result does not depend on this number. */
    readonly bufferSize?: number;
    /** Called between steps; the import waits for the promise, and stops if it rejects. */
    readonly onProgress?: (progress: LoadProgress) => Promise<void>;
  };

/** Progress in rows of the current file and bytes of all files. */
export type LoadProgress = {
  readonly file: string;
  readonly rows: number;
  readonly done: number;
  readonly total: number;
};

type SeriesEntry = {
  readonly id: string;
  record: SeriesRecord;
  /** True if the record was read from the store. */
  isLoaded: boolean;
  metadataSource: string | undefined;
  /** True if facts come from a format that names no source. */
  unclaimed: boolean;
  readonly claims: Set<string>;
  /** The last day that the import covers so far; empty without one. */
  coveredTo: Day;
  /** The units that vintages state. */
  readonly units: Map<Day, string>;
  /** The units of the vintages that the series had before those of the import. */
  unitsBefore: ReadonlyMap<Day, string> | undefined;
  /** The last file whose units must be those that the series has. */
  unitsFile: string | undefined;
};

/** The metadata, coverage and sources of an import's series. */
export class Registry {
  readonly #writer: StoreWriter;
  readonly #options: LoadOptions;
  readonly #conflicts: ImportConflict[];
  readonly #entries = new Map<string, SeriesEntry>();
  readonly #renamed = new Set<string>();

  constructor(writer: StoreWriter, options: LoadOptions, conflicts: ImportConflict[]) {
    this.#writer = writer;
    this.#options = options;
    this.#conflicts = conflicts;
  }

  /** Returns the id under which to store a series of a file, as a text that outlives the file. */
  idOf(seriesId: string): string {
    const to = this.#options.rename?.get(seriesId);
    if (to === undefined) return this.#entries.get(seriesId)?.id ?? copyOf(seriesId);
    this.#renamed.add(seriesId);
    return to;
  }

  /** Records the source of facts of a series; undefined for a format that names none. */
  claim(seriesId: string, source: string | undefined): void {
    const entry = this.#entryOf(this.idOf(seriesId));
    if (source === undefined) entry.unclaimed = true;
    else entry.claims.add(source);
  }

  async frequencies(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Frequency>> {
    await this.#load(ids);
    return new Map(
      Array.from(ids, (id) => {
        const { stated, implied } = this.#entryOf(id).record;
        return [id, stated.frequency ?? implied.frequency ?? ''];
      }),
    );
  }

  async take(batch: Batch, file: string): Promise<readonly MetadataChange[]> {
    const { metadata = [], implied = [], coverage = [], changed: before = [], describedOn } = batch;
    const changed = new Set([...metadata, ...implied].map(({ seriesId }) => this.idOf(seriesId)));
    await this.#takeUnits(batch, file);
    if (changed.size + coverage.length + before.length === 0) return [];
    await this.#load(changed);
    const changes: MetadataChange[] = [];
    const { importedAt, merge = false, replace } = this.#options;
    const { redescribe = replace || describedOn !== undefined } = this.#options;
    for (const given of metadata) {
      const entry = this.#entryOf(this.idOf(given.seriesId));
      const coveredTo = later((await this.#writer.series(entry.id)).coveredTo, entry.coveredTo);
      // The description of an older vintage adds only what is missing.
      const isOld = describedOn !== undefined && describedOn < coveredTo;
      const described = isOld ? { ...given, ...entry.record.stated } : withBestTitle(given, entry.record);
      const stated = merge || !redescribe ? withSources(described, entry.record, merge) : described;
      const { record, conflicts, change } = withStated(entry.record, stated, entry.id);
      entry.record = record;
      changes.push(change);
      for (const conflict of conflicts)
        if (conflict.shown === true || !(redescribe || (merge && conflict.field === 'source')))
          this.#refuse(file, conflict);
      const { source = entry.metadataSource } = merge ? stated : described;
      entry.metadataSource = source;
    }
    for (const { seriesId, frequency } of implied) {
      const entry = this.#entryOf(this.idOf(seriesId));
      const held = entry.record.stated.frequency ?? entry.record.implied.frequency;
      if (frequency === undefined || held === frequency) continue;
      if (held === undefined)
        entry.record = { ...entry.record, implied: { ...entry.record.implied, frequency } };
      else
        this.#refuse(file, { seriesId: entry.id, field: 'frequency', held, given: frequency, shown: true });
    }
    await this.#put(changed);
    const changedOn = describedOn ?? importedAt.slice(0, 10);
    const { redescribe: isNews = describedOn !== undefined } = this.#options;
    for (const { fields } of changes)
      for (const field of fields) {
        // What a user replaces was never the unit; what a publisher describes anew was.
        if (isNews || field.field !== 'units') await this.#writer.recordChange({ ...field, changedOn });
      }
    for (const change of before) await this.#writer.recordChange(change);
    this.#cover([...metadata, ...coverage]);
    return changes;
  }

  /** Takes the units that vintages state; another unit of a vintage is a conflict. */
  async #takeUnits({ units = [], renamesUnits }: Batch, file: string): Promise<void> {
    const { replace, redescribe = replace } = this.#options;
    for (const [seriesId, stated] of groupBy(units, (one) => this.idOf(one.seriesId))) {
      const entry = this.#entryOf(seriesId);
      if (redescribe !== true && renamesUnits !== true) {
        await this.#load([seriesId]);
        entry.unitsBefore ??= await this.#writer.unitsOf(seriesId, entry.record.stated.units ?? '');
        const known = new Map([...entry.unitsBefore, ...entry.units]);
        for (const conflict of contradictedUnits(known, stated))
          this.#refuse(file, { seriesId, ...conflict });
        entry.unitsFile = file;
      }
      for (const one of stated) entry.units.set(one.asOf, one.units);
    }
  }

  /** Checks sources and finishes every mentioned series; must be called once, after all files. */
  async finish(): Promise<void> {
    for (const id of this.#options.rename?.keys() ?? []) {
      if (!this.#renamed.has(id))
        throw new Problem('bad-input', `--id ${id}=…: the files have no series ${id}`);
    }
    const ids = [...this.#entries.keys()];
    await this.#load(ids);
    await this.#writer.begin(ids);
    const changed = new Set<string>();
    for (const [id, entry] of this.#entries) {
      if (entry.coveredTo !== '') (await this.#writer.series(id)).cover(entry.coveredTo);
      if (this.#setSource(id, entry)) changed.add(id);
      if (entry.units.size === 0) continue;
      this.#checkDescribedUnit(entry);
      const { stated } = entry.record;
      const units = await this.#writer.stateUnits(id, stated.units ?? '', entry.units);
      entry.record = { ...entry.record, stated: { ...stated, units } };
      changed.add(id);
    }
    await this.#put(changed);
    for (const [seriesId, conflicts] of await this.#writer.finish(ids)) {
      for (const conflict of conflicts) this.#conflicts.push({ kind: 'period', seriesId, ...conflict });
    }
  }

  #entryOf(id: string): SeriesEntry {
    return entryOf(this.#entries, id, () => ({
      id,
      record: { stated: { seriesId: id }, implied: { seriesId: id }, hadStatements: false },
      isLoaded: false,
      metadataSource: undefined,
      unclaimed: false,
      claims: new Set<string>(),
      coveredTo: '',
      units: new Map<Day, string>(),
      unitsBefore: undefined,
      unitsFile: undefined,
    }));
  }

  async #load(ids: Iterable<string>): Promise<void> {
    const missing = [...ids].filter((id) => !this.#entryOf(id).isLoaded);
    if (missing.length === 0) return;
    const records = await this.#writer.records(missing);
    for (const id of missing) {
      const entry = this.#entryOf(id);
      entry.record = records.get(id) ?? entry.record;
      entry.isLoaded = true;
    }
  }

  /** Refuses units whose newest is not the one by which a series without vintages was described. */
  #checkDescribedUnit({ id, record, units, unitsFile }: SeriesEntry): void {
    const held = record.stated.units;
    const given = units.get([...units.keys()].sort().at(-1) ?? '');
    if (unitsFile === undefined || record.hadStatements || held === undefined || given === undefined) return;
    if (held !== given) this.#refuse(unitsFile, { seriesId: id, field: 'units', held, given });
  }

  async #put(ids: Iterable<string>): Promise<void> {
    for (const id of ids) await (await this.#writer.series(id)).putRecord(this.#entryOf(id).record);
  }

  #refuse(file: string, conflict: MetadataConflict): void {
    this.#conflicts.push({ kind: 'metadata', file, ...conflict });
  }

  /** Remembers coverage until the end, when many series are begun together. */
  #cover(items: readonly Pick<SeriesMetadata, 'seriesId' | 'coveredTo'>[]): void {
    for (const { seriesId, coveredTo } of items) {
      if (coveredTo === undefined) continue;
      const entry = this.#entryOf(this.idOf(seriesId));
      // An answer can cover future days (`realtime_end`), about which nothing is known yet.
      entry.coveredTo = later(entry.coveredTo, earlier(coveredTo, this.#options.latest));
    }
  }

  /** Adds the sources of new facts to a series; false if there are none or if they conflict. */
  #setSource(id: string, entry: SeriesEntry): boolean {
    const { record } = entry;
    const stated = entry.unclaimed ? entry.metadataSource : undefined;
    const claims = [...new Set([...entry.claims, ...sourceNamesIn(stated ?? '')])];
    // If no format named a source of the stored facts, the source is the one in the metadata.
    const held = record.hadStatements
      ? sourceNamesIn(record.implied.source ?? record.stated.source ?? '')
      : [];
    // A description may name several sources of a new series.
    const first = held.length > 0 ? held : sourceNamesIn(stated ?? claims[0] ?? '');
    const foreign = claims.some((claim) => !first.includes(claim));
    if (foreign && !this.#options.merge) {
      this.#conflicts.push({ kind: 'source', seriesId: id, held, given: claims });
      return false;
    }
    if (claims.length === 0) return false;
    const source = sourceText([...sourceNamesIn(record.implied.source ?? ''), ...held, ...claims]);
    entry.record = { ...record, implied: { ...record.implied, source } };
    return true;
  }
}

/** Writes names of sources in an order that does not depend on the order of imports. */
function sourceText(names: readonly string[]): string {
  return [...new Set(names)].sort().join('; ');
}

/** Returns metadata with the stored sources if they include its source, and with both if `merge` accepts both. */
function withSources(
  given: SeriesMetadata,
  { stated: { source: held = '' } }: SeriesRecord,
  merge: boolean,
): SeriesMetadata {
  const [known, names] = [sourceNamesIn(held), sourceNamesIn(given.source ?? '')];
  if (known.length === 0 || names.length === 0) return given;
  if (names.every((name) => known.includes(name))) return { ...given, source: held };
  return merge ? { ...given, source: sourceText([...known, ...names]) } : given;
}

/** Returns metadata with the stored title in place of one that asof gives. */
function withBestTitle(given: SeriesMetadata, { stated: { title: held } }: SeriesRecord): SeriesMetadata {
  return held !== undefined && isOurTitle(given.seriesId, given.title) ? { ...given, title: held } : given;
}

/** Tells whether asof itself gives a series a title, which yields to any other. */
function isOurTitle(seriesId: string, title: string | undefined): boolean {
  return title !== undefined && realTimeVariables.get(seriesId)?.title === title;
}

type MetadataConflict = Omit<ImportConflict & { readonly kind: 'metadata' }, 'kind' | 'file'>;

const labels: Readonly<Record<string, string>> = {
  seasonalAdjustment: 'seasonal adjustment',
  vintageKind: 'vintage kind',
};

type MetadataChange = {
  readonly kind: 'added' | 'changed' | 'known';
  readonly fields: readonly Omit<DescriptionChange, 'changedOn'>[];
};

/** Lists the units that contradict those before, once for each two texts, with the first vintage. */
function contradictedUnits(
  before: ReadonlyMap<Day, string>,
  stated: readonly { readonly asOf: Day; readonly units: string }[],
): readonly Omit<MetadataConflict, 'seriesId'>[] {
  const differing = stated
    .map(({ asOf, units }) => ({ asOf, given: units, held: before.get(asOf) }))
    .filter(({ held = '', given }) => held !== '' && held !== given)
    .sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
  return [...groupBy(differing, ({ held, given }) => JSON.stringify([held, given])).values()].flatMap(
    ([first, ...others]) => {
      if (first === undefined) return [];
      const { asOf, held = '', given } = first;
      const more = others.length === 0 ? '' : ` and ${counted(others.length, 'later vintage')}`;
      return [{ field: `units as of ${asOf}${more}`, held, given }];
    },
  );
}

/** Adds a description to the record of a series; the fields that it changes are conflicts unless replaced. */
function withStated(
  record: SeriesRecord,
  { coveredTo: givenTo = '', seriesId: _, ...given }: SeriesMetadata,
  seriesId: string,
): {
  readonly record: SeriesRecord;
  readonly change: MetadataChange;
  readonly conflicts: readonly MetadataConflict[];
} {
  const { coveredTo: storedTo = '', ...stored } = record.stated;
  let isAdded = givenTo > storedTo;
  const fields: Omit<DescriptionChange, 'changedOn'>[] = [];
  for (const [name, after] of Object.entries(given)) {
    const before = stored[name as keyof typeof given];
    if (before === undefined || (name === 'title' && before !== after && isOurTitle(seriesId, before)))
      isAdded = true;
    else if (before !== after) fields.push({ seriesId, field: labels[name] ?? name, before, after });
  }
  const conflicts = fields.map(
    ({ field, before, after }): MetadataConflict => ({ seriesId, field, held: before, given: after }),
  );
  const { frequency } = given;
  const implied = record.implied.frequency;
  if (frequency !== undefined && implied !== undefined && implied !== frequency)
    conflicts.push({ seriesId, field: 'frequency', held: implied, given: frequency, shown: true });
  const coveredTo = givenTo > storedTo ? givenTo : storedTo;
  const stated = { ...stored, ...given, seriesId, ...(coveredTo !== '' && { coveredTo }) };
  const unchanged = isAdded ? 'added' : 'known';
  const kind = fields.length > 0 ? 'changed' : unchanged;
  return { record: { ...record, stated }, change: { kind, fields }, conflicts };
}
