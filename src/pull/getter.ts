import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type HttpReply, Requester, redacted } from '../client/remote/exchange.ts';
import { retryAfterOf, waitFor } from '../client/remote/retry.ts';
import { parseBaseUrl } from '../client/remote/url.ts';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { makeFolder } from '../platform/files.ts';
import { version } from '../platform/installation.ts';
import type { Lock } from '../store/access-store.ts';
import { openLock } from '../store/open.ts';
import type { PullOptions, Timing } from './options.ts';
import {
  type Get,
  type GetOptions,
  type PaceRule,
  type PullSource,
  type ReplyFailure,
  type SourceAccess,
  sentAt,
} from './source.ts';

/** With a larger clock error, in milliseconds, another day would count as today. */
const longestClockError = 24 * 3_600_000;

/** The options of a pull with their defaults, and when it began and must end, in milliseconds since 1970. */
export type PullRun = ReturnType<typeof beginRun>;

/** Fills in what the options leave out. */
export function beginRun(options: PullOptions) {
  const { signal = new AbortController().signal, maxDuration = Number.POSITIVE_INFINITY } = options;
  const { timing = { now: Date.now, sleep: (time: number) => waitFor(time, signal) } } = options;
  const started = timing.now();
  return {
    ...{ retries: 3, maxWait: 60, full: false, dryRun: false, clock: () => new Date() },
    ...defined(options),
    ...{ signal, timing, started, deadline: started + maxDuration * 1000 },
  };
}

/** Sends GET requests to a source at its pace, and again after transient failures. */
export class Getter {
  readonly #title: string;
  readonly #access: SourceAccess;
  readonly #run: PullRun;
  /** The hosts of the source with the beginnings of their paths; the last one has all other paths. */
  readonly #hosts: readonly { under: string; prefix: string; requester: Requester }[];
  readonly #pace: Pace;
  #answered = false;
  #requests = 0;

  /** Throws `unauthorized` without the key or contact that the source needs. */
  constructor({ name, title, pace, access }: PullSource, run: PullRun) {
    const { cacheFolder, timing, settings } = run;
    const own = access(settings?.[name] ?? {});
    this.#title = title;
    this.#access = own;
    this.#run = run;
    const file = cacheFolder === undefined ? undefined : join(cacheFolder, `pace-${name}.json`);
    this.#pace = new Pace(file, pace, timing);
    const addresses = [...Object.entries(own.others ?? {}), ['', own.base] as const];
    this.#hosts = addresses.map(([under, address]) => {
      const base = parseBaseUrl(address);
      const headers = { 'user-agent': `asof/${version()}`, ...own.headers };
      const requester = new Requester(base, headers, own.secrets, run);
      return { under, prefix: base.prefix, requester };
    });
  }

  /** The requests that were sent, every try counted. */
  get requests(): number {
    return this.#requests;
  }

  /** What the pace allows from now on. */
  outlook(): ReturnType<Pace['outlook']> {
    return this.#pace.outlook();
  }

  readonly get: Get = async (path, { faultOf, retries = this.#run.retries } = {}) => {
    let [failed, waited] = [0, 0];
    // The pause that the source has just asked for; it is counted in `waited`, and still to come.
    let pause = 0;
    for (;;) {
      await this.#turn(waited - pause);
      this.#requests += 1;
      const outcome = await this.#send(path);
      const failure: ReplyFailure | undefined =
        'problem' in outcome ? outcome : await this.#failureIn(outcome, faultOf);
      if (failure === undefined) {
        const reply = outcome as HttpReply;
        this.#checkClock(reply);
        this.#answered = true;
        return reply;
      }
      // A cause could hold the request.
      const problem = redacted(failure.problem, this.#access.secrets).with({ cause: undefined });
      if (!failure.transient) throw problem;
      const asked = 'problem' in outcome ? undefined : retryAfterOf(outcome, this.#now);
      const isThrottled = failure.pause !== undefined;
      if (!isThrottled) failed += 1;
      const seconds = isThrottled ? (asked ?? failure.pause) : Math.max(asked ?? 0, 2 ** (failed - 1) / 2);
      if (isThrottled) await this.#pace.block(seconds * 1000);
      if (seconds > this.#longestWait(waited))
        throw isThrottled ? this.#comeBack(problem, seconds, waited) : problem;
      if (failed > retries) throw problem;
      waited += seconds;
      pause = isThrottled ? seconds : 0;
      this.#run.watch?.({ wait: { seconds, reason: problem.detail } });
      // The pace holds back a throttled request, so that it waits together with those of other processes.
      if (!isThrottled) await this.#run.timing.sleep(seconds * 1000);
    }
  };

  async close(): Promise<void> {
    for (const { requester } of this.#hosts) await requester.close();
  }

  get #now(): Date {
    return new Date(this.#run.timing.now());
  }

  async #send(path: string): ReturnType<Requester['get']> {
    const host = this.#hosts.find(({ under }) => path.startsWith(under));
    if (host === undefined) throw new Error(`no host has ${path}`);
    const { query } = this.#access;
    const key = query === undefined ? '' : `${path.includes('?') ? '&' : '?'}${query}`;
    return host.requester.get(host.prefix + path + key);
  }

  async #failureIn(reply: HttpReply, faultOf: GetOptions['faultOf']): Promise<ReplyFailure | undefined> {
    const failure = this.#access.failureIn(reply, this.#answered);
    if (failure !== undefined) return failure;
    const fault = await faultOf?.(reply);
    return fault === undefined ? undefined : { problem: new Problem('bad-answer', fault), transient: true };
  }

  /** Waits for the turn of a request that has waited some seconds, and for a pause that the source asked for. */
  async #turn(waited: number): Promise<void> {
    const pause = await this.#pace.turn(Math.max(0, this.#longestWait(waited)) * 1000);
    if (this.#run.signal.aborted) throw new Problem('interrupted', 'interrupted');
    if (pause === undefined) return;
    const problem = new Problem('rate-limit-exceeded', `${this.#title} asked for a pause`);
    throw this.#comeBack(problem, pause / 1000, waited);
  }

  /** The seconds that a request may still wait after those that it has waited. */
  #longestWait(waited: number): number {
    return Math.min(this.#run.maxWait - waited, this.#secondsLeft);
  }

  get #secondsLeft(): number {
    return (this.#run.deadline - this.#run.timing.now()) / 1000;
  }

  /** The Problem that says when to come back; `waited` are the seconds that the request has waited already. */
  #comeBack({ kind, detail }: Problem, seconds: number, waited: number): Problem {
    const whole = Math.ceil(seconds);
    const at = new Date(this.#run.timing.now() + whole * 1000).toISOString().slice(0, 19);
    const hint =
      seconds > this.#secondsLeft
        ? '--max-duration leaves no time to wait for it'
        : `--max-wait ${Math.ceil(waited + seconds)} waits for it`;
    return new Problem(kind, `${detail}; try again in ${whole} s, at ${at}Z`, {
      hints: [hint],
      retryAfter: whole,
    });
  }

  /** Throws a Problem if the clock of this machine differs from that of the source by more than a day. */
  #checkClock(reply: HttpReply): void {
    const ours = this.#now;
    const theirs = sentAt(reply) ?? ours;
    if (Math.abs(theirs.getTime() - ours.getTime()) <= longestClockError) return;
    const [our, their] = [ours, theirs].map((time) => `${time.toISOString().slice(0, 16)}Z`);
    const detail = `the clock of this machine says ${our}, and that of ${this.#title} ${their}`;
    throw new Problem('local-io', detail, { hints: ['set the clock, and pull again'] });
  }
}

/** When requests began or will begin, and until when the source wants no more, in milliseconds since 1970. */
type PaceState = { readonly begun: readonly number[]; readonly blockedUntil: number };

const rest: PaceState = { begun: [], blockedUntil: 0 };

/** No source wants a longer pause; a later time comes from a clock that was wrong. */
const longestBlock = 3_600_000;
/** How long to wait for another process that holds the file, and how long between two looks at it. */
const longestLock = 3000;
const lockPause = 10;

/** The pace of the requests to one source, which all processes of this user share if its file can be written. */
class Pace {
  readonly #file: string | undefined;
  readonly #rules: readonly PaceRule[];
  readonly #timing: Timing;
  #own: PaceState = rest;

  constructor(file: string | undefined, rules: readonly PaceRule[], timing: Timing) {
    this.#file = file;
    this.#rules = rules;
    this.#timing = timing;
  }

  /** Waits until a request may begin; gives the rest of a pause instead if it is longer than `longest` milliseconds. */
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

  /** When the next request may begin, in milliseconds since 1970, and how many in the minute from now on. */
  async outlook(): Promise<{ readonly next: number; readonly inMinute: number }> {
    let [first, inMinute] = [0, 0];
    await this.#change((state) => {
      const now = this.#timing.now();
      const begun = [...state.begun];
      const next = () => this.#next({ ...state, begun }, now);
      first = next();
      for (let time = first; time < now + 60_000; time = next()) begun.push(time);
      inMinute = begun.length - state.begun.length;
      return state;
    });
    return { next: first, inMinute };
  }

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
      this.#own = change(this.#current(lock === undefined ? this.#own : this.#read()));
      if (lock !== undefined) this.#write(this.#own);
    } finally {
      await lock?.close();
    }
  }

  /** The part of a state that still counts. */
  #current({ begun, blockedUntil }: PaceState): PaceState {
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
      // The folder cannot be written, so only the pace of this process is left.
    }
    return undefined;
  }

  #read(): PaceState {
    try {
      const { begun, blockedUntil } = JSON.parse(readFileSync(this.#file ?? '', 'utf8'));
      const isState = Array.isArray(begun) && [...begun, blockedUntil].every(Number.isFinite);
      return isState ? { begun, blockedUntil } : rest;
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
