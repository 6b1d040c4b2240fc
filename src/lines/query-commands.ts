import type { Question } from '../analysis/question.ts';
import { figures } from '../operations/figures.ts';
import type { Flag } from '../operations/flag.ts';
import type { CommandFeature, Operation } from '../operations/operation.ts';
import { questions } from '../questions/table.ts';
import type { CommandSpec } from './command.ts';
import { sortIn, transformedIn } from './line-values.ts';
import { type CommandExtras, operationCommand } from './operation-command.ts';
import { askingFlags, questionByFlags, questionCommand } from './question-command.ts';
import { sharedFlags } from './shared-flags.ts';

const { sort, plot } = sharedFlags;

/** The flags of the features that an operation may declare for its command; that of `oldest` is beside `--limit`. */
const featureFlags: Readonly<Partial<Record<CommandFeature, readonly Flag[]>>> = {
  sort,
  units: sharedFlags.units,
};

/** What the command of an operation has besides its parameters, as the operation declares it. */
function extrasOf({ command: { words, several, features = [] }, chart }: Operation): CommandExtras {
  return {
    flags: [
      ...features.flatMap((feature) => featureFlags[feature] ?? []),
      ...askingFlags(words),
      ...(several === true ? sharedFlags.skipMissing : []),
    ],
    outputFlags: chart === undefined ? [] : [plot, ...sharedFlags.charts],
    query(asked, line) {
      const byFlags = questionByFlags(words, line);
      if (byFlags !== undefined) return byFlags;
      const sort = sortIn(line);
      const made = features.includes('units') ? transformedIn(line) : {};
      return { ...asked, ...(features.includes('sort') && { sort }), ...made };
    },
  };
}

/**
 * Returns the commands that ask for data: a question takes the place of the operation with its words. In a plan
 * (`inPlan`) a line need not name the day that it is bound to.
 */
export function queryCommands(operations: readonly Operation[], inPlan: boolean): readonly CommandSpec[] {
  const composed = Object.values<Question>(questions).flatMap((one) => questionCommand(one, inPlan));
  const ofWords = (words: string) => composed.find((command) => command.words === words);
  const asked = operations
    .filter(({ command: { flag } }) => flag === undefined)
    .map((operation) => {
      const { words } = operation.command;
      const others = operations.filter((other) => other !== operation && other.command.words === words);
      return ofWords(words) ?? operationCommand(operation, others, extrasOf(operation));
    });
  const own = composed.filter((command) => !asked.includes(command));
  return [...asked, ...own];
}

/** The commands about series and rates, all that a line needs which begins with one of them. */
export function figureCommands(): readonly CommandSpec[] {
  return queryCommands(figures, false);
}
