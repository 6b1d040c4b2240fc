import { setImmediate as tick } from 'node:timers/promises';
import { type Day, latestDay } from '../domain/series/date.ts';
import { Problem, type ProblemKind } from '../errors/problem.ts';
import { counted } from '../errors/wording.ts';
import { type ImportConflict, ImportRefusal } from '../import/load/conflict.ts';
import { load } from '../import/load/load.ts';
import { defined } from '../platform/defined.ts';
import type { Followed } from '../store/followed.ts';
import { readStoreIfAny, writing } from '../store/open.ts';
import type { StoreWriter } from '../store/writer.ts';
import type { Getter, PaceRule } from './getter.ts';
import type { PulledSubject, PullOptions, PullRequest, PullStop, PullSummary } from './options.ts';
import { MissingItems, type Outstanding } from './outstanding.ts';
import { PullSession } from './session.ts';
import type { PullCounts, PullSource, PullTask, PullWindow } from './source.ts';
import { pullSources } from './sources.ts';

/**
 * Brings a store up to date from live sources. Work goes in windows, oldest first; each becomes facts in one
 * transaction, together with the bookmark that says how far they reach. Failures are in the summary; only what makes
 * a pull impossible as a whole is thrown.
 */
export async function pull(options: PullOptions): Promise<PullSummary> {
  const { request, dryRun = false, store } = options;
  const session = new PullSession(options);
  const counts = { requests: 0, rows: 0, plannedSeconds: 0 };
  const results: PullResults = { subjects: [], stops: [], created: false, outOfTime: false, ...counts };
  const followed = await followedIn(store);
  const runs = pullSources
    .filter(({ name }) =>
      request === undefined ? followed.some(({ source }) => source === name) : request[name] !== undefined,
    )
    .map((source) => {
      const records = followed.filter((record) => record.source === source.name);
      return new SourcePull(source, records, session, results);
    });
  const subjects = await Promise.all(runs.map((run) => run.subjects()));
  if (subjects.flat().length === 0) throw nothingFollowed(request);
  for (const run of runs) await (dryRun ? run.plan() : run.run());
  const { created, stops, outOfTime, requests, plannedSeconds } = results;
  const seconds = dryRun ? plannedSeconds : (session.timing.now() - session.started) / 1000;
  const stored = created || (await exists(store));
  const done = { subjects: results.subjects, stops, outOfTime, requests, seconds };
  return { store, created, stored, dryRun, ...done };
}

function nothingFollowed(request: PullRequest | undefined): Problem {
  const what = Object.keys(request ?? {}).join(' and ');
  return new Problem('bad-input', `the store follows nothing${what === '' ? '' : ` of ${what}`} yet`, {
    hints: ['name what to follow, such as asof pull fred GDP'],
  });
}

/** Stops following names of a source; a Problem if one of them is not followed, and then nothing changes. */
export async function unfollow(store: string, source: string, names: readonly string[]): Promise<void> {
  const own = (await followedIn(store)).filter((record) => record.source === source);
  const found = names.map((typed) => {
    const record = own.find(({ name }) => name.toLowerCase() === typed.toLowerCase());
    if (record !== undefined) return record.name;
    throw new Problem('not-found', `the store does not follow ${typed} of ${source}`, {
      hints: ['asof pull --list shows what it follows'],
    });
  });
  await writeStore(store, async (writer) => {
    for (const name of found) await writer.unfollow(source, name);
  });
}

async function followedIn(store: string): Promise<readonly Followed[]> {
  return (await readStoreIfAny(store, (view) => view.sources.followed())) ?? [];
}

async function exists(store: string): Promise<boolean> {
  return (await readStoreIfAny(store, async () => true)) === true;
}

/**
 * Writes to the store at an address in one transaction, and creates a missing store; a failure leaves it as it was.
 * If another process creates the store meanwhile, `work` runs again.
 */
async function writeStore<T>(address: string, work: (writer: StoreWriter) => Promise<T>): Promise<T> {
  let creates = false;
  try {
    return await writing(address, async (writer) => {
      creates = writer.created;
      const result = await work(writer);
      await writer.commit();
      return result;
    });
  } catch (error) {
    if (creates && (await exists(address))) return writeStore(address, work);
    throw error;
  }
}

type PullResults = {
  readonly subjects: PulledSubject[];
  readonly stops: PullStop[];
  created: boolean;
  outOfTime: boolean;
  requests: number;
  rows: number;
  plannedSeconds: number;
};

/** The kinds of failure that every further request to the source would have too. */
const ending: ReadonlySet<ProblemKind> = new Set([
  'rate-limit-exceeded',
  'unreachable',
  'unauthorized',
  'interrupted',
  'local-io',
]);

/** After this number of failures of the source in a row, the rest is left for another time. */
const mostFailures = 3;

type Progressing = {
  record: Followed;
  /** What the store had of it before the first document. */
  before: PullCounts | undefined;
  remaining: number;
  readonly notes: string[];
  /** Contradictions to the store, which were left out. */
  readonly conflicts: ImportConflict[];
  givenUp: readonly Outstanding[];
};

/** How a subject ended; what is not said is empty. */
type SubjectEnd = Pick<PulledSubject, 'outcome' | 'requests'> & Partial<PulledSubject>;

class SourcePull {
  readonly #source: PullSource;
  readonly #followed: ReadonlyMap<string, Followed>;
  readonly #session: PullSession;
  readonly #results: PullResults;
  /** What is followed from now on but not in the store yet, and what is left of subjects that did not end well. */
  readonly #unrecorded = new Map<string, Followed>();
  readonly #forgotten = new Set<string>();
  #failures = 0;

  constructor(source: PullSource, followed: readonly Followed[], session: PullSession, results: PullResults) {
    this.#source = source;
    this.#followed = new Map(followed.map((record) => [record.name, record]));
    this.#session = session;
    this.#results = results;
  }

  /** The subjects to pull; without `get`, texts that mean several subjects stay as they are. */
  async subjects(get?: Getter['get']): Promise<readonly Followed[]> {
    const { name: source } = this.#source;
    const typed = this.#session.options.request?.[source] ?? [];
    if (typed.length === 0 && this.#followed.size > 0) return [...this.#followed.values()];
    const since = this.#session.now.toISOString();
    const fresh = { source, since, bookmark: '', upTo: undefined, lastRun: undefined, left: '' };
    const names = await this.#source.resolve(typed, get);
    return [...new Set(names)].map((name) => this.#followed.get(name) ?? { ...fresh, name });
  }

  /** Counts the requests that a pull would send, and sends none. */
  async plan(): Promise<void> {
    const { full, since } = this.#session.options;
    let all = 0;
    for (const subject of await this.subjects()) {
      const record = full === true ? { ...subject, bookmark: '' } : subject;
      const { requests, what } = this.#source.estimate(record, { since, now: this.#session.now });
      all += requests;
      this.#end(subject, { outcome: 'planned', requests, notes: [what] });
    }
    this.#results.requests += all;
    this.#results.plannedSeconds += shortestTime(all, this.#source.pace);
  }

  async run(): Promise<void> {
    let getter: Getter | undefined;
    try {
      getter = this.#session.open(this.#source);
      await this.#pullAll(getter);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#results.stops.push({ source: this.#source.name, problem: error });
    } finally {
      this.#results.requests += getter?.requests ?? 0;
      await getter?.close();
      await this.#recordRest();
    }
  }

  async #pullAll(getter: Getter): Promise<void> {
    const subjects = await this.subjects(getter.get.bind(getter));
    for (const subject of subjects)
      if (!this.#followed.has(subject.name)) this.#unrecorded.set(subject.name, subject);
    let done = 0;
    try {
      for (const subject of subjects) {
        if (this.#isOutOfTime()) break;
        this.#session.options.onProgress?.({
          source: this.#source.name,
          name: subject.name,
          done,
          total: subjects.length,
          requests: getter.requests,
          rows: this.#results.rows,
        });
        done += 1;
        await this.#pullSubject(subject, getter);
      }
    } finally {
      for (const subject of subjects.slice(done)) this.#leave(subject, 'not asked in the last run');
    }
  }

  /** Pulls one subject. Throws a failure that other subjects would have too. */
  async #pullSubject(subject: Followed, getter: Getter): Promise<void> {
    const asked = getter.requests;
    const lists = { notes: [], conflicts: [], givenUp: [] };
    const state: Progressing = { record: subject, before: undefined, remaining: 0, ...lists };
    const done = async () => ({ requests: getter.requests - asked, counts: await this.#news(state) });
    const left = () => leftText(state.remaining, state.record.upTo);
    try {
      for await (const window of this.#source.windows(this.#task(state, getter))) {
        await this.#store(window, state);
        if (window.remaining === 0 || !this.#isOutOfTime()) continue;
        const problem = this.#problemOfMissing(state);
        return this.#leave(state.record, left(), { ...(await done()), ...defined({ problem }) });
      }
      if (state.conflicts.length > 0) throw new ImportRefusal(state.conflicts);
      this.#failures = 0;
      const problem = this.#problemOfMissing(state);
      const news = state.before === undefined ? 'nothing-new' : 'pulled';
      const outcome = problem === undefined ? news : 'left';
      const { notes, record } = state;
      this.#end(record, { outcome, ...(await done()), notes, left: record.left, ...defined({ problem }) });
    } catch (error) {
      const problem = this.#problemOf(error, subject.name);
      if (ending.has(problem.kind)) {
        this.#leave(state.record, left(), await done());
        throw problem;
      }
      this.#fail(state, problem, await done());
      if (this.#failures >= mostFailures) throw problem;
    }
  }

  #task({ record: subject, notes }: Progressing, getter: Getter): PullTask {
    const { full = false, since, store } = this.#session.options;
    return {
      ...{ subject, full, since, now: this.#session.now },
      get: getter.get.bind(getter),
      read: (work) => readStoreIfAny(store, work),
      note: (text) => void notes.push(text),
    };
  }

  /** Puts a window into the store: its documents and the bookmark in one transaction. */
  async #store(window: PullWindow, state: Progressing): Promise<void> {
    const { now, options } = this.#session;
    const { name } = state.record;
    const { files, coverage = new Map(), bookmark, upTo, remaining } = window;
    if (files.length > 0) state.before ??= await this.#count(name);
    const givenUp = [...state.givenUp, ...(window.givenUp ?? [])];
    const { text: left } = this.#missing(bookmark, givenUp);
    const record = { ...state.record, bookmark, upTo, lastRun: now.toISOString(), left };
    let conflicts: readonly ImportConflict[] = [];
    const onConflicts = (found: readonly ImportConflict[]) => {
      conflicts = found;
    };
    const { created, summaries } = await writeStore(options.store, async (writer) => {
      conflicts = [];
      const summaries = await load(files, writer, {
        ...window.load,
        rename: new Map(),
        merge: false,
        replace: false,
        redescribe: true,
        loggedAs: `${this.#source.name} ${name}: ${files.length} documents`,
        complete: false,
        latest: latestDay(now),
        importedAt: now.toISOString(),
        ...(window.keepsHeld && { onConflicts }),
      });
      if (files.length === 0 && coverage.size > 0) {
        await writer.cover(coverage);
        await writer.finish([...coverage.keys()]);
      }
      for (const other of this.#unrecorded.values()) await writer.follow(other);
      await writer.follow(record);
      // A signal that came while SQLite was working is delivered only in the next tick.
      await tick();
      return { created: writer.created, summaries };
    });
    for (const { notes, statementsNew, statementsKnown } of summaries) {
      state.notes.push(...notes);
      this.#results.rows += statementsNew + statementsKnown;
    }
    if (created) this.#results.created = true;
    this.#unrecorded.clear();
    state.conflicts.push(...conflicts);
    state.record = record;
    state.remaining = remaining;
    state.givenUp = givenUp;
  }

  async #count(subject: string): Promise<PullCounts> {
    const { store } = this.#session.options;
    return (await readStoreIfAny(store, (view) => this.#source.count(subject, view))) ?? {};
  }

  async #news({ before, record }: Progressing): Promise<PullCounts> {
    if (before === undefined) return {};
    const after = Object.entries(await this.#count(record.name));
    return Object.fromEntries(
      after.map(([name, count]) => [name, Math.max(0, count - (before[name] ?? 0))] as const),
    );
  }

  /** The failure of a subject; an error that no failure explains is a bug and is thrown. */
  #problemOf(error: unknown, name: string): Problem {
    if (!(error instanceof Problem)) throw error;
    if (error instanceof ImportRefusal) return new Contradiction(error, this.#source.title, name);
    if (error.kind !== 'bad-input') return error;
    const detail = `the answer of ${this.#source.title} for ${name} cannot be read, and nothing of it was stored: ${error.detail}`;
    return new Problem('bad-answer', detail, { hints: ['asof may be older than a change at the source'] });
  }

  #missing(bookmark: string, givenUp: readonly Outstanding[]): MissingItems {
    return new MissingItems(this.#source.outstanding?.(bookmark) ?? [], givenUp);
  }

  #problemOfMissing({ record, givenUp }: Progressing): Problem | undefined {
    return this.#missing(record.bookmark, givenUp).problem(this.#source.title, record.name);
  }

  #fail(state: Progressing, problem: Problem, done: Pick<PulledSubject, 'requests' | 'counts'>): void {
    const { record, notes, givenUp } = state;
    const isConflict = problem instanceof Contradiction;
    const isUnknown = problem.kind === 'not-found';
    const left = joined(problem.headline, this.#missing(record.bookmark, givenUp).text);
    if (isUnknown && record.bookmark === '') {
      this.#unrecorded.delete(record.name);
      this.#forgotten.add(record.name);
    } else this.#unrecorded.set(record.name, { ...record, left });
    this.#failures = isConflict || isUnknown ? 0 : this.#failures + 1;
    const outcome = isConflict ? 'conflict' : 'failed';
    const missing = this.#problemOfMissing(state);
    const whole = missing && problem.with({ detail: `${problem.detail}\n${missing.detail}`, list: [] });
    this.#end(record, { outcome, ...done, notes, problem: whole ?? problem, left });
  }

  /** Records what is left of a subject, and with it what its source has not given. */
  #leave(record: Followed, what: string, done: Partial<PulledSubject> = {}): void {
    const left = joined(what, this.#missing(record.bookmark, []).text);
    this.#unrecorded.set(record.name, { ...record, left });
    this.#end(record, { outcome: 'left', requests: 0, left, ...done });
  }

  #end({ name, upTo }: Followed, ending: SubjectEnd): void {
    const subject = { source: this.#source.name, name, upTo, counts: {}, left: '', notes: [], ...ending };
    this.#results.subjects.push(subject);
    this.#session.options.onSubject?.(subject);
  }

  #isOutOfTime(): boolean {
    const { isOutOfTime } = this.#session;
    if (isOutOfTime) this.#results.outOfTime = true;
    return isOutOfTime;
  }

  /** Records what is followed and what is left, if there is a store. */
  async #recordRest(): Promise<void> {
    const { store } = this.#session.options;
    if (this.#unrecorded.size + this.#forgotten.size === 0 || !(await exists(store))) return;
    await writeStore(store, async (writer) => {
      for (const name of this.#forgotten) await writer.unfollow(this.#source.name, name);
      for (const record of this.#unrecorded.values()) await writer.follow(record);
    });
  }
}

function shortestTime(requests: number, pace: readonly PaceRule[]): number {
  const seconds = pace.map((rule) => ((requests - rule.requests) * rule.milliseconds) / rule.requests / 1000);
  return Math.max(...seconds, 0);
}

function leftText(windows: number, upTo: Day | undefined): string {
  if (windows > 0) return counted(windows, 'more window');
  return upTo === undefined ? 'everything' : `everything after ${upTo}`;
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('; ');
}

const mostConflicts = 100;

/** A source that says something else than the store has: every conflict is listed, and the store keeps what it has. */
class Contradiction extends Problem {
  constructor(refusal: ImportRefusal, title: string, name: string) {
    const shown = refusal.list.slice(0, mostConflicts);
    const left = refusal.list.length - shown.length;
    const more = left > 0 ? [`… and ${left} more`] : [];
    const count = counted(refusal.list.length, 'conflict');
    const detail = `${title} contradicts what the store has of ${name}: ${count}; the store keeps what it has`;
    super('bad-answer', detail, {
      list: [...shown, ...more],
      hints: ['asof import --replace takes the new figures from a file, if they are right'],
    });
  }
}
