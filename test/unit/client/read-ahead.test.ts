import { describe, expect, it } from 'vitest';
import { readAhead } from '../../../src/client/open.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { vintages } from '../../../src/operations/series/vintages.ts';

const question = (i: number): ParamTexts => [
  ['id', `S${i}`],
  ['limit', '1000'],
];

/** Reads 100 expected questions ahead; the question with number 5 fails. Names the parts that were read. */
function readingAhead() {
  const parts: (readonly string[])[] = [];
  const ahead = readAhead(
    (questions) => {
      parts.push(questions.map(([id]) => id?.[1] ?? ''));
      return questions.map(async ([id]) => {
        if (id?.[1] === 'S5') throw new Error('S5 is not there');
        return {
          object: '',
          request_id: String(id?.[1]),
          status: 'ok',
          results: [],
          results_count: 0,
          has_more: false,
        };
      });
    },
    observations,
    Array.from({ length: 100 }, (_, i) => question(i)),
  );
  return { ahead, parts };
}

describe('questions that are expected', () => {
  it('are each read once, several together, and no more ahead than what a part holds', async () => {
    const { ahead, parts } = readingAhead();
    for (let i = 0; i < 100; i += 1) {
      if (i !== 5) expect((await ahead.take(observations, question(i)))?.request_id).toBe(`S${i}`);
      const most = Math.max(...parts.map(({ length }) => length));
      expect(parts.flat().length).toBeLessThanOrEqual(i + 2 * most);
    }
    expect(parts.flat()).toEqual(Array.from({ length: 100 }, (_, i) => `S${i}`));
    expect(parts.length).toBeLessThan(10);
  });

  it('are not read before the first of them is asked', () => {
    expect(readingAhead().parts).toEqual([]);
  });

  it('fail alone, when they are asked', async () => {
    const { ahead } = readingAhead();
    await ahead.take(observations, question(0));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(ahead.take(observations, question(5))).rejects.toThrow('S5 is not there');
    expect((await ahead.take(observations, question(6)))?.request_id).toBe('S6');
  });

  it('are asked again like any other question that was not expected', async () => {
    const { ahead } = readingAhead();
    await ahead.take(observations, question(3));
    expect(ahead.take(observations, question(3))).toBeUndefined();
    expect(ahead.take(observations, [['id', 'S4']])).toBeUndefined();
    expect(ahead.take(vintages, question(4))).toBeUndefined();
  });
});
