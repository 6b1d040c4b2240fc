import { version } from '../platform/installation.ts';
import { print } from '../platform/sink.ts';
import { exitCode, type Process } from './terminal/io.ts';
import { eraseStatus, reportFailure } from './terminal/messages.ts';

/** Runs one command line and resolves to its exit code; uses only `io` and the files that the command names. */
export async function main(argv: readonly string[], io: Process): Promise<number> {
  // Writers handle the errors of a stream; without a listener such errors would end the process.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => undefined);
  try {
    return await run(argv, io);
  } catch (error) {
    return io.signal.aborted ? stopped(io) : reportFailure(error, asksForJson(argv), io);
  } finally {
    eraseStatus(io.stderr);
  }
}

async function run(argv: readonly string[], io: Process): Promise<number> {
  if (argv.length === 1 && /^(--version|-V)$/.test(argv[0] ?? '')) return printVersion(io);
  // Loaded here: scripts ask most often for the version, which needs none of it.
  const { dispatch } = await import('./dispatch.ts');
  return (await dispatch(argv, io)) ?? printVersion(io);
}

async function printVersion(io: Process): Promise<number> {
  await print(`${version()}\n`, io);
  return exitCode.success;
}

function stopped({ signal }: Process): number {
  return signal.reason === 'SIGTERM' ? exitCode.terminated : exitCode.interrupted;
}

/** Tells whether a line asks for JSON, even if the line cannot be parsed. */
function asksForJson(argv: readonly string[]): boolean {
  const asked = /^(--json|--format=json|-f=?json)$/;
  return argv.some(
    (word, i) => asked.test(word) || (word === 'json' && /^(-f|--format)$/.test(argv[i - 1] ?? '')),
  );
}
