import { clusterTotals, transactionValue } from '../domain/insider/amounts.ts';
import { type Classification, classifyTrades } from '../domain/insider/classification.ts';
import {
  explainCluster,
  explainedOwner,
  explanationText,
  type TradeExplanation,
} from '../domain/insider/explanation.ts';
import { type Filing, leadOwner, otherOwners } from '../domain/insider/filing.ts';
import type { Purchase } from '../domain/insider/purchase.ts';
import { addDays, type Day } from '../domain/series/date.ts';
import type { FilingsQuery, StoreView } from '../store/store.ts';
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

/** How far an explanation looks: this many days around a cluster, and what was filed on or before `as_of`. */
type ExplanationScope = { readonly days: number; readonly as_of: Day | undefined };

/** The rows that explain clusters, cluster by cluster. */
export async function explanationRows(
  view: StoreView,
  clusters: readonly NamedCluster[],
  { days, as_of }: ExplanationScope,
) {
  const asOf = as_of === undefined ? {} : { asOf: as_of };
  const classifications = new Map<string, Classification>();
  const others = await filedPurchases(view, clusters, { days, as_of });
  const rows: ReturnType<typeof explanationRow>[] = [];
  for (const cluster of clusters) {
    const { issuerCik } = cluster;
    let classification = classifications.get(issuerCik);
    if (classification === undefined) {
      const trades = new Map(others.get(issuerCik));
      for await (const batch of view.purchases({ issuerCik, ...asOf }))
        for (const trade of batch) trades.set(idOf(trade), trade);
      classification = classifyTrades([...trades.values()]);
      classifications.set(issuerCik, classification);
    }
    for (const explanation of explainCluster(cluster, classification, days))
      rows.push(explanationRow(cluster, explanation));
  }
  return rows;
}

/** The most trades that are read at once. */
const batchSize = 1000;

/**
 * Every trade with code `P` of the clusters' issuers that was filed since the first day of interest, by issuer: also
 * those that no cluster is made of, such as derivatives.
 */
async function filedPurchases(
  view: StoreView,
  clusters: readonly NamedCluster[],
  { days, as_of }: ExplanationScope,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Filing>>> {
  const found = new Map(clusters.map(({ issuerCik }) => [issuerCik, new Map<string, Filing>()]));
  const [first] = clusters.map(({ dateFirst }) => dateFirst).sort();
  if (first === undefined) return found;
  let after: FilingsQuery['after'];
  do {
    const trades: readonly Filing[] = await view.filings({
      transactionCode: 'P',
      from: addDays(first, -days),
      limit: batchSize,
      ...(as_of !== undefined && { to: as_of }),
      ...(after !== undefined && { after }),
    });
    for (const trade of trades) found.get(trade.issuerCik)?.set(idOf(trade), trade);
    after = trades.length < batchSize ? undefined : trades.at(-1);
  } while (after !== undefined);
  return found;
}

function idOf({ filingId, row }: Filing): string {
  return `${filingId} ${row}`;
}

function explanationRow(
  { ticker, issuerCik, dateFirst, dateLast }: NamedCluster,
  explanation: TradeExplanation,
) {
  const { filing, reason } = explanation;
  return {
    filing_date: filing.filedOn,
    transaction_date: filing.transactionDate,
    accession_number: filing.accessionNumber,
    ticker,
    owner_name: explainedOwner(explanation)?.name ?? null,
    shares: filing.shares,
    price_per_share: filing.pricePerShare,
    form_type: filing.formType,
    issuer_cik: issuerCik,
    row: filing.row,
    date_first: dateFirst,
    date_last: dateLast,
    verdict: reason === 'counted' ? 'counted' : 'left out',
    reason: explanationText(explanation),
  };
}
