import { version } from '../platform/installation.ts';
import type { ParsedLine } from './options/line.ts';
import { exitCode } from './terminal/exit-code.ts';
import type { Io } from './terminal/io.ts';
import { eraseStatus, reportFailure } from './terminal/messages.ts';
import { print } from './terminal/stream-sink.ts';

/** Runs one command line and resolves to its exit code; uses only `io` and the files that the command names. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // Errors of a stream are handled where it is written to; without a listener they would end the process.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => undefined);
  try {
    return await run(argv, io);
  } catch (error) {
    return io.signal.aborted ? stopped(io) : reportFailure(error, asksForJson(argv), io);
  } finally {
    eraseStatus(io.stderr);
  }
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  // The most frequent question of scripts loads nothing more.
  if (argv.length === 1 && /^(--version|-V)$/.test(argv[0] ?? '')) return printVersion(io);
  const { clockAt, parse } = await import('./options/parse.ts');
  return execute(parse(argv, { clock: clockAt(io.clock()) }), io);
}

/** Does what a line asks for; loads only the code of its command. */
async function execute(line: ParsedLine, io: Io): Promise<number> {
  switch (line.command) {
    case 'query':
      return (await import('./run/query.ts')).runQuery(line, io);
    case 'snapshot':
      return (await import('./commands/snapshot.ts')).runSnapshot(line, io);
    case 'verify':
      return (await import('./commands/verify.ts')).runVerify(line, io);
    case 'facts':
      return (await import('./commands/facts.ts')).runFacts(line, io);
    case 'import':
      return (await import('./commands/import.ts')).runImport(line, io);
    case 'import-log':
      return (await import('./commands/import.ts')).runImportLog(line, io);
    case 'serve':
      return (await import('./commands/serve.ts')).runServe(line, io);
    case 'keys create':
    case 'keys list':
    case 'keys revoke':
      return (await import('./commands/keys.ts')).runKeys(line, io);
    case 'auth login':
    case 'auth status':
    case 'auth logout':
      return (await import('./commands/auth.ts')).runAuth(line, io);
    case 'config get':
    case 'config set':
    case 'config unset':
    case 'config list':
    case 'config path':
      return (await import('./commands/config.ts')).runConfig(line, io);
    case 'completion':
      return (await import('./commands/completion.ts')).runCompletion(line, io);
    case 'help':
      return (await import('./commands/help.ts')).runHelp(line, io);
    case 'version':
      return printVersion(io);
  }
}

async function printVersion(io: Io): Promise<number> {
  await print(`${version()}\n`, io);
  return exitCode.success;
}

function stopped({ signal }: Io): number {
  return signal.reason === 'SIGTERM' ? exitCode.terminated : exitCode.interrupted;
}

/** Whether a line asks for JSON, even if it cannot be parsed. */
function asksForJson(argv: readonly string[]): boolean {
  const asked = /^(--json|--format=json|-f=?json)$/;
  return argv.some(
    (word, i) => asked.test(word) || (word === 'json' && /^(-f|--format)$/.test(argv[i - 1] ?? '')),
  );
}
