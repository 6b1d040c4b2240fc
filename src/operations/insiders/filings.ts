import { transactionValue } from '../../domain/insider/cluster.ts';
import { type Filing, formTypes, hasSymbol, leadOwner } from '../../domain/insider/filing.ts';
import { closest } from '../../domain/search/words.ts';
import { addDays, type Day, earlier } from '../../domain/values/date.ts';
import { contradiction, Problem } from '../../errors/problem.ts';
import { defined } from '../../platform/defined.ts';
import type { StoreView } from '../../store/store.ts';
import { type Envelope, pageOf } from '../envelope.ts';
import { extension, field, nullable, nullableExtension, rowsFrom } from '../field.ts';
import { type AskMore, type Naming, operation } from '../operation.ts';
import { asOfParam, dayRange, oldest, type ParamTexts, paging, param, textOf, without } from '../param.ts';
import { type Clock, filter, integer } from '../value.ts';

/** The company of a row. */
export const issuerNameField = nullable('issuer_name', 'text', 'The company whose shares were traded.');

const filingFields = [
  field('filing_date', 'day', 'The first day on which the trade was public.', { head: 'filed' }),
  nullable('transaction_date', 'day', 'The day of the trade, as stated.', { head: 'traded' }),
  nullable('accession_number', 'text', "The SEC's number of the filing.", { rank: 'low' }),
  nullable('ticker', 'text', 'Trading symbol, as stated.', { rank: 'high' }),
  issuerNameField,
  nullable(
    'owner_name',
    'text',
    'Who reports: among joint filers the first officer or director, else the first.',
    { rank: 'high' },
  ),
  nullable('officer_title', 'text', 'The title of an officer.'),
  nullable('transaction_code', 'text', 'P is a purchase in the open market, S a sale.', {
    head: 'code',
    rank: 'high',
  }),
  nullable('acquired_disposed', 'text', 'A is acquired, D disposed of.', {
    choices: ['A', 'D'],
    head: 'a/d',
    rank: 'low',
  }),
  nullable('shares', 'decimal', 'Number of shares.', { rank: 'high' }),
  nullable('price_per_share', 'decimal', 'Price of one share.', { head: 'price', rank: 'high' }),
  nullable('is_director', 'boolean', 'Whether the owner is a director.'),
  nullable('is_officer', 'boolean', 'Whether the owner is an officer.'),
  nullable('is_ten_percent', 'boolean', 'Whether the owner holds more than ten percent.'),
  extension('form_type', 'text', '3, 4 or 5; with /A for an amendment.', { choices: formTypes }),
  extension('issuer_cik', 'text', "The SEC's key of the issuer."),
  nullableExtension('owner_cik', 'text', "The SEC's key of the owner."),
  extension('other_owners', 'list', 'Names of the joint filers.'),
  nullableExtension('security_title', 'text', 'Title of the security.'),
  extension('is_derivative', 'boolean', 'Whether the trade is in Table II (derivatives).'),
  nullableExtension('transaction_value', 'decimal', 'Shares times price, exact; null for derivatives.'),
  nullableExtension('shares_owned_after', 'decimal', 'Shares that the owner held after the trade.'),
  nullableExtension('ownership', 'text', 'D is direct, I indirect.', { choices: ['D', 'I'] }),
  nullableExtension(
    'is_10b5_1',
    'boolean',
    'Whether the trade followed a Rule 10b5-1 plan; null if not stated.',
  ),
  nullableExtension('accepted_at', 'text', 'The UTC second at which the SEC accepted the filing.'),
  extension('row', 'integer', 'Position in the filing; Table II begins at 1001.'),
  extension(
    'other_owner_ciks',
    'list',
    "The SEC's keys of the joint filers, in the order of their names; null for one without a CIK.",
    { sparse: true },
  ),
  nullableExtension(
    'original_filing_date',
    'day',
    'The filing date of the original, as the amendment states it.',
  ),
  extension(
    'owners',
    'records',
    'All owners of a joint filing, in the order of the filing; absent if there is one owner.',
    {
      occasional: true,
      fields: [
        nullable('cik', 'text', "The SEC's key of the owner."),
        field('name', 'text', 'The name of the owner.'),
        nullable('officer_title', 'text', 'The title of an officer.'),
        field('is_director', 'boolean', 'Whether the owner is a director.'),
        field('is_officer', 'boolean', 'Whether the owner is an officer.'),
        field('is_ten_percent', 'boolean', 'Whether the owner holds more than ten percent.'),
      ],
    },
  ),
  extension(
    'filing_id',
    'text',
    'An id that asof makes for a filing without an accession number; absent from other filings.',
    { occasional: true },
  ),
] as const;

/** Checks that a row is about the requested ticker. */
export const tickerTest = {
  field: 'ticker',
  met: (row: { readonly ticker: string | null }, asked: { readonly ticker: string }) =>
    hasSymbol(row.ticker, asked.ticker),
} as const;

/** A day before the first filing with the SEC. */
export const firstFilingDay = '1900-01-01';

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
  summary: 'List the trades that insiders reported, by filing date',
  description: ({ param }) =>
    `One row for each trade of a Form 3, 4 or 5, newest filing date first, then by accession number and position in the filing. With ${param('as_of')} only what was filed on or before that day counts.`,
  path: '/v1/insider/filings',
  object: 'insider_filings',
  members: ['as_of', 'covered_to', 'unknown_ticker'],
  subject: 'insider filings',
  params: {
    ticker: param(filter, 'Trading symbol.', '', { placeholder: 'symbol', complete: 'tickers' }),
    owner_name: param(filter, "Part of an owner's name, ignoring case.", '', { flag: 'owner' }),
    days: param(
      integer(1, 365),
      `Filed within this number of days (default ${usualDays} without a date).`,
      undefined,
    ),
    ...dayRange('filing date', 'filing_date'),
    transaction_code: param(filter, 'Code of the transaction: P is a purchase in the open market.', '', {
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
    ...{ ticker: 'MAIA', owner_name: 'Gryaznov', from: '2026-06-01', to: '2026-06-30' },
    ...{ transaction_code: 'P', as_of: '2026-06-30', limit: '1' },
  },
  knownBy: 'filing_date',
  order: [{ field: 'filing_date', falling: true }],
  identity: ['accession_number', 'row'],
  boundBy: 'as_of',
  check({ days, from }) {
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
    // A service's clock may be a day behind.
    days: {
      field: 'filing_date',
      met: (row, asked, clock) => row.filing_date >= addDays(filedWithin(asked, clock).from ?? '', -1),
    },
  },
  // A filing is known on the day of filing.
  boundsAsOf: (asked, clock) => ({ days: undefined, as_of: undefined, ...filedWithin(asked, clock) }),
  remark: (rows, texts, { naming }) =>
    rows.length === 0 || ['days', 'from', 'to'].some((name) => textOf(texts, name) !== undefined)
      ? undefined
      : `filed in the last ${usualDays} days; ${naming.param('from')} shows earlier ones`,
  whyEmpty: reasonWithoutFilings,
  // Days count back from today, even if the range ends later.
  dependsOnToday: ({ days, from, to }) => countOf({ days, from, to }) !== undefined,
  coveredTo: ({ as_of }, view) => view.filings.coveredTo(as_of),
  async run({ ticker, owner_name, transaction_code, limit, ...dates }, { view, clock, position }) {
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
      ...(await unknownTickerIn(view, found, { ticker, as_of: dates.as_of })),
      ...pageOf(found, limit, filingRow, (last) => ({
        key: [last.filedOn, last.filingId, String(last.row)],
      })),
      ...defined({ as_of: dates.as_of }),
    };
  },
});

type Dates = Readonly<Record<'from' | 'to' | 'as_of', Day | undefined>> & {
  readonly days: number | undefined;
};

function countOf({ days: asked, from, to }: Omit<Dates, 'as_of'>): number | undefined {
  return asked ?? (from === undefined && to === undefined ? usualDays : undefined);
}

/** Returns the range of filing dates; `days` count back from the last day that can be in the answer. */
function filedWithin({ from, to, as_of, ...asked }: Dates, { today, latest }: Clock) {
  const count = countOf({ ...asked, from, to });
  const last = earlier(to ?? latest, as_of ?? latest);
  const first = from ?? (count === undefined ? undefined : addDays(earlier(last, today), 1 - count));
  return { to: last, ...defined({ from: first }) };
}

const noRoles = { isDirector: null, isOfficer: null, isTenPercent: null };
const nobody = { name: null, cik: null, officerTitle: null, ...noRoles };

function filingRow(filing: Filing) {
  const owner = leadOwner(filing);
  const others = filing.owners.filter((one) => one !== owner);
  const { name: ownerName, cik: ownerCik, ...roles } = owner ?? nobody;
  const own = {
    filingDate: filing.filedOn,
    ownerName,
    ...roles,
    ownerCik,
    otherOwners: others.map(({ name }) => name),
    transactionValue: transactionValue(filing),
    otherOwnerCiks: others.map(({ cik }) => cik),
    originalFilingDate: filing.originalFiledOn,
    owners: filing.owners.length > 1 ? filing.owners : undefined,
    filingId: filing.accessionNumber === null ? filing.filingId : undefined,
  };
  return rowOfFiling(own, filing);
}

const rowOfFiling = rowsFrom(filingFields);

/** Returns the requested ticker, if there are no rows because no filing has it. */
export async function unknownTickerIn(
  view: StoreView,
  rows: readonly unknown[],
  { ticker, as_of: asOf }: { readonly ticker: string; readonly as_of: Day | undefined },
): Promise<Pick<Envelope, 'unknown_ticker'>> {
  // As of a day, later filings are unknown.
  if (ticker === '' || asOf !== undefined || rows.length > 0) return {};
  if ((await view.filings.page({ ticker, limit: 1 })).length > 0) return {};
  return { unknown_ticker: { ticker, nearest: closest(ticker, await view.filings.symbols()) ?? null } };
}

/** Reads the day of the newest filing; throws a Problem with a suggestion if no filing has the ticker. */
async function newestDay(texts: ParamTexts, ask: AskMore): Promise<Day | undefined> {
  const asked: ParamTexts = [...texts, ['from', firstFilingDay], ['limit', '1']];
  const { results, unknown_ticker: unknown } = await ask(insiderFilings, asked);
  if (unknown !== undefined && unknown.ticker === textOf(texts, 'ticker'))
    throw new Problem('not-found', `no filing of ticker '${unknown.ticker}' is stored`, {
      hints: unknown.nearest === null ? [] : [`did you mean ${unknown.nearest}?`],
    });
  return results[0]?.filing_date;
}

/** Says when the filings of the requested ticker are; an empty list without a ticker. */
export async function tickerReasons(
  texts: ParamTexts,
  ask: AskMore,
  naming: Naming,
): Promise<readonly string[]> {
  const [ticker, asOf] = ['ticker', 'as_of'].map((name) => textOf(texts, name));
  if (ticker === undefined) return [];
  // On the as-of date, nobody knew whether there would be later filings.
  const range = Object.entries({ ticker, from: firstFilingDay, ...defined({ to: asOf }) });
  return [await reasonWithoutFilings(range, ask, naming)];
}

/** Says why no filings were found; throws a Problem if no filing has the ticker. */
async function reasonWithoutFilings(texts: ParamTexts, ask: AskMore, naming: Naming): Promise<string> {
  const [days = String(usualDays), from, to, asOf, ticker] = ['days', 'from', 'to', 'as_of', 'ticker'].map(
    (name) => textOf(texts, name),
  );
  // A service that shows no filing without saying that there is none may have ignored the range.
  if (ticker !== undefined && (await newestDay([['ticker', ticker]], ask)) === undefined)
    return `the service shows no filing of ${ticker}`;
  const undated = ['days', 'limit', 'cursor', 'from', 'to'].reduce(without, texts);
  const newest = await newestDay(to === undefined ? undated : [...undated, ['to', to]], ask);
  if (newest !== undefined && from === undefined && to === undefined)
    return `nothing was filed in the last ${days} days; the newest filing is from ${newest}; ${naming.param('from')} shows earlier filings`;
  const last = [to, asOf].flatMap((day) => day ?? []).sort()[0];
  const upTo = last === undefined ? '' : ` up to ${last}`;
  const hasOthers = ['owner_name', 'transaction_code'].some((name) => textOf(texts, name) !== undefined);
  const what = `filing${ticker === undefined ? '' : ` of ${ticker}`}${hasOthers ? ' that matches' : ''}`;
  return newest === undefined ? `no ${what} is stored${upTo}` : `the newest ${what}${upTo} is from ${newest}`;
}
