import { type Command, Option } from 'commander';
import { rhythms } from '../../domain/series/schedule.ts';
import { runPanel } from '../composed/panel.ts';
import { withDataFlags } from '../options/flags.ts';
import { withAsOfFlag, withKnownBeforeFlag } from '../options/knowledge.ts';
import type { Io } from '../terminal/io.ts';

/** `asof panel`: several series side by side as they were known. */
export function panelCommand(command: Command, io: Io, done: (code: number) => void): void {
  withKnownBeforeFlag(withAsOfFlag(withDataFlags(command)))
    .argument('<id...>', 'series ids; one with * (quoted) means every series whose id matches')
    .addOption(
      new Option(
        '--as-of-each <rhythm>',
        'the latest value known on each month-end, week-end (Sunday) or day from --from to --to',
      ).choices(rhythms),
    )
    .option('--from <date>', 'first date; with --as-of-each, first day of knowledge')
    .option('--to <date>', 'last date; with --as-of-each, last day of knowledge')
    .option('--wide', 'a column for each series')
    .addOption(
      new Option('--sort <order>', 'newest first or oldest first').choices(['desc', 'asc']).default('desc'),
    )
    .option('--all', 'all rows, also on a terminal')
    .option('--dry-run', 'only say how many requests it would take')
    .action(async (typed: readonly string[]) => {
      done(await runPanel(typed, command.opts(), io));
    });
}
