import { copyFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import type { Day, Frequency } from '../../domain/series/date.ts';
import { parseDateSet } from '../../domain/series/date-set.ts';
import type { Clash } from '../../domain/series/revision-history.ts';
import { frequencyOf, normalisingFrequency } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import type { Merged, MergeOptions, SeriesRecord, StoreWriter } from '../store.ts';
import { asProblem, connect, prepare } from './connect.ts';
import { beginDraft, publishDraft, removeDraft } from './draft.ts';
import { openDatabase } from './engine.ts';
import { mergeFilings } from './filings.ts';
import { completeVintage, mergeStatements, renormalise } from './merge.ts';
import { mergePoints } from './points.ts';
import { readRecord, writeRecord } from './record.ts';
import { createSchema, migrate } from './schema.ts';

/** Opens the store at `path` for one import, or begins a new one there, as a copy of `copyOf` if given; whatever fails, the file is as it was. */
export async function openSqliteWriter(path: string, copyOf?: string): Promise<StoreWriter> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (!exists) return beginNew(path, copyOf);
  if (copyOf === undefined) return openExisting(path);
  throw new Problem(
    'bad-input',
    `the store ${path} exists already: only a new store can begin as a copy of the sample`,
    {
      hints: ['leave out --with-sample', 'name a new file with --store'],
    },
  );
}

async function openExisting(path: string): Promise<StoreWriter> {
  const db = await connect(path, false);
  try {
    // Without a write-ahead log, pages written early would shut readers out until the end.
    if (db.pragma('journal_mode', { simple: true }) !== 'wal') db.pragma('cache_spill = off');
    db.exec('begin immediate');
    migrate(db, path);
    return writer(db, { path, created: false, publish: () => db.close(), abandon: () => closeQuietly(db) });
  } catch (error) {
    closeQuietly(db);
    throw asProblem(path, error);
  }
}

/**
 * A new store grows under a name of its own and takes its place in one step, when it is complete.
 * Until then nobody can see it, so that it needs no journal.
 */
function beginNew(path: string, copyOf: string | undefined): StoreWriter {
  let draft: string | undefined;
  let db: Database | undefined;
  try {
    draft = beginDraft(path);
    if (copyOf !== undefined) copyFileSync(copyOf, draft);
    db = openDatabase(draft);
    db.pragma('journal_mode = off');
    db.pragma('synchronous = off');
    db.pragma('foreign_keys = on');
    if (copyOf === undefined) createSchema(db);
    db.exec('update store set sample = 0');
    db.exec('begin immediate');
  } catch (error) {
    db?.close();
    if (draft !== undefined) removeDraft(draft);
    throw asProblem(path, error);
  }
  const [made, opened] = [draft, db];
  const abandon = () => {
    opened.close();
    removeDraft(made);
  };
  return writer(opened, {
    path,
    created: true,
    publish: () => {
      opened.pragma('synchronous = full');
      opened.pragma('journal_mode = wal');
      opened.close();
      publishDraft(made, path);
    },
    abandon,
  });
}

function closeQuietly(db: Database): void {
  if (db.inTransaction) db.exec('rollback');
  db.close();
}

type Ending = {
  readonly path: string;
  readonly created: boolean;
  readonly publish: () => void;
  readonly abandon: () => void;
};

/** What a transaction knows of a series that it touched. */
type Touched = {
  readonly key: number;
  /** By which its dates stood on periods before this import. */
  readonly normalisedBefore: Frequency;
  normalisedBy: Frequency;
  changed: boolean;
  coveredTo: Day;
  /** What putting dates on periods has brought into contradiction; a series may move while its statements come in. */
  readonly clashes: Clash[];
};

function writer(db: Database, { path, created, publish, abandon }: Ending): StoreWriter {
  const touched = new Map<string, Touched>();
  let changed = false;

  const touch = (seriesId: string): Touched => {
    const known = touched.get(seriesId);
    if (known !== undefined) return known;
    prepare(db, 'insert into series (id) values (?) on conflict do nothing').run(seriesId);
    const row = prepare(
      db,
      `select key, normalised_by as normalisedBy, coalesce(covered_to, '') as coveredTo from series where id = ?`,
    ).get(seriesId) as {
      key: number;
      normalisedBy: Frequency;
      coveredTo: Day;
    };
    const series = { ...row, normalisedBefore: row.normalisedBy, changed: false, clashes: [] };
    touched.set(seriesId, series);
    return series;
  };

  const record = (seriesId: string): SeriesRecord | undefined => readRecord(db, seriesId);

  /** While statements come in, only a known frequency moves dates: what their spacing tells is settled at the end. */
  const prepared = (seriesId: string): Touched => {
    const series = touch(seriesId);
    moveTo(series, statedFrequency(record(seriesId)));
    return series;
  };

  const moveTo = (series: Touched, frequency: Frequency): void => {
    if (series.normalisedBy === frequency) return;
    series.clashes.push(...renormalise(db, series.key, series.normalisedBy, frequency));
    series.normalisedBy = frequency;
    prepare(db, 'update series set normalised_by = ? where key = ?').run(frequency, series.key);
  };

  const note = (series: Touched, merged: Merged): Merged => {
    if (merged.changed) series.changed = true;
    return merged;
  };

  const end = (finish: () => void): void => {
    try {
      finish();
    } catch (error) {
      abandon();
      throw asProblem(path, error);
    }
  };

  return guarded(path, {
    created,
    path,
    record,

    putRecord(seriesId, next) {
      const series = touch(seriesId);
      if (writeRecord(db, series.key, next)) series.changed = true;
    },

    merge(seriesId, statements, options: MergeOptions) {
      const series = prepared(seriesId);
      return note(series, mergeStatements(db, series.key, series.normalisedBy, statements, options));
    },

    complete(seriesId, vintage, options) {
      const series = prepared(seriesId);
      return note(series, completeVintage(db, series.key, series.normalisedBy, vintage, options));
    },

    cover(seriesId, to) {
      const series = touch(seriesId);
      if (to <= series.coveredTo) return;
      series.coveredTo = to;
      series.changed = true;
    },

    mergePoints(points, options) {
      const merged = mergePoints(db, points, options);
      if (merged.changed) changed = true;
      return merged;
    },

    mergeFilings(filings, options) {
      const merged = mergeFilings(db, filings, options);
      if (merged.changed) changed = true;
      return merged;
    },

    recordImport(made) {
      prepare(
        db,
        `insert into import (imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn)
         values (@importedAt, @file, @kind, @sha256, @series, @statementsNew, @statementsKnown, @withdrawn)`,
      ).run(made);
    },

    settle(seriesId) {
      const series = touch(seriesId);
      const stated = statedFrequency(record(seriesId));
      const days = stated === '' ? rawDates(db, series.key) : [];
      moveTo(series, normalisingFrequency(stated, days));
      if (series.changed || series.normalisedBy !== series.normalisedBefore) {
        changed = true;
        summarise(db, series, frequencyOf(days));
      }
      return series.clashes;
    },

    commit() {
      end(() => {
        if (changed) db.exec('update store set revision = revision + 1');
        db.exec('commit');
        publish();
      });
    },

    rollback: abandon,
  });
}

function statedFrequency(record: SeriesRecord | undefined): Frequency {
  return record?.stated.frequency ?? record?.implied.frequency ?? '';
}

function rawDates(db: Database, key: number): Day[] {
  const texts = prepare(db, 'select distinct dates from vintage where series = ?')
    .pluck()
    .all(key) as string[];
  return [...new Set(texts.flatMap((text) => parseDateSet(text).days()))];
}

function summarise(db: Database, series: Touched, spacing: Frequency): void {
  prepare(
    db,
    `update series set
      spacing_frequency = @spacing,
      observation_count = (select count(*) from
        (select value, max(as_of_date) from fact where series = @key group by date) where value is not null),
      date_count = (select count(distinct date) from fact where series = @key),
      fact_count = (select count(*) from fact where series = @key),
      first_vintage = (select min(as_of_date) from vintage where series = @key),
      last_vintage = (select max(as_of_date) from vintage where series = @key),
      covered_to = max(@coveredTo, coalesce((select max(as_of_date) from vintage where series = @key), '')),
      version = version + 1
    where key = @key`,
  ).run({ key: series.key, spacing, coveredTo: series.coveredTo });
}

/** The same writer, whose methods turn what SQLite throws into Problems. */
function guarded(path: string, plain: StoreWriter): StoreWriter {
  const wrapped = Object.entries(plain).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const call = (...parameters: never[]) => {
      try {
        return (member as (...parameters: never[]) => unknown)(...parameters);
      } catch (error) {
        throw asProblem(path, error);
      }
    };
    return [name, call];
  });
  return Object.fromEntries(wrapped);
}
