import { Command, CommanderError } from 'commander';
import { Problem } from '../errors/problem.ts';
import { version } from '../platform/installation.ts';
import { addHelp } from './commands/help.ts';
import { commands, type Entry, type Setting } from './commands/index.ts';
import { refuseRepeated } from './options/repeated-flags.ts';
import type { Understood } from './shell.ts';
import { exitCode } from './terminal/exit-code.ts';
import type { Io } from './terminal/io.ts';

/** Runs the command that a command line names, and gives its exit code; an error of usage is a Problem. */
export async function parse(argv: readonly string[], io: Io): Promise<number> {
  let code: number = exitCode.success;
  const { root } = await programFor(argv, io, (given) => {
    code = given;
  });
  return (await parsed(root, argv)) ?? code;
}

/** What a command line means, without doing it; undefined where it only asks for help. An error of usage is a Problem. */
async function understand(argv: readonly string[], io: Io): Promise<Understood | undefined> {
  const { root, entry } = await programFor(argv, io, () => undefined);
  let understood: Understood | undefined;
  root.hook('preAction', (_, command) => {
    const words = wordsOf(command);
    understood = { words, command, ...(entry?.boundBy !== undefined && { boundBy: entry.boundBy }) };
    throw new CommanderError(exitCode.success, 'asof.understood', '');
  });
  await parsed(root, argv);
  return understood;
}

/** The program for a command line, and the entry that it names, if it does. */
async function programFor(argv: readonly string[], io: Io, done: (code: number) => void) {
  const setting: Setting = {
    io,
    done,
    subcommand: (group, name, summary) => child(group, name, summary, io),
    programWith: async (name) => {
      if (name !== word) await defineNamed(root, name, setting);
      return root;
    },
    shell: { understand, run: parse },
  };
  const [word = ''] = argv;
  const root = program(setting);
  const { entry, command } = await defineNamed(root, word === 'help' ? argv[1] : word, setting);
  if (word === 'help' || argv.some(asksForHelp) || (argv.length === 1 && isGroup(command)))
    (await import('./help/examples.ts')).addExamples(root);
  return { root, entry };
}

/** Lets the program act on a command line; gives an exit code where it ended before that. */
async function parsed(root: Command, argv: readonly string[]): Promise<number | undefined> {
  try {
    await root.parseAsync(argv, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCode.success;
    // A group without a command, such as `asof series`, has shown its help.
    if (error.code === 'commander.help') return exitCode.usage;
    throw usageProblem(error);
  }
}

/** The words by which a command is called below the program. */
function wordsOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${wordsOf(parent)} ${command.name()}`;
}

/** Commander's words in ours: `error: unknown command 'x'`, and on a line of its own `(Did you mean y?)`. */
function usageProblem({ message }: CommanderError): Problem {
  const [detail = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const meant = /^\(Did you mean (.*)\)$/.exec(suggestion ?? '')?.[1];
  return new Problem('bad-input', detail, meant === undefined ? {} : { hints: [`did you mean ${meant}`] });
}

/** The commander program: every command by name and summary, which is all that help lists. */
function program({ io, done }: Setting): Command {
  const root = base(new Command('asof'), io)
    .description('Point-in-time economic data: series as they were known on a day, treasury curves')
    .version(version(), '-V, --version', 'print the version')
    .showHelpAfterError(false);
  for (const { name, summary, alias } of commands) {
    const command = child(root, name, summary, io);
    if (alias !== undefined) command.alias(alias);
  }
  addHelp(root, io, done);
  return root;
}

/** Gives the named command what it takes; the others stay names, so that no command pays for them. */
async function defineNamed(
  root: Command,
  name = '',
  setting: Setting,
): Promise<{ readonly entry?: Entry; readonly command?: Command }> {
  const entry = commands.find((candidate) => candidate.name === name || candidate.alias === name);
  const command = root.commands.find((candidate) => candidate.name() === entry?.name);
  if (entry === undefined || command === undefined) return {};
  await entry.define(command, setting);
  refuseRepeated(command);
  return { entry, command };
}

function asksForHelp(word: string): boolean {
  return word === '-h' || word === '--help';
}

function isGroup(command: Command | undefined): boolean {
  return command !== undefined && command.commands.length > 0;
}

function child(parent: Command, name: string, summary: string, io: Io): Command {
  return base(parent.command(name), io).description(summary);
}

function base(command: Command, io: Io): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Errors of usage are thrown as well, and reported like any other failure.
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns || 100,
      getErrHelpWidth: () => io.stderr.columns || 100,
    });
}
