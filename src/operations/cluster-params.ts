import { isWorth } from '../domain/insider/cluster.ts';
import { purchaseCode, transactionCodes } from '../domain/insider/insider-trade.ts';
import { extension, type Field } from './field.ts';
import type { Clock } from './param.ts';
import { asOfParam, choiceParam, dayParam, filterParam, integerParam, paging } from './params.ts';

/** The code of the trades of a row, in clusters of another code than purchases. */
export const codeField = {
  ...extension('transaction_code', 'text', 'The code of the trades; absent in clusters of purchases (P).'),
  occasional: true,
} as const satisfies Field;

/** The code of a row's trades, where the row says it. */
export function codeIn(code: string): { readonly transaction_code?: string } {
  return code === purchaseCode ? {} : { transaction_code: code };
}

/** The code of trades, in any letter case; purchases if it is not given. */
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
    'Calendar days in which so many insiders trade; spans that share a trade are joined.',
    1,
    365,
    14,
  ),
  min_value: integerParam('Least total value, in dollars.', 1, 999_999_999_999_999, undefined, {
    extension: true,
  }),
  ticker: filterParam('Trading symbol.', { extension: true, placeholder: 'symbol' }),
  from: dayParam(
    'Earliest date of the last trade of a cluster.',
    { field: 'date_last', is: 'from' },
    { extension: true },
  ),
  to: dayParam('Last date of the last trade.', { field: 'date_last', is: 'to' }, { extension: true }),
  as_of: asOfParam({ extension: true }),
  ...paging,
};

/** What confirms that an answer is of the code that was asked for: a row says another code than that of purchases. */
export const codeTest = {
  field: 'transaction_code',
  selects: false,
  met: (row: { readonly transaction_code?: string | null }, asked: { readonly transaction_code: string }) =>
    (row.transaction_code ?? purchaseCode) === asked.transaction_code,
} as const;

/** What an answer with a least value holds. */
export const worthTest = {
  field: 'total_value',
  met: (row: { readonly total_value: string | null }, asked: { readonly min_value: number | undefined }) =>
    isWorth(row.total_value, asked.min_value),
} as const;
