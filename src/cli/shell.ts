import type { Command } from 'commander';
import type { Io } from './terminal/io.ts';

/** Which flag keeps a command's answer to a day of knowledge; undefined where its arguments name the days. */
export type BoundBy = (flags: Readonly<Record<string, unknown>>) => string | undefined;

/** A command line that was understood, before anything is done. */
export type Understood = {
  /** The words of its command, such as `insider clusters`. */
  readonly words: string;
  readonly command: Command;
  /** Of a command that puts answers of operations together. */
  readonly boundBy?: BoundBy;
};

/** Reads and runs command lines, as the shell's are; for commands that have lines of their own. */
export type Shell = {
  /** What a line means; undefined where it only asks for help. An error of usage is a Problem. */
  readonly understand: (argv: readonly string[], io: Io) => Promise<Understood | undefined>;
  /** Runs a line, and gives its exit code. */
  readonly run: (argv: readonly string[], io: Io) => Promise<number>;
};
