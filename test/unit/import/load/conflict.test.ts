import { describe, expect, it } from 'vitest';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { conflictingFields } from '../../../../src/domain/insider/filing.ts';
import { ImportRefusal } from '../../../../src/import/load/conflict.ts';
import { insiderFilings } from '../../../../src/operations/index.ts';
import { filing, owner } from '../../../support/filings.ts';

const held = filing({ acceptedAt: '2026-01-02T20:00:00Z', originalFiledOn: '2025-12-30', is10b51: false });
/** The line on a trade that an import states differently. */
const lineOn = (changes: Partial<Filing>) => {
  const given = { ...held, ...changes };
  const fields = conflictingFields(held, given);
  return new ImportRefusal([{ kind: 'filing', file: 'a.xml', held, given, fields }]).detail.split('\n')[1];
};

describe('a conflict of two filings', () => {
  it.each<[Partial<Filing>, string]>([
    [{ filedOn: '2026-01-05' }, 'filing_date 2026-01-05, against 2026-01-02'],
    [
      { acceptedAt: '2026-01-02T21:00:00Z' },
      'accepted_at 2026-01-02T21:00:00Z, against 2026-01-02T20:00:00Z',
    ],
    [{ originalFiledOn: '2025-12-31' }, 'original_filing_date 2025-12-31, against 2025-12-30'],
    [{ is10b51: true, shares: '11' }, 'is_10b5_1 true, against false; shares 11, against 10'],
    [{ pricePerShare: '1.6' }, 'price_per_share 1.6, against 1.50'],
    [
      {
        owners: [
          owner({ isOfficer: true, isTenPercent: true }),
          owner({ cik: null, name: 'Kin', isDirector: false }),
        ],
      },
      'owners Smith Stan (0001913199, director, officer, ten-percent owner) and Kin (no CIK), against Smith Stan (0001913199, director)',
    ],
  ])('names fields as the rows of filings do: %j', (changes, differences) => {
    expect(lineOn(changes)).toBe(`  a.xml: filing 0000000001-26-000001 row 1: ${differences}`);
  });

  it('uses only names of fields of those rows', () => {
    const names = new Set(insiderFilings.fields.map(({ name }) => name));
    const other = {
      accessionNumber: '2',
      formType: '5',
      filedOn: '2026-01-05',
      acceptedAt: 'x',
      originalFiledOn: '2025-12-31',
      issuerCik: '2',
      is10b51: true,
      isDerivative: true,
      transactionDate: '2025-12-01',
      transactionCode: 'S',
      acquiredDisposed: 'D',
      ownership: 'I',
      shares: '2',
      pricePerShare: '2',
    } as const;
    const named =
      lineOn(other)
        ?.split('row 1: ')[1]
        ?.split('; ')
        .map((part) => part.split(' ')[0] ?? '') ?? [];
    expect(named).toHaveLength(Object.keys(other).length);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });
});
