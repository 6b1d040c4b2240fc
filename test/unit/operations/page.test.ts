import { describe, expect, it } from 'vitest';
import { countInPage } from '../../../src/operations/page.ts';

describe('a page of dates or clusters', () => {
  it.each<readonly [string, readonly number[], number]>([
    ['is empty without any', [], 0],
    ['has all of them up to 1000 rows', [600, 399, 1], 3],
    ['ends before the one that would be over 1000 rows', [600, 400, 1], 2],
    ['has the first one alone if it has more than 1000 rows', [1001, 1], 1],
    ['has those without rows', [0, 1000, 0], 3],
  ])('%s', (_, sizes, count) => {
    expect(countInPage(sizes)).toBe(count);
  });
});
