import { type SearchedSeries, searchableWords } from '../../domain/search/words.ts';
import type { RowPlan, StoredVintage } from '../../domain/series/merge-plan.ts';
import { type Change, DatedValues, type StoredChange } from '../../domain/series/revision-history.ts';
import type { StoredKind } from '../../domain/series/series.ts';
import { type Day, type Frequency, later } from '../../domain/values/date.ts';
import type { DateSetText } from '../../domain/values/date-set.ts';
import { addTo, entryOf } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import type { Alias, SeriesContents, SeriesDescription, SeriesFigures } from '../store.ts';
import type { ChangeCells, SeriesTables } from './engine.ts';
import { columnsOf, endOfTime, present, type SqlSession, startOfTime } from './session.ts';
import { tablesOfSeries } from './tables.ts';

/** The refusal of an id or a name that is an alias. */
export class AliasRefusal extends Problem {
  constructor(name: string, seriesId: string, consequence = '') {
    super('bad-input', `${name} is an alias of ${seriesId}${consequence}`, {
      hints: [`\`asof series alias --rm ${name}\` removes the alias`],
    });
  }
}

/** The metadata of a series before an import. */
export type SeriesRecord = SeriesDescription & { readonly hadStatements: boolean };

/** Returns the metadata of a series as columns; null if neither stated nor implied. */
export function recordCells({ stated, implied }: SeriesDescription) {
  return {
    title: stated.title ?? null,
    units: stated.units ?? null,
    frequency: stated.frequency ?? null,
    seasonalAdjustment: stated.seasonalAdjustment ?? null,
    source: stated.source ?? null,
    release: stated.release ?? null,
    statedKind: stated.vintageKind ?? null,
    statedCoveredTo: stated.coveredTo ?? null,
    impliedFrequency: implied.frequency ?? null,
    impliedSource: implied.source ?? null,
  };
}

/** The columns of a series as they are stored. */
type StoredRow = ReturnType<typeof recordCells> &
  Pick<SeriesFigures, 'dateCount' | 'factCount' | 'observationCount' | 'spacing' | 'vintageKind'> & {
    readonly id: string;
    readonly firstVintage: Day | null;
    readonly lastVintage: Day | null;
    readonly coverage: Day | null;
    readonly normalisedBy: Frequency;
    readonly version: number;
  };

/** The columns that an import computes, and the id. */
const stateColumns = `id, first_vintage as "firstVintage", last_vintage as "lastVintage", covered_to as coverage,
  normalised_by as "normalisedBy", version, spacing_frequency as spacing, vintage_kind as "vintageKind",
  observation_count as "observationCount", date_count as "dateCount", fact_count as "factCount"`;

const storedColumns = `${stateColumns}, title, units, frequency, seasonal_adjustment as "seasonalAdjustment", source,
  release, stated_vintage_kind as "statedKind", stated_covered_to as "statedCoveredTo",
  implied_frequency as "impliedFrequency", implied_source as "impliedSource"`;

function recordOf({ id: seriesId, ...row }: StoredRow): SeriesRecord {
  const { title, units, frequency, seasonalAdjustment, source, release } = row;
  const [vintageKind, coveredTo] = [row.statedKind, row.statedCoveredTo];
  const stated = present({
    title,
    units,
    frequency,
    seasonalAdjustment,
    source,
    release,
    vintageKind,
    coveredTo,
  });
  const implied = present({ frequency: row.impliedFrequency, source: row.impliedSource });
  return {
    stated: { seriesId, ...stated },
    implied: { seriesId, ...implied },
    hadStatements: row.firstVintage !== null,
  };
}

const changesAtOnce = 20_000;

/** The rows of one series in a transaction. */
export type SeriesRows = ReturnType<typeof seriesRows>;

/** What an undo of an import needs of one series; `content` is JSON. */
type RecordedChange = { readonly import: number; readonly version: number; readonly content: string };

/** The kind of vintages, and the dates that they have. */
export type KindAndDates = readonly [kind: StoredKind, dates: DateSetText];

/** What an import computes of a series. */
export type SeriesState = Pick<SeriesContents, 'id' | 'normalisedBy' | 'coveredTo' | 'figures'> & {
  readonly version: number;
};

function figuresOf(row: Omit<StoredRow, keyof ReturnType<typeof recordCells>>): SeriesFigures {
  const { observationCount, dateCount, factCount, spacing, vintageKind } = row;
  const days = { firstVintage: row.firstVintage ?? '', lastVintage: row.lastVintage ?? '' };
  return { observationCount, dateCount, factCount, ...days, spacing, vintageKind };
}

/** Reads and writes the rows of one series. */
export function seriesRows(session: SqlSession, tables: SeriesTables, id: string) {
  const stored = () =>
    session.row<StoredRow>(`select ${storedColumns} from asof.series where id = @id`, { id });
  const vintages = async (): Promise<readonly StoredVintage[]> => {
    const rows = await session.rows<StoredVintage>(
      `select as_of_date as "asOf", dates, complete, kind, clipped from asof.vintage
       where series = @id order by as_of_date`,
      { id },
    );
    return rows.map((row) => ({ ...row, complete: Boolean(row.complete) }));
  };
  return {
    async putRecord(record: SeriesDescription) {
      await tables.removeWords(id);
      await session.write(
        `update asof.series set title = @title, units = @units, frequency = @frequency,
           seasonal_adjustment = @seasonalAdjustment, source = @source, release = @release, stated_vintage_kind = @statedKind,
           stated_covered_to = @statedCoveredTo, implied_frequency = @impliedFrequency, implied_source = @impliedSource
         where id = @id`,
        { id, ...recordCells(record) },
      );
      await addWords(session, { ...record.stated, id }, tables);
    },
    /** Lists the vintages, oldest first. */
    vintages,
    /** Reads the changes of dates between two days (inclusive), each date's oldest first. */
    async changes(from: Day, to: Day) {
      const rows = await session.tuples<ChangeCells>(
        `select date, as_of_date, value from asof.fact where series = @id and date between @from and @to
         union all
         select date, as_of_date, value from asof.respelling where series = @id and date between @from and @to
         order by 1, 2`,
        { id, from, to },
      );
      return changesByDate(rows);
    },
    kinds: (asOf: Day) =>
      session.column<StoredKind>(
        'select distinct kind from asof.vintage where series = @id and as_of_date <= @asOf',
        { id, asOf },
      ),
    async apply({ removed, inserted, vintages = [], gone = [] }: Partial<RowPlan>) {
      for (const table of ['fact', 'respelling'] as const) {
        if (removed !== undefined && removed[table].length > 0)
          await tables.remove(id, table, removed[table]);
        const { dates, asOf, values } = inserted?.[table] ?? new DatedValues();
        await session.insert({
          table,
          seriesId: id,
          columns: { date: ['date', dates], as_of_date: ['date', asOf], value: ['text', values] },
        });
      }
      await session.insert({
        table: 'vintage',
        seriesId: id,
        columns: {
          as_of_date: ['date', vintages.map(({ asOf }) => asOf)],
          dates: ['text', vintages.map(({ dates }) => dates)],
          complete: ['boolean', vintages.map(({ complete }) => Number(complete))],
          kind: ['text', vintages.map(({ kind }) => kind)],
          clipped: ['text', vintages.map(({ clipped = '' }) => clipped)],
        },
        onConflict: `on conflict (series, as_of_date) do update set dates = excluded.dates, complete = excluded.complete,
          kind = excluded.kind, clipped = excluded.clipped`,
      });
      const sql = 'delete from asof.vintage where series = @id and as_of_date = any(@gone::date[])';
      if (gone.length > 0) await session.write(sql, { id, gone });
    },
    /** Lists what an undo of each import into the series needs, oldest first. */
    recorded: () =>
      session.rows<RecordedChange>(
        'select import, version, content from asof.series_change where series = @id order by import',
        { id },
      ),
    /** Records what an undo needs. */
    record: ({ import: number, version, content }: RecordedChange) =>
      session.insert({
        table: 'series_change',
        seriesId: id,
        columns: {
          import: ['bigint', [number]],
          version: ['bigint', [version]],
          content: ['text', [content]],
        },
      }),
    /** Sets the version after the newest recorded change; with `from`, only if it was that. */
    moveVersion: (to: number, from?: number) =>
      session.write(
        `update asof.series_change set version = @to
         where series = @id and (@from::bigint is null or version = @from::bigint)
           and import = (select max(import) from asof.series_change where series = @id)`,
        { id, from, to },
      ),
    /** Removes the series and its rows; false if it is unknown. */
    async remove() {
      await session.lock?.([`series ${id}`]);
      await tables.removeWords(id);
      for (const table of tablesOfSeries)
        await session.write(`delete from asof.${table} where series = @id`, { id });
      return (await session.run('delete from asof.series where id = @id', { id })) > 0;
    },
    /** Reads everything stored about the series, except its changes. */
    async contents(): Promise<SeriesContents | undefined> {
      const [row, held] = await Promise.all([stored(), vintages()]);
      if (row === undefined) return undefined;
      const { stated: said, implied } = recordOf(row);
      const [{ normalisedBy }, coveredTo] = [row, row.coverage ?? ''];
      return { id, stated: said, implied, normalisedBy, coveredTo, figures: figuresOf(row), vintages: held };
    },
    /** Yields every change by date and then as-of date, in batches. */
    async *allChanges() {
      const after = 'series = @id and (date, as_of_date) > (@date::date, @asOf::date)';
      let last: Pick<StoredChange, 'date' | 'asOf'> | undefined = { date: startOfTime, asOf: startOfTime };
      while (last !== undefined) {
        // Reading objects takes twice as long.
        const rows = await session.tuples<
          readonly [date: Day, asOf: Day, value: string | null, kind: StoredChange['kind']]
        >(
          `select date, as_of_date, value, 'fact' as kind from asof.fact where ${after}
           union all
           select date, as_of_date, value, 'respelling' from asof.respelling where ${after}
           order by 1, 2 limit @limit`,
          { id, date: last.date, asOf: last.asOf, limit: changesAtOnce },
        );
        const changes: StoredChange[] = rows.map(([date, asOf, value, kind]) => ({
          date,
          asOf,
          value,
          kind,
        }));
        if (changes.length > 0) yield changes;
        last = changes[changesAtOnce - 1];
      }
    },
  };
}

function changesByDate(rows: readonly ChangeCells[]): ReadonlyMap<Day, readonly Change[]> {
  const changes = new Map<Day, Change[]>();
  for (const [date, asOf, value] of rows) addTo(changes, date, { asOf, value });
  return changes;
}

/** A series before an import, which may have made it. */
export type SeriesStart = SeriesState & { readonly record: SeriesRecord; readonly isNew: boolean };

const noFigures: SeriesFigures = {
  ...{ observationCount: 0, dateCount: 0, factCount: 0 },
  ...{ firstVintage: '', lastVintage: '', spacing: '', vintageKind: '' },
};

/** Reads and writes series in an import. */
export function seriesWrites(session: SqlSession, tables: SeriesTables) {
  /** Locks series, and reads those that are stored. */
  const locked = async (ids: readonly string[]) => {
    await session.lock?.(ids.map((id) => `series ${id}`));
    return session.rows<StoredRow>(`select ${storedColumns} from asof.series where id = any(@ids::text[])`, {
      ids,
    });
  };
  return {
    rowsOf: (id: string) => seriesRows(session, tables, id),
    /** Reads series before an import, and makes those that are missing. */
    async begin(ids: readonly string[]): Promise<ReadonlyMap<string, SeriesStart>> {
      const begun = new Map<string, SeriesStart>();
      for (const row of await locked(ids)) {
        const { id, normalisedBy, version, coverage } = row;
        const state = { id, normalisedBy, version, coveredTo: coverage ?? '', figures: figuresOf(row) };
        begun.set(id, { record: recordOf(row), isNew: false, ...state });
      }
      const missing = ids.filter((id) => !begun.has(id));
      if (missing.length === 0) return begun;
      await session.lock?.(['a new series']);
      const [aliased] = await session.rows<Alias>(
        'select name, series_id as "seriesId" from asof.alias where name = any(@missing::text[]) order by name',
        { missing },
      );
      // The alias would come to mean another series without a word.
      if (aliased !== undefined)
        throw new AliasRefusal(aliased.name, aliased.seriesId, ': no series can take this id');
      const version = await tables.create(missing);
      for (const id of missing) {
        await addWords(session, { id }, tables);
        const record = { stated: { seriesId: id }, implied: { seriesId: id }, hadStatements: false };
        begun.set(id, {
          id,
          record,
          isNew: true,
          version,
          normalisedBy: '',
          coveredTo: '',
          figures: noFigures,
        });
      }
      return begun;
    },
    /** Returns the records of those of the series that are stored. */
    async records(ids: readonly string[]): Promise<ReadonlyMap<string, SeriesRecord>> {
      return new Map((await locked(ids)).map((row) => [row.id, recordOf(row)]));
    },
    /** Reads the latest changes of these dates of series, and perhaps of further ones. */
    async latestChanges(wanted: ReadonlyMap<string, ReadonlySet<Day>>) {
      const rows = wanted.size === 0 ? [] : await tables.latestChanges(wanted);
      const changes = new Map<string, Map<Day, readonly Change[]>>();
      for (const [id, date, asOf, value] of rows)
        entryOf(changes, id, () => new Map<Day, readonly Change[]>()).set(date, [{ asOf, value }]);
      return changes;
    },
    /** Lists the kinds and the dates of the vintages of series, by series. */
    async kindsAndDates(ids: readonly string[]) {
      const found = new Map<string, KindAndDates[]>();
      if (ids.length === 0) return found;
      const rows = await session.tuples<readonly [id: string, ...KindAndDates]>(
        `select distinct s.id, v.kind, v.dates from asof.series s join asof.vintage v on v.series = s.${tables.key}
         where s.id = any(@ids::text[])`,
        { ids },
      );
      for (const [id, ...one] of rows) addTo(found, id, one);
      return found;
    },
    /** Lists what an undo of an import needs, and the later imports into the same series. */
    async recorded(number: number) {
      const joined = `asof.series s join asof.series_change c on c.series = s.${tables.key}`;
      const [own, later] = await Promise.all([
        session.rows<RecordedChange & { readonly id: string }>(
          `select s.id, c.import, c.version, c.content from ${joined} where c.import = @number order by s.id`,
          { number },
        ),
        session.rows<{ readonly id: string; readonly import: number }>(
          `select s.id, l.import from ${joined} join asof.series_change l on l.series = c.series
           where c.import = @number and l.import > @number order by l.import, s.id`,
          { number },
        ),
      ]);
      return { own, later };
    },
    putStates: (states: readonly SeriesState[]) => putStates(session, tables, states),
  };
}

/** Writes what an import computed of series. */
async function putStates(
  session: SqlSession,
  tables: SeriesTables,
  states: readonly SeriesState[],
): Promise<void> {
  const cells = states.map(({ id, normalisedBy, coveredTo, version, figures }) => ({
    id: ['text', id],
    normalised_by: ['text', normalisedBy],
    spacing_frequency: ['text', figures.spacing],
    vintage_kind: ['text', figures.vintageKind],
    observation_count: ['bigint', figures.observationCount],
    date_count: ['bigint', figures.dateCount],
    fact_count: ['bigint', figures.factCount],
    first_vintage: ['date', figures.firstVintage || null],
    last_vintage: ['date', figures.lastVintage || null],
    covered_to: ['date', later(coveredTo, figures.lastVintage) || null],
    version: ['bigint', version],
    ...tables.newState(),
  }));
  const [first] = cells;
  if (first === undefined) return;
  const types = Object.fromEntries(Object.entries(first).map(([name, [type]]) => [name, String(type)]));
  const changed = Object.keys(types).flatMap((name) => (name === 'id' ? [] : `${name} = excluded.${name}`));
  await session.insert({
    table: 'series',
    columns: columnsOf(
      types,
      cells.map((row) => Object.values(row).map(([, value]) => value)),
    ),
    // Citus has no other change of many rows to values of their own.
    onConflict: `on conflict (id) do update set ${changed.join()}`,
  });
}

/** Writes what a search reads of a series: its words, and a summary of its title. */
async function addWords(session: SqlSession, series: SearchedSeries, tables?: SeriesTables): Promise<void> {
  const { id, title } = series;
  if (tables?.summaries !== undefined) {
    // Loaded here: a query reads no names of areas, which take 1 ms to prepare.
    const { summaryOfTitle } = await import('../../domain/search/word-index.ts');
    await tables.summaries.put(id, summaryOfTitle(title ?? id));
  }
  await session.insert({
    table: 'word',
    seriesId: series.id,
    columns: { word: ['text', searchableWords(series)] },
    onConflict: 'on conflict (series, word) do nothing',
  });
}

/** Adds the words of every series to the index. */
export async function addAllWords(session: SqlSession): Promise<void> {
  const all = await session.rows<SearchedSeries>('select id, title, units from asof.series order by id');
  for (const series of all) await addWords(session, series);
}

/** Moves the dates of each series to its stated frequency, unless two dates of one year conflict. */
export async function moveDates(session: SqlSession, tables: SeriesTables): Promise<void> {
  const moving = await session.rows<
    Omit<StoredRow, keyof ReturnType<typeof recordCells>> & { readonly after: Frequency }
  >(
    `select ${stateColumns}, coalesce(frequency, implied_frequency, '') as after
     from asof.series where normalised_by <> coalesce(frequency, implied_frequency, '')`,
  );
  // Loaded here: a reader moves no dates.
  const { countsAfter, planMove } = await import('../../domain/series/merge-plan.ts');
  for (const row of moving) {
    const { id, after, normalisedBy: before, coverage } = row;
    const rows = seriesRows(session, tables, id);
    const changes = await rows.changes(startOfTime, endOfTime);
    const plan = planMove({ frequency: before, vintages: await rows.vintages(), changes }, after);
    if (plan.conflicts.length > 0) continue;
    await rows.apply(plan);
    const figures = { ...figuresOf(row), ...countsAfter(figuresOf(row), plan, changes) };
    // The new version prevents the undo of imports that used other dates.
    const [version, coveredTo] = [row.version + 1, coverage ?? ''];
    await putStates(session, tables, [{ id, normalisedBy: after, coveredTo, version, figures }]);
  }
}
