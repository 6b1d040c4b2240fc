import type { Command } from 'commander';
import { addDays, parseDay, utcDay } from '../model/date.ts';
import type { Operation } from '../operations/operation.ts';
import type { Param } from '../operations/params.ts';
import { Problem } from '../problem.ts';
import { countOption } from './flags.ts';
import type { Io } from './io.ts';
import type { Given } from './pages.ts';
import type { Talk } from './talk.ts';

/** The flags of one operation's command, as commander reads them. */
export type RequestFlags = {
  readonly limit?: number;
  readonly all?: boolean;
  readonly cursor?: string;
  readonly [flag: string]: unknown;
};

type Entry = readonly [name: string, param: Param<unknown>];

/** The parameters that become flags: all but those in the path, the command's argument, and those of paging. */
function flagged({ params, command }: Operation): Entry[] {
  return Object.entries(params).filter(
    ([name, param]) =>
      param.in === 'query' && name !== command.argument && name !== 'limit' && name !== 'cursor',
  );
}

/** Adds the flags that an operation's parameters make. */
export function withRequestFlags(command: Command, operation: Operation): Command {
  for (const [name, param] of flagged(operation)) {
    const value = choicesOf(param)?.length === 1 ? '' : ` <${param.placeholder.toLowerCase()}>`;
    command.option(`--${flagOf(name, param)}${value}`, param.description);
  }
  if (Object.hasOwn(operation.params, 'as_of')) {
    command.option(
      '--known-before <date>',
      'what could be known at the start of that day: --as-of the day before',
    );
  }
  if (Object.hasOwn(operation.params, 'limit')) {
    command
      .addOption(countOption('--limit <n>', 'so many rows, of each series'))
      .option('--all', 'all rows, also on a terminal')
      .option('--cursor <cursor>', 'continue where a page ended');
  }
  return command;
}

/** The parameters that the flags give, as texts; dates that say `today` are resolved once, in UTC. */
export function givenBy(flags: RequestFlags, operation: Operation, io: Io, talk: Talk): Given {
  const today = utcDay(io.clock());
  const dated = (name: string, text: string): string => {
    if (text !== 'today') return text;
    talk.detail(`asof: ${name} today is ${today}`);
    return today;
  };
  const given: [string, string][] = [];
  for (const [name, param] of flagged(operation)) {
    const value = flags[camel(flagOf(name, param))];
    if (value === undefined) continue;
    if (value === true) given.push([name, choicesOf(param)?.[0] ?? 'true']);
    else given.push([name, isDay(param) ? dated(name, String(value)) : inCase(param, String(value))]);
  }
  return [...given, ...knownBefore(flags, dated)];
}

function knownBefore(flags: RequestFlags, dated: (name: string, text: string) => string): Given {
  const value = flags.knownBefore;
  if (value === undefined) return [];
  if (flags.asOf !== undefined) throw new Problem('bad-input', 'use either --as-of or --known-before');
  const day = parseDay(dated('known_before', String(value)));
  if (day === undefined) throw new Problem('bad-input', "invalid 'known_before' date: use YYYY-MM-DD format");
  return [['as_of', addDays(day, -1)]];
}

function isDay({ schema }: Param<unknown>): boolean {
  return schema.format === 'date';
}

function choicesOf({ schema }: Param<unknown>): readonly string[] | undefined {
  return schema.enum as readonly string[] | undefined;
}

/** Choices may be typed in any case; what is no choice goes out as typed, for the service to refuse. */
function inCase(param: Param<unknown>, text: string): string {
  return choicesOf(param)?.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? text;
}

function flagOf(name: string, { flag }: Param<unknown>): string {
  return flag ?? name.replaceAll('_', '-');
}

function camel(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
