import { CommanderError } from 'commander';
import { exitCode } from './exit-code.ts';
import type { DataFlags } from './flags.ts';
import type { Io } from './io.ts';
import { program } from './program.ts';
import { reportFailure } from './talk.ts';

/** Runs one command line and gives its exit code; touches nothing but `io` and the files that the command names. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let code: number = exitCode.success;
  try {
    await program(io, (given) => {
      code = given;
    }).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (io.signal.aborted) return stopped(io);
    if (error instanceof CommanderError) return usageCode(error);
    return reportFailure(error, talkFlags(argv), io);
  }
}

/** Help and version that were asked for are a success; any other complaint of commander is a usage error. */
function usageCode({ code, exitCode: status }: CommanderError): number {
  const asked = code === 'commander.helpDisplayed' || code === 'commander.version';
  return asked && status === 0 ? exitCode.success : exitCode.usage;
}

function stopped({ signal }: Io): number {
  return signal.reason === 'SIGTERM' ? exitCode.terminated : exitCode.interrupted;
}

/** How to word a failure: what the command line asked for, also where it could not be read to its end. */
function talkFlags(argv: readonly string[]): Partial<DataFlags> {
  return {
    json: argv.some(
      (word, i) =>
        word === '--json' ||
        word === '--format=json' ||
        (word === 'json' && /^(-f|--format)$/.test(argv[i - 1] ?? '')),
    ),
    debug: argv.includes('--debug'),
  };
}
