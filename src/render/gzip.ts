import { gzipSync } from 'node:zlib';
import { type Chunk, changedRenderer, type Renderer } from './renderer.ts';

/** In bytes; fixed, so that the result does not depend on how content arrives. */
const memberSize = 2 ** 20;

/** Compresses content as it arrives, into gzip members of equal size; equal content gives equal bytes. */
export class GzipMembers {
  #waiting: Buffer[] = [];
  #size = 0;
  #isEmpty = true;

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

  end(): Uint8Array {
    const rest = Buffer.concat(this.#waiting);
    return rest.length > 0 || this.#isEmpty ? gzipSync(rest) : new Uint8Array();
  }
}

/** Wraps a renderer to compress its output. */
export function gzipRenderer(inner: Renderer): Renderer {
  const members = new GzipMembers();
  return changedRenderer(
    inner,
    (chunk) => members.write(chunk),
    () => members.end(),
  );
}
