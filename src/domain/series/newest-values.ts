import type { Day } from './date.ts';
import type { Transformer, Vintages, VintageValues } from './transformer.ts';

/** A value that was known on a day: its date, and the first vintage with it. */
export type KnownValue = { readonly date: Day; readonly value: string; readonly asOf: Day };

/** The newest values of a series known on a day, newest date first, at most `count` of them. */
export function newestKnown(
  vintages: Vintages,
  day: Day,
  count: number,
  transformer?: Transformer,
): readonly KnownValue[] {
  const found: KnownValue[] = [];
  const newest = vintages.newestOn(day);
  if (newest === undefined) return found;
  const values = vintages.on(day);
  let passed: Day | undefined;
  for (let index = vintages.indexOf(newest); index >= 0 && found.length < count; index -= 1) {
    const own = vintages.dates[index] ?? '';
    const date = transformer === undefined ? own : transformer.dateOf(own);
    if (date === passed) continue;
    passed = date;
    const known = knownValue(values, date, transformer);
    if (known !== undefined) found.push(known);
  }
  return found;
}

/** The value of a date in a vintage, transformed if asked; undefined if it has none. */
export function knownValue(
  vintage: VintageValues,
  date: Day,
  transformer: Transformer | undefined,
): KnownValue | undefined {
  if (transformer === undefined) {
    const published = vintage.valueOf(date);
    return published && { date, ...published };
  }
  const result = transformer.valueIn(vintage, date);
  return result && { date, value: result.value, asOf: result.since };
}
