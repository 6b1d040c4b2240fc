import type { Page } from '../operations/operation.ts';
import type { PageMemory } from '../service/service.ts';
import { recentlyUsed } from './recently-used.ts';
import { seenBefore } from './seen-before.ts';

/**
 * A memory of pages with at most so many rows altogether: a page is kept when it is read a second time, and what was not
 * asked for longest gives way first.
 */
export function createPageMemory(mostRows: number): PageMemory {
  // A page without rows takes room too.
  const pages = recentlyUsed<Page>(mostRows, ({ rows }) => rows.length + 1);
  const isWanted = seenBefore(10_000);
  let current: number | undefined;

  return {
    find: (revision, key) => (revision === current ? pages.get(key) : undefined),

    put(revision, key, page) {
      if (revision !== current) pages.clear();
      current = revision;
      if (isWanted(key)) pages.set(key, page);
    },
  };
}
