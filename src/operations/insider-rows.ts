import { clusterTotals, transactionValue } from '../domain/insider/amounts.ts';
import { type Filing, leadOwner, otherOwners } from '../domain/insider/filing.ts';
import type { Purchase } from '../domain/insider/purchase.ts';
import type { NamedCluster } from './cluster-listing.ts';

/** The row of a cluster. */
export function clusterRow(cluster: NamedCluster) {
  const totals = clusterTotals(cluster);
  const numbers = cluster.purchases.flatMap(({ filing }) => filing.accessionNumber ?? []);
  return {
    ticker: cluster.ticker,
    issuer_name: cluster.issuerName,
    cluster_size: cluster.size,
    total_shares: totals.shares,
    total_value: totals.value,
    date_first: cluster.dateFirst,
    date_last: cluster.dateLast,
    insiders: cluster.purchases.map(insiderEntry),
    issuer_cik: cluster.issuerCik,
    transaction_count: cluster.purchases.length,
    average_price: totals.averagePrice,
    price_low: totals.priceLow,
    price_high: totals.priceHigh,
    detected_on: cluster.detectedOn,
    size_when_detected: cluster.sizeWhenDetected,
    accession_numbers: [...new Set(numbers)].sort(),
  };
}

function insiderEntry({ filing, insider, date }: Purchase) {
  return {
    owner_name: insider.name,
    officer_title: insider.officerTitle,
    shares: filing.shares,
    price_per_share: filing.pricePerShare,
    transaction_date: date,
    is_director: insider.isDirector,
    is_officer: insider.isOfficer,
    owner_cik: insider.cik,
    filing_date: filing.filedOn,
    accession_number: filing.accessionNumber,
    value: transactionValue(filing),
  };
}

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
