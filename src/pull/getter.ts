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
  /** The addresses of other hosts of the source, by the beginnings of their paths. */
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
 * with the Problem if it is not; or a permanent failure.
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

/** What one request wants besides the policy. */
export type GetOptions = {
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
  outlook(): Promise<PaceOutlook> {
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

  /** What the outcome of a try means. */
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

  /** The seconds until no wait may last any longer. */
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
