import { describe, expect, it } from 'vitest';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { conflictingFields } from '../../../../src/domain/insider/merge-filings.ts';
import { ImportRefusal } from '../../../../src/import/load/conflict.ts';
import { insiderFilings } from '../../../../src/operations/insiders/filings.ts';
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
    [{ owners: [owner({ cik: null, name: 'Kin' })] }, 'owners [{"cik":null,"name":"Kin",'],
  ])('names fields as the rows of filings do: %j', (changes, differences) => {
    expect(lineOn(changes)).toContain(`  a.xml: filing 0000000001-26-000001 row 1: ${differences}`);
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

describe('the refusal of an import', () => {
  const value = (seriesId: string, date: string) =>
    ({ kind: 'value', file: 'a.csv', seriesId, date, asOf: '2024-01-31', held: '1', given: '2' }) as const;
  const days = Array.from({ length: 150 }, (_, i) =>
    new Date(Date.UTC(2000, i, 1)).toISOString().slice(0, 10),
  );
  const source = { kind: 'source', seriesId: 'UNRATE', held: ['FRED'], given: ['FRED-MD'] } as const;

  it('counts conflicts by cause before it lists them', () => {
    const two = new ImportRefusal([value('GDP', '2023-10-01'), source]).detail.split('\n');
    expect(two[0]).toBe('2 conflicts; 1 value, 1 source; nothing was imported:');
    const many = days.map((day, i) => value(i % 3 === 0 ? 'UNRATE' : 'GDP', day));
    const [first, ...listed] = new ImportRefusal([...many, source]).detail.split('\n');
    expect(first).toBe('151 conflicts; 150 values, 1 source; nothing was imported:');
    expect(listed).toHaveLength(151);
  });

  it('says that --replace cannot choose between two new values', () => {
    const { hints } = new ImportRefusal([{ ...value('GDP', '2023-10-01'), bothNew: true }]);
    expect(hints).toEqual([
      'both values are new: import one file after the other with --replace, or remove one value',
    ]);
  });

  it('can list the first of them alone, and says how many more there are', () => {
    const refusal = new ImportRefusal(days.map((day) => value('GDP', day)));
    const lines = refusal.cutAt(100).detail.split('\n');
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toBe('  … and 50 more; redirect stderr to a file to list all');
    expect(refusal.cutAt(100).hints).toEqual(refusal.hints);
    expect(refusal.cutAt(150)).toBe(refusal);
  });

  it('does not list the values that contradict a series because they are of another frequency', () => {
    const frequency = {
      kind: 'metadata',
      file: 'a.csv',
      seriesId: 'GDP',
      field: 'frequency',
      held: 'Q',
      given: 'M',
      shown: true,
    } as const;
    const { detail, hints } = new ImportRefusal([frequency, ...days.map((day) => value('GDP', day))]);
    expect(detail).toBe(
      '1 conflict; nothing was imported:\n  a.csv: GDP frequency: "M", against "Q", by the figures of the files',
    );
    expect(hints).toEqual(['--id OLD=NEW imports the series under another id']);
  });
});
