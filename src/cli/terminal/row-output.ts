import type { Envelope } from '../../operations/envelope.ts';
import { type Chunk, endChunks, type Renderer } from '../../render/renderer.ts';

/** The most rows of a table on a terminal, by default. */
const screenful = 100;

/** The output of an answer, page by page, and the count of the rows that are not shown. */
export class RowOutput {
  readonly #renderer: Renderer;
  readonly #most: number;
  #rows = 0;
  #hidden = 0;
  #hasPages = false;

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

  get hasPages(): boolean {
    return this.#hasPages;
  }

  /** The columns that the terminal has no room for. */
  get dropped(): readonly string[] {
    return this.#renderer.dropped?.() ?? [];
  }

  /** The output of one more page. */
  page(page: Envelope): Chunk {
    this.#hasPages = true;
    const results = page.results.slice(0, this.#most - this.#rows);
    this.#rows += results.length;
    this.#hidden += page.results.length - results.length;
    const isFull = results.length === 0 && page.results.length > 0;
    return isFull ? '' : this.#renderer.page({ ...page, results });
  }

  /** The end of the output, after its last page. */
  end(): Iterable<Chunk> {
    return endChunks(this.#renderer);
  }
}
