import { Problem } from '../errors/problem.ts';
import { clockAt } from '../operations/value.ts';
import { checkArguments, type Signature } from './call.ts';

/** What a call takes, which may depend on its arguments. */
type Takes = Signature | ((asked: readonly unknown[]) => Signature);

/** A method of an object, which gives an answer or rows one by one, and what it takes. */
type DeclaredMethod<T> = Omit<Signature, 'name'> &
  (
    | { readonly method: (this: T, ...asked: never) => Promise<unknown> }
    | { readonly rows: (this: T, ...asked: never) => AsyncIterable<unknown> }
  );

/** The methods of an object by name. */
export type DeclaredMethods<T, N extends string = string> = Readonly<Record<N, DeclaredMethod<T>>>;

/** What all calls of an opened asof share: they check their arguments first, and fail after it was closed. */
export class Session {
  readonly #signal: AbortSignal;
  readonly #clock: () => Date;
  #isClosed = false;

  constructor(signal: AbortSignal, clock: () => Date) {
    this.#signal = signal;
    this.#clock = clock;
  }

  /** Refuses every later call. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * The same method, which refuses what it does not take, and throws a Problem if it is stopped or closed meanwhile.
   */
  guarded<T>(takes: Takes, method: (...asked: readonly unknown[]) => Promise<T>) {
    return async (...asked: readonly unknown[]): Promise<T> => {
      this.#begin(takes, asked);
      try {
        return await method(...asked);
      } catch (error) {
        throw this.#explained(error);
      }
    };
  }

  /** The same for a method that iterates: the checks are made when the iteration begins. */
  guardedRows<T>(takes: Takes, method: (...asked: readonly unknown[]) => AsyncIterable<T>) {
    const begin = (asked: readonly unknown[]) => this.#begin(takes, asked);
    const explained = (error: unknown) => this.#explained(error);
    return async function* (...asked: readonly unknown[]): AsyncGenerator<T> {
      begin(asked);
      try {
        yield* method(...asked);
      } catch (error) {
        throw explained(error);
      }
    };
  }

  /** Guards the methods of an object, whose names messages begin with a prefix. */
  guardAll<T extends object>(owner: T, methods: DeclaredMethods<T>, prefix = ''): void {
    for (const [name, { args, params, ...declared }] of Object.entries<DeclaredMethod<T>>(methods)) {
      const takes = { name: `${prefix}${name}`, args, ...(params && { params }) };
      // The guard checks that these are arguments of the method.
      const value =
        'rows' in declared
          ? this.guardedRows(takes, (...asked) => declared.rows.apply(owner, asked as never))
          : this.guarded(takes, (...asked) => declared.method.apply(owner, asked as never));
      Object.defineProperty(owner, name, { value });
    }
  }

  #begin(takes: Takes, asked: readonly unknown[]): void {
    if (this.#isClosed) throw closed();
    const signature = typeof takes === 'function' ? takes(asked) : takes;
    checkArguments(signature, asked, clockAt(this.#clock()));
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

/** Whether a call fails in this way when its store or its connections are closed during the call. */
function isOfClosing(error: unknown): boolean {
  return !(error instanceof Problem) || error.kind === 'internal-error' || error.kind === 'unreachable';
}

/** The failure; if the signal caused it, an `interrupted` Problem whose cause is the reason of the signal. */
export function stopped(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
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
