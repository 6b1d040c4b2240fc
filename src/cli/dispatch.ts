import type { CommandSpec } from '../lines/command.ts';
import { observationsCommand } from '../lines/question-command.ts';
import { checkOutput, firstWordOf, readLine } from '../lines/read-line.ts';
import { readConfigFile } from '../platform/config-file.ts';
import type { RunnableCommand } from './commands/command.ts';
import { runQuery } from './run/query.ts';
import type { Io, Process } from './terminal/io.ts';

/** Parses and runs a line; resolves to the exit code, or to undefined for a line that asks for the version. */
export async function dispatch(argv: readonly string[], process: Process): Promise<number | undefined> {
  const settings = await readConfigFile(process, 'config').then(
    (entries) => () => entries,
    (error) => () => {
      throw error;
    },
  );
  // Inherits: a copy would create every stream, and stdin alone takes 2 ms.
  const io: Io = Object.create(process, { settings: { value: settings } });
  const now = io.clock();
  const line = readLine(argv, await commandsBeginning(argv[0]), now);
  switch (line.command) {
    case 'version':
      return undefined;
    case 'query':
      checkOutput(line);
      return runQuery(line, io);
    case 'help':
      return (await import('./commands/help.ts')).runHelp(line, io, allCommands);
    case 'other':
      return line.run(io, allCommands);
  }
}

/** Commands that ask no question, by their first words, in the order of help. */
const families = [
  { words: ['snapshot', 'verify'], load: () => import('./commands/snapshot.ts') },
  { words: ['facts', 'import'], load: () => import('./commands/import.ts') },
  { words: ['pull', 'unfollow', 'ping'], load: () => import('./commands/pull.ts') },
  { words: ['store', 'series'], load: () => import('./commands/store.ts') },
  { words: ['explore', 'serve', 'mcp', 'lines'], load: () => import('./commands/serve.ts') },
  { words: ['keys'], load: () => import('./commands/keys.ts') },
  { words: ['auth', 'config'], load: () => import('./commands/config.ts') },
  { words: ['completion'], load: () => import('./commands/completion.ts') },
  { words: ['help'], load: () => import('./commands/help.ts') },
] as const;

/** Loads every command of asof, in the order of help; `inPlan` as in the lines of a plan. */
export async function allCommands(inPlan = false): Promise<readonly RunnableCommand[]> {
  return combined((await import('../lines/parse.ts')).questionCommands(inPlan), families);
}

async function commandsBeginning(word: string | undefined): Promise<readonly RunnableCommand[]> {
  // What most lines ask starts faster without other commands, and questions about series and rates without the rest.
  const plain = observationsCommand();
  if (firstWordOf(plain, word) !== undefined) return plain;
  const own = families.filter(({ words }) => words.some((name) => name === word));
  const figures = (await import('../lines/figure-commands.ts')).figureCommands();
  if (firstWordOf(figures, word) !== undefined) return combined(figures, own);
  if (own.length > 0) return combined([], own);
  const { questionCommands } = await import('../lines/parse.ts');
  const questions = questionCommands();
  return firstWordOf(questions, word) === undefined ? allCommands() : questions;
}

/** Adds the commands of some files; `ping`, which asks a question too, replaces the question. */
async function combined(
  questions: readonly CommandSpec[],
  loaded: readonly (typeof families)[number][],
): Promise<readonly RunnableCommand[]> {
  const files = await Promise.all(loaded.map(({ load }) => load()));
  const others = files.flatMap(({ commands }): readonly RunnableCommand[] => commands);
  const words = new Set(others.map((other) => other.words));
  return [...questions.filter((question) => !words.has(question.words)), ...others];
}
