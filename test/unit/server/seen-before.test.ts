import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seenBefore } from '../../../src/server/seen-before.ts';

it('a key is known when it came within as many other keys as are remembered, and never when it is new', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 12 }).map(String)), fc.integer({ min: 1, max: 5 }), (keys, memory) => {
      const isKnown = seenBefore(memory);
      for (const [i, key] of keys.entries()) {
        const known = isKnown(key);
        const last = keys.lastIndexOf(key, i - 1);
        if (i === 0 || last < 0) expect(known).toBe(false);
        else if (new Set(keys.slice(last + 1, i)).size < memory) expect(known).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});
