import { questions } from '../questions/table.ts';
import type { AnyCommand, CommandSpec, QueryLine } from './command.ts';
import { queryCommands } from './question-command.ts';
import { checkOutput, readLine } from './read-line.ts';

/** Returns every command that asks a question, in the order of help; `inPlan` as in the lines of a plan. */
export function questionCommands(inPlan = false): readonly CommandSpec[] {
  return queryCommands(questions, inPlan);
}

/**
 * Makes a parser for lines of a plan; it returns undefined for a command that does not ask for data.
 * Commands without a question are known only if they are in `specs`.
 */
export function planLineParser(
  now: Date,
  specs: readonly AnyCommand[] = questionCommands(true),
): (words: readonly string[]) => QueryLine | undefined {
  return (words) => {
    const line = readLine(words, specs, now);
    if (line.command !== 'query') return undefined;
    checkOutput(line);
    return line;
  };
}
