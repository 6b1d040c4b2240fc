import { addDays, type Day } from '../values/date.ts';
import type { Classification, InsiderTrade } from './classification.ts';
import type { Cluster } from './cluster.ts';
import { type Filing, impossibilityOf, leadOwner, type ReportingOwner } from './filing.ts';

/** A trade in or near a cluster, with its reason. */
export type TradeExplanation = {
  readonly filing: Filing;
  readonly reason: 'counted' | 'outside-the-cluster' | Classification['excluded'][number]['reason'];
  /** The insider that counts, or else the lead owner of the filing, if known. */
  readonly owner: ReportingOwner | undefined;
  /** Why the trade does not count, or a remark on one that does; may be empty. */
  readonly text: string;
};

/**
 * Explains each trade with the code that is at most `days` days from a cluster, by trade date.
 * Uses the filing date for a trade without a date, or dated after its filing.
 */
export function explainCluster(
  { trades, dateFirst, dateLast }: Cluster,
  classification: Classification,
  days: number,
): readonly TradeExplanation[] {
  const [from, to] = [addDays(dateFirst, -days), addDays(dateLast, days)];
  const counted = new Set(trades.map(({ filing }) => idOf(filing)));
  const counting = classification.trades.map((trade): TradeExplanation => {
    const { filing, insider } = trade;
    return counted.has(idOf(filing))
      ? { filing, reason: 'counted', owner: insider, text: remarkOn(trade, classification) }
      : { filing, reason: 'outside-the-cluster', owner: leadOwner(filing), text: 'outside the span' };
  });
  const excluded = classification.excluded.map(({ filing, reason, other }): TradeExplanation => {
    const named = other === undefined ? '' : `: ${tradeName(other)}`;
    const text = exclusions.get(reason) ?? `impossible: ${impossibilityOf(filing)}`;
    return { filing, reason, owner: leadOwner(filing), text: text + named };
  });
  return [...counting, ...excluded]
    .filter(({ filing }) => filing.transactionCode === classification.code && isNear(filing, from, to))
    .sort((a, b) => (sortKey(a.filing) < sortKey(b.filing) ? -1 : 1));
}

function idOf({ filingId, row }: Filing): string {
  return `${filingId} ${row}`;
}

function remarkOn({ filing, insider }: InsiderTrade, { ambiguous }: Classification): string {
  const joint = filing.owners.filter((owner) => owner !== insider).map(({ name }) => name);
  const unclear = ambiguous.find(
    ({ amendment, possibleOriginals }) =>
      amendment.filingId === filing.filingId || possibleOriginals.includes(filing),
  );
  const remarks = [
    joint.length > 0 && `one insider with the joint filers ${joint.join(', ')}`,
    unclear && `not clear what ${tradeName(unclear.amendment)} amends: all of it stays`,
  ];
  return remarks.filter(Boolean).join('; ');
}

function isNear({ transactionDate, filedOn }: Filing, from: Day, to: Day): boolean {
  const date = transactionDate === null || transactionDate > filedOn ? filedOn : transactionDate;
  return date >= from && date <= to;
}

function sortKey({ transactionDate, filedOn, accessionNumber, filingId, row }: Filing): string {
  return [transactionDate, filedOn, accessionNumber, String(row).padStart(4, '0'), filingId].join(' ');
}

const exclusions = new Map<string, string>([
  ['form-3', 'a Form 3 reports holdings, not trades'],
  ['derivative', 'a derivative'],
  ['other-code', 'of another code'],
  ['no-owner-cik', 'the insider has no CIK and cannot be distinguished from others'],
  ['ten-percent-owner', 'by a ten-percent owner who is neither an officer nor a director'],
  ['not-officer-or-director', 'by one who is neither an officer nor a director'],
  ['reported-twice', 'the same trade reported twice'],
  ['same-block', 'the same block reported by another filer'],
  ['amended', 'amended'],
]);

function tradeName({ accessionNumber, filingId, row }: Filing): string {
  return `${accessionNumber ?? filingId} row ${row}`;
}
