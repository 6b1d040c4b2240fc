import type { Demands } from '../answering/basis.ts';
import type { Query } from '../answering/question.ts';
import type { ResolvedDay } from '../operations/typed-line.ts';
import type { OutputFlags } from '../render/output.ts';
import type { ConnectionFlags, MessageFlags } from './shared-parts.ts';

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
  readonly messages: MessageFlags;
  /** Only prints how many requests the query takes. */
  readonly dryRun: boolean;
  /** Exits with 1 where there are rows. */
  readonly exitCode: boolean;
  /** The flags that were typed, with dashes. */
  readonly typed: readonly string[];
  /** The days that were not typed as `YYYY-MM-DD`. */
  readonly resolved: readonly ResolvedDay[];
};

/** Help on a command or a topic, or on asof as a whole. */
export type HelpLine = {
  readonly command: 'help';
  readonly words: readonly string[];
  /** Whether a family was typed without its second word, so that help is the error message. */
  readonly isMistake: boolean;
};

/** A line that asks no question; the command line knows what to do with it. */
export type OtherLine = { readonly command: 'other' };
