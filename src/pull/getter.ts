import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type HttpReply, Requester, type RequestTry, withoutSecrets } from '../client/remote/exchange.ts';
import { retryAfterOf } from '../client/remote/retry.ts';
import { proxiesOf } from '../client/remote/transport.ts';
import { parseBaseUrl } from '../client/remote/url.ts';
import { Problem } from '../errors/problem.ts';
import { makeFolder } from '../platform/files.ts';
import { version } from '../platform/installation.ts';
import type { Lock } from '../store/access-store.ts';
import { openLock } from '../store/open.ts';

/** How requests to a source are sent, and what its replies mean. */
export type SourceAccess = {
  /** The name in messages: `FRED`. */
  readonly title: string;
  readonly base: string;
  /** The addresses of other hosts of the source, by the beginnings of their paths. */
  readonly others?: Readonly<Record<string, string>>;
  readonly headers?: HttpReply['headers'];
  /** A key that goes into the query of each request, as `api_key=…`. */
  readonly query?: string;
  /** Texts that no message, log or cause may show. */
  readonly secrets: readonly string[];
  /** What a reply means; `answered` if the source gave a good answer before in this run. */
  readonly classify: (reply: HttpReply, answered: boolean) => ReplyMeaning;
};

/**
 * What a reply means: an answer; a request to send nothing for some time; a failure that may be gone at the next try,
 * with the Problem if it is not; or a permanent failure.
 */
export type ReplyMeaning =
  | 'answer'
  | { readonly throttledFor: number; readonly problem: Problem }
  | { readonly transient: Problem }
  | { readonly failed: Problem };

/** At most this number of requests may begin within this number of milliseconds. */
export type PaceRule = { readonly requests: number; readonly milliseconds: number };

/** Tells the time and waits; tests replace it. */
export type Timing = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

type RequestPolicy = {
  /** Seconds that one try may take. */
  readonly timeout: number;
  /** Tries after a transient failure. */
  readonly retries: number;
  /** Seconds that one request may wait in all before its retries. */
  readonly maxWait: number;
  /** The time after which no wait may end, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
  /** The folder of the files by which processes share the pace; undefined for none. */
  readonly paceFolder: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  /** Called after each try and before each wait; never sees a secret. */
  readonly watch: (event: PullEvent) => void;
};

type GetOptions = {
  /** Why a body is not what was asked for, which counts as a transient failure; undefined if it is. */
  readonly faultOf?: (reply: HttpReply) => Promise<string | undefined>;
  /** Tries after a transient failure, in the place of those of the policy. */
  readonly retries?: number | undefined;
};

/** A try of a request, or a wait before the next one. */
export type PullEvent =
  | { readonly tried: RequestTry }
  | { readonly wait: { readonly seconds: number; readonly reason: string } };

/** With a larger clock error, in milliseconds, another day would count as today. */
const longestClockError = 24 * 3_600_000;

/**
 * Sends GET requests to a source at its pace, again after transient failures, and waits when the source asks for it.
 */
export class Getter {
  readonly #access: SourceAccess;
  readonly #policy: RequestPolicy;
  /** The hosts of the source with the beginnings of their paths; the last one has all other paths. */
  readonly #hosts: readonly {
    readonly under: string;
    readonly prefix: string;
    readonly requester: Requester;
  }[];
  readonly #pace: Pace;
  #answered = false;
  #requests = 0;

  constructor(
    { name, pace }: { readonly name: string; readonly pace: readonly PaceRule[] },
    access: SourceAccess,
    policy: RequestPolicy,
  ) {
    this.#access = access;
    this.#policy = policy;
    const { paceFolder, timing, timeout, signal, env } = policy;
    const file = paceFolder === undefined ? undefined : join(paceFolder, `pace-${name}.json`);
    this.#pace = new Pace(file, pace, timing);
    const addresses = [...Object.entries(access.others ?? {}), ['', access.base] as const];
    this.#hosts = addresses.map(([under, address]) => {
      const base = parseBaseUrl(address);
      const requester = new Requester({
        base,
        headers: { 'user-agent': `asof/${version()}`, ...access.headers },
        secrets: access.secrets,
        timeout,
        proxies: proxiesOf(env),
        signal,
        watch: (tried) => policy.watch({ tried }),
      });
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

  /** The answer to a path below the base address (`/series?series_id=GDP`). Throws a Problem if there is none. */
  async get(path: string, { faultOf, retries = this.#policy.retries }: GetOptions = {}): Promise<HttpReply> {
    const { maxWait } = this.#policy;
    let waited = 0;
    // The pause that the source has just asked for; it is counted in `waited`, and still to come.
    let pause = 0;
    for (let failed = 0; ; ) {
      await this.#turn(Math.min(maxWait - waited + pause, this.#secondsLeft()), waited - pause);
      this.#requests += 1;
      const outcome = await this.#send(path);
      const verdict = await this.#verdictOn(outcome, faultOf);
      if (verdict === 'answer') {
        const reply = outcome as HttpReply;
        this.#checkClock(reply);
        this.#answered = true;
        return reply;
      }
      if ('failed' in verdict) throw this.#clean(verdict.failed);
      const asked =
        'problem' in outcome ? undefined : retryAfterOf(outcome, new Date(this.#policy.timing.now()));
      const throttled = 'throttledFor' in verdict;
      if (!throttled) failed += 1;
      const seconds = throttled
        ? (asked ?? verdict.throttledFor)
        : Math.max(asked ?? 0, 2 ** (failed - 1) / 2);
      const problem = throttled ? verdict.problem : verdict.transient;
      if (throttled) await this.#pace.block(seconds * 1000);
      if (seconds > Math.min(maxWait - waited, this.#secondsLeft()))
        throw throttled ? this.#comeBack(problem, seconds, waited) : this.#clean(problem);
      if (failed > retries) throw this.#clean(problem);
      waited += seconds;
      pause = throttled ? seconds : 0;
      this.#policy.watch({ wait: { seconds, reason: this.#clean(problem).detail } });
      // The pace holds back a throttled request, so that it waits together with those of other processes.
      if (!throttled) await this.#policy.timing.sleep(seconds * 1000);
    }
  }

  async close(): Promise<void> {
    for (const { requester } of this.#hosts) await requester.close();
  }

  async #send(path: string): ReturnType<Requester['get']> {
    const host = this.#hosts.find(({ under }) => path.startsWith(under));
    if (host === undefined) throw new Error(`no host has ${path}`);
    return host.requester.get(host.prefix + this.#withKey(path));
  }

  async #verdictOn(outcome: Awaited<ReturnType<Requester['get']>>, faultOf: GetOptions['faultOf']) {
    if ('problem' in outcome)
      return outcome.transient ? { transient: outcome.problem } : { failed: outcome.problem };
    const meaning = this.#access.classify(outcome, this.#answered);
    const fault = meaning === 'answer' ? await faultOf?.(outcome) : undefined;
    return fault === undefined ? meaning : { transient: new Problem('bad-answer', fault) };
  }

  /**
   * Waits for the turn of a request, and for a pause that the source asked for if it takes at most `longest` seconds;
   * `waited` are those that the request waited before.
   */
  async #turn(longest: number, waited: number): Promise<void> {
    const wait = await this.#pace.turn(Math.max(0, longest) * 1000);
    if (this.#policy.signal.aborted) throw new Problem('interrupted', 'interrupted');
    if (wait === undefined) return;
    const { title } = this.#access;
    throw this.#comeBack(
      new Problem('rate-limit-exceeded', `${title} asked for a pause`),
      wait / 1000,
      waited,
    );
  }

  #secondsLeft(): number {
    const { deadline = Number.POSITIVE_INFINITY, timing } = this.#policy;
    return (deadline - timing.now()) / 1000;
  }

  /** The Problem that says when to come back; `waited` are the seconds that the request has waited already. */
  #comeBack(problem: Problem, seconds: number, waited: number): Problem {
    const whole = Math.ceil(seconds);
    const at = new Date(this.#policy.timing.now() + whole * 1000).toISOString().slice(0, 19);
    const detail = `${problem.detail}; try again in ${whole} s, at ${at}Z`;
    const isTooLate = seconds > this.#secondsLeft();
    const hints = isTooLate
      ? ['--max-duration leaves no time to wait for it']
      : [`--max-wait ${Math.ceil(waited + seconds)} waits for it`];
    return this.#clean(new Problem(problem.kind, detail, { hints, retryAfter: whole }));
  }

  /** Throws a Problem if the clock of this machine differs from that of the source by more than a day. */
  #checkClock({ headers }: HttpReply): void {
    const sent = Date.parse(headers.date ?? '');
    // A cache on the way keeps the date, and says how old the answer is.
    const theirs = sent + Number(headers.age ?? 0) * 1000;
    const ours = this.#policy.timing.now();
    if (!(Math.abs(theirs - ours) > longestClockError)) return;
    const [our, their] = [ours, theirs].map((time) => `${new Date(time).toISOString().slice(0, 16)}Z`);
    const detail = `the clock of this machine says ${our}, and that of ${this.#access.title} ${their}`;
    throw new Problem('local-io', detail, { hints: ['set the clock, and pull again'] });
  }

  #withKey(path: string): string {
    const { query } = this.#access;
    if (query === undefined) return path;
    return `${path}${path.includes('?') ? '&' : '?'}${query}`;
  }

  /** The same Problem without secrets, and without a cause, which could hold the request. */
  #clean({ kind, detail, hints, retryAfter }: Problem): Problem {
    const shown = (text: string) => withoutSecrets(text, this.#access.secrets);
    return new Problem(kind, shown(detail), { hints: hints.map(shown), retryAfter });
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

/**
 * The pace of the requests to one source, shared by all processes of this user through a small file. If the file
 * cannot be written, it is only the pace of this process.
 */
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

  /**
   * Waits until a request may begin. If the source asked for a pause that still lasts longer than `longest`
   * milliseconds, gives the remaining time instead.
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
      this.#own = change(this.#current(lock === undefined ? undefined : this.#read()));
      if (lock !== undefined) this.#write(this.#own);
    } finally {
      await lock?.close();
    }
  }

  /** The part of the state that still counts, from the file or else of this process. */
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
      // The folder cannot be written, so only the pace of this process is left.
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
