import type { Command } from 'commander';
import { closest } from '../../domain/series/closest.ts';
import { Problem } from '../../errors/problem.ts';
import { topicNamed, topics } from '../help/topics.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';

/** `asof help [command]`, and the topics. */
export function addHelp(root: Command, io: Io, done: (code: number) => void): void {
  const command = root
    .command('help')
    .description('Help on a command, or on a topic')
    .argument('[words...]', `a command, or ${topics.join(', ')}`)
    .helpOption('-h, --help', 'show help')
    .exitOverride();
  command.action(async (words: readonly string[]) => {
    const [first = ''] = words;
    const topic = words.length === 1 ? topicNamed(first) : undefined;
    if (topic !== undefined)
      io.stdout.write(await (await import('../help/topic-texts.ts')).topicTexts[topic]());
    else commandOf(root, words).outputHelp();
    done(exitCode.success);
  });
  root.addHelpText('after', `\nTopics: ${topics.map((topic) => `asof help ${topic}`).join(', ')}`);
}

function commandOf(root: Command, words: readonly string[]): Command {
  let command = root;
  for (const word of words) {
    const next = command.commands.find(
      (candidate) => candidate.name() === word || candidate.aliases().includes(word),
    );
    if (next === undefined) throw unknown(words.join(' '), word, command);
    command = next;
  }
  return command;
}

function unknown(typed: string, word: string, command: Command): Problem {
  const known = [...command.commands.map((candidate) => candidate.name()), ...topics];
  const meant = closest(word, known);
  return new Problem('bad-input', `there is no help on '${typed}'`, {
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}
