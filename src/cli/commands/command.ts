import type { AnyCommand, CommandSpec } from '../../lines/command.ts';
import type { OtherLine } from '../../lines/line.ts';
import type { Io } from '../terminal/io.ts';

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

/** Declares a command that asks no question: what its lines look like, and what it does with the values it reads. */
export function command<Values>({
  read,
  run,
  ...spec
}: CommandSpec<Values> & {
  readonly run: (values: Values, io: Io, load: LoadCommands) => Promise<number>;
}): OtherCommand {
  return {
    ...spec,
    read(line) {
      const values = read(line);
      return { command: 'other', values, run: (io, load) => run(values, io, load) };
    },
  };
}
