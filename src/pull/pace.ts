import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../platform/files.ts';
import type { Lock } from '../store/access-store.ts';
import { openLock } from '../store/open.ts';

/** At most so many requests begin within so many milliseconds. */
export type PaceRule = { readonly requests: number; readonly milliseconds: number };

/** Tells and spends time; tests replace it. */
export type Timing = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/**
 * What the pace allows: when the next request may begin, in milliseconds since 1970, and how many within a minute
 * from now.
 */
export type PaceOutlook = { readonly next: number; readonly inMinute: number };

/** When requests began or will begin, and until when the source wants none, in milliseconds since 1970. */
type PaceState = { readonly begun: readonly number[]; readonly blockedUntil: number };

const rest: PaceState = { begun: [], blockedUntil: 0 };

/** No source wants a longer pause; a later time comes from a clock that was wrong. */
const longestBlock = 3_600_000;
/** How long to wait for another process that has the file, and between two looks at it. */
const longestLock = 3000;
const lockPause = 10;

/**
 * The pace of the requests to one source, shared by all processes of this user through a small file. Where the file
 * cannot be written, the pace is that of this process alone.
 */
export class Pace {
  readonly #file: string | undefined;
  readonly #rules: readonly PaceRule[];
  readonly #timing: Timing;
  #own: PaceState = rest;

  constructor(file: string | undefined, rules: readonly PaceRule[], timing: Timing) {
    this.#file = file;
    this.#rules = rules;
    this.#timing = timing;
  }

  /**
   * Waits until a request may begin. If the source asked for a pause that still lasts longer than `longest`
   * milliseconds, gives what is left of it instead.
   */
  async turn(longest: number): Promise<number | undefined> {
    let [wait, pause] = [0, 0];
    await this.#change((state) => {
      const now = this.#timing.now();
      pause = state.blockedUntil - now;
      if (pause > longest) return state;
      const begins = this.#next(state, now);
      wait = begins - now;
      return { ...state, begun: [...state.begun, begins] };
    });
    if (pause > longest) return pause;
    if (wait > 0) await this.#timing.sleep(wait);
    return undefined;
  }

  /** Lets no process begin a request for some time. */
  async block(milliseconds: number): Promise<void> {
    const until = this.#timing.now() + milliseconds;
    await this.#change((state) => ({ ...state, blockedUntil: Math.max(state.blockedUntil, until) }));
  }

  /** When the next request may begin, and how many may begin in the minute from now on. */
  async outlook(): Promise<PaceOutlook> {
    let outlook: PaceOutlook = { next: 0, inMinute: 0 };
    await this.#change((state) => {
      const now = this.#timing.now();
      const begun = [...state.begun];
      const next = () => this.#next({ ...state, begun }, now);
      outlook = { next: next(), inMinute: 0 };
      for (let time = outlook.next; time < now + 60_000; time = next()) begun.push(time);
      outlook = { ...outlook, inMinute: begun.length - state.begun.length };
      return state;
    });
    return outlook;
  }

  /** The first time at which a request breaks no rule. */
  #next({ begun, blockedUntil }: PaceState, now: number): number {
    return this.#rules.reduce(
      (begins, { requests, milliseconds }) => {
        const earlier = begun.at(-requests);
        return earlier === undefined ? begins : Math.max(begins, earlier + milliseconds);
      },
      Math.max(now, blockedUntil),
    );
  }

  async #change(change: (state: PaceState) => PaceState): Promise<void> {
    const lock = await this.#lock();
    try {
      this.#own = change(this.#current(lock === undefined ? undefined : this.#read()));
      if (lock !== undefined) this.#write(this.#own);
    } finally {
      await lock?.close();
    }
  }

  /** What still counts of the state in the file, or else of this process. */
  #current(shared: PaceState | undefined): PaceState {
    const { begun, blockedUntil } = shared ?? this.#own;
    const now = this.#timing.now();
    const longest = Math.max(...this.#rules.map(({ milliseconds }) => milliseconds));
    return {
      begun: begun.filter((time) => Math.abs(time - now) < 2 * longest).sort((a, b) => a - b),
      blockedUntil: blockedUntil - now < longestBlock ? blockedUntil : 0,
    };
  }

  async #lock(): Promise<Lock | undefined> {
    if (this.#file === undefined) return undefined;
    try {
      makeFolder(dirname(this.#file), 0o700);
      for (let waited = 0; waited < longestLock; waited += lockPause) {
        const lock = await openLock(`${this.#file}.lock`);
        if (lock !== undefined) return lock;
        await new Promise((resolve) => setTimeout(resolve, lockPause));
      }
    } catch {
      // The folder cannot be written: the pace of this process is what is left.
    }
    return undefined;
  }

  #read(): PaceState | undefined {
    try {
      const { begun, blockedUntil } = JSON.parse(readFileSync(this.#file ?? '', 'utf8'));
      if (!Array.isArray(begun) || !begun.every(Number.isFinite) || !Number.isFinite(blockedUntil))
        return rest;
      return { begun, blockedUntil };
    } catch {
      return rest;
    }
  }

  #write(state: PaceState): void {
    try {
      writeFileSync(this.#file ?? '', JSON.stringify(state), { mode: 0o600 });
    } catch {
      // A full disk does not stop the pull; this process keeps the pace by itself.
    }
  }
}

/** The seconds that so many requests take at least. */
export function shortestTime(requests: number, pace: readonly PaceRule[]): number {
  return Math.max(
    ...pace.map((rule) => ((requests - rule.requests) * rule.milliseconds) / rule.requests / 1000),
    0,
  );
}
