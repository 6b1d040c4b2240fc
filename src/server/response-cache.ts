import { LRUCache } from 'lru-cache';

/** The body of an answer, as bytes: the socket takes them as they are, and a text would be encoded each time. */
export type CachedBody = {
  readonly tag: string;
  readonly bytes: Buffer;
  /** Where in the bytes the id of the request goes. */
  readonly idAt: number;
};

/** The answers that were used most recently, by key. */
export type ResponseCache = LRUCache<string, CachedBody>;

/** The bytes of all entries: some 2000 pages of 100 rows. */
const capacity = 32 * 1024 * 1024;

/** An empty cache for this many bytes. It keeps no entry of more than a sixteenth, which would push out the others. */
export function createResponseCache(size = capacity): ResponseCache {
  return new LRUCache({
    maxSize: size,
    maxEntrySize: Math.floor(size / 16),
    sizeCalculation: ({ bytes }, key) => key.length + bytes.length,
  });
}
