import { randomUUID } from 'node:crypto';
import { Gathering } from '../../platform/promises.ts';
import type { ChangeCells, Engine, FilingTables, SeriesTables } from '../sql/engine.ts';
import type { Transaction } from './connection.ts';

/** Returns the operations that PostgreSQL does in its own way. */
export function engineOf(transaction: Transaction): Engine {
  return {
    series: seriesById(transaction),
    filings: filingTables,
    ...schemaContents(transaction),
  };
}

type KindAndDates = Awaited<ReturnType<SeriesTables['kindsAndDates']>>[number];

const filed = 'asof.filing f join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id';

/** Filings by their issuers, by which Citus finds the shards of the rows. */
const filingTables: FilingTables = {
  filed,
  marked: filed,
  byIssuer: 'f.issuer_cik, f.filing_id, t.row',
  tradesByDay: 'asof.trade',
  ofSymbol:
    '(f.issuer_cik, f.filing_id) in (select issuer_cik, filing_id from asof.symbol where symbol = @ticker)',
  issuersOfSymbol: 'select issuer_cik from asof.symbol where symbol = @ticker',
  owner: { issuer_cik: 'text', filing_id: 'text' },
  ofOwner: 'p.issuer_cik = t.issuer_cik and p.filing_id = t.filing_id',
  ownersOf:
    async () =>
    ({ issuerCik, filingId }) => [issuerCik, filingId],
  ofFilings: () => 'issuer_cik = any(@ciks::text[]) and filing_id = any(@ids::text[])',
};

function schemaContents(transaction: Transaction): Pick<Engine, 'damage' | 'size'> {
  const { schema } = transaction.database;
  return {
    async size() {
      const ofTable = (await transaction.isDistributed())
        ? `case when c.oid in (select logicalrelid from pg_dist_partition) then citus_total_relation_size(c.oid)
           else pg_total_relation_size(c.oid) end`
        : 'pg_total_relation_size(c.oid)';
      const [store, sizes] = await Promise.all([
        transaction.row<{ readonly format: number }>('select format from asof.store'),
        transaction.row<{ readonly bytes: number }>(
          `select coalesce(sum(${ofTable}), 0)::bigint as bytes
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = @schema and c.relkind = 'r'`,
          { schema },
        ),
      ]);
      return { format: store?.format ?? 0, bytes: sizes?.bytes ?? 0 };
    },
    async damage() {
      const indexes = await transaction.column<string>(
        `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
           join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = @schema and not (i.indisvalid and i.indisready) order by 1`,
        { schema },
      );
      return indexes.map((name) => `the index ${name} is not valid`);
    },
  };
}

const rowsAtOnce = 20_000;

const epoch = '1970-01-01';

function daysSince(day: string): number {
  return Date.parse(day) / 86_400_000;
}

const within = 'series = @id and date >= @from and date <= @to and date < @before and as_of_date <= @asOf';

// The rows keep the order of the inner query. For an outer order, PostgreSQL would sort the whole series.
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

/** Returns the tables of series by id, the column by which Citus distributes their rows. */
function seriesById(transaction: Transaction): SeriesTables {
  const ending: string[] = [];
  const together = new Gathering<ReadonlyMap<string, readonly KindAndDates[]>>();
  return {
    key: 'id',
    ownColumns: '',
    withPart: 'strpos(id, @part) > 0',
    observations: ({ seriesId: id, firstRelease, ...bounds }) =>
      transaction.rows(firstRelease === true ? firstReleases : newestFirst, {
        id,
        ...bounds,
      }),
    async create(id) {
      await transaction.write('insert into asof.series (id) values (@id) on conflict (id) do nothing', {
        id,
      });
      return 0;
    },
    latestChanges(id, from, to) {
      const latest = (table: string) =>
        `(select distinct on (date) date, as_of_date, value from asof.${table}
          where series = @id and date between @from and @to order by date, as_of_date desc)`;
      return transaction.tuples<ChangeCells>(
        `select distinct on (date) date, as_of_date as "asOf", value
         from (${latest('fact')} union all ${latest('respelling')}) as each order by date, as_of_date desc`,
        { id, from, to },
      );
    },
    async latestOfMany(dates) {
      const [ids, all] = [[...dates.keys()], [...new Set([...dates.values()].flatMap((own) => [...own]))]];
      const found = new Map(ids.map((id) => [id, new Map<string, ChangeCells>()] as const));
      if (all.length === 0) return new Map();
      const read = (table: string) =>
        transaction.tuples<readonly [series: string, ...ChangeCells]>(
          `select distinct on (series, date) series, date, as_of_date, value from asof.${table}
           where series = any(@ids::text[]) and date = any(@all::date[]) order by series, date, as_of_date desc`,
          { ids, all },
        );
      for (const rows of await Promise.all(['fact', 'respelling'].map(read)))
        for (const [series, ...change] of rows) {
          const own = found.get(series);
          const [, known = ''] = own?.get(change[0]) ?? [];
          if (known <= change[1]) own?.set(change[0], change);
        }
      return new Map(Array.from(found, ([id, own]) => [id, [...own.values()]] as const));
    },
    /** Finds rows by one number made from both dates, because a `delete` on Citus cannot join `unnest`. */
    async remove(id, table, rows) {
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        const part = rows.slice(at, at + rowsAtOnce);
        await transaction.write(
          `delete from asof.${table} where series = @id and date = any(@dates::date[])
             and (date - date '${epoch}') * 1000000::bigint + (as_of_date - date '${epoch}') = any(@places::bigint[])`,
          {
            id,
            dates: part.map(({ date }) => date),
            places: part.map(({ date, asOf }) => daysSince(date) * 1_000_000 + daysSince(asOf)),
          },
        );
      }
    },
    /** Reads those of all series that end together in one statement. */
    async kindsAndDates(id) {
      ending.push(id);
      const { outcome } = await together.join('', async () => {
        const rows = await transaction.rows<{ series: string; kind: KindAndDates[0]; dates: string }>(
          'select distinct series, kind, dates from asof.vintage where series = any(@ids::text[])',
          { ids: ending.splice(0) },
        );
        const found = new Map<string, KindAndDates[]>();
        for (const { series, kind, dates } of rows) {
          const own = found.get(series);
          if (own === undefined) found.set(series, [[kind, dates]]);
          else own.push([kind, dates]);
        }
        return found;
      });
      return outcome.get(id) ?? [];
    },
    newState: () => ({ state: ['text', randomUUID()] }),
    removeWords: (id) => transaction.write('delete from asof.word where series = @id', { id }),
    summarise: (id, { spacing, coveredTo, vintageKind }) =>
      transaction.write(
        `update asof.series set spacing_frequency = @spacing, vintage_kind = @vintageKind,
           observation_count = facts.observed, date_count = facts.dates, fact_count = facts.rows,
           first_vintage = vintages.first, last_vintage = vintages.last,
           covered_to = greatest(@coveredTo::date, vintages.last),
           version = version + 1, state = @state
         from (
           select count(*) as rows, count(distinct date) as dates,
             count(*) filter (where value is not null and is_last) as observed
           from (
             select date, value, lead(as_of_date) over (partition by date order by as_of_date) is null as is_last
             from asof.fact where series = @id
           ) as each
         ) as facts, (
           select min(as_of_date) as first, max(as_of_date) as last from asof.vintage where series = @id
         ) as vintages
         where id = @id`,
        { id, spacing, vintageKind, coveredTo: coveredTo === '' ? null : coveredTo, state: randomUUID() },
      ),
  };
}
