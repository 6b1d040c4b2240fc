import { faultOfInstant, instantText, parseInstant } from '../domain/calendar/zones.ts';
import {
  type DateOrder,
  type Day,
  faultOfDay,
  latestDay,
  parseDateOrder,
  parseDay,
  utcDay,
} from '../domain/values/date.ts';
import { contradiction, type Problem, refused } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import type { Schema } from './field.ts';

/** Words that a shell offers, or what asof finds for them. */
export type Completion = readonly string[] | FoundWords | 'files' | 'folders';

type FoundWords =
  | 'aliases'
  | 'columns'
  | 'days'
  | 'followed'
  | 'ids'
  | 'kinds'
  | 'plans'
  | 'setting values'
  | 'settings'
  | 'subjects'
  | 'tickers';

/** The UTC second and day, and the latest day that has begun anywhere on Earth. */
export type Clock = { readonly latest: Day; readonly now: string; readonly today: Day };

/** The clock of the latest second: a request asks for it several times. */
let latestClock: { readonly second: number; readonly clock: Clock } | undefined;

/** Returns the clock at a moment. */
export function clockAt(now: Date): Clock {
  const second = Math.floor(now.getTime() / 1000);
  if (latestClock?.second !== second) {
    const clock = { now: instantText(now), today: utcDay(now), latest: latestDay(now) };
    latestClock = { second, clock };
  }
  return latestClock.clock;
}

/** How a kind of value is read, checked and described. */
export type Value<T = unknown> = {
  /** Reads a text of a request or a file; throws a refusal that names the parameter. */
  readonly parse: (text: string, name: string, clock: Clock) => T;
  /** Returns a JavaScript value in its usual form; throws a refusal if it is of another kind. */
  readonly check: (value: unknown, name: string, clock: Clock) => T;
  readonly schema: Schema;
  /** The name of the value in help; a switch has none. */
  readonly placeholder?: string;
  /** What a shell offers. Default: the words of an enumeration. */
  readonly complete?: Completion;
};

/** The check of a value that may have no text, such as a function. */
export type ValueCheck<T = unknown> = Pick<Value<T>, 'check'>;

/** Values by name, from a caller without types. */
export type NamedValues = { readonly [name: string]: unknown };

/** Tells whether a value is a plain object; the members of others, such as a Map, would be overlooked. */
export function isPlain(value: unknown): value is NamedValues {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Accepts the values of a type, and texts that `read` converts to one; a refusal says to use `use`. */
export function accepting<T>(
  accepts: (value: unknown) => value is T,
  use: string,
  read: (given: string) => unknown = (given) => given,
): Pick<Value<T>, 'check' | 'parse'> {
  const accepted = (value: unknown, shown: unknown, param: string) => {
    if (accepts(value)) return value;
    throw refused({ param, value: shown, reason: `use ${use}` });
  };
  return {
    check: (value, name) => accepted(value, value, name),
    parse: (given, name) => accepted(read(given), given, name),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isWord = (value: unknown): value is string => isText(value) && value.trim() !== '';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

/** Any text. */
export const text: Value<string> = {
  ...accepting(isText, 'a text'),
  schema: { type: 'string' },
  placeholder: 'text',
};

/** A text that is not blank; a blank filter would leave nothing out. */
export const filter: Value<string> = {
  ...text,
  check(value, name, clock) {
    return filter.parse(text.check(value, name, clock), name, clock);
  },
  parse(given, name) {
    if (given.trim() !== '') return given;
    throw refused({ param: name, value: given, reason: 'it is blank; leave it out for all' });
  },
  schema: { type: 'string', pattern: '\\S' },
};

/** Accepts a value as text in some form; `read` refuses other texts with a reason. */
export function formed<T>(
  read: (given: string, refuse: (reason: string) => Problem) => T,
  shown: Pick<Value, 'complete' | 'placeholder'>,
): Value<T> {
  const parse = (given: string, name: string) =>
    read(given, (reason) => refused({ param: name, value: given, reason }));
  return {
    check: (value, name, clock) => parse(text.check(value, name, clock), name),
    parse,
    schema: text.schema,
    ...shown,
  };
}

/** A text that is not blank. */
export const word = accepting(isWord, 'a text that is not blank');

export const callable = accepting((value): value is unknown => typeof value === 'function', 'a function');

/** What aborts a call. */
export const abortSignal = accepting((value) => value instanceof AbortSignal, 'an AbortSignal');

export const object = accepting((value) => typeof value === 'object' && value !== null, 'an object');

/** A text that messages must not repeat. */
export const secret: ValueCheck<string> = {
  check(value, name) {
    if (isText(value) && value !== '') return value;
    throw refused({ param: name, reason: 'use a text that is not empty' });
  },
};

/** A list of texts, also an empty one. */
export const texts = accepting(isTexts, 'a list of texts');

/** Texts by name. */
export const record = accepting(
  (value): value is Readonly<Record<string, string>> => isPlain(value) && Object.values(value).every(isText),
  'an object of texts',
);

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

export const flag: Value<boolean> = {
  ...accepting(isBoolean, 'true or false', (given) =>
    /^(true|false)$/.test(given) ? given === 'true' : given,
  ),
  schema: { type: 'boolean' },
};

/** Accepts an integer between bounds; its text has at most 15 digits, 9 without an upper bound. */
export function integer(least: number, most?: number): Value<number> {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  const isIn = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= (most ?? Number(value));
  const digits = most === undefined ? /^\d{1,9}$/ : /^\d{1,15}$/;
  return {
    ...accepting(isIn, `an integer ${range}`, (given) => digits.test(given) && Number(given)),
    schema: { type: 'integer', minimum: least, ...(most !== undefined && { maximum: most }) },
    placeholder: 'n',
  };
}

/** Accepts a number of seconds. */
export function seconds(least: 'any' | 'some', most: number): Value<number> {
  const isIn = (value: unknown): value is number =>
    typeof value === 'number' && (least === 'any' ? value >= 0 : value > 0) && value <= most;
  const form = /^\d{1,9}(\.\d{1,9})?$/;
  const { check } = accepting(isIn, `seconds, ${least === 'any' ? 'from 0' : 'more than 0'} to ${most}`);
  const { parse } = accepting(isIn, `seconds, at most ${most}`, (given) => form.test(given) && Number(given));
  return {
    ...{ check, parse },
    schema: { type: 'number', [least === 'any' ? 'minimum' : 'exclusiveMinimum']: 0, maximum: most },
    placeholder: 'seconds',
  };
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, '': 1 };

/** Seconds; a text may have minutes, hours or days. */
export const duration: Value<number> = {
  ...seconds('some', Number.MAX_SAFE_INTEGER),
  parse(given, name) {
    const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)([smhd])?$/.exec(given) ?? [];
    const value = Number(count) * (unitSeconds[unit] ?? Number.NaN);
    if (value > 0) return value;
    throw refused({ param: name, value: given, reason: 'use a time such as 90s, 10m, 2h or 90d' });
  },
  placeholder: 'time',
};

/** Accepts one of some words; case matters. */
export function choice<const T extends string>(choices: readonly T[]): Value<T> {
  return {
    ...accepting((value): value is T => choices.some((one) => one === value), listed(choices, 'or')),
    schema: { type: 'string', enum: choices },
    placeholder: choices.join('|'),
  };
}

const orderForm = 'M/D/YYYY or D/M/YYYY';
const isOrder = (value: unknown): value is DateOrder => value === 'M/D/YYYY' || value === 'D/M/YYYY';

/** The order of month and day in dates such as 1/2/2024. */
export const dateOrder: Value<DateOrder> = {
  ...accepting(isOrder, orderForm, (given) => parseDateOrder(given) ?? given),
  schema: { type: 'string' },
  placeholder: 'form',
};

/** A date. */
export const day: Value<Day> = {
  check(value, name) {
    if (isText(value) && parseDay(value) !== undefined) return value;
    const reason = (isText(value) ? faultOfDay(value) : undefined) ?? 'use YYYY-MM-DD';
    throw refused({ param: name, value, noun: 'date', reason });
  },
  parse(given, name) {
    if (parseDay(given) !== undefined) return given;
    throw refused({ param: name, value: given, noun: 'date', reason: 'use YYYY-MM-DD format' });
  },
  schema: { type: 'string', format: 'date' },
  placeholder: 'date',
  complete: 'days',
};

/** A date that has begun somewhere on Earth. */
export const asOfDay: Value<Day> = {
  ...day,
  check: (value, name, clock) => begun(day.check(value, name, clock), name, clock),
  parse: (given, name, clock) => begun(day.parse(given, name, clock), name, clock),
};

function begun(asOf: Day, name: string, { latest }: Clock): Day {
  if (asOf <= latest) return asOf;
  throw contradiction(
    name,
    ({ param }) => `${param(name)} ${asOf} is in the future: nothing is known as of that date yet`,
  );
}

/** An instant that has passed, in UTC to the second; a time without an offset is refused. */
export const pastInstant: Value<string> = {
  check: (value, name, clock) => pastInstant.parse(text.check(value, name, clock), name, clock),
  parse(given, name, { now }) {
    const instant = parseInstant(given);
    if (instant === undefined) throw refused({ param: name, value: given, reason: faultOfInstant(given) });
    if (instant <= now) return instant;
    const reason = 'it is in the future: nothing is known at that time yet';
    throw refused({ param: name, value: given, reason });
  },
  schema: { type: 'string', format: 'date-time' },
  placeholder: 'time',
};

const oneId = accepting(isWord, 'the id of one series, such as "GDP"');

/** The id of a series, in upper case. */
export const seriesId: Value<string> = {
  ...text,
  check: (value, name, clock) => oneId.check(value, name, clock).toUpperCase(),
  placeholder: 'id',
  complete: 'ids',
};

const severalIds = accepting(
  (value): value is readonly string[] => isTexts(value) && value.length > 0 && value.every(isWord),
  'the id of a series, or a list of ids such as ["GDP", "UNRATE"]',
);

/** Ids of series as typed; an empty list is refused, as its answer would be empty. */
export const seriesIds: Value<readonly string[]> = {
  check: (value, name, clock) => severalIds.check(isWord(value) ? [value] : value, name, clock),
  parse(given, name) {
    const ids = given.split(',');
    if (ids.every(isWord)) return ids;
    throw refused({ param: name, value: given, reason: 'use ids separated by commas, such as GDP,UNRATE' });
  },
  schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
  placeholder: 'id',
  complete: 'ids',
};

/** An as-of date or an instant (`2009-01-30T13:29:00Z`), or the newest vintage. */
export type Version = Day | 'latest';

/** Tells whether a version is an instant. */
export function isInstant(version: Version): boolean {
  return /T\d/.test(version);
}

/** Reads an as-of date, an instant, or `latest`. */
const version: Pick<Value<Version>, 'check' | 'parse'> = {
  check: (value, name, clock) => version.parse(text.check(value, name, clock), name, clock),
  parse(given, name, clock) {
    if (given === 'latest') return given;
    return (/[T :]/i.test(given) ? pastInstant : asOfDay).parse(given, name, clock);
  },
};

/** Returns a text by which versions sort in time: a day counts to its end, and `latest` is the last. */
export function placeOfVersion(one: Version): string {
  return isInstant(one) ? one : `${one}~`;
}

/** Accepts a list of different as-of dates, or of two, which may be the same; `latest` is the newest vintage. */
export function versions(count: 2): Value<readonly [Version, Version]>;
export function versions(): Value<readonly Version[]>;
export function versions(count?: 2): Value<readonly Version[]> {
  const use = `use ${count === undefined ? '' : 'two '}as-of dates, such as 2009-07-30 and latest`;
  const different = (value: unknown, name: string, days: readonly Version[]) => {
    if (days.length === 0 || days.length !== (count ?? days.length))
      throw refused({ param: name, value, reason: use });
    if (count === undefined && new Set(days).size < days.length)
      throw refused({ param: name, value, reason: 'name each day once' });
    return days;
  };
  return {
    check(value, name, clock) {
      const given: readonly unknown[] = Array.isArray(value) ? value : [];
      const days = given.map((one) => version.check(one, name, clock));
      return different(value, name, days);
    },
    parse(given, name, clock) {
      const days = given.split(',').map((one) => version.parse(one, name, clock));
      return different(given, name, days);
    },
    schema: {
      type: 'array',
      items: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }, { const: 'latest' }] },
      minItems: count ?? 1,
      ...(count === undefined ? { uniqueItems: true } : { maxItems: count }),
    },
    placeholder: 'dates',
  };
}
