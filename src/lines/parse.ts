import { allCommands } from './commands.ts';
import type { ParsedLine, QueryLine } from './line.ts';
import { readLine } from './read-line.ts';

/** How a line is read: at what time, and whether it is a line of a plan, which is bound to a day afterwards. */
export type ParseOptions = { readonly now: Date; readonly inPlan?: boolean };

/** What a line of any command asks for, as plain data; an error of usage is a Problem. */
export function parse(argv: readonly string[], { now, inPlan = false }: ParseOptions): ParsedLine {
  return readLine(argv, allCommands(inPlan), now);
}

/** Parses the lines of a plan at a moment; gives undefined for a command that does not ask for data. */
export function planLineParser(now: Date): (words: readonly string[]) => QueryLine | undefined {
  return (words) => {
    const line = parse(words, { now, inPlan: true });
    return line.command === 'query' ? line : undefined;
  };
}
