import { didYouMean } from '../domain/search/words.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import type { Drawing } from '../operations/drawing.ts';
import type { Field } from '../operations/field.ts';
import { choice, type Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { selectColumns } from './columns.ts';
import { csvRenderer, tsvRenderer } from './formats/delimited.ts';
import { printable } from './printable.ts';
import {
  type ChartOptions,
  changedRenderer,
  type OutputLayout,
  type Renderer,
  type TextSize,
} from './renderer.ts';

type MakeRenderer = (layout: OutputLayout) => Renderer;

type FormatEntry = {
  readonly extensions: readonly string[];
  /** Loads the format's code. */
  readonly load: () => MakeRenderer | Promise<MakeRenderer>;
  readonly binary?: true;
  /** True if it stores numbers, days and times as such. */
  readonly typed?: true;
  readonly picture?: true;
  readonly needsHeader?: true;
  /** True if it has only releases by day, as events. */
  readonly events?: true;
};

const formats = {
  table: { extensions: ['txt'], load: async () => (await import('./formats/table.ts')).tableRenderer },
  csv: { extensions: ['csv'], load: () => csvRenderer },
  tsv: { extensions: ['tsv', 'tab'], load: () => tsvRenderer },
  json: { extensions: ['json'], load: async () => (await import('./formats/json.ts')).jsonRenderer },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    load: async () => (await import('./formats/json.ts')).ndjsonRenderer,
  },
  parquet: {
    extensions: ['parquet'],
    load: async () => (await import('./formats/parquet.ts')).parquetRenderer,
    binary: true,
    typed: true,
  },
  markdown: {
    extensions: ['md', 'markdown'],
    load: async () => (await import('./formats/markup.ts')).markdownRenderer,
    needsHeader: true,
  },
  latex: { extensions: ['tex'], load: async () => (await import('./formats/markup.ts')).latexRenderer },
  xlsx: {
    extensions: ['xlsx'],
    load: async () => (await import('./formats/xlsx.ts')).xlsxRenderer,
    binary: true,
    typed: true,
  },
  svg: {
    extensions: ['svg'],
    load: async () => (await import('./chart/svg.ts')).svgRenderer,
    picture: true,
  },
  png: {
    extensions: ['png'],
    load: async () => (await import('./chart/png.ts')).pngRenderer,
    binary: true,
    picture: true,
  },
  pdf: {
    extensions: ['pdf'],
    load: async () => (await import('./chart/pdf.ts')).pdfRenderer,
    binary: true,
    picture: true,
  },
  ics: {
    extensions: ['ics'],
    load: async () => (await import('./formats/ics.ts')).icsRenderer,
    events: true,
  },
} satisfies { readonly [name: string]: FormatEntry };

/** The name of an output format. */
export type OutputFormat = keyof typeof formats;

/** The names of the output formats, in the order of help. */
export const formatNames = Object.keys(formats) as readonly OutputFormat[];

const entries: Readonly<Record<OutputFormat, FormatEntry>> = formats;

/** An output format, by its name. */
export const outputFormat: Value<OutputFormat> = {
  ...choice(formatNames),
  parse(given, name) {
    const format = formatNames.find((one) => one === given);
    if (format !== undefined) return format;
    const reason = `use ${formatNames.join(', ')}`;
    throw refused({ param: name, value: given, reason }, didYouMean(given, formatNames));
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
  const format = formatNames.find((name) => entries[name].extensions.includes(extension));
  if (format !== undefined) return format;
  throw new Problem(
    'bad-input',
    `asof writes no .${extension} files: the formats are ${formatNames.join(', ')}`,
    { field: 'output', hints: ['--format sets the format of a file with any name'] },
  );
}

/** Starts an output in a format. */
export async function createRenderer(format: OutputFormat, layout: OutputLayout): Promise<Renderer> {
  return (await entries[format].load())(layout);
}

/** The flags of a query's output. */
export type OutputFlags = {
  /** The named format. Default: by the extension of the file. */
  readonly format?: OutputFormat;
  readonly file?: string;
  readonly columns?: readonly string[];
  readonly header: boolean;
  readonly double?: boolean;
  /** True to show all rows, even on a terminal, which shows as many as it has lines for. */
  readonly everything: boolean;
  readonly plot: boolean;
  readonly chart?: ChartOptions & { readonly recessions?: boolean };
  readonly failEmpty: boolean;
  readonly colour: boolean;
};

/** The output without a named file, and the user's preferences. */
export type OutputPlace = {
  readonly terminal?: { readonly columns: number; readonly rows?: number };
  /** The program that shows texts page by page on the terminal. */
  readonly pager?: string;
  /** The format in the environment or the settings. */
  readonly format?: OutputFormat;
  /** Whether to use colour. Default: if stdout is a terminal. */
  readonly colour?: boolean;
  /** The width of a chart as text without a terminal. */
  readonly plotWidth?: number;
  readonly today?: Day;
};

/** What an output can make of rows besides a table. */
type RowShapes = { readonly drawable?: boolean; readonly byDay?: boolean };

/** An output after all choices. */
export type OutputChoice = Omit<OutputFlags, 'chart' | 'everything' | 'format' | 'plot'> & {
  readonly format: OutputFormat;
  readonly onTerminal: boolean;
  readonly width: number | undefined;
  /** The size of a chart as text; undefined for rows. */
  readonly plot: TextSize | undefined;
  /** How rows are drawn, as text or picture; false if they are not. */
  readonly drawn: false | { readonly recessions: boolean };
  readonly chart: ChartOptions;
  /** The most lines of a table, on a terminal without a pager; undefined for all rows. */
  readonly lines: number | undefined;
  /** The program that shows the text on the terminal; undefined for none. */
  readonly pager: string | undefined;
  readonly today: Day | undefined;
};

/** Chooses the output by flags and place; throws a Problem for contradictions, or rows that cannot be drawn. */
export function outputChoice(flags: OutputFlags, place: OutputPlace, shapes: RowShapes): OutputChoice {
  const { chart: look = {}, everything, format: typed, plot, ...others } = flags;
  const { recessions = false, ...chart } = look;
  const { file, columns, header } = flags;
  const terminal = file === undefined ? place.terminal : undefined;
  const onTerminal = terminal !== undefined;
  const named = typed ?? (file === undefined ? undefined : formatForFile(file));
  const inText = plot && (named === undefined || entries[named].picture !== true);
  // Typed flags precede the environment.
  const format = named ?? (inText ? 'table' : place.format) ?? (onTerminal ? 'table' : 'csv');
  const {
    picture = false,
    binary = false,
    events = false,
    needsHeader = false,
    extensions,
  } = entries[format];
  const drawn = inText || picture;
  const otherRows = inText ? 'leave out --plot' : `choose another format than ${format}`;
  // The extension .txt is also for charts as text.
  const rowFormat = format === 'table' ? typed : format;
  const needless = [...(columns === undefined ? [] : ['--columns']), ...(header ? [] : ['--no-header'])];
  const [option] = Object.keys(look);
  const refusals: readonly (readonly [
    isWrong: boolean,
    detail: string,
    hint?: string | undefined,
    field?: string,
  ])[] = [
    [drawn && shapes.drawable !== true, `this query has no chart: ${otherRows}`, drawableCommands, 'format'],
    [
      events && shapes.byDay !== true,
      `${format} is a calendar of releases, and these rows are none: choose another format`,
      'asof calendar -o calendar.ics writes one',
      'format',
    ],
    [
      binary && onTerminal,
      `${format} is a binary format, which a terminal cannot show`,
      `-o FILE.${extensions[0]} writes it to a file`,
    ],
    [needsHeader && !header, `a ${format} table needs its header: leave out --no-header`],
    [
      flags.double === true && format !== 'parquet',
      `--double is only for Parquet, and this output is ${format}`,
      '-f parquet or -o FILE.parquet writes Parquet',
    ],
    [
      inText && rowFormat !== undefined,
      `use either --plot or ${rowFormat}`,
      '-o chart.svg draws into a file',
    ],
    [
      (drawn || events) && needless.length > 0,
      `${drawn ? 'a chart' : format} has no columns: leave out ${needless.join(' and ')}`,
      undefined,
      'columns',
    ],
    [
      option !== undefined && !drawn,
      `--${option} is only for charts: use --plot, or a file such as -o chart.svg`,
    ],
  ];
  const pager = onTerminal && !drawn ? place.pager : undefined;
  for (const [isWrong, detail, hint, field] of refusals)
    if (isWrong) throw new Problem('bad-input', detail, { hints: hint ? [hint] : [], ...defined({ field }) });
  return {
    ...others,
    format,
    onTerminal,
    width: terminal?.columns,
    plot: inText ? plotSize(place, terminal, chart) : undefined,
    drawn: drawn && { recessions },
    chart,
    lines: onTerminal && !everything && pager === undefined ? tableLines(terminal) : undefined,
    pager,
    today: place.today,
    colour: flags.colour && file === undefined && (place.colour ?? onTerminal),
  };
}

/** The lines of a terminal besides a table: what was typed, some notes, and the next prompt. */
const otherLines = 7;

function tableLines({ rows }: NonNullable<OutputPlace['terminal']>): number {
  return rows === undefined ? 100 : rows - otherLines;
}

const drawableCommands =
  'charts: observations, panel, vintages, curve, yields, spread, and revisions with --date, --release or --after';

function plotSize(
  { plotWidth = 80 }: OutputPlace,
  terminal: OutputPlace['terminal'],
  { width, height }: ChartOptions,
): TextSize {
  // On a terminal, the typed line stays in sight, and the next prompt has a line.
  const lines = terminal?.rows === undefined ? undefined : terminal.rows - 2;
  return { width: width ?? terminal?.columns ?? plotWidth, height: height ?? lines };
}

type ShownAnswer = {
  readonly fields: OutputLayout['columns']['fields'];
  readonly columns: readonly string[];
  readonly drawing?: Drawing;
  readonly card?: boolean;
  readonly byDay?: boolean;
};

/** Makes the renderer for an output; with `requestId`, JSON has the id of the request. */
export async function rendererFor(
  output: OutputChoice,
  { fields, columns, drawing, card, byDay }: ShownAnswer,
  requestId: boolean,
): Promise<Renderer> {
  if (output.plot !== undefined && drawing !== undefined) {
    const { textChartRenderer } = await import('./chart/text.ts');
    return packedFor(output, textChartRenderer(drawing, output.plot, output.colour, output.chart));
  }
  const layout = {
    columns: selectColumns(await fieldsFor(output.format, fields), columns, output.columns),
    header: output.header,
    colour: output.colour,
    requestId,
    chart: output.chart,
    ...defined({ width: output.width, lines: output.lines, today: output.today }),
    ...defined({ drawing, double: output.double }),
  };
  if (card === true && output.onTerminal && output.format === 'table')
    return (await import('./formats/table.ts')).cardRenderer(layout);
  if (byDay === true && output.onTerminal && output.format === 'table' && output.columns === undefined)
    return (await import('./formats/days.ts')).daysRenderer(layout);
  const renderer = await createRenderer(output.format, layout);
  // Tables are made for terminals.
  if (!output.onTerminal || output.format === 'table') return packedFor(output, renderer);
  return changedRenderer(renderer, (chunk) =>
    printableLines(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString(), output.format),
  );
}

/** Returns the fields with the types of a user's file, in a format that has types. */
async function fieldsFor(format: OutputFormat, fields: readonly Field[]): Promise<readonly Field[]> {
  if (entries[format].typed !== true) return fields;
  return Promise.all(
    fields.map(async (field) => ({ ...field, type: (await field.typeInFile?.()) ?? field.type })),
  );
}

async function packedFor({ file }: OutputChoice, renderer: Renderer): Promise<Renderer> {
  return isGzipName(file) ? (await import('./gzip.ts')).gzipRenderer(renderer) : renderer;
}

/** Makes lines of foreign text safe for a terminal; line ends and tabs stay, with CR only where a format has it. */
function printableLines(text: string, format: OutputFormat): string {
  const lines = entries[format].events === true ? text.replaceAll('\r\n', '\n') : text;
  return lines.replace(/[^\n\t]+/g, printable);
}
