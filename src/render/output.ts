import { Problem } from '../errors/problem.ts';
import type { ChartOptions, Drawing, TextSize } from './chart/drawing.ts';
import { selectColumns } from './columns.ts';
import {
  checkFormat,
  createRenderer,
  formatForFile,
  isGzipName,
  isPicture,
  type OutputFormat,
} from './formats.ts';
import type { OutputLayout, Renderer } from './renderer.ts';

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

/**
 * The output that flags ask for at a place; a Problem where they contradict each other, or `drawable` is false and a
 * chart is asked for.
 */
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
export type Shown = {
  readonly fields: OutputLayout['columns']['fields'];
  readonly columns: readonly string[];
  readonly drawing?: Drawing;
  /** Whether a terminal shows each row as a card. */
  readonly card?: boolean;
  /** What else an output with notes says of the answer. */
  readonly about?: OutputLayout['about'];
};

/** The renderer of an output; `requestId` says whether JSON names the request that was answered. */
export async function rendererFor(
  output: OutputChoice,
  { fields, columns, drawing, card, about }: Shown,
  requestId: boolean,
): Promise<Renderer> {
  if (output.plot !== undefined && drawing !== undefined) {
    const { TextChartRenderer } = await import('./chart/text/text.ts');
    return packedFor(output, new TextChartRenderer(drawing, output.plot, output.colour, output.chart));
  }
  const layout = {
    columns: selectColumns(fields, columns, output.columns),
    header: output.header,
    double: output.double,
    colour: output.colour,
    requestId,
    ...(output.width !== undefined && { width: output.width }),
    ...(drawing !== undefined && { drawing, chart: output.chart }),
    ...(about !== undefined && { about }),
  };
  if (card === true && output.onTerminal && output.format === 'table') {
    const { CardRenderer } = await import('./table/table.ts');
    return new CardRenderer(layout);
  }
  const renderer = await createRenderer(output.format, layout);
  // A table is made for terminals.
  if (!output.onTerminal || output.format === 'table') return packedFor(output, renderer);
  const { PrintableRenderer } = await import('./printable-renderer.ts');
  return new PrintableRenderer(renderer);
}

async function packedFor({ file }: OutputChoice, renderer: Renderer): Promise<Renderer> {
  if (!isGzipName(file)) return renderer;
  const { GzipRenderer } = await import('./gzip.ts');
  return new GzipRenderer(renderer);
}
