import { lastDayOver } from '../domain/calendar/zones.ts';
import type { Day } from '../domain/values/date.ts';
import { contradiction, Problem, type Sentence } from '../errors/problem.ts';
import type { CamelCase, Flat } from './field.ts';
import type { Flag, LinePart } from './typed-line.ts';
import {
  asOfDay,
  day,
  integer,
  isInstant,
  pastInstant,
  seriesId,
  text,
  type Value,
  type Version,
} from './value.ts';

/** The values of an operation's parameters by name, without paging. */
export type QueryParams = { readonly [name: string]: string | number };

/** The texts of a query's parameters on the wire, including the path. */
export type ParamTexts = readonly (readonly [name: string, text: string])[];

/** A parameter, with everything that help, OpenAPI and clients need. */
export type Param<T = unknown, Required extends boolean = boolean> = Value<T> & {
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly required: Required;
  readonly fallback: T;
  readonly flag?: string;
  readonly help?: Partial<Omit<Flag, 'name'>>;
  /** How a command line gives it. Default: one flag with its text. */
  readonly typed?: LinePart<T | undefined>;
  /** True for the date of a period, which does not depend on when anything was known. */
  readonly ofPeriod?: boolean;
  /** True if it names a series; people may type the id in lower case. */
  readonly namesSeries?: boolean;
  /** True for our extension, which a client sends only to a service that announces it. */
  readonly extension?: boolean;
  /** The parameter of a library that bounds the same strictly: its value is the day after. */
  readonly strictly?: StrictParam;
  /** The field of each row that it bounds: equal to, at least, or at most the value. */
  readonly bounds?: { readonly field: string; readonly is: 'equal' | 'from' | 'to' | 'least' };
};

type StrictParam<N extends string = string> = { readonly name: N; readonly description: string };

/** The parameters of an operation by name. */
export type Params = { readonly [name: string]: Param };

export type ParamValues<P> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

/** Converts the name of a library's parameter for the wire: `asOf` becomes `as_of`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the flag of a parameter, without dashes. */
export function flagName(name: string, param?: Pick<Param, 'flag'>): string {
  return param?.flag ?? name.replaceAll('_', '-');
}

type PresentValue<P> = P extends Param<infer T> ? NonNullable<T> : never;

/** The parameters of an operation in the library, such as `asOf`. */
export type ParamsOf<O> = O extends { readonly params: infer P }
  ? Flat<
      {
        readonly [K in keyof P as P[K] extends Param<unknown, true> ? CamelCase<K> : never]: PresentValue<
          P[K]
        >;
      } & {
        readonly [K in keyof P as P[K] extends Param<unknown, true> ? never : CamelCase<K>]?:
          | PresentValue<P[K]>
          | undefined;
      } & {
        readonly [K in keyof P as P[K] extends { readonly strictly: StrictParam<infer N> }
          ? CamelCase<N>
          : never]?: PresentValue<P[K]> | undefined;
      }
    >
  : never;

/** Returns the text of a parameter; undefined without one. */
export function textOf(texts: ParamTexts, name: string): string | undefined {
  return texts.find(([key]) => key === name)?.[1];
}

/** Returns the text of the parameter that bounds an answer: that of the operation, or an instant. */
export function boundIn(
  { boundBy = '' }: { readonly boundBy?: string | undefined },
  texts: ParamTexts,
): string | undefined {
  return textOf(texts, boundBy) ?? textOf(texts, 'known_at');
}

/** Drops the texts of one parameter. */
export function without(texts: ParamTexts, name: string): ParamTexts {
  return texts.filter(([key]) => key !== name);
}

/** Makes the contract's validation error for a parameter. */
export function invalid(name: string, detail: string | Sentence): Problem {
  return new Problem('validation-error', detail, { field: name });
}

type ParamOptions = Partial<
  Pick<
    Param,
    'bounds' | 'complete' | 'extension' | 'flag' | 'help' | 'namesSeries' | 'ofPeriod' | 'placeholder'
  >
>;

/** Declares an optional parameter; its schema has the default, unless it is an empty text. */
export function param<T, const F>(
  value: Value<T>,
  description: string,
  fallback: F,
  declared: ParamOptions = {},
): Param<T | F, false> {
  const hasDefault = fallback !== undefined && fallback !== '';
  const schema = hasDefault ? { ...value.schema, default: fallback } : value.schema;
  return { ...value, in: 'query', required: false, fallback, description, schema, ...declared };
}

/** Declares the id of a series in the path; rows repeat it in `field`. */
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

/** The first and the last period of values. */
export const periodRange = {
  from: param(day, 'First date.', undefined, { bounds: { field: 'date', is: 'from' }, ofPeriod: true }),
  to: param(day, 'Last date.', undefined, { bounds: { field: 'date', is: 'to' }, ofPeriod: true }),
};

/** Declares the first and the last day of a range, which bounds `field`; `noun` names such a day. */
export function dayRange(noun: string, field: string) {
  return {
    from: param(day, `First ${noun}.`, undefined, { bounds: { field, is: 'from' } }),
    to: param(day, `Last ${noun}.`, undefined, { bounds: { field, is: 'to' } }),
  };
}

/** Declares an optional as-of date; a day that has not begun anywhere on Earth is refused. */
export function asOfParam(declared: Pick<ParamOptions, 'extension'> = {}) {
  const about = 'As-of date: the answer has only what was published on or before it.';
  return { ...param(asOfDay, about, undefined, declared), typed: typedAsOf, strictly: knownBefore };
}

const knownBefore: StrictParam<'known_before'> = {
  name: 'known_before',
  description: 'Day at whose start it must be known: the answer has only what was published before it.',
};

/** The flag of an as-of date. */
export const asOfFlag: Flag = {
  name: 'as-of',
  value: 'date',
  complete: 'days',
  about: 'use only what was published on or before this date',
};

const typedAsOf: LinePart<Day | undefined> = {
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

/** The parameters for what was known: on a day, or at an instant. */
export const knownParams = {
  as_of: asOfParam(),
  known_at: param(
    pastInstant,
    'Time with its offset from UTC: strict to the minute where calendars give the times of releases, to the day before where they do not.',
    undefined,
    {
      extension: true,
      help: {
        about: 'published by this time: 2009-01-30T08:29-05:00',
      },
    },
  ),
};

/** The day on which, or the instant at which something was known; the newest vintage without both. */
export type Known = {
  readonly as_of?: Day | undefined;
  readonly known_at?: string | undefined;
};

/** Returns what is known in one version. */
export function knownIn(version: Version): Known {
  if (version === 'latest') return {};
  return isInstant(version) ? { known_at: version } : { as_of: version };
}

/** Returns the version that was known on a day or at an instant. */
export function versionOf({ as_of, known_at }: Known): Version {
  return as_of ?? known_at ?? 'latest';
}

/** Refuses an as-of date together with an instant. */
export function checkKnown({ as_of, known_at }: Known): void {
  if (as_of === undefined || known_at === undefined) return;
  throw contradiction('known_at', ({ param }) => `use either ${param('as_of')} or ${param('known_at')}`);
}

/** Returns the UTC day of a day or an instant. */
export function dayOfKnown({ as_of, known_at }: Known): Day | undefined {
  return as_of ?? known_at?.slice(0, 10);
}

/** Returns the last day that is known: of an instant, the last one that had ended everywhere on Earth. */
export function lastKnown({ as_of, known_at }: Known): Day | undefined {
  return as_of ?? (known_at === undefined ? undefined : lastDayOver(known_at));
}

/** The page parameters of every listing. */
export const paging = {
  limit: param(integer(1, 1000), 'Rows in one page.', 100),
  cursor: param(text, 'Opaque cursor from the previous page.', ''),
};

/** The parameter for the oldest rows of a listing that is newest first. */
export const oldest = {
  first: param(integer(1), 'Most rows, the oldest ones.', undefined, {
    help: { about: 'maximum rows, the oldest' },
  }),
};

/** Tells whether a parameter is a date or time by which something was known, and not the date of a period. */
export function isAboutKnowledge(param: Param | undefined): boolean {
  const { format } = param?.schema ?? {};
  return (format === 'date' || format === 'date-time') && param?.ofPeriod !== true;
}

/** Refuses a range that ends before it begins. */
export function checkRange({ from, to }: { readonly from?: unknown; readonly to?: unknown }): void {
  if (typeof from !== 'string' || typeof to !== 'string' || from <= to) return;
  throw contradiction(
    'from',
    ({ lead, param }) =>
      `${lead('invalid date range:')}${param('from')} ${from} is after ${param('to')} ${to}`,
  );
}

/** Refuses a date together with a range of dates. */
export function checkDates({
  date,
  from,
  to,
}: { readonly [K in 'date' | 'from' | 'to']: Day | undefined }): void {
  if (date === undefined || (from ?? to) === undefined) return;
  throw contradiction(
    'date',
    ({ param }) => `use either ${param('date')} or ${param('from')} and ${param('to')}`,
  );
}
