// Why: docs/decisions/pages-between-vintages.md
import { LRUCache } from 'lru-cache';
import { type DescriptionChange, unitOn } from '../../domain/series/series.ts';
import type { Day } from '../../domain/values/date.ts';
import type { PageQuery, SeriesRow, StoredPage, StoredVintageDate } from '../sql/engine.ts';
import { changesByDate, changesIn, datesSince } from '../sql/series.ts';
import { endOfTime, startOfTime } from '../sql/session.ts';
import type { StoredObservation, StoreState } from '../store.ts';
import type { Connection } from './connection.ts';

/** A change of a date; a withdrawal has no value. */
type KeptChange = StoredObservation | { readonly date: Day; readonly asOfDate: Day; readonly value: null };

/** A series with all that was ever known of it. */
type SeriesInMemory = Required<Pick<StoredPage, 'datesSince'>> & {
  /** No other has it in this process. */
  readonly number: number;
  readonly series: SeriesRow;
  readonly units: readonly Pick<DescriptionChange, 'changedOn' | 'field' | 'before'>[];
  /** Oldest first. */
  readonly vintages: readonly StoredVintageDate[];
  /** Newest first; the changes of each oldest first. */
  readonly dates: readonly { readonly date: Day; readonly changes: readonly KeptChange[] }[];
};

type KeptSeries = { readonly state: StoreState; readonly facts: number; readonly history?: SeriesInMemory };

/**
 * The series that a store keeps in memory: those that are asked for again before the next import. Of these, it keeps
 * the pages that are asked for again, as on all days between two vintages.
 */
export class SeriesMemory {
  readonly #mostFacts: number;
  readonly #series: LRUCache<string, KeptSeries>;
  readonly #pages: LRUCache<string, readonly StoredObservation[] | 'asked for once'>;

  /** Makes an empty memory for series with at most `mostFacts`, and pages with at most half as many rows. */
  constructor(mostFacts: number) {
    this.#mostFacts = mostFacts;
    this.#series = new LRUCache({
      maxSize: mostFacts,
      sizeCalculation: ({ facts, history }) => 1 + (history ? facts + history.vintages.length : 0),
    });
    this.#pages = new LRUCache({
      maxSize: Math.ceil(mostFacts / 2),
      sizeCalculation: (rows) => (typeof rows === 'object' ? rows.length + 1 : 10),
    });
  }

  /** Returns a page of a series that was asked for before in this state; undefined if it has to be read. */
  page(connection: Connection, state: StoreState, query: PageQuery, columns: string): StoredPage | undefined {
    const { seriesId, asOf } = query;
    const kept = this.#series.get(seriesId);
    // To read everything takes as long as some pages.
    if (kept?.state !== state || kept.facts > this.#mostFacts / 16 || query.firstRelease === true)
      return undefined;
    const history = kept.history ?? readHistory(connection, seriesId, columns);
    const { series, units, vintages, datesSince } = history;
    if (kept.history === undefined) this.#series.set(seriesId, { ...kept, history });
    const newest = countWhile(vintages, (one) => one.asOf <= asOf);
    const unit = unitOn(asOf, series.units, units);
    return {
      series: unit === series.units ? series : { ...series, units: unit },
      newest: vintages[newest - 1],
      rows: this.#rowsOf(history, newest, query),
      datesSince,
    };
  }

  /** Notes that a page of a series was read. */
  note(state: StoreState, { id, factCount: facts }: SeriesRow): void {
    if (this.#series.peek(id)?.state !== state) this.#series.set(id, { state, facts });
  }

  #rowsOf(history: SeriesInMemory, newest: number, query: PageQuery): readonly StoredObservation[] {
    const { from, to, before, limit } = query;
    const key = [history.number, newest, from, to, before, limit].join(' ');
    const kept = this.#pages.get(key);
    if (typeof kept === 'object') return kept;
    const rows = rowsIn(history, query);
    if (kept === undefined) this.#pages.set(key, 'asked for once');
    // What is frozen stays the same, so that whoever makes something of it can keep that.
    else this.#pages.set(key, Object.freeze(rows));
    return rows;
  }
}

let histories = 0;

function readHistory(connection: Connection, id: string, columns: string): SeriesInMemory {
  const all = { id, from: startOfTime, to: endOfTime };
  const series = connection
    .objects<SeriesRow>(`select ${columns} from series where id = @id`)
    .get({ id, asOf: endOfTime });
  if (series === undefined) throw new Error(`the series ${id} has no row`);
  const rows = connection.column<string>(changesByDate).all(all);
  histories += 1;
  return {
    number: histories,
    series,
    units: connection
      .objects<SeriesInMemory['units'][number]>(
        `select changed_on as "changedOn", field, before from description_change
         where series = @id and field = 'units' order by changed_on`,
      )
      .all({ id }),
    vintages: connection
      .objects<StoredVintageDate>(
        'select as_of_date as "asOf", kind from vintage where series = @id order by as_of_date',
      )
      .all({ id }),
    datesSince: connection.tuples<readonly [string, Day]>(datesSince).all({ id }),
    dates: rows.map((row) => {
      const date = row.slice(0, 10);
      return { date, changes: changesIn(row).map(({ asOf, value }) => ({ date, asOfDate: asOf, value })) };
    }),
  };
}

function rowsIn(
  { dates }: SeriesInMemory,
  { asOf, from, to, before, limit }: PageQuery,
): StoredObservation[] {
  const rows: StoredObservation[] = [];
  for (let at = countWhile(dates, ({ date }) => date > to || date >= before); at < dates.length; at += 1) {
    const { date, changes } = dates[at] ?? { date: '', changes: [] };
    if (date < from || rows.length === limit) break;
    const known = changes[countWhile(changes, ({ asOfDate }) => asOfDate <= asOf) - 1];
    if (known !== undefined && known.value !== null) rows.push(known);
  }
  return rows;
}

/** Returns how many entries a condition is true for; none after the first for which it is false. */
function countWhile<T>(entries: readonly T[], isTrue: (entry: T) => boolean): number {
  let [least, most] = [0, entries.length];
  while (least < most) {
    const middle = (least + most) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && isTrue(entry)) least = middle + 1;
    else most = middle;
  }
  return least;
}
