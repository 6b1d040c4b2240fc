import type { Drawing } from '../operations/drawing.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Columns } from './columns.ts';

/** The user's choices for an output, apart from its format. */
export type OutputLayout = {
  readonly columns: Columns;
  /** Whether csv, tsv and table begin with the column names. */
  readonly header: boolean;
  /** Whether numbers in Parquet are DOUBLE instead of exact (default false). */
  readonly double?: boolean;
  /** The width of the terminal, in cells; a table is cut to it. Undefined: nothing is cut. */
  readonly width?: number;
  readonly colour: boolean;
  /** How a chart draws the rows, and how it looks; only picture formats need them. */
  readonly drawing?: Drawing;
  readonly chart?: ChartOptions;
  /** Whether json includes the id of the request (default true). */
  readonly requestId?: boolean;
};

/** How a chart looks, where it is not as usual. */
export type ChartOptions = {
  /** Units of an SVG file, or cells of a chart in text. */
  readonly width?: number;
  readonly height?: number;
  readonly title?: string;
  /** Whether lines are told apart by shades of grey and dashes, for print. */
  readonly grey?: boolean;
  readonly log?: boolean;
  /** What each line is at the first date that all lines have; the other values are in proportion. */
  readonly index?: number;
};

/** The size of a text chart, in terminal cells. */
export type TextSize = {
  readonly width: number;
  /** The lines available; undefined if the chart may have any height. */
  readonly height: number | undefined;
};

/** A piece of an output: text, or bytes for a binary format. */
export type Chunk = string | Uint8Array;

/** What is known of an answer after its last page. */
export type AnswerNotes = {
  /** Returns what an output with notes says of the answer besides its rows, by name. */
  about(): Promise<readonly (readonly [name: string, text: string])[]>;
};

/** Turns pages of rows into chunks of one output; keeps no more in memory than its format needs. */
export type Renderer = {
  /** Adds a page; returns what can be written so far, which may be empty. */
  page(envelope: Envelope): Chunk;
  /** Completes the output after the last page; a large ending comes in pieces. */
  end(notes?: AnswerNotes): string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** The columns left out because the terminal is too narrow; final after `end`. */
  dropped?(): readonly string[];
};

/** A renderer of a text format. */
export interface TextRenderer extends Renderer {
  page(envelope: Envelope): string;
  end(): string;
}

/** Renders one line or record for each row, after a header and before an ending, which come also without rows. */
export function lineRenderer(lineOf: (row: Row) => string, header = '', ending = ''): TextRenderer {
  let begin = header;
  const begun = (text: string) => {
    const all = begin + text;
    begin = '';
    return all;
  };
  return {
    page: ({ results }) => begun(results.map(lineOf).join('')),
    end: () => begun(ending),
  };
}

/** Renders what another renderer does, with each chunk changed; `last` comes after the last one. */
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
  };
}

/** Completes an output; returns the remaining chunks. */
export function endChunks(renderer: Renderer, notes?: AnswerNotes): Iterable<Chunk> | AsyncIterable<Chunk> {
  const rest = renderer.end(notes);
  return typeof rest === 'string' ? [rest] : rest;
}

/** What a generator yields, once; keeps what it returns at its end. */
export class ReturningIterable<T, R> implements AsyncIterable<T, R> {
  readonly #source: AsyncGenerator<T, R> | Iterable<T, R>;
  #returned: R | undefined;

  constructor(source: AsyncGenerator<T, R> | Iterable<T, R>) {
    this.#source = source;
  }

  get returned(): R | undefined {
    return this.#returned;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, R> {
    this.#returned = yield* this.#source;
    return this.#returned;
  }
}

/** Renders pages as they arrive, and returns what is known after the last one; no chunk is empty. */
export async function* renderPages<N extends AnswerNotes | undefined>(
  renderer: Renderer,
  pages: AsyncGenerator<Envelope, N> | Iterable<Envelope, N>,
): AsyncGenerator<Chunk, N | undefined, undefined> {
  const all = new ReturningIterable(pages);
  for await (const envelope of all) {
    const chunk = renderer.page(envelope);
    if (chunk.length > 0) yield chunk;
  }
  const { returned } = all;
  for await (const chunk of endChunks(renderer, returned)) if (chunk.length > 0) yield chunk;
  return returned;
}
