import { Problem } from '../errors/problem.ts';
import { dueIn } from '../operations/calendar/due.ts';
import { clockAt } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { readStoreIfAny } from '../store/open.ts';
import type { Followed } from '../store/store.ts';
import { calendar } from './calendar/calendar.ts';
import { ecb } from './ecb/ecb.ts';
import { eurostat } from './eurostat/eurostat.ts';
import { FredApi, type FredListing } from './fred/api.ts';
import { fred } from './fred/fred.ts';
import { beginRun, Getter, type PullRun } from './getter.ts';
import { oecd } from './oecd/oecd.ts';
import type { PullOptions, SourceName } from './options.ts';
import { rtdsm } from './philadelphia/rtdsm.ts';
import { sec } from './sec/sec.ts';
import type { PullSource } from './source.ts';
import { fredMd, fredQd } from './st-louis/fred-databases.ts';
import { treasury } from './treasury/treasury.ts';

/** The live sources, in the order of a pull. */
export const pullSources: readonly PullSource[] = [
  ...[fred, treasury, sec, rtdsm, fredMd, fredQd, ecb, eurostat, oecd, calendar],
];

/** Reads what a store follows, or what of it was released since its last pull at a time; empty without a store. */
export async function followedIn(store: string, dueAt?: Date): Promise<readonly Followed[]> {
  const found = await readStoreIfAny(store, async (view) => {
    const followed = await view.sources.followed();
    if (dueAt === undefined) return followed;
    const due = (await dueIn(view, clockAt(dueAt))).filter(({ isDue }) => isDue);
    return followed.filter((one) =>
      due.some(({ source, name }) => source === one.source && name === one.name),
    );
  });
  return found ?? [];
}

/** Searches the series of FRED, best match first, and stores nothing; throws a Problem if FRED fails. */
export async function searchSource(text: string, options: PullOptions): Promise<readonly FredListing[]> {
  const getter = new Getter(fred, beginRun(options));
  try {
    return await new FredApi(getter.get).listing({ search_text: text });
  } finally {
    await getter.close();
  }
}

/** The result of one request to a live source, and its pace. */
export type SourceProbe = {
  readonly source: SourceName;
  /** Whether it answered well; undefined if it was not asked. */
  readonly answers: boolean | undefined;
  /** The required key or contact; unknown if the answer does not say whether it is valid. */
  readonly key: 'works' | 'missing' | 'refused' | 'unknown' | 'not needed';
  /** The number of subjects that the store follows there. */
  readonly followed: number;
  /** The requests that the pace allows in a minute; undefined if nothing can be requested. */
  readonly requestsInMinute: number | undefined;
  /** When the next request may begin, ISO 8601; undefined if nothing can be requested. */
  readonly nextRequest: string | undefined;
  /** Why it does not answer, or does not accept the key. */
  readonly problem?: Problem;
};

/**
 * Sends at most one request to each live source, which counts for the pace; none without a key or in a pause.
 * Failures are in the result.
 */
export async function probeSources(options: PullOptions): Promise<readonly SourceProbe[]> {
  const followed = await followedIn(options.store);
  const run = beginRun({ ...options, retries: 0, maxWait: 0 });
  const probes: SourceProbe[] = [];
  for (const source of pullSources) {
    const count = followed.filter((record) => record.source === source.name).length;
    probes.push({ source: source.name, followed: count, ...(await probe(source, run)) });
  }
  return probes;
}

async function probe(source: PullSource, run: PullRun): Promise<Omit<SourceProbe, 'source' | 'followed'>> {
  let getter: Getter;
  try {
    getter = new Getter(source, run);
  } catch (error) {
    const problem = problemIn(error);
    const key = problem.kind === 'unauthorized' ? 'missing' : 'refused';
    return { answers: undefined, key, problem, requestsInMinute: undefined, nextRequest: undefined };
  }
  try {
    const problem = await getter.get(source.probe).then(() => undefined, problemIn);
    const { next, inMinute } = await getter.pace.outlook();
    const isAnswered = problem === undefined || problem.kind === 'unauthorized';
    const isAsked = getter.requests > 0;
    return {
      answers: isAnswered || (isAsked ? false : undefined),
      key: source.wants === undefined ? 'not needed' : keyState(problem),
      requestsInMinute: inMinute,
      nextRequest: new Date(next).toISOString(),
      ...defined({ problem }),
    };
  } finally {
    await getter.close();
  }
}

function keyState(problem: Problem | undefined): SourceProbe['key'] {
  if (problem === undefined) return 'works';
  return problem.kind === 'unauthorized' ? 'refused' : 'unknown';
}

function problemIn(error: unknown): Problem {
  if (!(error instanceof Problem) || error.kind === 'interrupted') throw error;
  // A probe never waits, so the flag for waits is no help.
  return error.retryAfter === undefined ? error : error.with({ hints: [] });
}
