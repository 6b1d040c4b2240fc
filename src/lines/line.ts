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
  /** Exits with 1 where there are rows. */
  readonly exitCode: boolean;
  readonly typed: readonly string[];
  readonly resolved: TypedLine['resolved'];
};

/** Help on a command or a topic, or on asof as a whole. */
export type HelpLine = {
  readonly command: 'help';
  readonly words: readonly string[];
  /** Whether a family was typed without its second word, so that help is the error message. */
  readonly isMistake: boolean;
};

/** A line that asks no question; the command line knows what to do with it. */
type OtherLine = { readonly command: 'other' };

/** A command, declared once: parsing, help and completion are made from this. The default reads a question. */
export type CommandSpec<Line = QueryLine> = CommandWords & {
  /** The heading that help lists it under; a family of commands has its own. */
  readonly heading?: CommandGroup;
  readonly args: readonly ArgumentSpec[];
  /** The flags in the order of help: the command's own, then those with a heading. */
  readonly flags: readonly Flag[];
  /** Reads a line as plain data; a bad value or a bad combination of flags is a Problem. */
  readonly read: (line: TypedLine) => Line;
};

/** A command of asof, which asks a question or does something else. */
export type AnyCommand = CommandSpec<QueryLine | OtherLine>;
