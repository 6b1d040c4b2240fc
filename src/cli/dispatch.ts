import { firstWordOf, isFamily } from '../lines/first-words.ts';
import type { ParsedLine } from '../lines/line.ts';
import { figureCommands } from '../lines/query-commands.ts';
import { readLine } from '../lines/read-line.ts';
import { runQuery } from './run/query.ts';
import type { Io } from './terminal/io.ts';

/**
 * Parses a line and does what it asks for; resolves to the exit code, or to undefined where it asks for the version.
 */
export async function dispatch(argv: readonly string[], io: Io): Promise<number | undefined> {
  const line = await parsed(argv, io.clock());
  if (line.command === 'version') return undefined;
  if (line.command === 'query') return runQuery(line, io);
  // Loaded here: a query starts faster without the other commands.
  return (await import('./commands/index.ts')).runCommand(line, io);
}

/** Reads the line; loads only the declarations of series and rates if they suffice, which starts faster. */
async function parsed(argv: readonly string[], now: Date): Promise<ParsedLine> {
  const queries = figureCommands();
  const word = firstWordOf(queries, argv[0]);
  // A family may have commands that are not queries.
  if (word !== undefined && !isFamily(word)) {
    try {
      return readLine(argv, queries, now);
    } catch {
      // Reading the line among all commands fails again, and the refusal can name any of them.
    }
  }
  return (await import('../lines/parse.ts')).parse(argv, { now });
}
