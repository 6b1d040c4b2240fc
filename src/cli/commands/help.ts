import type { Command } from 'commander';
import { closest } from '../../domain/series/closest.ts';
import { Problem } from '../../errors/problem.ts';
import type { AnyCommand } from '../../lines/command.ts';
import { firstWordOf } from '../../lines/first-words.ts';
import type { HelpLine } from '../../lines/line.ts';
import { programOf } from '../../lines/read-line.ts';
import { print } from '../../platform/sink.ts';
import { examples, introduction } from '../help/example-lines.ts';
import { topics, topicTexts } from '../help/topic-texts.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { command, type LoadCommands } from './command.ts';

const showHelp = command({
  words: 'help',
  heading: 'Setup',
  summary: 'Show help on a command or a topic',
  examples: `
# the flags of a command
asof help observations
# what "as of" means
asof help as-of
# the exit codes that scripts can rely on
asof help exit-codes
`,
  args: [{ name: 'words', about: `a command, or ${topics.join(', ')}`, optional: true, several: true }],
  flags: [],
  read: (line): HelpLine => ({ command: 'help', words: line.args, isMistake: false }),
  run: runHelp,
});

/** `asof help`. */
export const commands = [showHelp];

/** Prints help on a command or a topic; if a command is missing, on stderr and with the exit code of a usage error. */
export async function runHelp({ words, isMistake }: HelpLine, io: Io, load: LoadCommands): Promise<number> {
  const [first = ''] = words;
  const topic = words.length === 1 && Object.hasOwn(topicTexts, first) ? topicTexts[first] : undefined;
  if (topic !== undefined) {
    await print(await topic(), io);
    return exitCode.success;
  }
  if (isMistake) {
    io.stderr.write(helpOn(words, await load(), io.stderr.columns || 100));
    return exitCode.usage;
  }
  await print(helpOn(words, await load(), io.stdout.columns || 100), io);
  return exitCode.success;
}

function helpOn(words: readonly string[], specs: readonly AnyCommand[], width: number): string {
  const root = programOf(specs, words[0], () => undefined);
  const command = commandIn(root, words);
  const called = namesOf(command);
  const spec = specs.find((one) => one.words === called);
  const parts = [
    command
      .configureOutput({ getOutHelpWidth: () => width })
      .helpInformation()
      .trimEnd(),
    ...(spec?.about === undefined ? [] : [spec.about]),
    ...(called === '' ? [`Topics: ${topics.map((name) => `asof help ${name}`).join(', ')}`] : []),
    `Examples:\n${examplesOf(called, specs)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function commandIn(root: Command, words: readonly string[]): Command {
  let command = root;
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) throw unknown(words.join(' '), word, command);
    command = next;
  }
  return command;
}

/** The words of a command below the program. */
function namesOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return [namesOf(parent), command.name()].filter((name) => name !== '').join(' ');
}

function unknown(typed: string, word: string, command: Command): Problem {
  const known = [...command.commands.map((candidate) => candidate.name()), ...topics];
  const meant = closest(word, known);
  return new Problem('bad-input', `there is no help on '${typed}'`, {
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

/** The lines of the examples of a command; for a family the first example of each of its commands. */
function examplesOf(called: string, specs: readonly AnyCommand[]): readonly string[] {
  if (called === '') return linesOf(introduction);
  const linesFor = (words: string) =>
    linesOf(specs.find((spec) => spec.words === words)?.examples ?? examples[words]);
  const own = linesFor(called);
  if (own.length > 0) return own;
  return (firstWordOf(specs, called)?.specs ?? []).flatMap(({ words }) => linesFor(words).slice(0, 2));
}

function linesOf(text = ''): readonly string[] {
  return text === '' ? [] : text.trim().split('\n');
}
