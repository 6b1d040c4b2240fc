import type { Day, DayOfPeriod } from '../domain/series/date.ts';
import type { ArgumentSpec, CommandGroup, Flag, TypedLine } from '../operations/typed-line.ts';
import type { Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import type { OtherLine, QueryLine } from './line.ts';

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

/** A part of a command line: its flags, and the value that they give. */
export type LinePart<T = unknown> = {
  readonly flags: readonly Flag[];
  readonly read: (line: TypedLine) => T;
};

/** A flag with a value; what its declaration leaves out is that of the value. */
export function option<T>(flag: Flag, { placeholder, complete, parse }: Value<T>): LinePart<T | undefined> {
  return {
    flags: [{ ...defined({ value: placeholder, complete }), ...flag }],
    read: (line) => line.value(flag.name, (text) => parse(text, flag.name, line.clock)),
  };
}

/** A flag whose value is a text. */
export function textOption(flag: Flag & { readonly value: string }): LinePart<string | undefined> {
  return { flags: [flag], read: (line) => line.text(flag.name) };
}

/** A flag whose value is a date, also in words; of a period it is the named day. */
export function dayOption(flag: Flag, dayOfPeriod?: DayOfPeriod): LinePart<Day | undefined> {
  return {
    flags: [{ value: 'date', complete: 'days', ...flag }],
    read: (line) => line.day(flag.name, dayOfPeriod),
  };
}

/** A flag without a value. */
export function toggle(name: string, about: string): LinePart<boolean> {
  return { flags: [{ name, about }], read: (line) => line.has(name) };
}
