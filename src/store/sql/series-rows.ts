import { type SearchedSeries, searchableWords } from '../../domain/search/words.ts';
import { planMove, type RowPlan, type StoredVintage } from '../../domain/series/merge-plan.ts';
import type { Change, StoredChange } from '../../domain/series/revision-history.ts';
import type { StoredKind } from '../../domain/series/series.ts';
import { type Day, type Frequency, later, storedDate } from '../../domain/values/date.ts';
import { addTo } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import type { SeriesContents, SeriesDescription, SeriesFigures } from '../store.ts';
import type { ChangeCells, SeriesTables } from './engine.ts';
import { endOfTime, present, type SqlSession, startOfTime } from './session.ts';

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

const storedColumns = `id, title, units, frequency, seasonal_adjustment as "seasonalAdjustment", source, release,
  stated_vintage_kind as "statedKind", stated_covered_to as "statedCoveredTo",
  implied_frequency as "impliedFrequency", implied_source as "impliedSource", first_vintage as "firstVintage",
  last_vintage as "lastVintage", covered_to as coverage, normalised_by as "normalisedBy", version,
  spacing_frequency as spacing, vintage_kind as "vintageKind", observation_count as "observationCount",
  date_count as "dateCount", fact_count as "factCount"`;

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

/** What an import reads of many series at once before it writes to them, by id. */
type PreparedSeries = { readonly row: StoredRow; readonly latest: LatestChanges | undefined };

/** The latest changes of some dates of a series. */
export type LatestChanges = {
  readonly dates: ReadonlySet<Day>;
  readonly changes: ReadonlyMap<Day, readonly Change[]>;
};

/** Reads and writes the rows of one series; `prepared` has what was read of it, which is used once. */
export function seriesRows(
  session: SqlSession,
  tables: SeriesTables,
  id: string,
  prepared: Map<string, PreparedSeries> = new Map(),
) {
  const stored = () =>
    session.row<StoredRow>(`select ${storedColumns} from asof.series where id = @id`, { id });
  const lockAndRead = async () => {
    await session.lock?.([`series ${id}`]);
    return stored();
  };
  const vintages = async (): Promise<readonly StoredVintage[]> => {
    const rows = await session.rows<StoredVintage>(
      `select as_of_date as "asOf", dates, complete, kind, clipped from asof.vintage
       where series = @id order by as_of_date`,
      { id },
    );
    return rows.map((row) => ({ ...row, complete: Boolean(row.complete) }));
  };
  return {
    /** Reads the state of a series before an import, or creates its row; missing days are empty. */
    async begin() {
      const known = prepared.get(id);
      prepared.delete(id);
      const row = known?.row ?? (await lockAndRead());
      if (row === undefined) {
        await session.lock?.(['a new series']);
        const [aliased] = await session.column<string>('select series_id from asof.alias where name = @id', {
          id,
        });
        // The alias would come to mean another series without a word.
        if (aliased !== undefined) throw new AliasRefusal(id, aliased, ': no series can take this id');
        const version = await tables.create(id);
        await addWords(session, { id });
        const record = { stated: { seriesId: id }, implied: { seriesId: id }, hadStatements: false };
        const days = { coveredTo: '', newestVintage: '' };
        const figures = { observationCount: 0, dateCount: 0, factCount: 0, firstVintage: '' };
        return {
          record,
          normalisedBy: '' as const,
          ...days,
          version,
          isNew: true,
          latest: undefined,
          figures,
        };
      }
      const { normalisedBy, version } = row;
      const days = { coveredTo: row.coverage ?? '', newestVintage: row.lastVintage ?? '' };
      const latest = known?.latest;
      const { observationCount, dateCount, factCount, firstVintage } = row;
      const figures = { observationCount, dateCount, factCount, firstVintage: firstVintage ?? '' };
      return { record: recordOf(row), normalisedBy, ...days, version, isNew: false, latest, figures };
    },
    async putRecord(record: SeriesDescription) {
      await tables.removeWords(id);
      await session.write(
        `update asof.series set title = @title, units = @units, frequency = @frequency,
           seasonal_adjustment = @seasonalAdjustment, source = @source, release = @release, stated_vintage_kind = @statedKind,
           stated_covered_to = @statedCoveredTo, implied_frequency = @impliedFrequency, implied_source = @impliedSource
         where id = @id`,
        { id, ...recordCells(record) },
      );
      await addWords(session, { ...record.stated, id });
    },
    setFrequency: (frequency: Frequency) =>
      session.write('update asof.series set normalised_by = @frequency where id = @id', { id, frequency }),
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
    /** Reads the latest change of each date between two days (inclusive). */
    async latestChanges(from: Day, to: Day) {
      return changesByDate(await tables.latestChanges(id, from, to));
    },
    kinds: (asOf: Day = endOfTime) =>
      session.column<StoredKind>(
        'select distinct kind from asof.vintage where series = @id and as_of_date <= @asOf',
        { id, asOf },
      ),
    /** Lists the kinds and dates that vintages have. */
    kindsAndDates: () => tables.kindsAndDates(id),
    async apply({ removed = [], inserted = [], vintages = [], gone = [] }: Partial<RowPlan>) {
      for (const table of ['fact', 'respelling'] as const) {
        const own = removed.filter(({ kind }) => kind === table);
        if (own.length > 0) await tables.remove(id, table, own);
        const added = inserted.filter(({ kind }) => kind === table);
        await session.insert({
          table,
          seriesId: id,
          columns: { date: 'date', as_of_date: 'date', value: 'text' },
          rows: added.map(({ date, asOf, value }) => [date, asOf, value]),
        });
      }
      await session.insert({
        table: 'vintage',
        seriesId: id,
        columns: { as_of_date: 'date', dates: 'text', complete: 'boolean', kind: 'text', clipped: 'text' },
        rows: vintages.map(({ asOf, dates, complete, kind, clipped = '' }) => {
          return [asOf, dates, Number(complete), kind, clipped];
        }),
        onConflict: `on conflict (series, as_of_date) do update set dates = excluded.dates, complete = excluded.complete,
          kind = excluded.kind, clipped = excluded.clipped`,
      });
      const sql = 'delete from asof.vintage where series = @id and as_of_date = any(@gone::date[])';
      if (gone.length > 0) await session.write(sql, { id, gone });
    },
    /** Writes the counts of the series and its new version, when an import knows them all. */
    async putFigures(figures: SeriesFigures & { readonly coveredTo: Day }, version: number) {
      const cells = {
        spacing_frequency: ['text', figures.spacing],
        vintage_kind: ['text', figures.vintageKind],
        observation_count: ['bigint', figures.observationCount],
        date_count: ['bigint', figures.dateCount],
        fact_count: ['bigint', figures.factCount],
        first_vintage: ['date', figures.firstVintage || null],
        last_vintage: ['date', figures.lastVintage || null],
        covered_to: ['date', later(figures.coveredTo, figures.lastVintage) || null],
        version: ['bigint', version],
        ...tables.newState(),
      } as const;
      const names = Object.keys(cells);
      await session.insert({
        table: 'series',
        columns: {
          id: 'text',
          ...Object.fromEntries(Object.entries(cells).map(([name, [type]]) => [name, type])),
        },
        rows: [[id, ...Object.values(cells).map(([, value]) => value)]],
        of: id,
        onConflict: `on conflict (id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      });
    },
    /** Counts the rows of the series, and writes the counts and a new version. */
    summarise: (derived: Parameters<SeriesTables['summarise']>[1]) => tables.summarise(id, derived),
    /** Removes the series and its rows; false if it is unknown. */
    async remove() {
      await session.lock?.([`series ${id}`]);
      await tables.removeWords(id);
      await session.write('delete from asof.import_change where subject = @subject', {
        subject: `series ${id}`,
      });
      for (const table of ['fact', 'respelling', 'vintage', 'description_change'])
        await session.write(`delete from asof.${table} where series = @id`, { id });
      return (await session.run('delete from asof.series where id = @id', { id })) > 0;
    },
    /** Reads everything stored about the series, except its changes. */
    async contents(): Promise<SeriesContents | undefined> {
      const [row, held] = await Promise.all([stored(), vintages()]);
      if (row === undefined) return undefined;
      const { stated: said, implied } = recordOf(row);
      const { observationCount, dateCount, factCount, spacing, vintageKind, normalisedBy } = row;
      const days = { firstVintage: row.firstVintage ?? '', lastVintage: row.lastVintage ?? '' };
      const figures = { observationCount, dateCount, factCount, ...days, spacing, vintageKind };
      const coveredTo = row.coverage ?? '';
      return { id, stated: said, implied, normalisedBy, coveredTo, figures, vintages: held };
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

/** Reads and writes series in an import. */
export function seriesWrites(session: SqlSession, tables: SeriesTables) {
  const prepared = new Map<string, PreparedSeries>();
  return {
    rowsOf: (id: string) => seriesRows(session, tables, id, prepared),
    /** Locks series, and reads together what an import of these statements needs of each. */
    async prepare(
      statements: ReadonlyMap<string, readonly { readonly date: Day; readonly asOf: Day }[]>,
    ): Promise<void> {
      const ids = [...statements.keys()];
      await session.lock?.(ids.map((id) => `series ${id}`));
      const rows = await session.rows<StoredRow>(
        `select ${storedColumns} from asof.series where id = any(@ids::text[])`,
        { ids },
      );
      const later = new Map<string, Set<Day>>();
      for (const { id, lastVintage, normalisedBy } of rows) {
        const own = statements.get(id) ?? [];
        if (lastVintage === null || own.some(({ asOf }) => asOf <= lastVintage)) continue;
        later.set(id, new Set(own.map(({ date }) => storedDate(date, normalisedBy))));
      }
      const latest = (await tables.latestOfMany?.(later)) ?? new Map<string, readonly ChangeCells[]>();
      for (const row of rows) {
        const dates = later.get(row.id);
        const changes = changesByDate(latest.get(row.id) ?? []);
        const isRead = dates !== undefined && tables.latestOfMany !== undefined;
        prepared.set(row.id, { row, latest: isRead ? { dates, changes } : undefined });
      }
    },
    /** Returns the records of those of the series that are stored. */
    async records(ids: readonly string[]): Promise<ReadonlyMap<string, SeriesRecord>> {
      await session.lock?.(ids.map((id) => `series ${id}`));
      const rows = await session.rows<StoredRow>(
        `select ${storedColumns} from asof.series where id = any(@ids::text[])`,
        { ids },
      );
      return new Map(rows.map((row) => [row.id, recordOf(row)]));
    },
  };
}

async function addWords(session: SqlSession, series: SearchedSeries): Promise<void> {
  await session.insert({
    table: 'word',
    seriesId: series.id,
    columns: { word: 'text' },
    rows: searchableWords(series).map((word) => [word]),
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
  const moving = await session.rows<{
    readonly id: string;
    readonly before: Frequency;
    readonly after: Frequency;
    readonly spacing: Frequency;
    readonly coverage: Day | null;
    readonly vintageKind: string;
  }>(
    `select id, normalised_by as before, coalesce(frequency, implied_frequency, '') as after,
       spacing_frequency as spacing, covered_to as coverage, vintage_kind as "vintageKind"
     from asof.series where normalised_by <> coalesce(frequency, implied_frequency, '')`,
  );
  for (const { id, before, after, spacing, coverage, vintageKind } of moving) {
    const rows = seriesRows(session, tables, id);
    const changes = await rows.changes(startOfTime, endOfTime);
    const plan = planMove({ frequency: before, vintages: await rows.vintages(), changes }, after);
    if (plan.conflicts.length > 0) continue;
    await rows.apply(plan);
    await rows.setFrequency(after);
    // The new version prevents the undo of imports that used other dates.
    await rows.summarise({ spacing, coveredTo: coverage ?? '', vintageKind });
  }
}
