import { type DescriptionChange, type FollowedRow, followedOf } from '../followed.ts';
import type { LoggedImport } from '../store.ts';
import type { DescriptionRows, ImportChange, SourceRows } from '../transaction.ts';
import type { Transaction } from './connection.ts';

/** The log of imports with what each changed, and what the store follows. */
export function sourcesIn(transaction: Transaction): SourceRows {
  return {
    async followed() {
      const rows = await transaction.rows<FollowedRow>(
        `select source, name, since, bookmark, up_to as "upTo", last_run as "lastRun", left_undone as left
         from asof.followed order by source, name`,
      );
      return rows.map(followedOf);
    },
    async putFollowed(record) {
      await transaction.run(
        `insert into asof.followed as f (source, name, since, bookmark, up_to, last_run, left_undone)
         values (@source, @name, @since, @bookmark, @upTo, @lastRun, @left)
         on conflict (source, name) do update
           set bookmark = excluded.bookmark, up_to = excluded.up_to, last_run = excluded.last_run,
             left_undone = excluded.left_undone`,
        record,
      );
    },
    async removeFollowed(source, name) {
      const removed = await transaction.run(
        'delete from asof.followed where source = @source and name = @name',
        { source, name },
      );
      return removed > 0;
    },
    imports: () =>
      transaction.rows<LoggedImport>(
        `select imported_at as "importedAt", file, kind, sha256, series, statements_new as "statementsNew",
           statements_known as "statementsKnown", withdrawn, number,
           outdated and not exists (select 1 from asof.import as again where again.id > import.id
             and again.sha256 = import.sha256 and not again.outdated) as outdated
         from asof.import as import order by id`,
      ),
    async addImport({ outdated = false, ...record }, number) {
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
    },
    async removeImport(number) {
      await transaction.write('delete from asof.import_change where import = @number', { number });
      await transaction.write('delete from asof.import where number = @number', { number });
    },
    changes: (from) =>
      transaction.rows<ImportChange>(
        `select import, subject, version, content from asof.import_change
         where import >= @from order by import, subject`,
        { from },
      ),
    async putChanges(changes) {
      if (changes.length === 0) return;
      await transaction.write(
        `insert into asof.import_change (import, subject, version, content)
         select * from unnest(@imports::bigint[], @subjects::text[], @versions::bigint[], @contents::text[])`,
        {
          imports: changes.map((change) => change.import),
          subjects: changes.map(({ subject }) => subject),
          versions: changes.map(({ version }) => version),
          contents: changes.map(({ content }) => content),
        },
      );
    },
    moveVersion: (seriesId, to, from) =>
      transaction.write(
        `update asof.import_change set version = @to where subject = @subject and (@from::bigint is null or version = @from::bigint)
           and import = (select max(import) from asof.import_change where subject = @subject)`,
        { subject: `series ${seriesId}`, from, to },
      ),
  };
}

/** The changes of the descriptions of series. */
export function descriptionsIn(transaction: Transaction): DescriptionRows {
  const add = async (change: DescriptionChange): Promise<void> => {
    await transaction.run(
      `insert into asof.description_change (series, changed_on, field, before, after)
       values (@seriesId, @changedOn, @field, @before, @after)
       on conflict (series, changed_on, field) do update set after = excluded.after`,
      change,
    );
  };
  return {
    add,
    of: (seriesId) =>
      transaction.rows<DescriptionChange>(
        `select series as "seriesId", changed_on as "changedOn", field, before, after
         from asof.description_change where series = @seriesId order by changed_on, field`,
        { seriesId },
      ),
    async replace(seriesId, changes) {
      await transaction.write('delete from asof.description_change where series = @seriesId', { seriesId });
      for (const change of changes) await add(change);
    },
  };
}
