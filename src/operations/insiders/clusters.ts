import { isCluster, isWorth } from '../../domain/insider/cluster.ts';
import { formTypes, purchaseCode } from '../../domain/insider/filing.ts';
import type { StoreView } from '../../store/store.ts';
import type { Page } from '../envelope.ts';
import { extension, field, nullable, nullableExtension, rowsFrom } from '../field.ts';
import { type AskMore, type Naming, operation } from '../operation.ts';
import {
  asOfParam,
  dayRange,
  oldest,
  type ParamTexts,
  type ParamValues,
  paging,
  param,
  textOf,
} from '../param.ts';
import { type Clock, choice, day, filter, integer } from '../value.ts';
import { issuerNameField, tickerReasons, tickerTest, unknownTickerIn } from './filings.ts';

/**
 * Codes of transactions on Forms 4 and 5, by the SEC's General Instruction 8.
 * `P` and `S` are purchases and sales in the open market, `A` is a grant, `F` shares withheld for taxes,
 * `G` a gift, `M` the exercise of a derivative.
 */
const transactionCodes = [...'PSVADFIMCEHOXGLWZJKU'] as readonly string[];

const codeParam = param(
  choice(transactionCodes),
  'Code of the transactions: P is a purchase, S a sale.',
  purchaseCode,
  { flag: 'code', placeholder: 'code', extension: true },
);

const clusterParams = {
  transaction_code: {
    ...codeParam,
    parse: (text: string, name: string, clock: Clock) => codeParam.parse(text.toUpperCase(), name, clock),
  },
  min_insiders: param(integer(1), 'Distinct insiders that make a cluster.', 3, {
    bounds: { field: 'cluster_size', is: 'least' },
  }),
  days: param(
    integer(1, 365),
    'Length of a period in calendar days; periods that share a trade are joined.',
    14,
  ),
  min_value: param(integer(1, 999_999_999_999_999), 'Minimum total value, in dollars.', undefined, {
    extension: true,
  }),
  ticker: param(filter, 'Trading symbol.', '', {
    extension: true,
    placeholder: 'symbol',
    complete: 'tickers',
  }),
  from: param(day, 'Earliest date of the last trade of a cluster.', undefined, {
    bounds: { field: 'date_last', is: 'from' },
    extension: true,
  }),
  to: param(day, 'Latest date of the last trade of a cluster.', undefined, {
    bounds: { field: 'date_last', is: 'to' },
    extension: true,
  }),
  as_of: asOfParam({ extension: true }),
  ...paging,
};

type ClusterQuery = ParamValues<typeof clusterParams>;

const codeField = extension(
  'transaction_code',
  'text',
  'The code of the trades; absent in clusters of purchases (P).',
  { occasional: true },
);

const totals = {
  shares: nullable('total_shares', 'decimal', 'Shares traded; null if a trade does not state its number.', {
    head: 'shares',
  }),
  value: nullable(
    'total_value',
    'decimal',
    'Shares times price, summed over the trades that state both; null if none does.',
    { head: 'value' },
  ),
};

const dates = [
  field('date_first', 'day', 'Date of the first trade.', { happened: true }),
  field('date_last', 'day', 'Date of the last trade.', { happened: true }),
] as const;

const tradeNouns = new Map(Object.entries({ [purchaseCode]: 'purchases', S: 'sales' }));

async function whyNoClusters(texts: ParamTexts, ask: AskMore, naming: Naming): Promise<string> {
  const least = textOf(texts, 'min_insiders') ?? '3';
  const days = textOf(texts, 'days') ?? '14';
  const code = (textOf(texts, 'transaction_code') ?? purchaseCode).toUpperCase();
  const trades = tradeNouns.get(code) ?? `trades with code ${code}`;
  const value = textOf(texts, 'min_value');
  const worth = value === undefined ? '' : `, worth ${value} or more`;
  const rule = `a cluster needs ${trades} by ${least} insiders within ${days} days${worth}`;
  return [...(await tickerReasons(texts, ask, naming)), rule].join('; ');
}

async function pageWith<T, R>(
  { rows, ...page }: Page<T>,
  rowOf: (one: T) => R,
  view: StoreView,
  values: ClusterQuery,
): Promise<Page<R>> {
  return { ...page, ...(await unknownTickerIn(view, rows, values)), rows: rows.map(rowOf) };
}

type Coded = { readonly transaction_code?: string | null };

const worthTest = {
  field: 'total_value',
  met: (row: { readonly total_value: string | null }, asked: { readonly min_value: number | undefined }) =>
    isWorth(row.total_value, asked.min_value),
} as const;

const shared = {
  members: ['as_of', 'covered_to', 'unknown_ticker'],
  subject: 'insider filings',
  extra: oldest,
  boundBy: 'as_of',
  coveredTo: ({ as_of }: ClusterQuery, view: StoreView) => view.filings.coveredTo(as_of),
  rowTests: {
    transaction_code: {
      field: 'transaction_code',
      met: ({ transaction_code: code }: Coded, asked: ClusterQuery) =>
        (code ?? purchaseCode) === asked.transaction_code,
    },
    ticker: tickerTest,
  },
} as const;

const exampleRule = { min_insiders: '3', days: '14' };
const exampleDays = { from: '2026-06-01', to: '2026-06-30', as_of: '2026-06-30' };
const exampleRange = { ticker: 'MAIA', ...exampleDays, limit: '1' };
const example = { ...exampleRule, ...exampleRange };

const insider = [
  field('owner_name', 'text', 'Who traded.'),
  nullable('officer_title', 'text', 'The title of an officer.'),
  nullable('shares', 'decimal', 'Number of shares.'),
  nullable('price_per_share', 'decimal', 'Price of one share.'),
  field('transaction_date', 'day', 'Date of the trade.', { happened: true }),
  field('is_director', 'boolean', 'Whether the insider is a director.'),
  field('is_officer', 'boolean', 'Whether the insider is an officer.'),
  nullableExtension('owner_cik', 'text', "The SEC's key of the insider."),
  extension('filing_date', 'day', 'The first day on which the trade was public.', { happened: true }),
  nullableExtension('accession_number', 'text', "The SEC's number of the filing."),
  nullableExtension('value', 'decimal', 'Shares times price, exact.'),
] as const;

const clusterFields = [
  nullable('ticker', 'text', 'Trading symbol, as the newest filing states it.'),
  issuerNameField,
  field('cluster_size', 'integer', 'Number of distinct insiders.', { head: 'size', rank: 'high' }),
  totals.shares,
  totals.value,
  ...dates,
  field('insiders', 'records', 'One entry per trade: who traded, what, when, and when it was filed.', {
    fields: insider,
  }),
  extension('issuer_cik', 'text', "The SEC's key of the issuer.", { rank: 'low' }),
  extension('transaction_count', 'integer', 'Number of trades.', { head: 'trades' }),
  nullableExtension('average_price', 'decimal', 'Average price of a share, to four decimals.', {
    head: 'average',
  }),
  nullableExtension('price_low', 'decimal', 'Lowest price.', { head: 'low' }),
  nullableExtension('price_high', 'decimal', 'Highest price.', { head: 'high' }),
  extension('detected_on', 'day', 'The first day on which the cluster was public.', { rank: 'high' }),
  extension(
    'size_when_detected',
    'integer',
    'Number of distinct insiders in the cluster, as known on detected_on.',
  ),
  extension('accession_numbers', 'list', 'The filings that report the trades.', { rank: 'low' }),
  codeField,
] as const;

const clusterRow = rowsFrom(clusterFields);

/** Insiders of one issuer with the same kind of trade within days. */
export const insiderClusters = operation({
  ...shared,
  name: 'insider_clusters',
  command: {
    words: 'insider clusters',
    heading: 'Insiders',
    examples: `
# several insiders who bought at about the same time
asof insider clusters --ticker MAIA --from 2024-01-01
# insiders who sold shares for a million dollars or more, even alone
asof insider clusters --code S --min-insiders 1 --min-value 1000000
# why each trade counts or not
asof insider clusters --ticker MAIA --from 2025-11-01 --to 2025-12-10 --explain
`,
  },
  summary: 'Find companies whose insiders bought (or sold) within days of each other',
  description: ({ param }) =>
    `Newest last trade first, then the largest. Purchases in the open market by officers and directors count, or with ${param('transaction_code')} their trades with another code. With ${param('as_of')} only what was filed on or before that day counts.`,
  path: '/v1/insider/clusters',
  object: 'insider_clusters',
  params: clusterParams,
  fields: clusterFields,
  columns: clusterFields
    .map(({ name }) => name)
    .filter((name) => !['insiders', 'transaction_code'].includes(name)),
  example,
  knownBy: 'detected_on',
  order: [{ field: 'date_last', falling: true }],
  identity: ['issuer_cik', 'date_first'],
  contradiction: ({ date_first: first, date_last: last, insiders }) =>
    [first, ...insiders.map((trade) => trade.transaction_date)].some((day) => day < first || day > last)
      ? `.insiders has a trade outside ${first} to ${last}, the dates of the cluster`
      : undefined,
  rowTests: {
    ...shared.rowTests,
    min_value: worthTest,
    days: {
      field: 'insiders',
      met(row, { min_insiders: minInsiders, days }) {
        // Another service may not give the SEC's key of the insider.
        const trades = row.insiders.map(({ owner_cik, owner_name, transaction_date: date }) => {
          return { date, insider: { cik: owner_cik ?? owner_name } };
        });
        return isCluster(trades, { minInsiders, days });
      },
    },
  },
  remark: (rows, texts, { naming }) =>
    rows.length === 0 || textOf(texts, 'min_value') === undefined
      ? undefined
      : `when a cluster became public it may have been below ${naming.param('min_value')}; ${naming.param('signals')} gives the day on which it passed it`,
  whyEmpty: whyNoClusters,
  async run(values, { view, position }) {
    const { clusterPage } = await import('./cluster-listings.ts');
    const page = await clusterPage(view, values, position);
    return pageWith(page, (row) => clusterRow(row, row), view, values);
  },
});

const explanationFields = [
  field('filing_date', 'day', 'The first day on which the trade was public.'),
  nullable('transaction_date', 'day', 'The day of the trade, as stated.'),
  nullable('accession_number', 'text', "The SEC's number of the filing."),
  nullable('ticker', 'text', 'Trading symbol of the cluster.'),
  nullable(
    'owner_name',
    'text',
    'Who reports: among joint filers the insider that counts, else the first officer or director.',
  ),
  nullable('shares', 'decimal', 'Number of shares.'),
  nullable('price_per_share', 'decimal', 'Price of one share.'),
  field('form_type', 'text', '3, 4 or 5; with /A for an amendment.', { choices: formTypes }),
  field('issuer_cik', 'text', "The SEC's key of the issuer."),
  field('row', 'integer', 'Position in the filing; Table II begins at 1001.'),
  field('date_first', 'day', "Date of the cluster's first trade.", { happened: true }),
  field('date_last', 'day', "Date of the cluster's last trade.", { happened: true }),
  field('verdict', 'text', 'Whether the trade counts: `counted` or `left out`.', {
    choices: ['counted', 'left out'],
  }),
  field(
    'reason',
    'text',
    'Why the trade was left out, or a remark on a trade that counts; empty if there is none.',
  ),
  codeField,
] as const;

const explanationRow = rowsFrom(explanationFields);

/** The trades in and near each cluster, and why they count or not; `limit` counts clusters. */
export const insiderClusterExplanations = operation({
  ...shared,
  name: 'insider_cluster_explanations',
  command: {
    words: 'insider clusters',
    heading: 'Insiders',
    flag: { name: 'explain', description: 'List each trade in or near a cluster, and why it counts.' },
  },
  summary: 'Which trades make a cluster of insiders, and why others near it do not count',
  description: ({ param }) =>
    `The trades with the code of each cluster (P, or ${param('transaction_code')}) in it and near it, in the order of the clusters, then by trade date. A page has whole clusters.`,
  path: '/v1/insider/clusters/explanations',
  object: 'insider_cluster_explanation',
  params: {
    ...clusterParams,
    limit: {
      ...clusterParams.limit,
      description: 'Clusters in one page, which has at most 1000 rows unless one cluster alone has more.',
    },
  },
  fields: explanationFields,
  columns: [
    ...(['ticker', 'date_first', 'date_last', 'verdict', 'reason', 'filing_date'] as const),
    ...(['transaction_date', 'accession_number', 'owner_name', 'shares', 'price_per_share'] as const),
    ...(['form_type', 'row', 'issuer_cik'] as const),
  ],
  example,
  knownBy: 'filing_date',
  order: [{ field: 'date_last', falling: true }],
  limitCounts: ['issuer_cik', 'date_first'],
  async run(values, { view, position }) {
    const { explanationPage } = await import('./cluster-listings.ts');
    const page = await explanationPage(view, values, position);
    return pageWith(page, ({ own, filing }) => explanationRow(own, filing), view, values);
  },
});

const signalFields = [
  field(
    'day',
    'day',
    'The first day on which the cluster was public: the filing date of the last filing needed.',
    { rank: 'high' },
  ),
  nullable('ticker', 'text', 'Trading symbol, as the newest filing known on the day states it.'),
  field(
    'cluster_size',
    'integer',
    'Number of distinct insiders, as known on the day, like all that follows.',
    {
      head: 'size',
      rank: 'high',
    },
  ),
  totals.value,
  ...dates,
  field('transaction_code', 'text', 'The code of the trades.'),
  field('issuer_cik', 'text', "The SEC's key of the issuer.", { rank: 'low' }),
  issuerNameField,
  totals.shares,
  field('transaction_count', 'integer', 'Number of trades.', { head: 'trades' }),
] as const;

const signalRow = rowsFrom(signalFields);

/** When clusters of insiders became known, newest day first. Later filings change no row. */
export const insiderClusterSignals = operation({
  ...shared,
  name: 'insider_cluster_signals',
  command: {
    words: 'insider clusters',
    heading: 'Insiders',
    flag: {
      name: 'signals',
      description:
        'List the first public day of each cluster, with its size and value then; the range of dates selects that day.',
    },
  },
  summary: 'On which day clusters of insiders became known',
  description: ({ param }) =>
    `One row for each cluster on the first day on which it was public and had the value of ${param('min_value')}, with what was known at the end of that day, newest day first. Later filings, amendments included, change no row.`,
  path: '/v1/insider/clusters/signals',
  object: 'insider_cluster_signals',
  params: { ...clusterParams, ...dayRange('day of a signal', 'day') },
  fields: signalFields,
  columns: signalFields.map(({ name }) => name).slice(0, 8),
  example: { transaction_code: 'P', ...exampleRule, min_value: '100000', ...exampleRange },
  knownBy: 'day',
  order: [{ field: 'day', falling: true }],
  identity: ['day', 'issuer_cik', 'date_first'],
  rowTests: { ...shared.rowTests, min_value: worthTest },
  whyEmpty: whyNoClusters,
  async run(values, { view, position }) {
    const { signalPage } = await import('./cluster-listings.ts');
    const page = await signalPage(view, values, position);
    return pageWith(page, (row) => signalRow(row, row), view, values);
  },
});
