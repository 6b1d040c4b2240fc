import { type CommandGroup, commandGroups } from '../operations/typed-line.ts';
import type { CommandSpec } from './command.ts';

type FirstWord<Line = unknown> = {
  readonly name: string;
  readonly heading: CommandGroup;
  readonly summary: string;
  readonly isFamily: boolean;
  readonly specs: readonly CommandSpec<Line>[];
};

const families: Readonly<Record<string, Pick<FirstWord, 'heading' | 'summary'>>> = {
  series: { heading: 'Series', summary: 'Find and describe series' },
  insider: { heading: 'Insiders', summary: 'List trades of company insiders, and clusters of them' },
  store: { heading: 'Files', summary: 'Inspect, check, back up and move a store' },
  keys: { heading: 'Service', summary: 'Manage the keys of your own service' },
  auth: { heading: 'Service', summary: 'Manage the keys that you send to services' },
  config: { heading: 'Setup', summary: 'Manage settings' },
};

/** Lists the words that a command line may begin with, in the order of help. */
export function firstWords<Line>(specs: readonly CommandSpec<Line>[]): readonly FirstWord<Line>[] {
  const names = [...new Set(specs.map(({ words }) => words.split(' ')[0] ?? ''))];
  const all = names.map((name) => {
    const members = specs.filter(({ words }) => words === name || words.startsWith(`${name} `));
    const [only] = members;
    const { heading = 'Setup', summary = '' } = families[name] ?? only ?? {};
    return { name, heading, summary, isFamily: Object.hasOwn(families, name), specs: members };
  });
  return commandGroups.flatMap((heading) => all.filter((word) => word.heading === heading));
}

/** Finds a first word by its name or alias. */
export function firstWordOf<Line>(
  specs: readonly CommandSpec<Line>[],
  typed: string | undefined,
): FirstWord<Line> | undefined {
  return firstWords(specs).find(
    (word) => word.name === typed || word.specs.some(({ alias }) => alias !== undefined && alias === typed),
  );
}

/** Returns the second word of a command in a family. */
export function secondWord({ words }: CommandSpec<unknown>): string {
  return words.split(' ')[1] ?? '';
}
