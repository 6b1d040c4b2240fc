import { firstWordOf } from '../lines/first-words.ts';
import type { CommandSpec, QueryLine } from '../lines/line.ts';
import { figureCommands } from '../lines/question-command.ts';
import { checkOutput, readLine } from '../lines/read-line.ts';
import { readConfigFile } from '../platform/config-file.ts';
import type { OtherCommand } from './commands/command.ts';
import { runQuery } from './run/query.ts';
import type { Io, Process } from './terminal/io.ts';

/** Parses and runs a line; resolves to the exit code, or to undefined for a line that asks for the version. */
export async function dispatch(argv: readonly string[], process: Process): Promise<number | undefined> {
  const [read] = await Promise.allSettled([readConfigFile(process, 'config')]);
  const settings = () => {
    if (read.status === 'rejected') throw read.reason;
    return read.value;
  };
  const io: Io = { ...process, settings };
  const now = io.clock();
  const line = readLine(argv, await commandsBeginning(argv[0]), now);
  switch (line.command) {
    case 'version':
      return undefined;
    case 'refused':
      throw line.problem(await allCommands());
    case 'query':
      checkOutput(line);
      return runQuery(line, io);
    case 'help':
      return (await import('./commands/help.ts')).runHelp(line, io, allCommands);
    case 'other':
      return line.run(io, allCommands);
  }
}

type RunnableCommand = CommandSpec<QueryLine | ReturnType<OtherCommand['read']>>;

type CommandFile = {
  readonly words: readonly string[];
  readonly load: () => Promise<{ readonly commands: readonly OtherCommand[] }>;
};

/** Commands that ask no question, by their first words, in the order of help. */
const families: readonly CommandFile[] = [
  { words: ['snapshot', 'verify'], load: () => import('./commands/snapshot.ts') },
  { words: ['facts', 'import'], load: () => import('./commands/import.ts') },
  { words: ['pull', 'unfollow', 'ping'], load: () => import('./commands/pull.ts') },
  { words: ['store', 'series'], load: () => import('./commands/store.ts') },
  { words: ['explore', 'serve', 'mcp'], load: () => import('./commands/serve.ts') },
  { words: ['keys'], load: () => import('./commands/keys.ts') },
  { words: ['auth', 'config'], load: () => import('./commands/config.ts') },
  { words: ['completion'], load: () => import('./commands/completion.ts') },
  { words: ['help'], load: () => import('./commands/help.ts') },
];

/** Loads every command of asof, in the order of help; `inPlan` as in the lines of a plan. */
export async function allCommands(inPlan = false): Promise<readonly RunnableCommand[]> {
  return combined((await import('../lines/parse.ts')).questionCommands(inPlan), families);
}

/** Loads only the commands that begin with a word; all of asof if none does. */
async function commandsBeginning(word: string | undefined): Promise<readonly RunnableCommand[]> {
  const own = families.filter(({ words }) => words.some((name) => name === word));
  // A question about series and rates starts faster without other commands.
  const figures = figureCommands();
  if (firstWordOf(figures, word) !== undefined) return combined(figures, own);
  if (own.length > 0) return combined([], own);
  const { questionCommands } = await import('../lines/parse.ts');
  const questions = questionCommands();
  return firstWordOf(questions, word) === undefined ? allCommands() : questions;
}

/** Adds commands without a question; one with the words of a question is called by a flag of its own there. */
async function combined(
  questions: readonly CommandSpec[],
  loaded: readonly CommandFile[],
): Promise<readonly RunnableCommand[]> {
  if (loaded.length === 0) return questions;
  const others = (await Promise.all(loaded.map(({ load }) => load()))).flatMap(({ commands }) => commands);
  const namesakeOf = ({ words }: RunnableCommand, among: readonly RunnableCommand[]) =>
    among.find((one) => one.words === words);
  return [
    ...questions.map((question): RunnableCommand => {
      const other = namesakeOf(question, others);
      if (other === undefined) return question;
      const shared = new Set(question.flags.map(({ name }) => name));
      const own = other.flags.filter(({ name }) => !shared.has(name));
      return {
        ...question,
        flags: [...own, ...question.flags],
        read: (line) => (own.some(({ name }) => line.has(name)) ? other : question).read(line),
      };
    }),
    ...others.filter((other) => namesakeOf(other, questions) === undefined),
  ];
}
