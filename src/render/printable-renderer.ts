import type { Envelope } from '../operations/envelope.ts';
import { printableLines } from './printable.ts';
import { type Chunk, endChunks, type Renderer } from './renderer.ts';

/** Makes the text of another renderer safe for a terminal. */
export class PrintableRenderer implements Renderer {
  readonly #inner: Renderer;

  constructor(inner: Renderer) {
    this.#inner = inner;
  }

  page(envelope: Envelope): Chunk {
    return printableChunk(this.#inner.page(envelope));
  }

  async *end(): AsyncGenerator<Uint8Array> {
    for await (const chunk of endChunks(this.#inner)) yield Buffer.from(printableChunk(chunk));
  }
}

function printableChunk(chunk: Chunk): string {
  return printableLines(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
}
