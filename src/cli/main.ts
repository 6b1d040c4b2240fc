import { isClosedPipe, systemProblem } from '../errors/system-errors.ts';
import { version } from '../platform/installation.ts';
import type { DataFlags } from './options/flags.ts';
import { exitCode } from './terminal/exit-code.ts';
import type { Io } from './terminal/io.ts';
import { reportFailure } from './terminal/messages.ts';
import { eraseStatus } from './terminal/status-line.ts';
import { streamSink } from './terminal/stream-sink.ts';

/** Runs one command line and gives its exit code; touches nothing but `io` and the files that the command names. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // A stream that fails is noticed where it was written to; without a listener the failure would end the process.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => undefined);
  try {
    const code = await run(argv, io);
    const lost = io.stdout.errored as NodeJS.ErrnoException | null | undefined;
    if (lost && !isClosedPipe(lost)) throw systemProblem('write to', 'stdout', lost);
    return code;
  } catch (error) {
    return io.signal.aborted ? stopped(io) : reportFailure(error, wording(argv), io);
  } finally {
    eraseStatus(io.stderr);
  }
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 1 && /^(--version|-V)$/.test(argv[0] ?? '')) {
    await streamSink(io.stdout, io.signal).write(`${version()}\n`);
    return exitCode.success;
  }
  // Loaded here, so that the commonest question of scripts about asof itself loads nothing.
  const { parse } = await import('./program.ts');
  return parse(argv.length === 0 ? ['--help'] : argv, io);
}

function stopped({ signal }: Io): number {
  return signal.reason === 'SIGTERM' ? exitCode.terminated : exitCode.interrupted;
}

/** How to word a failure: what the command line asked for, also where it could not be read to its end. */
function wording(argv: readonly string[]): Partial<DataFlags> {
  const asked = /^(--json|--format=json|-f=?json)$/;
  return {
    json: argv.some(
      (word, i) => asked.test(word) || (word === 'json' && /^(-f|--format)$/.test(argv[i - 1] ?? '')),
    ),
  };
}
