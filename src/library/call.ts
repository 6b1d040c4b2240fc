import { closest } from '../domain/series/closest.ts';
import { inVoice, Problem, quoted, refused } from '../errors/problem.ts';
import type { Schema } from '../operations/field.ts';
import type { Naming } from '../operations/operation.ts';
import { camelCase } from '../operations/param.ts';
import { type Clock, isPlain, type NamedValues, type ValueCheck } from '../operations/value.ts';

/** What a parameter of a method takes; without a schema, the value has no form in JSON. */
export type Kind = ValueCheck & { readonly schema?: Schema };

/** The kind of value of each member of a type; a missing member does not compile. */
export type Kinds<T> = { readonly [K in keyof T]-?: Kind };

/** What a method takes. */
export type Signature = {
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly kind: Kind; readonly isOptional?: boolean }[];
  /** What the last argument, an object, may hold. */
  readonly params?: {
    /** What messages call one of them. */
    readonly noun: 'option' | 'parameter';
    readonly kinds: { readonly [name: string]: Kind };
    readonly required?: readonly string[];
    /** Whether `limit` counts rows of the answer to these values, and not dates that the answer is computed from. */
    readonly limitsRows?: (values: NamedValues) => boolean;
  };
};

/**
 * Refuses arguments that a method does not take. Callers without types reach it with anything, and a mistyped `asof`
 * must not be answered with revised data.
 */
export function checkArguments(signature: Signature, asked: readonly unknown[], clock: Clock): void {
  const { name: method, args, params } = signature;
  const names = [...args.map(({ name }) => name), ...(params === undefined ? [] : [`${params.noun}s`])];
  if (asked.slice(names.length).some((value) => value !== undefined))
    throw new Problem('bad-input', `too many arguments: use ${method}(${names.join(', ')})`);
  for (const [i, { name, kind, isOptional }] of args.entries()) {
    const value = asked[i];
    if (value !== undefined) inVoice(methodNaming, () => kind.check(value, name, clock));
    else if (isOptional !== true) throw missing('argument', name);
  }
  if (params !== undefined) inVoice(methodNaming, () => checkParams(params, asked[args.length], clock));
}

function checkParams(
  { noun, kinds, required = [] }: NonNullable<Signature['params']>,
  given: unknown = {},
  clock: Clock,
): void {
  const names = Object.keys(kinds);
  if (!isPlain(given))
    throw refused({
      param: `${noun}s`,
      value: given,
      reason: `use an object with ${names.join(', ') || 'nothing'}`,
    });
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw unknownName(noun, name, names);
    if (value !== undefined) kind.check(value, name, clock);
  }
  const absent = required.find((name) => given[name] === undefined);
  if (absent !== undefined) throw missing(noun, absent);
}

/** Questions as methods, and parameters by the names that methods take. */
export const methodNaming: Naming = {
  question({ name }, values = {}) {
    const named = Object.entries(values).map(
      ([param, value]) => `${camelCase(param)}: ${JSON.stringify(value)}`,
    );
    return `${camelCase(name)}(${named.length === 0 ? '' : `{ ${named.join(', ')} }`})`;
  },
  param: (name, value) =>
    value === undefined ? `'${camelCase(name)}'` : `${camelCase(name)}: ${JSON.stringify(value)}`,
  refused: ({ param = 'value', value, reason, noun }) =>
    `invalid '${camelCase(param)}'${noun === undefined ? '' : ` ${noun}`}${quoted(value, 80)}: ${reason}`,
  lead: (words) => `${words} `,
  kind: 'bad-input',
};

/** The Problem of a name that a method does not take, with the names that it takes. */
export function unknownName(noun: string, name: string, names: readonly string[]): Problem {
  const meant = closest(camelCase(name), names);
  return new Problem('bad-input', `unknown ${noun} '${name}': use ${names.join(', ') || 'none'}`, {
    field: name,
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

function missing(noun: string, name: string): Problem {
  return new Problem('bad-input', `${noun} '${name}' is missing`, { field: name });
}

/** Whether an address is a URL, and not the path of a file. */
export function isUrl(address: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(address);
}
