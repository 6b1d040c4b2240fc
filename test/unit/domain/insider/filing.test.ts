import { describe, expect, it } from 'vitest';
import { transactionValue } from '../../../../src/domain/insider/cluster-totals.ts';
import {
  type Filing,
  impossibilityOf,
  isAmendment,
  leadOwner,
  type ReportingOwner,
  rowOf,
  symbolsOf,
} from '../../../../src/domain/insider/filing.ts';
import { combinedFiling, conflictingFields } from '../../../../src/domain/insider/merge-filings.ts';

const owner = (name: string, more: Partial<ReportingOwner> = {}): ReportingOwner => ({
  cik: '0000000001',
  name,
  isDirector: false,
  isOfficer: false,
  isTenPercent: false,
  officerTitle: null,
  ...more,
});

/** The purchase of a director of Turtle Beach, as its Form 4 of 2023-05-15 has it. */
const purchase: Filing = {
  filingId: '0000929638-23-001482',
  accessionNumber: '0000929638-23-001482',
  row: 1,
  formType: '4',
  filedOn: '2023-05-15',
  acceptedAt: null,
  originalFiledOn: null,
  periodOfReport: '2023-05-11',
  issuerCik: '0001493761',
  issuerName: 'Turtle Beach Corp',
  ticker: 'HEAR',
  owners: [owner('SZE JULIA', { cik: '0001777906', isDirector: true })],
  is10b51: false,
  isDerivative: false,
  securityTitle: 'Common Stock',
  transactionDate: '2023-05-11',
  transactionCode: 'P',
  acquiredDisposed: 'A',
  shares: '5000',
  pricePerShare: '11.03',
  sharesOwnedAfter: '18453',
  ownership: 'D',
};

describe('the value of a trade', () => {
  it.each([
    [{}, '55150'],
    [{ shares: '10000.0', pricePerShare: '4.25' }, '42500'],
    [{ shares: '19.82', pricePerShare: '0.0' }, '0'],
    [{ shares: '3', pricePerShare: '0.0000000001' }, '0.0000000003'],
    [{ shares: '123456789012345678', pricePerShare: '1234567.891' }, '152415787640603576651425.098'],
    [{ shares: null }, null],
    [{ pricePerShare: null }, null],
    [{ isDerivative: true }, null],
  ])('of %j is exactly %s', (part, value) => {
    expect(transactionValue({ ...purchase, ...part })).toBe(value);
  });
});

describe('joint filers', () => {
  const fund = owner('Fund LP', { isTenPercent: true });
  const officer = owner('Doe Jane', { isOfficer: true });
  const director = owner('Roe Richard', { isDirector: true });
  it.each([
    ['the first officer or director', [fund, director, officer], director],
    ['the first of all when none is either', [fund, owner('GP LLC')], fund],
    ['no one when no owner is known', [], undefined],
  ])('have as lead owner %s', (_, owners, lead) => {
    expect(leadOwner({ owners })).toBe(lead);
  });
});

describe('the row of a trade', () => {
  it('is higher in Table II than any in Table I', () => {
    expect([rowOf(false, 1), rowOf(false, 30), rowOf(true, 1)]).toEqual([1, 30, 1001]);
  });
});

describe('the symbols in a ticker', () => {
  it.each([
    ['TSLA', ['TSLA']],
    ['LGF.A', ['LGF.A']],
    ['(CALX)', ['CALX']],
    ['NYSE: KRC', ['KRC']],
    ['NASDAQ:SVC', ['SVC']],
    ['NYSE/TRN', ['TRN']],
    ['NASDAQ', ['NASDAQ']],
    ['HEI, HEI.A', ['HEI', 'HEI.A']],
    ['MOGA/MOGB', ['MOGA', 'MOGB']],
    ['WSO; WSOB', ['WSO', 'WSOB']],
    ['Z AND ZG', ['Z', 'ZG']],
    ['CCIX U', ['CCIX U']],
    ['N O G', ['N O G']],
    ['vicr', ['VICR']],
    [null, []],
  ])('%j are %j', (ticker, symbols) => {
    expect(symbolsOf(ticker)).toEqual(symbols);
  });
});

describe('a trade', () => {
  it.each([
    ['2023-05-15', undefined],
    ['2023-05-16', 'dated 2023-05-16, after its filing on 2023-05-15'],
    ['0022-11-08', 'dated 0022-11-08, before insiders had to report (1934-06-06)'],
    ['1934-06-05', 'dated 1934-06-05, before insiders had to report (1934-06-06)'],
    ['1934-06-06', undefined],
    [null, 'the trade has no date'],
  ])('dated %s has the impossibility: %s', (transactionDate, reason) => {
    expect(impossibilityOf({ ...purchase, transactionDate })?.text).toBe(reason);
  });

  it.each([
    ['-100', '10', 'of -100 shares'],
    ['100', '-0.01', 'at -0.01 a share'],
    ['0', '0.00', undefined],
    [null, null, undefined],
  ])('of %s shares at %s has the impossibility: %s', (shares, pricePerShare, reason) => {
    expect(impossibilityOf({ ...purchase, shares, pricePerShare })?.text).toBe(reason);
  });

  it('is an amendment when its form type ends in /A', () => {
    expect((['4', '4/A', '5/A'] as const).map((formType) => isAmendment({ formType }))).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('two records of one trade', () => {
  const roles = [
    owner('A', { cik: '0000000001', isOfficer: true }),
    owner('B', { cik: '0000000002', isTenPercent: true }),
  ];
  it.each<[string, Partial<Filing>, Partial<Filing>]>([
    ['another spelling of a number', { shares: '5000.0' }, { shares: '5000' }],
    ['a longer title', { securityTitle: 'Common Stock, par value $0.001' }, {}],
    ['what only one states', { acceptedAt: '2023-05-15T20:00:00Z' }, { is10b51: null, ownership: null }],
    ['owners in another order', { owners: roles }, { owners: roles.toReversed() }],
    ['owners that only one names', { owners: [] }, { owners: roles }],
  ])('do not clash by %s, and combine into the fuller text in any order', (_, a, b) => {
    const [one, other] = [
      { ...purchase, ...a },
      { ...purchase, ...b },
    ];
    expect(conflictingFields(one, other)).toEqual([]);
    const both = combinedFiling(one, other);
    expect(combinedFiling(other, one)).toEqual(both);
    for (const part of [a, b]) {
      for (const [field, value] of Object.entries(part)) {
        if (value !== null && field !== 'owners') {
          expect(String(both[field as keyof Filing]).length).toBeGreaterThanOrEqual(String(value).length);
        }
      }
    }
    expect(both.owners.length).toBe(Math.max(one.owners.length, other.owners.length));
  });

  it.each<[keyof Filing, Partial<Filing>]>([
    ['filedOn', { filedOn: '2023-05-16' }],
    ['formType', { formType: '4/A' }],
    ['issuerCik', { issuerCik: '0000000009' }],
    ['transactionDate', { transactionDate: '2023-05-10' }],
    ['transactionCode', { transactionCode: 'S' }],
    ['is10b51', { is10b51: true }],
    ['shares', { shares: '5001' }],
    ['pricePerShare', { pricePerShare: '11.030001' }],
    ['ownership', { ownership: 'I' }],
    ['owners', { owners: [owner('SZE JULIA', { cik: '0001777906' })] }],
    ['owners', { owners: [owner('SZE JULIA', { cik: '0001777907', isDirector: true })] }],
  ])('clash in %s', (field, part) => {
    expect(conflictingFields(purchase, { ...purchase, ...part })).toEqual([field]);
    expect(conflictingFields({ ...purchase, ...part }, purchase)).toEqual([field]);
  });
});
