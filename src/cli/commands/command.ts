import { type AnyCommand, type CommandSpec, type LinePart, toggle } from '../../lines/command.ts';
import type { OtherLine } from '../../lines/line.ts';
import { messages as messageFlags, store } from '../../lines/shared-parts.ts';
import type { ArgumentSpec, TypedLine } from '../../operations/typed-line.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf } from '../terminal/messages.ts';

/** Loads every command of asof; `inPlan` as in the lines of a plan. */
export type LoadCommands = (inPlan?: boolean) => Promise<readonly AnyCommand[]>;

/** A line that asks no question, with what to do. */
type RunnableLine = OtherLine & {
  /** What was typed, as plain data. */
  readonly values: unknown;
  /** Does what the line asks for, and resolves to the exit code. */
  readonly run: (io: Io, load: LoadCommands) => Promise<number>;
};

/** A command that asks no question. */
export type OtherCommand = CommandSpec<RunnableLine>;

/** Parts of a command line by the names of their values. */
type LineParts = { readonly [name: string]: LinePart };

/** What was typed after the words of a command, and messages as its flags ask for them. */
type RunValues<P extends LineParts> = { readonly args: readonly string[] } & {
  readonly [K in keyof P]: K extends 'messages' ? Messages : ReturnType<P[K]['read']>;
};

/** The parts of a command that changes a store after it was confirmed. */
export const changes = {
  dryRun: toggle('dry-run', 'show what would change, write nothing'),
  yes: {
    flags: [{ name: 'yes', short: 'y', about: 'do not ask; needed where there is no terminal' }],
    read: (line: TypedLine) => line.has('yes'),
  },
  store,
} as const;

/** Declares a command that asks no question: the parts of its lines in the order of help, and what it does. */
export function command<P extends LineParts>({
  args = [],
  parts,
  run,
  ...spec
}: Omit<CommandSpec, 'args' | 'flags' | 'read'> & {
  readonly args?: readonly ArgumentSpec[];
  readonly parts: P;
  /** Resolves to the exit code, if it is not that of success. */
  readonly run: (values: RunValues<P>, io: Io, load: LoadCommands) => Promise<number> | Promise<void>;
}): OtherCommand {
  return {
    ...spec,
    args,
    flags: Object.values(parts).flatMap(({ flags }) => flags),
    read(line) {
      const read = Object.entries(parts).map(([name, part]) => [name, part.read(line)]);
      const values = { args: line.args, ...Object.fromEntries(read) };
      return {
        command: 'other',
        values,
        async run(io, load) {
          const messages = messagesOf(messageFlags.read(line), io);
          // Each value is of the part with its name.
          const code = await run({ ...values, messages } as RunValues<P>, io, load);
          return typeof code === 'number' ? code : exitCode.success;
        },
      };
    },
  };
}
