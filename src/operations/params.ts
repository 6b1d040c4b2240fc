import { type Day, parseDay } from '../domain/series/date.ts';
import {
  type CurveType,
  curveTypes,
  type Maturity,
  maturities,
  maturitiesOf,
} from '../domain/treasury/curve.ts';
import { contradiction, refused } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import type { Param, RowBound } from './param.ts';

/** The optional settings of a parameter. */
type Declared = Partial<Pick<Param, 'bounds' | 'extension' | 'flag' | 'placeholder'>>;

const optional = { in: 'query', required: false } as const;

function day(text: string, name: string): Day {
  const parsed = parseDay(text);
  if (parsed === undefined)
    throw refused({ param: name, value: text, noun: 'date', reason: 'use YYYY-MM-DD format' });
  return parsed;
}

/** The id of a series in the path; rows repeat it in `field`. */
export function seriesIdParam(field?: string): Param<string, true> {
  return {
    in: 'path',
    description: 'Series identifier.',
    required: true,
    fallback: '',
    parse: (text) => text,
    schema: { type: 'string' },
    placeholder: 'id',
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
  return {
    ...optional,
    description,
    fallback: undefined,
    parse: day,
    schema: { type: 'string', format: 'date' },
    placeholder: 'date',
    ...(bounds !== undefined && { bounds }),
    ...declared,
  };
}

/** An optional date of a period that values belong to. */
export function periodParam(description: string, bounds?: RowBound): Param<Day | undefined, false> {
  return { ...dayParam(description, bounds), ofPeriod: true };
}

/** An optional as-of date; refused if that day has not begun anywhere on Earth. */
export function asOfParam(declared: Pick<Declared, 'extension'> = {}): Param<Day | undefined, false> {
  return {
    ...dayParam('As-of date: the answer has only what was published on or before it.'),
    parse: (text, name, clock) => {
      const asOf = day(text, name);
      if (asOf > clock.latest)
        throw contradiction(
          name,
          ({ param }) => `${param(name)} ${asOf} is in the future: nothing is known as of that date yet`,
        );
      return asOf;
    },
    ...declared,
  };
}

/** One of a few words; case matters. */
export function choiceParam<const T extends string, F extends T | undefined>(
  description: string,
  choices: readonly T[],
  fallback: F,
  declared: Declared = {},
): Param<T | F, false> {
  return {
    ...optional,
    description,
    fallback,
    parse: (text, name) => {
      const choice = choices.find((candidate) => candidate === text);
      if (choice === undefined)
        throw refused({ param: name, value: text, reason: `use ${listed(choices, 'or')}` });
      return choice;
    },
    schema: { type: 'string', enum: choices, ...(fallback !== undefined && { default: fallback }) },
    placeholder: choices.join('|'),
    ...declared,
  };
}

/** The kind of treasury curve; default PAR. */
export function curveTypeParam(
  declared: Pick<Declared, 'bounds' | 'extension'> = {},
): Param<CurveType, false> {
  return choiceParam('Curve type.', curveTypes, 'PAR', { flag: 'type', ...declared });
}

/** An optional free text. */
export function textParam(description: string, declared: Declared = {}): Param<string, false> {
  return {
    ...optional,
    description,
    fallback: '',
    parse: (text) => text,
    schema: { type: 'string' },
    placeholder: 'text',
    ...declared,
  };
}

/** An optional text to filter by; a blank one is refused, because it would filter nothing. */
export function filterParam(description: string, declared: Declared = {}): Param<string, false> {
  return {
    ...textParam(description, declared),
    parse: (text, name) => {
      if (text.trim() === '')
        throw refused({ param: name, value: text, reason: 'it is blank; leave it out for all' });
      return text;
    },
    schema: { type: 'string', pattern: '\\S' },
  };
}

/** An integer between two bounds; without an upper bound it has at most nine digits, with one at most fifteen. */
export function integerParam<F extends number | undefined>(
  description: string,
  least: number,
  most: number | undefined,
  fallback: F,
  declared: Pick<Declared, 'bounds' | 'extension'> = {},
): Param<number | F, false> {
  return {
    ...optional,
    description,
    fallback,
    parse: (text, name) => {
      const value = (most === undefined ? /^\d{1,9}$/ : /^\d{1,15}$/).test(text) ? Number(text) : Number.NaN;
      if (!(value >= least && value <= (most ?? value))) {
        const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
        throw refused({ param: name, value: text, reason: `use an integer ${range}` });
      }
      return value;
    },
    schema: {
      type: 'integer',
      minimum: least,
      ...(most !== undefined && { maximum: most }),
      ...(fallback !== undefined && { default: fallback }),
    },
    placeholder: 'n',
    ...declared,
  };
}

/** The page parameters that every listing takes. */
export const paging = {
  limit: integerParam('Rows in one page.', 1, 1000, 100),
  cursor: textParam('Opaque cursor from the previous page.'),
};

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
