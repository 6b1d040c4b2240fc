import type { Demands } from '../answering/basis.ts';
import { requestLimits } from '../client/remote/retry.ts';
import { Problem, refused } from '../errors/problem.ts';
import type { ArgumentSpec, CommandGroup, Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import type { Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { type OutputFlags, outputFormat } from '../render/output.ts';
import type { ConnectionFlags, MessageFlags, OtherLine, QueryLine } from './line.ts';

/** A command, declared once: parsing, help and completion are made from this. The default reads a question. */
export type CommandSpec<Line = QueryLine> = {
  /** The words that call it, such as `insider clusters`. */
  readonly words: string;
  readonly alias?: string;
  /** The heading that help lists it under, or its family if it has two words. */
  readonly heading: CommandGroup;
  readonly summary: string;
  /** What help says besides the summary. */
  readonly about?: string;
  /** What help shows: comments, each with a command line below it; `(needs …)` names a prerequisite. */
  readonly examples?: string;
  readonly args: readonly ArgumentSpec[];
  /** The flags in the order of help: the command's own, then those with a heading. */
  readonly flags: readonly Flag[];
  /** Reads a line as plain data; a bad value or a bad combination of flags is a Problem. */
  readonly read: (line: TypedLine) => Line;
};

/** A command of asof, which asks a question or does something else. */
export type AnyCommand = CommandSpec<QueryLine | OtherLine>;

/** The values of the flags under the heading Messages. */
export function messagesIn(line: TypedLine): MessageFlags {
  return { quiet: line.has('quiet'), verbose: line.has('verbose'), debug: line.has('debug') };
}

/** What `--exact` and `--max-age` demand of the data; an age is days, such as 3 or 3d. */
export function demandsIn(line: TypedLine): Demands {
  const maxAge = line.value('max-age', (text) => {
    const days = /^(\d{1,6})d?$/.exec(text)?.[1];
    if (days !== undefined) return Number(days);
    throw refused({ reason: 'use a number of days, 0 or more' });
  });
  return { ...(line.has('exact') && { exact: true }), ...(maxAge !== undefined && { maxAge }) };
}

function valueIn<T>(line: TypedLine, flag: string, { parse }: Value<T>): T | undefined {
  return line.value(flag, (text) => parse(text, flag, line.clock));
}

/** The values of the flags under the heading Connection. */
export function connectionIn(line: TypedLine): ConnectionFlags {
  const [store, baseUrl] = [line.text('store'), line.text('base-url')];
  if (store !== undefined && baseUrl !== undefined)
    throw new Problem('bad-input', 'use either --base-url (a service) or --store (a file or a database)');
  return defined({
    store,
    baseUrl,
    timeout: valueIn(line, 'timeout', requestLimits.timeout),
    retries: valueIn(line, 'retries', requestLimits.retries),
    maxWait: valueIn(line, 'max-wait', requestLimits.maxWait),
  });
}

/** The values of the flags under the heading Output. */
export function outputIn(line: TypedLine): OutputFlags {
  const typedFormat = valueIn(line, 'format', outputFormat);
  const formats = [
    ...(typedFormat === undefined ? [] : [typedFormat]),
    ...(line.has('csv') ? (['csv'] as const) : []),
    ...(line.has('json') ? (['json'] as const) : []),
  ];
  if (new Set(formats).size > 1) throw new Problem('bad-input', `two formats: ${formats.join(' and ')}`);
  const [format] = formats;
  return {
    ...defined({ format, file: fileIn(line), columns: line.text('columns')?.split(',') }),
    header: !line.has('no-header'),
    ...(line.has('double') && { double: true }),
    everything: line.has('all'),
    plot: line.has('plot'),
    ...chartIn(line),
    failEmpty: line.has('fail-empty'),
    colour: !line.has('no-color'),
  };
}

/** How a chart looks, where the line says it. */
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

/** The file that `-o` names, or undefined for stdout. */
export function fileIn(line: TypedLine): string | undefined {
  const file = line.text('output');
  if (file === '') throw new Problem('bad-input', '--output "": use the name of a file, or - for stdout');
  return file === '-' ? undefined : file;
}
