import type { Note } from '../answering/answer.ts';
import { requestLimits } from '../client/remote/settings.ts';
import { Problem } from '../errors/problem.ts';
import { abortSignal, callable, secret } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { type Kinds, methodNaming, Session } from './call.ts';
import type { LibrarySource } from './methods.ts';

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
}: OpenOptions): Omit<LibrarySource, 'client'> {
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
