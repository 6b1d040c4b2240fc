import {
  type AnyCommand,
  type CommandSpec,
  messages as messageFlags,
  type PartValues,
  type QueryLine,
  together,
} from '../../lines/command.ts';
import type { ArgumentSpec, LinePart } from '../../operations/typed-line.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf } from '../terminal/messages.ts';

/** Loads every command of asof; `inPlan` as in the lines of a plan. */
export type LoadCommands = (inPlan?: boolean) => Promise<readonly AnyCommand[]>;

type RunnableLine = {
  readonly command: 'other';
  readonly values: unknown;
  readonly run: (io: Io, load: LoadCommands) => Promise<number>;
};

/** A command that asks no question. */
type OtherCommand = CommandSpec<RunnableLine>;

/** A command with or without a question. */
export type RunnableCommand = CommandSpec<QueryLine | RunnableLine>;

type RunValues<P extends Readonly<Record<string, LinePart>>> = {
  readonly args: readonly string[];
} & Omit<PartValues<P>, 'messages'> & {
    readonly messages: Messages;
  };

/** Declares a command that asks no question: the parts of its lines in the order of help, and its work. */
export function command<P extends Readonly<Record<string, LinePart>>>({
  args = [],
  parts,
  run,
  ...spec
}: Omit<CommandSpec, 'args' | 'flags' | 'read'> & {
  readonly args?: readonly ArgumentSpec[];
  readonly parts: P;
  readonly run: (values: RunValues<P>, io: Io, load: LoadCommands) => Promise<number> | Promise<void>;
}): OtherCommand {
  const { flags, read } = together(parts);
  return {
    ...spec,
    args,
    flags,
    read(line) {
      const values = { args: line.args, ...read(line) };
      return {
        command: 'other',
        values,
        async run(io, load) {
          const messages = messagesOf(messageFlags.read(line), io);
          const code = await run({ ...values, messages }, io, load);
          return typeof code === 'number' ? code : exitCode.success;
        },
      };
    },
  };
}

/** More conflicts would scroll their counts off a terminal. */
const mostConflicts = 100;

/** Shortens the list of conflicts in a failure on a terminal. */
export async function shortened(error: unknown, { stderr }: Io): Promise<unknown> {
  const { ImportRefusal } = await import('../../import/load/conflict.ts');
  return stderr.isTTY === true && error instanceof ImportRefusal ? error.cutAt(mostConflicts) : error;
}
