import { operations } from '../operations/index.ts';
import type { AnyCommand, CommandSpec, QueryLine } from './line.ts';
import { queryCommands } from './question-command.ts';
import { checkOutput, readLine } from './read-line.ts';

/** Every command that asks a question, in the order in which help lists them; `inPlan` as in the lines of a plan. */
export function questionCommands(inPlan = false): readonly CommandSpec[] {
  return queryCommands(operations, inPlan);
}

/**
 * Parses the lines of a plan at a moment; gives undefined for a command that does not ask for data. Other commands than
 * those of questions are known if they are among `specs`.
 */
export function planLineParser(
  now: Date,
  specs: readonly AnyCommand[] = questionCommands(true),
): (words: readonly string[]) => QueryLine | undefined {
  return (words) => {
    const line = readLine(words, specs, now);
    if (line.command === 'refused') throw line.problem(specs);
    if (line.command !== 'query') return undefined;
    checkOutput(line);
    return line;
  };
}
