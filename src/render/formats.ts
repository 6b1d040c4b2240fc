import { closest } from '../domain/series/closest.ts';
import { Problem } from '../errors/problem.ts';
import { CsvRenderer, TsvRenderer } from './delimited.ts';
import type { OutputLayout, Renderer, RendererClass } from './renderer.ts';

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
  table: { extensions: ['txt'], load: async () => (await import('./table/table.ts')).TableRenderer },
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
    load: async () => (await import('./chart/svg/svg.ts')).SvgRenderer,
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

/** Reads the name of a format; an unknown name is a Problem that lists the formats. */
export function parseFormat(text: string): OutputFormat {
  const format = formatNames.find((name) => name === text);
  if (format !== undefined) return format;
  const meant = closest(text, formatNames);
  const reason = `use ${formatNames.join(', ')}`;
  throw new Problem('bad-input', `invalid format ${JSON.stringify(text)}: ${reason}`, {
    field: 'format',
    refusal: { param: 'format', value: text, reason },
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

/** Whether a file name asks for compression. */
export function isGzipName(name: string | undefined): boolean {
  return name !== undefined && /[^/\\]\.gz$/i.test(name);
}

/**
 * The format for the extension of a file name, in any letter case; undefined for a name without one, a Problem for an
 * extension that no format has. A last `.gz`, which asks for compression, does not count.
 */
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

/** Whether the outputs of a format are charts. */
export function isPicture(name: OutputFormat): boolean {
  const format: FormatEntry = formats[name];
  return format.picture === true;
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
