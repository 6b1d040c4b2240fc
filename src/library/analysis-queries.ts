import type { Demands } from '../analysis/basis.ts';
import { asOfDates, type PanelQuery, type RealTimePanelQuery } from '../analysis/query.ts';
import { addDays } from '../domain/series/date.ts';
import { type TransformationParams, transformationOf } from '../domain/series/transformation.ts';
import type { Clock } from '../operations/value.ts';
import { asOfDay } from '../operations/value.ts';
import type { DateRange, Optional, PanelParams, SeveralParams } from './panel-params.ts';

/** The parameters of both kinds of panel, all of them optional. */
type PanelValues = { readonly [K in keyof PanelParams]?: PanelParams[K] | undefined };

type UnitsValues = { readonly [K in keyof TransformationParams]?: TransformationParams[K] | undefined };

/** The query of a panel from checked parameters; a Problem if an as-of date has not begun anywhere on Earth. */
export function panelQuery(
  ids: readonly string[],
  params: PanelValues,
  clock: Clock,
): PanelQuery | RealTimePanelQuery {
  const { wide = false, sort = 'desc', asOfEach, asOf } = params;
  const form = { ...seriesOf(ids, params), wide, sort, ...rangeOf(params), ...transformed(params) };
  if (asOfEach === undefined) return { kind: 'panel', ...form, ...(asOf !== undefined && { asOf }) };
  const { beyond = 'empty', withDates = false, knownBeforeEach, last, lag } = params;
  const query = {
    kind: 'real-time-panel',
    ...form,
    each: asOfEach,
    beyond,
    withDates,
    ...(knownBeforeEach === true && { knownBefore: true }),
    ...(last !== undefined && { last }),
    ...(lag !== undefined && { lag }),
  } as const;
  const newest = asOfDates(query).at(-1) ?? '';
  const known = knownBeforeEach === true ? addDays(newest, -1) : newest;
  asOfDay.check(known, typeof asOfEach === 'string' ? 'to' : 'asOfEach', clock);
  return query;
}

/** The series of a query. */
export function seriesOf(ids: readonly string[], { skipMissing }: SeveralParams) {
  return { ids, ...(skipMissing === true && { skipMissing }) };
}

/** The first and the last date in parameters, if given. */
export function rangeOf({ from, to }: Optional<DateRange>): DateRange {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function transformed(params: UnitsValues) {
  const transformation = transformationOf(params as TransformationParams);
  return transformation === undefined ? {} : { transformation };
}

/** The demands in parameters, and the other parameters that have a value. */
export function splitDemands<T extends Demands>({ exact, maxAge, ...own }: T) {
  const present = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  // Only undefined members are dropped.
  return { demands: { exact, maxAge }, own: present as Defined<typeof own> };
}

type Defined<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };
