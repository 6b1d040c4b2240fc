import type { Demands } from '../answering/basis.ts';
import type { Query } from '../answering/question.ts';
import type { ArgumentSpec, CommandGroup, Flag, TypedLine } from '../operations/typed-line.ts';
import type { OutputFlags } from '../render/output.ts';
import type { ConnectionFlags, messages } from './shared-parts.ts';

/** A command that asks for data. */
export type QueryLine = {
  readonly command: 'query';
  /** The words of the command, such as `insider clusters`. */
  readonly words: string;
  readonly query: Query;
  /** What the answer must be based on. */
  readonly demands: Demands;
  readonly output: OutputFlags;
  readonly connection: ConnectionFlags;
  readonly messages: ReturnType<typeof messages.read>;
  /** Only prints how many requests the query takes. */
  readonly dryRun: boolean;
  /** Exits with 1 where there are rows. */
  readonly exitCode: boolean;
  /** The flags that were typed, with dashes. */
  readonly typed: readonly string[];
  /** The days that were not typed as `YYYY-MM-DD`. */
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
export type CommandSpec<Line = QueryLine> = {
  /** The words that call it, such as `insider clusters`. */
  readonly words: string;
  readonly alias?: string;
  /** The heading that help lists it under; a family of commands has its own. */
  readonly heading?: CommandGroup;
  readonly summary: string;
  /** What help says besides the summary. */
  readonly about?: string;
  /** What help shows: comments, each with a command line below it; `(needs …)` names a prerequisite. */
  readonly examples?: string;
  readonly args: readonly ArgumentSpec[];
  /** The flags in the order of help: the command's own, then those with a heading. */
  readonly flags: readonly Flag[];
  /** Reads a line as plain data; a bad value or a bad combination of flags is a Problem. */
  readonly read: (line: TypedLine) => Line;
};

/** A command of asof, which asks a question or does something else. */
export type AnyCommand = CommandSpec<QueryLine | OtherLine>;
