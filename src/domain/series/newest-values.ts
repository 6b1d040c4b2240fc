import type { Day } from '../values/date.ts';
import type { DailyTransformers, Transformer, Vintages, VintageValues } from './transformer.ts';

/** A value known on a day, with its first vintage. */
export type KnownValue = { readonly date: Day; readonly value: string; readonly asOf: Day };

/** Days without a publication between them, and the last publication before. */
type RealTimePeriod = { readonly days: readonly Day[]; readonly since: Day | undefined };

/** The values known on such days, newest date first. */
export type KnownOnDays = RealTimePeriod & { readonly values: readonly KnownValue[] };

/** Groups days by real-time period; both lists ascend. */
export function realTimePeriodsOf(
  days: readonly Day[],
  publications: readonly Day[],
): readonly RealTimePeriod[] {
  const periods: { days: Day[]; since: Day | undefined }[] = [];
  let next = 0;
  for (const day of days) {
    while ((publications[next] ?? '~') <= day) next += 1;
    const since = publications[next - 1];
    const last = periods.at(-1);
    if (last !== undefined && last.since === since) last.days.push(day);
    else periods.push({ days: [day], since });
  }
  return periods;
}

/** Finds at most `count` newest values known on each of the days (ascending). */
export function newestOnDays(
  vintages: Vintages,
  days: readonly Day[],
  count: number,
  transformers?: DailyTransformers,
): readonly KnownOnDays[] {
  const newestOn = (day: Day): readonly KnownValue[] => {
    const found: KnownValue[] = [];
    const transformer = transformers?.on(day);
    if (transformers !== undefined && transformer === undefined) return found;
    const values = vintages.on(day);
    let passed: Day | undefined;
    for (let index = vintages.newestPlaceOn(day); index >= 0 && found.length < count; index -= 1) {
      const own = vintages.dates[index] ?? '';
      const date = transformer?.dateOf(own) ?? own;
      const known = date === passed ? undefined : knownValue(values, date, transformer);
      passed = date;
      if (known !== undefined) found.push(known);
    }
    return found;
  };
  return realTimePeriodsOf(days, vintages.daysOfChange(vintages.dates)).map((period) => {
    return { ...period, values: period.since === undefined ? [] : newestOn(period.since) };
  });
}

/** Returns the value of a date in a vintage, optionally transformed; undefined without a value. */
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
