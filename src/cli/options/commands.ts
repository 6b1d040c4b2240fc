import type { CommandGroup, CommandSpec } from './command.ts';
import { otherCommands } from './other-commands.ts';
import { queryCommands } from './query-commands.ts';

/** Every command of asof, in the order in which help lists them; `inPlan` as they are in the lines of a plan. */
export function allCommands(inPlan = false): readonly CommandSpec[] {
  return [...queryCommands(inPlan), ...otherCommands];
}

/** A word that commands begin with, and what they are about together. */
export type CommandFamily = {
  readonly name: string;
  readonly heading: CommandGroup;
  readonly summary: string;
};

/** The commands of two words, by their first. */
export const families: readonly CommandFamily[] = [
  { name: 'series', heading: 'Series', summary: 'Find and describe series' },
  { name: 'insider', heading: 'Insiders', summary: 'Trades that insiders of companies report' },
  { name: 'keys', heading: 'Service', summary: 'Manage the keys of your own service' },
  { name: 'auth', heading: 'Service', summary: 'Manage the keys that you send to services' },
  { name: 'config', heading: 'Setup', summary: 'Manage settings' },
];

/** The headings of the list of commands, in their order. */
export const headings: readonly CommandGroup[] = [
  'Series',
  'Treasury rates',
  'Insiders',
  'Files',
  'Service',
  'Setup',
];

/** Whether a command is called by these words, or by its alias. */
export function isCalled({ words, alias }: CommandSpec, typed: string): boolean {
  return words === typed || alias === typed;
}
