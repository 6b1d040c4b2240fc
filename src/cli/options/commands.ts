import type { CommandGroup, CommandSpec } from './command.ts';
import { fileCommands } from './file-commands.ts';
import { queryCommands } from './query-commands.ts';
import { serviceCommands } from './service-commands.ts';

/** Every command of asof, in the order in which help lists them; `inPlan` as they are in the lines of a plan. */
export function allCommands(inPlan = false): readonly CommandSpec[] {
  return [...queryCommands(inPlan), ...fileCommands, ...serviceCommands];
}

/** A first word of command lines: a command, or a family of commands of two words. */
export type FirstWord = {
  readonly name: string;
  readonly heading: CommandGroup;
  readonly summary: string;
  /** The commands that begin with it: more than one of a family. */
  readonly specs: readonly CommandSpec[];
};

const families: readonly Omit<FirstWord, 'specs'>[] = [
  { name: 'series', heading: 'Series', summary: 'Find and describe series' },
  { name: 'insider', heading: 'Insiders', summary: 'Trades that insiders of companies report' },
  { name: 'keys', heading: 'Service', summary: 'Manage the keys of your own service' },
  { name: 'auth', heading: 'Service', summary: 'Manage the keys that you send to services' },
  { name: 'config', heading: 'Setup', summary: 'Manage settings' },
];

const headings: readonly CommandGroup[] = [
  'Series',
  'Treasury rates',
  'Insiders',
  'Files',
  'Service',
  'Setup',
];

/** What a command line may begin with, in the order of help. */
export function firstWords(specs: readonly CommandSpec[]): readonly FirstWord[] {
  return headings.flatMap((heading) => {
    const names = new Set(specs.filter((spec) => spec.heading === heading).map(nameOf));
    return [...names].map((name) => {
      const own = specs.filter((spec) => nameOf(spec) === name);
      const summary = families.find((family) => family.name === name)?.summary ?? own[0]?.summary ?? '';
      return { name, heading, summary, specs: own };
    });
  });
}

function nameOf({ words }: CommandSpec): string {
  return words.split(' ')[0] ?? '';
}

/** Whether a first word stands for a family, so that a second one follows. */
export function isFamily({ name }: FirstWord): boolean {
  return families.some((family) => family.name === name);
}

/** The first word that a text is: a name, or the alias of a command. */
export function firstWordOf(specs: readonly CommandSpec[], typed: string | undefined): FirstWord | undefined {
  return firstWords(specs).find(
    (word) => word.name === typed || word.specs.some(({ alias }) => alias !== undefined && alias === typed),
  );
}

/** The second word of a command of two. */
export function secondWord({ words }: CommandSpec): string {
  return words.split(' ')[1] ?? '';
}
