import { Problem } from '../errors/problem.ts';
import { clockAt } from '../operations/value.ts';
import { checkArguments, type Signature } from './call.ts';

/** Checks all calls of an opened asof, until it is closed. */
export class Session {
  readonly #signal: AbortSignal;
  readonly #clock: () => Date;
  #isClosed = false;

  constructor(signal: AbortSignal, clock: () => Date) {
    this.#signal = signal;
    this.#clock = clock;
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
    checkArguments(takes, asked, clockAt(this.#clock()));
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
