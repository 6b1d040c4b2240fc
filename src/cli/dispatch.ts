import { parse } from './options/parse.ts';
import { runQuery } from './run/query.ts';
import type { Io } from './terminal/io.ts';

/** Parses a line and does what it asks for; resolves to the exit code, or to undefined where it asks for the version. */
export async function dispatch(argv: readonly string[], io: Io): Promise<number | undefined> {
  const line = parse(argv, { now: io.clock() });
  if (line.command === 'version') return undefined;
  if (line.command === 'query') return runQuery(line, io);
  // Loaded here: a query starts faster without the other commands.
  return (await import('./commands/index.ts')).runCommand(line, io);
}
