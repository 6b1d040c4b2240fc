// Why columns: docs/decisions/imports-in-columns.md
import { type Day, type Frequency, firstPlace, storedDate } from '../values/date.ts';
import type { StoredKind } from './series.ts';

/** The value of a date from `asOf` on (null: withdrawn). */
export type Change = { readonly asOf: Day; readonly value: string | null };

/** A change of a date's value. */
export type DatedChange = Change & { readonly date: Day };

/** Two statements about one date and day with different numbers. */
export type StatementConflict = {
  readonly date: Day;
  readonly asOf: Day;
  readonly held: string | null;
  readonly given: string | null;
  /** The published dates, where they are two of one period. */
  readonly period?: { readonly frequency: Frequency; readonly held: Day; readonly given: Day };
};

/** Returns the text known on a day; null before the first change or after a withdrawal. */
export function knownOn(changes: readonly Change[], asOf: Day): string | null {
  return changes[lastUpTo(changes, asOf)]?.value ?? null;
}

/** Returns the index of the latest change on or before a day; -1 if there is none. */
export function lastUpTo(changes: readonly Pick<Change, 'asOf'>[], asOf: Day): number {
  const last = changes.at(-1);
  if (last === undefined || last.asOf <= asOf) return changes.length - 1;
  return firstPlace(changes.length, (place) => (changes[place]?.asOf ?? '') > asOf) - 1;
}

/** The value of a date (null: withdrawn) as of a day. */
export type Statement = {
  readonly seriesId: string;
  readonly date: Day;
  readonly asOf: Day;
  readonly value: string | null;
  /** The kind of the vintage, if each line of the file states it. */
  readonly kind?: StoredKind;
};

/** The cells of values by column. */
type DatedColumns = {
  readonly dates: readonly Day[];
  readonly asOf: readonly Day[];
  readonly values: readonly (string | null)[];
};

/** Values of dates as of days, as columns: a million objects would take half a second to make, to move and to free. */
export class DatedValues {
  readonly dates: Day[] = [];
  readonly asOf: Day[] = [];
  readonly values: (string | null)[] = [];

  get length(): number {
    return this.dates.length;
  }

  add(date: Day, asOf: Day, value: string | null): void {
    this.dates.push(date);
    this.asOf.push(asOf);
    this.values.push(value);
  }

  /** Adds those from one place to the one before another. Default: all. */
  addAll({ dates, asOf, values }: DatedColumns, from = 0, to = dates.length): void {
    append(this.dates, dates, from, to);
    append(this.asOf, asOf, from, to);
    append(this.values, values, from, to);
  }

  /** Ranks the dates, as a series of a frequency stores them, and the days; lists the places by date and then day. */
  ordered(frequency: Frequency) {
    const [dates, days] = [ranked(this.dates, frequency), ranked(this.asOf)];
    const places = new Uint32Array(this.length);
    for (let place = 0; place < places.length; place += 1) places[place] = place;
    return { dates, days, places: byRank(byRank(places, days), dates) };
  }
}

/** In cells; an array cannot push any number of them at once. */
const appendedAtOnce = 4096;

/** Appends a part of a column; a push of each cell takes ten times as long. */
function append<T>(column: T[], cells: readonly T[], from: number, to: number): void {
  for (let at = from; at < to; at += appendedAtOnce)
    column.push(...cells.slice(at, Math.min(to, at + appendedAtOnce)));
}

/** The distinct days of a column, ascending, and the rank among them of each cell. */
type RankedDays = { readonly days: readonly Day[]; readonly ranks: Uint32Array };

function ranked(column: readonly Day[], frequency: Frequency = ''): RankedDays {
  const stored = distinct(column).map((day) => [day, storedDate(day, frequency)] as const);
  const days = [...new Set(stored.map(([, date]) => date))].sort();
  const rankOfStored = new Map(days.map((day, rank) => [day, rank]));
  const rankOf = new Map(stored.map(([day, date]) => [day, rankOfStored.get(date) ?? 0]));
  return { days, ranks: ranksOf(column, rankOf) };
}

function distinct(column: readonly Day[]): readonly Day[] {
  const found = new Set<Day>();
  let last: Day | undefined;
  for (const day of column) {
    if (day !== last) found.add(day);
    last = day;
  }
  return [...found];
}

function ranksOf(column: readonly Day[], rankOf: ReadonlyMap<Day, number>): Uint32Array {
  const ranks = new Uint32Array(column.length);
  let [last, rank] = ['', 0];
  for (let place = 0; place < ranks.length; place += 1) {
    const day = column[place] ?? '';
    if (day !== last) rank = rankOf.get(day) ?? 0;
    ranks[place] = rank;
    last = day;
  }
  return ranks;
}

/** Sorts the places of a column by rank; those of one rank keep their order. */
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

/** The cells of statements by column; the kinds may be fewer. */
type StatementColumns = DatedColumns & { readonly kinds: readonly (StoredKind | undefined)[] };

/** Statements about one series, in any order. */
export class Statements extends DatedValues implements Iterable<Statement> {
  readonly seriesId: string;
  /** Has a kind at the place of each statement that states it, and may be shorter. */
  readonly kinds: (StoredKind | undefined)[] = [];

  constructor(seriesId: string, statements: Iterable<Omit<Statement, 'seriesId'>> = []) {
    super();
    this.seriesId = seriesId;
    for (const { date, asOf, value, kind } of statements) this.add(date, asOf, value, kind);
  }

  override add(date: Day, asOf: Day, value: string | null, kind?: StoredKind): void {
    if (kind !== undefined) this.kinds[this.length] = kind;
    super.add(date, asOf, value);
  }

  override addAll(statements: StatementColumns, from = 0, to = statements.dates.length): void {
    const { kinds } = statements;
    for (let place = from; place < Math.min(to, kinds.length); place += 1)
      if (kinds[place] !== undefined) this.kinds[this.length + place - from] = kinds[place];
    super.addAll(statements, from, to);
  }

  filter(keeps: (statement: Statement) => boolean): Statements {
    return new Statements(this.seriesId, [...this].filter(keeps));
  }

  *[Symbol.iterator](): Generator<Statement> {
    const { seriesId } = this;
    for (const [place, date] of this.dates.entries()) {
      const [asOf = '', value = null, kind] = [this.asOf[place], this.values[place], this.kinds[place]];
      yield { seriesId, date, asOf, value, ...(kind !== undefined && { kind }) };
    }
  }
}

/** A stored change of a number (fact) or its text (respelling). */
export type StoredChange = DatedChange & { readonly kind: 'fact' | 'respelling' };

/** Stored changes as columns, by kind. */
export class StoredChanges implements Iterable<StoredChange> {
  readonly fact = new DatedValues();
  readonly respelling = new DatedValues();

  constructor(changes: Iterable<StoredChange> = []) {
    for (const { date, asOf, value, kind } of changes) this[kind].add(date, asOf, value);
  }

  get length(): number {
    return this.fact.length + this.respelling.length;
  }

  *[Symbol.iterator](): Generator<StoredChange> {
    for (const kind of ['fact', 'respelling'] as const) {
      const { dates, asOf, values } = this[kind];
      for (const [place, date] of dates.entries())
        yield { date, asOf: asOf[place] ?? '', value: values[place] ?? null, kind };
    }
  }
}
