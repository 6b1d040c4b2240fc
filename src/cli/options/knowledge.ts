import type { Command } from 'commander';
import { addDays, type Day, latestDay, parseDay, utcDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { asOfParam } from '../../operations/params.ts';
import type { Io } from '../terminal/io.ts';
import type { Talk } from '../terminal/messages.ts';

/** The flags that name a day of knowledge, as commander reads them. */
export type KnowledgeFlags = { readonly asOf?: unknown; readonly knownBefore?: unknown };

/** Adds the flag by which a command sees only what was published up to a day. */
export function withAsOfFlag(command: Command): Command {
  return command.option('--as-of <date>', asOfParam().description);
}

/** Adds the flag by which a command sees only what was published before a day. */
export function withKnownBeforeFlag(command: Command): Command {
  return command.option(
    '--known-before <date>',
    'what could be known at the start of that day: --as-of the day before',
  );
}

/** A date as typed; `today` is resolved, in UTC. */
export function datedText(name: string, text: string, io: Io, talk: Talk): string {
  if (text !== 'today') return text;
  const today = utcDay(io.clock());
  talk.detail(`asof: ${name} today is ${today}`);
  return today;
}

/** The day before the one that `--known-before` names, if it was given. */
export function dayBefore(flags: KnowledgeFlags, io: Io, talk: Talk): Day | undefined {
  if (flags.knownBefore === undefined) return undefined;
  if (flags.asOf !== undefined) throw new Problem('bad-input', 'use either --as-of or --known-before');
  return before('known_before', String(flags.knownBefore), io, talk);
}

/** The day of knowledge that the flags name, if any: one that no service is asked to check. */
export function knowledgeDay(flags: KnowledgeFlags, io: Io, talk: Talk): Day | undefined {
  const day = dayBefore(flags, io, talk);
  if (day !== undefined) return checkedDay('as_of', day, io);
  return flags.asOf === undefined ? undefined : typedKnowledgeDay('as_of', String(flags.asOf), io, talk);
}

/** A day of knowledge as typed; a Problem like the contract's where it is no date, or lies in the future. */
export function typedKnowledgeDay(name: string, text: string, io: Io, talk: Talk): Day {
  return checkedDay(name, datedText(name, text, io, talk), io);
}

/** The last day of knowledge before one that was typed. */
export function typedKnownBefore(name: string, text: string, io: Io, talk: Talk): Day {
  return checkedDay(name, before(name, text, io, talk), io);
}

function before(name: string, text: string, io: Io, talk: Talk): Day {
  const day = parseDay(datedText(name, text, io, talk));
  if (day === undefined) throw new Problem('bad-input', `invalid '${name}' date: use YYYY-MM-DD format`);
  return addDays(day, -1);
}

function checkedDay(name: string, text: string, io: Io): Day {
  const now = io.clock();
  asOfParam().parse(text, name, { latest: latestDay(now), today: utcDay(now) });
  return text;
}
