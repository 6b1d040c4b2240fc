import type { Day } from './date.ts';
import { fullerText, sameNumber } from './decimal.ts';

/** From `asOf` on, the text of a date's value was `value` (null: withdrawn), until the next change. */
export type Change = { readonly asOf: Day; readonly value: string | null };

/** Two statements of one (series, date, as-of day) that differ as numbers. */
export type Clash = {
  readonly date: Day;
  readonly asOf: Day;
  readonly held: string | null;
  readonly given: string | null;
};

/** What one more statement did to a date's history. */
export type Placement = 'new' | 'known' | 'clash';

/**
 * The history of one date: its changes of text in ascending order of `asOf`, where neighbours differ and the first
 * is never null. A statement that changed nothing is no change; `statedAt` says on which days there was a statement,
 * so that every statement's text can be told: it is the value known on its day.
 */
export type DateHistory = { readonly changes: Change[]; readonly statedAt: StatedAt };

/** On which days statements about a date were made before the one that is being placed. */
export type StatedAt = {
  readonly has: (asOf: Day) => boolean;
  /** The earliest such day after `asOf`, if any. */
  readonly next: (asOf: Day) => Day | undefined;
};

/** The text known on a day: of the latest change on or before it, null when there is none or it was a withdrawal. */
export function knownOn(changes: readonly Change[], asOf: Day): string | null {
  return changes[lastUpTo(changes, asOf)]?.value ?? null;
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
 * Puts one statement into a date's history, so that the result is the same whatever the order of statements.
 * A statement already made on that day is `known` when it is the same number (the fuller text stays), a `clash`
 * otherwise; a clash changes nothing unless `replace` is given.
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
  return replace ? 'new' : 'clash';
}

/** Makes `value` the text known on `asOf`, and leaves every other statement saying what it said. */
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
  // The statements that only repeated the old text now stand against the new one.
  const repeats = confirmed !== undefined && (following === undefined || confirmed < following.asOf);
  if (repeats) tail.push({ asOf: confirmed, value: held });
  const dropFollowing = !repeats && following !== undefined && following.value === value;
  const start = isChange ? at : at + 1;
  changes.splice(start, (isChange ? 1 : 0) + (dropFollowing ? 1 : 0), ...tail);
}
