import type { Outcome, QueryAnswer, WrittenPage, WrittenRows } from '../../analysis/answer.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import { isGzipName, type OutputChoice } from '../../render/output.ts';
import { type AnswerNotes, type Chunk, endChunks, type Renderer } from '../../render/renderer.ts';

/** The rows as they are written, where the output is to look like that. */
export function writtenAs(
  { format, file, columns, header, onTerminal }: OutputChoice,
  { written }: QueryAnswer<Row, Outcome>,
): WrittenRows<Outcome> | undefined {
  const separator = { csv: ',', tsv: '\t' }[String(format)];
  if (written?.separator !== separator || columns !== undefined) return undefined;
  // A terminal gets no control characters.
  if (onTerminal || isGzipName(file)) return undefined;
  return written && { ...written, header: header ? `${written.header}\n` : '' };
}

/** The most rows of a table on a terminal, by default. */
const screenful = 100;

/** The output of an answer, page by page, and the count of the rows that are not shown. */
export class RowOutput {
  readonly #renderer: Renderer;
  readonly #most: number;
  #rows = 0;
  #hidden = 0;
  #isCopied = false;

  /** `isScreen` limits the output to a screenful of rows. */
  constructor(renderer: Renderer, isScreen: boolean) {
    this.#renderer = renderer;
    this.#most = isScreen ? screenful : Number.POSITIVE_INFINITY;
  }

  /** The rows that are shown. */
  get rows(): number {
    return this.#rows;
  }

  /** The number of rows that are not shown. */
  get hidden(): number {
    return this.#hidden;
  }

  /** The columns that the terminal has no room for. */
  get dropped(): readonly string[] {
    return this.#renderer.dropped?.() ?? [];
  }

  /** The output of pages. */
  async *pages(pages: AsyncIterable<Envelope>): AsyncGenerator<Chunk> {
    for await (const page of pages) yield this.#page(page);
  }

  /** The output of rows that are a text already. */
  async *copied(header: string, pages: AsyncIterable<WrittenPage>): AsyncGenerator<Chunk> {
    yield Buffer.from(header, 'latin1');
    for await (const { bytes, rows } of pages) {
      this.#rows += rows;
      yield bytes;
    }
    // The renderer would add its header.
    this.#isCopied = true;
  }

  #page(page: Envelope): Chunk {
    const results = page.results.slice(0, this.#most - this.#rows);
    this.#rows += results.length;
    this.#hidden += page.results.length - results.length;
    const isFull = results.length === 0 && page.results.length > 0;
    return isFull ? '' : this.#renderer.page({ ...page, results });
  }

  /** The end of the output, after its last page. */
  end(notes: AnswerNotes): ReturnType<typeof endChunks> {
    return this.#isCopied ? [] : endChunks(this.#renderer, notes);
  }
}
