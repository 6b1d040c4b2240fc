// Why: docs/decisions/what-a-pull-believes.md
import { setImmediate as tick } from 'node:timers/promises';
import { latestDay, utcDay } from '../domain/values/date.ts';
import { Problem, type ProblemKind } from '../errors/problem.ts';
import { counted, listed, someOf } from '../errors/wording.ts';
import { type ImportConflict, ImportRefusal } from '../import/load/conflict.ts';
import { load } from '../import/load/load.ts';
import { defined } from '../platform/defined.ts';
import { readStoreIfAny, writing } from '../store/open.ts';
import { AliasRefusal } from '../store/sql/series-rows.ts';
import type { Followed } from '../store/store.ts';
import type { StoreWriter } from '../store/writer.ts';
import { beginRun, Getter, type PullRun } from './getter.ts';
import { History } from './history.ts';
import type {
  PullCounts,
  PulledSubject,
  PullOptions,
  PullOutcome,
  PullStop,
  PullSummary,
} from './options.ts';
import { rtdsm } from './philadelphia/rtdsm.ts';
import {
  bookmarkIn,
  changedSource,
  type Get,
  type Outstanding,
  type PullTask,
  type PullWindow,
  wrongClock,
} from './source.ts';
import { followedIn, namesIn, pullSources } from './sources.ts';

/**
 * Updates a store from live sources; each window becomes facts in one transaction with its bookmark.
 * Failures are in the summary; throws only if a pull is impossible.
 */
export async function pull(options: PullOptions): Promise<PullSummary> {
  const { request, store, due = false } = options;
  const run = beginRun(options);
  const { dryRun, started, timing } = run;
  if (due && Object.values(request ?? {}).some(({ length }) => length > 0))
    throw new Problem('bad-input', '--due pulls what the store follows: leave out the names');
  const results = noResults();
  const followed = await followedIn(store, due ? run.clock() : undefined);
  const isPulled = ({ name }: LiveSource) => {
    const isFollowed = followed.some(({ source }) => source === name);
    if (request === undefined) return isFollowed;
    return request[name] !== undefined && (isFollowed || !due);
  };
  const pulls = pullSources.filter(isPulled).map((source) => {
    const records = followed.filter((record) => record.source === source.name);
    return new SourcePull(source, records, run, results);
  });
  for (const one of pulls) one.refuseFlags();
  const subjects = await Promise.all(pulls.map((one) => one.subjects()));
  // Where nothing is due, the store may follow something.
  const isIdle = due && (await followedIn(store)).length > 0;
  if (subjects.flat().length === 0 && !isIdle) {
    const named = pullSources.filter(({ name }) => request?.[name] !== undefined);
    const what = named.length === 0 ? '' : ` of ${named.map(({ name }) => name).join(' and ')}`;
    // Without a named source, one that needs no key.
    const [{ name, example = '' } = rtdsm] = named;
    throw new Problem('bad-input', `the store follows nothing${what} yet`, {
      hints: [`name what to follow, such as asof pull ${name} ${example}`],
    });
  }
  for (const one of pulls) await (dryRun ? one.plan() : one.run());
  const { rows: _, plannedSeconds, ...done } = results;
  const seconds = dryRun ? plannedSeconds : (timing.now() - started) / 1000;
  return { store, ...done, stored: done.created || (await exists(store)), dryRun, seconds };
}

async function exists(store: string): Promise<boolean> {
  return (await readStoreIfAny(store, async () => true)) === true;
}

/** Writes to a store in one transaction; repeats `work` if another process creates the store meanwhile. */
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

type LiveSource = (typeof pullSources)[number];

function noResults() {
  const lists: { readonly subjects: PulledSubject[]; readonly stops: PullStop[] } = {
    subjects: [],
    stops: [],
  };
  return { ...lists, created: false, outOfTime: false, requests: 0, rows: 0, plannedSeconds: 0 };
}

type PullResults = ReturnType<typeof noResults>;

/** Failures that every further request to the source would have too. */
const ending: ReadonlySet<ProblemKind> = new Set([
  'rate-limit-exceeded',
  'unauthorized',
  'interrupted',
  'local-io',
]);

/** In milliseconds; shows that a long wait goes on. */
const tellEvery = 1000;

/** After this number of failures in a row, the rest of a source is left for another run. */
const mostFailures = 3;

const notReached = 'not reached in the last run';

/** Puts what the last run did not reach first, and what it left undone last: both come to their turn. */
function inTurn(subjects: readonly Followed[]): readonly Followed[] {
  const turn = ({ left }: Followed) => (left === notReached ? 0 : left === '' ? 1 : 2);
  return subjects.toSorted((a, b) => turn(a) - turn(b));
}

type SubjectState = {
  record: Followed;
  /** What its windows have added; undefined before the first document. */
  added: Record<string, number> | undefined;
  /** The figures that were stored with leave to replace others. */
  replaced: number;
  readonly notes: string[];
  readonly conflicts: ImportConflict[];
};

class SourcePull {
  readonly #source: LiveSource;
  readonly #followed: ReadonlyMap<string, Followed>;
  readonly #run: PullRun;
  readonly #results: PullResults;
  /** Subjects whose records are not stored yet; undefined for those no longer followed. */
  readonly #unrecorded = new Map<string, Followed | undefined>();
  /** The failures since the last success. */
  #failures: readonly Problem[] = [];

  constructor(source: LiveSource, followed: readonly Followed[], run: PullRun, results: PullResults) {
    this.#source = source;
    this.#followed = new Map(followed.map((record) => [record.name, record]));
    this.#run = run;
    this.#results = results;
  }

  /** Throws for a flag that the source has no use for. */
  refuseFlags(): void {
    const { replace, since } = this.#run;
    const refuse = (flag: string, takes: (source: LiveSource) => boolean) => {
      if (takes(this.#source)) return;
      const others = pullSources.filter(takes).map(({ name }) => name);
      const detail = `${flag} does not apply to ${this.#source.name}: it is for ${listed(others, 'and')}`;
      throw new Problem('bad-input', detail, { hints: [`leave out ${flag}`] });
    };
    // FRED revises its figures, and does not correct files.
    if (replace) refuse('--replace', ({ refusesWindows = false }) => !refusesWindows);
    if (since !== undefined) refuse('--since', (source) => source.since !== undefined);
  }

  /** Tells whether a subject is asked for from its beginning: on request, or as `since` is before that. */
  #isFull(record: Followed): boolean {
    const { full, since } = this.#run;
    if (full || since === undefined || this.#source.since !== 'whole') return full;
    return since < `${bookmarkIn(record).from ?? ''}`;
  }

  /** Lists the subjects to pull; without `get`, texts that mean several subjects stay as they are. */
  async subjects(get?: Get): Promise<readonly Followed[]> {
    const { name: source } = this.#source;
    const typed = this.#run.request?.[source] ?? [];
    if (typed.length === 0 && this.#followed.size > 0) return [...this.#followed.values()];
    const since = this.#run.clock().toISOString();
    const fresh = { source, since, bookmark: '', upTo: undefined, lastRun: undefined, left: '' };
    const { expand } = this.#source;
    const names: string[] = [];
    for (const name of namesIn(this.#source, typed, this.#run.settings))
      names.push(...(get === undefined || expand === undefined ? [name] : await expand(name, get)));
    return [...new Set(names)].map((name) => this.#followed.get(name) ?? { ...fresh, name });
  }

  async plan(): Promise<void> {
    const { since, clock } = this.#run;
    let all = 0;
    for (const subject of await this.subjects()) {
      const record = this.#isFull(subject) ? { ...subject, bookmark: '' } : subject;
      const now = clock();
      const { requests, what } = this.#source.estimate(record, { since, now, today: utcDay(now) });
      all += requests;
      this.#report(subject, { outcome: 'planned', requests, counts: {}, notes: [what], left: '' });
    }
    this.#results.requests += all;
    const seconds = this.#source.pace.map(
      (rule) => ((all - rule.requests) * rule.milliseconds) / rule.requests / 1000,
    );
    this.#results.plannedSeconds += Math.max(...seconds, 0);
  }

  async run(): Promise<void> {
    let getter: Getter | undefined;
    try {
      getter = new Getter(this.#source, this.#run);
      await this.#pullAll(getter);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#results.stops.push({ source: this.#source.name, problem: error });
    } finally {
      this.#results.requests += getter?.requests ?? 0;
      await getter?.close();
      if (this.#unrecorded.size > 0 && (await exists(this.#run.store)))
        await writeStore(this.#run.store, (writer) => this.#record(writer));
    }
  }

  async #pullAll(getter: Getter): Promise<void> {
    const subjects = inTurn(await this.subjects(getter.get));
    for (const subject of subjects)
      if (!this.#followed.has(subject.name)) this.#unrecorded.set(subject.name, subject);
    let done = 0;
    try {
      for (const subject of subjects) {
        if (this.#isOutOfTime()) break;
        this.#giveUpOn(subjects.length - done);
        const { name: source } = this.#source;
        const before = done;
        const tell = () =>
          this.#run.onProgress?.({
            ...{ source, name: subject.name, done: before, total: subjects.length },
            ...{ requests: getter.requests, waiting: getter.waiting, rows: this.#results.rows },
          });
        tell();
        done += 1;
        const clock = setInterval(tell, tellEvery);
        await this.#pullSubject(unasked(subject), getter).finally(() => clearInterval(clock));
      }
    } finally {
      for (const subject of subjects.slice(done)) await this.#end(unasked(subject), 'left', notReached);
    }
  }

  /** Pulls one subject; throws a failure that other subjects would have too. */
  async #pullSubject(state: SubjectState, getter: Getter): Promise<void> {
    const asked = getter.requests;
    const end = (outcome: PullOutcome, what: string, problem?: Problem) =>
      this.#end(state, outcome, what, { requests: getter.requests - asked, ...defined({ problem }) });
    try {
      if (!(await this.#pullWindows(state, getter.get)))
        return await end('left', leftText(state), this.#problemOfMissing(state.record));
      if (state.conflicts.length > 0) throw new ImportRefusal(state.conflicts);
      this.#failures = [];
      const problem = this.#problemOfMissing(state.record);
      const news = state.added === undefined ? 'nothing-new' : 'pulled';
      return await end(problem === undefined ? news : 'left', '', problem);
    } catch (error) {
      const { name, bookmark } = state.record;
      const problem = this.#problemOf(error, name);
      if (ending.has(problem.kind)) {
        await end('left', leftText(state));
        throw problem;
      }
      const isUnreachable = problem.kind === 'unreachable';
      const isConflict = error instanceof ImportRefusal;
      const isUnknown = problem.kind === 'not-found';
      const hasAnswered = isConflict || isUnknown || error instanceof AliasRefusal;
      this.#failures = hasAnswered ? [] : [...this.#failures, problem];
      if (isUnreachable) await end('left', leftText(state), problem);
      else await end(isConflict ? 'conflict' : 'failed', problem.headline, problem);
      if (isUnknown && bookmark === '') this.#unrecorded.set(name, undefined);
    }
  }

  /** Stores the windows of a subject; returns false if it ran out of time before the last one. */
  async #pullWindows(state: SubjectState, get: Get): Promise<boolean> {
    const { record } = state;
    const { replace, since, store, clock } = this.#run;
    const now = clock();
    const full = this.#isFull(record);
    const read: PullTask['read'] = (work) => readStoreIfAny(store, work);
    const task: PullTask = {
      ...{ subject: record, full, takesAll: full && replace, since },
      ...{ now, today: utcDay(now), clock, get, read },
      find: (seriesId) => read((view) => view.series.find(seriesId)),
      storedHistory: (seriesId) => read((view) => History.stored(view, seriesId)),
      note: (text) => void state.notes.push(text),
    };
    const { name, upTo = '' } = record;
    if (upTo > latestDay(now))
      throw wrongClock(latestDay(now), `the store has what was published up to ${upTo} of ${name}`);
    const windows = this.#source.windows(task);
    let isContradicted = false;
    for (;;) {
      const next = await windows.next(isContradicted);
      if (next.done === true) break;
      isContradicted = await this.#store(next.value, state);
      if (next.value.more === true && this.#isOutOfTime()) return false;
    }
    // Even if nothing is new, the store records when the source was asked.
    if (state.record === record)
      await this.#store({ bookmark: bookmarkIn(record), upTo: upTo || task.today }, state);
    return true;
  }

  /** Throws for a source that failed for several subjects in a row; `rest` of them are left. */
  #giveUpOn(rest: number): void {
    const [last] = this.#failures.slice(mostFailures - 1);
    if (last === undefined) return;
    const what = `${this.#source.title} failed for ${mostFailures} items in a row`;
    throw new Problem(last.kind, `${what}: asof left the other ${counted(rest, 'item')} for the next run`);
  }

  /** Stores a window, its documents and the bookmark in one transaction; tells whether it contradicts the store. */
  async #store(
    {
      files = [],
      replaces = false,
      conflicts: found = [],
      covers,
      bookmark,
      contradicted = bookmark,
      upTo,
    }: PullWindow,
    state: SubjectState,
  ): Promise<boolean> {
    const now = this.#run.clock();
    const { name } = state.record;
    const replace = this.#run.replace || replaces;
    const stored = await writeStore(this.#run.store, async (writer) => {
      const conflicts = [...found];
      const summaries = await load(files, writer, {
        replace,
        redescribe: true,
        keepUndo: this.#run.keepUndo,
        loggedAs: `${this.#source.name} ${name}: ${files.length} documents`,
        latest: latestDay(now),
        importedAt: now.toISOString(),
        ...(!this.#source.refusesWindows && { onConflicts: (all) => void conflicts.push(...all) }),
      });
      if (covers !== undefined) {
        (await writer.series(covers)).cover(upTo);
        await writer.finish([covers]);
      }
      // What others have stored up to the locks of this transaction is not new.
      const before = files.length > 0 ? await this.#count(name) : undefined;
      await this.#record(writer);
      const reached = { bookmark: JSON.stringify(conflicts.length > 0 ? contradicted : bookmark) };
      const left = namesOf(bookmarkIn(reached).left ?? []);
      const record = { ...state.record, ...reached, upTo, lastRun: now.toISOString(), left };
      await writer.follow(record);
      // A signal during SQLite's work is delivered only in the next tick.
      await tick();
      return { created: writer.created, summaries, conflicts, record, before };
    });
    const { created, summaries, conflicts, record, before } = stored;
    if (before !== undefined) {
      state.added ??= {};
      for (const [word, count] of Object.entries(await this.#count(name)))
        state.added[word] = (state.added[word] ?? 0) + Math.max(0, count - (before[word] ?? 0));
    }
    for (const { notes, statementsNew, statementsKnown } of summaries) {
      state.notes.push(...notes);
      this.#results.rows += statementsNew + statementsKnown;
      if (replace) state.replaced += statementsNew;
    }
    if (created) this.#results.created = true;
    this.#unrecorded.clear();
    state.conflicts.push(...conflicts);
    state.record = record;
    return conflicts.length > 0;
  }

  async #record(writer: StoreWriter): Promise<void> {
    for (const [name, record] of this.#unrecorded)
      await (record === undefined ? writer.unfollow(this.#source.name, name) : writer.follow(record));
  }

  async #count(subject: string): Promise<PullCounts> {
    return (await readStoreIfAny(this.#run.store, (view) => this.#source.count(subject, view))) ?? {};
  }

  /** Converts an error to the failure of a subject; throws an error that is no Problem, which is a bug. */
  #problemOf(error: unknown, name: string): Problem {
    const { title } = this.#source;
    if (!(error instanceof Problem)) throw error;
    if (error instanceof ImportRefusal) {
      const count = counted(error.list.length, 'conflict');
      const detail = `${title} contradicts the stored data on ${name}: ${count}; asof keeps the stored data`;
      return new Problem('bad-answer', detail, {
        list: error.list,
        hints: this.#waysOut(error, name),
      });
    }
    // The answer is good: an alias of the user has the id of a series in it.
    if (error.kind !== 'bad-input' || error instanceof AliasRefusal) return error;
    const detail = `asof cannot read the answer of ${title} for ${name}, and stored nothing from it: ${error.detail}`;
    return changedSource(detail);
  }

  #waysOut({ conflicts }: ImportRefusal, name: string): readonly string[] {
    const { name: source, refusesWindows } = this.#source;
    if (conflicts.some(({ kind }) => kind === 'source')) return ['--store FILE pulls into another store'];
    if (refusesWindows) return ['asof import --replace takes the new figures from a file, if they are right'];
    const taking = `asof pull ${source} ${name} --full --replace takes the new figures, and asof store undo takes them back`;
    if (conflicts.every(({ kind }) => kind !== 'absent')) return [taking];
    return ['if the file was cut, asof pull takes it when it is whole again', `if not, ${taking}`];
  }

  #problemOfMissing(record: Followed): Problem | undefined {
    const { name } = record;
    const { left: missing = [] } = bookmarkIn(record);
    if (missing.length === 0) return undefined;
    const detail = `${this.#source.title} does not give all of ${name}; the rest is stored`;
    const list = missing.map(({ name, since, why }) => `${name}: ${why}; asked for since ${since}`);
    return new Problem('bad-answer', detail, { list, hints: ['asof pull asks for it again'] });
  }

  /** Ends a subject; `what` is left to do besides its missing items. */
  async #end(
    { record, added, replaced, notes }: SubjectState,
    outcome: PullOutcome,
    what: string,
    ending: Partial<Pick<PulledSubject, 'requests' | 'problem'>> = {},
  ): Promise<void> {
    const left = [what, namesOf(bookmarkIn(record).left ?? [])].filter((text) => text !== '').join('; ');
    if (left !== record.left) this.#unrecorded.set(record.name, { ...record, left });
    const counts = { ...added, ...(replaced > 0 && { new_or_replaced: replaced }) };
    this.#report(record, { outcome, requests: 0, counts, notes, left, ...ending });
  }

  #report({ name, upTo }: Followed, ending: Omit<PulledSubject, 'source' | 'name' | 'upTo'>): void {
    const subject = { source: this.#source.name, name, upTo, ...ending };
    this.#results.subjects.push(subject);
    this.#run.onSubject?.(subject);
  }

  #isOutOfTime(): boolean {
    const isOut = this.#run.timing.now() >= this.#run.deadline;
    if (isOut) this.#results.outOfTime = true;
    return isOut;
  }
}

function unasked(record: Followed): SubjectState {
  return { record, added: undefined, replaced: 0, notes: [], conflicts: [] };
}

function leftText({ record: { upTo } }: SubjectState): string {
  return upTo === undefined ? 'everything' : `everything after ${upTo}`;
}

const mostNamed = 5;

function namesOf(items: readonly Outstanding[]): string {
  const texts = items.map(({ name, why }) => `${name} (${why})`);
  return someOf(texts, mostNamed).join(', ');
}
