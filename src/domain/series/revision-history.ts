import type { Day } from './date.ts';
import { fullerText, sameNumber } from './decimal.ts';
import type { KeptKind } from './series.ts';

/** From `asOf` on, the text of a date's value was `value` (null: withdrawn), until the next change. */
export type Change = { readonly asOf: Day; readonly value: string | null };

/** Two statements about one date, made on one day, that differ as numbers. */
export type StatementConflict = {
  readonly date: Day;
  readonly asOf: Day;
  readonly held: string | null;
  readonly given: string | null;
};

/** The effect of one more statement on the history of a date. */
export type Placement = 'new' | 'known' | 'conflict';

/**
 * The history of one date: its changes of text, oldest first. Neighbours differ and the first is never null.
 * `statedAt` knows on which days there was a statement, including those that changed nothing: the text of every
 * statement is the one known on its day.
 */
export type DateHistory = { readonly changes: Change[]; readonly statedAt: StatedAt };

/** The days on which earlier statements about a date were made. */
export type StatedAt = {
  readonly has: (asOf: Day) => boolean;
  /** The first such day after `asOf`. */
  readonly next: (asOf: Day) => Day | undefined;
};

/** The text known on a day: that of the latest change on or before it; null without one or after a withdrawal. */
export function knownOn(changes: readonly Change[], asOf: Day): string | null {
  return changeOn(changes, asOf)?.value ?? null;
}

/** The latest change on or before a day; undefined without one. */
export function changeOn<C extends Change>(changes: readonly C[], asOf: Day): C | undefined {
  return changes[lastUpTo(changes, asOf)];
}

/** The index of the latest change on or before a day; -1 when there is none. */
function lastUpTo(changes: readonly Change[], asOf: Day): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] as Change).asOf <= asOf) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Puts one statement into a date's history; the order of statements makes no difference to the result. If there was a
 * statement on that day, the new one is `known` if it is the same number (the fuller text is kept), else a `conflict`.
 * A conflict changes nothing; with `replace` the statement takes effect and counts as `new`.
 */
export function place(history: DateHistory, asOf: Day, value: string | null, replace: boolean): Placement {
  const held = knownOn(history.changes, asOf);
  if (!history.statedAt.has(asOf)) {
    if (value !== held) rewrite(history, asOf, held, value);
    return 'new';
  }
  if (sameNumber(value, held)) {
    const text = value === null || held === null ? value : fullerText(value, held);
    if (text !== held) rewrite(history, asOf, held, text);
    return 'known';
  }
  if (replace) rewrite(history, asOf, held, value);
  return replace ? 'new' : 'conflict';
}

/** Makes `value` the text known on `asOf` and keeps the text of every other statement. */
function rewrite(
  { changes, statedAt }: DateHistory,
  asOf: Day,
  held: string | null,
  value: string | null,
): void {
  const at = lastUpTo(changes, asOf);
  const isChange = changes[at]?.asOf === asOf;
  const before = (isChange ? changes[at - 1]?.value : changes[at]?.value) ?? null;
  const following = changes[at + 1];
  const confirmed = statedAt.next(asOf);
  const tail: Change[] = [];
  if (value !== before) tail.push({ asOf, value });
  // The statements that repeated the old text now need a change back to it.
  const repeats = confirmed !== undefined && (following === undefined || confirmed < following.asOf);
  if (repeats) tail.push({ asOf: confirmed, value: held });
  const dropFollowing = !repeats && following !== undefined && following.value === value;
  const start = isChange ? at : at + 1;
  changes.splice(start, (isChange ? 1 : 0) + (dropFollowing ? 1 : 0), ...tail);
}

/** On day `asOf`, the value of `seriesId` for `date` was `value` (exact decimal text), or was withdrawn (null). */
export type Statement = {
  readonly seriesId: string;
  readonly date: Day;
  readonly asOf: Day;
  readonly value: string | null;
  /** How the vintage of that day came about, if the file says so on each line. */
  readonly kind?: KeptKind;
};

/** A change as a store keeps it: of the number (a fact), or of its text alone (a respelling). */
export type KeptChange = Change & { readonly date: Day; readonly kind: 'fact' | 'respelling' };

/** Adds the differences between two lists of changes of one date to those to remove and to insert. */
export function addDifferences(
  date: Day,
  before: readonly Change[],
  after: readonly Change[],
  removed: KeptChange[],
  inserted: KeptChange[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start], after[start])) start += 1;
  if (start === before.length && start === after.length) return;
  const old = new Map<Day, KeptChange>();
  for (let i = start; i < before.length; i += 1) {
    const change = keptChange(date, before, i);
    if (change !== undefined) old.set(change.asOf, change);
  }
  for (let i = start; i < after.length; i += 1) {
    const change = keptChange(date, after, i);
    if (change === undefined) continue;
    const same = old.get(change.asOf);
    if (same !== undefined && same.value === change.value && same.kind === change.kind)
      old.delete(change.asOf);
    else inserted.push(change);
  }
  removed.push(...old.values());
}

function isSame(one: Change | undefined, other: Change | undefined): boolean {
  return one?.asOf === other?.asOf && one?.value === other?.value;
}

function keptChange(date: Day, changes: readonly Change[], i: number): KeptChange | undefined {
  const change = changes[i];
  if (change === undefined) return undefined;
  const before = i === 0 ? undefined : changes[i - 1];
  const respelled = before !== undefined && sameNumber(before.value, change.value);
  return { date, asOf: change.asOf, value: change.value, kind: respelled ? 'respelling' : 'fact' };
}
