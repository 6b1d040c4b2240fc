import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../../src/server/answers.ts';

const body = (tag: string, size: number) => ({ tag, bytes: Buffer.alloc(size), idAt: 0 });

describe('a response cache', () => {
  it('drops the entries that were not used for longest when its size is exceeded', () => {
    const cache = createResponseCache(1600);
    for (const name of 'abcdefghijklmnop') cache.set(name, body(name, 99));
    expect(cache.get('a')?.tag).toBe('a');
    cache.set('q', body('q', 99));
    expect([cache.has('a'), cache.has('b'), cache.has('c'), cache.has('q')]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('replaces an entry without counting it twice', () => {
    const cache = createResponseCache(1600);
    cache.set('first', body('first', 95));
    for (let i = 0; i < 100; i += 1) cache.set('again', body(String(i), 95));
    expect([cache.get('first')?.tag, cache.get('again')?.tag]).toEqual(['first', '99']);
  });

  it('keeps no entry that would push out most others', () => {
    const cache = createResponseCache(1600);
    cache.set('small', body('small', 90));
    cache.set('large', body('large', 101));
    expect([cache.has('small'), cache.has('large')]).toEqual([true, false]);
  });
});
