import type { Day, Frequency } from '../../domain/series/date.ts';
import type { HeldVintage } from '../../domain/series/merge-plan.ts';
import { type KeptKind, kindsText } from '../../domain/series/series.ts';
import type { SearchedSeries } from '../../domain/series/words.ts';
import {
  frequenciesIn,
  type SeriesRow,
  type StatedKind,
  seriesOf,
  statementsOf,
  withKind,
} from '../series-record.ts';
import type {
  AllSeriesView,
  ObservationQuery,
  Revision,
  StoredObservation,
  VintageCounts,
} from '../store.ts';
import type { Transaction, Values } from './connection.ts';
import { seriesRows } from './series-rows.ts';
import { descriptionsIn } from './sources.ts';

const columns = `id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as "seasonalAdjustment",
  case when strpos(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as "observationCount", date_count as "dateCount", fact_count as "factCount",
  first_vintage as "firstVintage", last_vintage as "lastVintage", covered_to as "coveredTo",
  vintage_kind as "vintageKind", stated_vintage_kind as "statedKind", version`;

const within = 'series = @id and date >= @from and date <= @to and date < @before and as_of_date <= @asOf';

// The rows keep the order of the inner query. With an outer order, PostgreSQL would sort the whole series for a page.
const newestFirst = `select date, as_of_date as "asOfDate", value from (
    select distinct on (date) date, as_of_date, value from asof.fact
    where ${within} order by date desc, as_of_date desc
  ) as newest
  where value is not null limit @limit`;

const firstReleases = `select distinct on (date) date, as_of_date as "asOfDate", value from asof.fact
  where ${within} and value is not null
    and date > coalesce((select max(date) from asof.fact
      where series = @id and value is not null
        and as_of_date <= (select min(as_of_date) from asof.vintage where series = @id)), '-infinity')
  order by date desc, as_of_date limit @limit`;

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

/** The newest vintage of a series on or before a day. */
const newestVintage = `select as_of_date as "asOf", kind from asof.vintage
  where series = @id and as_of_date <= @asOf order by as_of_date desc limit 1`;

/** What a view answers about series; statements that need no answer to another are sent together. */
export function seriesIn(transaction: Transaction): AllSeriesView {
  return {
    async find(id) {
      const series = await readSeries(transaction, id);
      return series && seriesOf(series);
    },
    async search({ text, ids, after = '', limit }) {
      const among = ids === undefined ? '' : ' and id = any(@ids::text[])';
      const rows = await transaction.rows<SeriesRow>(
        `select ${columns} from asof.series
         where first_vintage is not null and id > @after and strpos(id, @text) > 0${among} order by id limit @limit`,
        { after, text: text.toUpperCase(), ids, limit },
      );
      return rows.map(seriesOf);
    },
    async searchEntries({ words, starts, ids, part, upTo = 'infinity' }) {
      const read = (condition: string, values: Values) =>
        transaction.rows<SearchedSeries>(
          `select id, coalesce(title, id) as title, coalesce(units, '') as units from asof.series
           where first_vintage <= @upTo and ${condition}`,
          { upTo, ...values },
        );
      const found = await Promise.all([
        ids.length > 0 ? read('id = any(@ids::text[])', { ids }) : [],
        words.length > 0
          ? read('id in (select series from asof.word where word = any(@words::text[]))', { words })
          : [],
        ...starts.map((from) =>
          read('id in (select series from asof.word where word >= @from and word < @below)', {
            from,
            below: `${from}\u{10ffff}`,
          }),
        ),
        part === undefined ? [] : read('strpos(id, @part) > 0', { part }),
      ]);
      return [...new Map(found.flat().map((series) => [series.id, series])).values()];
    },
    async searchable(what, upTo = 'infinity') {
      const sql = {
        ids: 'select id as text from asof.series where first_vintage <= @upTo',
        words: `select distinct word as text from asof.word
          where series not in (select id from asof.series where first_vintage > @upTo)`,
      };
      const rows = await transaction.rows<{ readonly text: string }>(sql[what], { upTo });
      return rows.map(({ text }) => text);
    },
    async observations(query) {
      const { seriesId: id, asOf = 'infinity', firstRelease = false } = query;
      const [series, newest, kinds, rows] = await Promise.all([
        readSeries(transaction, id),
        transaction.row<{ readonly asOf: Day; readonly kind: KeptKind }>(newestVintage, { id, asOf }),
        firstRelease ? seriesRows(transaction, id).kinds(asOf) : [],
        readObservations(transaction, query),
      ]);
      if (series === undefined) return undefined;
      const texts = firstRelease && {
        kinds: kindsText(kinds.map((kind) => withKind({ kind }, series).kind)),
      };
      return {
        series: seriesOf(series),
        rows,
        vintage: { newest: newest && withKind(newest, series), ...texts },
      };
    },
    async dates({ seriesId, from = '-infinity', to = 'infinity', before = 'infinity', limit }) {
      const [series, rows] = await Promise.all([
        readSeries(transaction, seriesId),
        transaction.rows<{ date: Day }>(
          `select distinct date from asof.fact
           where series = @seriesId and date >= @from and date <= @to and date < @before
           order by date desc limit @limit`,
          { seriesId, from, to, before, limit },
        ),
      ]);
      return series && { series: seriesOf(series), rows: rows.map(({ date }) => date) };
    },
    async revisions({ seriesId, from = '-infinity', to = 'infinity' }) {
      const [series, rows] = await Promise.all([
        readSeries(transaction, seriesId),
        transaction.rows<Omit<Revision, 'kind'> & { readonly kind: KeptKind }>(
          `select f.date, f.as_of_date as "asOfDate", f.value, v.kind
           from asof.fact f join asof.vintage v on v.series = f.series and v.as_of_date = f.as_of_date
           where f.series = @seriesId and v.series = @seriesId and f.date >= @from and f.date <= @to
           order by f.date desc, f.as_of_date`,
          { seriesId, from, to },
        ),
      ]);
      return series && { series: seriesOf(series), rows: rows.map((row) => withKind(row, series)) };
    },
    async impliedFrequencies(id) {
      const dates = await transaction.rows<Pick<HeldVintage, 'asOf' | 'dates'>>(
        `select v.as_of_date as "asOf", v.dates
         from asof.vintage v join asof.series s on s.id = v.series
         where v.series = @id and s.id = @id and s.frequency is null and s.implied_frequency is null
         order by v.as_of_date`,
        { id },
      );
      return frequenciesIn(dates);
    },
    async vintages({ seriesId: id, from = '-infinity', to = 'infinity', before = 'infinity', limit }) {
      const [series, row, rows] = await Promise.all([
        readSeries(transaction, id),
        transaction.row<{ first: Day | null }>(
          'select min(date) as first from asof.fact where series = @id',
          { id },
        ),
        transaction.rows<Omit<VintageCounts, 'kind'> & { readonly kind: KeptKind }>(vintagePage, {
          id,
          from,
          to,
          before,
          limit,
        }),
      ]);
      const firstDate = row?.first ?? undefined;
      return (
        series && { series: seriesOf(series), firstDate, rows: rows.map((row) => withKind(row, series)) }
      );
    },
    async *statements(seriesId) {
      const series = await transaction.row<{ readonly normalisedBy: Frequency } & StatedKind>(
        'select normalised_by as "normalisedBy", stated_vintage_kind as "statedKind" from asof.series where id = @seriesId',
        { seriesId },
      );
      if (series === undefined) return;
      const rows = seriesRows(transaction, seriesId);
      const vintages = await rows.vintages();
      yield* statementsOf({ seriesId, ...series, vintages }, rows.changes);
    },
    async completeVintages(seriesId) {
      const rows = await transaction.rows<{ readonly asOf: Day; readonly kind: KeptKind } & StatedKind>(
        `select v.as_of_date as "asOf", v.kind, s.stated_vintage_kind as "statedKind"
         from asof.vintage v join asof.series s on s.id = v.series
         where v.complete and v.series = @seriesId and s.id = @seriesId order by v.as_of_date`,
        { seriesId },
      );
      return rows.map(({ statedKind, ...row }) => withKind(row, { statedKind }));
    },
    descriptionChanges: descriptionsIn(transaction).of,
  };
}

function readSeries(transaction: Transaction, id: string): Promise<SeriesRow | undefined> {
  return transaction.row(`select ${columns} from asof.series where id = @id and first_vintage is not null`, {
    id,
  });
}

function readObservations(
  transaction: Transaction,
  { seriesId, asOf, firstRelease, from, to, before, limit }: ObservationQuery,
): Promise<readonly StoredObservation[]> {
  return transaction.rows(firstRelease === true ? firstReleases : newestFirst, {
    id: seriesId,
    asOf: asOf ?? 'infinity',
    from: from ?? '-infinity',
    to: to ?? 'infinity',
    before: before ?? 'infinity',
    limit,
  });
}
