import { closest } from '../domain/search/words.ts';
import { Problem, refused } from '../errors/problem.ts';
import type { Drawing } from '../operations/drawing.ts';
import { choice, type Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { selectColumns } from './columns.ts';
import { csvRenderer, tsvRenderer } from './formats/delimited.ts';
import { printableLines } from './printable.ts';
import {
  type ChartOptions,
  changedRenderer,
  type OutputLayout,
  type Renderer,
  type TextSize,
} from './renderer.ts';

type FormatEntry = {
  readonly extensions: readonly string[];
  /** Starts an output, and loads the format's code on first use. */
  readonly start: (layout: OutputLayout) => Renderer | Promise<Renderer>;
  readonly binary?: true;
  readonly picture?: true;
  readonly needsHeader?: true;
};

const formats = {
  table: {
    extensions: ['txt'],
    start: async (layout) => new (await import('./formats/table.ts')).TableRenderer(layout),
  },
  csv: { extensions: ['csv'], start: csvRenderer },
  tsv: { extensions: ['tsv', 'tab'], start: tsvRenderer },
  json: {
    extensions: ['json'],
    start: async (layout) => new (await import('./formats/json.ts')).JsonRenderer(layout),
  },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    start: async (layout) => (await import('./formats/json.ts')).ndjsonRenderer(layout),
  },
  parquet: {
    extensions: ['parquet'],
    start: async (layout) => new (await import('./formats/parquet.ts')).ParquetRenderer(layout),
    binary: true,
  },
  markdown: {
    extensions: ['md', 'markdown'],
    start: async (layout) => (await import('./formats/markup.ts')).markdownRenderer(layout),
    needsHeader: true,
  },
  latex: {
    extensions: ['tex'],
    start: async (layout) => (await import('./formats/markup.ts')).latexRenderer(layout),
  },
  xlsx: {
    extensions: ['xlsx'],
    start: async (layout) => new (await import('./formats/xlsx.ts')).XlsxRenderer(layout),
    binary: true,
  },
  svg: {
    extensions: ['svg'],
    start: async (layout) => (await import('./chart/svg.ts')).svgRenderer(layout),
    picture: true,
  },
  png: {
    extensions: ['png'],
    start: async (layout) => (await import('./chart/png.ts')).pngRenderer(layout),
    binary: true,
    picture: true,
  },
} satisfies { readonly [name: string]: FormatEntry };

/** The name of an output format. */
export type OutputFormat = keyof typeof formats;

/** The names of the output formats, in the order of help. */
export const formatNames = Object.keys(formats) as readonly OutputFormat[];

function entryOf(name: OutputFormat): FormatEntry {
  return formats[name];
}

/** An output format, by its name. */
export const outputFormat: Value<OutputFormat> = {
  ...choice(formatNames),
  parse(given, name) {
    const format = formatNames.find((one) => one === given);
    if (format !== undefined) return format;
    const meant = closest(given, formatNames);
    throw refused(
      { param: name, value: given, reason: `use ${formatNames.join(', ')}` },
      meant === undefined ? [] : [`did you mean ${meant}?`],
    );
  },
  placeholder: 'format',
};

/** Tells whether a file name asks for compression. */
export function isGzipName(name: string | undefined): boolean {
  return name !== undefined && /[^/\\]\.gz$/i.test(name);
}

/** Returns the format of a file name's extension (before `.gz`); throws a Problem for an unknown extension. */
export function formatForFile(path: string): OutputFormat | undefined {
  const plain = isGzipName(path) ? path.slice(0, -'.gz'.length) : path;
  const extension = /[^/\\]\.([^./\\]+)$/.exec(plain)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  const format = formatNames.find((name) => entryOf(name).extensions.includes(extension));
  if (format !== undefined) return format;
  throw new Problem(
    'bad-input',
    `asof writes no .${extension} files: the formats are ${formatNames.join(', ')}`,
    {
      field: 'output',
      hints: ['--format sets the format of a file with any name'],
    },
  );
}

/** Starts an output in a format. */
export async function createRenderer(format: OutputFormat, layout: OutputLayout): Promise<Renderer> {
  return entryOf(format).start(layout);
}

/** The flags of a query's output. */
export type OutputFlags = {
  /** The named format. Default: by the extension of the file. */
  readonly format?: OutputFormat;
  readonly file?: string;
  readonly columns?: readonly string[];
  readonly header: boolean;
  readonly double?: boolean;
  /** True to show all rows, even on a terminal, which shows a screenful. */
  readonly everything: boolean;
  readonly plot: boolean;
  readonly chart?: ChartOptions & { readonly recessions?: boolean };
  readonly failEmpty: boolean;
  readonly colour: boolean;
};

/** The output without a named file, and the user's preferences. */
export type OutputPlace = {
  readonly terminal?: { readonly columns: number; readonly rows?: number };
  /** The format in the environment or the settings. */
  readonly format?: OutputFormat;
  /** Whether to use colour. Default: if stdout is a terminal. */
  readonly colour?: boolean;
  /** The width of a chart as text without a terminal. */
  readonly plotWidth?: number;
};

/** An output after all choices. */
export type OutputChoice = Pick<OutputFlags, 'failEmpty' | 'header'> & {
  readonly format: OutputFormat;
  readonly file: string | undefined;
  readonly onTerminal: boolean;
  /** The size of a chart as text; undefined for rows. */
  readonly plot: TextSize | undefined;
  /** How rows are drawn, as text or picture; false if they are not. */
  readonly drawn: false | { readonly recessions: boolean };
  readonly chart: ChartOptions;
  /** True to show only the first rows, in a table on a terminal. */
  readonly screenful: boolean;
  readonly columns: readonly string[] | undefined;
  readonly double: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
};

/** Chooses the output by flags and place; throws a Problem for contradictions, or rows that cannot be drawn. */
export function outputChoice(flags: OutputFlags, place: OutputPlace, drawable: boolean): OutputChoice {
  const { file, header, double = false } = flags;
  const terminal = file === undefined ? place.terminal : undefined;
  const onTerminal = terminal !== undefined;
  const named = flags.format ?? (file === undefined ? undefined : formatForFile(file));
  const inText = flags.plot && (named === undefined || entryOf(named).picture !== true);
  // Typed flags precede the environment.
  const format = named ?? (inText ? 'table' : place.format) ?? (onTerminal ? 'table' : 'csv');
  const { picture = false, binary = false, needsHeader = false, extensions } = entryOf(format);
  const drawn = inText || picture;
  if (drawn && !drawable)
    throw notDrawn(inText ? 'leave out --plot' : `choose another format than ${format}`);
  if (binary && onTerminal)
    throw new Problem('bad-input', `${format} is a binary format, which a terminal cannot show`, {
      hints: [`-o FILE.${extensions[0]} writes it to a file`],
    });
  if (needsHeader && !header)
    throw new Problem('bad-input', `a ${format} table needs its header: leave out --no-header`);
  if (double && format !== 'parquet')
    throw new Problem('bad-input', `--double is only for Parquet, and this output is ${format}`, {
      hints: ['-f parquet or -o FILE.parquet writes Parquet'],
    });
  if (drawn) checkChart(flags, format);
  const { recessions = false, ...chart } = flags.chart ?? {};
  const [option] = Object.keys(flags.chart ?? {});
  if (option !== undefined && !drawn)
    throw new Problem(
      'bad-input',
      `--${option} is only for charts: use --plot, or a file such as -o chart.svg`,
    );
  return {
    format,
    file,
    onTerminal,
    plot: inText ? plotSize(place, terminal, chart) : undefined,
    drawn: drawn && { recessions },
    chart,
    screenful: onTerminal && format === 'table' && !inText && !flags.everything,
    columns: flags.columns,
    header,
    double,
    colour: flags.colour && file === undefined && (place.colour ?? onTerminal),
    width: terminal?.columns,
    failEmpty: flags.failEmpty,
  };
}

function notDrawn(remedy: string): Problem {
  return new Problem('bad-input', `this query has no chart: ${remedy}`, {
    field: 'format',
    hints: [
      'charts: observations, panel, vintages, curve, yields, spread, and revisions with --date, --release or --after',
    ],
  });
}

function checkChart({ format: typed, columns, header, plot }: OutputFlags, format: OutputFormat): void {
  // The extension .txt is also for charts as text.
  const other = format === 'table' ? typed : format;
  if (plot && other !== undefined && entryOf(other).picture !== true)
    throw new Problem('bad-input', `use either --plot or ${other}`, {
      hints: ['-o chart.svg draws into a file'],
    });
  const needless = [...(columns === undefined ? [] : ['--columns']), ...(header ? [] : ['--no-header'])];
  if (needless.length > 0)
    throw new Problem('bad-input', `a chart has no columns: leave out ${needless.join(' and ')}`, {
      field: 'columns',
    });
}

const usualWidth = 80;

function plotSize(
  { plotWidth = usualWidth }: OutputPlace,
  terminal: OutputPlace['terminal'],
  { width, height }: ChartOptions,
): TextSize {
  if (terminal === undefined) return { width: width ?? plotWidth, height };
  const { columns, rows } = terminal;
  // The typed line stays in sight, and the next prompt has a line.
  return { width: width ?? columns, height: height ?? (rows === undefined ? undefined : rows - 2) };
}

type ShownAnswer = {
  readonly fields: OutputLayout['columns']['fields'];
  readonly columns: readonly string[];
  readonly drawing?: Drawing;
  readonly card?: boolean;
};

/** Makes the renderer for an output; with `requestId`, JSON has the id of the request. */
export async function rendererFor(
  output: OutputChoice,
  { fields, columns, drawing, card }: ShownAnswer,
  requestId: boolean,
): Promise<Renderer> {
  if (output.plot !== undefined && drawing !== undefined) {
    const { textChartRenderer } = await import('./chart/text.ts');
    return packedFor(output, textChartRenderer(drawing, output.plot, output.colour, output.chart));
  }
  const layout = {
    columns: selectColumns(fields, columns, output.columns),
    header: output.header,
    double: output.double,
    colour: output.colour,
    requestId,
    chart: output.chart,
    ...defined({ width: output.width, drawing }),
  };
  if (card === true && output.onTerminal && output.format === 'table') {
    return (await import('./formats/table.ts')).cardRenderer(layout);
  }
  const renderer = await createRenderer(output.format, layout);
  // Tables are made for terminals.
  if (!output.onTerminal || output.format === 'table') return packedFor(output, renderer);
  return changedRenderer(renderer, (chunk) =>
    printableLines(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()),
  );
}

async function packedFor({ file }: OutputChoice, renderer: Renderer): Promise<Renderer> {
  return isGzipName(file) ? (await import('./gzip.ts')).gzipRenderer(renderer) : renderer;
}
