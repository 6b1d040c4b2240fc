import type { Demands } from '../analysis/basis.ts';
import type { Day } from '../domain/series/date.ts';
import type { SeveralParams } from './arguments.ts';

type DateRange = { readonly from?: Day; readonly to?: Day };

/** The series of a query. */
export function seriesOf(ids: readonly string[], { skipMissing }: SeveralParams) {
  return { ids, ...(skipMissing === true && { skipMissing }) };
}

/** The first and the last date in parameters, if given. */
export function rangeOf({ from, to }: { readonly [K in keyof DateRange]: Day | undefined }): DateRange {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** The demands in parameters, and the other parameters that have a value. */
export function splitDemands<T extends Demands>({ exact, maxAge, ...own }: T) {
  const present = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  // Only undefined members are dropped.
  return { demands: { exact, maxAge }, own: present as Defined<typeof own> };
}

type Defined<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };
