import { LRUCache } from 'lru-cache';

/** The body of an answer as it is sent, cut in two where the request id goes. */
export type CachedBody = {
  readonly tag: string;
  readonly head: string;
  readonly tail: string;
  /** The bytes of the whole, request id included: counting them each time would take as long as all other headers. */
  readonly length: number;
};

/** The answers that were used most recently, by key. */
export type ResponseCache = LRUCache<string, CachedBody>;

/** The characters of all entries: some 2000 pages of 100 rows. */
const capacity = 32 * 1024 * 1024;

/** An empty cache for this many characters; it keeps no entry of more than a sixteenth, which would push out the others. */
export function createResponseCache(characters = capacity): ResponseCache {
  return new LRUCache({
    maxSize: characters,
    maxEntrySize: Math.floor(characters / 16),
    sizeCalculation: ({ head, tail }, key) => key.length + head.length + tail.length,
  });
}
