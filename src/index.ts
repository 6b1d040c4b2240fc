export type { Client, Origin } from './client/client.ts';
export { openClient as open, type Target } from './client/open.ts';
export { Problem, type ProblemDocument, type ProblemKind } from './errors/problem.ts';
export type { Cell, Envelope, Row, SeriesSummary } from './operations/envelope.ts';
export type { Field } from './operations/field.ts';
export type { FieldType } from './operations/field-kinds.ts';
export { operations } from './operations/index.ts';
export type { Operation } from './operations/operation.ts';
export { samplePath } from './platform/installation.ts';
