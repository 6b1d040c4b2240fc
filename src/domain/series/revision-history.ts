import { type Day, firstPlace } from '../values/date.ts';
import { sameNumber } from '../values/decimal.ts';
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

/**
 * Statements about one series, in any order, as columns: a million objects would take half a second to make, to move and
 * to free.
 */
export class Statements implements Iterable<Statement> {
  readonly seriesId: string;
  readonly dates: Day[] = [];
  readonly asOf: Day[] = [];
  readonly values: (string | null)[] = [];
  /** Has a kind at the place of each statement that states it, and may be shorter. */
  readonly kinds: (StoredKind | undefined)[] = [];

  constructor(seriesId: string, statements: Iterable<Omit<Statement, 'seriesId'>> = []) {
    this.seriesId = seriesId;
    for (const { date, asOf, value, kind } of statements) this.add(date, asOf, value, kind);
  }

  get length(): number {
    return this.dates.length;
  }

  add(date: Day, asOf: Day, value: string | null, kind?: StoredKind): void {
    if (kind !== undefined) this.kinds[this.dates.length] = kind;
    this.dates.push(date);
    this.asOf.push(asOf);
    this.values.push(value);
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
export type StoredChange = Change & { readonly date: Day; readonly kind: 'fact' | 'respelling' };

/** Compares two lists of changes of one date, and adds the differences to `removed` and `inserted`. */
export function addDifferences(
  date: Day,
  before: readonly Change[],
  after: readonly Change[],
  removed: StoredChange[],
  inserted: StoredChange[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  const isSame = (i: number) => before[i]?.asOf === after[i]?.asOf && before[i]?.value === after[i]?.value;
  while (start < shorter && isSame(start)) start += 1;
  if (start === before.length && start === after.length) return;
  const old = new Map<Day, StoredChange>();
  for (let i = start; i < before.length; i += 1) {
    const change = storedChange(date, before, i);
    if (change !== undefined) old.set(change.asOf, change);
  }
  for (let i = start; i < after.length; i += 1) {
    const change = storedChange(date, after, i);
    if (change === undefined) continue;
    const same = old.get(change.asOf);
    if (same !== undefined && same.value === change.value && same.kind === change.kind)
      old.delete(change.asOf);
    else inserted.push(change);
  }
  removed.push(...old.values());
}

function storedChange(date: Day, changes: readonly Change[], i: number): StoredChange | undefined {
  const change = changes[i];
  if (change === undefined) return undefined;
  const before = i === 0 ? undefined : changes[i - 1];
  const respelled = before !== undefined && sameNumber(before.value, change.value);
  return { date, asOf: change.asOf, value: change.value, kind: respelled ? 'respelling' : 'fact' };
}
