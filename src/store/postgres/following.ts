import { type DescriptionChange, type Followed, type FollowedRow, followedOf } from '../followed.ts';
import type { ImportRecord, LoggedImport } from '../store.ts';
import type { Transaction } from './connection.ts';

/** What a store follows, by source and name. */
export async function readFollowed(transaction: Transaction): Promise<readonly Followed[]> {
  const rows = await transaction.rows<FollowedRow>(
    `select source, name, since, bookmark, up_to as "upTo", last_run as "lastRun", left_undone as left
     from asof.followed order by source, name`,
  );
  return rows.map(followedOf);
}

/** Writes a record of what a store follows; replaces an earlier one with the same source and name. */
export async function writeFollowed(transaction: Transaction, record: Followed): Promise<void> {
  await transaction.run(
    `insert into asof.followed as f (source, name, since, bookmark, up_to, last_run, left_undone)
     values (@source, @name, @since, @bookmark, @upTo, @lastRun, @left)
     on conflict (source, name) do update
       set bookmark = excluded.bookmark, up_to = excluded.up_to, last_run = excluded.last_run,
         left_undone = excluded.left_undone`,
    record,
  );
}

/** Removes a record; false if there was no such record. */
export async function removeFollowed(
  transaction: Transaction,
  source: string,
  name: string,
): Promise<boolean> {
  const removed = await transaction.run('delete from asof.followed where source = @source and name = @name', {
    source,
    name,
  });
  return removed > 0;
}

/** The changes of a series' description, oldest first. */
export function readDescriptionChanges(
  transaction: Transaction,
  seriesId: string,
): Promise<readonly DescriptionChange[]> {
  return transaction.rows(
    `select series as "seriesId", changed_on as "changedOn", field, before, after
     from asof.description_change where series = @seriesId order by changed_on, field`,
    { seriesId },
  );
}

/** Writes a change of a description; of several on one day, keeps the text before the first. */
export async function writeDescriptionChange(
  transaction: Transaction,
  change: DescriptionChange,
): Promise<void> {
  await transaction.run(
    `insert into asof.description_change (series, changed_on, field, before, after)
     values (@seriesId, @changedOn, @field, @before, @after)
     on conflict (series, changed_on, field) do update set after = excluded.after`,
    change,
  );
}

/** The log of imports, oldest first. */
export function readImports(transaction: Transaction): Promise<readonly LoggedImport[]> {
  return transaction.rows(
    `select imported_at as "importedAt", file, kind, sha256, series, statements_new as "statementsNew",
       statements_known as "statementsKnown", withdrawn, number,
       outdated and not exists (select 1 from asof.import as again where again.id > import.id
         and again.sha256 = import.sha256 and not again.outdated) as outdated
     from asof.import as import order by id`,
  );
}

/** Adds an entry to the log of imports. */
export async function writeImport(
  transaction: Transaction,
  { outdated = false, ...record }: ImportRecord & Partial<LoggedImport>,
  number: number | null | undefined,
): Promise<number> {
  const row = await transaction.row<{ readonly id: number }>(
    `insert into asof.import
       (imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn, outdated, number)
     values (@importedAt, @file, @kind, @sha256, @series, @statementsNew, @statementsKnown, @withdrawn, @outdated, @number)
     returning id`,
    { ...record, outdated, number },
  );
  const id = row?.id ?? 0;
  if (number === undefined)
    await transaction.run('update asof.import set number = id where id = @id', { id });
  return number ?? id;
}
