import { compositions, ofOperations } from '../questions/figures.ts';
import type { CommandSpec } from './command.ts';
import { queryCommands } from './question-command.ts';

/** Returns the commands about series and rates, enough for a line that begins with one of them. */
export function figureCommands(): readonly CommandSpec[] {
  return queryCommands({ ...ofOperations, ...compositions }, false);
}
