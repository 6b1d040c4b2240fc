import type { Question } from '../../src/answering/question.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { questions } from '../../src/questions/table.ts';

/** Every operation of asof, in the order of the questions that have its path. */
export const operations: readonly Operation[] = Object.values<Question>(questions).flatMap(
  ({ operation }) => operation ?? [],
);
