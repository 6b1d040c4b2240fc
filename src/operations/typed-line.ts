import { addDays, type Day, type DayOfPeriod, readTypedDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { type Clock, type Completion, choice, pastInstant, type Version } from './value.ts';

/** The headings of commands, in the order of help. */
export const commandGroups = [
  'Series',
  'Calendar',
  'Treasury rates',
  'Insiders',
  'Files',
  'Service',
  'Setup',
] as const;

/** A heading of help. */
export type CommandGroup = (typeof commandGroups)[number];

/** A command in help. */
export type CommandWords = {
  readonly words: string;
  readonly alias?: string;
  readonly summary: string;
  readonly about?: string;
  /** Comments, each with a command line below it; `(needs …)` names a prerequisite. */
  readonly examples?: string;
  /** What to do instead of typing more arguments than there are. Default: the flags that accept them. */
  readonly surplus?: string;
};

/** A flag of a command. */
export type Flag = {
  readonly name: string;
  readonly short?: string;
  /** The name of its value in help; a switch has none. */
  readonly value?: string;
  readonly complete?: Completion;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly fallback?: string;
  readonly required?: boolean;
  /** Tells whether a text can be its value, which shows the flag that a stray argument belongs to. */
  readonly accepts?: (text: string) => boolean;
  readonly repeatable?: boolean;
  readonly group?: FlagGroup;
};

/** What flags that several commands share are about; help has topics on them. */
export type FlagGroup = 'Charts' | 'Output' | 'Connection' | 'Messages';

/** An argument of a command. */
export type ArgumentSpec = {
  readonly name: string;
  readonly about?: string;
  readonly optional?: boolean;
  readonly several?: boolean;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
};

/** A part of a command line, and its value. */
export type LinePart<T = unknown> = {
  readonly flags: readonly Flag[];
  readonly args?: readonly ArgumentSpec[];
  readonly read: (line: TypedLine) => T;
};

type ResolvedDay = {
  readonly flag: string;
  readonly text: string;
  readonly day: Day;
  /** True if the same text means another day tomorrow. */
  readonly moves: boolean;
};

/** What was typed after a command; Problems name the flag and text. */
export class TypedLine {
  readonly args: readonly string[];
  readonly clock: Clock;
  readonly #flags: ReadonlyMap<string, readonly string[]>;
  readonly #resolved = new Map<string, ResolvedDay>();

  constructor(args: readonly string[], flags: ReadonlyMap<string, readonly string[]>, clock: Clock) {
    this.args = args;
    this.clock = clock;
    this.#flags = flags;
  }

  get typed(): readonly string[] {
    return [...this.#flags.keys()].map((name) => `--${name}`);
  }

  /** Lists the days read so far that were not typed as `YYYY-MM-DD`. */
  get resolved(): readonly ResolvedDay[] {
    return [...this.#resolved.values()];
  }

  has(name: string): boolean {
    return this.#flags.has(name);
  }

  /** Returns the argument at a place; empty if it was left out. */
  arg(index: number): string {
    return this.args[index] ?? '';
  }

  text(name: string): string | undefined {
    return this.texts(name)[0];
  }

  texts(name: string): readonly string[] {
    return this.#flags.get(name) ?? [];
  }

  /** Reads the text of a flag; a Problem of `read` becomes one that names the flag. */
  value<T>(name: string, read: (text: string) => T): T | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : readFor(`--${name}`, text, read);
  }

  /** Reads one of a few words, in any letter case. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const asDeclared = (text: string) => choices.find((one) => one.toLowerCase() === text.toLowerCase());
    return this.value(name, (text) => choice(choices).parse(asDeclared(text) ?? text, name, this.clock));
  }

  /** Reads a day; `today` is in UTC, and a month, quarter or year stands for the day `dayOfPeriod`. */
  day(name: string, dayOfPeriod?: DayOfPeriod): Day | undefined {
    return this.value(name, (text) => this.#day(text, `--${name}`, dayOfPeriod));
  }

  days(name: string): readonly Day[] | undefined {
    return this.value(name, (text) => text.split(',').map((part) => this.#day(part, `--${name}`)));
  }

  /** Reads a day from an argument, which messages call `name`. */
  dayArg(index: number, name: string): Day {
    return readFor(name, this.arg(index), (text) => this.#day(text, name));
  }

  /** Reads the as-of date of `--as-of` or `--known-before`; throws a Problem if it has not begun on Earth. */
  asOf(): Day | undefined {
    const [asOf, before] = [this.day('as-of'), this.day('known-before', 'first')];
    if (before === undefined) return asOf && this.known(asOf, '--as-of', false);
    if (asOf === undefined) return this.known(before, '--known-before', true);
    throw new Problem('bad-input', 'use either --as-of or --known-before');
  }

  /** Reads as-of dates or `latest`, separated by commas; throws a Problem if a day has not begun on Earth. */
  versions(name: string): readonly Version[] | undefined {
    const flag = `--${name}`;
    return this.value(name, (text) => text.split(',').map((one) => this.#version(one, flag)));
  }

  /** Reads an as-of date, an instant or `latest` from an argument, which messages call `name`. */
  versionArg(index: number, name: string): Version {
    return readFor(name, this.arg(index), (text) => this.#version(text, name));
  }

  knownAt(): string | undefined {
    const [name, other] = ['known-at', 'as-of', 'known-before'].filter((flag) => this.has(flag));
    if (name === 'known-at' && other !== undefined)
      throw new Problem('bad-input', `use either --${other} or --known-at`);
    return this.value('known-at', (text) => pastInstant.parse(text, '--known-at', this.clock));
  }

  #version(text: string, name: string): Version {
    if (/^\d{4}-\d\d-\d\d[T ]/.test(text)) return pastInstant.parse(text, name, this.clock);
    return text === 'latest' ? text : this.known(this.#day(text, name), name, false);
  }

  /** Returns an as-of date, with `strict` the day before; throws a Problem if it has not begun on Earth. */
  known(day: Day, name: string, strict: boolean): Day {
    const asOf = strict ? addDays(day, -1) : day;
    if (asOf <= this.clock.latest) return asOf;
    throw new Problem('bad-input', `${name} ${day} is in the future: nothing is known as of that date yet`, {
      field: name,
    });
  }

  #day(text: string, flag: string, dayOfPeriod?: DayOfPeriod): Day {
    const { day, moves } = readTypedDay(text, this.clock.today, dayOfPeriod);
    if (day !== text) this.#resolved.set(flag, { flag, text, day, moves });
    return day;
  }
}

/**
 * Reads a text; a refusal says where the text is from: `--limit "0": use an integer of at least 1`.
 * `field` is the name of the parameter for programs.
 */
export function readFor<T>(from: string, text: string, read: (text: string) => T, field = from): T {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof Problem) || error.refusal === undefined) throw error;
    const detail = `${from} ${JSON.stringify(text)}: ${error.refusal.reason}`;
    throw new Problem('bad-input', detail, { field, hints: error.hints });
  }
}
