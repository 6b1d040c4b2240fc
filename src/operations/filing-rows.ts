import { transactionValue } from '../domain/insider/amounts.ts';
import { type Filing, leadOwner, otherOwners } from '../domain/insider/filing.ts';

/** The row of a trade that an insider reported. */
export function filingRow(filing: Filing) {
  const owner = leadOwner(filing);
  return {
    filing_date: filing.filedOn,
    transaction_date: filing.transactionDate,
    accession_number: filing.accessionNumber,
    ticker: filing.ticker,
    issuer_name: filing.issuerName,
    owner_name: owner?.name ?? null,
    officer_title: owner?.officerTitle ?? null,
    transaction_code: filing.transactionCode,
    acquired_disposed: filing.acquiredDisposed,
    shares: filing.shares,
    price_per_share: filing.pricePerShare,
    is_director: owner?.isDirector ?? null,
    is_officer: owner?.isOfficer ?? null,
    is_ten_percent: owner?.isTenPercent ?? null,
    form_type: filing.formType,
    issuer_cik: filing.issuerCik,
    owner_cik: owner?.cik ?? null,
    other_owners: otherOwners(filing).map(({ name }) => name),
    security_title: filing.securityTitle,
    is_derivative: filing.isDerivative,
    transaction_value: transactionValue(filing),
    shares_owned_after: filing.sharesOwnedAfter,
    ownership: filing.ownership,
    is_10b5_1: filing.is10b51,
    accepted_at: filing.acceptedAt,
    row: filing.row,
    other_owner_ciks: otherOwners(filing).map(({ cik }) => cik),
    original_filing_date: filing.originalFiledOn,
  };
}
