import { closest } from '../domain/series/closest.ts';
import { Problem } from '../errors/problem.ts';
import { CsvRenderer, TsvRenderer } from './delimited.ts';
import type { OutputLayout, Renderer, RendererClass } from './renderer.ts';

type FormatEntry = {
  readonly extensions: readonly string[];
  readonly load: () => Promise<RendererClass>;
  /** Whether the output is binary, which a terminal cannot show. */
  readonly binary?: true;
  /** Whether the format requires a header. */
  readonly needsHeader?: true;
};

/** The output formats; the code of a format is loaded when it is first used. */
const formats = {
  table: { extensions: ['txt'], load: async () => (await import('./table/table.ts')).TableRenderer },
  csv: { extensions: ['csv'], load: async () => CsvRenderer },
  tsv: { extensions: ['tsv'], load: async () => TsvRenderer },
  json: { extensions: ['json'], load: async () => (await import('./json.ts')).JsonRenderer },
  ndjson: { extensions: ['ndjson', 'jsonl'], load: async () => (await import('./json.ts')).NdjsonRenderer },
  parquet: {
    extensions: ['parquet'],
    load: async () => (await import('./parquet/parquet.ts')).ParquetRenderer,
    binary: true,
  },
  markdown: {
    extensions: ['md', 'markdown'],
    load: async () => (await import('./markdown.ts')).MarkdownRenderer,
    needsHeader: true,
  },
  svg: { extensions: ['svg'], load: async () => (await import('./chart/svg/svg.ts')).SvgRenderer },
} as const satisfies { readonly [name: string]: FormatEntry };

/** The name of an output format. */
export type OutputFormat = keyof typeof formats;

/** The names of all output formats, in the order of the help. */
export const formatNames = Object.keys(formats) as readonly OutputFormat[];

/** Reads the name of a format; an unknown name is a Problem that lists the formats. */
export function parseFormat(text: string): OutputFormat {
  const format = formatNames.find((name) => name === text);
  if (format !== undefined) return format;
  const meant = closest(text, formatNames);
  throw new Problem('bad-input', `invalid format ${JSON.stringify(text)}: use ${formatNames.join(', ')}`, {
    field: 'format',
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

/** Extensions of well-known formats that asof does not write. */
const unsupported: ReadonlySet<string> = new Set(['png', 'pdf', 'html', 'xml', 'xlsx', 'ods']);

/**
 * The format for the extension of a file name, in any letter case; undefined for an unknown extension, a Problem for that
 * of a well-known format that asof does not write.
 */
export function formatForFile(path: string): OutputFormat | undefined {
  const extension = /[^/\\]\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  if (unsupported.has(extension)) {
    throw new Problem(
      'bad-input',
      `asof writes no .${extension} files: the formats are ${formatNames.join(', ')}`,
      {
        field: 'output',
        hints: ['--format sets the format of a file with any name'],
      },
    );
  }
  return formatNames.find((name) => (formats[name].extensions as readonly string[]).includes(extension));
}

/** Refuses a format that cannot be written as the user asks: binary on a terminal, Markdown without a header. */
export function checkFormat(
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
