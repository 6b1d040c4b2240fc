import { closest } from '../domain/series/closest.ts';
import { Problem } from '../errors/problem.ts';
import type { Layout, MakeRenderer, Renderer } from './renderer.ts';

type Entry = {
  readonly extensions: readonly string[];
  readonly load: () => Promise<MakeRenderer>;
  /** Whether it is bytes, which mean nothing on a terminal. */
  readonly bytes?: true;
  /** Whether it is no such format without the columns' names. */
  readonly headed?: true;
};

/** Every output format, declared once; a format's code is loaded when it is first used. */
const formats = {
  table: { extensions: ['txt'], load: async () => (await import('./table.ts')).table },
  csv: { extensions: ['csv'], load: async () => (await import('./csv.ts')).csv },
  tsv: { extensions: ['tsv'], load: async () => (await import('./tsv.ts')).tsv },
  json: { extensions: ['json'], load: async () => (await import('./json.ts')).json },
  ndjson: { extensions: ['ndjson', 'jsonl'], load: async () => (await import('./ndjson.ts')).ndjson },
  parquet: {
    extensions: ['parquet'],
    load: async () => (await import('./parquet.ts')).parquet,
    bytes: true,
  },
  markdown: {
    extensions: ['md', 'markdown'],
    load: async () => (await import('./markdown.ts')).markdown,
    headed: true,
  },
  svg: { extensions: ['svg'], load: async () => (await import('./chart/svg.ts')).svg },
} as const satisfies { readonly [name: string]: Entry };

/** The name of an output format. */
export type Format = keyof typeof formats;

/** Every output format, in the order in which help lists them. */
export const formatNames = Object.keys(formats) as readonly Format[];

/** The format of that name; any other name is a Problem that lists them. */
export function formatNamed(text: string): Format {
  const format = formatNames.find((name) => name === text);
  if (format !== undefined) return format;
  const meant = closest(text, formatNames);
  throw new Problem('bad-input', `unknown format '${text}': the formats are ${formatNames.join(', ')}`, {
    field: 'format',
    hints: meant === undefined ? [] : [`did you mean ${meant}?`],
  });
}

/** Extensions of formats that nobody would want to be CSV inside. */
const notWritten: ReadonlySet<string> = new Set(['png', 'pdf', 'html', 'xml', 'xlsx', 'ods']);

/** The format that a file's extension names, letter case aside, or undefined; a Problem for a known one that asof does not write. */
export function formatOfFile(path: string): Format | undefined {
  const extension = /[^/\\]\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  if (notWritten.has(extension)) {
    throw new Problem(
      'bad-input',
      `asof writes no .${extension} files: the formats are ${formatNames.join(', ')}`,
      {
        field: 'output',
        hints: ['--format says it for a file of any name'],
      },
    );
  }
  return formatNames.find((name) => (formats[name].extensions as readonly string[]).includes(extension));
}

/** Refuses what a format cannot be, before anything is asked. */
export function checkFormat(
  name: Format,
  { header, onTerminal }: { readonly header: boolean; readonly onTerminal: boolean },
): void {
  const format: Entry = formats[name];
  if (format.bytes === true && onTerminal)
    throw new Problem('bad-input', `${name} is bytes, which no terminal shows`, {
      hints: [`-o FILE.${format.extensions[0]} writes them to a file`],
    });
  if (format.headed === true && !header)
    throw new Problem('bad-input', `a ${name} table needs its header: leave out --no-header`);
}

/** A new output in a format. */
export async function rendererOf(format: Format, layout: Layout): Promise<Renderer> {
  const make: MakeRenderer = await formats[format].load();
  return make(layout);
}
