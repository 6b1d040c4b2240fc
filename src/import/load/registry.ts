import { type Day, earlier } from '../../domain/series/date.ts';
import type { SeriesMetadata } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import type { SeriesRecord, StoreWriter } from '../../store/store.ts';
import type { Conflict } from './conflict.ts';
import { type Combined, sourcesOf, withImplied, withSources, withStated } from './provenance.ts';

/** How an import names its series and meets contradictions about them. */
export type RegistryOptions = {
  /** Series ids to change on the way in. */
  readonly rename: ReadonlyMap<string, string>;
  /** Accept facts from another source than a series has. */
  readonly merge: boolean;
  /** Accept new metadata where it differs from what is held. */
  readonly replace: boolean;
  /** The latest day that has begun anywhere. */
  readonly latest: Day;
};

/** What an import says of its series besides numbers; writes it, and collects what contradicts what is held. */
export type Registry = {
  /** The id under which the store keeps a series of a file. */
  readonly idOf: (seriesId: string) => string;
  /** Metadata as a person or a catalogue states it. */
  readonly state: (given: SeriesMetadata, file: string) => void;
  /** What a file's format implies of a series. */
  readonly imply: (given: SeriesMetadata, file: string) => void;
  /** That facts of a series come from a format of this source (undefined: it names none). */
  readonly claim: (seriesId: string, source: string | undefined) => void;
  /** That the import speaks for a series up to a day. */
  readonly cover: (seriesId: string, to: Day) => void;
  /** Settles every series that was mentioned, once, after all files. */
  readonly settle: () => void;
};

/** What is known of a series while an import runs. */
type Entry = {
  record: SeriesRecord;
  metadataSource: string | undefined;
  unclaimed: boolean;
  readonly claims: Set<string>;
};

/** The registry of one import; `conflicts` takes what it finds. */
export function newRegistry(writer: StoreWriter, options: RegistryOptions, conflicts: Conflict[]): Registry {
  const entries = new Map<string, Entry>();
  const renamed = new Set<string>();

  const idOf = (seriesId: string): string => {
    const to = options.rename.get(seriesId);
    if (to === undefined) return seriesId;
    renamed.add(seriesId);
    return to;
  };

  const entryOf = (id: string): Entry => {
    const known = entries.get(id);
    if (known !== undefined) return known;
    const unheard = { stated: { seriesId: id }, implied: { seriesId: id }, begun: false };
    const entry = {
      record: writer.record(id) ?? unheard,
      metadataSource: undefined,
      unclaimed: false,
      claims: new Set<string>(),
    };
    entries.set(id, entry);
    return entry;
  };

  const put = (id: string, entry: Entry, record: SeriesRecord): void => {
    entry.record = record;
    writer.putRecord(id, record);
  };

  const combine = (
    given: SeriesMetadata,
    file: string,
    combined: (record: SeriesRecord, own: SeriesMetadata) => Combined,
  ): Entry => {
    const id = idOf(given.seriesId);
    const entry = entryOf(id);
    const { record, clashes } = combined(entry.record, { ...given, seriesId: id });
    for (const clash of clashes) conflicts.push({ kind: 'metadata', file, clash });
    put(id, entry, record);
    return entry;
  };

  const cover = (seriesId: string, to: Day): void => {
    const id = idOf(seriesId);
    entryOf(id);
    // An answer may speak for days to come (`realtime_end`), but nothing is known of them yet.
    writer.cover(id, earlier(to, options.latest));
  };

  const settleSource = (id: string, entry: Entry): void => {
    const claims = [...entry.claims];
    if (entry.unclaimed && entry.metadataSource !== undefined) claims.push(entry.metadataSource);
    const held = entry.record.begun ? sourcesOf(entry.record) : [];
    const all = [...new Set([...held, ...claims])];
    const foreign = held.length > 0 ? claims.some((claim) => !held.includes(claim)) : all.length > 1;
    if (foreign && !options.merge) conflicts.push({ kind: 'source', seriesId: id, held, given: claims });
    else if (claims.length > 0) put(id, entry, withSources(entry.record, all));
  };

  return {
    idOf,
    cover,
    state(given, file) {
      const entry = combine(given, file, (record, own) => withStated(record, own, options.replace));
      if (given.source !== undefined) entry.metadataSource = given.source;
      if (given.coveredTo !== undefined) cover(given.seriesId, given.coveredTo);
    },
    imply(given, file) {
      combine(given, file, withImplied);
    },
    claim(seriesId, source) {
      const entry = entryOf(idOf(seriesId));
      if (source === undefined) entry.unclaimed = true;
      else entry.claims.add(source);
    },
    settle() {
      for (const id of options.rename.keys()) {
        if (!renamed.has(id)) throw new Problem('bad-input', `--id ${id}=…: the files have no series ${id}`);
      }
      for (const [id, entry] of entries) settleSource(id, entry);
      for (const id of entries.keys()) {
        for (const clash of writer.settle(id)) conflicts.push({ kind: 'period', seriesId: id, clash });
      }
    },
  };
}
