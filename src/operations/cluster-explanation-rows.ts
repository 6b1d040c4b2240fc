import { type Classification, classifyTrades } from '../domain/insider/classification.ts';
import {
  explainCluster,
  explainedOwner,
  explanationText,
  type TradeExplanation,
} from '../domain/insider/explanation.ts';
import type { Filing } from '../domain/insider/filing.ts';
import { addDays, type Day } from '../domain/series/date.ts';
import type { FilingsQuery, StoreView } from '../store/store.ts';
import type { NamedCluster } from './cluster-listing.ts';

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
