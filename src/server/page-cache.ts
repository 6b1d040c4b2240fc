import { recentlyUsed } from './recently-used.ts';

/** An answer as it is sent, cut in two where the request id stands. */
export type RenderedPage = {
  readonly tag: string;
  readonly head: string;
  readonly tail: string;
  /** The bytes of the whole, request id included: counting them each time would cost as much as all other headers. */
  readonly length: number;
};

/** What answers come from besides their question: the state of knowledge, and the UTC day as days since 1970. */
type Epoch = { readonly state: string; readonly day: number };

/** Answers that may be asked for again, as long as nothing changes that they come from. */
export type PageCache = {
  find(epoch: Epoch, key: string): RenderedPage | undefined;
  put(epoch: Epoch, key: string, page: RenderedPage): void;
};

/** The characters that are kept altogether: some 2000 pages of 100 rows. */
const capacity = 32 * 1024 * 1024;

/**
 * A cache of the answers of one epoch: with another one, nothing of the old is left. What was not asked for longest
 * gives way first.
 */
export function createPageCache(most = capacity): PageCache {
  const sizeOf = ({ head, tail }: RenderedPage, key: string) => key.length + head.length + tail.length;
  const pages = recentlyUsed(most, sizeOf);
  let current: Epoch = { state: '', day: 0 };

  const isCurrent = ({ state, day }: Epoch): boolean => day === current.day && state === current.state;

  return {
    find: (epoch, key) => (isCurrent(epoch) ? pages.get(key) : undefined),

    put(epoch, key, page) {
      if (!isCurrent(epoch)) pages.clear();
      current = epoch;
      // One page may not push out most of the others; what stood in its place is not the answer any more.
      if (sizeOf(page, key) > most / 16) pages.delete(key);
      else pages.set(key, page);
    },
  };
}
