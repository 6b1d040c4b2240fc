import type { Command } from 'commander';
import { Problem } from '../../errors/problem.ts';

/** Makes a command, and those below it, refuse a flag with one value that is given twice: which one was meant, nobody knows. */
export function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    // A flag whose default is a list collects its values.
    if (!option.required || Array.isArray(option.defaultValue)) continue;
    let before: string | undefined;
    command.on(`option:${option.name()}`, (value: string) => {
      if (before !== undefined)
        throw new Problem(
          'bad-input',
          `${option.long} is given twice: ${quoted(before)} and ${quoted(value)}`,
          {
            hints: ['leave one of them out'],
          },
        );
      before = value;
    });
  }
  for (const child of command.commands) refuseRepeated(child);
}

/** A value as it can be told from the words around it. */
function quoted(value: string): string {
  return /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value);
}
