import type { Field } from './field.ts';
import { clusterParams } from './insider-clusters.ts';
import { operation } from './operation.ts';
import { checkRange } from './params.ts';

const fields = [
  { name: 'filing_date', type: 'day', description: 'The day from which on the trade was public.' },
  { name: 'transaction_date', type: 'day', description: 'The day of the trade, as stated.', nullable: true },
  { name: 'accession_number', type: 'text', description: "The SEC's number of the filing.", nullable: true },
  { name: 'ticker', type: 'text', description: 'Trading symbol of the cluster.', nullable: true },
  {
    name: 'owner_name',
    type: 'text',
    description: 'Who reports: of joint filers the insider that counts, else the first officer or director.',
    nullable: true,
  },
  { name: 'shares', type: 'decimal', description: 'Number of shares.', nullable: true },
  { name: 'price_per_share', type: 'decimal', description: 'Price of one share.', nullable: true },
  { name: 'form_type', type: 'text', description: '3, 4 or 5; /A amends one.' },
  { name: 'issuer_cik', type: 'text', description: "The SEC's key of the issuer." },
  { name: 'row', type: 'integer', description: 'Place in the filing; Table II from 1001.' },
  { name: 'date_first', type: 'day', description: 'Date of its first trade.' },
  { name: 'date_last', type: 'day', description: 'Date of its last trade.' },
  { name: 'verdict', type: 'text', description: '`counted` or `left out`.' },
  {
    name: 'reason',
    type: 'text',
    description:
      'Why it was left out, or what to know of a trade that counts; empty where there is nothing to say.',
  },
] as const satisfies readonly Field[];

/**
 * For each cluster the trades with code `P` in it and near it, by trade date, and why each counts or does not. A page
 * holds whole clusters: `limit` is their number.
 */
export const insiderClusterExplanations = operation({
  name: 'insider_cluster_explanations',
  command: {
    words: 'insider clusters',
    heading: 'Insiders',
    flag: { name: 'explain', about: 'list each trade in or near a cluster, and why it counts or not' },
  },
  summary: 'Which trades make a cluster of insiders, and why others near it do not count',
  path: '/v1/insider/clusters/explanations',
  object: 'insider_cluster_explanation',
  members: ['as_of'],
  params: {
    ...clusterParams,
    limit: { ...clusterParams.limit, description: 'Clusters in one page.' },
  },
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
  knownBy: 'filing_date',
  boundBy: 'as_of',
  limitCounts: ['issuer_cik', 'date_first'],
  check: ({ from, to }) => checkRange(from, to),
  needsVintageAccess: ({ as_of }) => as_of !== undefined,
  async run(values, { view, position }) {
    const [{ pageOfClusters }, { explanationRows }] = await Promise.all([
      import('./cluster-listing.ts'),
      import('./insider-rows.ts'),
    ]);
    const { clusters, ...page } = await pageOfClusters(view, values, position);
    return { ...page, rows: await explanationRows(view, clusters, values) };
  },
});
