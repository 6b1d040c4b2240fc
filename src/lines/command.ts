import type { Demands } from '../answering/basis.ts';
import { demandParams, type Query, splitDemands } from '../answering/question.ts';
import { requestLimits } from '../client/remote/settings.ts';
import type { Day, DayOfPeriod } from '../domain/values/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import { asOfFlag, flagName, type Param } from '../operations/param.ts';
import type {
  ArgumentSpec,
  CommandGroup,
  CommandWords,
  Flag,
  LinePart,
  TypedLine,
} from '../operations/typed-line.ts';
import { duration, integer, type Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { skipMissing as skipMissingParam } from '../questions/series/shared.ts';
import { formatNames, type OutputFlags, outputFormat } from '../render/output.ts';

/** Declares a flag with a value, or several joined by commas; help and completion use the value's names. */
export function option<T>(
  name: string,
  about: string,
  { placeholder, complete, parse }: Pick<Value<T>, 'complete' | 'parse' | 'placeholder'>,
  more: Partial<Flag> = {},
): LinePart<T | undefined> {
  return {
    flags: [{ name, about, ...defined({ value: placeholder, complete }), ...more }],
    read: (line) => line.value(name, () => parse(line.texts(name).join(','), name, line.clock)),
  };
}

/** Declares a flag with a text as its value, which help calls `value`. */
export function textOption(
  name: string,
  value: string,
  about: string,
  more: Partial<Flag> = {},
): LinePart<string | undefined> {
  return { flags: [{ name, about, value, ...more }], read: (line) => line.text(name) };
}

/** Declares a flag with a date as its value, also in words; a period stands for `dayOfPeriod`. */
export function dayOption(name: string, about: string, dayOfPeriod?: DayOfPeriod): LinePart<Day | undefined> {
  return {
    flags: [{ name, about, value: 'date', complete: 'days' }],
    read: (line) => line.day(name, dayOfPeriod),
  };
}

/** Declares a flag without a value. */
export function toggle(name: string, about: string, short?: string): LinePart<boolean> {
  return { flags: [{ name, about, ...defined({ short }) }], read: (line) => line.has(name) };
}

/** The flag of commands that import: how long imports can be undone. */
export const keepUndoOption = option(
  'keep-undo',
  'how long imports can be undone, such as 90d (default: for ever)',
  duration,
);

type LineParts = { readonly [name: string]: LinePart };

export type PartValues<P extends LineParts> = { readonly [K in keyof P]: ReturnType<P[K]['read']> };

/** Joins parts; help lists their flags under `group`, if there is one. */
export function together<P extends LineParts>(parts: P, group?: Flag['group']): LinePart<PartValues<P>> {
  return {
    flags: Object.values(parts).flatMap(({ flags }) =>
      flags.map((flag) => ({ ...flag, ...defined({ group }) })),
    ),
    read(line) {
      const values = Object.entries(parts).map(([name, { read }]) => [name, read(line)]);
      // Each value belongs to the part with its name.
      return Object.fromEntries(values) as PartValues<P>;
    },
  };
}

/** A command that asks for data. */
export type QueryLine = {
  readonly command: 'query';
  readonly words: string;
  readonly query: Query;
  readonly demands: Demands;
  readonly output: OutputFlags;
  readonly connection: ConnectionFlags;
  readonly messages: ReturnType<typeof messages.read>;
  readonly dryRun: boolean;
  /** True to exit with 1 if there are rows. */
  readonly exitCode: boolean;
  readonly typed: readonly string[];
  readonly resolved: TypedLine['resolved'];
};

/** Help on a command, on a topic, or on asof. */
export type HelpLine = {
  readonly command: 'help';
  readonly words: readonly string[];
  /** True if a family lacks its second word, so that help is the error message. */
  readonly isMistake: boolean;
};

type OtherLine = { readonly command: 'other' };

/** A command, from which parsing, help and completion follow. */
export type CommandSpec<Line = QueryLine> = CommandWords & {
  /** Its heading in help; a family of commands has its own. */
  readonly heading?: CommandGroup;
  readonly args: readonly ArgumentSpec[];
  /** The flags in the order of help: the command's own, then those with a heading. */
  readonly flags: readonly Flag[];
  readonly read: (line: TypedLine) => Line;
};

/** A command of asof. */
export type AnyCommand = CommandSpec<QueryLine | OtherLine>;

/** Returns how a line gives a parameter, usually by one flag with its name. `fallback` is the default of a command. */
export function paramPart(name: string, param: Param, fallback?: unknown): LinePart {
  return (
    param.typed ?? {
      flags: [flagOf(name, param, fallback)],
      read: (line) => (line.has(flagName(name, param)) ? typedValue(name, param, line) : undefined),
    }
  );
}

function flagOf(name: string, param: Param, fallback: unknown): Flag {
  const { placeholder, help, required, description, schema, complete } = param;
  const choices = choicesOf(param);
  const shown = fallback ?? schema.default;
  const flag = {
    name: flagName(name, param),
    about: phrase(description),
    ...(shown !== undefined && { fallback: String(shown) }),
    ...(required && { required }),
    ...help,
  };
  // A switch stands for the only value of its parameter.
  if (choices?.length === 1 || placeholder === undefined) return flag;
  // Completion offers the words of a placeholder such as `par|tips` in the letter case that is typed.
  const words = complete ?? (placeholder.includes('|') ? undefined : choices);
  return {
    value: placeholder.toLowerCase(),
    accepts: accepting(name, param),
    ...defined({ complete: words }),
    ...flag,
  };
}

/** Tells whether a parameter of limited values, such as dates or maturities, accepts a text. */
function accepting(name: string, param: Param): (text: string) => boolean {
  const anyTime = { now: '2999-12-31T00:00:00Z', today: '2999-12-31', latest: '2999-12-31' };
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

function asListed(param: Param, text: string): string {
  return choicesOf(param)?.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? text;
}

function phrase(sentence: string): string {
  const start = /^[A-Z](?![A-Z])/.test(sentence) ? sentence.slice(0, 1).toLowerCase() : sentence.slice(0, 1);
  return start + sentence.slice(1).replace(/\.$/, '');
}

function choicesOf({ schema }: Param): readonly string[] | undefined {
  return schema.enum as readonly string[] | undefined;
}

function typedValue(name: string, param: Param, line: TypedLine): unknown {
  const { placeholder, schema, bounds, ofPeriod } = param;
  const flag = flagName(name, param);
  if (schema.format === 'date') {
    // A period stands for its first day as the beginning of a range, or as the date that names it.
    const isFirst = bounds?.is === 'from' || ofPeriod === true;
    return line.day(flag, bounds?.is === 'to' ? 'last' : isFirst ? 'first' : undefined);
  }
  const choices = choicesOf(param);
  if (choices?.length === 1) return choices[0];
  if (placeholder === undefined) return true;
  return line.value(flag, (text) => param.parse(asListed(param, text), name, line.clock));
}

const group = 'Output';

const file = textOption('output', 'file', 'file to write, complete or not at all; - is stdout', {
  ...{ short: 'o', complete: 'files', group },
});

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
    index: option('index', 'scale each line to this value at the first common date; not for a curve', {
      placeholder: 'n',
      parse(text) {
        if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text);
        throw refused({ reason: 'use a number above 0, such as 100' });
      },
    }),
    recessions: mark('recessions', 'shade the recessions known on the as-of date; not for a curve'),
  },
  'Charts',
);

/** The flags of rows that can be drawn, which `output` reads. */
export const chartFlags: readonly Flag[] = [
  { name: 'plot', about: 'draw a chart on the terminal; -o chart.svg draws into a file', group: 'Charts' },
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
    const named = file.read(line);
    if (named === '') throw new Problem('bad-input', '--output "": use the name of a file, or - for stdout');
    const drawn = defined(chart.read(line));
    return {
      ...defined({ format: [...formats][0], file: named === '-' ? undefined : named }),
      ...defined({ columns: line.text('columns')?.split(',') }),
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

/** Returns a part with some of its flags. */
export function partOf<T>(part: LinePart<T>, names: readonly string[]): LinePart<T> {
  return { ...part, flags: part.flags.filter(({ name }) => names.includes(name)) };
}

/** Declares `--as-of`, whose day must have begun. */
export function asOf(about: string): LinePart<Day | undefined> {
  return { flags: [{ ...asOfFlag, about }], read: (line) => line.asOf() };
}

export const skipMissing: LinePart<boolean> = {
  ...paramPart('skip_missing', skipMissingParam),
  read: (line) => line.has('skip-missing'),
};

const demanded = together(
  Object.fromEntries(Object.entries<Param>(demandParams).map(([name, one]) => [name, paramPart(name, one)])),
);

/** The flags for what an answer must be based on. */
export const demands: LinePart<Demands> = {
  ...demanded,
  read: (line) => splitDemands(demanded.read(line)).demands,
};

/** The flag for the store to use. */
export const store = textOption('store', 'path', 'store: a file, postgres://…, or sample (or ASOF_STORE)', {
  complete: 'files',
  group: 'Connection',
});

const { timeout, retries, maxWait } = requestLimits;

const source = together(
  {
    store,
    baseUrl: textOption('base-url', 'url', 'service to ask (or ASOF_BASE_URL)'),
    timeout: option('timeout', 'time limit of each attempt (default 30)', timeout),
    retries: option('retries', 'retries after transient failures (default 2)', retries),
    maxWait: option('max-wait', 'longest wait when the service says when to retry (default 60)', maxWait),
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
