import { allCommands } from '../../src/cli/dispatch.ts';
import { checkOutput, readLine } from '../../src/lines/read-line.ts';

/** Every command of asof. */
export const everyCommand = await allCommands();

const inPlans = await allCommands(true);

/** What a line of any command asks for, as plain data; an error of usage is a Problem. */
export function parse(argv: readonly string[], options: { readonly now: Date; readonly inPlan?: boolean }) {
  const commands = options.inPlan === true ? inPlans : everyCommand;
  const line = readLine(argv, commands, options.now);
  if (line.command === 'query') checkOutput(line);
  return line.command === 'other' ? (line.values as object) : line;
}
