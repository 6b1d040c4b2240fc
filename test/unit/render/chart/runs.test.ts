import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChartPoint,
  type ChartReading,
  decimate,
  splitIntoRuns,
  toSteps,
} from '../../../../src/render/chart/chart.ts';

describe('a line breaks', () => {
  it.each<
    readonly [name: string, readings: readonly ChartReading[], longest: number, runs: readonly ChartPoint[][]]
  >([
    [
      'nowhere if every value is present',
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      1,
      [
        [
          [0, 1],
          [1, 2],
          [2, 3],
        ],
      ],
    ],
    [
      'at a null',
      [
        [0, 1],
        [1, null],
        [2, 3],
      ],
      9,
      [[[0, 1]], [[2, 3]]],
    ],
    [
      'at a distance that is too long',
      [
        [0, 1],
        [1, 2],
        [3, 3],
      ],
      1,
      [
        [
          [0, 1],
          [1, 2],
        ],
        [[3, 3]],
      ],
    ],
    [
      'only between values, not at its ends',
      [
        [0, null],
        [1, 2],
        [2, null],
      ],
      9,
      [[[1, 2]]],
    ],
    ['into no runs without values', [[0, null]], 9, []],
  ])('%s', (_, readings, longest, runs) => {
    expect(splitIntoRuns(readings, longest)).toEqual(runs);
  });
});

describe('a step', () => {
  it.each<
    readonly [name: string, readings: readonly ChartReading[], end: number, runs: readonly ChartPoint[][]]
  >([
    [
      'holds until the next value',
      [
        [0, 1],
        [4, 3],
      ],
      4,
      [
        [
          [0, 1],
          [4, 1],
          [4, 3],
        ],
      ],
    ],
    [
      'holds until the end',
      [[0, 1]],
      9,
      [
        [
          [0, 1],
          [9, 1],
        ],
      ],
    ],
    [
      'ends at a withdrawal',
      [
        [0, 1],
        [4, null],
      ],
      9,
      [
        [
          [0, 1],
          [4, 1],
        ],
      ],
    ],
    [
      'begins again after a withdrawal',
      [
        [0, 1],
        [4, null],
        [6, 2],
      ],
      9,
      [
        [
          [0, 1],
          [4, 1],
        ],
        [
          [6, 2],
          [9, 2],
        ],
      ],
    ],
  ])('%s', (_, readings, end, runs) => {
    expect(toSteps(readings, end)).toEqual(runs);
  });
});

describe('decimation', () => {
  const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 300 });

  it('keeps at most four points of a column, with its first, last, least and greatest, in their order', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), (ys, width) => {
        const run = ys.map((y, x): ChartPoint => [x, y]);
        const columnOf = (x: number) => Math.floor((x * width) / ys.length);
        const kept = decimate(run, columnOf);
        expect(kept).toEqual([...kept].sort(([a], [b]) => a - b));
        for (let column = 0; column < width; column += 1) {
          const inColumn = (points: readonly ChartPoint[]) => points.filter(([x]) => columnOf(x) === column);
          const [all, some] = [inColumn(run), inColumn(kept)];
          expect(some.length).toBeLessThanOrEqual(4);
          expect([some[0], some.at(-1)]).toEqual([all[0], all.at(-1)]);
          const range = (points: readonly ChartPoint[]) => [
            Math.min(...points.map(([, y]) => y)),
            Math.max(...points.map(([, y]) => y)),
          ];
          expect(range(some)).toEqual(range(all));
        }
      }),
    );
  });

  it('keeps all points if there are few', () => {
    const run: readonly ChartPoint[] = [
      [0, 1],
      [1, 5],
      [2, 3],
    ];
    expect(decimate(run, (x) => x)).toEqual(run);
  });
});
