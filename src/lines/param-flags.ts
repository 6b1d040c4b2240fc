import type { DayOfPeriod } from '../domain/values/date.ts';
import { flagName, type Param } from '../operations/param.ts';
import type { Flag, TypedLine } from '../operations/typed-line.ts';
import type { Clock, Completion } from '../operations/value.ts';

/** Returns the flags of a parameter, usually one with its name. `fallback` is the default of a command. */
export function paramFlags(name: string, param: Param, fallback: unknown = undefined): readonly Flag[] {
  const { typed, placeholder, help, required, description, schema } = param;
  if (typed !== undefined) return typed.flags;
  const choices = choicesOf(param);
  // A switch stands for the only value of its parameter.
  const isSwitch = choices?.length === 1 || placeholder === undefined;
  const shown = fallback ?? schema.default;
  return [
    {
      name: flagName(name, param),
      about: phrase(description),
      ...(!isSwitch && {
        value: placeholder.toLowerCase(),
        accepts: accepting(name, param),
        ...completion(param),
      }),
      ...(shown !== undefined && { fallback: String(shown) }),
      ...(required && { required }),
      ...help,
    },
  ];
}

function completion({ schema, placeholder = '', complete }: Param): {
  readonly complete?: Completion;
} {
  if (complete !== undefined) return { complete };
  // Completion offers the words of a placeholder such as `par|tips` in the letter case that is typed.
  const choices = placeholder.includes('|') ? undefined : (schema.enum as readonly string[] | undefined);
  return choices === undefined ? {} : { complete: choices };
}

/** Tells whether a parameter of limited values, such as dates or maturities, accepts a text. */
function accepting(name: string, param: Param): (text: string) => boolean {
  return (text) => {
    if (param.schema.enum === undefined && param.schema.format === undefined) return false;
    try {
      param.parse(asListed(param, text), name, anyTime);
      return true;
    } catch {
      return false;
    }
  };
}

const anyTime: Clock = { today: '2999-12-31', latest: '2999-12-31' };

function asListed(param: Param, text: string): string {
  return choicesOf(param)?.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? text;
}

/** Converts a sentence to the phrase of a flag: no capital at its beginning, no full stop at its end. */
function phrase(sentence: string): string {
  const start = /^[A-Z](?![A-Z])/.test(sentence) ? sentence.slice(0, 1).toLowerCase() : sentence.slice(0, 1);
  return start + sentence.slice(1).replace(/\.$/, '');
}

function choicesOf({ schema }: Param): readonly string[] | undefined {
  return schema.enum as readonly string[] | undefined;
}

/** Returns the value that the flags of a line give to a parameter. */
export function typedValue(name: string, param: Param, line: TypedLine): unknown {
  const { typed, placeholder, schema } = param;
  if (typed !== undefined) return typed.read(line);
  const flag = flagName(name, param);
  if (!line.has(flag)) return undefined;
  if (schema.format === 'date') return line.day(flag, dayOfPeriod(param));
  const choices = choicesOf(param);
  if (choices?.length === 1) return choices[0];
  if (placeholder === undefined) return true;
  return line.value(flag, (text) => param.parse(asListed(param, text), name, line.clock));
}

/** Returns the day that a period stands for: a bound of a range, or the first day, which names the period. */
function dayOfPeriod({ bounds, ofPeriod }: Param): DayOfPeriod | undefined {
  if (bounds?.is === 'to') return 'last';
  return bounds?.is === 'from' || ofPeriod === true ? 'first' : undefined;
}
