import { randomUUID } from 'node:crypto';
import type { ChangeCells, Engine, FilingTables, SeriesTables, WordCells } from '../sql/engine.ts';
import type { Transaction } from './connection.ts';
import { lists } from './lists.ts';
import { readPage, type SeriesInState } from './pages.ts';

/** Returns the operations that PostgreSQL does in its own way; pages of `known` series read less. */
export function engineOf(transaction: Transaction, known?: Map<string, SeriesInState>): Engine {
  return {
    series: seriesById(transaction, known),
    filings: filingTables,
    listFaults: () => lists.faults(transaction),
    ...schemaContents(transaction),
  };
}

const filed = 'asof.filing f join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id';

/**
 * The same trades, which are looked up filing by filing until there are enough. Of two equalities, PostgreSQL takes issuer
 * and id as independent, expects a few rows in all, and reads both tables to their ends.
 */
const newest =
  'asof.filing f join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id >= f.filing_id and t.filing_id <= f.filing_id';

/** Filings by their issuers, by which Citus finds the shards of the rows. */
const filingTables: FilingTables = {
  filed,
  newest,
  marked: filed,
  byIssuer: 'f.issuer_cik, f.filing_id, t.row',
  tradesByDay: 'asof.trade',
  ofSymbol: `f.issuer_cik = any(@issuers::text[]) and (f.issuer_cik, f.filing_id) in (
    select issuer_cik, filing_id from asof.symbol where symbol = @ticker and issuer_cik = any(@issuers::text[]))`,
  needsIssuers: true,
  issuersOfSymbol: 'select distinct issuer_cik from asof.listed_symbol where symbol = @ticker',
  symbols: 'asof.listed_symbol',
  days: 'asof.listed_day',
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

/** Returns the tables of series by id, the column by which Citus distributes their rows. */
function seriesById(transaction: Transaction, known: Map<string, SeriesInState> | undefined): SeriesTables {
  return {
    key: 'id',
    begunWords: (starts) =>
      transaction.tuples<WordCells>(
        `select word, array_agg(series) as series from unnest(@starts::text[]) as value
           cross join asof.word where word >= value.value and word < value.value || @last group by word`,
        { starts, last: '\u{10ffff}' },
      ),
    ownColumns: '',
    list: 'asof.listed_series',
    withPart: 'strpos(id, @part) > 0',
    page: (query, columns) => readPage(transaction, known, query, columns),
    async create(ids) {
      const made = await transaction.run(
        'insert into asof.series (id) select * from unnest(@ids::text[]) on conflict (id) do nothing',
        { ids },
      );
      // Another import made one of them after this one had looked for it, and wrote statements that this one has not read.
      if (made < ids.length) throw transaction.locks?.collision() ?? new Error('a series is there already');
      return 0;
    },
    async latestChanges(wanted) {
      const read = ({ ids, dates }: (typeof groups)[number]) =>
        ['fact', 'respelling'].map((table) =>
          transaction.tuples<readonly [id: string, ...ChangeCells]>(
            `select distinct on (series, date) series, date, as_of_date, value from asof.${table}
             where series = any(@ids::text[]) and date = any(@dates::date[]) order by series, date, as_of_date desc`,
            { ids, dates: [...dates] },
          ),
        );
      const groups = seriesByDates(wanted);
      const latest = new Map<string, readonly [id: string, ...ChangeCells]>();
      for (const rows of await Promise.all(groups.flatMap(read)))
        for (const row of rows) {
          const [id, date, asOf] = row;
          const place = `${id} ${date}`;
          if ((latest.get(place)?.[2] ?? '') <= asOf) latest.set(place, row);
        }
      return [...latest.values()];
    },
    /** Finds rows by one number made from both dates, because a `delete` on Citus cannot join `unnest`. */
    async remove(id, table, rows) {
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        const [dates, days] = [rows.dates, rows.asOf].map((column) => column.slice(at, at + rowsAtOnce));
        await transaction.write(
          `delete from asof.${table} where series = @id and date = any(@dates::date[])
             and (date - date '${epoch}') * 1000000::bigint + (as_of_date - date '${epoch}') = any(@places::bigint[])`,
          {
            id,
            dates,
            places: dates?.map((date, place) => daysSince(date) * 1_000_000 + daysSince(days?.[place] ?? '')),
          },
        );
      }
    },
    newState: () => ({ state: ['text', randomUUID()] }),
    removeWords: (id) => transaction.write('delete from asof.word where series = @id', { id }),
  };
}

/** The most rows that one statement looks for in vain. */
const probesAtOnce = 20_000;

/** Groups series to read the same dates of each of a group, though few that a series does not need. */
function seriesByDates(wanted: Parameters<SeriesTables['latestChanges']>[0]) {
  const groups: { readonly ids: string[]; readonly dates: Set<string> }[] = [];
  const ascending = Array.from(wanted, ([id, dates]) => ({ id, dates, text: [...dates].sort().join() })).sort(
    (a, b) => (a.text < b.text ? -1 : 1),
  );
  let before: string | undefined;
  for (const { id, dates, text } of ascending) {
    const last = groups.at(-1);
    const more = text === before ? 0 : dates.size;
    const fits =
      last !== undefined && (more === 0 || (last.dates.size + more) * (last.ids.length + 1) <= probesAtOnce);
    const group = fits ? last : { ids: [], dates: new Set<string>() };
    if (!fits) groups.push(group);
    group.ids.push(id);
    for (const date of dates) group.dates.add(date);
    before = text;
  }
  return groups;
}
