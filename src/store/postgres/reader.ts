import { setImmediate as endOfTurn } from 'node:timers/promises';
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
  Store,
  StoredObservation,
  StoreState,
  StoreView,
  VintageCounts,
  WholeView,
} from '../store.ts';
import { Database, Transaction, type Values } from './connection.ts';
import { contentsIn } from './contents.ts';
import { filingsIn } from './filings.ts';
import { ratesIn } from './rates.ts';
import { checkFinished, checkFormat, hasCitus, hasTable, isDistributed } from './schema.ts';
import { seriesRows } from './series-rows.ts';
import { descriptionsIn, sourcesIn } from './sources.ts';

/**
 * Opens the store in a database for reading, which needs only the right to read its tables. Refuses an unfinished copy
 * unless `unfinished` is true, as the process that makes the copy sets it.
 */
export async function openPostgresStore(address: string, unfinished = false): Promise<Store> {
  const database = await Database.open(address);
  return database.opened('read', (transaction) => openedStore(transaction, database, address, unfinished));
}

/** Opens the store in a database for reading; undefined if its schema holds no store. */
export async function openPostgresStoreIfAny(address: string): Promise<Store | undefined> {
  const database = await Database.open(address);
  return database.opened('read', async (transaction) => {
    if (!(await hasTable(transaction, database.schema))) return undefined;
    return openedStore(transaction, database, address, false);
  });
}

async function openedStore(
  transaction: Transaction,
  database: Database,
  address: string,
  unfinished: boolean,
): Promise<Store> {
  await checkFormat(transaction, database);
  const [distributed] = await Promise.all([
    isDistributed(transaction),
    unfinished ? undefined : checkFinished(transaction, database),
  ]);
  return new PostgresStore(database, address, distributed);
}

class PostgresStore implements Store {
  readonly address: string;
  readonly #database: Database;
  readonly #reads = new Set<Promise<unknown>>();
  #distributed: boolean;
  #closed = false;
  #newest: StoreState | undefined;

  constructor(database: Database, address: string, distributed: boolean) {
    this.#database = database;
    this.address = address;
    this.#distributed = distributed;
  }

  read<T>(work: (view: WholeView) => Promise<T>): Promise<T> {
    return this.#whileOpen(() => this.#read(work));
  }

  readTogether<T>(work: (view: StoreView) => Promise<T>): Promise<T> {
    return this.#whileOpen(async () => {
      if (!this.#distributed) {
        const { result, citus } = await this.#read(async (view, transaction) => {
          const [citus, [result]] = await Promise.all([
            hasCitus(transaction),
            Promise.allSettled([work(view)]),
          ]);
          return { citus, result };
        }, TransactionTogether);
        // An operator can distribute a store while it is open; it then refuses these statements, or is slow.
        this.#distributed = citus && (await this.#database.inTransaction('read', isDistributed));
        if (!this.#distributed) {
          if (result.status === 'rejected') throw result.reason;
          return result.value;
        }
      }
      // On Citus, the node of a series answers a statement about that series alone.
      return this.#read(work);
    });
  }

  async #whileOpen<T>(read: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error(`the store ${this.#database.shown} is closed`);
    const reading = read();
    this.#reads.add(reading);
    try {
      return await reading;
    } finally {
      this.#reads.delete(reading);
    }
  }

  async #read<T>(
    work: (view: WholeView, transaction: Transaction) => Promise<T>,
    kind = Transaction,
  ): Promise<T> {
    const transaction = await this.#database.begin('read', kind);
    try {
      return await work(this.#viewOf(transaction), transaction);
    } finally {
      transaction.finish();
    }
  }

  #viewOf(transaction: Transaction): WholeView {
    const states = new Map<string | undefined, Promise<StoreState>>();
    return {
      state: (seriesId) => {
        const known = states.get(seriesId) ?? this.#stateOf(transaction, seriesId);
        states.set(seriesId, known);
        return known;
      },
      series: seriesIn(transaction),
      rates: ratesIn(transaction),
      filings: filingsIn(transaction),
      sources: sourcesIn(transaction),
      contents: contentsIn(transaction),
    };
  }

  /** Closes the connections once no read needs them. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#reads]);
    await this.#database.close();
  }

  async #stateOf(transaction: Transaction, seriesId: string | undefined): Promise<StoreState> {
    const [whole, own] = await Promise.all([
      transaction.row<{ readonly name: string; readonly revision: number }>(
        'select state as name, revision from asof.store',
      ),
      seriesId === undefined
        ? undefined
        : transaction.row<{ readonly name: string }>(
            'select state as name from asof.series where id = @seriesId and first_vintage is not null',
            { seriesId },
          ),
    ]);
    if (whole === undefined) throw new Error(`the store ${this.#database.shown} has no state`);
    if (own !== undefined) return { ...whole, ...own, sample: false };
    const known = this.#newest;
    if (known?.name === whole.name) return known;
    const state = { ...whole, sample: false };
    this.#newest = state;
    return state;
  }
}

/** The rows of a statement by the id that they are about. */
type RowsByIds = ReadonlyMap<string, readonly object[]>;

/**
 * A transaction that joins the statements of one turn of the event loop that differ only in `@id` into one, which the
 * server runs for each id. This saves most of the time if there are many series with few rows each.
 */
class TransactionTogether extends Transaction {
  readonly #waiting = new Map<string, { readonly ids: string[]; readonly found: Promise<RowsByIds> }>();

  override async rows<Row extends object>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    const { id, ...others } = values;
    if (typeof id !== 'string') return super.rows(sql, values);
    const key = JSON.stringify([sql, others]);
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) waiting.ids.push(id);
    const { found } = waiting ?? this.#wait(key, id, sql, others);
    return ((await found).get(id) ?? []) as readonly Row[];
  }

  #wait(key: string, id: string, sql: string, others: Values) {
    const ids = [id];
    const found = endOfTurn().then(() => {
      this.#waiting.delete(key);
      return this.#rowsOfEach(sql, others, ids);
    });
    const waiting = { ids, found };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  /** The rows of a statement for each of several ids; each id's rows have the statement's order. */
  async #rowsOfEach(sql: string, others: Values, asked: readonly string[]): Promise<RowsByIds> {
    const ids = [...new Set(asked)];
    const [only] = ids;
    if (only !== undefined && ids.length === 1)
      return new Map([[only, await super.rows(sql, { ...others, id: only })]]);
    const rows = await super.rows<{ readonly asked: number }>(
      `select asked, one.* from unnest(@ids::text[]) with ordinality as each(id, asked)
       cross join lateral (${sql.replaceAll(/@id\b/g, 'each.id')}) as one`,
      { ...others, ids },
    );
    const found = ids.map((id) => [id, [] as object[]] as const);
    for (const { asked, ...row } of rows) found[asked - 1]?.[1].push(row);
    return new Map(found);
  }
}

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
function seriesIn(transaction: Transaction): AllSeriesView {
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
