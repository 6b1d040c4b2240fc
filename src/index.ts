/// <reference lib="esnext.disposable" preserve="true" />
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedClient } from './client/open.ts';
import { Problem } from './errors/problem.ts';
import { type Asof, asofOf } from './library/asof.ts';
import { askerOf, checkArguments, isUrl, type OpenOptions, openKinds } from './library/call.ts';
import type { MethodParams } from './library/methods.ts';
import { type StatementRow, statementRows, storeOfRows } from './library/rows.ts';
import type { RowOf } from './operations/operation.ts';
import { accepting, clockAt } from './operations/value.ts';
import { samplePath, userFolders, variable } from './platform/installation.ts';
import type { questions } from './questions/table.ts';
import { isDatabase } from './store/address.ts';
import { openStore } from './store/open.ts';

export type { Note } from './answering/answer.ts';
export type { Demands } from './answering/basis.ts';
export type { InputRow } from './answering/table.ts';
export type { Origin } from './client/client.ts';
export type { Day, Rhythm } from './domain/values/date.ts';
export { Problem, type ProblemDocument, type ProblemKind } from './errors/problem.ts';
export type { ImportOptions } from './import/options.ts';
export type { ImportResult } from './import/report.ts';
export { type Asof, importFiles, pull } from './library/asof.ts';
export type { OpenOptions } from './library/call.ts';
export type { Result } from './library/methods.ts';
export type { StatementRow } from './library/rows.ts';
export type { CheckSummary, StoreFault } from './maintenance/check.ts';
export type { BackupSummary, CopySummary } from './maintenance/copy.ts';
export type { StoreInfo } from './maintenance/info.ts';
export type { ChangedSeries, SeriesAlias } from './maintenance/series.ts';
export type { UndoneImport } from './maintenance/undo.ts';
export type { NextRelease } from './operations/calendar/next.ts';
export type { AnswerVintage, Coverage, KnownInstant, SeriesSummary, WideRow } from './operations/envelope.ts';
export type { RateRow } from './operations/rates/yields.ts';
export type { ObservationRow } from './operations/series/observations.ts';
export { samplePath } from './platform/installation.ts';
export type {
  PulledSubject,
  PullOptions,
  PullOutcome,
  PullProgress,
  PullRequest,
  PullStop,
  PullSummary,
} from './pull/options.ts';
export { probeSources, type SourceProbe } from './pull/sources.ts';
export type { CheckRow } from './questions/files/check.ts';
export type { CurveComparisonRow, CurveParams } from './questions/rates/rates.ts';
export type { PanelParams } from './questions/series/panel.ts';
export type { PanelRow } from './questions/series/panel-rows.ts';
export type {
  RevisionRow,
  RevisionStatisticsRow,
  RevisionSummaryRow,
} from './questions/series/revision-layouts.ts';
export type {
  PublishedParams,
  ReleasesParams,
  RevisionSummaryParams,
  RevisionsParams,
  TriangleParams,
} from './questions/series/revisions.ts';
export type { DiffRow } from './questions/series/versions.ts';

export type { SnapshotSummary } from './snapshot/snapshot.ts';
export type { Finding } from './snapshot/verify.ts';
export type { FactRow } from './store/known-view.ts';
export type { Followed, LoggedImport } from './store/store.ts';

/** Maintenance of a store: `asof.store`. */
export type StoreCare = Asof['store'];

type Questions = typeof questions;

type OfOperation = Extract<Questions[keyof Questions], { readonly operation?: object }>;

/** The name of an operation, such as `observations`. */
export type OperationName = OfOperation['name'];

type OperationNamed<N extends OperationName> = Extract<OfOperation, { readonly name: N }>;

/** A row of an operation: `OperationRow<'observations'>`. */
export type OperationRow<N extends OperationName> = RowOf<NonNullable<OperationNamed<N>['operation']>>;

/** The parameters of an operation's method: `OperationParams<'observations'>`. */
export type OperationParams<N extends OperationName> = MethodParams<OperationNamed<N>>;

type QuestionParams<N extends keyof Questions> = MethodParams<Questions[N]>;

/** The parameters of a comparison of two as-of dates. */
export type DiffParams = QuestionParams<'diff'>;

/** The parameters of values as of several days. */
export type VersionsParams = QuestionParams<'versions'>;

/** The parameters of vintages. */
export type VintagesParams = QuestionParams<'vintages'>;

/** The parameters of a table of yields. */
export type YieldTableParams = QuestionParams<'yieldTable'>;

/** The parameters of a join. */
export type JoinParams = QuestionParams<'join'>;

/** The parameters of a check. */
export type CheckParams = QuestionParams<'check'>;

/**
 * Opens a store (a path, `sample`, or `postgres://…`) or a service (a URL); throws a Problem if that fails.
 * Default: the store in ASOF_STORE, else in the user's data folder, else the shipped sample.
 */
export async function open(address?: string, options: OpenOptions = {}): Promise<Asof> {
  checkArguments(openSignature, [address, options], clockAt(new Date()));
  const asker = askerOf(options);
  const { signal, clock } = asker;
  const where = address ?? defaultStore();
  const isService = isUrl(where) && !isDatabase(where);
  return asofOf({
    ...asker,
    ...(isService ? await service(where, { ...options, signal, clock }) : await store(where, options, clock)),
  });
}

/**
 * Opens a store of some statements alone, for tests; closing it removes the store.
 * Throws a Problem that names the row and the column of what is no statement.
 */
export async function fromRows(rows: readonly StatementRow[], options: OpenOptions = {}): Promise<Asof> {
  const { clock = () => new Date(), signal } = options;
  const now = clockAt(clock());
  checkArguments(rowsSignature, [rows, options], now);
  const { path, remove } = await storeOfRows(rows, now, { clock, signal });
  try {
    const asof = await open(path, options);
    const close = async (): Promise<void> => {
      await asof.close();
      await remove();
    };
    return { ...asof, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await remove();
    throw error;
  }
}

const optionsOfOpen = { noun: 'option', kinds: openKinds } as const;

const rowsSignature = {
  name: 'fromRows',
  args: [{ name: 'rows', kind: statementRows }],
  params: optionsOfOpen,
} as const;

const address = accepting(
  (value): value is string => typeof value === 'string' && value.trim() !== '',
  'the path of a store, "sample", postgres://… or https://…',
);

const openSignature = {
  name: 'open',
  args: [{ name: 'address', kind: address, isOptional: true }],
  params: optionsOfOpen,
} as const;

async function service(baseUrl: string, { onNote: _, ...options }: OpenOptions) {
  const { remoteClient } = await import('./client/remote/client.ts');
  return { client: remoteClient({ baseUrl, ...options }) };
}

async function store(path: string, { key }: OpenOptions, clock: () => Date) {
  if (key !== undefined) throw new Problem('bad-input', 'a key is for a service, and this is a store');
  const opened = await openStore(path).catch((error) => {
    throw isHost(path) && error instanceof Problem
      ? error.with({ hints: [...error.hints, 'the address of a service begins with http:// or https://'] })
      : error;
  });
  return { client: embeddedClient(opened, clock), store: opened };
}

/** Tells whether a path that is no store looks like the host of a service. */
function isHost(path: string): boolean {
  return /^[\w.-]+(:\d+)(\/|$)/.test(path) && !existsSync(path);
}

function defaultStore(): string {
  const named = variable(process, 'ASOF_STORE');
  if (named !== undefined) return named;
  const own = join(userFolders().data, 'asof.db');
  return existsSync(own) ? own : samplePath();
}
