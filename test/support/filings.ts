import fc from 'fast-check';
import type { Filing, ReportingOwner } from '../../src/domain/insider/filing.ts';

/** A director, with some fields replaced. */
export function owner(changes: Partial<ReportingOwner> = {}): ReportingOwner {
  return {
    cik: '0001913199',
    name: 'Smith Stan',
    isDirector: true,
    isOfficer: false,
    isTenPercent: false,
    officerTitle: null,
    ...changes,
  };
}

/** An open-market purchase by a director, with some fields replaced. */
export function filing(changes: Partial<Filing> = {}): Filing {
  const { filingId = '0000000001-26-000001' } = changes;
  return {
    filingId,
    accessionNumber: filingId,
    formType: '4',
    filedOn: '2026-01-02',
    acceptedAt: null,
    originalFiledOn: null,
    periodOfReport: null,
    issuerCik: '0001878313',
    issuerName: 'MAIA Biotechnology, Inc.',
    ticker: 'MAIA',
    owners: [owner()],
    is10b51: null,
    row: 1,
    isDerivative: false,
    securityTitle: 'Common Stock',
    transactionDate: '2026-01-01',
    transactionCode: 'P',
    acquiredDisposed: 'A',
    shares: '10',
    pricePerShare: '1.50',
    sharesOwnedAfter: null,
    ownership: 'D',
    ...changes,
  };
}

const owners = [
  owner(),
  owner({ cik: '0001913257', name: 'Vitoc Vlad', isDirector: false, isOfficer: true, officerTitle: 'CEO' }),
  owner({ cik: null, name: 'É. Fund', isDirector: false, isTenPercent: true }),
];

/** Any trade of a few days, issuers and owners. */
export const anyFiling: fc.Arbitrary<Filing> = fc
  .record({
    filingId: fc.constantFrom(1, 2, 3, 4, 5, 6).map((count) => `0000000001-26-00000${count}`),
    row: fc.constantFrom(1, 2, 1001),
    isDerivative: fc.boolean(),
    filedOn: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03'),
    formType: fc.constantFrom('3' as const, '4' as const, '4/A' as const, '5' as const),
    acceptedAt: fc.constantFrom(null, '2026-01-02T10:00:00Z'),
    issuerCik: fc.constantFrom('0000000007', '0000000008'),
    ticker: fc.constantFrom(null, 'MAIA', 'HEI, HEI.A'),
    owners: fc.subarray(owners),
    is10b51: fc.constantFrom(null, true, false),
    transactionCode: fc.constantFrom(null, 'P', 'S'),
    shares: fc.constantFrom(null, '1', '2.50'),
  })
  .map(filing);

/** A row of `asof insider filings`. */
export const filingRow = {
  filing_date: '2026-06-02',
  transaction_date: '2026-06-01',
  accession_number: '0001878313-26-000060',
  ticker: 'MAIA',
  issuer_name: 'MAIA Biotechnology, Inc.',
  owner_name: 'Gryaznov Sergei',
  officer_title: 'Chief Scientific Officer',
  transaction_code: 'P',
  acquired_disposed: 'A',
  shares: '2000.0',
  price_per_share: '1.345',
  is_director: false,
  is_officer: true,
  is_ten_percent: false,
  form_type: '4',
  issuer_cik: '0001878313',
  owner_cik: '0001913228',
  other_owners: [],
  security_title: 'Common Stock',
  is_derivative: false,
  transaction_value: '2690',
  shares_owned_after: '46511.0',
  ownership: 'D',
  is_10b5_1: null,
  accepted_at: null,
  row: 1,
  other_owner_ciks: [],
  original_filing_date: null,
};
