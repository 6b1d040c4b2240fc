import { addDays, type Day } from '../series/date.ts';
import type { Classification, InsiderTrade } from './classification.ts';
import type { Cluster } from './cluster.ts';
import { type Filing, impossibilityText, leadOwner, type ReportingOwner } from './filing.ts';

type CountedTrade = {
  readonly reason: 'counted';
  readonly filing: Filing;
  readonly insider: ReportingOwner;
  /** The other owners of the filing, who count as one insider with `insider`. */
  readonly jointFilers: readonly ReportingOwner[];
  /** An amendment with several possible originals: this trade is part of it, or may be restated by it. */
  readonly ambiguousAmendment?: Filing;
};

type TradeOutside = { readonly reason: 'outside-the-cluster'; readonly filing: Filing };

type TradeVerdict = CountedTrade | TradeOutside | Classification['excluded'][number];

/** A trade in or near a cluster, and why it counts towards that cluster or not. */
export type TradeExplanation = Pick<TradeVerdict, 'filing' | 'reason'> & {
  /** The insider that counts, otherwise the lead owner of the filing, if known. */
  readonly owner: ReportingOwner | undefined;
  /** Why a trade does not count, or a remark on one that does; empty if there is neither. */
  readonly text: string;
};

/**
 * Explains a cluster by the classification of its issuer's trades in which it was found. Covers every trade with its
 * code whose trade date is in the cluster or at most `days` days away, ordered by trade date, filing date, accession
 * number and row. For a trade without a date, or dated after its filing, the filing date decides. Exactly the
 * cluster's trades are `counted`.
 */
export function explainCluster(
  { trades, dateFirst, dateLast }: Cluster,
  classification: Classification,
  days: number,
): readonly TradeExplanation[] {
  const [from, to] = [addDays(dateFirst, -days), addDays(dateLast, days)];
  const counted = new Set(trades.map(({ filing }) => idOf(filing)));
  const counting = classification.trades.map(
    (trade): TradeVerdict =>
      counted.has(idOf(trade.filing))
        ? countedTrade(trade, classification)
        : { reason: 'outside-the-cluster', filing: trade.filing },
  );
  return [...counting, ...classification.excluded]
    .filter(({ filing }) => filing.transactionCode === classification.code && isNear(filing, from, to))
    .sort((a, b) => (sortKey(a.filing) < sortKey(b.filing) ? -1 : 1))
    .map((verdict) => ({
      filing: verdict.filing,
      reason: verdict.reason,
      owner: verdict.reason === 'counted' ? verdict.insider : leadOwner(verdict.filing),
      text: textOf(verdict),
    }));
}

function idOf({ filingId, row }: Filing): string {
  return `${filingId} ${row}`;
}

function countedTrade({ filing, insider }: InsiderTrade, { ambiguous }: Classification): CountedTrade {
  const ambiguity = ambiguous.find(
    ({ amendment, possibleOriginals }) =>
      amendment.filingId === filing.filingId || possibleOriginals.includes(filing),
  );
  return {
    reason: 'counted',
    filing,
    insider,
    jointFilers: filing.owners.filter((owner) => owner !== insider),
    ...(ambiguity !== undefined && { ambiguousAmendment: ambiguity.amendment }),
  };
}

function isNear({ transactionDate, filedOn }: Filing, from: Day, to: Day): boolean {
  const date = transactionDate === null || transactionDate > filedOn ? filedOn : transactionDate;
  return date >= from && date <= to;
}

function sortKey({ transactionDate, filedOn, accessionNumber, filingId, row }: Filing): string {
  return [transactionDate, filedOn, accessionNumber, String(row).padStart(4, '0'), filingId].join(' ');
}

function textOf(verdict: TradeVerdict): string {
  const { reason, filing } = verdict;
  switch (reason) {
    case 'counted':
      return countedText(verdict);
    case 'outside-the-cluster':
      return 'outside the span';
    case 'form-3':
      return 'a Form 3 reports holdings, not trades';
    case 'derivative':
      return 'a derivative';
    case 'other-code':
      return 'of another code';
    case 'no-owner-cik':
      return 'the insider has no CIK and cannot be distinguished from others';
    case 'ten-percent-owner':
      return 'by a ten-percent owner who is neither an officer nor a director';
    case 'not-officer-or-director':
      return 'by one who is neither an officer nor a director';
    case 'reported-twice':
      return `the same trade reported twice: ${tradeName(verdict.countedTrade)}`;
    case 'same-block':
      return `the same block reported by another filer: ${tradeName(verdict.countedTrade)}`;
    case 'amended':
      return `amended: ${tradeName(verdict.amendment)}`;
    default:
      return `impossible: ${impossibilityText(filing, reason)}`;
  }
}

function countedText({ jointFilers, ambiguousAmendment }: CountedTrade): string {
  const names = jointFilers.map(({ name }) => name).join(', ');
  return [
    ...(names === '' ? [] : [`one insider with the joint filers ${names}`]),
    ...(ambiguousAmendment === undefined
      ? []
      : [`not clear what ${tradeName(ambiguousAmendment)} amends: all of it stays`]),
  ].join('; ');
}

function tradeName({ accessionNumber, filingId, row }: Filing): string {
  return `${accessionNumber ?? filingId} row ${row}`;
}
