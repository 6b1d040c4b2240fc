import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { Getter, type Timing } from './getter.ts';
import type { PullOptions } from './options.ts';
import type { PullSource } from './source.ts';

/** What the requests of one call to live sources share; the time is that of this machine by default. */
export class PullSession {
  readonly options: PullOptions;
  readonly timing: Timing;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly #signal: AbortSignal;

  constructor(options: PullOptions) {
    this.options = options;
    this.#signal = options.signal ?? new AbortController().signal;
    this.timing = options.timing ?? systemTiming(this.#signal);
    this.started = this.timing.now();
  }

  get now(): Date {
    return this.options.clock?.() ?? new Date();
  }

  get isOutOfTime(): boolean {
    return this.timing.now() >= this.#deadline;
  }

  /** Opens the requests to a source; `unauthorized` without the key or contact that it needs. */
  open(source: PullSource): Getter {
    const { settings, timeout = 30, retries = 3, maxWait = 60, cacheFolder } = this.options;
    const { env = process.env, watch = () => undefined } = this.options;
    return new Getter(source, source.access(settings?.[source.name] ?? {}), {
      ...{ timeout, retries, maxWait, env, watch, timing: this.timing, signal: this.#signal },
      deadline: this.#deadline,
      paceFolder: cacheFolder,
    });
  }

  get #deadline(): number {
    return this.started + (this.options.maxDuration ?? Number.POSITIVE_INFINITY) * 1000;
  }
}

function systemTiming(signal: AbortSignal): Timing {
  return {
    now: () => Date.now(),
    sleep: (milliseconds) =>
      sleep(milliseconds, undefined, { signal }).catch(() => {
        throw new Problem('interrupted', 'interrupted');
      }),
  };
}
