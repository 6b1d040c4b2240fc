import { expect, it } from 'vitest';
import { waitFor } from '../../../../src/client/remote/exchange.ts';

// Without a margin, about one wait in two hundred ends before the clock of the day says so.
it('waits at least so long by the clock of the day', async () => {
  const early: number[] = [];
  for (let i = 0; i < 600; i += 1) {
    const wait = 1 + (i % 3);
    const begun = Date.now();
    await waitFor(wait, undefined);
    const missing = begun + wait - Date.now();
    if (missing > 0) early.push(missing);
  }
  expect(early).toEqual([]);
});
