import { setImmediate as tick } from 'node:timers/promises';
import { latestDay } from '../domain/series/date.ts';
import { Problem, type ProblemKind } from '../errors/problem.ts';
import { type ImportConflict, ImportRefusal } from '../import/load/conflict.ts';
import { load } from '../import/load/load.ts';
import type { Followed } from '../store/followed.ts';
import { readStoreIfAny } from '../store/open.ts';
import type { WholeView } from '../store/store.ts';
import type { Getter } from './getter.ts';
import { openGetter, type PullContext, writeStore } from './options.ts';
import { type Missing, missingProblem, missingText, type Outstanding } from './outstanding.ts';
import { shortestTime } from './pace.ts';
import type { PullCounts, PullSource, PullWindow } from './source.ts';
import { Contradiction, leftText, newCounts, type PulledSubject } from './summary.ts';

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

/** A subject while it is pulled. */
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

type SubjectEnd = Pick<PulledSubject, 'outcome' | 'requests'> & Partial<PulledSubject>;

/** Pulls the subjects of one source, one after the other. */
export class SourcePull {
  readonly #source: PullSource;
  readonly #followed: ReadonlyMap<string, Followed>;
  readonly #typed: readonly string[];
  readonly #context: PullContext;
  /** What is followed from now on but not in the store yet, and what is left of subjects that did not end well. */
  readonly #unrecorded = new Map<string, Followed>();
  readonly #forgotten = new Set<string>();
  #failures = 0;

  constructor(
    source: PullSource,
    followed: readonly Followed[],
    typed: readonly string[],
    context: PullContext,
  ) {
    this.#source = source;
    this.#followed = new Map(followed.map((record) => [record.name, record]));
    this.#typed = typed;
    this.#context = context;
  }

  /** The subjects to pull; without `get`, texts that mean several subjects stay as they are. */
  async subjects(get?: Getter['get']): Promise<readonly Followed[]> {
    if (this.#typed.length === 0 && this.#followed.size > 0) return [...this.#followed.values()];
    const since = this.#context.clock().toISOString();
    const begun = { bookmark: '', upTo: undefined, lastRun: undefined, left: '' };
    const fresh = { source: this.#source.name, since, ...begun };
    const names = await this.#source.resolve(this.#typed, get);
    return [...new Set(names)].map((name) => this.#followed.get(name) ?? { ...fresh, name });
  }

  /** Counts the requests that a pull would send, and sends none. */
  async plan(): Promise<void> {
    const { results, options, clock } = this.#context;
    let all = 0;
    for (const subject of await this.subjects()) {
      const record = options.full === true ? { ...subject, bookmark: '' } : subject;
      const { requests, what } = this.#source.estimate(record, { since: options.since, now: clock() });
      all += requests;
      this.#end(subject, { outcome: 'planned', requests, notes: [what] });
    }
    results.requests += all;
    results.plannedSeconds += shortestTime(all, this.#source.pace);
  }

  async run(): Promise<void> {
    const { results } = this.#context;
    const source = this.#source;
    let getter: Getter | undefined;
    try {
      getter = openGetter(source, this.#context);
      await this.#pullAll(getter);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      results.stops.push({ source: source.name, problem: error });
    } finally {
      results.requests += getter?.requests ?? 0;
      await getter?.close();
      await this.#recordRest();
    }
  }

  async #pullAll(getter: Getter): Promise<void> {
    const subjects = await this.subjects(getter.get.bind(getter));
    for (const subject of subjects)
      if (!this.#followed.has(subject.name)) this.#unrecorded.set(subject.name, subject);
    const waiting = [...subjects];
    const { results, options } = this.#context;
    try {
      for (let subject = waiting[0]; subject !== undefined; subject = waiting[0]) {
        if (this.#isOutOfTime()) break;
        options.onProgress?.({
          source: this.#source.name,
          name: subject.name,
          done: subjects.length - waiting.length,
          total: subjects.length,
          requests: getter.requests,
          rows: results.rows,
        });
        waiting.shift();
        await this.#pullSubject(subject, getter);
      }
    } finally {
      for (const subject of waiting) this.#leave(subject, 'not asked in the last run', { requests: 0 });
    }
  }

  /** Pulls one subject. Throws a failure that other subjects would have too. */
  async #pullSubject(subject: Followed, getter: Getter): Promise<void> {
    const { options, clock } = this.#context;
    const asked = getter.requests;
    const lists = { notes: [], conflicts: [], givenUp: [] };
    const state: Progressing = { record: subject, before: undefined, remaining: 0, ...lists };
    const task = {
      subject,
      full: options.full === true,
      since: options.since,
      now: clock(),
      get: getter.get.bind(getter),
      read: <T>(work: (view: WholeView) => Promise<T>) => readStoreIfAny(options.store, work),
      note: (text: string) => void state.notes.push(text),
    };
    const requests = () => getter.requests - asked;
    try {
      for await (const window of this.#source.windows(task)) {
        await this.#store(window, state);
        if (window.remaining > 0 && this.#isOutOfTime()) {
          const problem = this.#problemOfMissing(state);
          const counted = {
            requests: requests(),
            ...(await this.#counted(state)),
            ...(problem && { problem }),
          };
          this.#leave(state.record, leftText(state.remaining, state.record.upTo), counted);
          return;
        }
      }
      if (state.conflicts.length > 0) throw new ImportRefusal(state.conflicts);
      this.#failures = 0;
      const { counts } = await this.#counted(state);
      const problem = this.#problemOfMissing(state);
      const news = state.before === undefined ? 'nothing-new' : 'pulled';
      const outcome = problem === undefined ? news : 'left';
      const { left } = state.record;
      const end = { outcome, requests: requests(), counts, notes: state.notes, left } as const;
      this.#end(state.record, { ...end, ...(problem && { problem }) });
    } catch (error) {
      const problem = this.#problemOf(error, subject.name);
      const counted = { requests: requests(), ...(await this.#counted(state)) };
      if (ending.has(problem.kind)) {
        this.#leave(state.record, leftText(state.remaining, state.record.upTo), counted);
        throw problem;
      }
      this.#fail(state, problem, counted);
      if (this.#failures >= mostFailures) throw problem;
    }
  }

  /** Puts a window into the store: its documents and the bookmark in one transaction. */
  async #store(window: PullWindow, state: Progressing): Promise<void> {
    const { options, clock, results } = this.#context;
    const { name } = state.record;
    const { files, coverage = new Map(), bookmark, upTo, remaining } = window;
    const now = clock();
    if (files.length > 0)
      state.before ??= (await readStoreIfAny(options.store, (view) => this.#source.count(name, view))) ?? {};
    const givenUp = [...state.givenUp, ...(window.givenUp ?? [])];
    const left = missingText(this.#missingOf(bookmark, givenUp));
    const record = { ...state.record, bookmark, upTo, lastRun: now.toISOString(), left };
    let conflicts: readonly ImportConflict[] = [];
    const { created, summaries } = await writeStore(options.store, async (writer) => {
      conflicts = [];
      const take = (found: readonly ImportConflict[]) => {
        conflicts = found;
      };
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
        ...(window.keepsHeld && { onConflicts: take }),
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
      results.rows += statementsNew + statementsKnown;
    }
    if (created) results.created = true;
    this.#unrecorded.clear();
    state.conflicts.push(...conflicts);
    state.givenUp = givenUp;
    state.record = record;
    state.remaining = remaining;
  }

  /** What is new in the store since the first document of a subject. */
  async #counted({ before, record }: Progressing): Promise<{ readonly counts: PullCounts }> {
    if (before === undefined) return { counts: {} };
    const after = await readStoreIfAny(this.#context.options.store, (view) =>
      this.#source.count(record.name, view),
    );
    return { counts: newCounts(before, after ?? {}) };
  }

  /** The failure of a subject; an error that no failure explains is a bug and is thrown. */
  #problemOf(error: unknown, name: string): Problem {
    if (!(error instanceof Problem)) throw error;
    if (error instanceof ImportRefusal) return new Contradiction(error, this.#source.title, name);
    if (error.kind !== 'bad-input') return error;
    const detail = `the answer of ${this.#source.title} for ${name} cannot be read, and nothing of it was stored: ${error.detail}`;
    return new Problem('bad-answer', detail, { hints: ['asof may be older than a change at the source'] });
  }

  #missingOf(bookmark: string, givenUp: readonly Outstanding[]): Missing {
    return { left: this.#source.outstanding?.(bookmark) ?? [], givenUp };
  }

  #problemOfMissing({ record, givenUp }: Progressing): Problem | undefined {
    const missing = this.#missingOf(record.bookmark, givenUp);
    return missingProblem(missing, this.#source.title, record.name);
  }

  #fail(
    state: Progressing,
    problem: Problem,
    { requests, counts }: Pick<PulledSubject, 'requests' | 'counts'>,
  ): void {
    const { record, notes, givenUp } = state;
    const isConflict = problem instanceof Contradiction;
    const left = joined(problem.headline, missingText(this.#missingOf(record.bookmark, givenUp)));
    if (problem.kind === 'not-found' && record.bookmark === '') {
      this.#unrecorded.delete(record.name);
      this.#forgotten.add(record.name);
    } else this.#unrecorded.set(record.name, { ...record, left });
    this.#failures = isConflict || problem.kind === 'not-found' ? 0 : this.#failures + 1;
    const outcome = isConflict ? 'conflict' : 'failed';
    const missing = this.#problemOfMissing(state);
    const whole = missing && problem.with({ detail: `${problem.detail}\n${missing.detail}`, list: [] });
    this.#end(record, { outcome, requests, counts, notes, problem: whole ?? problem, left });
  }

  /** Records what is left of a subject, and with it what its source has not given. */
  #leave(record: Followed, what: string, counted: Partial<SubjectEnd>): void {
    const left = joined(what, missingText(this.#missingOf(record.bookmark, [])));
    this.#unrecorded.set(record.name, { ...record, left });
    this.#end(record, { outcome: 'left', requests: 0, left, ...counted });
  }

  #end(record: Followed, ending: SubjectEnd): void {
    const { results, options } = this.#context;
    const { name, upTo } = record;
    const subject = { source: this.#source.name, name, upTo, counts: {}, left: '', notes: [], ...ending };
    results.subjects.push(subject);
    options.onSubject?.(subject);
  }

  #isOutOfTime(): boolean {
    const { results, options, timing } = this.#context;
    const { maxDuration } = options;
    if (maxDuration === undefined || timing.now() - results.started < maxDuration * 1000) return false;
    results.outOfTime = true;
    return true;
  }

  /** Records what is followed and what is left, if there is a store. */
  async #recordRest(): Promise<void> {
    const { store } = this.#context.options;
    if (this.#unrecorded.size + this.#forgotten.size === 0) return;
    if ((await readStoreIfAny(store, async () => true)) === undefined) return;
    await writeStore(store, async (writer) => {
      for (const name of this.#forgotten) await writer.unfollow(this.#source.name, name);
      for (const record of this.#unrecorded.values()) await writer.follow(record);
    });
  }
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('; ');
}
