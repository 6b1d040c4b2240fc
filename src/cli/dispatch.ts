import { checkOutput, readLine } from '../lines/read-line.ts';
import { allCommands, commandsBeginning } from './commands/index.ts';
import { runQuery } from './run/query.ts';
import type { Io } from './terminal/io.ts';

/**
 * Parses a line and does what it asks for; resolves to the exit code, or to undefined where it asks for the version.
 */
export async function dispatch(argv: readonly string[], io: Io): Promise<number | undefined> {
  const now = io.clock();
  const line = readLine(argv, await commandsBeginning(argv[0]), now);
  switch (line.command) {
    case 'version':
      return undefined;
    case 'refused':
      throw line.problem(await allCommands());
    case 'query':
      checkOutput(line);
      return runQuery(line, io);
    case 'help':
      return (await import('./commands/help.ts')).runHelp(line, io, allCommands);
    case 'other':
      return line.run(io, allCommands);
  }
}
