import { didYouMean } from '../domain/search/words.ts';
import { Problem, type ProblemKind } from '../errors/problem.ts';
import { listed, someOf } from '../errors/wording.ts';
import { dueIn } from '../operations/calendar/due.ts';
import { clockAt } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { readStoreIfAny, writing } from '../store/open.ts';
import type { Followed, Series, StoreView } from '../store/store.ts';
import { calendar } from './calendar/calendar.ts';
import { ecb } from './ecb/ecb.ts';
import { eurostat } from './eurostat/eurostat.ts';
import { FredApi, type FredListing } from './fred/api.ts';
import { fred } from './fred/fred.ts';
import { beginRun, Getter, type PullRun } from './getter.ts';
import { oecd } from './oecd/oecd.ts';
import type { PullCounts, PullOptions, SourceName } from './options.ts';
import { rtdsm } from './philadelphia/rtdsm.ts';
import { sec } from './sec/sec.ts';
import type { PullSource } from './source.ts';
import { fredDatabases } from './st-louis/fred-databases.ts';
import { treasury } from './treasury/treasury.ts';

const vintageWords = {
  new_vintages: ['new vintage', 'new vintages'],
  new_dates: ['new date', 'new dates'],
  revised: ['revised', 'revised'],
  withdrawn: ['withdrawn', 'withdrawn'],
} as const;

/** The live sources, in the order of a pull; if a source does not say so, its items are series with vintages. */
export const pullSources = [
  ...[fred, treasury, sec, rtdsm, ...fredDatabases, ecb, eurostat, oecd, calendar],
].map((source: PullSource) => {
  const { idsOf = (subject: string) => [subject] } = source;
  return {
    counted: vintageWords,
    count: (subject: string, view: StoreView) => countVintages(idsOf(subject), view),
    brings: (subject: string, { id }: Pick<Series, 'id' | 'publishers'>) => idsOf(subject).includes(id),
    ...source,
  };
});

async function countVintages(ids: readonly string[], view: StoreView): Promise<PullCounts> {
  const counts = { new_vintages: 0, new_dates: 0, revised: 0, withdrawn: 0 };
  for (const seriesId of ids) {
    const page = await view.series.vintages({ seriesId, limit: Number.MAX_SAFE_INTEGER });
    for (const { added, revised, withdrawn } of page?.rows ?? []) {
      counts.new_vintages += 1;
      counts.new_dates += added;
      counts.revised += revised;
      counts.withdrawn += withdrawn;
    }
  }
  return counts;
}

/** Returns the names that typed texts stand for, or without texts what a pull of the source follows. */
export function namesIn(
  { parse, everything }: PullSource,
  typed: readonly string[],
  settings: PullOptions['settings'] = {},
): readonly string[] {
  return typed.length === 0 ? (everything?.(settings) ?? []) : typed.flatMap((text) => parse(text));
}

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

/**
 * Stops following what texts mean to a pull of the source; without texts, what a pull without names follows.
 * Returns the names; throws a Problem for a text that means nothing followed, and changes nothing.
 */
export async function unfollow(
  store: string,
  source: SourceName,
  typed: readonly string[],
): Promise<readonly string[]> {
  const live = pullSources.find(({ name }) => name === source);
  const own = (await followedIn(store)).filter((record) => record.source === source);
  const names = own.map(({ name }) => name);
  const everything = typed.length > 0 ? [] : namesIfAny(live, []);
  const found = new Set(names.filter((name) => everything.includes(name)));
  for (const text of typed) {
    const meant = namesMeant(live, text, names);
    if (meant.length === 0) throw notFollowed(source, text, names);
    for (const name of meant) found.add(name);
  }
  if (found.size === 0) {
    const detail = `name the items of ${source} to unfollow`;
    throw new Problem('bad-input', detail, { hints: [followedText(source, names)] });
  }
  await writing(store, async (writer) => {
    for (const name of found) await writer.unfollow(source, name);
    await writer.commit();
  });
  return [...found];
}

/** Finds the followed names that a text means, in any letter case. */
function namesMeant(live: PullSource | undefined, text: string, names: readonly string[]): readonly string[] {
  const same = names.filter((name) => name.toLowerCase() === text.trim().toLowerCase());
  if (same.length > 0) return same;
  const asked = namesIfAny(live, [text]);
  return names.filter((name) => asked.some((one) => live?.covers?.(one, name) ?? one === name));
}

/** Returns the names of a source that texts stand for; none for texts that it does not take. */
function namesIfAny(live: PullSource | undefined, typed: readonly string[]): readonly string[] {
  try {
    return live === undefined ? [] : namesIn(live, typed);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

function notFollowed(source: SourceName, text: string, names: readonly string[]): Problem {
  return new Problem('not-found', `the store does not follow ${text} of ${source}`, {
    hints: [...didYouMean(text, names), followedText(source, names)],
  });
}

const mostNamed = 5;

function followedText(source: SourceName, names: readonly string[]): string {
  if (names.length === 0) return `it follows nothing of ${source}`;
  return `it follows ${listed(someOf(names, mostNamed), 'and')}; asof pull --list shows all`;
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
      key: source.credentials === undefined ? 'not needed' : keyState(problem?.kind),
      requestsInMinute: inMinute,
      nextRequest: new Date(next).toISOString(),
      ...defined({ problem }),
    };
  } finally {
    await getter.close();
  }
}

function keyState(failure: ProblemKind | undefined): SourceProbe['key'] {
  if (failure === undefined) return 'works';
  return failure === 'unauthorized' ? 'refused' : 'unknown';
}

function problemIn(error: unknown): Problem {
  if (!(error instanceof Problem) || error.kind === 'interrupted') throw error;
  // A probe never waits, so the flag for waits is no help.
  return error.retryAfter === undefined ? error : error.with({ hints: [] });
}
