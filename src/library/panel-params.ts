import type { Demands } from '../analysis/basis.ts';
import type { Beyond } from '../analysis/query.ts';
import type { Day, Rhythm } from '../domain/series/date.ts';
import type { TransformationParams } from '../domain/series/transformation.ts';
import { contradiction, type Sentence } from '../errors/problem.ts';
import type { NamedValues } from '../operations/value.ts';
import { checkUnits } from './units-params.ts';

/** The same type, whose optional members may also be given as undefined. */
export type Optional<T> = {
  readonly [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K];
};

/** A parameter of every question about several series. */
export type SeveralParams = {
  /** Leaves out ids that no series has, and names them in `missing`; otherwise they are a failure. */
  readonly skipMissing?: boolean | undefined;
};

/** The first and the last date that a query is about. */
export type DateRange = { readonly from?: Day; readonly to?: Day };

/** A panel as known on one day, by default today. */
type AsOfOneDay = DateRange & {
  readonly asOf?: Day;
  readonly asOfEach?: undefined;
  readonly knownBeforeEach?: undefined;
  readonly last?: undefined;
  readonly lag?: undefined;
  readonly beyond?: undefined;
  readonly withDates?: undefined;
};

/** A panel of the newest values known on each day of a rhythm from `from` to `to`, or on given days. */
type AsOfEachDay = (
  | (Required<DateRange> & { readonly asOfEach: Rhythm })
  | (DateRange & { readonly asOfEach: readonly Day[] })
) & {
  readonly asOf?: undefined;
  /** Shows what was known before each day. */
  readonly knownBeforeEach?: boolean;
  /** How many of the newest observations each day shows (default 1). */
  readonly last?: number;
  /** How many of the newest observations each day skips. */
  readonly lag?: number;
  /** What as-of dates after the coverage of a series show (default `empty`). */
  readonly beyond?: Beyond;
  /** With `wide`, adds the observation date of each value in a second column. */
  readonly withDates?: boolean;
};

/** The units of the values, and how they are aggregated. */
export type UnitsParams = Optional<TransformationParams>;

/** How a panel is laid out: with `wide`, with a column for each series; newest first unless `sort` says otherwise. */
type PanelLayout = { readonly wide?: boolean; readonly sort?: 'asc' | 'desc' };

/** The parameters of a panel. */
export type PanelParams = (Optional<AsOfEachDay> | Optional<AsOfOneDay>) &
  Optional<PanelLayout> &
  SeveralParams &
  UnitsParams &
  Demands;

/** Refuses parameters of one kind of panel together with those of the other. */
export function checkPanel(values: NamedValues): void {
  checkUnits(values);
  const { asOf, asOfEach, withDates, wide, from, to } = values;
  const refuse = (field: string, sentence: Sentence) => {
    throw contradiction(field, sentence);
  };
  if (asOfEach === undefined) {
    const ofDays = ['beyond', 'withDates', 'last', 'lag', 'knownBeforeEach'];
    const name = ofDays.find((one) => values[one] !== undefined && values[one] !== false);
    if (name !== undefined)
      refuse(name, ({ param }) => `${param(name)} is about as-of dates: use ${param('asOfEach')}`);
    return;
  }
  if (asOf !== undefined)
    refuse('asOf', ({ param }) => `use either ${param('asOf')} or ${param('asOfEach')}`);
  if (typeof asOfEach === 'string' && (from === undefined || to === undefined))
    refuse(
      from === undefined ? 'from' : 'to',
      ({ param }) =>
        `${param('asOfEach')} needs ${param('from')} and ${param('to')}: the first and the last as-of date`,
    );
  if (withDates === true && wide !== true)
    refuse(
      'withDates',
      ({ param }) => `${param('withDates')} needs ${param('wide')}: a long panel has the dates`,
    );
}
