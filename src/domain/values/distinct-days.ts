// Why: docs/decisions/imports-in-columns.md
import type { Day } from './date.ts';
import { appendCells, entryOf } from './groups.ts';

/** Distinct days, each known by its place: a day of a million statements is compared, sorted and kept once. */
export class DistinctDays {
  readonly days: Day[] = [];
  readonly #places = new Map<Day, number>();
  /** A number for each day, 0 between calls. */
  #marks = new Uint32Array(0);

  /** Returns the place of a day, and adds a new one. */
  placeOf(day: Day): number {
    return entryOf(this.#places, day, () => this.days.push(day) - 1);
  }

  /** Lists the places that a column has, by their first mention. */
  placesIn(column: readonly number[]): readonly number[] {
    const marks = this.#marksOfAll();
    const found: number[] = [];
    for (let at = 0; at < column.length; at += 1) {
      const place = column[at] ?? 0;
      if (marks[place] !== 0) continue;
      marks[place] = 1;
      found.push(place);
    }
    for (const place of found) marks[place] = 0;
    return found;
  }

  /** Returns the distinct days of a column as `convert` converts each, ascending, and the rank of each cell's own. */
  ranked(column: readonly number[], convert: (day: Day) => Day) {
    const places = this.placesIn(column);
    const converted = places.map((place) => convert(this.days[place] ?? ''));
    const days = [...new Set(converted)].sort();
    const rankOf = new Map(days.map((day, rank) => [day, rank]));
    const marks = this.#marksOfAll();
    for (const [at, place] of places.entries()) marks[place] = rankOf.get(converted[at] ?? '') ?? 0;
    const ranks = new Uint32Array(column.length);
    for (let at = 0; at < column.length; at += 1) ranks[at] = marks[column[at] ?? 0] ?? 0;
    for (const place of places) marks[place] = 0;
    return { days, ranks };
  }

  #marksOfAll(): Uint32Array {
    const { length } = this.days;
    if (this.#marks.length < length) this.#marks = new Uint32Array(2 * length);
    return this.#marks;
  }
}

/** A column of days. */
export class DayColumn {
  readonly all: DistinctDays;
  // An import can have hundreds of thousands of short columns: a typed array takes 200 bytes, however short it is.
  readonly #places: number[];

  /** A column of the days at these places among all, which it takes over. */
  constructor(all: DistinctDays, places: number[] = []) {
    this.all = all;
    this.#places = places;
  }

  get length(): number {
    return this.#places.length;
  }

  at(index: number): Day {
    return this.all.days[this.#places[index] ?? 0] ?? '';
  }

  cellsAt(indexes: Uint32Array): readonly Day[] {
    const found = new Array<Day>(indexes.length);
    for (let at = 0; at < found.length; at += 1) found[at] = this.at(indexes[at] ?? 0);
    return found;
  }

  push(day: Day): void {
    this.#places.push(this.all.placeOf(day));
  }

  /** Adds the cells of another column from one to the one before another. */
  append(other: DayColumn, from: number, to: number): void {
    if (other.all === this.all) appendCells(this.#places, other.#places, from, to);
    else for (let index = from; index < to; index += 1) this.push(other.at(index));
  }

  /** Lists the distinct days, in no order. */
  distinct(): readonly Day[] {
    return this.all.placesIn(this.#places).map((place) => this.all.days[place] ?? '');
  }

  /** Returns the distinct days, ascending, and the rank of each cell's own. Default of `convert`: as they are. */
  ranked(convert: (day: Day) => Day = (day) => day) {
    return this.all.ranked(this.#places, convert);
  }
}
