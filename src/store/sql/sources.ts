import type { DescriptionChange } from '../../domain/series/series.ts';
import type { Day } from '../../domain/values/date.ts';
import type { Alias, Followed, ImportRecord, LoggedImport, StoreView, UnfinishedImport } from '../store.ts';
import type { SqlSession } from './session.ts';

/** The subject of the row that stores the number of an undone import, so that no other import gets it. */
const taken = 'taken back';

/** The subject of the row with the newest import whose changes are forgotten. */
const forgotten = 'forgotten';

/** The source of the bookmarks of imports in parts, beside those of pulls. */
const files = 'import';

/** A change of one subject: `curve PAR`, `filings`, `followed`, `looks` or `aliases`; `content` is JSON. */
type ImportChange = { readonly import: number; readonly subject: string; readonly content: string };

/** Reads and writes the log of imports with their changes, and the followed items. */
export function sourcesIn(session: SqlSession) {
  const newestNumber = async () => {
    const [newest] = await session.column<number | null>(
      `select max(number) as newest from (
         select max(number) as number from asof.import union all select max(import) from asof.import_change
       ) as each`,
    );
    return newest ?? 0;
  };
  const putChanges = (changes: readonly ImportChange[]) =>
    session.insert({
      table: 'import_change',
      columns: {
        import: ['bigint', changes.map((change) => change.import)],
        subject: ['text', changes.map(({ subject }) => subject)],
        version: ['bigint', changes.map(() => 0)],
        content: ['text', changes.map(({ content }) => content)],
      },
    });
  /** Puts a number of an import in place of the one that a mark has. */
  const mark = async (subject: string, number: number) => {
    await session.write('delete from asof.import_change where subject = @subject', { subject });
    await putChanges([{ import: number, subject, content: '' }]);
  };
  const view: StoreView['sources'] = {
    async followed() {
      const rows = await session.rows<
        Omit<Followed, 'upTo' | 'lastRun'> & { upTo: Day | null; lastRun: string | null }
      >(
        `select source, name, since, bookmark, up_to as "upTo", last_run as "lastRun", left_undone as left
         from asof.followed where source <> @files order by source, name`,
        { files },
      );
      return rows.map(({ upTo, lastRun, ...row }) => {
        return { ...row, upTo: upTo ?? undefined, lastRun: lastRun ?? undefined };
      });
    },
    async unfinished() {
      const rows = await session.rows<{ readonly paths: string; readonly bookmark: string }>(
        'select name as paths, bookmark from asof.followed where source = @files order by name',
        { files },
      );
      return rows.map(({ paths, bookmark }) => ({ ...JSON.parse(bookmark), paths }));
    },
    async imports() {
      const rows = await session.rows<LoggedImport>(
        `select imported_at as "importedAt", file, kind, sha256, series, statements_new as "statementsNew",
           statements_known as "statementsKnown", withdrawn, number,
           outdated and not exists (select 1 from asof.import as again where again.id > import.id
             and again.sha256 = import.sha256 and not again.outdated) as outdated
         from asof.import as import order by id`,
      );
      return rows.map((row) => ({ ...row, outdated: Boolean(row.outdated) }));
    },
    async forgotten() {
      const [number] = await session.column<number>(
        'select import from asof.import_change where subject = @forgotten',
        { forgotten },
      );
      return number ?? 0;
    },
  };
  // The JSON of an undone import lacks members that were undefined.
  const putFollowed = ({ upTo, lastRun, ...record }: Followed) =>
    session.write(
      `insert into asof.followed as f (source, name, since, bookmark, up_to, last_run, left_undone)
         values (@source, @name, @since, @bookmark, @upTo, @lastRun, @left)
         on conflict (source, name) do update
           set bookmark = excluded.bookmark, up_to = excluded.up_to, last_run = excluded.last_run,
             left_undone = excluded.left_undone`,
      { ...record, upTo, lastRun },
    );
  const removeFollowed = async (source: string, name: string) => {
    const sql = 'delete from asof.followed where source = @source and name = @name';
    return (await session.run(sql, { source, name })) > 0;
  };
  return {
    ...view,
    putFollowed,
    /** Stops following an item; false if it was not followed. */
    removeFollowed,
    /** Returns where the import of these paths goes on; until the transaction ends, no other one goes on with it. */
    async unfinishedOf(paths: string): Promise<UnfinishedImport | undefined> {
      await session.lock?.([`import of ${paths}`]);
      return (await view.unfinished()).find((one) => one.paths === paths);
    },
    async putUnfinished({ paths: name, ...bookmark }: UnfinishedImport, since: string) {
      await putFollowed({
        ...{ source: files, name, since, bookmark: JSON.stringify(bookmark) },
        ...{ upTo: undefined, lastRun: undefined, left: '' },
      });
    },
    removeUnfinished: (paths: string) => removeFollowed(files, paths),
    /**
     * Adds a log entry under the number of an import, a new one (undefined) or none (null), and returns it. A new one
     * shares the number `joined` if that is the newest: then no import came between the two.
     */
    async addImport(
      { outdated = false, ...record }: ImportRecord & Partial<LoggedImport>,
      known?: number | null,
      joined?: number,
    ) {
      // No number is left out, so that equal imports have equal numbers in every engine.
      await session.lock?.(['imports']);
      const joins = known === undefined && joined !== undefined && joined === (await newestNumber());
      const number = joins ? joined : known;
      const row = await session.row<{ readonly id: number }>(
        `insert into asof.import
           (id, imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn, outdated, number)
         values ((select coalesce(max(id), 0) + 1 from asof.import), @importedAt, @file, @kind, @sha256, @series,
           @statementsNew, @statementsKnown, @withdrawn, @outdated, @number)
         returning id`,
        { ...record, outdated, number },
      );
      const id = row?.id ?? 0;
      if (number !== undefined) return number ?? id;
      // A user may undo an import by its number twice, so no import may get the number of another.
      const given = Math.max(id, (await newestNumber()) + 1);
      await session.run('update asof.import set number = @given where id = @id', { id, given });
      return given;
    },
    /** Removes an import and its recorded changes from the log. */
    async removeImport(number: number) {
      await session.write('delete from asof.series_change where import = @number', { number });
      await session.write('delete from asof.import_change where import = @number and subject <> @forgotten', {
        number,
        forgotten,
      });
      await session.write('delete from asof.import where number = @number', { number });
      // The same command begins anew, with what is undone.
      for (const { paths, imports } of await view.unfinished())
        if (imports.includes(number)) await removeFollowed(files, paths);
      if (number >= (await newestNumber())) await mark(taken, number);
    },
    /** Forgets what the imports before a time changed: they can no longer be undone. */
    async forgetChanges(before: string) {
      await session.lock?.(['imports']);
      const [last] = await session.column<number | null>(
        `select coalesce((select min(number) from asof.import where imported_at >= @before) - 1,
           (select max(number) from asof.import)) as last`,
        { before },
      );
      if (last === undefined || last === null || last <= (await view.forgotten())) return;
      await session.write('delete from asof.series_change where import <= @last', { last });
      await session.write('delete from asof.import_change where import <= @last and subject <> @taken', {
        last,
        taken,
      });
      await mark(forgotten, last);
    },
    /** Lists the changes of an import and the later ones, but those of series. */
    changes: (from: number) =>
      session.rows<ImportChange>(
        `select import, subject, content from asof.import_change
         where import >= @from and subject not in (@taken, @forgotten) order by import, subject`,
        { from, taken, forgotten },
      ),
    putChanges,
  };
}

/** Reads and writes the aliases of series. */
export function aliasesIn(session: SqlSession) {
  const view: StoreView['aliases'] = {
    all: () => session.rows<Alias>('select name, series_id as "seriesId" from asof.alias order by name'),
    async idOf(name) {
      const [id] = await session.column<string>('select series_id from asof.alias where name = @name', {
        name,
      });
      return id;
    },
  };
  return {
    ...view,
    /** Lists the aliases; until the transaction ends, no other one makes an alias or a series. */
    async locked() {
      await session.lock?.(['aliases']);
      return view.all();
    },
    /** Adds an alias, or lets it stand for another series. */
    async put({ name, seriesId }: Alias): Promise<void> {
      await session.lock?.(['aliases']);
      return session.write(
        `insert into asof.alias (name, series_id) values (@name, @seriesId)
         on conflict (name) do update set series_id = excluded.series_id`,
        { name, seriesId },
      );
    },
    remove: (name: string) => session.write('delete from asof.alias where name = @name', { name }),
    /** Lets the aliases of a series stand for the series with another id. */
    move: (from: string, to: string) =>
      session.write('update asof.alias set series_id = @to where series_id = @from', { from, to }),
    removeOf: (seriesId: string) =>
      session.write('delete from asof.alias where series_id = @seriesId', { seriesId }),
  };
}

/** Reads and writes the changes of descriptions. */
export function descriptionsIn(session: SqlSession) {
  const add = ({ seriesId, changedOn, field, before, after }: DescriptionChange) =>
    session.insert({
      table: 'description_change',
      seriesId,
      columns: {
        changed_on: ['date', [changedOn]],
        field: ['text', [field]],
        before: ['text', [before]],
        after: ['text', [after]],
      },
      onConflict: 'on conflict (series, changed_on, field) do update set after = excluded.after',
    });
  return {
    /** Adds a change; of several on one day, the text before the first stays. */
    add,
    /** Lists the changes of a series, oldest first. */
    async of(id: string): Promise<readonly DescriptionChange[]> {
      const changes = await session.rows<Omit<DescriptionChange, 'seriesId'>>(
        `select changed_on as "changedOn", field, before, after
         from asof.description_change where series = @id order by changed_on, field`,
        { id },
      );
      return changes.map((change) => ({ seriesId: id, ...change }));
    },
    async replace(id: string, changes: readonly DescriptionChange[]) {
      await session.write('delete from asof.description_change where series = @id', { id });
      // An undo has the id that the series had before it was renamed.
      for (const change of changes) await add({ ...change, seriesId: id });
    },
  };
}
