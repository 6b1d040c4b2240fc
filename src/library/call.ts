import type { Note } from '../answering/answer.ts';
import { requestLimits } from '../client/remote/settings.ts';
import { didYouMean } from '../domain/search/words.ts';
import { inVoice, Problem, quoted, refused, type Voice } from '../errors/problem.ts';
import { camelCase, type Schema } from '../operations/field.ts';
import type { Naming } from '../operations/operation.ts';
import {
  abortSignal,
  type Clock,
  callable,
  clockAt,
  isPlain,
  type NamedValues,
  secret,
  type ValueCheck,
} from '../operations/value.ts';
import { defined } from '../platform/defined.ts';

/** The kind of a parameter's value; without a schema, it has no JSON form. */
export type Kind = ValueCheck & { readonly schema?: Schema };

/** A kind of value for each member of a type. */
export type Kinds<T> = { readonly [K in keyof T]-?: Kind };

/** The arguments of a method. */
export type Signature = {
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly kind: Kind; readonly isOptional?: boolean }[];
  readonly params?: {
    readonly noun: 'option' | 'parameter';
    readonly kinds: { readonly [name: string]: Kind };
    readonly required?: readonly string[];
    /** Tells whether `limit` counts rows of the answer to some values, and not dates that it is computed from. */
    readonly limitsRows?: (values: NamedValues) => boolean;
  };
};

/**
 * Refuses arguments that a method does not take.
 * Callers without types may pass anything, and a mistyped `asof` must not be answered with revised data.
 */
export function checkArguments(
  signature: Signature,
  asked: readonly unknown[],
  clock: Clock,
  voice: Voice = methodNaming,
): void {
  const { name: method, args, params } = signature;
  const names = [...args.map(({ name }) => name), ...(params === undefined ? [] : [`${params.noun}s`])];
  if (asked.slice(names.length).some((value) => value !== undefined))
    throw new Problem('bad-input', `too many arguments: use ${method}(${names.join(', ')})`);
  for (const [i, { name, kind, isOptional }] of args.entries()) {
    const value = asked[i];
    if (value !== undefined) inVoice(voice, () => kind.check(value, name, clock));
    else if (isOptional !== true) throw missing('argument', name);
  }
  if (params !== undefined) inVoice(voice, () => checkParams(params, asked[args.length], clock));
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

/** Names of questions as methods, and of parameters in camel case. */
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

/** Makes the Problem for a name that a method does not take, with the names that it takes. */
export function unknownName(noun: string, name: string, names: readonly string[]): Problem {
  return new Problem('bad-input', `unknown ${noun} '${name}': use ${names.join(', ') || 'none'}`, {
    field: name,
    hints: didYouMean(camelCase(name), names),
  });
}

function missing(noun: string, name: string): Problem {
  return new Problem('bad-input', `${noun} '${name}' is missing`, { field: name });
}

/** Tells whether an address is a URL, and not the path of a file. */
export function isUrl(address: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(address);
}

/** Checks all calls of an opened asof, until it is closed. */
export class Session {
  readonly #signal: AbortSignal;
  readonly #clock: () => Date;
  readonly #voice: Voice;
  #isClosed = false;

  constructor(signal: AbortSignal, clock: () => Date, voice: Voice = methodNaming) {
    this.#signal = signal;
    this.#clock = clock;
    this.#voice = voice;
  }

  close(): void {
    this.#isClosed = true;
  }

  readonly stoppable = <T extends { readonly signal?: AbortSignal | undefined }>(options: T): T => {
    const signals = options.signal === undefined ? [this.#signal] : [this.#signal, options.signal];
    return { ...options, signal: AbortSignal.any(signals) };
  };

  /** Wraps a method: refuses arguments that it does not take, and fails if it is stopped or closed meanwhile. */
  guarded<A extends unknown[], T>(takes: Signature, method: (...asked: A) => Promise<T>) {
    return async (...asked: A): Promise<T> => {
      this.#begin(takes, asked);
      try {
        return await method(...asked);
      } catch (error) {
        throw this.#explained(error);
      }
    };
  }

  /** Wraps a method that iterates; the checks run when the iteration begins. */
  guardedRows<A extends unknown[], T>(takes: Signature, method: (...asked: A) => AsyncIterable<T>) {
    const begin = (asked: A) => this.#begin(takes, asked);
    const explained = (error: unknown) => this.#explained(error);
    return async function* (...asked: A): AsyncIterable<T> {
      begin(asked);
      try {
        yield* method(...asked);
      } catch (error) {
        throw explained(error);
      }
    };
  }

  #begin(takes: Signature, asked: readonly unknown[]): void {
    if (this.#isClosed) throw closed();
    checkArguments(takes, asked, clockAt(this.#clock()), this.#voice);
    if (this.#signal.aborted) throw interrupted(this.#signal);
  }

  #explained(error: unknown): unknown {
    const failure = stopped(error, this.#signal);
    return this.#isClosed && isOfClosing(failure) ? closed(failure) : failure;
  }
}

function closed(cause?: unknown): Problem {
  return new Problem('bad-input', 'this asof was closed', { hints: ['open() gives another one'], cause });
}

/** Tells whether a call fails like this when its store or its connections are closed during the call. */
function isOfClosing(error: unknown): boolean {
  return !(error instanceof Problem) || error.kind === 'internal-error' || error.kind === 'unreachable';
}

/** Returns a failure; if the signal caused it, an `interrupted` Problem with the signal's reason as its cause. */
export function stopped(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  // Says more, such as what an import in parts has stored.
  if (error instanceof Problem && error.kind === 'interrupted' && error.cause === signal.reason) return error;
  const isOfSignal =
    error === signal.reason ||
    (error instanceof Error && (error.name === 'AbortError' || error.cause === signal.reason)) ||
    (error instanceof Problem && error.kind === 'interrupted');
  return isOfSignal ? interrupted(signal) : error;
}

function interrupted({ reason }: AbortSignal): Problem {
  const why = reason instanceof Error ? reason.message : String(reason);
  return new Problem('interrupted', `interrupted: ${why}`, { cause: reason });
}

/** Options of `open`. */
export type OpenOptions = {
  /** The key of the service. */
  readonly key?: string | undefined;
  /** Seconds for one try of a request to a service. Default: 30. */
  readonly timeout?: number | undefined;
  /** Retries after a network error, 429, and 502 to 504. Default: 2. */
  readonly retries?: number | undefined;
  /** Seconds that one request may wait in all before retries. Default: 60. */
  readonly maxWait?: number | undefined;
  /** Stops running calls. */
  readonly signal?: AbortSignal | undefined;
  /** Returns the current time, a Date of the years 1000 to 9998; nothing known later is in an answer. Default: the system's. */
  readonly clock?: (() => Date) | undefined;
  /** Receives notes, such as that an as-of date is outside a series' coverage. */
  readonly onNote?: ((note: Note) => void) | undefined;
};

/** The kinds of the options of `open`. */
export const openKinds = {
  ...{ key: secret, ...requestLimits },
  ...{ signal: abortSignal, clock: callable, onNote: callable },
} satisfies Kinds<OpenOptions>;

/** Returns how methods ask for data, by the options of `open`. */
export function askerOf({
  signal = new AbortController().signal,
  clock: given = () => new Date(),
  onNote,
}: OpenOptions) {
  const clock = () => checkedTime(given());
  const session = new Session(signal, clock);
  return { signal, clock, session, naming: methodNaming, ...defined({ note: onNote }) };
}

/** Returns what a clock gave; throws a Problem if its day, the day before or the day after has no four digits. */
function checkedTime(given: unknown): Date {
  const year = given instanceof Date ? given.getUTCFullYear() : Number.NaN;
  if (given instanceof Date && year >= 1000 && year <= 9998) return given;
  const reason = 'return a Date of the years 1000 to 9998';
  throw new Problem('bad-input', `clock returned ${String(given)}: ${reason}`, { field: 'clock' });
}
