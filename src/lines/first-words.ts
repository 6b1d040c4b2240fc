import type { CommandGroup } from '../operations/typed-line.ts';
import type { CommandSpec } from './command.ts';

/** The first word of a command line: a command, or a family of commands with two words. */
export type FirstWord<Line = unknown> = {
  readonly name: string;
  readonly heading: CommandGroup;
  readonly summary: string;
  /** The commands that begin with it: one, or those of a family. */
  readonly specs: readonly CommandSpec<Line>[];
};

/** The summaries of families of commands. */
const families: Readonly<Record<string, string>> = {
  series: 'Find and describe series',
  insider: 'Trades that insiders of companies report',
  store: 'Look into a store, check it, back it up and move it',
  keys: 'Manage the keys of your own service',
  auth: 'Manage the keys that you send to services',
  config: 'Manage settings',
};

const headings: readonly CommandGroup[] = [
  'Series',
  'Treasury rates',
  'Insiders',
  'Files',
  'Service',
  'Setup',
];

/** What a command line may begin with, in the order of help. */
export function firstWords<Line>(specs: readonly CommandSpec<Line>[]): readonly FirstWord<Line>[] {
  return headings.flatMap((heading) => {
    const names = new Set(specs.filter((spec) => spec.heading === heading).map(nameOf));
    return [...names].map((name) => {
      const members = specs.filter((spec) => nameOf(spec) === name);
      const summary = families[name] ?? members[0]?.summary ?? '';
      return { name, heading, summary, specs: members };
    });
  });
}

function nameOf({ words }: CommandSpec<unknown>): string {
  return words.split(' ')[0] ?? '';
}

/** Whether a first word is a family, so that a second word must follow. */
export function isFamily({ name }: FirstWord): boolean {
  return Object.hasOwn(families, name);
}

/** The first word with this name or alias. */
export function firstWordOf<Line>(
  specs: readonly CommandSpec<Line>[],
  typed: string | undefined,
): FirstWord<Line> | undefined {
  return firstWords(specs).find(
    (word) => word.name === typed || word.specs.some(({ alias }) => alias !== undefined && alias === typed),
  );
}

/** The second word of a command in a family. */
export function secondWord({ words }: CommandSpec<unknown>): string {
  return words.split(' ')[1] ?? '';
}
