import type { Note } from '../answering/answer.ts';
import { requestLimits } from '../client/remote/settings.ts';
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
  /** Returns the current time. Default: the system's. */
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
  clock = () => new Date(),
  onNote,
}: OpenOptions): Omit<LibrarySource, 'client'> {
  const session = new Session(signal, clock);
  return { signal, clock, session, naming: methodNaming, ...defined({ note: onNote }) };
}
