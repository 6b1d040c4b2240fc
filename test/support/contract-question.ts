import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';

/** A question that has an answer, and how many rows that is. */
export type Answered = readonly [operation: Operation, given: ParamTexts, rows: number];

/** A question that is refused: the kind of problem, and the parameter at fault. */
export type Refused = readonly [operation: Operation, given: ParamTexts, kind: string, field?: string];
