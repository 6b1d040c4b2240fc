import type { KnownOperation } from './operations/index.ts';
import type { RowOf } from './operations/operation.ts';
import type { ParamsOf } from './operations/param.ts';

export type { Note } from './analysis/answer.ts';
export type { CurveComparisonRow, DiffRow, PanelRow, RevisionRow, WideRow } from './analysis/layouts.ts';
export type { Origin } from './client/client.ts';
export type { Day, Rhythm } from './domain/series/date.ts';
export { Problem, type ProblemDocument, type ProblemKind } from './errors/problem.ts';
export { type ImportOptions, type ImportResult, importFiles } from './import/import.ts';
export type { FactRow } from './library/asof.ts';
export { type Asof, type OpenOptions, open } from './library/open.ts';
export type { Result } from './library/result.ts';
export type { RateRow } from './operations/curve.ts';
export type { Coverage, SeriesSummary } from './operations/envelope.ts';
export type { ObservationRow } from './operations/observations.ts';
export { samplePath } from './platform/installation.ts';
export type { SnapshotSummary } from './snapshot/snapshot.ts';
export type { Finding } from './snapshot/verify.ts';

/** The name of an operation, such as `observations`. */
export type OperationName = KnownOperation['name'];

type OperationNamed<N extends OperationName> = Extract<KnownOperation, { readonly name: N }>;

/** A row of an operation: `OperationRow<'observations'>`. */
export type OperationRow<N extends OperationName> = RowOf<OperationNamed<N>>;

/** The parameters of an operation: `OperationParams<'observations'>`. */
export type OperationParams<N extends OperationName> = ParamsOf<OperationNamed<N>>;
