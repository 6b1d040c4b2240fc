import type { Operation } from '../../src/operations/operation.ts';
import type { Given } from '../../src/service/service.ts';

/** A question that has an answer, and how many rows that is. */
export type Answered = readonly [operation: Operation, given: Given, rows: number];

/** A question that is refused: the kind of problem, and the parameter at fault. */
export type Refused = readonly [operation: Operation, given: Given, kind: string, field?: string];
