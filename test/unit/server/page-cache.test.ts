import { describe, expect, it } from 'vitest';
import { createPageCache } from '../../../src/server/page-cache.ts';

const page = (tag: string, size = 100) => ({ tag, head: '', tail: 'x'.repeat(size), length: size });
const epoch = { state: 'a', day: 1 };

describe('a page cache', () => {
  it('gives back what was put in, in its epoch alone', () => {
    const pages = createPageCache();
    pages.put(epoch, 'k', page('1'));
    expect(pages.find(epoch, 'k')?.tag).toBe('1');
    expect(pages.find(epoch, 'other')).toBeUndefined();
    expect(pages.find({ ...epoch, state: 'b' }, 'k')).toBeUndefined();
    expect(pages.find({ ...epoch, day: 2 }, 'k')).toBeUndefined();
  });

  it('forgets an epoch when the next one begins', () => {
    const pages = createPageCache();
    pages.put(epoch, 'k', page('1'));
    pages.put({ ...epoch, state: 'b' }, 'other', page('2'));
    pages.put(epoch, 'third', page('3'));
    expect(['k', 'other', 'third'].map((key) => pages.find(epoch, key)?.tag)).toEqual([
      undefined,
      undefined,
      '3',
    ]);
  });

  it('holds no more than it may, and drops first what was not asked for longest', () => {
    const pages = createPageCache(2000);
    for (let i = 0; i < 19; i += 1) pages.put(epoch, `k${i}`, page(String(i), 97));
    expect(pages.find(epoch, 'k0')?.tag).toBe('0');
    pages.put(epoch, 'more', page('more', 97));
    pages.put(epoch, 'most', page('most', 97));
    const kept = Array.from({ length: 19 }, (_, i) => i).filter((i) => pages.find(epoch, `k${i}`));
    expect(kept).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
  });

  it('counts a page once that is put in twice', () => {
    const pages = createPageCache(2000);
    pages.put(epoch, 'first', page('first'));
    for (let i = 0; i < 100; i += 1) pages.put(epoch, 'k', page(String(i)));
    expect(pages.find(epoch, 'first')?.tag).toBe('first');
    expect(pages.find(epoch, 'k')?.tag).toBe('99');
  });

  it('takes no page that would push out most others', () => {
    const pages = createPageCache(1600);
    pages.put(epoch, 'small', page('small', 90));
    pages.put(epoch, 'large', page('large', 101));
    expect([pages.find(epoch, 'small')?.tag, pages.find(epoch, 'large')]).toEqual(['small', undefined]);
  });
});
