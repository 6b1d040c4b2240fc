import { readFile } from 'node:fs/promises';
import { seriesWithStatements } from '../analysis/series-ids.ts';
import { planLineParser } from '../cli/options/parse.ts';
import type { Origin } from '../client/client.ts';
import { dataChanged } from '../client/consistency.ts';
import { addDays, type Day, utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import type { ImportOptions, ImportResult } from '../import/import.ts';
import type { PullOptions, PullRequest } from '../pull/options.ts';
import type { PullSummary } from '../pull/summary.ts';
import type { SnapshotSummary } from '../snapshot/snapshot.ts';
import type { Finding } from '../snapshot/verify.ts';
import type { Followed } from '../store/followed.ts';
import type { Store } from '../store/store.ts';
import { Analyses, type AnalysisSource } from './analyses.ts';

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

/** Where the data comes from; the store is missing for a service. */
export type LibrarySource = AnalysisSource & { readonly store?: Store };

/** Answers from one store or service: besides the operations and analyses, facts, imports and snapshots. */
export class Library extends Analyses {
  readonly #source: LibrarySource;

  constructor(source: LibrarySource) {
    super(source);
    this.#source = source;
  }

  /** Every statement about series, by series, date and as-of date; only of a store. */
  async *facts(ids: string | readonly string[]): AsyncIterable<FactRow> {
    const store = this.#store('facts');
    const typed = typeof ids === 'string' ? [ids] : ids;
    let state: string | undefined;
    const has = (id: string) => store.read(async (view) => (await view.findSeries(id)) !== undefined);
    const { ids: found, failures } = await seriesWithStatements(typed, has, this.#source);
    if (failures.length > 0) throw failures[0];
    for (const id of found) {
      const facts = await store.read(async (view) => {
        const { name } = await view.state();
        if (state !== undefined && state !== name) throw dataChanged();
        state = name;
        const rows: FactRow[] = [];
        for await (const statements of view.statements(id))
          for (const { seriesId, date, asOf, value, kind = '' } of statements)
            rows.push({ series_id: seriesId, date, as_of_date: asOf, value, vintage_kind: kind });
        for (const { asOf, kind } of await view.completeVintages(id))
          rows.push({ series_id: id, date: null, as_of_date: asOf, value: null, vintage_kind: kind });
        return rows;
      });
      yield* facts;
    }
  }

  /** Imports files, folders and archives into the store, in one transaction: all of them, or nothing. */
  async import(paths: readonly string[], options: Omit<ImportOptions, 'store'> = {}): Promise<ImportResult> {
    const { address } = this.#store('imports');
    await this.#refuseSample();
    const { importFiles } = await import('../import/import.ts');
    const { clock, signal } = this.#source;
    return importFiles(paths, { clock, signal, ...options, store: address });
  }

  /**
   * Brings the store up to date from live sources: what the request names is followed from now on; without a request,
   * everything that the store follows is pulled. Failures of single subjects and of sources are in the summary.
   */
  async pull(
    request?: PullRequest,
    options: Omit<PullOptions, 'store' | 'request'> = {},
  ): Promise<PullSummary> {
    const { address } = this.#store('pulls');
    await this.#refuseSample();
    const { pull } = await import('../pull/pull.ts');
    const { clock, signal } = this.#source;
    return pull({ clock, signal, ...options, request, store: address });
  }

  /** What the store follows at live sources, and how far it has come. */
  async followed(): Promise<readonly Followed[]> {
    return this.#store('list of what it follows').read((view) => view.followed());
  }

  /**
   * Writes the files of a plan (a text file; `asof help snapshot` says what its lines are), all as of one day, the last
   * one that is over in UTC unless given. The link `out` is switched when all files are complete.
   */
  async snapshot(
    plan: string,
    { out, asOf }: { readonly out: string; readonly asOf?: Day },
  ): Promise<SnapshotSummary> {
    const { client, signal, clock } = this.#source;
    const { bindPlan, snapshot } = await import('../snapshot/snapshot.ts');
    const bytes = await readFile(plan).catch((cause) => {
      throw systemProblem('read', `the plan ${plan}`, cause);
    });
    const day = asOf ?? addDays(utcDay(clock()), -1);
    return snapshot(bindPlan(plan, bytes, day, planLineParser(clock())), { out, client, signal });
  }

  /** Compares a snapshot with its manifest and with what its commands give now; no findings where nothing differs. */
  async verify(folder: string): Promise<readonly Finding[]> {
    const { client, signal, clock } = this.#source;
    const { openSnapshot, verify } = await import('../snapshot/verify.ts');
    const opened = await openSnapshot(folder);
    if ('what' in opened) return [opened];
    const findings: Finding[] = [];
    const parseLine = planLineParser(clock());
    const all = verify(opened, { parseLine, signal, withData: (compare) => compare(client) });
    for await (const finding of all) findings.push(finding);
    return findings;
  }

  /** Where the answers come from: the address of a store or a service, and whether it is the shipped sample. */
  origin(): Promise<Origin> {
    return this.#source.client.origin();
  }

  /** Closes the store, or the connections to the service. */
  close(): Promise<void> {
    return this.#source.client.close();
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
