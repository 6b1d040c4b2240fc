import type { NamedSignal, Valued } from './cluster-listings.ts';
import { clusterFields, clusterParams, codeTest, whyNoClusters, worthTest } from './cluster-params.ts';
import type { Field } from './field.ts';
import { issuerNameField, tickerTest } from './filing-row.ts';
import { operation } from './operation.ts';
import { checkRange, dayParam, oldest } from './params.ts';

const fields = [
  {
    name: 'day',
    type: 'day',
    description: 'The first day on which the cluster was public: the filing date of the last filing needed.',
    rank: 'high',
  },
  {
    name: 'ticker',
    type: 'text',
    description: 'Trading symbol, as the newest filing known on the day states it.',
    nullable: true,
  },
  {
    name: 'cluster_size',
    type: 'integer',
    description: 'Distinct insiders, as known on the day; so is all that follows.',
    head: 'size',
    rank: 'high',
  },
  clusterFields.totalValue,
  clusterFields.dateFirst,
  clusterFields.dateLast,
  { name: 'transaction_code', type: 'text', description: 'The code of the trades.' },
  { name: 'issuer_cik', type: 'text', description: "The SEC's key of the issuer.", rank: 'low' },
  issuerNameField,
  clusterFields.totalShares,
  { name: 'transaction_count', type: 'integer', description: 'Number of trades.', head: 'trades' },
] as const satisfies readonly Field[];

/**
 * When clusters of insiders became known, newest day first: each on the first day on which it was public, with its size
 * and value as of that day. Later filings, amendments included, change no row.
 */
export const insiderClusterSignals = operation({
  name: 'insider_cluster_signals',
  command: {
    words: 'insider clusters',
    heading: 'Insiders',
    flag: {
      name: 'signals',
      description:
        'List the first day of each cluster, with its size and value then; the range of dates bounds that day.',
    },
  },
  summary: 'On which day clusters of insiders became known',
  description: ({ param }) =>
    `One row for each cluster on the first day on which it was public and had the value of ${param('min_value')}, with what was known at the end of that day, newest day first. Later filings, amendments included, change no row.`,
  path: '/v1/insider/clusters/signals',
  object: 'insider_cluster_signals',
  members: ['as_of', 'covered_to'],
  subject: 'insider filings',
  params: {
    ...clusterParams,
    from: dayParam('First day of a signal.', { field: 'day', is: 'from' }),
    to: dayParam('Last day of a signal.', { field: 'day', is: 'to' }),
  },
  extra: oldest,
  fields,
  columns: fields.map(({ name }) => name).slice(0, 8),
  example: {
    params: {
      transaction_code: 'P',
      min_insiders: '3',
      days: '14',
      min_value: '100000',
      ticker: 'MAIA',
      from: '2026-06-01',
      to: '2026-06-30',
      as_of: '2026-06-30',
      limit: '1',
    },
    row: {
      day: '2026-06-02',
      ticker: 'MAIA',
      cluster_size: 3,
      total_value: '203775.79',
      date_first: '2026-06-01',
      date_last: '2026-06-01',
      transaction_code: 'P',
      issuer_cik: '0001878313',
      issuer_name: 'MAIA Biotechnology, Inc.',
      total_shares: '149700',
      transaction_count: 3,
    },
    head: { as_of: '2026-06-30', covered_to: '2026-06-02' },
  },
  knownBy: 'day',
  boundBy: 'as_of',
  order: [{ field: 'day', falling: true }],
  identity: ['day', 'issuer_cik', 'date_first'],
  check: ({ from, to }) => checkRange(from, to),
  rowTests: {
    transaction_code: codeTest,
    min_value: worthTest,
    ticker: tickerTest,
  },
  whyEmpty: whyNoClusters,
  needsVintageAccess: ({ as_of }) => as_of !== undefined,
  coveredTo: ({ as_of }, view) => view.filings.coveredTo(as_of),
  async run(values, { view, position }) {
    const { pageOfSignals } = await import('./cluster-listings.ts');
    const { signals, ...page } = await pageOfSignals(view, values, position);
    return { ...page, rows: signals.map((signal) => signalRow(signal, values.transaction_code)) };
  },
});

function signalRow({ totals, ...signal }: Valued<NamedSignal>, code: string) {
  return {
    day: signal.day,
    ticker: signal.ticker,
    cluster_size: signal.size,
    total_value: totals.value,
    date_first: signal.dateFirst,
    date_last: signal.dateLast,
    transaction_code: code,
    issuer_cik: signal.issuerCik,
    issuer_name: signal.issuerName,
    total_shares: totals.shares,
    transaction_count: signal.trades.length,
  };
}
