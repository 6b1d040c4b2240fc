import type { HttpReply } from '../client/remote/transport.ts';
import { addDays, type Day, type Frequency, utcDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { sourceFile } from '../import/files/walk.ts';
import type { ImportFile } from '../import/formats/format.ts';
import type { ImportConflict } from '../import/load/conflict.ts';
import type { Followed, Series, StoreView, WholeView } from '../store/store.ts';
import type { History } from './history.ts';
import type { PullCounts, SourceName, SourceSettings } from './options.ts';

/** What a source wants to know of who asks, with each request. */
type Credentials = {
  readonly headers?: HttpReply['headers'];
  /** A key in the query, as `api_key=…`. */
  readonly query?: string;
  /** Texts that must not appear in messages, logs and causes. */
  readonly secrets: readonly string[];
};

/** Why a reply is not an answer. */
export type ReplyFailure = {
  readonly problem: Problem;
  /** True if the next try may succeed. */
  readonly transient: boolean;
  /** The seconds without requests that the source wants. */
  readonly pause?: number;
};

/** Makes the failure of a source that wants some seconds without requests. */
export function throttled(title: string, reason: string, pause: number): ReplyFailure {
  const problem = new Problem('rate-limit-exceeded', `${title} asks for a pause: ${reason}`);
  return { problem, transient: true, pause };
}

/** The statuses by which a source asks for a pause, and its seconds if the reply states none. */
type Throttle = { readonly statuses: readonly number[]; readonly seconds: number };

const usualThrottle: Throttle = { statuses: [429, 403], seconds: 60 };

/** Makes the failure of a status that no answer of a source has; some statuses ask for a pause. */
export function statusFailure(
  title: string,
  { status }: HttpReply,
  { statuses, seconds }: Throttle = usualThrottle,
): ReplyFailure {
  if (statuses.includes(status)) return throttled(title, `HTTP ${status}`, seconds);
  const transient = status >= 500 || status === 408 || status === 423;
  const kind = transient ? 'service-unavailable' : 'bad-answer';
  const hints = transient ? [] : [newerHint];
  return { problem: new Problem(kind, `${title} answered with HTTP ${status}`, { hints }), transient };
}

const newerHint = 'the source may have changed; a newer asof may read it';

/** Makes the Problem of an answer that this version of asof cannot read. */
export function changedSource(detail: string): Problem {
  return new Problem('bad-answer', detail, { hints: [newerHint] });
}

/** Makes the Problem of an answer in whose place a later one can be good. */
export function wrongAnswer(detail: string): Problem {
  return new Problem('bad-answer', detail, { hints: ['pull again later'] });
}

/**
 * Requests a path below the base address, such as `/series?series_id=GDP`; throws a Problem if that fails.
 * `faultOf` returns what is wrong with a reply, which counts as a transient failure; undefined if nothing is.
 * A Problem can add hints.
 * `headersOf` returns the headers of a try by the number of failed ones.
 */
export type Get = (
  path: string,
  faultOf?: (reply: HttpReply) => Promise<string | Problem | undefined>,
  headersOf?: (failed: number) => HttpReply['headers'],
) => Promise<HttpReply>;

/** An item that a source lists, but does not give intact. */
export type Outstanding = {
  /** Such as `filing 0000789019-26-000012` or `2017-04-14`. */
  readonly name: string;
  readonly since: Day;
  readonly why: string;
};

/** The days during which pulls request a failed item again. */
const patience = 30;

/** Tells whether later runs request an item again that failed on a day. */
export function isAskedAgain({ since }: Pick<Outstanding, 'since'>, now: Date): boolean {
  return utcDay(now) <= addDays(since, patience);
}

/** Returns the failed items to request again; notes those that failed for too long. */
export function stillMissing<T extends Outstanding>(
  failed: readonly T[],
  { now, note }: Pick<PullTask, 'now' | 'note'>,
): readonly T[] {
  return failed.filter((item) => {
    const isLeft = isAskedAgain(item, now);
    if (!isLeft) note(`${item.name}: ${item.why}; given up after ${patience} days, --full asks again`);
    return isLeft;
  });
}

/** Returns why a document was refused, without its name. */
export function reasonIn({ detail, refusal }: Problem): string {
  return refusal?.reason ?? detail;
}

/** One piece of a source's data, stored in one transaction. */
export type PullWindow = {
  /** Documents in memory with their formats. Default: none, as nothing is new. */
  readonly files?: readonly ImportFile[];
  /** True if the documents replace stored figures that were not final. */
  readonly replaces?: boolean;
  /** What the source itself found to contradict the store. */
  readonly conflicts?: readonly ImportConflict[];
  /** A series whose coverage grows without a document. */
  readonly covers?: string;
  /** Where the next pull resumes; `from` and `left` in it are for the driver too. */
  readonly bookmark: object;
  /** The bookmark in its place if something contradicts the store, so that later runs name that again. */
  readonly contradicted?: object;
  readonly upTo: Day;
  /** True if windows follow, as far as the source knows. */
  readonly more?: boolean;
};

/** The windows of a subject, oldest first; `yield` returns, when a window is stored, whether it contradicts the store. */
export type PullWindows = AsyncGenerator<PullWindow, void, boolean>;

/** What the driver reads of a bookmark; the rest is the source's. */
type CommonBookmark = {
  /** The day, month or year with which the history begins, if a user named one. */
  readonly from?: Day | number;
  readonly left?: readonly Outstanding[];
};

/** Reads a bookmark of optional members; it is empty before the first window. */
export function bookmarkIn<B extends object = CommonBookmark>({ bookmark }: Pick<Followed, 'bookmark'>): B {
  if (bookmark.startsWith('{')) return JSON.parse(bookmark);
  // An earlier version wrote of curves the last day alone, which does not say with which year they began.
  const [day, year] = /^(\d{4})-\d\d-\d\d$/.exec(bookmark) ?? [];
  return JSON.parse(day === undefined ? '{}' : `{"through":"${day}","from":${year}}`);
}

/** What a source needs to pull one subject. */
export type PullTask = {
  readonly subject: Followed;
  /** True to ask for the whole history again, or for one that begins earlier. */
  readonly full: boolean;
  /** True if the user takes what the source says of the whole history in place of what is stored. */
  readonly takesAll: boolean;
  /** The first day of a history that begins now, or that gets an earlier beginning. */
  readonly since: Day | undefined;
  readonly now: Date;
  readonly today: Day;
  readonly clock: () => Date;
  readonly get: Get;
  /** Reads the store as it is now; undefined without a store. */
  readonly read: <T>(work: (view: WholeView) => Promise<T>) => Promise<T | undefined>;
  readonly find: (seriesId: string) => Promise<Series | undefined>;
  /** Reads what the store has of a series; undefined without facts, which may have been removed. */
  readonly storedHistory: (seriesId: string) => Promise<History | undefined>;
  readonly note: (text: string) => void;
};

/** An item that a source offers. */
export type CatalogueEntry = {
  /** The name by which `asof pull` asks for it. */
  readonly name: string;
  readonly title: string;
  readonly frequency: Frequency;
};

type AllSettings = Readonly<Partial<Record<SourceName, SourceSettings>>>;

/** A live source: what its items are, how they are asked for, and how answers become documents to import. */
export interface PullSource {
  readonly name: SourceName;
  /** Words by which users call it besides its name, in small letters. */
  readonly otherNames?: readonly string[];
  /** The form of texts that mean items of this source alone. */
  readonly nameForm?: RegExp;
  /** The name of the publisher, such as `FRED`. */
  readonly title: string;
  /** The publisher's address, without `folder`. */
  readonly base: string;
  /** The folder of all paths; the base address of a user has it already, unless it is that of a host. */
  readonly folder?: string;
  /** Where paths with a beginning go at the publisher's address: another host, or, without it, another source. */
  readonly others?: Readonly<Record<string, string | PullSource>>;
  readonly headers?: HttpReply['headers'];
  /** At most this many requests may begin within this many milliseconds. */
  readonly pace: readonly { readonly requests: number; readonly milliseconds: number }[];
  /** Seconds for one try, if the user does not say. Default: 30. */
  readonly timeout?: number;
  /** The path of a request that shows whether the source answers and accepts the key or contact. */
  readonly probe: string;
  /** Tells whether a reply that is no failure is an answer. Default: by the status 200. */
  isAnswer?(reply: HttpReply): boolean;
  /** How the source asks for a pause. Default: with 429 or 403, for 60 seconds. */
  readonly throttle?: Throttle;
  /** Returns the failure that more than a status tells; `answered` if the source gave a good answer in this run. */
  failureIn?(reply: HttpReply, answered: boolean): ReplyFailure | undefined;
  /** Returns what requests show; throws `unauthorized` without the key or contact that the source wants. */
  credentials?(settings: SourceSettings): Credentials;
  /** A name to follow; absent if the source comes as a whole. */
  readonly example?: string;
  /** What the source offers, in the order of names; absent if only the source knows. */
  readonly catalogue?: readonly CatalogueEntry[];
  /**
   * What a pull with an earlier `since` asks for: the `whole` history, or what is `before` it; absent if histories come
   * only whole.
   */
  readonly since?: 'whole' | 'before';
  /** Refuses a whole window that contradicts the store. Default: leaves out what does, and reports it at the end. */
  readonly refusesWindows?: true;
  /** Returns the names that a typed text stands for; `expand` takes one for several subjects, such as `release 53`. */
  parse(text: string): string | readonly string[];
  /** Asks which subjects a name of `parse` stands for. Default: itself. */
  expand?(name: string, get: Get): Promise<readonly string[]>;
  /** Lists what a pull without names follows; throws a Problem that asks for names. Default: nothing. */
  everything?(settings: AllSettings): readonly string[];
  /** Tells whether a name of `parse` stands for a subject. Default: it is the subject. */
  readonly covers?: (name: string, subject: string) => boolean;
  /** Returns the ids of the series that a subject brings. Default: the subject is one. */
  readonly idsOf?: (subject: string) => readonly string[];
  /** Tells whether a subject brings a stored series. Default: by its ids. */
  readonly brings?: (subject: string, series: Pick<Series, 'id' | 'publishers'>) => boolean;
  /** Estimates, without a request, the fewest requests of a pull, and what they are for. */
  estimate(
    subject: Followed,
    when: Pick<PullTask, 'since' | 'now' | 'today'>,
  ): { readonly requests: number; readonly what: string };
  /** Yields the windows of a subject; none if nothing is new, and the bookmark stays. */
  windows(task: PullTask): PullWindows;
  /** The words for counts by name: `{ new_looks: ['new look', 'new looks'] }`. Default: those of vintages. */
  readonly counted?: Readonly<Record<string, readonly [one: string, several: string]>>;
  /** Counts the stored items of a subject; the difference of two counts is what was new. Default: vintages. */
  count?(subject: string, view: StoreView): Promise<PullCounts>;
}

/** Returns when a reply was sent, if it says so; a cache keeps the date, and states the age. */
export function sentAt({ headers }: HttpReply): Date | undefined {
  const sent = Date.parse(headers.date ?? '') + 1000 * Number(headers.age ?? 0);
  return Number.isNaN(sent) ? undefined : new Date(sent);
}

/** Makes the Problem for a machine with a wrong clock. */
export function wrongClock(says: string, against: string): Problem {
  const detail = `the clock of this machine says ${says}, and ${against}`;
  return new Problem('local-io', detail, { hints: ['set the clock, and pull again'] });
}

/** Makes the Problem of a followed series that a source no longer has; `upTo` is the last day for which it gave it. */
export function goneSeries(
  { name: source, title }: { readonly name: SourceName; readonly title: string },
  name: string,
  upTo: Day | undefined,
): Problem {
  const given = upTo === undefined ? '' : `, which it gave up to ${upTo}`;
  const detail = `${title} no longer has the series ${name}${given}; the facts stay in the store`;
  return new Problem('not-found', detail, { hints: [`asof unfollow ${source} ${name} stops following it`] });
}

/** Makes a file of an answer, for the readers of `asof import`; messages and the import log show `path`. */
export function document(name: string, path: string, content: string | Buffer) {
  const bytes = Buffer.from(content);
  return sourceFile({
    name,
    path,
    size: bytes.length,
    async *read(counter) {
      counter?.(bytes.length);
      yield bytes;
    },
    siblings: async () => [],
  });
}
