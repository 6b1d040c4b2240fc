import { Problem } from '../../errors/problem.ts';
import {
  addDays,
  type Day,
  dayNumber,
  type Frequency,
  monthEnd,
  monthsBefore,
  periodStart,
  weekendDay,
} from './date.ts';
import { Exact, type ExactValue } from './exact-values.ts';
import { frequencies } from './series.ts';
import type { Aggregation } from './transformation.ts';

/** A frequency that is known. */
export type Known = Exclude<Frequency, ''>;

/** The code of the frequency of aggregated values. */
export function codeOf({ frequency }: Aggregation): Known {
  return ({ w: 'W', m: 'M', q: 'Q', sa: 'SA', a: 'A' } as const)[frequency];
}

/** Whether an aggregation changes values of this frequency; a Problem if they are coarser already. */
export function aggregates(id: string, own: Known, aggregation: Aggregation): boolean {
  const target = codeOf(aggregation);
  if (frequencies.indexOf(own) > frequencies.indexOf(target))
    throw new Problem('bad-input', `${id} has the frequency ${own}, which is coarser than ${target}`, {
      field: 'frequency',
      hints: ['values can be aggregated to a coarser frequency only'],
    });
  return own !== target;
}

/** The date of the period that contains a date: its first day, or for a week the Friday that ends it, as in FRED. */
export function periodOf(date: Day, frequency: Known): Day {
  // 1970-01-02, day 1, was a Friday.
  return frequency === 'W'
    ? addDays(date, (((1 - dayNumber(date)) % 7) + 7) % 7)
    : periodStart(date, frequency);
}

const months: Partial<Record<Frequency, number>> = { M: 1, Q: 3, SA: 6, A: 12 };

/** The first and the last day of a period. */
export function boundsOf(period: Day, frequency: Known): { readonly first: Day; readonly last: Day } {
  const length = months[frequency];
  if (length === undefined) return { first: addDays(period, -6), last: period };
  return { first: period, last: monthEnd(monthsBefore(period, 1 - length) ?? period) };
}

/**
 * The least number of values in a complete period, as in FRED: daily and weekly series lack some on holidays. All
 * other series need every value.
 */
const leastValues: Partial<Record<Known, Partial<Record<Known, number>>>> = {
  D: { W: 4, BW: 8, M: 17, Q: 52, SA: 104, A: 208 },
  W: { BW: 2, M: 3, Q: 10, SA: 20, A: 39 },
  BW: { M: 2, Q: 7, SA: 13, A: 26 },
  M: { Q: 3, SA: 6, A: 12 },
  Q: { SA: 2, A: 4 },
  SA: { A: 2 },
};

/** A value of a vintage with its date. */
export type DatedValue = { readonly date: Day; readonly value: ExactValue };

/**
 * Whether a period is complete: it has at least as many values as FRED requires, and no further date can fall into
 * it, because the newest known date is its last one or later.
 */
function isComplete(period: Day, values: readonly DatedValue[], newest: Day, own: Known, target: Known) {
  if (values.length < (leastValues[own]?.[target] ?? 1)) return false;
  const everyDay = values.some(({ date }) => weekendDay(date) !== undefined);
  return nextDate(newest, own, everyDay) > boundsOf(period, target).last;
}

/** The next date that a series can have; of a daily series the next weekday, unless it has values on weekends. */
function nextDate(date: Day, own: Known, everyDay: boolean): Day {
  const length = months[own];
  if (length !== undefined) return monthsBefore(date, -length) ?? date;
  if (own !== 'D') return addDays(date, own === 'W' ? 7 : 14);
  let next = addDays(date, 1);
  while (!everyDay && weekendDay(next) !== undefined) next = addDays(next, 1);
  return next;
}

/**
 * The exact value of a period from the values of one vintage in it (ascending); `newest` is the newest date in the
 * vintage. Undefined without values, and for an incomplete period unless the aggregation accepts partial ones.
 */
export function aggregated(
  period: Day,
  values: readonly DatedValue[],
  newest: Day,
  own: Known,
  aggregation: Aggregation,
): ExactValue | undefined {
  const { aggregate = 'avg', partial = false } = aggregation;
  const last = values.at(-1);
  if (last === undefined) return undefined;
  if (!partial && !isComplete(period, values, newest, own, codeOf(aggregation))) return undefined;
  if (aggregate === 'eop') return last.value;
  let [sum, decimals, since] = [new Exact(0), 0, ''];
  for (const { value } of values) {
    sum = sum.plus(value.sum);
    decimals = Math.max(decimals, value.decimals);
    if (value.since > since) since = value.since;
  }
  const count = aggregate === 'avg' ? values.length : 1;
  return { sum, count, double: sum.toNumber() / count, decimals, since };
}
