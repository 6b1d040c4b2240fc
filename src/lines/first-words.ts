import type { CommandGroup } from '../operations/flag.ts';
import type { CommandSpec } from './command.ts';

/** The first word of a command line: a command, or a family of commands with two words. */
export type FirstWord = {
  readonly name: string;
  readonly heading: CommandGroup;
  readonly summary: string;
  /** The commands that begin with it: one, or those of a family. */
  readonly specs: readonly CommandSpec[];
};

const families: readonly Omit<FirstWord, 'specs'>[] = [
  { name: 'series', heading: 'Series', summary: 'Find and describe series' },
  { name: 'insider', heading: 'Insiders', summary: 'Trades that insiders of companies report' },
  { name: 'store', heading: 'Files', summary: 'Look into a store, check it, back it up and move it' },
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
      const members = specs.filter((spec) => nameOf(spec) === name);
      const summary = families.find((family) => family.name === name)?.summary ?? members[0]?.summary ?? '';
      return { name, heading, summary, specs: members };
    });
  });
}

function nameOf({ words }: CommandSpec): string {
  return words.split(' ')[0] ?? '';
}

/** Whether a first word is a family, so that a second word must follow. */
export function isFamily({ name }: FirstWord): boolean {
  return families.some((family) => family.name === name);
}

/** The first word with this name or alias. */
export function firstWordOf(specs: readonly CommandSpec[], typed: string | undefined): FirstWord | undefined {
  return firstWords(specs).find(
    (word) => word.name === typed || word.specs.some(({ alias }) => alias !== undefined && alias === typed),
  );
}

/** The second word of a command in a family. */
export function secondWord({ words }: CommandSpec): string {
  return words.split(' ')[1] ?? '';
}
