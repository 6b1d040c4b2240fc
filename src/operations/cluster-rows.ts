import { clusterTotals, transactionValue } from '../domain/insider/amounts.ts';
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
