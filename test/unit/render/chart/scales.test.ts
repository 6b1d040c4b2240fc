import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { horizontalAxis, logAxis, valueAxis } from '../../../../src/render/chart/axes.ts';
import {
  type ChartPoint,
  type ChartReading,
  decimate,
  splitIntoRuns,
  toSteps,
} from '../../../../src/render/chart/chart.ts';
import { abbreviate, placeLabels, spreadOut } from '../../../../src/render/chart/labels.ts';
import { daysSince, labelledDay } from '../../../support/rows.ts';

const always = () => true;
const labelsOf = ({ ticks }: { readonly ticks: readonly { readonly label: string }[] }) =>
  ticks.map(({ label }) => label);

describe('the axis of values', () => {
  it.each<readonly [low: number, high: number, count: number, labels: string]>([
    [0.1, 0.3, 5, '0.10 0.15 0.20 0.25 0.30'],
    [0, 1, 5, '0.0 0.2 0.4 0.6 0.8 1.0'],
    [13_900, 22_700, 5, '12,000 14,000 16,000 18,000 20,000 22,000 24,000'],
    [-3, 4, 4, '-4 -2 0 2 4'],
    [1234567, 2234567, 3, '1,000,000 1,500,000 2,000,000 2,500,000'],
    [1e19, 15e19, 3, '0 5.0e19 1.0e20 1.5e20'],
    [1e-15, 9e-15, 2, '0 5e-15 1e-14'],
    [5.25, 5.25, 3, '4.8 5.0 5.2 5.4 5.6'],
    [0, 0, 2, '-1 0 1'],
  ])('from %d to %d with about %d ticks has the labels %s', (low, high, count, labels) => {
    expect(labelsOf(valueAxis(low, high, count)).join(' ')).toBe(labels);
  });

  const value = fc
    .oneof(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: -1e280, max: 1e280, noNaN: true }),
      fc.integer({ min: -20, max: 20 }).map((power) => 10 ** power),
      fc.constantFrom(0, 0.1, 0.3, 5.25, -0.7, 1e15, 1e-9, 17_710.7, 1e-280, -1e280),
    )
    .filter((one) => one === 0 || Math.abs(one) >= 1e-280);

  it('covers all values with its ticks, and labels the ticks exactly', () => {
    fc.assert(
      fc.property(value, value, fc.integer({ min: 1, max: 12 }), (a, b, count) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const { ticks, place } = valueAxis(low, high, count);
        expect(ticks.length).toBeGreaterThan(1);
        const [first, last] = [ticks[0]?.at ?? 0, ticks.at(-1)?.at ?? 0];
        expect(first).toBeLessThanOrEqual(low);
        expect(last).toBeGreaterThanOrEqual(high);
        expect([place(first), place(last)]).toEqual([0, 1]);
        expect(place(low)).toBeGreaterThanOrEqual(0);
        expect(place(high)).toBeLessThanOrEqual(1);
        const each = (last - first) / (ticks.length - 1);
        const isNear = (one: number, other: number) => Math.abs(one - other) <= each * 1e-5;
        const misplaced = ticks.filter(
          ({ at, label }, i) =>
            !isNear(Number(label.replaceAll(',', '')), at) || !isNear(at, first + i * each),
        );
        expect(misplaced).toEqual([]);
        expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a logarithmic axis', () => {
  it.each([
    [1, 1000, '1 10 100 1,000'],
    [3, 60, '2 5 10 20 50 100'],
    [100, 130, '100 110 120 130'],
  ])('from %d to %d has the labels %s', (low, high, labels) => {
    expect(labelsOf(logAxis(low, high, 4)).join(' ')).toBe(labels);
  });

  it('places equal ratios at equal distances, within its ends', () => {
    const positive = fc.double({ min: 1e-6, max: 1e9, noNaN: true });
    const property = fc.property(positive, positive, fc.integer({ min: 2, max: 9 }), (a, b, count) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      const { place, ticks } = logAxis(low, high, count);
      for (const value of [low, high]) {
        expect(place(value)).toBeGreaterThanOrEqual(-1e-9);
        expect(place(value)).toBeLessThanOrEqual(1 + 1e-9);
      }
      const middle = Math.sqrt(low) * Math.sqrt(high);
      expect(place(middle) - place(low)).toBeCloseTo(place(high) - place(middle), 6);
      const places = ticks.map(({ at }) => place(at));
      expect([...places].sort((x, y) => x - y)).toEqual(places);
    });
    fc.assert(property);
  });
});

describe('the axis of days', () => {
  const axis = (first: number, last: number, most: number) =>
    horizontalAxis({ kind: 'day', first, last }, ({ ticks }) => ticks.length <= most);

  it.each([
    ['2000-01-01', '2020-05-01', 6, '2000 2005 2010 2015 2020'],
    ['2007-06-15', '2008-03-01', 4, '2007-07 2007-10 2008-01'],
    ['2019-08-26', '2019-08-30', 9, '2019-08-26 2019-08-27 2019-08-28 2019-08-29 2019-08-30'],
    ['2024-01-02', '2025-12-31', 4, '2024-07 2025-01 2025-07'],
    ['2024-01-02', '2025-12-31', 2, '2024-01-02 2025-12-31'],
    ['1700-01-01', '2900-01-01', 5, '2000 2500'],
    ['2020-01-01', '2020-01-01', 5, '2020-01-01'],
    ['2020-01-01', '2020-01-02', 2, '2020-01-01 2020-01-02'],
  ])('from %s to %s has years, months or days in at most %d ticks: %s', (first, last, most, labels) => {
    expect(labelsOf(axis(daysSince(first), daysSince(last), most)).join(' ')).toBe(labels);
  });

  it('has ticks at midnight within its days, with exact labels', () => {
    const latest = daysSince('2999-12-31');
    const day = fc.integer({ min: daysSince('1600-01-01'), max: latest });
    const length = fc.oneof(fc.nat(40), fc.nat(4000), fc.nat(200_000));
    fc.assert(
      fc.property(day, length, fc.integer({ min: 2, max: 12 }), (first, days, most) => {
        const last = Math.min(first + days, latest);
        const { ticks, place } = axis(first, last, most);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThanOrEqual(most);
        for (const { at, label } of ticks) {
          expect(at).toBeGreaterThanOrEqual(first);
          expect(at).toBeLessThanOrEqual(last);
          expect(labelledDay(label)).toBe(at);
          expect(place(at)).toBeCloseTo(first === last ? 0.5 : (at - first) / (last - first), 12);
        }
      }),
    );
  });
});

describe('the axis of maturities', () => {
  const names = ['1M', '3M', '1Y', '2Y', '10Y', '30Y'];

  it.each([
    [6, names],
    [5, ['3M', '2Y', '30Y']],
    [2, ['1Y', '30Y']],
    [0, ['30Y']],
  ])('with room for %d labels shows every second or third maturity', (most, labels) => {
    const found = horizontalAxis({ kind: 'maturity', names }, (axis) => axis.ticks.length <= most);
    expect(labelsOf(found)).toEqual(labels);
  });

  it('is evenly spaced, with half a share at each end', () => {
    const { ticks, place } = horizontalAxis({ kind: 'maturity', names: names.slice(0, 4) }, always);
    expect(ticks.map(({ at }) => place(at))).toEqual([0.125, 0.375, 0.625, 0.875]);
  });
});

describe('labels in a row', () => {
  const room = { from: 0, to: 30, gap: 2 };
  it.each<readonly [string, readonly number[], readonly number[], readonly number[] | undefined]>([
    ['are centred at their places', [5, 15], [4, 4], [3, 13]],
    ['stay between the limits', [0, 30], [4, 4], [0, 26]],
    ['may be as close as the gap', [5, 11], [4, 4], [3, 9]],
    ['are refused if they are closer than the gap', [5, 10], [4, 4], undefined],
    ['are refused if one is too long', [5], [40], undefined],
  ])('%s', (_, centres, widths, starts) => {
    expect(placeLabels(centres, widths, room)).toEqual(starts);
  });
});

describe('labels below each other', () => {
  it.each<readonly [string, readonly number[], readonly number[]]>([
    ['stay where they are if there is room', [2, 7], [2, 7]],
    ['move apart', [5, 5, 5], [5, 6, 7]],
    ['stay between the limits', [9, 9], [8, 9]],
    ['keep their order', [9, 0, 9], [8, 0, 9]],
  ])('%s', (_, wanted, places) => {
    expect(spreadOut(wanted, { from: 0, to: 9, distance: 1 })).toEqual(places);
  });

  it('never meet and never leave the limits if there is room for all', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 21 }), (wanted) => {
        const places = spreadOut(wanted, { from: 0, to: 20, distance: 1 });
        expect(new Set(places).size).toBe(wanted.length);
        expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...places)).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe('the abbreviations', () => {
  it.each<readonly [names: readonly string[], most: number, short: readonly string[]]>([
    [['GDP', 'GDPC1'], 8, ['GDP', 'GDPC1']],
    [['CONSUMPTION', 'INVESTMENT'], 8, ['CONSUMP…', 'INVESTM…']],
    // The common beginning is cut off where the rest fits better.
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT'], 8, ['…FOOD', '…RENT']],
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT', 'GDP'], 8, ['…FOOD', '…RENT', 'GDP']],
    [['DE.PRICES.FOODSTUFFS', 'DE.PRICES.RENT'], 8, ['…FOODST…', '…RENT']],
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT', 'FR.PRICES.FOOD'], 8, ['…FOOD', '…RENT', 'FR.PRIC…']],
    [['DE.PRICES', 'DE.PRICES.RENT'], 8, ['DE.PRIC…', '….RENT']],
    [['指数指数指数食料', '指数指数指数家賃'], 8, ['…食料', '…家賃']],
    [['LONG NAME \u{1F600}', 'LONG NAME \u{1F680}'], 8, ['…\u{1F600}', '…\u{1F680}']],
    // A curve that is compared with itself.
    [['2024-03-28', '2024-03-28'], 8, ['2024-03…', '2024-03…']],
    [['2024-03-28', '2024-03-28'], 10, ['2024-03-28', '2024-03-28']],
    [[], 8, []],
  ])('of %j in %d cells are %j', (names, most, short) => {
    expect(abbreviate(names, most)).toEqual(short);
  });
});

/** The readings of a text such as `0:1 1:-`, in which `-` is none. */
function readings(text: string): readonly ChartReading[] {
  return text.split(' ').map((pair) => {
    const [x, y] = pair.split(':');
    return [Number(x), y === '-' ? null : Number(y)];
  });
}

/** Runs as a text such as `0:1 1:2 | 3:3`. */
function runsText(runs: readonly (readonly ChartPoint[])[]): string {
  return runs.map((run) => run.map((point) => point.join(':')).join(' ')).join(' | ');
}

describe('a line breaks', () => {
  it.each([
    ['nowhere if every value is present', '0:1 1:2 2:3', 1, '0:1 1:2 2:3'],
    ['at a null', '0:1 1:- 2:3', 9, '0:1 | 2:3'],
    ['at a distance that is too long', '0:1 1:2 3:3', 1, '0:1 1:2 | 3:3'],
    ['only between values, not at its ends', '0:- 1:2 2:-', 9, '1:2'],
    ['into no runs without values', '0:-', 9, ''],
  ])('%s', (_, given, longest, runs) => {
    expect(runsText(splitIntoRuns(readings(given), longest))).toBe(runs);
  });
});

describe('a step', () => {
  it.each([
    ['holds until the next value', '0:1 4:3', 4, '0:1 4:1 4:3'],
    ['holds until the end', '0:1', 9, '0:1 9:1'],
    ['ends at a withdrawal', '0:1 4:-', 9, '0:1 4:1'],
    ['begins again after a withdrawal', '0:1 4:- 6:2', 9, '0:1 4:1 | 6:2 9:2'],
  ])('%s', (_, given, end, runs) => {
    expect(runsText(toSteps(readings(given), end))).toBe(runs);
  });
});

describe('decimation', () => {
  const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 300 });

  it('keeps at most four points of a column, with its first, last, least and greatest, in their order', () => {
    const range = (points: readonly ChartPoint[]) => {
      const ys = points.map(([, y]) => y);
      return [Math.min(...ys), Math.max(...ys)];
    };
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), (ys, width) => {
        const run = ys.map((y, x): ChartPoint => [x, y]);
        const columnOf = (x: number) => Math.floor((x * width) / ys.length);
        const kept = decimate(run, columnOf);
        expect(kept).toEqual([...kept].sort(([a], [b]) => a - b));
        for (let column = 0; column < width; column += 1) {
          const [all, some] = [run, kept].map((points) => points.filter(([x]) => columnOf(x) === column));
          expect(some?.length).toBeLessThanOrEqual(4);
          expect([some?.[0], some?.at(-1), range(some ?? [])]).toEqual([
            all?.[0],
            all?.at(-1),
            range(all ?? []),
          ]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps all points if there are few', () => {
    const run = readings('0:1 1:5 2:3') as readonly ChartPoint[];
    expect(decimate(run, (x) => x)).toEqual(run);
  });
});
