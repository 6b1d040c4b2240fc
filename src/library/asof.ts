import { readFile } from 'node:fs/promises';
import { missingText, seriesWithStatements, withSuggestion } from '../answering/series-ids.ts';
import { dataChanged, type Origin } from '../client/client.ts';
import { addDays, type Day, latestDay, utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import type { ImportOptions, ImportResult } from '../import/import.ts';
import { planLineParser } from '../lines/parse.ts';
import { asOfDay, integer, seriesIds, texts, word } from '../operations/value.ts';
import type { PullOptions, PullRequest, PullSummary } from '../pull/options.ts';
import type { SnapshotSummary } from '../snapshot/snapshot.ts';
import type { Finding } from '../snapshot/verify.ts';
import type { Followed } from '../store/followed.ts';
import { knownView } from '../store/known-view.ts';
import type { Store } from '../store/store.ts';
import { type Kinds, type SeveralParams, seriesOf, skipMissing } from './arguments.ts';
import { imported, storeImportKinds } from './import-files.ts';
import { type AnswerSource, type Methods, methodsOf } from './methods.ts';
import { pullKinds, pullRequest } from './pull.ts';
import type { DeclaredMethods } from './session.ts';
import { StoreCare } from './store-care.ts';

/** A statement about a series: what was published on `as_of_date` for `date`; null where the value was withdrawn. */
export type FactRow = {
  readonly series_id: string;
  /** Null in a statement that a whole vintage was published on `as_of_date`: it speaks for every date of the series. */
  readonly date: Day | null;
  readonly as_of_date: Day;
  readonly value: string | null;
  /** How the vintage of that day came about: `exact`, `fetched`, `sampled` or `unknown`. */
  readonly vintage_kind: string;
};

/** What to import into the open store, and how. */
type StoreImportOptions = Omit<ImportOptions, 'store'>;

/** How to pull into the open store. */
type StorePullOptions = Omit<PullOptions, 'request' | 'store'>;

/** Where a snapshot goes, the day that its files are as of, and the days before it to which data must be covered. */
type SnapshotTarget = {
  readonly out: string;
  readonly asOf?: Day | undefined;
  readonly maxAge?: number | undefined;
};

/** Where the data comes from; the store is missing for a service. */
export type LibrarySource = AnswerSource & { readonly store?: Store };

/** Answers from one store or service: besides the operations and analyses, facts, imports and snapshots. */
class Library {
  /** The care of the store: backups, copies, checks. */
  readonly store: StoreCare;
  readonly #source: LibrarySource;

  constructor(source: LibrarySource) {
    this.#source = source;
    const { session, signal } = source;
    const address = () => this.#store('care of a store').address;
    const written = async () => {
      const named = address();
      await this.#refuseSample();
      return named;
    };
    const rest = async () => this.#store('care of a store').rest?.();
    this.store = new StoreCare({ address, written, rest, session, signal });
    session.guardAll(this, methods);
  }

  /** Every statement about series, by series, date and as-of date; only of a store. */
  async *facts(ids: string | readonly string[], params: SeveralParams = {}): AsyncIterable<FactRow> {
    const store = this.#store('facts');
    const { signal, naming, client, note } = this.#source;
    let state: string | undefined;
    const latest = latestDay(this.#source.clock());
    const has = (id: string) =>
      store.read(async (view) => (await knownView(view, latest).series.find(id)) !== undefined);
    const basis = { missing: new Set<string>() };
    const catalogue = { client, signal, naming, basis };
    const found = await seriesWithStatements(seriesOf([ids].flat(), params), has, catalogue).catch(
      async (error) => {
        throw await withSuggestion(error, catalogue);
      },
    );
    if (basis.missing.size > 0) note?.({ kind: 'missing', text: missingText(basis.missing) });
    for (const id of found) {
      const facts = await store.read(async (view) => {
        const { name } = await view.state();
        if (state !== undefined && state !== name) throw dataChanged();
        state = name;
        const rows: FactRow[] = [];
        const known = knownView(view, latest);
        for await (const statements of known.series.statements(id))
          for (const { seriesId, date, asOf, value, kind = '' } of statements)
            rows.push({ series_id: seriesId, date, as_of_date: asOf, value, vintage_kind: kind });
        for (const { asOf, kind } of await known.series.completeVintages(id))
          rows.push({ series_id: id, date: null, as_of_date: asOf, value: null, vintage_kind: kind });
        return rows;
      });
      yield* facts;
    }
  }

  /** Imports files, folders and archives into the store, in one transaction: all of them, or nothing. */
  async import(paths: readonly string[], options: StoreImportOptions = {}): Promise<ImportResult> {
    const { address } = this.#store('imports');
    await this.#refuseSample();
    const { clock, signal } = this.#source;
    const either = options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]);
    return imported(paths, { ...options, clock: options.clock ?? clock, signal: either, store: address });
  }

  /**
   * Brings the store up to date from live sources: it follows what the request names from now on; without a request,
   * it pulls everything that it follows. Failures of single subjects and of sources are in the summary.
   */
  async pull(request?: PullRequest, options: StorePullOptions = {}): Promise<PullSummary> {
    const { address } = this.#store('pulls');
    await this.#refuseSample();
    const { pull } = await import('../pull/pull.ts');
    const { clock, signal } = this.#source;
    const either = options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]);
    return pull({ ...options, clock: options.clock ?? clock, signal: either, request, store: address });
  }

  /** What the store follows at live sources, and how far it has come. */
  async followed(): Promise<readonly Followed[]> {
    return this.#store('list of what it follows').read((view) => view.sources.followed());
  }

  /**
   * Writes the files of a plan (a text file; `asof help snapshot` describes its lines), all as of one day, by default
   * yesterday in UTC. The link `out` is switched when all files are complete.
   */
  async snapshot(plan: string, { out, asOf, maxAge }: SnapshotTarget): Promise<SnapshotSummary> {
    const { client, signal, clock } = this.#source;
    const { bindPlan, snapshot } = await import('../snapshot/snapshot.ts');
    const bytes = await readFile(plan).catch((cause) => {
      throw systemProblem('read', `the plan ${plan}`, cause);
    });
    const bound = { asOf: asOf ?? addDays(utcDay(clock()), -1), demands: { maxAge } };
    return snapshot(bindPlan(plan, bytes, bound, planLineParser(clock())), { out, client, signal });
  }

  /**
   * Compares a snapshot with its manifest and with what its commands give now; without differences there are no
   * findings.
   */
  async verify(folder: string): Promise<readonly Finding[]> {
    const { client, signal, clock } = this.#source;
    const { compareCommands, compareFiles, openSnapshot } = await import('../snapshot/verify.ts');
    const opened = await openSnapshot(folder);
    if ('what' in opened) return [opened];
    const parseLine = planLineParser(clock());
    const findings = await compareFiles(opened);
    return [...findings, ...(await compareCommands(opened, { client, parseLine, signal }))];
  }

  /** Where the answers come from: the address of a store or a service, and whether it is the shipped sample. */
  origin(): Promise<Origin> {
    return this.#source.client.origin();
  }

  /** Closes the store, or the connections to the service; every later call fails. */
  async close(): Promise<void> {
    this.#source.session.close();
    await this.#source.client.close();
  }

  async #refuseSample(): Promise<void> {
    const { sample } = await this.origin();
    if (!sample) return;
    throw new Problem('bad-input', 'the shipped sample is read-only', {
      hints: ['importFiles(paths, { store }) and pull({ store, request }) start a store of your own'],
    });
  }

  #store(what: string): Store {
    const { store } = this.#source;
    if (store === undefined)
      throw new Problem('bad-input', `a service gives no ${what}`, { hints: ['open a store by its path'] });
    return store;
  }
}

/** Everything that asof answers, from one store or service. */
export type Asof = Library & Methods;

/** The methods that answer from a source. */
export function asofOf(source: LibrarySource): Asof {
  return Object.assign(new Library(source), methodsOf(source));
}

const paths = { name: 'paths', kind: texts };
const options = { noun: 'option' } as const;

const { prototype } = Library;

/** The methods that no question declares. */
const methods: DeclaredMethods<Library, Exclude<keyof Library, 'close' | 'store'>> = {
  facts: {
    rows: prototype.facts,
    args: [{ name: 'ids', kind: seriesIds }],
    params: { noun: 'parameter', kinds: { skipMissing } satisfies Kinds<SeveralParams> },
  },
  import: { method: prototype.import, args: [paths], params: { ...options, kinds: storeImportKinds } },
  pull: {
    method: prototype.pull,
    args: [{ name: 'request', kind: pullRequest, isOptional: true }],
    params: { ...options, kinds: pullKinds },
  },
  followed: { method: prototype.followed, args: [] },
  snapshot: {
    method: prototype.snapshot,
    args: [{ name: 'plan', kind: word }],
    params: {
      ...options,
      kinds: { out: word, asOf: asOfDay, maxAge: integer(0) } satisfies Kinds<SnapshotTarget>,
      required: ['out'],
    },
  },
  verify: { method: prototype.verify, args: [{ name: 'folder', kind: word }] },
  origin: { method: prototype.origin, args: [] },
};
