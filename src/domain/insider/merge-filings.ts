import { fullerText, sameNumber } from '../series/decimal.ts';
import { groupBy } from '../series/groups.ts';
import type { MergeOptions } from '../series/merge-plan.ts';
import {
  type Filing,
  type FilingHeader,
  filingOf,
  isAmendment,
  purchaseCode,
  type ReportingOwner,
  type Trade,
} from './filing.ts';

/** A filing as a store holds it. */
export type HeldFiling = {
  readonly header: FilingHeader;
  /** Whether any of its trades concerns clusters of purchases. */
  readonly concernsClusters: boolean;
  readonly trades: readonly Trade[];
};

/** A trade of a filing that contradicts the held one, and the fields in which it does. */
export type FilingConflict = {
  readonly held: Filing;
  readonly given: Filing;
  readonly fields: readonly (keyof Filing)[];
};

type FilingsPlan = {
  readonly added: number;
  readonly known: number;
  readonly conflicts: readonly FilingConflict[];
  /** The filings that change: their header, and their new or changed trades. */
  readonly put: readonly HeldFiling[];
};

/** Plans to add trades, one record for each filing and row; `held` has what the store has of these filings. */
export function planFilings(
  held: readonly HeldFiling[],
  filings: readonly Filing[],
  { replace }: MergeOptions,
): FilingsPlan {
  const drafts = new Map(held.map((filing) => [filing.header.filingId, new FilingDraft(filing)]));
  const conflicts: FilingConflict[] = [];
  let [added, known] = [0, 0];
  for (const given of filings) {
    const draft = drafts.get(given.filingId);
    if (draft === undefined) {
      drafts.set(given.filingId, new FilingDraft(undefined).put(given));
      added += 1;
      continue;
    }
    const trade = draft.tradeAt(given.row);
    // A new trade must agree with the filing that it belongs to.
    const before = filingOf(draft.headerFor(given), trade ?? given);
    const fields = conflictingFields(before, given);
    if (fields.length > 0 && !replace) {
      conflicts.push({ held: before, given, fields });
      continue;
    }
    draft.put(combinedFiling({ ...before, ...only(given, fields) }, given));
    if (trade === undefined || fields.length > 0) added += 1;
    else known += 1;
  }
  const put = [...drafts.values()].flatMap((draft) => draft.changes());
  return { added, known, conflicts, put };
}

function only(given: Filing, fields: readonly (keyof Filing)[]): Partial<Filing> {
  return Object.fromEntries(fields.map((field) => [field, given[field]]));
}

/** A filing while a merge is being planned. */
class FilingDraft {
  #header: FilingHeader | undefined;
  #concernsClusters: boolean;
  #headerChanged = false;
  readonly #trades: Map<number, Trade>;
  readonly #changed = new Map<number, Trade>();

  constructor(held: HeldFiling | undefined) {
    this.#header = held?.header;
    this.#concernsClusters = held?.concernsClusters === true;
    this.#trades = new Map(held?.trades.map((trade) => [trade.row, trade]));
  }

  tradeAt(row: number): Trade | undefined {
    return this.#trades.get(row);
  }

  headerFor(filing: Filing): FilingHeader {
    return this.#header ?? filing;
  }

  put(filing: Filing): this {
    // Another form changes what the held trades of the filing are.
    const concerned =
      this.#concernsClusters ||
      concernsClusters(filing) ||
      (this.#header?.formType !== filing.formType &&
        [...this.#trades.values()].some((trade) => concernsClusters(filingOf(filing, trade))));
    if (concerned !== this.#concernsClusters || !isSame(this.#header, filing, headerFields)) {
      this.#header = filing;
      this.#concernsClusters = concerned;
      this.#headerChanged = true;
    }
    if (!isSame(this.#trades.get(filing.row), filing, tradeFields)) {
      this.#trades.set(filing.row, filing);
      this.#changed.set(filing.row, filing);
    }
    return this;
  }

  changes(): readonly HeldFiling[] {
    if (this.#header === undefined || !(this.#headerChanged || this.#changed.size > 0)) return [];
    const trades = [...this.#changed.values()];
    return [{ header: this.#header, concernsClusters: this.#concernsClusters, trades }];
  }
}

/** Whether a trade can affect clusters of purchases: one in the open market, or one in shares of an amendment. */
function concernsClusters(filing: Filing): boolean {
  if (filing.isDerivative || filing.formType.startsWith('3')) return false;
  return filing.transactionCode === purchaseCode || isAmendment(filing);
}

/** How two records of a trade must agree on a field, and which of two that agree is kept. */
type FieldRule = 'fact' | 'number' | 'prose' | 'owners';

/** The rules of the fields that the trades of a filing share; prose may be shortened or spelled differently. */
const headerRules = {
  accessionNumber: 'fact',
  formType: 'fact',
  filedOn: 'fact',
  acceptedAt: 'fact',
  originalFiledOn: 'fact',
  periodOfReport: 'fact',
  issuerCik: 'fact',
  issuerName: 'prose',
  ticker: 'prose',
  owners: 'owners',
  is10b51: 'fact',
} as const satisfies { readonly [F in Exclude<keyof FilingHeader, 'filingId'>]: FieldRule };

const tradeRules = {
  isDerivative: 'fact',
  securityTitle: 'prose',
  transactionDate: 'fact',
  transactionCode: 'fact',
  acquiredDisposed: 'fact',
  shares: 'number',
  pricePerShare: 'number',
  sharesOwnedAfter: 'number',
  ownership: 'fact',
} as const satisfies { readonly [F in Exclude<keyof Trade, 'row'>]: FieldRule };

const headerFields = Object.keys(headerRules) as readonly (keyof typeof headerRules)[];
const tradeFields = Object.keys(tradeRules) as readonly (keyof typeof tradeRules)[];

type RuledField = (typeof headerFields)[number] | (typeof tradeFields)[number];

const rules: Readonly<Record<RuledField, FieldRule>> = { ...headerRules, ...tradeRules };

const fieldsByRule = groupBy([...headerFields, ...tradeFields], (field) => rules[field]);

function isSame<T extends object>(one: T | undefined, other: T, fields: readonly (keyof T)[]): boolean {
  return (
    one !== undefined &&
    fields.every((field) => {
      const [a, b] = [one[field], other[field]];
      return a === b || (typeof a === 'object' && a !== null && JSON.stringify(a) === JSON.stringify(b));
    })
  );
}

/** The fields in which two records of a trade state different facts; another spelling of a name is none. */
export function conflictingFields(held: Filing, given: Filing): readonly (keyof Filing)[] {
  return (['fact', 'number', 'owners'] as const).flatMap((rule) =>
    (fieldsByRule.get(rule) ?? []).filter((field) => {
      const [one, other] = [held[field], given[field]];
      if (one === null || other === null) return false;
      if (rule === 'fact') return one !== other;
      return rule === 'number' ? !sameNumber(String(one), String(other)) : haveOtherOwners(held, given);
    }),
  );
}

function haveOtherOwners(held: Filing, given: Filing): boolean {
  const [one, other] = [rolesIn(held), rolesIn(given)];
  return one !== '' && other !== '' && one !== other;
}

/** The owners' CIKs and roles as one text, the same for any order and any spelling of names. */
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
    const isFuller = typeof one === 'string' && typeof other === 'string' && rules[field] !== 'fact';
    return [field, isFuller ? fullerText(one, other) : (one ?? other)] as const;
  });
  return { ...held, ...Object.fromEntries(fuller), owners: fullerOwners(held.owners, given.owners) };
}

function fullerOwners(a: readonly ReportingOwner[], b: readonly ReportingOwner[]): readonly ReportingOwner[] {
  const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];
  return fullerText(textA, textB) === textA ? a : b;
}
