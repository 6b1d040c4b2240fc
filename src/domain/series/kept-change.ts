import type { Day } from './date.ts';
import { sameNumber } from './decimal.ts';
import type { Change } from './revision-history.ts';

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
