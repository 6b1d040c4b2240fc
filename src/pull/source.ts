import type { HttpReply } from '../client/remote/exchange.ts';
import { addDays, type Day, latestDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { type SourceFile, sourceFile } from '../import/files/source-file.ts';
import type { ImportFile } from '../import/load/load.ts';
import type { Followed } from '../store/followed.ts';
import type { StoreView, WholeView } from '../store/store.ts';
import type { PullCounts, SourceName, SourceSettings } from './options.ts';

/** How requests to a source are sent, and what its replies mean. */
export type SourceAccess = {
  readonly base: string;
  /** The addresses of other hosts of the source, by the beginnings of their paths. */
  readonly others?: Readonly<Record<string, string>>;
  readonly headers?: HttpReply['headers'];
  /** A key that goes into the query of each request, as `api_key=…`. */
  readonly query?: string;
  /** Texts that no message, log or cause may show. */
  readonly secrets: readonly string[];
  /** Why a reply is not an answer; `answered` if the source gave a good answer before in this run. */
  readonly failureIn: (reply: HttpReply, answered: boolean) => ReplyFailure | undefined;
};

/** Why a reply is not an answer. */
export type ReplyFailure = {
  readonly problem: Problem;
  /** Whether the failure may be gone at the next try. */
  readonly transient: boolean;
  /** The seconds in which the source wants no request. */
  readonly pause?: number;
};

/** Gives the answer to a path below the base address (`/series?series_id=GDP`). Throws a Problem if there is none. */
export type Get = (
  path: string,
  options?: {
    /** Why a body is not what was asked for, which counts as a transient failure; undefined if it is. */
    readonly faultOf?: (reply: HttpReply) => Promise<string | undefined>;
    /** Tries after a transient failure, in the place of those of the options. */
    readonly retries?: number | undefined;
  },
) => Promise<HttpReply>;

/** What a source names, but does not give as it should. */
export type Outstanding = {
  /** `filing 0000789019-26-000012`, `2017-04-14`. */
  readonly name: string;
  readonly since: Day;
  readonly why: string;
};

/** The items to ask for again, and those that have failed for too long. */
export type MissingItems<T = Outstanding> = { readonly left: readonly T[]; readonly givenUp: readonly T[] };

/** A pull asks for an item again in the runs of this number of days. */
export const patience = 30;

/** Divides items that failed today: those to ask for again, and those that have failed for too long. */
export function divide<T extends Pick<Outstanding, 'since'>>(
  failed: readonly T[],
  today: Day,
): MissingItems<T> {
  const isLate = ({ since }: T) => today > addDays(since, patience);
  return { left: failed.filter((item) => !isLate(item)), givenUp: failed.filter(isLate) };
}

/** Why a document was refused, without its name. */
export function reasonIn({ detail, refusal }: Problem): string {
  return refusal?.reason ?? detail;
}

/** What a source gave in one piece; it becomes facts in one transaction, and the bookmark with them. */
export type PullWindow = {
  /** Documents in memory, and the format that each is read as; none if there was nothing new. */
  readonly files: readonly ImportFile[];
  /** The series whose coverage grows although there is no document. */
  readonly covers?: string;
  /** How far the store is with this window, in the words of the source. */
  readonly bookmark: string;
  readonly upTo: Day;
  /** The windows that are still to come, as far as the source knows. */
  readonly remaining: number;
  /** What the source did not give for so long that no further run asks for it. */
  readonly givenUp?: readonly Outstanding[];
};

/** What a source needs to pull one thing that the store follows. */
export type PullTask = {
  readonly subject: Followed;
  readonly full: boolean;
  /** Leaves out what was published before this day, when a history begins. */
  readonly since: Day | undefined;
  readonly now: Date;
  readonly get: Get;
  /** Reads the store as it is now; undefined while there is none. */
  readonly read: <T>(work: (view: WholeView) => Promise<T>) => Promise<T | undefined>;
  readonly note: (text: string) => void;
};

/** A live source. */
export interface PullSource {
  readonly name: SourceName;
  /** The name of the publisher: `FRED`. */
  readonly title: string;
  /** At most so many requests may begin within so many milliseconds. */
  readonly pace: readonly { readonly requests: number; readonly milliseconds: number }[];
  /** The path of a request that shows whether the source answers, and whether it takes the key or contact. */
  readonly probe: string;
  /** Leaves out what contradicts the store, and reports it at the end; otherwise refuses the window as a whole. */
  readonly keepsHeld?: true;
  /** What it wants to know of who asks. */
  readonly wants?: 'key' | 'contact';
  /** How requests go out; a Problem of the kind `unauthorized` without the key or contact that the source wants. */
  access(settings: SourceSettings): SourceAccess;
  /**
   * The names to follow, as the store keeps them; without texts, everything that the source has. A text that means
   * several names, such as `release 53`, stays as it is without `get`.
   */
  resolve(typed: readonly string[], get: Get | undefined): Promise<readonly string[]>;
  /** The fewest requests that pulling it takes, without asking the source, and what they are for. */
  estimate(
    subject: Followed,
    when: Pick<PullTask, 'since' | 'now'>,
  ): { readonly requests: number; readonly what: string };
  /** The windows of a subject, oldest first. The next one is requested when the store has the previous one. */
  windows(task: PullTask): AsyncIterable<PullWindow>;
  /** What the source has not given as it should, by a bookmark; absent if its answers are whole or refused. */
  readonly outstanding?: (bookmark: string) => readonly Outstanding[];
  /** The words for what is counted, by name: `{ new_vintages: ['new vintage', 'new vintages'] }`. */
  readonly counted: Readonly<Record<string, readonly [one: string, several: string]>>;
  /** Counts what a store has of a subject; the difference of two counts is what was new. */
  count(subject: string, view: StoreView): Promise<PullCounts>;
}

/** When a reply was sent, if it says so: a cache on the way keeps the date, and says how old the reply is. */
export function sentAt({ headers }: HttpReply): Date | undefined {
  const sent = Date.parse(headers.date ?? '') + 1000 * Number(headers.age ?? 0);
  return Number.isNaN(sent) ? undefined : new Date(sent);
}

/** Throws a Problem if the clock of this machine is behind what the store has of a subject. */
export function checkClock({ subject: { upTo, name }, now }: Pick<PullTask, 'subject' | 'now'>): void {
  const today = latestDay(now);
  if (upTo !== undefined && upTo > today)
    throw wrongClock(today, `the store has what was published up to ${upTo} of ${name}`);
}

/** The Problem of a machine whose clock says something that cannot be. */
export function wrongClock(says: string, against: string): Problem {
  const detail = `the clock of this machine says ${says}, and ${against}`;
  return new Problem('local-io', detail, { hints: ['set the clock, and pull again'] });
}

/** An answer of a source as a file for the readers of `asof import`; messages and the import log show `path`. */
export function document(
  { name, path }: { readonly name: string; readonly path: string },
  content: string | Buffer,
  siblings: readonly SourceFile[] = [],
): SourceFile {
  const bytes = Buffer.from(content);
  return sourceFile({
    name,
    path,
    size: bytes.length,
    async *read(counter) {
      counter?.(bytes.length);
      yield bytes;
    },
    siblings: async () => siblings,
  });
}
