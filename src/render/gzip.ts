import { gzipSync } from 'node:zlib';
import { changedRenderer, type Renderer } from './renderer.ts';

/** In bytes; fixed, so that the result does not depend on how content arrives. */
const memberSize = 2 ** 20;

/** Compresses an output as it arrives, into gzip members of equal size; equal content gives equal bytes. */
export function gzipRenderer(inner: Renderer): Renderer {
  let waiting = Buffer.alloc(0);
  let isEmpty = true;
  return changedRenderer(
    inner,
    (chunk) => {
      waiting = Buffer.concat([waiting, Buffer.from(chunk)]);
      const members: Buffer[] = [];
      for (; waiting.length >= memberSize; waiting = waiting.subarray(memberSize))
        members.push(gzipSync(waiting.subarray(0, memberSize)));
      isEmpty &&= members.length === 0;
      return Buffer.concat(members);
    },
    () => (waiting.length > 0 || isEmpty ? gzipSync(waiting) : new Uint8Array()),
  );
}
