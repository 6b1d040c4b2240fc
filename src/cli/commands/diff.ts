import type { Command } from 'commander';
import { runDiff } from '../composed/diff.ts';
import { withDataFlags } from '../options/flags.ts';
import type { Io } from '../terminal/io.ts';

/** `asof diff`: what two days of knowledge disagree on. */
export function diffCommand(command: Command, io: Io, done: (code: number) => void): void {
  withDataFlags(command)
    .argument('<id>')
    .argument('<day>', 'a day of knowledge: what was known at its end')
    .argument('<other>', 'the day to compare it with')
    .option('--known-before', 'what was known at the start of each day: strictly before it')
    .option('--from <date>', 'first date')
    .option('--to <date>', 'last date')
    .option('--exit-code', 'exit 1 when there are differences')
    .option('--all', 'all rows, also on a terminal')
    .option('--dry-run', 'only say how many requests it would take')
    .action(async (id: string, day: string, other: string) => {
      done(await runDiff(id, [day, other], command.opts(), io));
    });
}
