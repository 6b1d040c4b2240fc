import { type Filing, symbolsOf } from '../../domain/insider/filing.ts';
import type { Day, Frequency } from '../../domain/series/date.ts';
import { addTo } from '../../domain/series/groups.ts';
import { type HeldVintage, planMove } from '../../domain/series/merge-plan.ts';
import type { Change, KeptChange } from '../../domain/series/revision-history.ts';
import type { KeptKind } from '../../domain/series/series.ts';
import { type SearchedSeries, searchableWords } from '../../domain/series/words.ts';
import { monthsOf } from '../../domain/treasury/curve.ts';
import type { SeriesFigures, StoreContents } from '../contents.ts';
import { recordCells, type SeriesRecord } from '../series-record.ts';
import type { SeriesRows, WriteTransaction } from '../transaction.ts';
import type { ChangeCells, Engine, EngineContents, SeriesTables } from './engine.ts';
import { searchableNames } from './filings.ts';
import { endOfTime, listOf, type PartLocks, type SqlSession, startOfTime } from './session.ts';

/** The columns of what is stated and implied about a series. */
const recordColumns = `title, units, frequency, seasonal_adjustment as "seasonalAdjustment", source,
  stated_vintage_kind as "vintageKind", stated_covered_to as "coveredTo",
  implied_frequency as "impliedFrequency", implied_source as "impliedSource", first_vintage as "firstVintage"`;

/** These columns of a series; null where nothing is stated or implied. */
type RecordRow = ReturnType<typeof recordCells> & { readonly firstVintage: string | null };

function recordOf(
  seriesId: string,
  { impliedFrequency, impliedSource, firstVintage, ...stated }: RecordRow,
): SeriesRecord {
  return {
    stated: { seriesId, ...present(stated) },
    implied: { seriesId, ...present({ frequency: impliedFrequency, source: impliedSource }) },
    hadStatements: firstVintage !== null,
  };
}

type Present<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as Present<T>;
}

/** The rows of one series; an import gives the locks that it holds. */
export function seriesRows(
  session: SqlSession,
  tables: SeriesTables,
  id: string,
  locks?: PartLocks,
): SeriesRows {
  return {
    async begin() {
      await locks?.lock([`series ${id}`]);
      const [row, [newest]] = await Promise.all([
        session.row<RecordRow & { normalisedBy: Frequency; coverage: Day | null; version: number }>(
          `select ${recordColumns}, normalised_by as "normalisedBy", covered_to as coverage, version
           from asof.series where id = @id`,
          { id },
        ),
        // During an import, vintages can be newer than the row of the series, which the import updates at its end.
        session.column<Day | null>('select max(as_of_date) as newest from asof.vintage where series = @id', {
          id,
        }),
      ]);
      if (row === undefined) {
        const version = await tables.create(id);
        await addWords(session, { id });
        const record = { stated: { seriesId: id }, implied: { seriesId: id }, hadStatements: false };
        return { record, normalisedBy: '', coveredTo: '', newestVintage: '', version, isNew: true };
      }
      const { normalisedBy, coverage, version, ...record } = row;
      const days = { coveredTo: coverage ?? '', newestVintage: newest ?? '' };
      return { record: recordOf(id, record), normalisedBy, ...days, version, isNew: false };
    },
    async putRecord(record) {
      await tables.removeWords(id);
      await session.write(
        `update asof.series set title = @title, units = @units, frequency = @frequency,
           seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
           stated_covered_to = @coveredTo, implied_frequency = @impliedFrequency, implied_source = @impliedSource
         where id = @id`,
        { id, ...recordCells(record) },
      );
      await addWords(session, { ...record.stated, id });
    },
    setFrequency: (frequency) =>
      session.write('update asof.series set normalised_by = @frequency where id = @id', { id, frequency }),
    async vintages() {
      const rows = await session.rows<HeldVintage>(
        `select as_of_date as "asOf", dates, complete, kind, clipped from asof.vintage
         where series = @id order by as_of_date`,
        { id },
      );
      return rows.map((row) => ({ ...row, complete: Boolean(row.complete) }));
    },
    async changes(from, to) {
      const rows = await session.tuples<ChangeCells>(
        `select date, as_of_date, value from asof.fact where series = @id and date between @from and @to
         union all
         select date, as_of_date, value from asof.respelling where series = @id and date between @from and @to
         order by 1, 2`,
        { id, from, to },
      );
      return changesByDate(rows);
    },
    async latestChanges(from, to) {
      return changesByDate(await tables.latestChanges(id, from, to));
    },
    dateSets: () =>
      session.column<string>('select distinct dates from asof.vintage where series = @id', { id }),
    kinds: (asOf = endOfTime) =>
      session.column<KeptKind>(
        'select distinct kind from asof.vintage where series = @id and as_of_date <= @asOf',
        { id, asOf },
      ),
    async apply({ removed = [], inserted = [], vintages = [], gone = [] }) {
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
    summarise: (derived) => tables.summarise(id, derived),
  };
}

/** The changes of rows that are ordered by date and then as-of date. */
function changesByDate(rows: readonly ChangeCells[]): ReadonlyMap<Day, readonly Change[]> {
  const changes = new Map<Day, Change[]>();
  for (const [date, asOf, value] of rows) addTo(changes, date, { asOf, value });
  return changes;
}

/** The series of a store in an import. */
export function seriesWrites(
  session: SqlSession,
  tables: SeriesTables,
  locks?: PartLocks,
): Pick<WriteTransaction, 'series' | 'records' | 'withStatements' | 'removeSeries' | 'renameSeries'> {
  const lock = async (ids: readonly string[]) => locks?.lock(ids.map((id) => `series ${id}`));
  return {
    series: (id) => seriesRows(session, tables, id, locks),
    async records(ids) {
      await lock(ids);
      const rows = await session.rows<RecordRow & { readonly id: string }>(
        `select id, ${recordColumns} from asof.series where id = any(@ids::text[])`,
        { ids },
      );
      return new Map(rows.map(({ id, ...row }) => [id, recordOf(id, row)]));
    },
    async withStatements(ids) {
      const found = await session.column<string>(
        'select id from asof.series where id = any(@ids::text[]) and first_vintage is not null',
        { ids },
      );
      return new Set(found);
    },
    async removeSeries(id) {
      await lock([id]);
      await tables.removeWords(id);
      await session.write('delete from asof.import_change where subject = @subject', {
        subject: `series ${id}`,
      });
      return removeSeries(session, id);
    },
    async renameSeries(from, to) {
      await lock([from, to]);
      const described = await readDescription(session, from);
      if (described === undefined) return;
      await tables.removeWords(from);
      await tables.rename(from, to);
      await addWords(session, { ...described, id: to });
      await session.write('update asof.import_change set subject = @new where subject = @old', {
        old: `series ${from}`,
        new: `series ${to}`,
      });
    },
  };
}

/** Removes a series with its rows, after its words; false for an unknown id. */
async function removeSeries(session: SqlSession, id: string): Promise<boolean> {
  for (const table of ['fact', 'respelling', 'vintage', 'description_change'])
    await session.write(`delete from asof.${table} where series = @id`, { id });
  return (await session.run('delete from asof.series where id = @id', { id })) > 0;
}

/** What the words of a series are made of. */
function readDescription(session: SqlSession, id: string): Promise<SearchedSeries | undefined> {
  return session.row<SearchedSeries>('select id, title, units from asof.series where id = @id', { id });
}

/** Puts the words of a series into the index. */
async function addWords(session: SqlSession, series: SearchedSeries): Promise<void> {
  await session.insert({
    table: 'word',
    seriesId: series.id,
    columns: { word: 'text' },
    rows: searchableWords(series).map((word) => [word]),
    onConflict: 'on conflict (series, word) do nothing',
  });
}

/** Puts the words of every series into the index. */
export async function addAllWords(session: SqlSession): Promise<void> {
  const all = await session.rows<SearchedSeries>('select id, title, units from asof.series order by id');
  for (const series of all) await addWords(session, series);
}

/** Keeps the dates of each series by its stated frequency; a series that two dates of one year contradict stays. */
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
    // Another version: what imports before changed cannot be taken back from other dates.
    await rows.summarise({ spacing, coveredTo: coverage ?? '', vintageKind });
  }
}

/** The row of a series with everything that is kept of it. */
type ContentsRow = RecordRow &
  Pick<SeriesFigures, 'observationCount' | 'dateCount' | 'factCount' | 'spacing'> & {
    readonly normalisedBy: Frequency;
    readonly coverage: string | null;
    readonly keptKinds: string;
    readonly lastVintage: string | null;
  };

const changesAtOnce = 20_000;

/** What a store keeps, as it keeps it. */
export function contentsIn(session: SqlSession, { series: tables, contents: engine }: Engine): StoreContents {
  return {
    size: engine.size,
    faults: () => engine.faults(() => readFaults(session, engine)),
    seriesIds: () => session.column<string>('select id from asof.series order by id'),
    async series(id) {
      const [row, vintages] = await Promise.all([
        session.row<ContentsRow>(
          `select ${recordColumns}, last_vintage as "lastVintage", normalised_by as "normalisedBy",
             covered_to as coverage, spacing_frequency as spacing, vintage_kind as "keptKinds",
             observation_count as "observationCount", date_count as "dateCount", fact_count as "factCount"
           from asof.series where id = @id`,
          { id },
        ),
        seriesRows(session, tables, id).vintages(),
      ]);
      if (row === undefined) return undefined;
      const { normalisedBy, coverage, keptKinds, lastVintage, ...rest } = row;
      const { observationCount, dateCount, factCount, spacing, ...record } = rest;
      const { stated, implied } = recordOf(id, record);
      const days = { firstVintage: record.firstVintage ?? '', lastVintage: lastVintage ?? '' };
      const figures = { observationCount, dateCount, factCount, ...days, spacing, vintageKind: keptKinds };
      return { id, stated, implied, normalisedBy, coveredTo: coverage ?? '', figures, vintages };
    },
    async *changes(id) {
      const after = 'series = @id and (date, as_of_date) > (@date::date, @asOf::date)';
      let last: Pick<KeptChange, 'date' | 'asOf'> | undefined = { date: startOfTime, asOf: startOfTime };
      while (last !== undefined) {
        const changes: readonly KeptChange[] = await session.rows<KeptChange>(
          `select date, as_of_date as "asOf", value, 'fact' as kind from asof.fact where ${after}
           union all
           select date, as_of_date, value, 'respelling' from asof.respelling where ${after}
           order by 1, 2 limit @limit`,
          { id, date: last.date, asOf: last.asOf, limit: changesAtOnce },
        );
        if (changes.length > 0) yield changes;
        last = changes[changesAtOnce - 1];
      }
    },
    async totals() {
      const row = await session.row<Awaited<ReturnType<StoreContents['totals']>>>(
        `select count(*) filter (where first_vintage is not null) as series, count(*) filter (where first_vintage is null) as described,
           coalesce(sum(fact_count), 0)::bigint as facts, min(first_vintage) as "firstVintage", max(last_vintage) as "lastVintage",
           min(covered_to) filter (where first_vintage is not null) as "leastCovered", max(covered_to) filter (where first_vintage is not null) as covered
         from asof.series`,
      );
      if (row === undefined) throw new Error('an aggregate has no row');
      return row;
    },
  };
}

type DerivedOfFiling = readonly [
  id: string,
  ticker: string | null,
  owners: string,
  names: string,
  symbols: string | readonly string[],
];

type IndexedSeries = readonly [
  id: string,
  title: string | null,
  units: string | null,
  words: string | readonly string[] | null,
];

/** Wrong numbers of months, and what is derived differently from what it is derived from: a text for each fault. */
async function readFaults(session: SqlSession, engine: EngineContents): Promise<readonly string[]> {
  const rates = await session.rows<{ readonly maturity: string; readonly months: number }>(
    'select distinct maturity, months from asof.curve',
  );
  const faults = rates.flatMap(({ maturity, months }) =>
    monthsOf(maturity) === months ? [] : [`a rate of ${maturity} is kept as one of ${months} months`],
  );
  for await (const batch of session.batches<DerivedOfFiling>(engine.derivedOfFilings))
    for (const filing of batch) faults.push(...filingFaults(filing));
  for await (const batch of session.batches<IndexedSeries>(engine.wordsOfSeries))
    for (const [id, title, units, words] of batch)
      faults.push(...wordFaults({ id, title, units }, listOf<string>(words ?? [])));
  return faults;
}

function filingFaults([id, ticker, owners, names, symbols]: DerivedOfFiling): readonly string[] {
  const listed = [...listOf<string>(symbols)].sort().join(', ');
  const expected = [...symbolsOf(ticker)].sort().join(', ');
  const named = searchableNames({ owners: JSON.parse(owners) as Filing['owners'] });
  return [
    ...(listed === expected
      ? []
      : [`filing ${id} is listed under ${listed || 'no symbol'}, not ${expected || 'none'}`]),
    ...(named === names ? [] : [`filing ${id} is not found by the names of its owners`]),
  ];
}

function wordFaults(series: SearchedSeries, words: readonly string[]): readonly string[] {
  const [kept, expected] = [words, searchableWords(series)].map((all) => [...all].sort().join(' '));
  return kept === expected ? [] : [`${series.id} is found by the words ${kept || 'none'}, not ${expected}`];
}
