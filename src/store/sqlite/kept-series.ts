// Why: docs/decisions/pages-between-vintages.md
import { LRUCache } from 'lru-cache';
import { type Change, lastUpTo } from '../../domain/series/revision-history.ts';
import { type Day, firstPlace } from '../../domain/values/date.ts';
import type { PageQuery, SeriesRow, StoredPage, StoredVintageDate } from '../sql/engine.ts';
import { changesByDate, changesIn, datesSince, impliedBy } from '../sql/series.ts';
import { endOfTime, startOfTime } from '../sql/session.ts';
import type { StoredObservation, StoreState } from '../store.ts';
import type { Connection } from './connection.ts';

/** A series with all that was ever known of it. */
type SeriesInMemory = Required<Pick<StoredPage, 'frequencies' | 'series' | 'units'>> & {
  /** No other has it in this process. */
  readonly number: number;
  /** Oldest first. */
  readonly vintages: readonly StoredVintageDate[];
  /** Newest first; the changes of each oldest first. */
  readonly dates: readonly { readonly date: Day; readonly changes: readonly Change[] }[];
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
    const { series, units, vintages, frequencies } = history;
    if (kept.history === undefined) this.#series.set(seriesId, { ...kept, history });
    const newest = lastUpTo(vintages, asOf);
    return {
      series,
      units,
      newest: vintages[newest],
      rows: this.#rowsOf(history, newest, query),
      frequencies,
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
  const series = connection.objects<SeriesRow>(`select ${columns} from series where id = @id`).get({ id });
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
    frequencies: impliedBy(connection.tuples<readonly [string, Day]>(datesSince).all({ id })),
    dates: rows.map((row) => ({ date: row.slice(0, 10), changes: changesIn(row) })),
  };
}

function rowsIn(
  { dates }: SeriesInMemory,
  { asOf, from, to, before, limit }: PageQuery,
): StoredObservation[] {
  const rows: StoredObservation[] = [];
  const isPast = (place: number) => {
    const date = dates[place]?.date ?? '';
    return date <= to && date < before;
  };
  for (let at = firstPlace(dates.length, isPast); at < dates.length; at += 1) {
    const { date, changes } = dates[at] ?? { date: '', changes: [] };
    if (date < from || rows.length === limit) break;
    const known = changes[lastUpTo(changes, asOf)];
    if (known !== undefined && known.value !== null)
      rows.push({ date, asOfDate: known.asOf, value: known.value });
  }
  return rows;
}
