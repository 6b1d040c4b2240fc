import { type Command, InvalidArgumentError, Option } from 'commander';
import { Problem } from '../../errors/problem.ts';
import {
  checkFormat,
  formatForFile,
  formatNames,
  type OutputFormat,
  parseFormat,
} from '../../render/formats.ts';
import { readSettings, retryCount, timeoutSeconds, waitSeconds } from '../config/settings.ts';
import { type Io, variable } from '../terminal/io.ts';

/** The flags that every command takes which gives data, as commander reads them. */
export type DataFlags = {
  readonly format?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly output?: string;
  readonly columns?: readonly string[];
  readonly header: boolean;
  readonly store?: string;
  readonly failEmpty?: boolean;
  readonly plot?: boolean;
  readonly color: boolean;
} & TalkFlags &
  RemoteFlags;

/** The flags that matter only where a service is asked. */
export type RemoteFlags = {
  readonly baseUrl?: string;
  readonly timeout?: number;
  readonly retries?: number;
  readonly maxWait?: number;
};

/** The flags that say how much a command says on stderr. */
export type TalkFlags = { readonly quiet?: boolean; readonly verbose?: boolean; readonly debug?: boolean };

/** What the user decided about the output of a command, with nothing left open. */
export type OutputChoice = {
  readonly format: OutputFormat;
  /** The file to write, or undefined for stdout. */
  readonly file: string | undefined;
  /** Whether the output goes to a terminal. */
  readonly onTerminal: boolean;
  /** Whether a chart in text is drawn in place of rows; svg is a chart of its own. */
  readonly plot: boolean;
  /** Whether it is rows for a person there, who is shown a screenful and told of the rest. */
  readonly terminal: boolean;
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
  readonly failEmpty: boolean;
  /** Whether JSON names the request that was answered. */
  readonly requestId: boolean;
};

/** Adds the flags of every command that gives data. */
export function withDataFlags(command: Command): Command {
  return withTalkFlags(withRemoteFlags(withStoreFlag(command)))
    .option('-f, --format <format>', `${formatNames.join(', ')} (table on a terminal, else csv)`)
    .option('--csv', 'the same as --format csv')
    .option('--json', 'the same as --format json; errors as problem documents')
    .option('-o, --output <file>', 'write to a file, complete or not at all; - is stdout')
    .option('--columns <names>', 'columns, separated by commas', (names: string) => names.split(','))
    .option('--no-header', 'leave out the header line')
    .option('--fail-empty', 'exit 9 when there are no rows')
    .option('--no-color', 'no colours');
}

/** Adds the flag that names the embedded store. */
export function withStoreFlag(command: Command): Command {
  return command.option('--store <path>', 'the embedded store (or ASOF_STORE)');
}

/** Adds the flags that name a service and say how patient to be with it. */
export function withRemoteFlags(command: Command): Command {
  return command
    .option('--base-url <url>', 'ask the service there (or ASOF_BASE_URL)')
    .option('--timeout <seconds>', 'for one try of a request to a service (30)', timeoutSeconds)
    .option('--retries <n>', 'further tries after a failure that may pass (2)', retryCount)
    .option('--max-wait <seconds>', 'wait so long where a service says when to ask again (60)', waitSeconds);
}

/** Adds the flags that say how much is said on stderr. */
export function withTalkFlags(command: Command): Command {
  return command
    .option('-q, --quiet', 'no notes on stderr')
    .option('-v, --verbose', 'say on stderr what was done')
    .option('--debug', 'everything -v says, and more');
}

/** A flag whose value is an integer of at least 1. */
export function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Use an integer from 1 on.');
    return Number(text);
  });
}

/**
 * The output that the flags and the environment ask for: flag, then `-o`'s extension, then environment, then setting, then
 * the terminal. svg is refused where rows are not `drawable`.
 */
export function outputChoice(flags: DataFlags, io: Io, drawable = false): OutputChoice {
  const file = outputFile(flags);
  const onTerminal = file === undefined && io.stdout.isTTY === true;
  const named = flagFormat(flags) ?? fileFormat(file);
  const plot = flags.plot === true && named !== 'svg';
  // What was typed goes before what the environment says.
  const format = named ?? (plot ? 'table' : environmentFormat(io)) ?? (onTerminal ? 'table' : 'csv');
  if (format === 'svg' && !drawable) throw notDrawn();
  checkFormat(format, { header: flags.header, onTerminal });
  return {
    format,
    file,
    onTerminal,
    plot,
    terminal: onTerminal && format === 'table' && !plot,
    columns: flags.columns,
    header: flags.header,
    colour: file === undefined && wantsColour(flags, io, onTerminal),
    width: onTerminal ? io.stdout.columns || 80 : undefined,
    failEmpty: flags.failEmpty === true,
    requestId: io.runner === undefined,
  };
}

function notDrawn(): Problem {
  return new Problem('bad-input', 'svg is a chart, and what this command gives has none', {
    field: 'format',
    hints: ['observations, revisions, spread and curve can be drawn', '--format chooses another'],
  });
}

/** The file that `-o` names, or undefined for stdout. */
export function outputFile({ output }: Pick<DataFlags, 'output'>): string | undefined {
  if (output === '') throw new Problem('bad-input', '-o needs the name of a file, or - for stdout');
  return output === '-' ? undefined : output;
}

function flagFormat(flags: DataFlags): OutputFormat | undefined {
  const asked = [
    ...(flags.format === undefined ? [] : [parseFormat(flags.format)]),
    ...(flags.csv === true ? ['csv' as const] : []),
    ...(flags.json === true ? ['json' as const] : []),
  ];
  if (new Set(asked).size > 1)
    throw new Problem('bad-input', `two formats are asked for: ${asked.join(' and ')}`);
  return asked[0];
}

function fileFormat(file: string | undefined): OutputFormat | undefined {
  return file === undefined ? undefined : formatForFile(file);
}

function environmentFormat(io: Io): OutputFormat | undefined {
  const name = variable(io, 'ASOF_FORMAT');
  return name === undefined ? readSettings(io).format : parseFormat(name);
}

function wantsColour(flags: DataFlags, io: Io, onTerminal: boolean): boolean {
  if (!flags.color || variable(io, 'NO_COLOR') !== undefined) return false;
  const forced = variable(io, 'FORCE_COLOR');
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return onTerminal && io.env.TERM !== 'dumb';
}
