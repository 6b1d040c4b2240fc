/** A place among the computations of a key. */
export type Turn = {
  /** Resolves when the computation may begin. */
  readonly begun: Promise<void>;
  /** Gives the place to the next computation; a second call does nothing. */
  readonly leave: () => void;
};

/** A computation that runs or waits. */
type Computation = { readonly begin: () => void };

/** How many computations of a key may wait, for each one that may run. */
const waitingForEach = 4;

/** Lets a few computations of each key run at a time, and some more wait for them, in their order. */
export class Turns {
  readonly #keys = new Map<string, { readonly running: Set<Computation>; readonly waiting: Computation[] }>();

  /** A place for a computation of a key, of which `most` may run; undefined if too many wait already. */
  take(keyId: string, most: number): Turn | undefined {
    const { running, waiting } = this.#keys.get(keyId) ?? { running: new Set(), waiting: [] };
    if (waiting.length >= waitingForEach * most) return undefined;
    this.#keys.set(keyId, { running, waiting });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const own = { begin };
    waiting.push(own);
    const next = (): void => {
      while (running.size < most) {
        const first = waiting.shift();
        if (first === undefined) break;
        running.add(first);
        first.begin();
      }
      if (running.size === 0) this.#keys.delete(keyId);
    };
    next();
    const leave = (): void => {
      const at = waiting.indexOf(own);
      if (at >= 0) waiting.splice(at, 1);
      if (running.delete(own)) next();
    };
    return { begun, leave };
  }
}
