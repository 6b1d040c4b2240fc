import type { Demands } from '../answering/basis.ts';
import { requestLimits } from '../client/remote/retry.ts';
import type { Day } from '../domain/series/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import { asOfFlag } from '../operations/param.ts';
import type { Flag, TypedLine } from '../operations/typed-line.ts';
import type { Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { skipMissing as skipMissingParam } from '../questions/series/shared.ts';
import { formatNames, type OutputFlags, outputFormat } from '../render/output.ts';
import { type LinePart, textOption } from './command.ts';
import type { ConnectionFlags, MessageFlags } from './line.ts';
import { paramFlags } from './param-flags.ts';

const group = 'Output';

const formatFlags: readonly Flag[] = [
  {
    name: 'format',
    short: 'f',
    value: 'format',
    complete: formatNames,
    about: `${formatNames.join(', ')} (default table on a terminal, csv elsewhere)`,
    group,
  },
  { name: 'csv', about: 'same as --format csv', group },
  { name: 'json', about: 'same as --format json; errors are problem documents', group },
];

/** The file to write; undefined for stdout. */
export const file: LinePart<string | undefined> = {
  flags: [
    {
      name: 'output',
      short: 'o',
      value: 'file',
      complete: 'files',
      about: 'file to write; it appears when it is complete; - is stdout',
      group,
    },
  ],
  read(line) {
    const named = line.text('output');
    if (named === '') throw new Problem('bad-input', '--output "": use the name of a file, or - for stdout');
    return named === '-' ? undefined : named;
  },
};

const rowFlags: readonly Flag[] = [
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
];

/** Format, file, columns and the rest of an output of rows. */
export const output: LinePart<OutputFlags> = {
  flags: [...formatFlags, ...file.flags, ...rowFlags],
  read(line) {
    const typedFormat = valueIn(line, 'format', outputFormat);
    const formats = [
      ...(typedFormat === undefined ? [] : [typedFormat]),
      ...(line.has('csv') ? (['csv'] as const) : []),
      ...(line.has('json') ? (['json'] as const) : []),
    ];
    if (new Set(formats).size > 1) throw new Problem('bad-input', `two formats: ${formats.join(' and ')}`);
    const [format] = formats;
    return {
      ...defined({ format, file: file.read(line), columns: line.text('columns')?.split(',') }),
      header: !line.has('no-header'),
      ...(line.has('double') && { double: true }),
      everything: line.has('all'),
      plot: line.has('plot'),
      ...chartIn(line),
      failEmpty: line.has('fail-empty'),
      colour: !line.has('no-color'),
    };
  },
};

/** The part of an output that has only flags with these names. */
export function outputWith(names: readonly string[]): LinePart<OutputFlags> {
  return { ...output, flags: output.flags.filter(({ name }) => names.includes(name)) };
}

function chartIn(line: TypedLine): Pick<OutputFlags, 'chart'> {
  const [width, height, title] = [line.count('width'), line.count('height'), line.text('title')];
  const index = line.value('index', (text) => {
    if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text);
    throw refused({ reason: 'use a number above 0, such as 100' });
  });
  const chart = {
    ...defined({ width, height, title, index }),
    ...(line.has('grey') && { grey: true }),
    ...(line.has('log') && { log: true }),
    ...(line.has('recessions') && { recessions: true }),
  };
  return Object.keys(chart).length === 0 ? {} : { chart };
}

/** The day that `--as-of` names, which must have begun. */
export function asOf(about: string): LinePart<Day | undefined> {
  return { flags: [{ ...asOfFlag, about }], read: (line) => line.asOf() };
}

/** Whether ids that no series has are left out. */
export const skipMissing: LinePart<boolean> = {
  flags: paramFlags('skip_missing', skipMissingParam),
  read: (line) => line.has('skip-missing'),
};

/** What an answer must be based on. */
export const demands: LinePart<Demands> = {
  flags: [
    {
      name: 'exact',
      about:
        'refuse answers from sampled or fetched vintages: their days are not days of publication (exit 9)',
      group,
    },
    {
      name: 'max-age',
      value: 'days',
      about: 'refuse data that end more than this many days before the day asked for (exit 9)',
      group,
    },
  ],
  read(line) {
    const maxAge = line.value('max-age', (text) => {
      const days = /^(\d{1,6})d?$/.exec(text)?.[1];
      if (days !== undefined) return Number(days);
      throw refused({ reason: 'use a number of days, 0 or more' });
    });
    return { ...(line.has('exact') && { exact: true }), ...(maxAge !== undefined && { maxAge }) };
  },
};

/** The store to use, if the line names one. */
export const store = textOption({
  name: 'store',
  value: 'path',
  complete: 'files',
  about: 'store to use: a file, or postgres://… (or ASOF_STORE)',
  group: 'Connection',
});

/** Which store or service to ask. */
export const connection: LinePart<ConnectionFlags> = {
  flags: [
    ...store.flags,
    {
      name: 'base-url',
      value: 'url',
      about: 'service to ask (or ASOF_BASE_URL)',
      group: 'Connection',
    },
    {
      name: 'timeout',
      value: 'seconds',
      about: 'time limit of each try of a request (default 30)',
      group: 'Connection',
    },
    {
      name: 'retries',
      value: 'n',
      about: 'retries after transient failures (default 2)',
      group: 'Connection',
    },
    {
      name: 'max-wait',
      value: 'seconds',
      about: 'longest wait when the service says when to retry (default 60)',
      group: 'Connection',
    },
  ],
  read(line) {
    const [named, baseUrl] = [store.read(line), line.text('base-url')];
    if (named !== undefined && baseUrl !== undefined)
      throw new Problem('bad-input', 'use either --base-url (a service) or --store (a file or a database)');
    return defined({
      store: named,
      baseUrl,
      timeout: valueIn(line, 'timeout', requestLimits.timeout),
      retries: valueIn(line, 'retries', requestLimits.retries),
      maxWait: valueIn(line, 'max-wait', requestLimits.maxWait),
    });
  },
};

function valueIn<T>(line: TypedLine, flag: string, { parse }: Value<T>): T | undefined {
  return line.value(flag, (text) => parse(text, flag, line.clock));
}

/** How much is written to stderr. */
export const messages: LinePart<MessageFlags> = {
  flags: [
    { name: 'quiet', short: 'q', about: 'print no notes', group: 'Messages' },
    { name: 'verbose', short: 'v', about: 'print requests, rows and times', group: 'Messages' },
    { name: 'debug', about: 'print headers too; keys are redacted', group: 'Messages' },
  ],
  read: (line) => ({ quiet: line.has('quiet'), verbose: line.has('verbose'), debug: line.has('debug') }),
};
