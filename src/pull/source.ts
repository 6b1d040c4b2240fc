import type { HttpReply } from '../client/remote/exchange.ts';
import { addDays, type Day, type Frequency, utcDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { type SourceFile, sourceFile } from '../import/files/source-file.ts';
import type { ImportConflict } from '../import/load/conflict.ts';
import type { ImportFile } from '../import/load/load.ts';
import type { Followed, Series, StoreView, WholeView } from '../store/store.ts';
import type { PullCounts, SourceName, SourceSettings } from './options.ts';

/** How a source is asked, and what its replies mean. */
export type SourceAccess = {
  readonly base: string;
  /**
   * Other hosts of the source, by the beginnings of their paths: a base address; or how requests go there, without
   * the beginning of the path, or why none can.
   */
  readonly others?: Readonly<Record<string, string | SourceAccess | Problem>>;
  readonly headers?: HttpReply['headers'];
  /** A key in the query of each request, as `api_key=…`. */
  readonly query?: string;
  /** Texts that must not appear in messages, logs and causes. */
  readonly secrets: readonly string[];
  /** Returns why a reply is not an answer; `answered` if the source gave a good answer earlier in this run. */
  readonly failureIn: (reply: HttpReply, answered: boolean) => ReplyFailure | undefined;
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
  const hints = transient ? [] : ['the source may have changed; a newer asof may read it'];
  return { problem: new Problem(kind, `${title} answered with HTTP ${status}`, { hints }), transient };
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
  /** Documents in memory with their formats; empty if nothing is new. */
  readonly files: readonly ImportFile[];
  /** True if the documents replace stored figures that were not final. */
  readonly replaces?: boolean;
  /** What the source itself found to contradict the store. */
  readonly conflicts?: readonly ImportConflict[];
  /** A series whose coverage grows without a document. */
  readonly covers?: string;
  /** Where the next pull resumes; only the source reads it. */
  readonly bookmark: string;
  /** The bookmark in its place if a document contradicts the store, so that later runs name that again. */
  readonly contradicted?: string;
  readonly upTo: Day;
  /** True if windows follow, as far as the source knows. */
  readonly more: boolean;
};

/** What a source needs to pull one subject. */
export type PullTask = {
  readonly subject: Followed;
  /** True to ask for the whole history again, or for one that begins earlier. */
  readonly full: boolean;
  /** True if the user takes what the source says in place of what is stored. */
  readonly replace: boolean;
  /** The first day of a history that begins now, or that gets an earlier beginning. */
  readonly since: Day | undefined;
  /** When the pull of the subject began. */
  readonly now: Date;
  readonly clock: () => Date;
  readonly get: Get;
  /** Reads the store as it is now; undefined without a store. */
  readonly read: <T>(work: (view: WholeView) => Promise<T>) => Promise<T | undefined>;
  readonly note: (text: string) => void;
  /** Tells whether the windows so far contradict the store. */
  readonly hasConflicts: () => boolean;
  /** Counts the contradictions of the windows so far. */
  readonly conflicts: () => number;
};

/** An item that a source offers. */
export type CatalogueEntry = {
  /** The name by which `asof pull` asks for it. */
  readonly name: string;
  readonly title: string;
  readonly frequency: Frequency;
};

/** The settings of all sources. */
type AllSettings = Readonly<Partial<Record<SourceName, SourceSettings>>>;

/** A live source. */
export interface PullSource {
  readonly name: SourceName;
  /** The name of the publisher, such as `FRED`. */
  readonly title: string;
  /** At most this many requests may begin within this many milliseconds. */
  readonly pace: readonly { readonly requests: number; readonly milliseconds: number }[];
  /** Seconds for one try, if the user does not say. Default: 30. */
  readonly timeout?: number;
  /** The path of a request that shows whether the source answers and accepts the key or contact. */
  readonly probe: string;
  /** A name to follow; absent if the source comes as a whole. */
  readonly example?: string;
  /** What the source offers, in the order of names; absent if only the source knows. */
  readonly catalogue?: readonly CatalogueEntry[];
  /** Returns the first day that a bookmark's history has, if not all; absent if histories come only whole. */
  readonly beginsOn?: (bookmark: string) => Day | undefined;
  /** Leaves out what contradicts the store, and reports it at the end. Default: refuses the whole window. */
  readonly keepsStored?: true;
  /** What a user must provide. */
  readonly wants?: 'key' | 'contact';
  /** Returns how requests go out; throws `unauthorized` without the key or contact that the source wants. */
  access(settings: SourceSettings, all?: AllSettings): SourceAccess;
  /**
   * Resolves typed names to names to follow. Default: everything that the source has.
   * Without `get`, a text for several names, such as `release 53`, stays as it is.
   */
  resolve(typed: readonly string[], get: Get | undefined, all?: AllSettings): Promise<readonly string[]>;
  /** Tells whether a name that `resolve` returns without `get` stands for a subject. Default: it is the subject. */
  readonly covers?: (name: string, subject: string) => boolean;
  /** Tells whether a subject brings a stored series. Default: the subject is its id. */
  readonly brings?: (subject: string, series: Pick<Series, 'id' | 'publishers'>) => boolean;
  /** Estimates, without a request, the fewest requests of a pull, and what they are for. */
  estimate(
    subject: Followed,
    when: Pick<PullTask, 'since' | 'now'>,
  ): { readonly requests: number; readonly what: string };
  /** Yields the windows of a subject, oldest first; the next one is requested when the previous one is stored. */
  windows(task: PullTask): AsyncIterable<PullWindow>;
  /** Reads the missing items in a bookmark; absent if answers are either complete or refused. */
  readonly outstanding?: (bookmark: string) => readonly Outstanding[];
  /** The words for counts by name, such as `{ new_vintages: ['new vintage', 'new vintages'] }`. */
  readonly counted: Readonly<Record<string, readonly [one: string, several: string]>>;
  /** Counts the stored items of a subject; the difference of two counts is what was new. */
  count(subject: string, view: StoreView): Promise<PullCounts>;
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
export function document(name: string, path: string, content: string | Buffer): SourceFile {
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

/** The words for the counts of `countVintages`. */
export const vintageWords = {
  new_vintages: ['new vintage', 'new vintages'],
  new_dates: ['new date', 'new dates'],
  revised: ['revised', 'revised'],
  withdrawn: ['withdrawn', 'withdrawn'],
} as const;

/** Counts the vintages of a series, and what they changed. */
export async function countVintages(seriesId: string, view: StoreView): Promise<PullCounts> {
  const page = await view.series.vintages({ seriesId, limit: Number.MAX_SAFE_INTEGER });
  const counts = { new_vintages: 0, new_dates: 0, revised: 0, withdrawn: 0 };
  for (const { added, revised, withdrawn } of page?.rows ?? []) {
    counts.new_vintages += 1;
    counts.new_dates += added;
    counts.revised += revised;
    counts.withdrawn += withdrawn;
  }
  return counts;
}
