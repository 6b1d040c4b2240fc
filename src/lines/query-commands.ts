import type { Question } from '../answering/question.ts';
import { figures } from '../operations/figures.ts';
import type { Operation } from '../operations/operation.ts';
import { operationQuestion } from '../questions/operation-question.ts';
import { questions } from '../questions/table.ts';
import type { CommandSpec } from './command.ts';
import { questionCommand } from './question-command.ts';

/**
 * Returns the commands that ask for data: a question takes the place of the operation with its words. In a plan
 * (`inPlan`) a line need not name the day that it is bound to.
 */
export function queryCommands(operations: readonly Operation[], inPlan: boolean): readonly CommandSpec[] {
  const composed = Object.values<Question>(questions).flatMap((one) => questionCommand(one, inPlan));
  const asked = operations.flatMap((operation) => {
    if (operation.command.flag !== undefined) return [];
    const own = composed.filter(({ words }) => words === operation.command.words);
    return own.length > 0 ? own : questionCommand(operationQuestion(operation, operations), inPlan);
  });
  const own = composed.filter((command) => !asked.includes(command));
  return [...asked, ...own];
}

/** The commands about series and rates, all that a line needs which begins with one of them. */
export function figureCommands(): readonly CommandSpec[] {
  return queryCommands(figures, false);
}
