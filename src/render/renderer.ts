import type { Day } from '../domain/values/date.ts';
import type { Drawing } from '../operations/drawing.ts';
import type { ColumnPage, Envelope, Row } from '../operations/envelope.ts';
import type { Columns } from './columns.ts';

/** The user's choices for an output, besides its format. */
export type OutputLayout = {
  readonly columns: Columns;
  /** True if csv, tsv and table begin with column names. */
  readonly header: boolean;
  /** True for DOUBLE instead of exact numbers in Parquet. Default: false. */
  readonly double?: boolean;
  /** The width of the terminal, in cells, to which a table is cut. Default: nothing is cut. */
  readonly width?: number;
  /** The most lines of a table, which shows its first and last rows. Default: all rows. */
  readonly lines?: number;
  readonly colour: boolean;
  /** How a chart draws the rows, and how it looks; only for pictures. */
  readonly drawing?: Drawing;
  readonly chart?: ChartOptions;
  /** The day that a list of releases marks, unless it is as of another one. */
  readonly today?: Day;
  /** True if json has the id of the request. Default: true. */
  readonly requestId?: boolean;
};

/** Changes to the usual look of a chart. */
export type ChartOptions = {
  /** Units of an SVG file, or cells of a chart as text. */
  readonly width?: number;
  readonly height?: number;
  readonly title?: string;
  /** True for shades of grey and dashes, for print. */
  readonly grey?: boolean;
  readonly log?: boolean;
  /** The value of each line at the first common date; its other values are in proportion. */
  readonly index?: number;
};

/** The size of a text chart, in terminal cells. */
export type TextSize = {
  readonly width: number;
  /** The available lines; undefined for any height. */
  readonly height: number | undefined;
};

/** A piece of an output: text, or bytes for a binary format. */
export type Chunk = string | Uint8Array;

/** What is known about an answer after its last page. */
export type AnswerNotes = {
  /** Returns what an output with notes says besides the rows, by name. */
  about(): Promise<readonly (readonly [name: string, text: string])[]>;
};

/** Turns pages of rows into chunks of one output. */
export type Renderer = {
  /** Adds a page; returns what can be written so far, which may be empty. */
  page(envelope: Envelope): Chunk;
  /** Adds rows by column, as `page` does; absent if the format has rows. */
  columns?(page: ColumnPage): Chunk;
  /** Completes the output after the last page; a large ending comes in pieces. */
  end(notes?: AnswerNotes): string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Lists the columns left out on a narrow terminal; final after `end`. */
  dropped?(): readonly string[];
  /** Counts the rows left out on a short terminal; final after `end`. */
  hidden?(): number;
};

/** A renderer of a text format. */
export interface TextRenderer extends Renderer {
  page(envelope: Envelope): string;
  end(): string;
}

/** Makes a renderer of one line for each row; the header and the ending are there even without rows. */
export function lineRenderer(lineOf: (row: Row) => string, header = '', ending = ''): TextRenderer {
  let begin = header;
  const begun = (text: string) => {
    const all = begin + text;
    begin = '';
    return all;
  };
  const page: TextRenderer['page'] = ({ results }) => {
    let text = begun('');
    for (const row of results) text += lineOf(row);
    return text;
  };
  return { page, end: () => begun(ending) };
}

/** Wraps a renderer to change each chunk; adds `last` at the end. */
export function changedRenderer(
  inner: Renderer,
  change: (chunk: Chunk) => Chunk,
  last?: () => Uint8Array,
): Renderer {
  return {
    page: (envelope) => change(inner.page(envelope)),
    async *end(notes) {
      for await (const chunk of endChunks(inner, notes)) yield Buffer.from(change(chunk));
      if (last !== undefined) yield last();
    },
    dropped: () => inner.dropped?.() ?? [],
    hidden: () => inner.hidden?.() ?? 0,
  };
}

function endChunks(renderer: Renderer, notes?: AnswerNotes): Iterable<Chunk> | AsyncIterable<Chunk> {
  const rest = renderer.end(notes);
  return typeof rest === 'string' ? [rest] : rest;
}

/** Iterates a generator once, and keeps what it returns. */
export class ReturningIterable<T, R> implements AsyncIterable<T, R | undefined> {
  readonly #source: AsyncIterator<T, R> | Iterator<T, R>;
  returned: R | undefined;

  constructor(source: AsyncGenerator<T, R> | Iterable<T, R>) {
    this.#source = 'next' in source ? source : source[Symbol.iterator]();
  }

  // Not a generator, which would take several turns for each item.
  [Symbol.asyncIterator](): AsyncIterator<T, R | undefined> {
    return {
      next: async () => {
        const step = await this.#source.next();
        if (step.done === true) this.returned = step.value;
        return step;
      },
      return: async () => {
        await this.#source.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}

type RenderedPage = ColumnPage | Envelope;

/** Returns the pages of an answer as a renderer takes them: by column, if both have columns, or else rows. */
export function pagesFor<N>(
  { columns }: Renderer,
  {
    pages,
    byColumn,
  }: {
    readonly pages: AsyncGenerator<Envelope, N>;
    readonly byColumn?: () => AsyncGenerator<ColumnPage, N>;
  },
): AsyncGenerator<RenderedPage, N> {
  return columns === undefined || byColumn === undefined ? pages : byColumn();
}

/** The rows of an answer that a renderer has, and whether these are all. */
export type RenderedRows = { rows: number; isWhole: boolean };

/** Renders pages as they arrive, without empty chunks; counts rows, and returns what is known after the last page. */
export async function* renderPages<N extends AnswerNotes | undefined>(
  renderer: Renderer,
  pages: AsyncGenerator<RenderedPage, N> | Iterable<Envelope, N>,
  rendered: RenderedRows = { rows: 0, isWhole: false },
): AsyncGenerator<Chunk, N | undefined, undefined> {
  const all = new ReturningIterable<RenderedPage, N>(pages);
  for await (const page of all) {
    const isByColumn = 'cellsOf' in page;
    rendered.rows += isByColumn ? page.rows : page.results.length;
    const chunk = isByColumn ? (renderer.columns?.(page) ?? '') : renderer.page(page);
    if (chunk.length > 0) yield chunk;
  }
  rendered.isWhole = true;
  const { returned } = all;
  for await (const chunk of endChunks(renderer, returned)) if (chunk.length > 0) yield chunk;
  return returned;
}
