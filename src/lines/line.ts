import type { Demands } from '../answering/basis.ts';
import type { Query } from '../answering/question.ts';
import type { ArgumentSpec, CommandGroup, CommandWords, Flag, TypedLine } from '../operations/typed-line.ts';
import type { OutputFlags } from '../render/output.ts';
import type { ConnectionFlags, messages } from './shared-parts.ts';

/** A command that asks for data. */
export type QueryLine = {
  readonly command: 'query';
  readonly words: string;
  readonly query: Query;
  readonly demands: Demands;
  readonly output: OutputFlags;
  readonly connection: ConnectionFlags;
  readonly messages: ReturnType<typeof messages.read>;
  readonly dryRun: boolean;
  /** True to exit with 1 if there are rows. */
  readonly exitCode: boolean;
  readonly typed: readonly string[];
  readonly resolved: TypedLine['resolved'];
};

/** Help on a command, on a topic, or on asof. */
export type HelpLine = {
  readonly command: 'help';
  readonly words: readonly string[];
  /** True if a family lacks its second word, so that help is the error message. */
  readonly isMistake: boolean;
};

type OtherLine = { readonly command: 'other' };

/** A command, from which parsing, help and completion follow. */
export type CommandSpec<Line = QueryLine> = CommandWords & {
  /** Its heading in help; a family of commands has its own. */
  readonly heading?: CommandGroup;
  readonly args: readonly ArgumentSpec[];
  /** The flags in the order of help: the command's own, then those with a heading. */
  readonly flags: readonly Flag[];
  /** Reads a line as plain data; throws a Problem for a bad value or combination of flags. */
  readonly read: (line: TypedLine) => Line;
};

/** A command of asof. */
export type AnyCommand = CommandSpec<QueryLine | OtherLine>;
