import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../../src/domain/series/date.ts';
import { revisionStatistics } from '../../../../src/domain/series/revision-statistics.ts';

function pairsOf(values: readonly (readonly [earlier: string, later: string])[]) {
  return values.map(([earlier, later], i) => ({ date: addDays('2014-01-01', i), earlier, later }));
}

describe('statistics of revisions', () => {
  it('are those of a textbook', () => {
    // The revisions 1, -1, 2 and 0: mean 0.5, sum of squares about it 5.
    const found = revisionStatistics(
      pairsOf([
        ['1', '2'],
        ['0.5', '-0.5'],
        ['-3', '-1'],
        ['0', '0.0'],
      ]),
    );
    expect(found).toEqual({
      count: 4,
      firstDate: '2014-01-01',
      lastDate: '2014-01-04',
      mean: '0.500000',
      // The root of 5/3, and 0.5 divided by half of that.
      sd: '1.290994',
      t: '0.774597',
      // One lag: variance 5/4 and covariance -15/16, counted twice with weight 1/2; 0.5 divided by the root of 5/64.
      tHac: '1.788854',
      meanAbsolute: '1.000000',
      upward: '0.5000',
      sameSign: '0.7500',
    });
  });

  it('have no deviation of one revision, and no t-value where all are equal', () => {
    const one = revisionStatistics(pairsOf([['1', '2']]));
    expect([one.mean, one.sd, one.t, one.tHac]).toEqual(['1.000000', undefined, undefined, undefined]);
    const equal = revisionStatistics(
      pairsOf([
        ['1', '2'],
        ['2', '3'],
      ]),
    );
    expect([equal.sd, equal.t, equal.tHac]).toEqual(['0.000000', undefined, undefined]);
  });

  it('are empty without revisions', () => {
    expect(revisionStatistics([])).toEqual({ count: 0 });
  });

  it('are exact where doubles are not, and round half to even', () => {
    const found = revisionStatistics(
      pairsOf([
        ['10000000000000000.1', '10000000000000000.2'],
        ['0', '0.100001'],
      ]),
    );
    expect(found.mean).toBe('0.100000');
    expect(found.meanAbsolute).toBe('0.100000');
  });

  it('are what a calculation in doubles gives, but for its errors', () => {
    const value = fc.integer({ min: -9999, max: 9999 }).map((cents) => (cents / 100).toFixed(2));
    const property = fc.property(
      fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 60 }),
      (values) => {
        const found = revisionStatistics(pairsOf(values));
        const revisions = values.map(([earlier, later]) => Number(later) - Number(earlier));
        const n = revisions.length;
        const mean = revisions.reduce((a, b) => a + b, 0) / n;
        const about = revisions.map((one) => one - mean);
        const gamma = (lag: number) =>
          about.slice(lag).reduce((sum, one, i) => sum + one * (about[i] ?? 0), 0) / n;
        const lags = Math.min(n - 1, Math.floor(4 * (n / 100) ** (2 / 9)));
        let hac = gamma(0);
        for (let lag = 1; lag <= lags; lag += 1) hac += 2 * (1 - lag / (lags + 1)) * gamma(lag);
        const sd = Math.sqrt((gamma(0) * n) / (n - 1));
        expect(Number(found.mean)).toBeCloseTo(mean, 5);
        expect(Number(found.sd)).toBeCloseTo(sd, 5);
        expect(Number(found.meanAbsolute)).toBeCloseTo(revisions.reduce((a, b) => a + Math.abs(b), 0) / n, 5);
        if (sd > 0.01)
          expect(Number(found.t) / (mean / (sd / Math.sqrt(n)) || 1)).toBeCloseTo(mean === 0 ? 0 : 1, 2);
        if (hac > 0.01 && Math.abs(mean) > 0.01)
          expect(Number(found.tHac) / (mean / Math.sqrt(hac / n))).toBeCloseTo(1, 2);
      },
    );
    fc.assert(property);
  });
});
