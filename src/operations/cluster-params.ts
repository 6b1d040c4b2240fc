import { isWorth } from '../domain/insider/cluster.ts';
import { purchaseCode, tradesNoun, transactionCodes } from '../domain/insider/filing.ts';
import { extension, type Field, nullable } from './field.ts';
import { insiderFilings } from './insider-filings.ts';
import type { AskMore } from './operation.ts';
import { type ParamTexts, textOf } from './param.ts';
import { asOfParam, choiceParam, dayParam, filterParam, integerParam, paging } from './params.ts';
import type { Clock } from './value.ts';

/** The code of a row's trades, for clusters of other codes than purchases. */
export const codeField = {
  ...extension('transaction_code', 'text', 'The code of the trades; absent in clusters of purchases (P).'),
  occasional: true,
} as const satisfies Field;

/** The member that names the code of a row's trades; absent for purchases. */
export function codeIn(code: string): { readonly transaction_code?: string } {
  return code === purchaseCode ? {} : { transaction_code: code };
}

/** The code of the trades, in upper or lower case; the default is purchases. */
const codeParam = choiceParam(
  'Code of the transactions: P is a purchase, S a sale.',
  transactionCodes,
  purchaseCode,
  {
    flag: 'code',
    placeholder: 'code',
    extension: true,
  },
);

/** The parameters of every operation on clusters. */
export const clusterParams = {
  transaction_code: {
    ...codeParam,
    parse: (text: string, name: string, clock: Clock) => codeParam.parse(text.toUpperCase(), name, clock),
  },
  min_insiders: integerParam('Distinct insiders that make a cluster.', 1, undefined, 3, {
    bounds: { field: 'cluster_size', is: 'least' },
  }),
  days: integerParam(
    'Calendar days within which they trade; spans that share a trade are joined.',
    1,
    365,
    14,
  ),
  min_value: integerParam('Minimum total value, in dollars.', 1, 999_999_999_999_999, undefined, {
    extension: true,
  }),
  ticker: filterParam('Trading symbol.', { extension: true, placeholder: 'symbol', complete: 'tickers' }),
  from: dayParam(
    'Earliest date of the last trade of a cluster.',
    { field: 'date_last', is: 'from' },
    { extension: true },
  ),
  to: dayParam(
    'Latest date of the last trade of a cluster.',
    { field: 'date_last', is: 'to' },
    { extension: true },
  ),
  as_of: asOfParam({ extension: true }),
  ...paging,
};

/** What every row about a cluster says about its trades. */
export const clusterFields = {
  totalShares: {
    ...nullable('total_shares', 'decimal', 'Shares traded; null if a trade does not state its number.'),
    head: 'shares',
  },
  totalValue: {
    ...nullable(
      'total_value',
      'decimal',
      'Shares times price, summed over the trades that state both; null if none does.',
    ),
    head: 'value',
  },
  dateFirst: { name: 'date_first', type: 'day', description: 'Date of the first trade.', happened: true },
  dateLast: { name: 'date_last', type: 'day', description: 'Date of the last trade.', happened: true },
} as const satisfies Readonly<Record<string, Field>>;

/** Why there are no clusters: what makes one, and when the filings of the ticker are. */
export async function whyNoClusters(texts: ParamTexts, ask: AskMore): Promise<string> {
  const least = textOf(texts, 'min_insiders') ?? '3';
  const days = textOf(texts, 'days') ?? '14';
  const trades = tradesNoun((textOf(texts, 'transaction_code') ?? purchaseCode).toUpperCase());
  const value = textOf(texts, 'min_value');
  const worth = value === undefined ? '' : `, worth ${value} or more`;
  const rule = `a cluster takes ${trades} by ${least} insiders within ${days} days${worth}`;
  const { tickerReason } = await import('./filing-reasons.ts');
  return [await tickerReason(texts, (asked) => ask(insiderFilings, asked)), rule]
    .filter((text) => text !== undefined)
    .join('; ');
}

/** Checks that an answer is about the requested code: a row names its code unless it is that of purchases. */
export const codeTest = {
  field: 'transaction_code',
  selects: false,
  met: (row: { readonly transaction_code?: string | null }, asked: { readonly transaction_code: string }) =>
    (row.transaction_code ?? purchaseCode) === asked.transaction_code,
} as const;

/** Checks that a row reaches the requested minimum value. */
export const worthTest = {
  field: 'total_value',
  met: (row: { readonly total_value: string | null }, asked: { readonly min_value: number | undefined }) =>
    isWorth(row.total_value, asked.min_value),
} as const;
