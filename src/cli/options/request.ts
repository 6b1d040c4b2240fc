import type { Command } from 'commander';
import type { Operation } from '../../operations/operation.ts';
import type { Param, ParamTexts } from '../../operations/param.ts';
import type { Io } from '../terminal/io.ts';
import type { Talk } from '../terminal/messages.ts';
import { countOption } from './flags.ts';
import { datedText, dayBefore, type KnowledgeFlags, withKnownBeforeFlag } from './knowledge.ts';

/** The flags of one operation's command, as commander reads them. */
export type RequestFlags = KnowledgeFlags & {
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
    withKnownBeforeFlag(command);
  }
  if (Object.hasOwn(operation.params, 'limit')) {
    command
      .addOption(countOption('--limit <n>', 'so many rows, of each series'))
      .option('--all', 'all rows, also on a terminal')
      .option('--cursor <cursor>', 'continue where a page ended');
  }
  return command;
}

/** The parameters that the flags give, as texts; dates that say `today` are resolved, in UTC. */
export function givenBy(flags: RequestFlags, operation: Operation, io: Io, talk: Talk): ParamTexts {
  const given: [string, string][] = [];
  for (const [name, param] of flagged(operation)) {
    const value = flags[camel(flagOf(name, param))];
    if (value === undefined) continue;
    if (value === true) given.push([name, choicesOf(param)?.[0] ?? 'true']);
    else
      given.push([
        name,
        isDay(param) ? datedText(name, String(value), io, talk) : inCase(param, String(value)),
      ]);
  }
  const before = Object.hasOwn(operation.params, 'as_of') ? dayBefore(flags, io, talk) : undefined;
  return before === undefined ? given : [...given, ['as_of', before]];
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
