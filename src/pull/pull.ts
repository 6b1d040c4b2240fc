import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { readStoreIfAny } from '../store/open.ts';
import type { FredListing } from './fred/api.ts';
import { fred, searchFred } from './fred/fred.ts';
import {
  newResults,
  openGetter,
  type PullContext,
  type PullOptions,
  type PullRequest,
  writeStore,
} from './options.ts';
import type { Timing } from './pace.ts';
import { sec } from './sec/sec.ts';
import type { PullSource } from './source.ts';
import { SourcePull } from './source-pull.ts';
import type { PullSummary } from './summary.ts';
import { treasury } from './treasury/treasury.ts';

/**
 * Brings a store up to date from live sources. Work goes in windows, oldest first; each becomes facts in one
 * transaction, together with the bookmark that says how far they reach. Failures are in the summary; only what makes
 * a pull impossible as a whole is thrown.
 */
export async function pull(options: PullOptions): Promise<PullSummary> {
  return new Pull(options).run();
}

/** Every live source, in the order in which a pull asks them. */
export const pullSources: readonly PullSource[] = [fred, treasury, sec];

class Pull {
  readonly #options: PullOptions;
  readonly #context: PullContext;

  constructor(options: PullOptions) {
    this.#options = options;
    this.#context = contextOf(options);
  }

  async run(): Promise<PullSummary> {
    const { request, dryRun = false, store } = this.#options;
    const { results, timing } = this.#context;
    const followed = (await readStoreIfAny(store, (view) => view.sources.followed())) ?? [];
    const wanted = pullSources.filter(({ name }) =>
      request === undefined ? followed.some(({ source }) => source === name) : request[name] !== undefined,
    );
    const runs: SourcePull[] = [];
    for (const source of wanted) {
      const own = followed.filter((record) => record.source === source.name);
      runs.push(new SourcePull(source, own, request?.[source.name] ?? [], this.#context));
    }
    const subjects = await Promise.all(runs.map((run) => run.subjects()));
    if (subjects.flat().length === 0) throw nothingFollowed(request);
    for (const run of runs) await (dryRun ? run.plan() : run.run());
    const { stops, created, outOfTime, requests, plannedSeconds, started } = results;
    const seconds = dryRun ? plannedSeconds : (timing.now() - started) / 1000;
    const stored = created || (await readStoreIfAny(store, async () => true)) === true;
    return {
      store,
      created,
      stored,
      dryRun,
      subjects: results.subjects,
      stops,
      outOfTime,
      requests,
      seconds,
    };
  }
}

/**
 * The series that FRED has for a text, best first; nothing is stored. Throws a Problem if FRED cannot be asked.
 */
export async function searchSource(text: string, options: PullOptions): Promise<readonly FredListing[]> {
  const getter = openGetter(fred, contextOf(options));
  try {
    return await searchFred(text, (path) => getter.get(path));
  } finally {
    await getter.close();
  }
}

/** Stops following names of a source; a Problem if one of them is not followed, and then nothing changes. */
export async function unfollow(store: string, source: string, names: readonly string[]): Promise<void> {
  const followed = (await readStoreIfAny(store, (view) => view.sources.followed())) ?? [];
  const own = followed.filter((record) => record.source === source).map(({ name }) => name);
  const found = names.map((typed) => {
    const name = own.find((one) => one.toLowerCase() === typed.toLowerCase());
    if (name !== undefined) return name;
    throw new Problem('not-found', `the store does not follow ${typed} of ${source}`, {
      hints: ['asof pull --list shows what it follows'],
    });
  });
  await writeStore(store, async (writer) => {
    for (const name of found) await writer.unfollow(source, name);
  });
}

/** What the sources of a pull share, with the time of this machine unless the options have another. */
export function contextOf(options: PullOptions): PullContext {
  const { signal = new AbortController().signal, clock = () => new Date() } = options;
  const timing = options.timing ?? systemTiming(signal);
  return { options, signal, clock, timing, ...newResults(timing.now()) };
}

/** The time of this machine. */
function systemTiming(signal: AbortSignal): Timing {
  return {
    now: () => Date.now(),
    sleep: (milliseconds) =>
      sleep(milliseconds, undefined, { signal }).catch(() => {
        throw new Problem('interrupted', 'interrupted');
      }),
  };
}

function nothingFollowed(request: PullRequest | undefined): Problem {
  const what = Object.keys(request ?? {}).join(' and ');
  return new Problem('bad-input', `the store follows nothing${what === '' ? '' : ` of ${what}`} yet`, {
    hints: ['name what to follow, such as asof pull fred GDP'],
  });
}
