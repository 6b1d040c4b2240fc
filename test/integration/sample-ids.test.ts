import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplePath } from '../../src/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { rawFredQd } from '../support/raw-statements.ts';
import { testData } from '../support/repository.ts';
import { observationsIn } from '../support/scratch-store.ts';

/** The largest difference between equal figures that are rounded to this number of decimals. */
const rounding = (decimals: number) => 0.5 * 10 ** -decimals + 1e-6;

describe('a series of the sample with an id of FRED', () => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore(samplePath());
  });
  afterAll(() => store.close());

  it.each([
    ['GDPC1', 'GDPC1', 1],
    ['PCECC96', 'PCECC96', 1],
    ['GCEC1', 'GCEC1', 1],
    ['EXPGSC1', 'EXPGSC1', 1],
    ['IMPGSC1', 'IMPGSC1', 1],
    ['P', 'GDPCTPI', 3],
    ['UNRATE', 'UNRATE', 4],
    ['CPIAUCSL', 'CPIAUCSL', 4],
    ['CPILFESL', 'CPILFESL', 4],
  ])(
    'agrees with FRED-QD in every quarter known in the spring of 2021: %s is %s',
    async (id, column, decimals) => {
      const known = quarters(
        await store.read((view) =>
          observationsIn(view, { seriesId: id, asOf: '2021-05-15', firstRelease: false, limit: 2000 }),
        ),
      );
      const published = [...rawFredQd(testData, column)].filter(([quarter]) => known.has(quarter));
      expect(published.length).toBeGreaterThanOrEqual(248);
      const apart = published.filter(
        ([quarter, value]) => !(Math.abs(value - mean(known.get(quarter))) <= rounding(decimals)),
      );
      expect(apart).toEqual([]);
    },
  );
});

type Dated = { readonly date: string; readonly value: string };

/** Figures by quarter: one of a quarterly series, three of a monthly one; a quarter that is not over is left out. */
function quarters(rows: readonly Dated[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { date, value } of rows) {
    const month = Math.floor((Number(date.slice(5, 7)) - 1) / 3) * 3 + 1;
    const quarter = `${date.slice(0, 4)}-${String(month).padStart(2, '0')}-01`;
    found.set(quarter, [...(found.get(quarter) ?? []), Number(value)]);
  }
  const full = Math.max(...Array.from(found.values(), (figures) => figures.length));
  return new Map([...found].filter(([, figures]) => figures.length === full));
}

function mean(figures: readonly number[] = []): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}
