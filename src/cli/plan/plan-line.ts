import type { Command, Option } from 'commander';
import { type Day, parseDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { operations } from '../../operations/index.ts';
import { formatForFile } from '../../render/formats.ts';
import type { PlanLine } from '../../snapshot/plan.ts';
import type { Shell, Understood } from '../shell.ts';
import type { Io } from '../terminal/io.ts';
import { isOfKnowledge, laterThan } from './bounded-client.ts';
import { lineIo } from './line-io.ts';
import { rehearse } from './rehearsal.ts';

/** A line of a plan that was checked, and whose command says itself of which day it is. */
export type BoundLine = PlanLine & { readonly asOf: Day };

const ofTheRun = 'it is a flag of the snapshot as a whole';

/** Flags that have no place in a plan, by their names without dashes, and why. */
const refused: Readonly<Record<string, string>> = {
  output: 'the line begins with the name of its file',
  store: ofTheRun,
  'base-url': ofTheRun,
  timeout: ofTheRun,
  retries: ofTheRun,
  'max-wait': ofTheRun,
  quiet: ofTheRun,
  verbose: ofTheRun,
  debug: ofTheRun,
  'known-before': 'the snapshot has one day of knowledge; --as-of names an earlier one',
  cursor: 'it continues an answer of another time',
  'dry-run': 'the line has a file to write',
  'exit-code': 'the line has a file to write',
};

/**
 * The line with the day of the snapshot in its command; a Problem where it is no command that reads, cannot be kept to
 * the day, asks for a later one, or would be refused when it runs. Nothing is asked of any data.
 */
export async function boundLine(line: PlanLine, day: Day, shell: Shell, io: Io): Promise<BoundLine> {
  if (line.words[0] === 'asof')
    throw new Problem('bad-input', "every command of a plan is one of asof: leave out 'asof'");
  // What is added to the line would be taken for arguments.
  if (line.words.includes('--')) throw new Problem('bad-input', "'--' has no place in a plan");
  const understood = await shell.understand(line.words, lineIo(io));
  if (understood === undefined)
    throw new Problem('bad-input', `'${line.words.join(' ')}' is no command that reads data`);
  const { command } = understood;
  const flag = boundingFlag(understood);
  const typed = typedOptions(command);
  for (const { long } of typed) {
    const reason = refused[nameOf(long)];
    if (reason !== undefined) throw new Problem('bad-input', `${long} has no place in a plan: ${reason}`);
  }
  refuseMovingDays(flag, command, typed);
  refuseLaterDays(understood, typed, day);
  refuseUnnamedFormat(line, command);
  const words = [...line.words, ...boundTo(day, flag, command, typed)];
  await rehearse({ ...line, words }, { day, shell, io });
  const asOf = command.getOptionValue('asOf');
  return { ...line, words, asOf: typeof asOf === 'string' ? asOf : day };
}

/** The options that were typed. */
function typedOptions(command: Command): readonly Option[] {
  return command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
}

function nameOf(long: string | undefined): string {
  return (long ?? '').replace(/^--(no-)?/, '');
}

/** `today` would be another day in each run, and when the snapshot is verified. */
function refuseMovingDays(flag: string | undefined, command: Command, typed: readonly Option[]): void {
  const days = typed.filter(takesDay).map((option) => command.getOptionValue(option.attributeName()));
  const named = flag === undefined ? command.args : [];
  if (![...days, ...named].includes('today')) return;
  throw new Problem('bad-input', "'today' has no place in a plan: the day of the snapshot bounds every line");
}

function takesDay({ flags }: Option): boolean {
  return flags.endsWith('<date>');
}

function refuseLaterDays({ words, command }: Understood, typed: readonly Option[], day: Day): void {
  const params = operations.find((operation) => operation.command.words === words)?.params;
  for (const option of typed.filter(takesDay)) {
    const name = nameOf(option.long);
    const text = String(command.getOptionValue(option.attributeName()));
    const ofKnowledge = name === 'as-of' || isOfKnowledge(params?.[name]);
    if (ofKnowledge && parseDay(text) !== undefined && text > day) throw laterThan(day, name, text);
  }
}

function refuseUnnamedFormat({ name }: PlanLine, command: Command): void {
  const { format, csv, json } = command.opts();
  if (format !== undefined || csv === true || json === true || formatForFile(name) !== undefined) return;
  throw new Problem('bad-input', `the name of ${name} tells no format`, {
    hints: ['end it in .csv or the like, or add --format'],
  });
}

/** The flag that keeps the command to a day, undefined where its arguments do; a Problem where nothing does. */
function boundingFlag({ words, command, boundBy }: Understood): string | undefined {
  if (boundBy !== undefined) return boundBy(command.opts());
  if (!operations.some((operation) => operation.command.words === words))
    throw new Problem('bad-input', `'${words}' is no command that reads data`);
  const flag = ['as-of', 'to', 'date'].find((name) => hasFlag(command, name));
  if (flag !== undefined) return flag;
  throw new Problem('bad-input', `'${words}' cannot be kept to what was known on a day`);
}

function hasFlag(command: Command, name: string): boolean {
  return command.options.some(({ long }) => long === `--${name}`);
}

/** The flag with the day, where the line does not name one itself. */
function boundTo(
  day: Day,
  flag: string | undefined,
  command: Command,
  typed: readonly Option[],
): readonly string[] {
  const says = (name: string) => typed.some(({ long }) => long === `--${name}`);
  if (flag === undefined || says(flag)) return [];
  // Without a date, a curve is the newest one up to today.
  const nearest = hasFlag(command, 'on-or-before') && !says('on-or-before') ? ['--on-or-before'] : [];
  return [`--${flag}`, day, ...nearest];
}
