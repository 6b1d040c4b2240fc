import { gzipSync } from 'node:zlib';
import type { Envelope } from '../operations/envelope.ts';
import { type AnswerNotes, type Chunk, endChunks, type Renderer } from './renderer.ts';

/** The bytes of content in one member; fixed, so that the result does not depend on how content arrives. */
const memberSize = 2 ** 20;

/** Compresses content as it arrives, into gzip members of equal size; equal content gives equal bytes. */
export class GzipMembers {
  #waiting: Buffer[] = [];
  #size = 0;
  #isEmpty = true;

  /** Adds content; returns the members that are complete. */
  write(chunk: Chunk): Uint8Array {
    const bytes = Buffer.from(chunk);
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    if (this.#size < memberSize) return new Uint8Array();
    const all = Buffer.concat(this.#waiting);
    const members: Buffer[] = [];
    let start = 0;
    for (; start + memberSize <= all.length; start += memberSize)
      members.push(gzipSync(all.subarray(start, start + memberSize)));
    this.#isEmpty = false;
    this.#waiting = [all.subarray(start)];
    this.#size = all.length - start;
    return Buffer.concat(members);
  }

  /** Completes the content; returns the last member. */
  end(): Uint8Array {
    const rest = Buffer.concat(this.#waiting);
    return rest.length > 0 || this.#isEmpty ? gzipSync(rest) : new Uint8Array();
  }
}

/** Compresses the output of another renderer. */
export class GzipRenderer implements Renderer {
  readonly #inner: Renderer;
  readonly #members = new GzipMembers();

  constructor(inner: Renderer) {
    this.#inner = inner;
  }

  page(envelope: Envelope): Chunk {
    return this.#members.write(this.#inner.page(envelope));
  }

  async *end(notes?: AnswerNotes): AsyncGenerator<Uint8Array> {
    for await (const chunk of endChunks(this.#inner, notes)) yield this.#members.write(chunk);
    yield this.#members.end();
  }

  dropped(): readonly string[] {
    return this.#inner.dropped?.() ?? [];
  }
}
