// Why columns: docs/decisions/imports-in-columns.md
import { type Day, type Frequency, storedDate } from '../values/date.ts';
import { DayColumn, DistinctDays } from '../values/distinct-days.ts';
import { appendCells } from '../values/groups.ts';
import type { StoredKind } from './series.ts';

/** The value of a date (null: withdrawn) as of a day. */
export type Statement = {
  readonly seriesId: string;
  readonly date: Day;
  readonly asOf: Day;
  readonly value: string | null;
  /** The kind of the vintage, if each line of the file states it. */
  readonly kind?: StoredKind;
};

/** Two statements about one date and day with different numbers. */
export type StatementConflict = {
  readonly date: Day;
  readonly asOf: Day;
  readonly held: string | null;
  readonly given: string | null;
  /** The published dates, where they are two of one period. */
  readonly period?: { readonly frequency: Frequency; readonly held: Day; readonly given: Day };
};

/** Statements as columns; the kinds may be fewer. */
type StatementColumns = {
  readonly dates: DayColumn;
  readonly asOf: DayColumn;
  readonly values: readonly (string | null)[];
  readonly kinds: readonly (StoredKind | undefined)[];
};

/** Statements about one series, in any order. */
export class Statements implements StatementColumns, Iterable<Statement> {
  readonly seriesId: string;
  readonly dates: DayColumn;
  readonly asOf: DayColumn;
  readonly values: (string | null)[] = [];
  /** Has a kind at the place of each statement that states it, and may be shorter. */
  readonly kinds: (StoredKind | undefined)[] = [];

  /** `days` saves the work of looking days up, if the columns that are added have the same. */
  constructor(
    seriesId: string,
    statements: Iterable<Omit<Statement, 'seriesId'>> = [],
    days = new DistinctDays(),
  ) {
    this.seriesId = seriesId;
    this.dates = new DayColumn(days);
    this.asOf = new DayColumn(days);
    for (const { date, asOf, value, kind } of statements) this.add(date, asOf, value, kind);
  }

  get length(): number {
    return this.values.length;
  }

  add(date: Day, asOf: Day, value: string | null, kind?: StoredKind): void {
    if (kind !== undefined) this.kinds[this.length] = kind;
    this.dates.push(date);
    this.asOf.push(asOf);
    this.values.push(value);
  }

  /** Adds those from one place to the one before another. Default: all. */
  addAll({ dates, asOf, values, kinds }: StatementColumns, from = 0, to = values.length): void {
    for (let place = from; place < Math.min(to, kinds.length); place += 1)
      if (kinds[place] !== undefined) this.kinds[this.length + place - from] = kinds[place];
    this.dates.append(dates, from, to);
    this.asOf.append(asOf, from, to);
    appendCells(this.values, values, from, to);
  }

  /** Sorts the statements by the dates, as a series of a frequency stores them, and then by the days. */
  ordered(frequency: Frequency): OrderedStatements {
    const dates = this.dates.ranked((day) => storedDate(day, frequency));
    return new OrderedStatements(dates, this.asOf.ranked());
  }

  filter(keeps: (statement: Statement) => boolean): Statements {
    return new Statements(this.seriesId, [...this].filter(keeps));
  }

  *[Symbol.iterator](): Generator<Statement> {
    const { seriesId } = this;
    for (let place = 0; place < this.length; place += 1) {
      const [value = null, kind] = [this.values[place], this.kinds[place]];
      const [date, asOf] = [this.dates.at(place), this.asOf.at(place)];
      yield { seriesId, date, asOf, value, ...(kind !== undefined && { kind }) };
    }
  }
}

/** The places of statements by date, and then by the day as of which they state it. */
class OrderedStatements {
  /** The distinct days, ascending, and the rank of that of each statement. */
  readonly days: RankedDays;
  readonly #dates: RankedDays;
  readonly #places: Uint32Array;

  constructor(dates: RankedDays, days: RankedDays) {
    const places = new Uint32Array(dates.ranks.length);
    for (let place = 0; place < places.length; place += 1) places[place] = place;
    this.days = days;
    this.#dates = dates;
    this.#places = areOrdered(dates.ranks, days.ranks) ? places : byRank(byRank(places, days), dates);
  }

  /** Calls `take` with the places of each date, by day. */
  forEachDate(take: (date: Day, places: Uint32Array) => void): void {
    forEachRun(this.#places, this.#dates, take);
  }

  /** Calls `take` with the places of each day, by date. */
  forEachDay(take: (asOf: Day, places: Uint32Array) => void): void {
    forEachRun(byRank(this.#places, this.days), this.days, take);
  }
}

type RankedDays = ReturnType<DayColumn['ranked']>;

/** Tells whether cells ascend by a column and then by another, as those of most files do. */
function areOrdered(first: Uint32Array, second: Uint32Array): boolean {
  for (let place = 1; place < first.length; place += 1) {
    const step = (first[place] ?? 0) - (first[place - 1] ?? 0);
    if (step < 0 || (step === 0 && (second[place] ?? 0) < (second[place - 1] ?? 0))) return false;
  }
  return true;
}

/** Sorts places by rank; those of one rank keep their order. */
function byRank(places: Uint32Array, { days, ranks }: RankedDays): Uint32Array {
  const next = new Uint32Array(days.length + 1);
  for (let place = 0; place < ranks.length; place += 1) {
    const after = (ranks[place] ?? 0) + 1;
    next[after] = (next[after] ?? 0) + 1;
  }
  for (let rank = 1; rank < next.length; rank += 1) next[rank] = (next[rank] ?? 0) + (next[rank - 1] ?? 0);
  const sorted = new Uint32Array(places.length);
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] ?? 0;
    const rank = ranks[place] ?? 0;
    const to = next[rank] ?? 0;
    sorted[to] = place;
    next[rank] = to + 1;
  }
  return sorted;
}

function forEachRun(
  places: Uint32Array,
  { days, ranks }: RankedDays,
  take: (day: Day, places: Uint32Array) => void,
): void {
  for (let [from, to] = [0, 0]; from < places.length; from = to) {
    const rank = ranks[places[from] ?? 0] ?? 0;
    while (to < places.length && ranks[places[to] ?? 0] === rank) to += 1;
    take(days[rank] ?? '', places.subarray(from, to));
  }
}
