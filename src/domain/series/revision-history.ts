// Why columns: docs/decisions/imports-in-columns.md
import { type Day, firstPlace } from '../values/date.ts';

/** The value of a date from `asOf` on (null: withdrawn). */
export type Change = { readonly asOf: Day; readonly value: string | null };

/** A change of a date's value. */
export type DatedChange = Change & { readonly date: Day };

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
