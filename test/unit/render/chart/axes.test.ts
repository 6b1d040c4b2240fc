import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { horizontalAxis, valueAxis } from '../../../../src/render/chart/axes.ts';
import { daysSince } from '../../../support/drawings.ts';

const always = () => true;
const numberOf = (label: string) => Number(label.replaceAll(',', ''));

const value = fc
  .oneof(
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.double({ min: -1e280, max: 1e280, noNaN: true }),
    fc.integer({ min: -20, max: 20 }).map((power) => 10 ** power),
    fc.constantFrom(0, 0.1, 0.3, 5.25, -0.7, 1e15, 1e-9, 17_710.7, 1e-280, -1e280),
  )
  .filter((one) => one === 0 || Math.abs(one) >= 1e-280);

describe('the axis of values', () => {
  it.each<readonly [low: number, high: number, count: number, labels: readonly string[]]>([
    [0.1, 0.3, 5, ['0.10', '0.15', '0.20', '0.25', '0.30']],
    [0, 1, 5, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']],
    [13_900, 22_700, 5, ['12,000', '14,000', '16,000', '18,000', '20,000', '22,000', '24,000']],
    [-3, 4, 4, ['-4', '-2', '0', '2', '4']],
    [1234567, 2234567, 3, ['1,000,000', '1,500,000', '2,000,000', '2,500,000']],
    [1e19, 15e19, 3, ['0', '5.0e19', '1.0e20', '1.5e20']],
    [1e-15, 9e-15, 2, ['0', '5e-15', '1e-14']],
    [5.25, 5.25, 3, ['4.8', '5.0', '5.2', '5.4', '5.6']],
    [0, 0, 2, ['-1', '0', '1']],
  ])('from %d to %d with about %d ticks has the labels %j', (low, high, count, labels) => {
    expect(valueAxis(low, high, count).ticks.map(({ label }) => label)).toEqual(labels);
  });

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
        for (const one of [low, high]) expect(place(one)).toBeGreaterThanOrEqual(0);
        for (const one of [low, high]) expect(place(one)).toBeLessThanOrEqual(1);
        const each = (last - first) / (ticks.length - 1);
        for (const [i, { at, label }] of ticks.entries()) {
          expect(Math.abs(numberOf(label) - at)).toBeLessThanOrEqual(each * 1e-5);
          expect(Math.abs(at - (first + i * each))).toBeLessThanOrEqual(each * 1e-5);
        }
        expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the axis of days', () => {
  const axis = (first: string, last: string, fits: (count: number) => boolean = always) =>
    horizontalAxis({ kind: 'day', first: daysSince(first), last: daysSince(last) }, ({ ticks }) =>
      fits(ticks.length),
    );

  it.each<readonly [first: string, last: string, most: number, labels: readonly string[]]>([
    ['2000-01-01', '2020-05-01', 6, ['2000', '2005', '2010', '2015', '2020']],
    ['2007-06-15', '2008-03-01', 4, ['2007-07', '2007-10', '2008-01']],
    ['2019-08-26', '2019-08-30', 9, ['2019-08-26', '2019-08-27', '2019-08-28', '2019-08-29', '2019-08-30']],
    ['2024-01-02', '2025-12-31', 4, ['2024-07', '2025-01', '2025-07']],
    ['2024-01-02', '2025-12-31', 2, ['2024-01-02', '2025-12-31']],
    ['1700-01-01', '2900-01-01', 5, ['2000']],
    ['2020-01-01', '2020-01-01', 5, ['2020-01-01']],
    ['2020-01-01', '2020-01-02', 2, ['2020-01-01', '2020-01-02']],
  ])('from %s to %s has years, months or days in at most %d ticks', (first, last, most, labels) => {
    const found = axis(first, last, (count) => count <= most).ticks.map(({ label }) => label);
    if (labels.length > 1 || first === last) expect(found).toEqual(labels);
    else expect(found).toEqual(expect.arrayContaining([...labels]));
  });

  it('has ticks at midnight within its days, with exact labels', () => {
    const day = fc.integer({ min: daysSince('1600-01-01'), max: daysSince('2999-12-31') });
    fc.assert(
      fc.property(
        day,
        fc.oneof(fc.nat(40), fc.nat(4000), fc.nat(200_000)),
        fc.integer({ min: 2, max: 12 }),
        (first, length, most) => {
          const last = Math.min(first + length, daysSince('2999-12-31'));
          const { ticks, place } = horizontalAxis(
            { kind: 'day', first, last },
            (one) => one.ticks.length <= most,
          );
          expect(ticks.length).toBeGreaterThan(0);
          expect(ticks.length).toBeLessThanOrEqual(most);
          for (const { at, label } of ticks) {
            expect(at).toBeGreaterThanOrEqual(first);
            expect(at).toBeLessThanOrEqual(last);
            expect(daysSince(`${label}${'-01-01'.slice(label.length - 4)}`)).toBe(at);
            expect(place(at)).toBeCloseTo(first === last ? 0.5 : (at - first) / (last - first), 12);
          }
        },
      ),
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
    const { ticks } = horizontalAxis({ kind: 'maturity', names }, (axis) => axis.ticks.length <= most);
    expect(ticks.map(({ label }) => label)).toEqual(labels);
  });

  it('is evenly spaced, with half a share at each end', () => {
    const { ticks, place } = horizontalAxis({ kind: 'maturity', names: names.slice(0, 4) }, always);
    expect(ticks.map(({ at }) => place(at))).toEqual([0.125, 0.375, 0.625, 0.875]);
  });
});
