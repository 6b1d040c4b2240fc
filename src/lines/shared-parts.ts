import type { Demands } from '../answering/basis.ts';
import { demandParams, splitDemands } from '../answering/question.ts';
import { requestLimits } from '../client/remote/exchange.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import { asOfFlag, type Param } from '../operations/param.ts';
import type { Flag, TypedLine } from '../operations/typed-line.ts';
import { integer } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { skipMissing as skipMissingParam } from '../questions/series/shared.ts';
import { formatNames, type OutputFlags, outputFormat } from '../render/output.ts';
import { type LinePart, option, textOption, together, toggle } from './command.ts';
import { paramFlags, typedValue } from './param-flags.ts';

const group = 'Output';

const file: LinePart<string | undefined> = {
  flags: [
    {
      name: 'output',
      short: 'o',
      value: 'file',
      complete: 'files',
      about: 'file to write, complete or not at all; - is stdout',
      group,
    },
  ],
  read(line) {
    const named = line.text('output');
    if (named === '') throw new Problem('bad-input', '--output "": use the name of a file, or - for stdout');
    return named === '-' ? undefined : named;
  },
};

const format = option(
  'format',
  `${formatNames.join(', ')} (default table on a terminal, csv elsewhere)`,
  outputFormat,
  { short: 'f', complete: formatNames, group },
);

/** Declares a flag without a value; its part is undefined if the flag was not typed. */
function mark(name: string, about: string): LinePart<true | undefined> {
  return { flags: [{ name, about }], read: (line) => line.has(name) || undefined };
}

const chart = together(
  {
    width: option('width', 'width of a chart, in columns or in units of the picture', integer(1)),
    height: option('height', 'height of a chart, in lines or in units of the picture', integer(1)),
    title: textOption('title', 'text', 'title of a chart'),
    grey: mark('grey', 'draw a picture in shades of grey, for print'),
    log: mark('log', 'draw values on a logarithmic scale'),
    index: option('index', 'scale each line to this value at the first common date, such as 100', {
      placeholder: 'n',
      parse(text) {
        if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text);
        throw refused({ reason: 'use a number above 0, such as 100' });
      },
    }),
    recessions: mark('recessions', 'shade the recessions that were known on the as-of date'),
  },
  group,
);

/** The flags of rows that can be drawn, which `output` reads. */
export const chartFlags: readonly Flag[] = [
  { name: 'plot', about: 'draw a chart on the terminal; -o chart.svg draws into a file', group },
  ...chart.flags,
];

/** The flags for an output of rows: format, file, columns. */
export const output: LinePart<OutputFlags> = {
  flags: [
    ...format.flags,
    { name: 'csv', about: 'same as --format csv', group },
    { name: 'json', about: 'same as --format json; errors are problem documents', group },
    ...file.flags,
    {
      name: 'columns',
      value: 'names',
      complete: 'columns',
      about: 'columns to show, separated by commas; all for every column',
      group,
    },
    { name: 'no-header', about: 'omit the header line', group },
    { name: 'double', about: 'Parquet: numbers as DOUBLE, not as exact DECIMAL', group },
    { name: 'fail-empty', about: 'exit with code 9 when there are no rows', group },
    { name: 'no-color', about: 'disable colors', group },
  ],
  read(line) {
    const typed = format.read(line);
    const formats = new Set([
      ...(typed === undefined ? [] : [typed]),
      ...(['csv', 'json'] as const).filter((name) => line.has(name)),
    ]);
    if (formats.size > 1) throw new Problem('bad-input', `use one format: ${[...formats].join(' or ')}`);
    const [named] = formats;
    const drawn = defined(chart.read(line));
    return {
      ...defined({ format: named, file: file.read(line), columns: line.text('columns')?.split(',') }),
      header: !line.has('no-header'),
      ...(line.has('double') && { double: true }),
      everything: line.has('all'),
      plot: line.has('plot'),
      ...(Object.keys(drawn).length > 0 && { chart: drawn }),
      failEmpty: line.has('fail-empty'),
      colour: !line.has('no-color'),
    };
  },
};

/** Returns the part of an output with some of its flags. */
export function outputWith(names: readonly string[]): LinePart<OutputFlags> {
  return { ...output, flags: output.flags.filter(({ name }) => names.includes(name)) };
}

/** Declares `--as-of`, whose day must have begun. */
export function asOf(about: string): LinePart<Day | undefined> {
  return { flags: [{ ...asOfFlag, about }], read: (line) => line.asOf() };
}

export const skipMissing: LinePart<boolean> = {
  flags: paramFlags('skip_missing', skipMissingParam),
  read: (line) => line.has('skip-missing'),
};

const demanded = Object.entries<Param>(demandParams);

/** The flags for what an answer must be based on. */
export const demands: LinePart<Demands> = {
  flags: demanded.flatMap(([name, param]) => paramFlags(name, param)),
  read(line) {
    const values = demanded.map(([name, param]) => [name, typedValue(name, param, line)]);
    return splitDemands(Object.fromEntries(values)).demands;
  },
};

/** The flag for the store to use. */
export const store = textOption('store', 'path', 'store to use: a file, or postgres://… (or ASOF_STORE)', {
  complete: 'files',
  group: 'Connection',
});

const source = together(
  {
    store,
    baseUrl: textOption('base-url', 'url', 'service to ask (or ASOF_BASE_URL)'),
    timeout: option('timeout', 'time limit of each attempt (default 30)', requestLimits.timeout),
    retries: option('retries', 'retries after transient failures (default 2)', requestLimits.retries),
    maxWait: option(
      'max-wait',
      'longest wait when the service says when to retry (default 60)',
      requestLimits.maxWait,
    ),
  },
  'Connection',
);

/** The flags for the store or service, and the waits; the environment and the settings decide the rest. */
export const connection = {
  ...source,
  read(line: TypedLine) {
    const flags = source.read(line);
    if (flags.store !== undefined && flags.baseUrl !== undefined)
      throw new Problem('bad-input', 'use either --base-url (a service) or --store (a file or a database)');
    return defined(flags);
  },
};

export type ConnectionFlags = ReturnType<typeof connection.read>;

/** The flags for how much a command writes to stderr. */
export const messages = together(
  {
    quiet: toggle('quiet', 'print no notes', 'q'),
    verbose: toggle('verbose', 'print requests, rows and times', 'v'),
    debug: toggle('debug', 'print headers too; keys are redacted'),
  },
  'Messages',
);
