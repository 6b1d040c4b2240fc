import type { Filing } from '../domain/insider/filing.ts';
import { addDays, type Day, earlier } from '../domain/series/date.ts';
import { contradiction } from '../errors/problem.ts';
import { filingFields, filingRow, tickerTest } from './filing-row.ts';
import { operation } from './operation.ts';
import { pageOf } from './page.ts';
import { type ParamTexts, textOf } from './param.ts';
import { asOfParam, checkRange, dayParam, filterParam, integerParam, oldest, paging } from './params.ts';
import type { Clock } from './value.ts';

/** The number of days to count back if no date is given. */
const usualDays = 30;

/** Trades that insiders reported, newest filing date first, then by accession number and row. */
export const insiderFilings = operation({
  name: 'insider_filings',
  command: {
    words: 'insider filings',
    heading: 'Insiders',
    examples: `
# the filings about a company
asof insider filings --ticker MAIA --from 2026-01-01
# purchases in the open market, as filed by a date
asof insider filings --code P --from 2025-11-01 --as-of 2025-12-10 --columns filing_date,ticker,owner_name,shares
`,
  },
  summary: 'Trades that insiders reported, by the day of their filing',
  description: ({ param }) =>
    `One row for each trade of a Form 3, 4 or 5, newest filing date first, then by accession number and position in the filing. With ${param('as_of')} only what was filed on or before that day counts.`,
  path: '/v1/insider/filings',
  object: 'insider_filings',
  members: ['as_of', 'covered_to', 'unknown_ticker'],
  subject: 'insider filings',
  params: {
    ticker: filterParam('Trading symbol.', { placeholder: 'symbol', complete: 'tickers' }),
    owner_name: filterParam('A part of the name of an owner, ignoring case.', { flag: 'owner' }),
    days: integerParam(
      `Filed within this number of days (${usualDays} if no date is given).`,
      1,
      365,
      undefined,
    ),
    from: dayParam('First filing date.', { field: 'filing_date', is: 'from' }),
    to: dayParam('Last filing date.', { field: 'filing_date', is: 'to' }),
    transaction_code: filterParam('Code of the transaction: P is a purchase in the open market.', {
      flag: 'code',
      extension: true,
    }),
    as_of: asOfParam({ extension: true }),
    ...paging,
  },
  extra: oldest,
  fields: filingFields,
  columns: filingFields
    .map(({ name }) => name)
    .filter((name) => !['other_owner_ciks', 'original_filing_date', 'owners', 'filing_id'].includes(name)),
  example: {
    params: {
      ticker: 'MAIA',
      owner_name: 'Gryaznov',
      from: '2026-06-01',
      to: '2026-06-30',
      transaction_code: 'P',
      as_of: '2026-06-30',
      limit: '1',
    },
    row: {
      filing_date: '2026-06-02',
      transaction_date: '2026-06-01',
      accession_number: '0001878313-26-000060',
      ticker: 'MAIA',
      issuer_name: 'MAIA Biotechnology, Inc.',
      owner_name: 'Gryaznov Sergei',
      officer_title: 'Chief Scientific Officer',
      transaction_code: 'P',
      acquired_disposed: 'A',
      shares: '2000.0',
      price_per_share: '1.345',
      is_director: false,
      is_officer: true,
      is_ten_percent: false,
      form_type: '4',
      issuer_cik: '0001878313',
      owner_cik: '0001913228',
      other_owners: [],
      security_title: 'Common Stock',
      is_derivative: false,
      transaction_value: '2690',
      shares_owned_after: '46511.0',
      ownership: 'D',
      is_10b5_1: null,
      accepted_at: null,
      row: 1,
      other_owner_ciks: [],
      original_filing_date: null,
    },
    head: { as_of: '2026-06-30', covered_to: '2026-06-02' },
  },
  knownBy: 'filing_date',
  order: [{ field: 'filing_date', falling: true }],
  identity: ['accession_number', 'row'],
  boundBy: 'as_of',
  check({ days, from, to }) {
    checkRange(from, to);
    if (days === undefined || from === undefined) return;
    throw contradiction('days', ({ param }) => `use either ${param('days')} or ${param('from')}`);
  },
  rowTests: {
    ticker: tickerTest,
    owner_name: {
      field: 'owner_name',
      met: ({ owner_name: lead, other_owners: others }, { owner_name: part }) =>
        [lead, ...(others ?? [])].some((name) => name?.toLowerCase().includes(part.toLowerCase())),
    },
    transaction_code: {
      field: 'transaction_code',
      met: (row, { transaction_code }) => row.transaction_code === transaction_code.toUpperCase(),
    },
    // The clock of a service may be a day behind.
    days: {
      field: 'filing_date',
      met: (row, asked, clock) => row.filing_date >= addDays(filedWithin(asked, clock).from ?? '', -1),
    },
  },
  // What was filed by a day was known on that day.
  substitute: (asked, clock, lacking) =>
    lacking.has('as_of')
      ? { params: { days: undefined, as_of: undefined, ...filedWithin(asked, clock) } }
      : undefined,
  remark: (rows, texts, { naming }) =>
    rows.length === 0 || isDated(texts)
      ? undefined
      : `filed in the last ${usualDays} days; ${naming.param('from')} shows earlier ones`,
  async whyEmpty(texts, ask, naming): Promise<string | undefined> {
    const { reasonWithoutFilings } = await import('./filing-reasons.ts');
    const askFilings = (asked: ParamTexts) => ask(insiderFilings, asked);
    return reasonWithoutFilings(texts, usualDays, { ask: askFilings, naming });
  },
  needsVintageAccess: ({ as_of }) => as_of !== undefined,
  // Days count back from today, even if the range ends later.
  dependsOnToday: ({ days, from, to }) => countOf({ days, from, to }) !== undefined,
  coveredTo: ({ as_of }, view) => view.filings.coveredTo(as_of),
  async run({ ticker, owner_name, transaction_code, limit, ...dates }, { view, clock, position }) {
    const { transactionValue } = await import('../domain/insider/cluster-totals.ts');
    const { unknownTickerIn } = await import('./filing-reasons.ts');
    const toRow = (filing: Filing) => filingRow(filing, transactionValue(filing));
    const [filedOn, filingId, row] = position?.key ?? [];
    const found = await view.filings.page({
      ...filedWithin(dates, clock),
      limit: limit + 1,
      ...(ticker !== '' && { ticker }),
      ...(owner_name !== '' && { ownerName: owner_name }),
      ...(transaction_code !== '' && { transactionCode: transaction_code.toUpperCase() }),
      ...(filedOn !== undefined &&
        filingId !== undefined && { after: { filedOn, filingId, row: Number(row) } }),
    });
    return {
      // As of a day, later filings are unknown.
      ...(found.length === 0 && dates.as_of === undefined && (await unknownTickerIn(view, ticker))),
      ...pageOf(found, limit, toRow, (last) => ({ key: [last.filedOn, last.filingId, String(last.row)] })),
      ...(dates.as_of !== undefined && { asOf: dates.as_of }),
    };
  },
});

type Dates = Readonly<Record<'from' | 'to' | 'as_of', Day | undefined>> & {
  readonly days: number | undefined;
};

/** Whether the texts say on which days the filings are. */
function isDated(texts: ParamTexts): boolean {
  return ['days', 'from', 'to'].some((name) => textOf(texts, name) !== undefined);
}

/** The number of days to count back; undefined if the range has its own first day. */
function countOf({ days: asked, from, to }: Omit<Dates, 'as_of'>): number | undefined {
  return asked ?? (from === undefined && to === undefined ? usualDays : undefined);
}

/** The range of filing dates; `days` count back from the last day that can be in the answer. */
function filedWithin({ from, to, as_of, ...asked }: Dates, { today, latest }: Clock) {
  const count = countOf({ ...asked, from, to });
  const last = earlier(to ?? latest, as_of ?? latest);
  const first = from ?? (count === undefined ? undefined : addDays(earlier(last, today), 1 - count));
  return { to: last, ...(first !== undefined && { from: first }) };
}
