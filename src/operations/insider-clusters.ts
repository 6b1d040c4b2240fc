import type { InsiderTrade } from '../domain/insider/classification.ts';
import { isCluster } from '../domain/insider/cluster.ts';
import type { NamedCluster, Valued } from './cluster-listings.ts';
import {
  clusterFields,
  clusterParams,
  codeField,
  codeIn,
  codeTest,
  whyNoClusters,
  worthTest,
} from './cluster-params.ts';
import { extension, type Field, nullableExtension, type RowFrom } from './field.ts';
import { issuerNameField, tickerTest } from './filing-row.ts';
import { operation } from './operation.ts';
import { textOf } from './param.ts';
import { checkRange, oldest } from './params.ts';

const insider = [
  { name: 'owner_name', type: 'text', description: 'Who traded.' },
  { name: 'officer_title', type: 'text', description: 'The title of an officer.', nullable: true },
  { name: 'shares', type: 'decimal', description: 'Number of shares.', nullable: true },
  { name: 'price_per_share', type: 'decimal', description: 'Price of one share.', nullable: true },
  { name: 'transaction_date', type: 'day', description: 'Date of the trade.', happened: true },
  { name: 'is_director', type: 'boolean', description: 'Whether the insider is a director.' },
  { name: 'is_officer', type: 'boolean', description: 'Whether the insider is an officer.' },
  nullableExtension('owner_cik', 'text', "The SEC's key of the insider."),
  { ...extension('filing_date', 'day', 'The first day on which the trade was public.'), happened: true },
  nullableExtension('accession_number', 'text', "The SEC's number of the filing."),
  nullableExtension('value', 'decimal', 'Shares times price, exact.'),
] as const satisfies readonly Field[];

const fields = [
  {
    name: 'ticker',
    type: 'text',
    description: 'Trading symbol, as the newest filing states it.',
    nullable: true,
  },
  issuerNameField,
  { name: 'cluster_size', type: 'integer', description: 'Distinct insiders.', head: 'size', rank: 'high' },
  clusterFields.totalShares,
  clusterFields.totalValue,
  clusterFields.dateFirst,
  clusterFields.dateLast,
  {
    name: 'insiders',
    type: 'records',
    description: 'One entry per trade: who traded, what, when, and when it was filed.',
    fields: insider,
  },
  { ...extension('issuer_cik', 'text', "The SEC's key of the issuer."), rank: 'low' },
  { ...extension('transaction_count', 'integer', 'Number of trades.'), head: 'trades' },
  {
    ...nullableExtension('average_price', 'decimal', 'Average price of a share, to four decimals.'),
    head: 'average',
  },
  { ...nullableExtension('price_low', 'decimal', 'Lowest price.'), head: 'low' },
  { ...nullableExtension('price_high', 'decimal', 'Highest price.'), head: 'high' },
  { ...extension('detected_on', 'day', 'The first day on which the cluster was public.'), rank: 'high' },
  extension('size_when_detected', 'integer', 'Distinct insiders of the cluster as known on that day.'),
  { ...extension('accession_numbers', 'list', 'The filings that report the trades.'), rank: 'low' },
  codeField,
] as const satisfies readonly Field[];

/** A cluster of the sample. */
const maia = {
  ticker: 'MAIA',
  issuer_name: 'MAIA Biotechnology, Inc.',
  cluster_size: 3,
  total_shares: '149700',
  total_value: '203775.79',
  date_first: '2026-06-01',
  date_last: '2026-06-01',
  insiders: [
    {
      owner_name: 'Gryaznov Sergei',
      officer_title: 'Chief Scientific Officer',
      shares: '2000.0',
      price_per_share: '1.345',
      transaction_date: '2026-06-01',
      is_director: false,
      is_officer: true,
      owner_cik: '0001913228',
      filing_date: '2026-06-02',
      accession_number: '0001878313-26-000060',
      value: '2690',
    },
    {
      owner_name: 'Smith Stan',
      officer_title: null,
      shares: '75000.0',
      price_per_share: '1.336',
      transaction_date: '2026-06-01',
      is_director: true,
      is_officer: false,
      owner_cik: '0001913199',
      filing_date: '2026-06-02',
      accession_number: '0001878313-26-000061',
      value: '100200',
    },
    {
      owner_name: 'Vitoc Vlad',
      officer_title: 'Chief Executive Officer',
      shares: '72700.0',
      price_per_share: '1.3877',
      transaction_date: '2026-06-01',
      is_director: true,
      is_officer: true,
      owner_cik: '0001913257',
      filing_date: '2026-06-02',
      accession_number: '0001878313-26-000062',
      value: '100885.79',
    },
  ],
  issuer_cik: '0001878313',
  transaction_count: 3,
  average_price: '1.3612',
  price_low: '1.336',
  price_high: '1.3877',
  detected_on: '2026-06-02',
  size_when_detected: 3,
  accession_numbers: ['0001878313-26-000060', '0001878313-26-000061', '0001878313-26-000062'],
};

/** The example request of every operation on clusters, and what the envelope of its answer says. */
export const clusterExample = {
  params: {
    min_insiders: '3',
    days: '14',
    ticker: 'MAIA',
    from: '2026-06-01',
    to: '2026-06-30',
    as_of: '2026-06-30',
    limit: '1',
  },
  head: { as_of: '2026-06-30', covered_to: '2026-06-02' },
} as const;

/** Insiders of one issuer who made the same kind of trade within days of each other, newest last trade first. */
export const insiderClusters = operation({
  name: 'insider_clusters',
  command: {
    words: 'insider clusters',
    heading: 'Insiders',
    examples: `
# several insiders who bought at about the same time
asof insider clusters --ticker MAIA --from 2024-01-01
# insiders, even single ones, who sold shares for a million dollars or more in all
asof insider clusters --code S --min-insiders 1 --min-value 1000000
# why each trade counts or not
asof insider clusters --ticker MAIA --from 2025-11-01 --to 2025-12-10 --explain
`,
  },
  summary: 'Where several insiders bought (or sold) within days of each other',
  description: ({ param }) =>
    `Newest last trade first, then the largest. Purchases in the open market by officers and directors count, or with ${param('transaction_code')} their trades with another code. With ${param('as_of')} only what was filed on or before that day counts.`,
  path: '/v1/insider/clusters',
  object: 'insider_clusters',
  members: ['as_of', 'covered_to'],
  subject: 'insider filings',
  params: clusterParams,
  extra: oldest,
  fields,
  columns: fields.map(({ name }) => name).filter((name) => !['insiders', 'transaction_code'].includes(name)),
  example: {
    ...clusterExample,
    row: maia,
  },
  knownBy: 'detected_on',
  boundBy: 'as_of',
  order: [{ field: 'date_last', falling: true }],
  identity: ['issuer_cik', 'date_first'],
  contradiction: ({ date_first: first, date_last: last, insiders }) =>
    [first, ...insiders.map((trade) => trade.transaction_date)].some((day) => day < first || day > last)
      ? `.insiders has a trade outside ${first} to ${last}, the dates of the cluster`
      : undefined,
  check: ({ from, to }) => checkRange(from, to),
  rowTests: {
    transaction_code: codeTest,
    min_value: worthTest,
    ticker: tickerTest,
    days: {
      field: 'insiders',
      met: (row, { min_insiders, days }) =>
        isCluster(row.insiders.map(tradeOf), { minInsiders: min_insiders, days }),
    },
  },
  remark: (rows, texts, { naming }) =>
    rows.length === 0 || textOf(texts, 'min_value') === undefined
      ? undefined
      : `detected_on is the day on which a cluster was public, perhaps worth less then: ${naming.param('signals')} has the day on which it was worth it`,
  whyEmpty: whyNoClusters,
  needsVintageAccess: ({ as_of }) => as_of !== undefined,
  coveredTo: ({ as_of }, view) => view.filings.coveredTo(as_of),
  async run(values, { view, position }) {
    const { pageOfClusters } = await import('./cluster-listings.ts');
    const { clusters, ...page } = await pageOfClusters(view, values, position);
    return { ...page, rows: clusters.map((cluster) => clusterRow(cluster, values.transaction_code)) };
  },
});

/** Who bought on which day; another service may not give the SEC's key of the insider. */
function tradeOf({ owner_cik, owner_name, transaction_date }: RowFrom<(typeof insider)[number]>) {
  return { date: transaction_date, insider: { cik: owner_cik ?? owner_name } };
}

/** The row of a cluster. */
function clusterRow({ totals, values, ...cluster }: Valued<NamedCluster>, code: string) {
  const numbers = cluster.trades.flatMap(({ filing }) => filing.accessionNumber ?? []);
  return {
    ticker: cluster.ticker,
    issuer_name: cluster.issuerName,
    cluster_size: cluster.size,
    total_shares: totals.shares,
    total_value: totals.value,
    date_first: cluster.dateFirst,
    date_last: cluster.dateLast,
    insiders: cluster.trades.map((trade, i) => insiderEntry(trade, values[i] ?? null)),
    issuer_cik: cluster.issuerCik,
    transaction_count: cluster.trades.length,
    average_price: totals.averagePrice,
    price_low: totals.priceLow,
    price_high: totals.priceHigh,
    detected_on: cluster.detectedOn,
    size_when_detected: cluster.sizeWhenDetected,
    accession_numbers: [...new Set(numbers)].sort(),
    ...codeIn(code),
  };
}

function insiderEntry({ filing, insider, date }: InsiderTrade, value: string | null) {
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
    value,
  };
}
