import type { IndexedSeries } from '../../domain/search/word-index.ts';
import { type DatedChange, knownOn } from '../../domain/series/revision-history.ts';
import {
  type FrequencySince,
  impliedFrequencies,
  kindOf,
  kindsText,
  type StoredKind,
  unitOn,
} from '../../domain/series/series.ts';
import type { Statement } from '../../domain/series/statements.ts';
import type { Day } from '../../domain/values/date.ts';
import { parseDateSet } from '../../domain/values/date-set.ts';
import { defined } from '../../platform/defined.ts';
import type { AllSeriesView, Series, VintageCounts } from '../store.ts';
import type { SeriesRow, SeriesTables, StoredVintageDate, WordCells } from './engine.ts';
import { type SeriesRows, seriesRows } from './series-rows.ts';
import { endOfTime, listOf, type SqlSession, startOfTime, type Values } from './session.ts';
import { descriptionsIn } from './sources.ts';

type StatedKind = Pick<SeriesRow, 'statedKind'>;

/** A first value, or one after a withdrawal, counts as added. */
const vintagePage = `with page as (
    select as_of_date, kind from asof.vintage
    where series = @id and as_of_date >= @from and as_of_date <= @to and as_of_date < @before
    order by as_of_date desc limit @limit
  ), change as (
    select as_of_date, value, lag(value) over (partition by date order by as_of_date) as before
    from asof.fact where series = @id and as_of_date <= (select max(as_of_date) from page)
  ), counted as (
    select as_of_date,
      count(*) filter (where value is not null and before is null) as added,
      count(*) filter (where value is not null and before is not null) as revised,
      count(*) filter (where value is null) as withdrawn
    from change group by as_of_date
  )
  select as_of_date as "asOfDate", coalesce(added, 0) as added, coalesce(revised, 0) as revised,
    coalesce(withdrawn, 0) as withdrawn, kind
  from page left join counted using (as_of_date) order by as_of_date desc`;

/** The unit on a day: the text before the first change after it. */
const unitsOnDay = `coalesce((select before from asof.description_change
    where series = @id and field = 'units' and changed_on > @asOf order by changed_on limit 1), units, '')`;

/** A row is one text with all changes of a date: SQLite reads a row for each change four times as slowly. */
export const changesByDate = `select date::text || string_agg(as_of_date::text || coalesce('=' || value, ''), ' ' order by as_of_date)
    as changes
  from asof.fact where series = @id and date >= @from and date <= @to group by date order by date desc`;

/** The dates that vintages have and since when, if nothing else says how often a series has values. */
export const datesSince = `select dates, min(as_of_date) as first from asof.vintage
  where series = @id
    and exists (select 1 from asof.series where id = @id and frequency is null and implied_frequency is null)
  group by dates order by first`;

const everyDay = { from: startOfTime, to: endOfTime, before: endOfTime };

/** Frequencies by the texts of the dates that imply them: each page of a series asks for them, at 0.3 ms. */
const implied = new Map<string, readonly FrequencySince[]>();
const mostImplied = 200;

/** Returns the frequencies that are implied by the dates of vintages, each with the first vintage that has it. */
export function impliedBy(
  firstOf: readonly (readonly [dates: string, asOf: Day])[],
): readonly FrequencySince[] {
  const text = firstOf.join();
  const before = implied.get(text);
  if (before !== undefined) return before;
  const known = new Map<Day, Day>();
  for (const [dates, asOf] of firstOf)
    for (const date of parseDateSet(dates).days()) if (!known.has(date)) known.set(date, asOf);
  const found = impliedFrequencies(known);
  if (implied.size >= mostImplied) implied.clear();
  if (text.length < 20_000) implied.set(text, found);
  return found;
}

/** Reads the series of a store; independent statements are sent together. */
export function seriesIn(session: SqlSession, tables: SeriesTables): AllSeriesView {
  const columnsWith = (
    units: string,
  ) => `${tables.ownColumns}id, coalesce(title, id) as title, ${units} as units,
    coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
    coalesce(seasonal_adjustment, '') as "seasonalAdjustment",
    case when strpos(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
    coalesce(implied_source, source, '') as publishers, observation_count as "observationCount", date_count as "dateCount", fact_count as "factCount",
    first_vintage as "firstVintage", last_vintage as "lastVintage", covered_to as "coveredTo",
    coalesce(release, '') as release, vintage_kind as "vintageKind", stated_vintage_kind as "statedKind", normalised_by as "normalisedBy", version`;
  const columns = columnsWith("coalesce(units, '')");
  const columnsOnDay = columnsWith(unitsOnDay);
  const readSeries = (id: string, asOf?: Day) =>
    session.row<SeriesRow>(
      `select ${asOf === undefined ? columns : columnsOnDay} from asof.series
       where id = @id and first_vintage is not null`,
      { id, ...defined({ asOf }) },
    );
  return {
    async find(id) {
      const series = await readSeries(id);
      return series && seriesOf(series);
    },
    async search({ text, ids, after = '', limit }) {
      const among = ids === undefined ? '' : ' and id = any(@ids::text[])';
      const rows = await session.rows<SeriesRow>(
        `select ${columns} from ${tables.list}
         where first_vintage is not null and id > @after and strpos(id, @text) > 0${among} order by id limit @limit`,
        { after, text: text.toUpperCase(), ids, limit },
      );
      return rows.map(seriesOf);
    },
    async wordEntries({ words, starts }) {
      // One row a word: a row of each series takes six times as long.
      const found = await Promise.all([
        words.length > 0
          ? session.tuples<WordCells>(
              `select word, array_agg(series) as series from asof.word
               where word = any(@words::text[]) group by word`,
              { words },
            )
          : [],
        starts.length > 0 ? tables.begunWords(starts) : [],
      ]);
      return found.flat().map(([word, keys]) => [word, listOf(keys)]);
    },
    async seriesEntries({ keys, ids, part, upTo = endOfTime, titled = false }) {
      const { summaryOfTitle } = await import('../../domain/search/word-index.ts');
      const summaries = titled ? undefined : tables.summaries;
      const said =
        summaries === undefined
          ? 'array_agg(coalesce(title, id)) as title'
          : 'array_agg(title_length) as length, array_agg(title_areas) as areas';
      const read = async (condition: string, values: Values, from = tables.list) => {
        const [row = []] = await session.tuples<readonly Parameters<typeof listOf<string>>[0][]>(
          `select array_agg(${tables.key}) as key, array_agg(id) as id, ${said}
           from ${from} where first_vintage <= @upTo${condition}`,
          { upTo, ...values },
        );
        const [key = [], id = [], first = [], areas = []] = row.map((column) => listOf<string>(column ?? []));
        return id.map((one, at): IndexedSeries => {
          const title = first[at] ?? '';
          return summaries === undefined
            ? { key: key[at] ?? one, id: one, title, ...summaryOfTitle(title) }
            : { key: key[at] ?? one, id: one, length: Number(title), areas: areas[at] ?? '' };
        });
      };
      const byKeys = summaries === undefined ? ` and ${tables.key} = any(@keys::text[])` : '';
      const [byKey, byId, byPart] = await Promise.all([
        keys.length > 0 ? read(byKeys, { keys }, summaries?.byKeys) : [],
        ids.length > 0 ? read(' and id = any(@ids::text[])', { ids }) : [],
        part === undefined ? [] : read(` and ${tables.withPart}`, { part }),
      ]);
      return [...byKey, ...byId, ...byPart];
    },
    seriesIds: (upTo = endOfTime) =>
      session.column<string>(`select id from ${tables.list} where first_vintage <= @upTo`, { upTo }),
    async observations(query) {
      const { seriesId: id, asOf = endOfTime, firstRelease } = query;
      const [page, kinds] = await Promise.all([
        tables.page({ ...everyDay, ...query, asOf }, { newest: columns, onDay: columnsOnDay }),
        firstRelease === true ? seriesRows(session, tables, id).kinds(asOf) : undefined,
      ]);
      if (page === undefined) return undefined;
      const { newest, rows, units = [], frequencies } = page;
      const series = { ...page.series, units: unitOn(asOf, page.series.units, units) };
      const texts = kinds && { kinds: kindsText(kinds.map((kind) => withKind({ kind }, series).kind)) };
      return {
        series: seriesOf(series),
        rows,
        vintage: { newest: newest && withKind(newest, series), ...texts },
        ...defined({ frequencies }),
      };
    },
    async dates({ seriesId: id, ...query }) {
      const [series, rows] = await Promise.all([
        readSeries(id),
        session.column<Day>(
          `select distinct date from asof.fact
           where series = @id and date >= @from and date <= @to and date < @before
           order by date desc limit @limit`,
          { ...everyDay, ...query, id },
        ),
      ]);
      return series && { series: seriesOf(series), rows };
    },
    async history({ seriesId: id, from = startOfTime, to = endOfTime }) {
      const [series, vintages, dates] = await Promise.all([
        readSeries(id),
        session.column<string>(
          'select as_of_date::text || kind as vintage from asof.vintage where series = @id order by as_of_date',
          { id },
        ),
        session.column<string>(changesByDate, { id, from, to }),
      ]);
      if (series === undefined) return undefined;
      return {
        series: seriesOf(series),
        rows: dates.flatMap(changesIn),
        vintages: vintages.map((row) =>
          withKind({ asOf: row.slice(0, 10), kind: row.slice(10) as StoredKind }, series),
        ),
      };
    },
    async impliedFrequencies(id) {
      const firstOf = await session.tuples<readonly [dates: string, asOf: Day]>(datesSince, { id });
      return impliedBy(firstOf);
    },
    async vintages({ seriesId: id, ...query }) {
      const [series, [first], rows] = await Promise.all([
        readSeries(id),
        session.column<Day | null>('select min(date) as first from asof.fact where series = @id', { id }),
        session.rows<VintageCounts & { readonly kind: StoredKind }>(vintagePage, {
          ...everyDay,
          ...query,
          id,
        }),
      ]);
      return (
        series && {
          series: seriesOf(series),
          firstDate: first ?? undefined,
          rows: rows.map((row) => withKind(row, series)),
        }
      );
    },
    async *statements(id) {
      const series = await readSeries(id);
      if (series !== undefined) yield* statementsOf(series, seriesRows(session, tables, id));
    },
    async completeVintages(id) {
      const [series, rows] = await Promise.all([
        readSeries(id),
        session.rows<StoredVintageDate>(
          `select as_of_date as "asOf", kind from asof.vintage
           where complete and series = @id order by as_of_date`,
          { id },
        ),
      ]);
      return series === undefined ? [] : rows.map((row) => withKind(row, series));
    },
    descriptionChanges: descriptionsIn(session).of,
  };
}

function seriesOf({ dateCount: _dates, factCount: _facts, statedKind: _stated, ...row }: SeriesRow): Series {
  const { key: _key, normalisedBy: _moved, ...series } = row;
  return series;
}

/** Reads the changes of a date: the date, then `2015-01-30=1.5 2015-02-27`, where the last has no value. */
export function changesIn(row: string): readonly DatedChange[] {
  const date = row.slice(0, 10);
  const changes: DatedChange[] = [];
  for (let start = 10; start < row.length; ) {
    const space = row.indexOf(' ', start);
    const end = space < 0 ? row.length : space;
    const value = end > start + 10 ? row.slice(start + 11, end) : null;
    changes.push({ date, asOf: row.slice(start, start + 10), value });
    start = end + 1;
  }
  return changes;
}

/** Adds the kind of a row's vintage: the kind that files imply or, if they imply none, the stated kind. */
function withKind<T extends { readonly kind: StoredKind }>(row: T, { statedKind }: StatedKind) {
  return { ...row, kind: kindOf(row.kind, statedKind ?? undefined) };
}

const batchSize = 5000;

/** Yields every statement about a series; statements that changed nothing are derived from vintages. */
async function* statementsOf(
  { id: seriesId, normalisedBy, statedKind }: SeriesRow,
  rows: Pick<SeriesRows, 'vintages' | 'changes'>,
): AsyncGenerator<readonly Statement[]> {
  const sets = new Map<string, ReturnType<typeof parseDateSet>>();
  const vintages = (await rows.vintages()).map(({ asOf, dates: text, complete, kind }) => {
    const dates = sets.get(text) ?? parseDateSet(text, normalisedBy);
    sets.set(text, dates);
    return { asOf, dates, complete, kind: kindOf(kind, statedKind ?? undefined) };
  });
  const dates = [...new Set([...sets.values()].flatMap((set) => set.days()))].sort();
  // Reads as many dates at once as make about one batch of changes.
  const datesRead = Math.max(16, Math.floor(batchSize / Math.max(1, vintages.length)));
  let batch: Statement[] = [];
  for (let at = 0; at < dates.length; at += datesRead) {
    const some = dates.slice(at, at + datesRead);
    const known = await rows.changes(some[0] ?? '', some.at(-1) ?? '');
    for (const date of some) {
      const own = known.get(date) ?? [];
      for (const vintage of vintages) {
        if (!vintage.complete && !vintage.dates.has(date)) continue;
        const { asOf, kind } = vintage;
        batch.push({ seriesId, date, asOf, value: knownOn(own, asOf), kind });
      }
      if (batch.length >= batchSize) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}
