import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Requester, redacted, retryAfterOf, waitFor } from '../client/remote/exchange.ts';
import { parseBaseUrl } from '../client/remote/settings.ts';
import type { HttpReply } from '../client/remote/transport.ts';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { makeFolder } from '../platform/files.ts';
import { version } from '../platform/installation.ts';
import type { Lock } from '../store/access-store.ts';
import { openLock } from '../store/open.ts';
import type { PullOptions } from './options.ts';
import { type Get, type PullSource, type ReplyFailure, sentAt, statusFailure, wrongClock } from './source.ts';

/** In milliseconds; with a larger error, another day would count as today. */
const longestClockError = 24 * 3_600_000;

/** The options of a pull with defaults, its start and its deadline in ms. */
export type PullRun = ReturnType<typeof beginRun>;

/** Fills in the defaults of options. */
export function beginRun(options: PullOptions) {
  const { maxDuration = Number.POSITIVE_INFINITY } = options;
  const signal: AbortSignal = options.signal ?? new AbortController().signal;
  const { timing = { now: Date.now, sleep: (time: number) => waitFor(time, signal) } } = options;
  const started = timing.now();
  return {
    ...{ retries: 3, maxWait: 60, full: false, replace: false, dryRun: false, clock: () => new Date() },
    ...defined(options),
    ...{ signal, timing, started, deadline: started + maxDuration * 1000 },
  };
}

/** A host, or why requests cannot go there. */
type HostEntry = Host | { readonly under: string; readonly refusal: Problem };

/** A host of a source: the paths that go there begin with `under`, of which the host does not get `cut` characters. */
type Host = {
  readonly under: string;
  readonly cut: number;
  readonly prefix: string;
  readonly requester: Requester;
  readonly query: string | undefined;
  readonly source: PullSource;
};

/** Sends GET requests to a source at its pace, and again after transient failures. */
export class Getter {
  readonly #title: string;
  readonly #run: PullRun;
  /** The main host is the last one. */
  readonly #hosts: readonly HostEntry[];
  readonly #secrets: string[] = [];
  readonly pace: Pace;
  /** The number of requests that were sent, including retries. */
  requests = 0;
  #answered = false;
  /** True if no try of the last request had a reply. */
  #isDown = false;
  /** When the request began whose answer has not come yet. */
  #begun: number | undefined;

  /** Throws `unauthorized` without the key or contact that the source needs. */
  constructor(source: PullSource, run: PullRun) {
    const { cacheFolder, timing } = run;
    const { name, title, pace, others = {} } = source;
    this.#title = title;
    this.#run = run;
    const main = this.#hostOf(source);
    const beside = Object.entries(others).map(([under, other]): HostEntry => {
      if (typeof other === 'string') return this.#hostOf(source, { under, base: other });
      try {
        return { ...this.#hostOf(other), under, cut: under.length };
      } catch (error) {
        if (error instanceof Problem) return { under, refusal: error };
        throw error;
      }
    });
    this.#hosts = [...beside, main];
    this.pace = new Pace(cacheFolder && join(cacheFolder, `pace-${name}.json`), pace, timing);
  }

  /** Returns how requests go to a source: to a base address of the user, or to its main or another host. */
  #hostOf(source: PullSource, { under = '', base = source.base } = {}): Host {
    const { name, folder = '', timeout, headers } = source;
    const { url = base + folder, ...settings } = this.#run.settings?.[name] ?? {};
    const own = source.credentials?.(settings);
    const isHost = URL.canParse(url) && new URL(url).pathname === '/';
    const address = parseBaseUrl(isHost ? url.replace(/\/+$/, '') + folder : url);
    const sent = { 'user-agent': `asof/${version()}`, ...headers, ...own?.headers };
    this.#secrets.push(...(own?.secrets ?? []));
    const requester = new Requester(address, sent, this.#secrets, { timeout, ...this.#run });
    return { under, cut: 0, prefix: address.prefix, requester, query: own?.query, source };
  }

  /** The seconds since the request began whose answer has not come yet; 0 without one. */
  get waiting(): number {
    return this.#begun === undefined ? 0 : (Date.now() - this.#begun) / 1000;
  }

  readonly get: Get = async (path, faultOf, headersOf) => {
    const { retries, timing, watch } = this.#run;
    const host = this.#hosts.find(({ under }) => path.startsWith(under));
    if (host === undefined || 'refusal' in host) throw host?.refusal;
    for (let [failed, waited] = [0, 0]; ; ) {
      await this.#turn(waited);
      const tried = await this.#try(host, path.slice(host.cut), faultOf, headersOf?.(failed));
      if (!('problem' in tried)) return tried;
      // A cause could contain the request.
      const problem = redacted(tried.problem, this.#secrets).with({ cause: undefined });
      if (!tried.transient) throw problem;
      const { pause, asked } = tried;
      if (pause === undefined) failed += 1;
      const seconds = pause === undefined ? Math.max(asked ?? 0, 2 ** (failed - 1) / 2) : (asked ?? pause);
      if (pause !== undefined) await this.pace.block(seconds * 1000);
      const isTooLong = seconds > this.#longestWait(waited);
      if (isTooLong && pause !== undefined) throw this.#comeBack(problem, seconds, waited);
      const isLast = isTooLong || failed > (this.#isDown ? 0 : retries);
      if (isLast) this.#isDown ||= problem.kind === 'unreachable';
      if (isLast) throw problem;
      waited += seconds;
      watch?.({ wait: { seconds, reason: problem.detail } });
      await timing.sleep(seconds * 1000);
    }
  };

  async close(): Promise<void> {
    for (const host of this.#hosts) if ('requester' in host) await host.requester.close();
  }

  /** Tries once; returns the answer, or the failure with the seconds to wait that the source states. */
  async #try(
    { prefix, requester, query, source }: Host,
    path: string,
    faultOf: Parameters<Get>[1],
    headers: HttpReply['headers'] | undefined,
  ): Promise<HttpReply | (ReplyFailure & { readonly asked?: number | undefined })> {
    this.requests += 1;
    const key = query === undefined ? '' : `${path.includes('?') ? '&' : '?'}${query}`;
    this.#begun = Date.now();
    const reply = await requester.get(prefix + path + key, headers).finally(() => {
      this.#begun = undefined;
    });
    if ('problem' in reply) return reply;
    this.#isDown = false;
    const asked = retryAfterOf(reply, new Date(this.#run.timing.now()));
    const { title, throttle, isAnswer = ({ status }) => status === 200 } = source;
    const failure =
      source.failureIn?.(reply, this.#answered) ??
      (isAnswer(reply) ? undefined : statusFailure(title, reply, throttle));
    if (failure !== undefined) return { ...failure, asked };
    const fault = await faultOf?.(reply);
    if (fault !== undefined) {
      const problem = typeof fault === 'string' ? new Problem('bad-answer', fault) : fault;
      return { problem, transient: true, asked };
    }
    this.#answered = true;
    const ours = this.#run.timing.now();
    const theirs = sentAt(reply)?.getTime() ?? ours;
    if (Math.abs(theirs - ours) <= longestClockError) return reply;
    const shown = (time: number) => `${new Date(time).toISOString().slice(0, 16)}Z`;
    throw wrongClock(shown(ours), `that of ${this.#title} ${shown(theirs)}`);
  }

  async #turn(waited: number): Promise<void> {
    const pause = await this.pace.turn(Math.max(0, this.#longestWait(waited)) * 1000);
    if (this.#run.signal.aborted) throw new Problem('interrupted', 'interrupted');
    if (pause === undefined) return;
    const problem = new Problem('rate-limit-exceeded', `${this.#title} asked for a pause`);
    throw this.#comeBack(problem, pause / 1000, waited);
  }

  #longestWait(waited: number): number {
    return Math.min(this.#run.maxWait - waited, this.#secondsLeft);
  }

  get #secondsLeft(): number {
    return (this.#run.deadline - this.#run.timing.now()) / 1000;
  }

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
}

/** When requests began or will begin, and when a pause ends, in ms. */
type PaceState = { readonly begun: number[]; blockedUntil: number };

/** In milliseconds. No source wants a longer pause; a later time comes from a wrong clock. */
const longestBlock = 3_600_000;

/** The pace of requests, shared by this user's processes if its file can be written. */
class Pace {
  readonly #file: string | undefined;
  readonly #rules: PullSource['pace'];
  readonly #timing: PullRun['timing'];
  #own: PaceState = { begun: [], blockedUntil: 0 };

  constructor(file: string | undefined, rules: PullSource['pace'], timing: PullRun['timing']) {
    this.#file = file;
    this.#rules = rules;
    this.#timing = timing;
  }

  /** Waits until a request may begin; returns the rest of a pause if it is longer than `longest` milliseconds. */
  async turn(longest: number): Promise<number | undefined> {
    const { pause, wait } = await this.#locked((state, now) => {
      if (state.blockedUntil - now > longest) return { pause: state.blockedUntil - now, wait: 0 };
      const begins = this.#next(state, now);
      state.begun.push(begins);
      return { pause: undefined, wait: begins - now };
    });
    if (wait > 0) await this.#timing.sleep(wait);
    return pause;
  }

  /** Stops all processes from beginning a request for some milliseconds. */
  block(milliseconds: number): Promise<void> {
    return this.#locked((state, now) => {
      state.blockedUntil = Math.max(state.blockedUntil, now + milliseconds);
    });
  }

  /** Computes when the next request may begin (ms since 1970), and how many more in the next minute. */
  outlook(): Promise<{ readonly next: number; readonly inMinute: number }> {
    return this.#locked((state, now) => {
      const begun = [...state.begun];
      const next = () => this.#next({ ...state, begun }, now);
      const first = next();
      for (let time = first; time < now + 60_000; time = next()) begun.push(time);
      return { next: first, inMinute: begun.length - state.begun.length };
    });
  }

  #next({ begun, blockedUntil }: PaceState, now: number): number {
    const times = this.#rules.flatMap(({ requests, milliseconds }) => {
      const earlier = begun.at(-requests);
      return earlier === undefined ? [] : [earlier + milliseconds];
    });
    return Math.max(now, blockedUntil, ...times);
  }

  /** Works on the shared state, or on this process' own if the file cannot be locked. */
  async #locked<T>(work: (state: PaceState, now: number) => T): Promise<T> {
    const lock = await this.#lock();
    try {
      const now = this.#timing.now();
      const { begun, blockedUntil } = (lock && this.#shared()) ?? this.#own;
      const longest = Math.max(...this.#rules.map(({ milliseconds }) => milliseconds));
      const recent = begun.filter((time) => Math.abs(time - now) < 2 * longest).sort((a, b) => a - b);
      this.#own = { begun: recent, blockedUntil: blockedUntil - now < longestBlock ? blockedUntil : 0 };
      const result = work(this.#own, now);
      if (lock !== undefined) this.#share();
      return result;
    } finally {
      await lock?.close();
    }
  }

  async #lock(): Promise<Lock | undefined> {
    if (this.#file === undefined) return undefined;
    try {
      makeFolder(dirname(this.#file), 0o700);
      return await openLock(`${this.#file}.lock`, { total: 3000, step: 10 });
    } catch {
      // The folder cannot be written; this process keeps its own pace.
      return undefined;
    }
  }

  #shared(): PaceState | undefined {
    try {
      const { begun, blockedUntil } = JSON.parse(readFileSync(this.#file ?? '', 'utf8'));
      const isState = Array.isArray(begun) && [...begun, blockedUntil].every(Number.isFinite);
      return isState ? { begun, blockedUntil } : undefined;
    } catch {
      return undefined;
    }
  }

  #share(): void {
    try {
      writeFileSync(this.#file ?? '', JSON.stringify(this.#own), { mode: 0o600 });
    } catch {
      // A full disk does not stop the pull; this process keeps its own pace.
    }
  }
}
