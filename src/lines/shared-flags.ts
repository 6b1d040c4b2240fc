import type { Flag } from '../operations/flag.ts';
import { asOfFlag } from '../operations/params.ts';
import { skipMissing, sortParam, unitsParams } from '../questions/series/shared.ts';
import { formatNames } from '../render/output.ts';
import { paramFlags } from './param-flags.ts';

const output = 'Output';
const connection = 'Connection';
const messages = 'Messages';

const format: readonly Flag[] = [
  {
    name: 'format',
    short: 'f',
    value: 'format',
    complete: formatNames,
    about: `${formatNames.join(', ')} (default table on a terminal, csv elsewhere)`,
    group: output,
  },
  { name: 'csv', about: 'same as --format csv', group: output },
  { name: 'json', about: 'same as --format json; errors are problem documents', group: output },
];

const file: Flag = {
  name: 'output',
  short: 'o',
  value: 'file',
  complete: 'files',
  about: 'file to write; it appears when it is complete; - is stdout',
  group: output,
};

const all: Flag = { name: 'all', about: 'show all rows, on a terminal too', group: output };

const rows: readonly Flag[] = [
  {
    name: 'columns',
    value: 'names',
    complete: 'columns',
    about: 'columns to show, separated by commas; all for every column',
    group: output,
  },
  { name: 'no-header', about: 'omit the header line', group: output },
  { name: 'double', about: 'Parquet: numbers as DOUBLE, not as exact DECIMAL', group: output },
  { name: 'fail-empty', about: 'exit with code 9 when there are no rows', group: output },
  { name: 'no-color', about: 'disable colors', group: output },
];

const demands: readonly Flag[] = [
  {
    name: 'exact',
    about: 'refuse answers from sampled or fetched vintages: their days are not days of publication (exit 9)',
    group: output,
  },
  {
    name: 'max-age',
    value: 'days',
    about: 'refuse data that end more than this many days before the day asked for (exit 9)',
    group: output,
  },
];

const store: Flag = {
  name: 'store',
  value: 'path',
  complete: 'files',
  about: 'store to use: a file, or postgres://… (or ASOF_STORE)',
  group: connection,
};

const remote: readonly Flag[] = [
  { name: 'base-url', value: 'url', about: 'service to ask (or ASOF_BASE_URL)', group: connection },
  {
    name: 'timeout',
    value: 'seconds',
    about: 'time limit of each try of a request (default 30)',
    group: connection,
  },
  {
    name: 'retries',
    value: 'n',
    about: 'retries after transient failures (default 2)',
    group: connection,
  },
  {
    name: 'max-wait',
    value: 'seconds',
    about: 'longest wait when the service says when to retry (default 60)',
    group: connection,
  },
];

const quiet: Flag = { name: 'quiet', short: 'q', about: 'print no notes', group: messages };

const amount: readonly Flag[] = [
  quiet,
  { name: 'verbose', short: 'v', about: 'print requests, rows and times', group: messages },
  { name: 'debug', about: 'print headers too; keys are redacted', group: messages },
];

/** The flags of a command with charts besides `--plot`. */
const chartFlags = [
  {
    name: 'width',
    value: 'n',
    about: 'width of a chart, in columns or in units of the picture',
    group: output,
  },
  {
    name: 'height',
    value: 'n',
    about: 'height of a chart, in lines or in units of the picture',
    group: output,
  },
  { name: 'title', value: 'text', about: 'title of a chart', group: output },
  { name: 'grey', about: 'draw a picture in shades of grey, for print', group: output },
  { name: 'log', about: 'draw values on a logarithmic scale', group: output },
  {
    name: 'index',
    value: 'n',
    about: 'scale each line to this value at the first common date, such as 100',
    group: output,
  },
  { name: 'recessions', about: 'shade the recessions that were known on the as-of date', group: output },
] as const satisfies readonly Flag[];

/** The flags that several commands share, each with its heading in help. */
export const sharedFlags = {
  /** Format, file, columns and the rest of an output of rows. */
  output: [...format, file, ...rows],
  format,
  /** What an answer must be based on. */
  demands,
  /** What is made of the values of series. */
  units: Object.entries(unitsParams).flatMap(([name, param]) => paramFlags(name, param)),
  file,
  all,
  store,
  remote,
  /** Which store or service to ask. */
  connection: [store, ...remote],
  quiet,
  messages: amount,
  asOf: asOfFlag,
  skipMissing: paramFlags('skip_missing', skipMissing),
  sort: sortParam.typed.flags,
  plot: {
    name: 'plot',
    about: 'draw a chart as wide as the terminal; -o chart.svg draws into a file',
    group: output,
  },
  charts: chartFlags,
  dryRun: { name: 'dry-run', about: 'only print how many requests it takes' },
  access: {
    name: 'access',
    value: 'path',
    complete: 'files',
    about: 'file of keys and their usage, or postgres://… (or ASOF_ACCESS)',
  },
} as const satisfies Readonly<Record<string, Flag | readonly Flag[]>>;
