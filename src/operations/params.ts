import type { Day } from '../domain/series/date.ts';
import {
  type CurveType,
  curveTypes,
  type Maturity,
  maturities,
  maturitiesOf,
} from '../domain/treasury/curve.ts';
import { contradiction, refused } from '../errors/problem.ts';
import type { Flag } from './flag.ts';
import type { Param, RowBound, TypedParam } from './param.ts';
import { asOfDay, choice, day, filter, integer, seriesId, text, type Value } from './value.ts';

/** The optional settings of a parameter. */
type Declared = Partial<Pick<Param, 'bounds' | 'complete' | 'extension' | 'flag' | 'help' | 'placeholder'>>;

/** An optional parameter; a default that is not an empty text stands in its schema. */
export function param<T, F>(
  value: Value<T>,
  description: string,
  fallback: F,
  declared: Declared = {},
): Param<T | F, false> {
  const hasDefault = fallback !== undefined && fallback !== '';
  const schema = hasDefault ? { ...value.schema, default: fallback } : value.schema;
  return { ...value, in: 'query', required: false, fallback, description, schema, ...declared };
}

/** The id of a series in the path; rows repeat it in `field`. */
export function seriesIdParam(field?: string): Param<string, true> {
  return {
    ...seriesId,
    in: 'path',
    description: 'Series identifier.',
    required: true,
    fallback: '',
    namesSeries: true,
    ...(field !== undefined && { bounds: { field, is: 'equal' } }),
  };
}

/** An optional calendar date. */
export function dayParam(
  description: string,
  bounds?: RowBound,
  declared: Pick<Declared, 'extension'> = {},
): Param<Day | undefined, false> {
  return param(day, description, undefined, { ...(bounds !== undefined && { bounds }), ...declared });
}

/** An optional date of a period that values belong to. */
export function periodParam(description: string, bounds?: RowBound): Param<Day | undefined, false> {
  return { ...dayParam(description, bounds), ofPeriod: true };
}

/** An optional as-of date; refused if that day has not begun anywhere on Earth. */
export function asOfParam(declared: Pick<Declared, 'extension'> = {}): Param<Day | undefined, false> {
  const about = 'As-of date: the answer has only what was published on or before it.';
  return { ...param(asOfDay, about, undefined, declared), typed: typedAsOf };
}

/** The flag of an as-of date. */
export const asOfFlag: Flag = {
  name: 'as-of',
  value: 'date',
  complete: 'days',
  about: 'as-of date: use only what was published on or before it',
};

const typedAsOf: TypedParam<Day | undefined> = {
  flags: [
    asOfFlag,
    {
      name: 'known-before',
      value: 'date',
      complete: 'days',
      about: 'use only what was published before this date',
    },
  ],
  read: (line) => line.asOf(),
};

/** One of a few words; case matters. */
export function choiceParam<const T extends string, F extends T | undefined>(
  description: string,
  choices: readonly T[],
  fallback: F,
  declared: Declared = {},
): Param<T | F, false> {
  return param(choice(choices), description, fallback, declared);
}

/** The kind of treasury curve; default PAR. */
export function curveTypeParam(
  declared: Pick<Declared, 'bounds' | 'extension'> = {},
): Param<CurveType, false> {
  return choiceParam('Curve type.', curveTypes, 'PAR', { flag: 'type', ...declared });
}

/** An optional free text. */
export function textParam(description: string, declared: Declared = {}): Param<string, false> {
  return param(text, description, '', declared);
}

/** An optional text to filter by; a blank one is refused, because it would filter nothing. */
export function filterParam(description: string, declared: Declared = {}): Param<string, false> {
  return param(filter, description, '', declared);
}

/** An integer between two bounds; without an upper bound it has at most nine digits, with one at most fifteen. */
export function integerParam<F extends number | undefined>(
  description: string,
  least: number,
  most: number | undefined,
  fallback: F,
  declared: Pick<Declared, 'bounds' | 'extension'> = {},
): Param<number | F, false> {
  return param(integer(least, most), description, fallback, declared);
}

/** The page parameters that every listing takes. */
export const paging = {
  limit: integerParam('Rows in one page.', 1, 1000, 100),
  cursor: textParam('Opaque cursor from the previous page.'),
};

/** What a listing that is newest first can be asked besides: its oldest rows. */
export const oldest = {
  first: param(integer(1), 'Most rows, the oldest ones.', undefined, {
    help: { about: 'maximum rows, the oldest' },
  }),
};

/** Tells whether a parameter is a date by which something was known, and not the date of a period. */
export function isAboutKnowledge(param: Param | undefined): boolean {
  return param?.schema.format === 'date' && param.ofPeriod !== true;
}

/** Refuses a range that ends before it begins. */
export function checkRange(from: Day | undefined, to: Day | undefined): void {
  if (from === undefined || to === undefined || from <= to) return;
  throw contradiction(
    'from',
    ({ lead, param }) =>
      `${lead('invalid date range:')}${param('from')} ${from} is after ${param('to')} ${to}`,
  );
}

/** A maturity label of the contract, such as `10Y`. */
export function maturityParam<F extends Maturity | undefined>(
  description: string,
  fallback: F,
  declared: Declared,
): Param<Maturity | F, false> {
  return { ...choiceParam(description, maturities, fallback, declared), placeholder: 'maturity' };
}

/** Refuses a maturity that a type of curve does not have. */
export function checkMaturity(name: string, maturity: Maturity | undefined, curveType: CurveType): void {
  const known = maturitiesOf(curveType);
  if (maturity === undefined || known.includes(maturity)) return;
  throw refused({ param: name, value: maturity, reason: `${curveType} has ${known.join(', ')}` });
}
