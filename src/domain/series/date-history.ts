// Why: docs/decisions/imports-in-columns.md
import { type Day, firstPlace } from '../values/date.ts';
import { sameNumber } from '../values/decimal.ts';
import type { Change, StoredChange, StoredChanges } from './revision-history.ts';

/** The changes of a date as columns, oldest first: neighbours differ, and the first is not null. */
export class DateHistory {
  readonly days: Day[] = [];
  readonly values: (string | null)[] = [];

  constructor(changes: readonly Change[] = []) {
    for (const { asOf, value } of changes) this.#push(asOf, value);
  }

  #push(asOf: Day, value: string | null): void {
    this.days.push(asOf);
    this.values.push(value);
  }

  /** Returns the text known on a day; null before the first change or after a withdrawal. */
  knownOn(asOf: Day): string | null {
    return this.values[this.#lastUpTo(asOf)] ?? null;
  }

  #lastUpTo(asOf: Day): number {
    const last = this.days.length - 1;
    if ((this.days[last] ?? '') <= asOf) return last;
    return firstPlace(last, (place) => (this.days[place] ?? '') > asOf) - 1;
  }

  /**
   * Makes another text the one known on a day, and preserves the text of every other statement; `confirmed` is the next
   * day with a statement.
   */
  rewrite(asOf: Day, value: string | null, confirmed: Day | undefined): void {
    const { days, values } = this;
    const at = this.#lastUpTo(asOf);
    const isChange = days[at] === asOf;
    // Most statements are the newest of their date.
    if (confirmed === undefined && !isChange && at === days.length - 1) {
      this.#push(asOf, value);
      return;
    }
    const held = values[at] ?? null;
    const before = (isChange ? values[at - 1] : held) ?? null;
    const following = days[at + 1];
    const tail = new DateHistory();
    if (value !== before) tail.#push(asOf, value);
    // Statements that repeated the old text now need a change back to it.
    const repeats = confirmed !== undefined && (following === undefined || confirmed < following);
    if (repeats) tail.#push(confirmed, held);
    const dropFollowing = !repeats && following !== undefined && values[at + 1] === value;
    const start = isChange ? at : at + 1;
    const dropped = (isChange ? 1 : 0) + (dropFollowing ? 1 : 0);
    days.splice(start, dropped, ...tail.days);
    values.splice(start, dropped, ...tail.values);
  }
}

/** Compares the changes of a date before and after, and adds the differences to `removed` and `inserted`. */
export function addDifferences(
  date: Day,
  before: readonly Change[],
  { days, values }: DateHistory,
  removed: StoredChanges,
  inserted: StoredChanges,
): void {
  const shorter = Math.min(before.length, days.length);
  let start = 0;
  while (start < shorter && before[start]?.asOf === days[start] && before[start]?.value === values[start])
    start += 1;
  // A new date has none, as most have.
  const old = start < before.length ? changesFrom(before, start) : undefined;
  for (let i = start; i < days.length; i += 1) {
    const asOf = days[i] ?? '';
    const value = values[i] ?? null;
    const kind = kindOfChange(i === 0 ? undefined : values[i - 1], value);
    const same = old?.get(asOf);
    if (same?.value === value && same.kind === kind) old?.delete(asOf);
    else inserted[kind].add(date, asOf, value);
  }
  if (old !== undefined) for (const [asOf, { value, kind }] of old) removed[kind].add(date, asOf, value);
}

type KindOfChange = StoredChange['kind'];

function changesFrom(
  changes: readonly Change[],
  start: number,
): Map<Day, { readonly value: string | null; readonly kind: KindOfChange }> {
  return new Map(
    changes.slice(start).map(({ asOf, value }, index) => {
      const kind = kindOfChange(changes[start + index - 1]?.value, value);
      return [asOf, { value, kind }];
    }),
  );
}

function kindOfChange(before: string | null | undefined, value: string | null): KindOfChange {
  return before !== undefined && sameNumber(before, value) ? 'respelling' : 'fact';
}
