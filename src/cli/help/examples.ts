import type { Command } from 'commander';
import { type Example, examples } from './example-lines.ts';

/** Adds examples to the help of every command below a program. */
export function addExamples(program: Command): void {
  for (const command of program.commands) {
    addTo(command, command.name());
    for (const child of command.commands) addTo(child, `${command.name()} ${child.name()}`);
  }
}

function addTo(command: Command, words: string): void {
  const shown = examples[words] ?? ofGroup(words);
  if (shown.length > 0) command.addHelpText('after', `\nExamples:\n${shown.map(text).join('\n')}`);
}

function ofGroup(name: string): readonly Example[] {
  return Object.entries(examples).flatMap(([words, [first]]) =>
    first !== undefined && words.startsWith(`${name} `) ? [first] : [],
  );
}

function text({ shows, line, needs }: Example): string {
  return `  # ${shows}${needs === undefined ? '' : ` (needs ${needs})`}\n  ${line}`;
}
