import { describe, expect, it } from 'vitest';
import { seenOf } from '../../../src/explorer/chart/overlay.ts';
import { JoinedDates } from '../../../src/explorer/series/series-chart.ts';

describe('a line with many points in a pixel', () => {
  it('keeps the first, the lowest, the highest and the last of each', () => {
    const points = [5, 9, 4, 6, 1, 7, 7].map((y, i) => [10 + i / 10, y] as const);
    const next = [
      [11, 2],
      [11.5, 3],
    ] as const;
    const kept = [...points.filter(([, y], i) => i === 0 || i === 6 || y === 9 || y === 1), ...next];
    expect(seenOf([...points, ...next])).toEqual(kept);
  });
});

describe('the dates of two series', () => {
  it('have the values of each at its own dates, and nothing at those of the other', () => {
    const joined = new JoinedDates(['2020-01-01', '2020-04-01'], ['2020-01-01', '2020-02-01']);
    expect(joined.at).toEqual(['2020-01-01', '2020-02-01', '2020-04-01']);
    expect(joined.place(['1', null])).toEqual(['1', undefined, null]);
    expect(joined.place(['5', '6'], 'second')).toEqual(['5', '6', undefined]);
  });

  it('are one array for the same values', () => {
    const joined = new JoinedDates(['2020-01-01'], ['2020-02-01']);
    const values = ['1'];
    expect(joined.place(values)).toBe(joined.place(values));
  });
});
