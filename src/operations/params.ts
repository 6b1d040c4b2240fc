import { type Day, parseDay } from '../domain/series/date.ts';
import { type CurveType, type Maturity, maturities, maturitiesOf } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';

/** What reading a parameter may depend on: the latest day that has begun anywhere on Earth. */
export type Clock = { readonly latest: Day; readonly today: Day };

/** One parameter of an operation: how its text becomes a value, and everything that help and OpenAPI say of it. */
export type Param<T> = {
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly required: boolean;
  /** The value without the parameter. */
  readonly fallback: T;
  /** Reads a text; throws the contract's validation error. */
  readonly parse: (text: string, name: string, clock: Clock) => T;
  /** JSON Schema of the text on the wire. */
  readonly schema: { readonly [key: string]: unknown };
  /** The command-line flag without dashes, where it is not the parameter's name. */
  readonly flag?: string;
  /** Whether it is the date of a period, which tells nothing about when anything was known. */
  readonly ofPeriod?: boolean;
  /** How the flag's value is called in help. */
  readonly placeholder: string;
};

/** The values that a record of parameters gives. */
export type Values<P> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

function invalid(name: string, detail: string): Problem {
  return new Problem('validation-error', detail, { field: name });
}

function day(text: string, name: string): Day {
  const parsed = parseDay(text);
  if (parsed === undefined) throw invalid(name, `invalid '${name}' date: use YYYY-MM-DD format`);
  return parsed;
}

const dateSchema = { type: 'string', format: 'date' } as const;

/** The id in the path of a series; whether it exists is the operation's question. */
export function seriesIdParam(): Param<string> {
  return {
    in: 'path',
    description: 'Series identifier.',
    required: true,
    fallback: '',
    parse: (text) => text,
    schema: { type: 'string' },
    placeholder: 'id',
  };
}

/** An optional calendar date. */
export function dayParam(description: string, flag?: string): Param<Day | undefined> {
  return {
    in: 'query',
    description,
    required: false,
    fallback: undefined,
    parse: day,
    schema: dateSchema,
    placeholder: 'date',
    ...(flag !== undefined && { flag }),
  };
}

/** An optional date of a period that values belong to. */
export function periodParam(description: string): Param<Day | undefined> {
  return { ...dayParam(description), ofPeriod: true };
}

/** A date of a period that must be given. */
export function requiredPeriodParam(description: string): Param<Day> {
  return { ...periodParam(description), required: true, fallback: '', parse: day };
}

/** An optional knowledge date: refused when it has begun nowhere on Earth yet. */
export function asOfParam(): Param<Day | undefined> {
  return {
    ...dayParam('Knowledge date: only what was published on or before it counts.'),
    parse: (text, name, clock) => {
      const asOf = day(text, name);
      if (asOf > clock.latest)
        throw invalid(name, `'${name}' ${asOf} lies in the future: nothing is known as of it yet`);
      return asOf;
    },
  };
}

/** One of a few words, compared as written. */
export function choiceParam<const T extends string, F extends T | undefined>(
  description: string,
  choices: readonly T[],
  fallback: F,
  flag?: string,
): Param<T | F> {
  return {
    in: 'query',
    description,
    required: false,
    fallback,
    parse: (text, name) => {
      const choice = choices.find((candidate) => candidate === text);
      if (choice === undefined)
        throw invalid(name, `invalid '${name}' ${JSON.stringify(text)}: use ${choices.join(' or ')}`);
      return choice;
    },
    schema: { type: 'string', enum: choices, ...(fallback !== undefined && { default: fallback }) },
    placeholder: choices.join('|'),
    ...(flag !== undefined && { flag }),
  };
}

/** The kind of treasury curve; PAR unless given. */
export function curveTypeParam(): Param<CurveType> {
  return choiceParam('Curve type.', ['PAR', 'TIPS'], 'PAR', 'type');
}

/** An optional free text. */
export function textParam(description: string, flag?: string): Param<string> {
  return {
    in: 'query',
    description,
    required: false,
    fallback: '',
    parse: (text) => text,
    schema: { type: 'string' },
    placeholder: 'text',
    ...(flag !== undefined && { flag }),
  };
}

/** An optional text to filter by; a blank one is refused, since it would pass for no filter at all. */
export function filterParam(description: string, flag?: string): Param<string> {
  return {
    ...textParam(description, flag),
    parse: (text, name) => {
      if (text.trim() === '')
        throw invalid(name, `invalid '${name}' ${JSON.stringify(text)}: it is blank; leave it out for all`);
      return text;
    },
    schema: { type: 'string', pattern: '\\S' },
  };
}

/** An integer between bounds. */
export function integerParam<F extends number | undefined>(
  description: string,
  least: number,
  most: number,
  fallback: F,
): Param<number | F> {
  return {
    in: 'query',
    description,
    required: false,
    fallback,
    parse: (text, name) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= least && value <= most)) {
        throw invalid(
          name,
          `invalid '${name}' ${JSON.stringify(text)}: use an integer from ${least} to ${most}`,
        );
      }
      return value;
    },
    schema: {
      type: 'integer',
      minimum: least,
      maximum: most,
      ...(fallback !== undefined && { default: fallback }),
    },
    placeholder: 'n',
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
  throw invalid('from', `invalid date range: 'from' ${from} is after 'to' ${to}`);
}

/** A maturity label of the contract, such as `10Y`. */
export function maturityParam<F extends Maturity | undefined>(
  description: string,
  fallback: F,
): Param<Maturity | F> {
  return choiceParam(description, maturities, fallback);
}

/** Refuses a maturity that a type of curve does not have. */
export function checkMaturity(name: string, maturity: Maturity | undefined, curveType: CurveType): void {
  const known = maturitiesOf(curveType);
  if (maturity === undefined || known.includes(maturity)) return;
  throw invalid(name, `invalid '${name}' ${JSON.stringify(maturity)}: ${curveType} has ${known.join(', ')}`);
}

/**
 * The values of an operation's parameters from the texts of a request.
 * Unknown and repeated parameters are refused: a mistyped `asof=` must never answer with revised data.
 */
export function readParams<P extends { readonly [name: string]: Param<unknown> }>(
  params: P,
  given: readonly (readonly [name: string, text: string])[],
  clock: Clock,
): Values<P> {
  const texts = new Map<string, string>();
  for (const [name, text] of given) {
    if (!Object.hasOwn(params, name)) throw unknown(name, Object.keys(params));
    if (texts.has(name)) throw invalid(name, `parameter '${name}' is given more than once`);
    texts.set(name, text);
  }
  const values = Object.entries(params).map(([name, param]) => {
    const text = texts.get(name);
    if (text !== undefined) return [name, param.parse(text, name, clock)];
    if (param.required) throw invalid(name, `parameter '${name}' is missing`);
    return [name, param.fallback];
  });
  return Object.fromEntries(values);
}

function unknown(name: string, known: readonly string[]): Problem {
  return invalid(name, `unknown parameter '${name}': use ${known.join(', ') || 'none'}`);
}
