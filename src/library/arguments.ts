import { closest } from '../domain/series/closest.ts';
import { faultOfDay, parseDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Operation } from '../operations/operation.ts';
import { type Clock, camelCase, type Param, type ParamsOf } from '../operations/param.ts';
import { asOfParam, choiceList, dayParam } from '../operations/params.ts';

/** Accepts the values of one kind; any other is a `bad-input` Problem that names the parameter, the value and the way out. */
export type Kind = (value: unknown, name: string, clock: Clock) => void;

/** The kind of value of each member of a type: a member without one does not compile. */
export type Kinds<T> = { readonly [K in keyof T]-?: Kind };

type AnyKinds = { readonly [name: string]: Kind };

/** Values by name, as a caller without types passes them. */
export type NamedValues = { readonly [name: string]: unknown };

/** What a method takes. */
export type Signature = {
  /** Its name, for messages. */
  readonly name: string;
  /** The arguments before the parameters, in order. */
  readonly args: readonly { readonly name: string; readonly kind: Kind; readonly isOptional?: boolean }[];
  /** What the last argument, an object, may hold. */
  readonly params?: {
    /** What messages call one of them. */
    readonly noun: 'option' | 'parameter';
    readonly kinds: AnyKinds;
    readonly required?: readonly string[];
    /** Refuses values that contradict each other. */
    readonly check?: (values: NamedValues, clock: Clock) => void;
  };
};

/**
 * Refuses arguments that a method does not take. Callers without types reach it with anything, and a mistyped `asof` must
 * not be answered with revised data.
 */
export function checkArguments(signature: Signature, asked: readonly unknown[], clock: Clock): void {
  const { name: method, args, params } = signature;
  const names = [...args.map(({ name }) => name), ...(params === undefined ? [] : [`${params.noun}s`])];
  if (asked.slice(names.length).some((value) => value !== undefined))
    throw new Problem('bad-input', `too many arguments: use ${method}(${names.join(', ')})`);
  for (const [i, { name, kind, isOptional }] of args.entries()) {
    const value = asked[i];
    if (value !== undefined) kind(value, name, clock);
    else if (isOptional !== true) throw missing('argument', name);
  }
  if (params !== undefined) checkParams(params, asked[args.length], clock);
}

function checkParams(
  { noun, kinds, required = [], check }: NonNullable<Signature['params']>,
  given: unknown = {},
  clock: Clock,
): void {
  const names = Object.keys(kinds);
  if (!isPlain(given))
    throw refused(`${noun}s`, given, `use an object with ${names.join(', ') || 'nothing'}`);
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw unknown(noun, name, names);
    if (value !== undefined) kind(value, name, clock);
  }
  const absent = required.find((name) => given[name] === undefined);
  if (absent !== undefined) throw missing(noun, absent);
  check?.(given, clock);
}

function unknown(noun: string, name: string, names: readonly string[]): Problem {
  const meant = closest(camelCase(name), names);
  return new Problem('bad-input', `unknown ${noun} '${name}': use ${names.join(', ') || 'none'}`, {
    field: name,
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

function missing(noun: string, name: string): Problem {
  return new Problem('bad-input', `${noun} '${name}' is missing`, { field: name });
}

/** The Problem of a value that is not of its kind; `reason` is the way out. */
function refused(name: string, value: unknown, reason: string): Problem {
  return new Problem('bad-input', `invalid '${name}' ${shown(value)}: ${reason}`, { field: name });
}

/** A value in a message. Objects are not shown, because they may hold a key. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value === 'function') return '(a function)';
  if (typeof value === 'object' && value !== null) return `(${value.constructor?.name ?? 'an object'})`;
  return String(value);
}

/** Whether a value is an object as `{}` makes it: the members of any other, such as a Map, would be overlooked. */
function isPlain(value: unknown): value is NamedValues {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function kind(accepts: (value: unknown) => boolean, use: string): Kind {
  return (value, name) => {
    if (!accepts(value)) throw refused(name, value, `use ${use}`);
  };
}

/** True or false. */
export const flag = kind((value) => typeof value === 'boolean', 'true or false');

/** Any text. */
const text = kind((value) => typeof value === 'string', 'a text');

/** A text that is not blank. */
export const word = kind(isWord, 'a text that is not blank');

/** A function. */
export const callable = kind((value) => typeof value === 'function', 'a function');

/** What stops a call. */
export const abortSignal = kind((value) => value instanceof AbortSignal, 'an AbortSignal');

/** An object. */
export const object = kind((value) => typeof value === 'object' && value !== null, 'an object');

/** What gives chunks of bytes. */
export const iterable = kind(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
  'an async iterable of bytes, such as process.stdin',
);

/** A text that messages do not repeat. */
export const secret: Kind = (value, name) => {
  if (typeof value !== 'string' || value === '')
    throw new Problem('bad-input', `invalid '${name}': use a text that is not empty`, { field: name });
};

/** A list of texts, also an empty one. */
export const texts = kind(
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  'a list of texts',
);

/** Texts by name. */
export const record = kind(
  (value) => isPlain(value) && Object.values(value).every((one) => typeof one === 'string'),
  'an object of texts',
);

/** An integer between bounds. */
export function integer(least: number, most?: number): Kind {
  return kind(
    (value) =>
      Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= (most ?? Number(value)),
    `an integer ${most === undefined ? `of at least ${least}` : `from ${least} to ${most}`}`,
  );
}

/** A number of seconds. */
export function seconds(least: 'any' | 'some', most: number): Kind {
  return kind(
    (value) => typeof value === 'number' && (least === 'any' ? value >= 0 : value > 0) && value <= most,
    `seconds, ${least === 'any' ? 'from 0' : 'more than 0'} to ${most}`,
  );
}

/** One of a few words. */
export function choice(choices: readonly string[]): Kind {
  return kind((value) => choices.some((one) => one === value), choiceList(choices));
}

/** The number of a release, or `final`. */
export const releaseKind = kind(
  (value) =>
    value === 'final' || (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 9999),
  "the number of a release such as 1, or 'final'",
);

/** One value of a kind, or a list of at least one. */
export function oneOrSeveral(one: Kind): Kind {
  return (value, name, clock) => {
    if (!Array.isArray(value)) return one(value, name, clock);
    if (value.length === 0) throw refused(name, value, 'leave it out, or name at least one');
    for (const member of value) one(member, name, clock);
  };
}

/** The id of a series. */
export const seriesId = kind(isWord, 'the id of one series, such as "GDP"');

/** The id of a series, or a list of ids; an empty list would give an empty answer. */
export const seriesIds = kind(
  (value) => isWord(value) || (Array.isArray(value) && value.length > 0 && value.every(isWord)),
  'the id of a series, or a list of ids such as ["GDP", "UNRATE"]',
);

/** The kind of values of an operation's parameter, as its declaration checks them. */
export function kindOf(param: Param): Kind {
  const { type, format, enum: choices, minimum, maximum } = param.schema;
  const ofType =
    type === 'integer'
      ? integer(Number(minimum), maximum === undefined ? undefined : Number(maximum))
      : Array.isArray(choices)
        ? choice(choices.map(String))
        : format === 'date'
          ? calendarDay
          : text;
  return (value, name, clock) => {
    ofType(value, name, clock);
    try {
      param.parse(String(value), name, clock);
    } catch (error) {
      throw error instanceof Problem ? error.with({ kind: 'bad-input' }) : error;
    }
  };
}

function calendarDay(value: unknown, name: string): void {
  if (typeof value === 'string' && parseDay(value) !== undefined) return;
  const reason = (typeof value === 'string' ? faultOfDay(value) : undefined) ?? 'use YYYY-MM-DD';
  throw new Problem('bad-input', `invalid '${name}' date ${shown(value)}: ${reason}`, { field: name });
}

/** A date. */
export const day = kindOf(dayParam(''));

/** A date that has begun somewhere on Earth. */
export const asOfDay = kindOf(asOfParam());

/** One of a few words, or a list of dates. */
export function oneOrDays(choices: readonly string[]): Kind {
  return (value, name, clock) => {
    if (!Array.isArray(value) || value.length === 0) choice(choices)(value, name, clock);
    else for (const one of value) day(one, name, clock);
  };
}

/** Two as-of dates. */
export const twoAsOfDays: Kind = (value, name, clock) => {
  if (!Array.isArray(value) || value.length !== 2)
    throw refused(name, value, 'use two dates, such as ["2009-07-30", "2009-07-31"]');
  for (const one of value) asOfDay(one, name, clock);
};

/** What an answer must be based on. */
export const demandKinds = { exact: flag, maxAge: integer(0) };

/** The part of a listing to read. */
export const extentKinds = { limit: integer(1), cursor: text, first: integer(1) };

/** The kinds of the parameters of an operation, by their names in the library; all pages make one answer, so `limit` has no maximum. */
export function kindsOf<O extends Pick<Operation, 'params'>>(operation: O): Kinds<ParamsOf<O>> {
  const kinds = Object.entries(operation.params).map(([name, param]) => {
    return [camelCase(name), name === 'limit' ? extentKinds.limit : kindOf(param)];
  });
  // The names are those of the declaration, which has no other source.
  return Object.fromEntries(kinds) as Kinds<ParamsOf<O>>;
}

/** Whether an address is a URL, and not the path of a file. */
export function isUrl(address: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(address);
}
