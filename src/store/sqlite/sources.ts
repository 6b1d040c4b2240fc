import { type DescriptionChange, type FollowedRow, followedOf } from '../followed.ts';
import type { LoggedImport } from '../store.ts';
import type { DescriptionRows, ImportChange, SourceRows } from '../transaction.ts';
import type { Connection, SqliteSession } from './connection.ts';

/** The log of imports with what each changed, and what the store follows. */
export function sourcesIn(session: SqliteSession): SourceRows {
  return {
    async followed() {
      const rows = await session.rows<FollowedRow>(
        `select source, name, since, bookmark, up_to as upTo, last_run as lastRun, left_undone as left
         from followed order by source, name`,
      );
      return rows.map(followedOf);
    },
    async putFollowed({ upTo = null, lastRun = null, ...record }) {
      await session.run(
        `insert into followed (source, name, since, bookmark, up_to, last_run, left_undone)
         values (@source, @name, @since, @bookmark, @upTo, @lastRun, @left)
         on conflict (source, name) do update
           set bookmark = excluded.bookmark, up_to = excluded.up_to, last_run = excluded.last_run,
             left_undone = excluded.left_undone`,
        { ...record, upTo, lastRun },
      );
    },
    removeFollowed: async (source, name) =>
      (await session.run('delete from followed where source = ? and name = ?', source, name)) > 0,
    async imports() {
      const rows = await session.rows<Omit<LoggedImport, 'outdated'> & { readonly outdated: number }>(
        `select imported_at as importedAt, file, kind, sha256, series, statements_new as statementsNew,
           statements_known as statementsKnown, withdrawn, number,
           outdated and not exists (select 1 from import as again where again.id > import.id
             and again.sha256 = import.sha256 and not again.outdated) as outdated
         from import order by id`,
      );
      return rows.map(({ outdated, ...record }) => ({ ...record, outdated: outdated === 1 }));
    },
    addImport: ({ outdated = false, ...record }, number) =>
      session.use((connection) => {
        const { lastInsertRowid } = connection.run(
          `insert into import (imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn, outdated)
           values (@importedAt, @file, @kind, @sha256, @series, @statementsNew, @statementsKnown, @withdrawn, @outdated)`,
          { ...record, outdated: Number(outdated) },
        );
        const id = Number(lastInsertRowid);
        // SQLite gives the id of a removed row again, and somebody may take back an import by its number twice.
        const given = number === undefined ? Math.max(id, newestNumber(connection) + 1) : number;
        if (given !== null) connection.run('update import set number = ? where id = ?', given, id);
        return given ?? id;
      }),
    removeImport: (number) =>
      session.use((connection) => {
        connection.run('delete from import_change where import = ?', number);
        connection.run('delete from import where number = ?', number);
        if (number < newestNumber(connection)) return;
        connection.run('delete from import_change where subject = ?', taken);
        connection.run(
          `insert into import_change (import, subject, version, content) values (?, ?, 0, '')`,
          number,
          taken,
        );
      }),
    changes: (from) =>
      session.rows<ImportChange>(
        `select import, subject, version, content from import_change
         where import >= ? order by import, subject`,
        from,
      ),
    putChanges: (changes) =>
      session.use((connection) => {
        const insert = connection.objects(
          'insert into import_change (import, subject, version, content) values (@import, @subject, @version, @content)',
        );
        for (const change of changes) insert.run(change);
      }),
    async moveVersion(seriesId, to, from) {
      await session.run(
        `update import_change set version = @to where subject = @subject and (@from is null or version = @from)
           and import = (select max(import) from import_change where subject = @subject)`,
        { subject: `series ${seriesId}`, from: from ?? null, to },
      );
    },
  };
}

/** The subject of the row that keeps the number of an import that was taken back: no other import has that subject. */
const taken = 'taken back';

/** The newest number that an import has or had; 0 if there was none. */
function newestNumber(connection: Connection): number {
  return connection.column<number>('select coalesce(max(import), 0) from import_change').get() ?? 0;
}

/** The changes of the descriptions of series. */
export function descriptionsIn(session: SqliteSession): DescriptionRows {
  const add = async (change: DescriptionChange): Promise<void> => {
    await session.run(
      `insert into description_change (series, changed_on, field, before, after)
       values ((select key from series where id = @seriesId), @changedOn, @field, @before, @after)
       on conflict do update set after = excluded.after`,
      change,
    );
  };
  return {
    add,
    of: (seriesId) =>
      session.rows<DescriptionChange>(
        `select id as seriesId, changed_on as changedOn, field, before, after
         from description_change join series on series.key = description_change.series
         where id = ? order by changed_on, field`,
        seriesId,
      ),
    async replace(seriesId, changes) {
      await session.run(
        'delete from description_change where series = (select key from series where id = ?)',
        seriesId,
      );
      for (const change of changes) await add(change);
    },
  };
}
