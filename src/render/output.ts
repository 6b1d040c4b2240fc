import { closest } from '../domain/series/closest.ts';
import { Problem, refused } from '../errors/problem.ts';
import type { Envelope } from '../operations/envelope.ts';
import { choice, type Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import type { ChartOptions, Drawing, TextSize } from './chart/drawing.ts';
import { selectColumns } from './columns.ts';
import { CsvRenderer, TsvRenderer } from './delimited.ts';
import { printableLines } from './printable.ts';
import { type AnswerNotes, type Chunk, endChunks, type OutputLayout, type Renderer } from './renderer.ts';

type RendererClass = new (layout: OutputLayout) => Renderer;

type FormatEntry = {
  readonly extensions: readonly string[];
  readonly load: () => Promise<RendererClass>;
  /** Whether the output is binary, which a terminal cannot show. */
  readonly binary?: true;
  /** Whether the output is a chart. */
  readonly picture?: true;
  /** Whether the format requires a header. */
  readonly needsHeader?: true;
};

/** The output formats; the code of a format is loaded when it is first used. */
const formats = {
  table: { extensions: ['txt'], load: async () => (await import('./table.ts')).TableRenderer },
  csv: { extensions: ['csv'], load: async () => CsvRenderer },
  tsv: { extensions: ['tsv', 'tab'], load: async () => TsvRenderer },
  json: { extensions: ['json'], load: async () => (await import('./json.ts')).JsonRenderer },
  ndjson: { extensions: ['ndjson', 'jsonl'], load: async () => (await import('./json.ts')).NdjsonRenderer },
  parquet: {
    extensions: ['parquet'],
    load: async () => (await import('./parquet.ts')).ParquetRenderer,
    binary: true,
  },
  markdown: {
    extensions: ['md', 'markdown'],
    load: async () => (await import('./markdown.ts')).MarkdownRenderer,
    needsHeader: true,
  },
  latex: { extensions: ['tex'], load: async () => (await import('./latex.ts')).LatexRenderer },
  xlsx: {
    extensions: ['xlsx'],
    load: async () => (await import('./xlsx.ts')).XlsxRenderer,
    binary: true,
  },
  svg: {
    extensions: ['svg'],
    load: async () => (await import('./chart/svg.ts')).SvgRenderer,
    picture: true,
  },
  png: {
    extensions: ['png'],
    load: async () => (await import('./chart/png.ts')).PngRenderer,
    binary: true,
    picture: true,
  },
} as const satisfies { readonly [name: string]: FormatEntry };

/** The name of an output format. */
export type OutputFormat = keyof typeof formats;

/** The names of all output formats, in the order of the help. */
export const formatNames = Object.keys(formats) as readonly OutputFormat[];

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

/** Whether a file name asks for compression. */
export function isGzipName(name: string | undefined): boolean {
  return name !== undefined && /[^/\\]\.gz$/i.test(name);
}

/** The format for the extension of a file name before a last `.gz`; a Problem for an extension that no format has. */
export function formatForFile(path: string): OutputFormat | undefined {
  const plain = isGzipName(path) ? path.slice(0, -'.gz'.length) : path;
  const extension = /[^/\\]\.([^./\\]+)$/.exec(plain)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  const known = (name: OutputFormat): readonly string[] => formats[name].extensions;
  const format = formatNames.find((name) => known(name).includes(extension));
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

function isPicture(name: OutputFormat): boolean {
  const format: FormatEntry = formats[name];
  return format.picture === true;
}

/** Refuses a format that cannot be written as the user asks: binary on a terminal, Markdown without a header. */
function checkFormat(
  name: OutputFormat,
  { header, onTerminal }: { readonly header: boolean; readonly onTerminal: boolean },
): void {
  const format: FormatEntry = formats[name];
  if (format.binary === true && onTerminal)
    throw new Problem('bad-input', `${name} is a binary format, which a terminal cannot show`, {
      hints: [`-o FILE.${format.extensions[0]} writes it to a file`],
    });
  if (format.needsHeader === true && !header)
    throw new Problem('bad-input', `a ${name} table needs its header: leave out --no-header`);
}

/** Loads a format and starts an output in it. */
export async function createRenderer(format: OutputFormat, layout: OutputLayout): Promise<Renderer> {
  const Format: RendererClass = await formats[format].load();
  return new Format(layout);
}

/** What a caller says about the output of a query. */
export type OutputFlags = {
  /** The format that is named; without it the extension of the file decides. */
  readonly format?: OutputFormat;
  /** The file to write, or undefined for stdout. */
  readonly file?: string;
  readonly columns?: readonly string[];
  readonly header: boolean;
  /** Whether numbers in Parquet are DOUBLE. */
  readonly double?: boolean;
  /** Shows all rows also where a terminal would show a screenful. */
  readonly everything: boolean;
  /** Draws a chart in text instead of rows. */
  readonly plot: boolean;
  /** How a chart looks, and whether it shows recessions. */
  readonly chart?: ChartOptions & { readonly recessions?: boolean };
  readonly failEmpty: boolean;
  readonly colour: boolean;
};

/** Where an output goes when no file is named, and what the user prefers. */
export type OutputPlace = {
  /** The terminal that stdout is, if it is one. */
  readonly terminal?: { readonly columns: number; readonly rows?: number };
  /** The format that the environment or the settings name. */
  readonly format?: OutputFormat;
  /** Whether colours are wanted: where nobody says, on a terminal. */
  readonly colour?: boolean;
  /** The width of a chart in text where there is no terminal. */
  readonly plotWidth?: number;
};

/** An output with nothing left open. */
export type OutputChoice = {
  readonly format: OutputFormat;
  readonly file: string | undefined;
  readonly onTerminal: boolean;
  /** The size of a chart in text, where one is drawn instead of rows. */
  readonly plot: TextSize | undefined;
  /** Whether rows are drawn, as text or as a picture. */
  readonly drawn: boolean;
  readonly chart: ChartOptions;
  /** Whether the chart shows recessions. */
  readonly recessions: boolean;
  /** Whether only the first rows are shown: of a table on a terminal. */
  readonly screenful: boolean;
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  readonly double: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
  readonly failEmpty: boolean;
};

/** The output that flags ask for at a place; a Problem if they contradict each other or the rows cannot be drawn. */
export function outputChoice(flags: OutputFlags, place: OutputPlace, drawable: boolean): OutputChoice {
  const { file, header, double = false } = flags;
  const terminal = file === undefined ? place.terminal : undefined;
  const onTerminal = terminal !== undefined;
  const named = flags.format ?? (file === undefined ? undefined : formatForFile(file));
  const inText = flags.plot && (named === undefined || !isPicture(named));
  // What is typed goes before what the environment says.
  const format = named ?? (inText ? 'table' : place.format) ?? (onTerminal ? 'table' : 'csv');
  if ((isPicture(format) || inText) && !drawable) throw notDrawn(inText ? '--plot' : format);
  checkFormat(format, { header, onTerminal });
  if (double && format !== 'parquet')
    throw new Problem('bad-input', `--double is about Parquet, and this is ${format}`, {
      hints: ['-f parquet or -o FILE.parquet writes Parquet'],
    });
  const drawn = inText || isPicture(format);
  if (drawn) checkChart(flags, format);
  const { recessions = false, ...chart } = flags.chart ?? {};
  const [option] = Object.keys(flags.chart ?? {});
  if (option !== undefined && !drawn)
    throw new Problem('bad-input', `--${option} is about charts: use --plot, or a file such as -o chart.svg`);
  return {
    format,
    file,
    onTerminal,
    plot: inText ? plotSize(place, terminal, chart) : undefined,
    drawn,
    chart,
    recessions,
    screenful: onTerminal && format === 'table' && !inText && !flags.everything,
    columns: flags.columns,
    header,
    double,
    colour: flags.colour && file === undefined && (place.colour ?? onTerminal),
    width: terminal?.columns,
    failEmpty: flags.failEmpty,
  };
}

function notDrawn(asked: string): Problem {
  return new Problem('bad-input', `${asked} is a chart, and this command has none`, {
    field: 'format',
    hints: [
      'observations, panel, revisions, vintages, curve, yields and spread can be drawn',
      'choose another --format',
    ],
  });
}

function checkChart({ format: typed, columns, header, plot }: OutputFlags, format: OutputFormat): void {
  // The extension .txt is a chart in text as well.
  const other = format === 'table' ? typed : format;
  if (plot && other !== undefined && !isPicture(other))
    throw new Problem('bad-input', `two formats: --plot and ${other}`, {
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
  // What was typed stays in sight, and the next prompt has a line.
  return { width: width ?? columns, height: height ?? (rows === undefined ? undefined : rows - 2) };
}

/** What an output shows: the fields and columns of its rows, and how they are drawn where they are. */
type Shown = {
  readonly fields: OutputLayout['columns']['fields'];
  readonly columns: readonly string[];
  readonly drawing?: Drawing;
  /** Whether a terminal shows each row as a card. */
  readonly card?: boolean;
};

/** The renderer of an output; `requestId` says whether JSON names the request that was answered. */
export async function rendererFor(
  output: OutputChoice,
  { fields, columns, drawing, card }: Shown,
  requestId: boolean,
): Promise<Renderer> {
  if (output.plot !== undefined && drawing !== undefined) {
    const { TextChartRenderer } = await import('./chart/text.ts');
    return packedFor(output, new TextChartRenderer(drawing, output.plot, output.colour, output.chart));
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
    const { CardRenderer } = await import('./table.ts');
    return new CardRenderer(layout);
  }
  const renderer = await createRenderer(output.format, layout);
  // A table is made for terminals.
  if (!output.onTerminal || output.format === 'table') return packedFor(output, renderer);
  return new PrintableRenderer(renderer);
}

async function packedFor({ file }: OutputChoice, renderer: Renderer): Promise<Renderer> {
  if (!isGzipName(file)) return renderer;
  const { GzipRenderer } = await import('./gzip.ts');
  return new GzipRenderer(renderer);
}

/** Makes the text of another renderer safe for a terminal. */
class PrintableRenderer implements Renderer {
  readonly #inner: Renderer;

  constructor(inner: Renderer) {
    this.#inner = inner;
  }

  page(envelope: Envelope): Chunk {
    return printableChunk(this.#inner.page(envelope));
  }

  async *end(notes?: AnswerNotes): AsyncGenerator<Uint8Array> {
    for await (const chunk of endChunks(this.#inner, notes)) yield Buffer.from(printableChunk(chunk));
  }
}

function printableChunk(chunk: Chunk): string {
  return printableLines(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
}
