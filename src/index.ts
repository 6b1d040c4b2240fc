import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Note } from './analysis/answer.ts';
import { embeddedClient } from './client/open.ts';
import { Problem } from './errors/problem.ts';
import { Library } from './library/asof.ts';
import { type OperationMethods, operationMethods } from './library/operation-methods.ts';
import type { KnownOperation } from './operations/index.ts';
import type { RowOf } from './operations/operation.ts';
import type { ParamsOf } from './operations/param.ts';
import { samplePath, userFolders } from './platform/installation.ts';
import { openStore } from './store/open.ts';

export type { Note } from './analysis/answer.ts';
export type { Demands } from './analysis/basis.ts';
export type { CurveComparisonRow, DiffRow, PanelRow, RevisionRow, WideRow } from './analysis/layouts.ts';
export type { Origin } from './client/client.ts';
export type { Day, Rhythm } from './domain/series/date.ts';
export { Problem, type ProblemDocument, type ProblemKind } from './errors/problem.ts';
export { type ImportOptions, type ImportResult, importFiles } from './import/import.ts';
export type { FactRow } from './library/asof.ts';
export type { Result } from './library/operation-methods.ts';
export type { RateRow } from './operations/curve.ts';
export type { AnswerVintage, Coverage, SeriesSummary } from './operations/envelope.ts';
export type { ObservationRow } from './operations/observations.ts';
export { samplePath } from './platform/installation.ts';
export type { PullOptions, PullProgress, PullRequest } from './pull/options.ts';
export { pull } from './pull/pull.ts';
export type { PulledSubject, PullOutcome, PullStop, PullSummary } from './pull/summary.ts';
export type { SnapshotSummary } from './snapshot/snapshot.ts';
export type { Finding } from './snapshot/verify.ts';

export type { Followed } from './store/followed.ts';

/** The name of an operation, such as `observations`. */
export type OperationName = KnownOperation['name'];

type OperationNamed<N extends OperationName> = Extract<KnownOperation, { readonly name: N }>;

/** A row of an operation: `OperationRow<'observations'>`. */
export type OperationRow<N extends OperationName> = RowOf<OperationNamed<N>>;

/** The parameters of an operation: `OperationParams<'observations'>`. */
export type OperationParams<N extends OperationName> = ParamsOf<OperationNamed<N>>;

/** Everything that asof answers, from one store or service. */
export type Asof = Library & OperationMethods;

/** How a store or a service is asked. */
export type OpenOptions = {
  /** The key of the service. */
  readonly key?: string;
  /** Seconds that one try of a request to a service may take; 30 unless given. */
  readonly timeout?: number;
  /** Further tries after a network error, 429, and 502 to 504; 2 unless given. */
  readonly retries?: number;
  /** Seconds to wait in all before the further tries of one request; 60 unless given. */
  readonly maxWait?: number;
  /** Stops what is under way. */
  readonly signal?: AbortSignal;
  /** The current time; the system's unless given. */
  readonly clock?: () => Date;
  /** Takes remarks, such as that an as-of date is outside of what a series covers. */
  readonly onNote?: (note: Note) => void;
};

/**
 * Opens a store (a path) or a service (a URL); without an address the store that ASOF_STORE names, else your own in the
 * user's data folder, else the shipped sample. A Problem where it cannot be opened.
 */
export async function open(address: string = defaultStore(), options: OpenOptions = {}): Promise<Asof> {
  const { signal = new AbortController().signal, clock = () => new Date(), onNote, ...remote } = options;
  const shared = { signal, clock, ...(onNote !== undefined && { onNote }) };
  const source = /^https?:/i.test(address)
    ? { ...shared, ...(await service(address, { ...remote, signal, clock })) }
    : { ...shared, ...(await store(address, clock, remote)) };
  return Object.assign(new Library(source), operationMethods(source));
}

async function service(baseUrl: string, options: Omit<OpenOptions, 'onNote'>) {
  const { remoteClient } = await import('./client/remote/client.ts');
  return { client: remoteClient({ baseUrl, ...options }) };
}

async function store(path: string, clock: () => Date, { key }: Pick<OpenOptions, 'key'>) {
  if (key !== undefined) throw new Problem('bad-input', 'a key is for a service, and this is a store');
  const opened = await openStore(path);
  return { client: embeddedClient(opened, clock), store: opened };
}

function defaultStore(): string {
  const named = process.env.ASOF_STORE;
  if (named !== undefined && named !== '') return named;
  const own = join(userFolders().data, 'asof.db');
  return existsSync(own) ? own : samplePath();
}
