import { formTypes } from '../domain/insider/filing.ts';
import type { ExplainedTrade, NamedCluster } from './cluster-listings.ts';
import { clusterParams, codeField, codeIn, codeTest } from './cluster-params.ts';
import type { Field } from './field.ts';
import { tickerTest } from './filing-row.ts';
import { clusterExample } from './insider-clusters.ts';
import { operation } from './operation.ts';
import { countInPage } from './page.ts';
import { checkRange, oldest } from './params.ts';

const fields = [
  { name: 'filing_date', type: 'day', description: 'The first day on which the trade was public.' },
  { name: 'transaction_date', type: 'day', description: 'The day of the trade, as stated.', nullable: true },
  { name: 'accession_number', type: 'text', description: "The SEC's number of the filing.", nullable: true },
  { name: 'ticker', type: 'text', description: 'Trading symbol of the cluster.', nullable: true },
  {
    name: 'owner_name',
    type: 'text',
    description:
      'Who reports: among joint filers the insider that counts, else the first officer or director.',
    nullable: true,
  },
  { name: 'shares', type: 'decimal', description: 'Number of shares.', nullable: true },
  { name: 'price_per_share', type: 'decimal', description: 'Price of one share.', nullable: true },
  {
    name: 'form_type',
    type: 'text',
    description: '3, 4 or 5; with /A for an amendment.',
    choices: formTypes,
  },
  { name: 'issuer_cik', type: 'text', description: "The SEC's key of the issuer." },
  { name: 'row', type: 'integer', description: 'Position in the filing; Table II begins at 1001.' },
  { name: 'date_first', type: 'day', description: "Date of the cluster's first trade.", happened: true },
  { name: 'date_last', type: 'day', description: "Date of the cluster's last trade.", happened: true },
  {
    name: 'verdict',
    type: 'text',
    description: '`counted` or `left out`.',
    choices: ['counted', 'left out'],
  },
  {
    name: 'reason',
    type: 'text',
    description: 'Why the trade was left out, or a remark on a trade that counts; empty if there is none.',
  },
  codeField,
] as const satisfies readonly Field[];

/**
 * For each cluster, the trades with its code in it and near it, by trade date, and why each one counts or not. A page
 * has whole clusters; `limit` counts clusters.
 */
export const insiderClusterExplanations = operation({
  name: 'insider_cluster_explanations',
  command: {
    words: 'insider clusters',
    heading: 'Insiders',
    flag: { name: 'explain', description: 'List each trade in or near a cluster, and why it counts or not.' },
  },
  summary: 'Which trades make a cluster of insiders, and why others near it do not count',
  description: ({ param }) =>
    `The trades with the code of each cluster (P, or ${param('transaction_code')}) in it and near it, in the order of the clusters, then by trade date. A page has whole clusters.`,
  path: '/v1/insider/clusters/explanations',
  object: 'insider_cluster_explanation',
  members: ['as_of', 'covered_to'],
  subject: 'insider filings',
  params: {
    ...clusterParams,
    limit: {
      ...clusterParams.limit,
      description: 'Clusters in one page, which has at most 1000 rows unless one cluster alone has more.',
    },
  },
  extra: oldest,
  fields,
  columns: [
    'ticker',
    'date_first',
    'date_last',
    'verdict',
    'reason',
    'filing_date',
    'transaction_date',
    'accession_number',
    'owner_name',
    'shares',
    'price_per_share',
    'form_type',
    'row',
    'issuer_cik',
  ],
  example: {
    ...clusterExample,
    row: {
      filing_date: '2026-06-02',
      transaction_date: '2026-06-01',
      accession_number: '0001878313-26-000060',
      ticker: 'MAIA',
      owner_name: 'Gryaznov Sergei',
      shares: '2000.0',
      price_per_share: '1.345',
      form_type: '4',
      issuer_cik: '0001878313',
      row: 1,
      date_first: '2026-06-01',
      date_last: '2026-06-01',
      verdict: 'counted',
      reason: '',
    },
  },
  knownBy: 'filing_date',
  boundBy: 'as_of',
  order: [{ field: 'date_last', falling: true }],
  limitCounts: ['issuer_cik', 'date_first'],
  check: ({ from, to }) => checkRange(from, to),
  rowTests: {
    transaction_code: codeTest,
    ticker: tickerTest,
  },
  needsVintageAccess: ({ as_of }) => as_of !== undefined,
  coveredTo: ({ as_of }, view) => view.filings.coveredTo(as_of),
  async run(values, { view, position }) {
    const { clusterKey, explanationsOf, pageOfClusters } = await import('./cluster-listings.ts');
    const { clusters, ...page } = await pageOfClusters(view, values, position);
    const explained = await explanationsOf(view, clusters, values);
    const code = codeIn(values.transaction_code);
    const rows = new Map<NamedCluster, ExplainedTrade[]>(clusters.map((cluster) => [cluster, []]));
    for (const one of explained) rows.get(one.cluster)?.push(one);
    const ofEach = [...rows.values()];
    const count = countInPage(ofEach.map((some) => some.length));
    const last = clusters[count - 1];
    const { revision: version } = await view.state();
    return {
      ...page,
      rows: ofEach
        .slice(0, count)
        .flat()
        .map((one) => ({ ...explanationRow(one), ...code })),
      ...(last !== undefined && count < clusters.length && { next: { key: clusterKey(last), version } }),
    };
  },
});

function explanationRow({ cluster, filing, owner, isCounted, reason }: ExplainedTrade) {
  return {
    filing_date: filing.filedOn,
    transaction_date: filing.transactionDate,
    accession_number: filing.accessionNumber,
    ticker: cluster.ticker,
    owner_name: owner?.name ?? null,
    shares: filing.shares,
    price_per_share: filing.pricePerShare,
    form_type: filing.formType,
    issuer_cik: cluster.issuerCik,
    row: filing.row,
    date_first: cluster.dateFirst,
    date_last: cluster.dateLast,
    verdict: isCounted ? 'counted' : 'left out',
    reason,
  };
}
