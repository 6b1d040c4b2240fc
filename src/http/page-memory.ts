import type { Page } from '../operations/operation.ts';
import type { PageMemory } from '../service.ts';
import { seenBefore } from './seen-before.ts';

/**
 * A memory of pages with at most so many rows altogether: a page is kept when it is read a second time, and what was not
 * asked for longest gives way first.
 */
export function createPageMemory(mostRows: number): PageMemory {
  const pages = new Map<string, Page>();
  const isWanted = seenBefore(10_000);
  let current: number | undefined;
  let rows = 0;

  const drop = (key: string): void => {
    const page = pages.get(key);
    if (page === undefined) return;
    pages.delete(key);
    rows -= roomOf(page);
  };

  return {
    find(revision, key) {
      if (revision !== current) return undefined;
      const page = pages.get(key);
      if (page === undefined) return undefined;
      // A Map remembers insertion: what is put back stands last in the line of those that give way.
      pages.delete(key);
      pages.set(key, page);
      return page;
    },

    put(revision, key, page) {
      if (revision !== current) {
        pages.clear();
        [current, rows] = [revision, 0];
      }
      if (!isWanted(key)) return;
      drop(key);
      pages.set(key, page);
      rows += roomOf(page);
      for (const oldest of pages.keys()) {
        if (rows <= mostRows) break;
        drop(oldest);
      }
    },
  };
}

/** A page without rows takes room too. */
function roomOf({ rows }: Page): number {
  return rows.length + 1;
}
