import type { Day, DayOfPeriod } from '../domain/values/date.ts';
import type { Flag, TypedLine } from '../operations/typed-line.ts';
import type { Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';

/** A part of a command line, and its value. */
export type LinePart<T = unknown> = {
  readonly flags: readonly Flag[];
  readonly read: (line: TypedLine) => T;
};

/** Declares a flag with a value; help and completion use the value's names. */
export function option<T>(
  name: string,
  about: string,
  { placeholder, complete, parse }: Pick<Value<T>, 'complete' | 'parse' | 'placeholder'>,
  more: Partial<Flag> = {},
): LinePart<T | undefined> {
  return {
    flags: [{ name, about, ...defined({ value: placeholder, complete }), ...more }],
    read: (line) => line.value(name, (text) => parse(text, name, line.clock)),
  };
}

/** Declares a flag with a text as its value, which help calls `value`. */
export function textOption(
  name: string,
  value: string,
  about: string,
  more: Partial<Flag> = {},
): LinePart<string | undefined> {
  return { flags: [{ name, about, value, ...more }], read: (line) => line.text(name) };
}

/** Declares a flag with a date as its value, also in words; a period stands for `dayOfPeriod`. */
export function dayOption(name: string, about: string, dayOfPeriod?: DayOfPeriod): LinePart<Day | undefined> {
  return {
    flags: [{ name, about, value: 'date', complete: 'days' }],
    read: (line) => line.day(name, dayOfPeriod),
  };
}

/** Declares a flag without a value. */
export function toggle(name: string, about: string, short?: string): LinePart<boolean> {
  return { flags: [{ name, about, ...defined({ short }) }], read: (line) => line.has(name) };
}

type LineParts = { readonly [name: string]: LinePart };

export type PartValues<P extends LineParts> = { readonly [K in keyof P]: ReturnType<P[K]['read']> };

/** Joins parts; help lists their flags under `group`, if there is one. */
export function together<P extends LineParts>(parts: P, group?: Flag['group']): LinePart<PartValues<P>> {
  return {
    flags: Object.values(parts).flatMap(({ flags }) =>
      flags.map((flag) => ({ ...flag, ...defined({ group }) })),
    ),
    read(line) {
      const values = Object.entries(parts).map(([name, { read }]) => [name, read(line)]);
      // Each value belongs to the part with its name.
      return Object.fromEntries(values) as PartValues<P>;
    },
  };
}
