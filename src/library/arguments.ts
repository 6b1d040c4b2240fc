import { faultOfDay, parseDay } from '../domain/series/date.ts';
import { refused } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import type { Schema } from '../operations/field.ts';
import type { Operation } from '../operations/operation.ts';
import { type Clock, camelCase, type Param, type ParamsOf } from '../operations/param.ts';
import { asOfParam, dayParam } from '../operations/params.ts';

/**
 * Accepts the values of one kind; any other is a `bad-input` Problem that names the parameter, the value and the way
 * out.
 */
export type Kind = {
  (value: unknown, name: string, clock: Clock): void;
  /** The JSON Schema of its values, with a description; without it, the value has no form in JSON. */
  readonly schema?: Schema;
};

/** The kind of value of each member of a type; a missing member does not compile. */
export type Kinds<T> = { readonly [K in keyof T]-?: Kind };

/** Kinds by the names of parameters. */
export type AnyKinds = { readonly [name: string]: Kind };

/** Values by name, as a caller without types passes them. */
export type NamedValues = { readonly [name: string]: unknown };

/** Whether a value is a plain object: the members of any other, such as a Map, would be overlooked. */
export function isPlain(value: unknown): value is NamedValues {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function kind(accepts: (value: unknown) => boolean, use: string, schema?: Schema): Kind {
  const check: Kind = (value, name) => {
    if (!accepts(value)) throw refused({ param: name, value, reason: `use ${use}` });
  };
  return schema === undefined ? check : Object.assign(check, { schema });
}

/** The same kind, whose schema says what a value is for. */
export function described(description: string, kind: Kind): Kind {
  const check: Kind = (...asked) => kind(...asked);
  return Object.assign(check, { schema: { ...kind.schema, description } });
}

/** True or false. */
export const flag = kind((value) => typeof value === 'boolean', 'true or false', { type: 'boolean' });

/** Any text. */
const text = kind((value) => typeof value === 'string', 'a text', { type: 'string' });

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
    throw refused({ param: name, reason: 'use a text that is not empty' });
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
    { type: 'integer', minimum: least, ...(most !== undefined && { maximum: most }) },
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
  return kind((value) => choices.some((one) => one === value), listed(choices, 'or'), { enum: choices });
}

/** The number of a release, or `final`. */
export const releaseKind = kind(
  (value) =>
    value === 'final' || (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 9999),
  "the number of a release such as 1, or 'final'",
  { anyOf: [{ type: 'integer', minimum: 1, maximum: 9999 }, { const: 'final' }] },
);

/** One value of a kind, or a list of at least one. */
export function oneOrSeveral(one: Kind): Kind {
  const check: Kind = (value, name, clock) => {
    if (!Array.isArray(value)) return one(value, name, clock);
    if (value.length === 0)
      throw refused({ param: name, value, reason: 'leave it out, or name at least one' });
    for (const member of value) one(member, name, clock);
  };
  const { schema = {} } = one;
  return Object.assign(check, { schema: { anyOf: [schema, { type: 'array', items: schema, minItems: 1 }] } });
}

/** The id of a series. */
export const seriesId = kind(isWord, 'the id of one series, such as "GDP"', {
  type: 'string',
  description: 'The id of the series, such as GDP.',
});

/** The id of a series, or a list of ids; an empty list would give an empty answer. */
export const seriesIds = kind(
  (value) => isWord(value) || (Array.isArray(value) && value.length > 0 && value.every(isWord)),
  'the id of a series, or a list of ids such as ["GDP", "UNRATE"]',
  {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description: 'The ids of the series; one with * means every series whose id matches.',
  },
);

/** Whether ids that no series has are left out. */
export const skipMissing = described(
  'Leaves out ids that no series has, and names them in `missing`; otherwise they are a failure.',
  flag,
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
  const check: Kind = (value, name, clock) => {
    ofType(value, name, clock);
    param.parse(String(value), name, clock);
  };
  return Object.assign(check, { schema: { ...param.schema, description: param.description } });
}

function calendarDay(value: unknown, name: string): void {
  if (typeof value === 'string' && parseDay(value) !== undefined) return;
  const reason = (typeof value === 'string' ? faultOfDay(value) : undefined) ?? 'use YYYY-MM-DD';
  throw refused({ param: name, value, noun: 'date', reason });
}

/** A date. */
export const day = kindOf(dayParam(''));

/** A date that has begun somewhere on Earth. */
export const asOfDay = kindOf(asOfParam());

/** A list of dates, also an empty one. */
export const days: Kind = (value, name, clock) => {
  if (!Array.isArray(value))
    throw refused({ param: name, value, reason: 'use a list of dates, such as ["2017-04-14"]' });
  for (const one of value) day(one, name, clock);
};

/** One of a few words, or a list of dates. */
export function oneOrDays(choices: readonly string[]): Kind {
  const check: Kind = (value, name, clock) => {
    if (!Array.isArray(value) || value.length === 0) choice(choices)(value, name, clock);
    else for (const one of value) day(one, name, clock);
  };
  const days = { type: 'array', items: { type: 'string', format: 'date' }, minItems: 1 };
  return Object.assign(check, { schema: { anyOf: [{ type: 'string', enum: choices }, days] } });
}

/** The JSON Schema of a list of as-of dates. */
const asOfDays: Schema = {
  type: 'array',
  items: { type: 'string', anyOf: [{ format: 'date' }, { const: 'latest' }] },
};

/** Two as-of dates, of which `latest` is the newest vintage. */
export const twoAsOfDays: Kind = Object.assign(
  (value: unknown, name: string, clock: Clock) => {
    if (!Array.isArray(value) || value.length !== 2)
      throw refused({ param: name, value, reason: 'use two dates, such as ["2009-07-30", "2009-07-31"]' });
    for (const one of value) if (one !== 'latest') asOfDay(one, name, clock);
  },
  {
    schema: { ...asOfDays, minItems: 2, maxItems: 2 },
  },
);

/** As-of dates, each once, of which `latest` is the newest vintage; `count` of them, or at least one. */
export function versionDays(count?: number): Kind {
  const check: Kind = (value, name, clock) => {
    const days: readonly unknown[] = Array.isArray(value) ? value : [];
    if (days.length === 0 || days.length !== (count ?? days.length))
      throw refused({
        param: name,
        value,
        reason: `use ${count === undefined ? '' : `${count} `}as-of dates, such as ["2009-07-30", "latest"]`,
      });
    for (const day of days) if (day !== 'latest') asOfDay(day, name, clock);
    if (new Set(days).size < days.length) throw refused({ param: name, value, reason: 'name each day once' });
  };
  const size = { minItems: count ?? 1, ...(count !== undefined && { maxItems: count }) };
  return Object.assign(check, { schema: { ...asOfDays, ...size, uniqueItems: true } });
}

/** What an answer must be based on. */
export const demandKinds = {
  exact: described('Refuses answers from vintages whose days are not days of publication.', flag),
  maxAge: described('Refuses data that end more than this many days before the day asked for.', integer(0)),
};

/** The part of a listing to read. */
export const extentKinds = {
  limit: described('Most rows.', integer(1)),
  cursor: described('Continues after an answer with this next_cursor.', text),
  first: described('Most rows, the oldest ones.', integer(1)),
};

/**
 * The kinds of an operation's parameters, by their names in the library; `limit` has no maximum, because all pages
 * make one answer.
 */
export function kindsOf<O extends Pick<Operation, 'params'>>(operation: O): Kinds<ParamsOf<O>> {
  const kinds = Object.entries(operation.params).map(([name, param]) => {
    return [camelCase(name), name === 'limit' ? extentKinds.limit : kindOf(param)];
  });
  // The names come from the declaration, which is their only source.
  return Object.fromEntries(kinds) as Kinds<ParamsOf<O>>;
}

/** Whether an address is a URL, and not the path of a file. */
export function isUrl(address: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(address);
}
