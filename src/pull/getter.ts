import { join } from 'node:path';
import {
  type HttpHeaders,
  type HttpReply,
  Requester,
  type RequestTry,
  withoutSecrets,
} from '../client/remote/exchange.ts';
import { retryAfterOf } from '../client/remote/retry.ts';
import { proxiesOf } from '../client/remote/transport.ts';
import { parseBaseUrl } from '../client/remote/url.ts';
import { Problem } from '../errors/problem.ts';
import { version } from '../platform/installation.ts';
import { Pace, type PaceOutlook, type PaceRule, type Timing } from './pace.ts';

/** How requests to a source are sent, and what its replies mean. */
export type SourceAccess = {
  /** The name in messages: `FRED`. */
  readonly title: string;
  readonly base: string;
  /** The addresses of other hosts of the source, by how the paths begin that they have. */
  readonly others?: Readonly<Record<string, string>>;
  readonly headers?: HttpHeaders;
  /** A key that goes into the query of each request, as `api_key=…`. */
  readonly query?: string;
  /** Texts that no message, log or cause may show. */
  readonly secrets: readonly string[];
  /** What a reply means; `answered` if the source gave a good answer before in this run. */
  readonly classify: (reply: HttpReply, answered: boolean) => ReplyMeaning;
};

/**
 * What a reply means: an answer; a request to send nothing for some time; a failure that may be gone at the next try,
 * with the Problem for when it is not; or a failure that stays.
 */
export type ReplyMeaning =
  | 'answer'
  | { readonly throttledFor: number; readonly problem: Problem }
  | { readonly transient: Problem }
  | { readonly failed: Problem };

/** How a pull sends its requests. */
export type RequestPolicy = {
  /** Seconds that one try may take. */
  readonly timeout: number;
  /** Tries after a transient failure. */
  readonly retries: number;
  /** Seconds that one request may wait in all before its further tries. */
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

/** A try of a request, or a wait before the next one. */
export type PullEvent =
  | { readonly tried: RequestTry }
  | { readonly wait: { readonly seconds: number; readonly reason: string } };

/** A clock that is wrong by more milliseconds takes another day for today. */
const longestClockError = 24 * 3_600_000;

/**
 * Sends GET requests to a source at its pace, again after transient failures, and waits when the source asks for it.
 */
export class Getter {
  readonly #access: SourceAccess;
  readonly #policy: RequestPolicy;
  /** The hosts of the source, and how the paths begin that each has; the last one has all others. */
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
  outlook(): Promise<PaceOutlook> {
    return this.#pace.outlook();
  }

  /** The answer to a path below the base address (`/series?series_id=GDP`). Throws a Problem if there is none. */
  async get(path: string): Promise<HttpReply> {
    const { maxWait, retries } = this.#policy;
    let waited = 0;
    // The pause that the source asked for just now; it is among `waited`, and still to come.
    let pause = 0;
    for (let failed = 0; ; ) {
      await this.#turn(Math.min(maxWait - waited + pause, this.#secondsLeft()));
      this.#requests += 1;
      const outcome = await this.#send(path);
      const verdict =
        'problem' in outcome
          ? outcome.transient
            ? { transient: outcome.problem }
            : { failed: outcome.problem }
          : this.#access.classify(outcome, this.#answered);
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
        throw throttled ? this.#comeBack(problem, seconds) : this.#clean(problem);
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

  /**
   * Waits for the turn of a request by the pace, and for a pause that the source asked for if it takes at most
   * `longest` seconds.
   */
  async #turn(longest: number): Promise<void> {
    const wait = await this.#pace.turn(Math.max(0, longest) * 1000);
    if (this.#policy.signal.aborted) throw new Problem('interrupted', 'interrupted');
    if (wait === undefined) return;
    const { title } = this.#access;
    throw this.#comeBack(new Problem('rate-limit-exceeded', `${title} asked for a pause`), wait / 1000);
  }

  /** The seconds until no wait may last any longer. */
  #secondsLeft(): number {
    const { deadline = Number.POSITIVE_INFINITY, timing } = this.#policy;
    return (deadline - timing.now()) / 1000;
  }

  #comeBack(problem: Problem, seconds: number): Problem {
    const whole = Math.ceil(seconds);
    const at = new Date(this.#policy.timing.now() + whole * 1000).toISOString().slice(0, 19);
    const detail = `${problem.detail}; try again in ${whole} s, at ${at}Z`;
    const isTooLate = seconds > this.#secondsLeft();
    const hints = isTooLate
      ? ['--max-duration leaves no time to wait for it']
      : [`--max-wait ${whole} waits for it`];
    return this.#clean(new Problem(problem.kind, detail, { hints, retryAfter: whole }));
  }

  /**
   * Throws a Problem if the clock of this machine is more than a day before or after that of the source, whose days
   * would be others.
   */
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
