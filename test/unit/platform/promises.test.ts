import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Gathering } from '../../../src/platform/promises.ts';

/** A read that calls made together share. */
function coalesced<T>(read: () => Promise<T>): () => Promise<T> {
  const together = new Gathering<T>();
  return async () => (await together.join('', read)).outcome;
}

describe('gathered calls', () => {
  it('share one read when they are made before it begins', async () => {
    let reads = 0;
    const read = coalesced(async () => {
      reads += 1;
      return reads;
    });
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    expect(await read()).toBe(2);
  });

  it('never get a result from before they asked', async () => {
    let value = 'old';
    const read = coalesced(async () => {
      const seen = value;
      await tick();
      return seen;
    });
    const first = read();
    value = 'changed before the read';
    await tick();
    value = 'changed during the read';
    const second = read();
    expect(await first).toBe('changed before the read');
    expect(await second).toBe('changed during the read');
  });

  it('all fail when their read fails, and the next call reads again', async () => {
    let broken = true;
    const read = coalesced(async () => {
      if (broken) throw new Error('locked');
      return 'read';
    });
    const outcomes = await Promise.allSettled([read(), read()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    expect(await read()).toBe('read');
  });
});
