import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../../src/server/answers.ts';

/** The most bytes of one entry, a sixteenth of those of the cache. */
const most = 2 * 1024 * 1024;

const body = (tag: string, size: number) => ({ tag, bytes: Buffer.alloc(size), idAt: 0 });

describe('a response cache', () => {
  it('drops the entries that were not used for longest when its size is exceeded', () => {
    const cache = createResponseCache();
    for (const name of 'abcdefghijklmnop') cache.set(name, body(name, most - 1));
    expect(cache.get('a')?.tag).toBe('a');
    cache.set('q', body('q', most - 1));
    expect([cache.has('a'), cache.has('b'), cache.has('c'), cache.has('q')]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('replaces an entry without counting it twice', () => {
    const cache = createResponseCache();
    cache.set('first', body('first', most - 5));
    for (let i = 0; i < 100; i += 1) cache.set('again', body(String(i), most - 5));
    expect([cache.get('first')?.tag, cache.get('again')?.tag]).toEqual(['first', '99']);
  });

  it('keeps no entry that would push out most others', () => {
    const cache = createResponseCache();
    cache.set('small', body('small', most - 10));
    cache.set('large', body('large', most + 1));
    expect([cache.has('small'), cache.has('large')]).toEqual([true, false]);
  });
});
