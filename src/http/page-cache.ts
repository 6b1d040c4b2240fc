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
  const pages = new Map<string, RenderedPage>();
  let current: Epoch = { state: '', day: 0 };
  let size = 0;

  const drop = (key: string): void => {
    const page = pages.get(key);
    if (page === undefined) return;
    pages.delete(key);
    size -= sizeOf(key, page);
  };

  const isCurrent = ({ state, day }: Epoch): boolean => day === current.day && state === current.state;

  const enter = (epoch: Epoch): void => {
    if (isCurrent(epoch)) return;
    pages.clear();
    size = 0;
    current = epoch;
  };

  return {
    find(epoch, key) {
      if (!isCurrent(epoch)) return undefined;
      const page = pages.get(key);
      if (page === undefined) return undefined;
      // A Map remembers insertion: what is put back stands last in the line of those that give way.
      pages.delete(key);
      pages.set(key, page);
      return page;
    },

    put(epoch, key, page) {
      enter(epoch);
      drop(key);
      // One page may not push out most of the others.
      if (sizeOf(key, page) > most / 16) return;
      pages.set(key, page);
      size += sizeOf(key, page);
      for (const oldest of pages.keys()) {
        if (size <= most) break;
        drop(oldest);
      }
    },
  };
}

function sizeOf(key: string, { head, tail }: RenderedPage): number {
  return key.length + head.length + tail.length;
}
