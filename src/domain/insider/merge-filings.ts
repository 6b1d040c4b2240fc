import type { MergeOptions } from '../series/merge-plan.ts';
import { fullerText, sameNumber } from '../values/decimal.ts';
import {
  type Filing,
  type FilingHeader,
  filingOf,
  isAmendment,
  purchaseCode,
  type ReportingOwner,
  type Trade,
} from './filing.ts';

/** A filing as it is stored. */
export type StoredFiling = {
  readonly header: FilingHeader;
  readonly concernsClusters: boolean;
  readonly trades: readonly Trade[];
};

/** A trade that contradicts the stored one, with the differing fields. */
export type FilingConflict = {
  readonly held: Filing;
  readonly given: Filing;
  readonly fields: readonly (keyof Filing)[];
};

/** Plans to add trades, one record for each filing and row; `held` are these filings in the store. */
export function planFilings(
  held: readonly StoredFiling[],
  filings: readonly Filing[],
  { replace }: MergeOptions,
) {
  const drafts = new Map(held.map((filing) => [filing.header.filingId, draftOf(filing)]));
  const conflicts: FilingConflict[] = [];
  let [added, known] = [0, 0];
  for (const given of filings) {
    const draft = drafts.get(given.filingId);
    if (draft === undefined) {
      const trades = new Map([[given.row, given]]);
      drafts.set(given.filingId, { header: given, concernsClusters: concernsClusters(given, given), trades });
      added += 1;
      continue;
    }
    const trade = draft.trades.get(given.row);
    // A new trade must agree with its filing.
    const before = filingOf(draft.header, trade ?? given);
    const fields = conflictingFields(before, given);
    if (fields.length > 0 && !replace) {
      conflicts.push({ held: before, given, fields });
      continue;
    }
    const changed = Object.fromEntries(fields.map((field) => [field, given[field]]));
    const after = combinedFiling({ ...before, ...changed }, given);
    // Another form changes the meaning of the filing's stored trades.
    const others = after.formType === draft.header.formType ? [] : [...draft.trades.values()];
    draft.concernsClusters ||= [after, ...others].some((one) => concernsClusters(after, one));
    draft.trades.set(given.row, after);
    draft.header = after;
    if (trade === undefined || fields.length > 0) added += 1;
    else known += 1;
  }
  return { added, known, conflicts, put: [...drafts.values()].flatMap(changesOf) };
}

type FilingDraft = {
  readonly held?: StoredFiling;
  header: FilingHeader;
  concernsClusters: boolean;
  readonly trades: Map<number, Trade>;
};

function draftOf(held: StoredFiling): FilingDraft {
  const { header, concernsClusters, trades } = held;
  return { held, header, concernsClusters, trades: new Map(trades.map((trade) => [trade.row, trade])) };
}

/** Returns the rows to write for a filing: its header, and its new or changed trades, if any changed. */
function changesOf({ held, header, concernsClusters, trades }: FilingDraft): readonly StoredFiling[] {
  const known = new Map(held?.trades.map((trade) => [trade.row, trade]));
  const changed = [...trades.values()].filter((trade) => !isSame(known.get(trade.row), trade, tradeFields));
  const isStored = isSame(held?.header, header, headerFields) && held?.concernsClusters === concernsClusters;
  return isStored && changed.length === 0 ? [] : [{ header, concernsClusters, trades: changed }];
}

/** Tells whether a trade can affect clusters of purchases: a purchase, or shares in an amendment. */
function concernsClusters({ formType }: FilingHeader, { isDerivative, transactionCode }: Trade): boolean {
  if (isDerivative || formType.startsWith('3')) return false;
  return transactionCode === purchaseCode || isAmendment({ formType });
}

type HeaderField = Exclude<keyof FilingHeader, 'filingId'>;
type TradeField = Exclude<keyof Trade, 'row'>;

const headerFields = Object.keys({
  ...{ accessionNumber: true, formType: true, filedOn: true, acceptedAt: true, originalFiledOn: true },
  ...{ periodOfReport: true, issuerCik: true, issuerName: true, ticker: true, is10b51: true, owners: true },
} satisfies Record<HeaderField, true>) as readonly HeaderField[];

const tradeFields = Object.keys({
  ...{ isDerivative: true, securityTitle: true, transactionDate: true, transactionCode: true },
  ...{ acquiredDisposed: true, ownership: true, shares: true, pricePerShare: true, sharesOwnedAfter: true },
} satisfies Record<TradeField, true>) as readonly TradeField[];

/** Numbers may have more digits, and prose may be shortened or spelled differently. */
const numbers: ReadonlySet<string> = new Set(['shares', 'pricePerShare', 'sharesOwnedAfter']);
const prose: ReadonlySet<string> = new Set(['issuerName', 'ticker', 'securityTitle']);

function isSame<T extends object>(one: T | undefined, other: T, fields: readonly (keyof T)[]): boolean {
  return (
    one !== undefined &&
    fields.every((field) => {
      const [a, b] = [one[field], other[field]];
      return a === b || (typeof a === 'object' && a !== null && JSON.stringify(a) === JSON.stringify(b));
    })
  );
}

/** Lists the fields in which two records of a trade state different facts; spelling of names does not count. */
export function conflictingFields(held: Filing, given: Filing): readonly (keyof Filing)[] {
  const differing = [...headerFields, ...tradeFields].filter((field) => {
    const [one, other] = [held[field], given[field]];
    if (one === null || other === null || field === 'owners' || prose.has(field)) return false;
    return numbers.has(field) ? !sameNumber(String(one), String(other)) : one !== other;
  });
  const [roles, otherRoles] = [rolesIn(held), rolesIn(given)];
  return roles === '' || otherRoles === '' || roles === otherRoles ? differing : [...differing, 'owners'];
}

/** Returns the owners' CIKs and roles as one text, the same for any order and any spelling of names. */
function rolesIn({ owners }: Filing): string {
  return owners
    .map(({ cik, isDirector, isOfficer, isTenPercent }) =>
      [cik, isDirector, isOfficer, isTenPercent].join(' '),
    )
    .sort()
    .join('; ');
}

/** Combines two records of one trade that do not contradict each other; their order makes no difference. */
export function combinedFiling(held: Filing, given: Filing): Filing {
  const fuller = [...headerFields, ...tradeFields].map((field) => {
    const [one, other] = [held[field], given[field]];
    const mayBeFuller = numbers.has(field) || prose.has(field);
    const areTexts = typeof one === 'string' && typeof other === 'string';
    return [field, mayBeFuller && areTexts ? fullerText(one, other) : (one ?? other)] as const;
  });
  return { ...held, ...Object.fromEntries(fuller), owners: fullerOwners(held.owners, given.owners) };
}

function fullerOwners(a: readonly ReportingOwner[], b: readonly ReportingOwner[]): readonly ReportingOwner[] {
  const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];
  return fullerText(textA, textB) === textA ? a : b;
}
