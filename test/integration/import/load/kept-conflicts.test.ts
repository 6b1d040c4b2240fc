import { describe, expect, it } from 'vitest';
import type { ImportConflict } from '../../../../src/import/load/conflict.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { importFiles, newStorePath, reading } from '../../../support/scratch-store.ts';

const folder = scratchFolder();
const csv = (...days: readonly string[]) => ({ 'par.csv': `Date,1 Yr,2 Yr\n${days.join('\n')}\n` });

/** Imports days of a curve over others; what contradicts them is left out. */
async function overHeld(held: readonly string[], given: readonly string[]) {
  const path = newStorePath(folder);
  await importFiles(path, csv(...held));
  const conflicts: ImportConflict[] = [];
  await importFiles(path, csv(...given), { onConflicts: (found) => conflicts.push(...found) });
  const rates = await reading(path, (view) => view.rates.yields({ curveType: 'PAR', limit: 100 }));
  return {
    conflicts,
    rates: rates.map(({ tradeDate, maturity, rate }) => `${tradeDate} ${maturity} ${rate}`),
  };
}

describe('an import that leaves conflicts out', () => {
  it('keeps the rates of the store, adds those beside them, and names each contradiction', async () => {
    const { conflicts, rates } = await overHeld(
      ['2024-01-02,4.80,4.33'],
      ['2024-01-02,4.80,4.39', '2024-01-03,4.81,4.33'],
    );
    expect(rates).toEqual([
      '2024-01-03 1Y 4.81',
      '2024-01-03 2Y 4.33',
      '2024-01-02 1Y 4.80',
      '2024-01-02 2Y 4.33',
    ]);
    expect(conflicts).toMatchObject([
      {
        kind: 'rate',
        held: { tradeDate: '2024-01-02', maturity: '2Y', rate: '4.33' },
        given: { rate: '4.39' },
      },
    ]);
  });

  it('without a contradiction names none', async () => {
    const { conflicts, rates } = await overHeld(['2024-01-02,4.80,4.33'], ['2024-01-02,4.80,4.330']);
    expect(conflicts).toEqual([]);
    expect(rates).toEqual(['2024-01-02 1Y 4.80', '2024-01-02 2Y 4.330']);
  });
});
