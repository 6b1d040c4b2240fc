import { setImmediate as nextTurn } from 'node:timers/promises';

let turned = 0;

/** Waits for the next turn of the event loop, where signals arrive; throws if the signal stops the work. */
export async function pause(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn();
  turned = performance.now();
  signal?.throwIfAborted();
}

/** In milliseconds; a signal, and other work that waits, waits no longer. */
const longestTurn = 5;

/** Pauses if the last pause is long ago: a turn takes as long as a small page. */
export async function pauseIfDue(signal: AbortSignal | undefined): Promise<void> {
  if (performance.now() - turned > longestTurn) await pause(signal);
  else signal?.throwIfAborted();
}

/** Returns the outcome of a promise, or rejects with the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

type JoinedCall<T> = { readonly place: number; readonly outcome: Promise<T> };

/**
 * Joins calls with one key in one turn of the event loop: the work runs once, for their number.
 * No call gets a result from before it was made.
 */
export class Gathering<T> {
  readonly #groups = new Map<string, { count: number; readonly outcome: Promise<T> }>();
  readonly #later: (work: () => void) => void;

  /** With `process.nextTick`, it joins only calls that follow one outcome, such as that of another gathering. */
  constructor(later: (work: () => void) => void = setImmediate) {
    this.#later = later;
  }

  join(key: string, work: (count: number) => Promise<T>): JoinedCall<T> {
    const group = this.#groups.get(key) ?? this.#begin(key, work);
    const place = group.count;
    group.count += 1;
    return { place, outcome: group.outcome };
  }

  #begin(key: string, work: (count: number) => Promise<T>) {
    const outcome = new Promise<T>((resolve, reject) => {
      this.#later(() => {
        this.#groups.delete(key);
        work(group.count).then(resolve, reject);
      });
    });
    const group = { count: 0, outcome };
    this.#groups.set(key, group);
    return group;
  }
}
