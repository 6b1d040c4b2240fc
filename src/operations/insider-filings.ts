import { transactionValue } from '../domain/insider/amounts.ts';
import { type Filing, hasSymbol, leadOwner, otherOwners } from '../domain/insider/filing.ts';
import { addDays, type Day, earlier } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Field, FieldType } from './field.ts';
import { operation, pageOf } from './operation.ts';

import type { Clock } from './param.ts';
import { asOfParam, checkRange, dayParam, filterParam, integerParam, paging } from './params.ts';

const days = { least: 1, most: 365, usual: 30 } as const;

/** A field of the contract that may be missing. */
function maybe<const N extends string, const T extends FieldType>(name: N, type: T, description: string) {
  return { name, type, description, nullable: true } as const;
}

/** A field of ours. */
function ours<const N extends string, const T extends FieldType>(name: N, type: T, description: string) {
  return { name, type, description, nullable: true, extension: true } as const;
}

/** The fields of a reported trade. */
const filingFields = [
  { name: 'filing_date', type: 'day', description: 'The day from which on the trade was public.' },
  maybe('transaction_date', 'day', 'The day of the trade, as stated.'),
  maybe('accession_number', 'text', "The SEC's number of the filing."),
  maybe('ticker', 'text', 'Trading symbol, as stated.'),
  maybe('issuer_name', 'text', 'The company whose shares were traded.'),
  maybe('owner_name', 'text', 'Who reports: of joint filers the first officer or director, else the first.'),
  maybe('officer_title', 'text', 'What an officer is.'),
  maybe('transaction_code', 'text', 'P is a purchase in the open market, S a sale.'),
  maybe('acquired_disposed', 'text', 'A or D.'),
  maybe('shares', 'decimal', 'Number of shares.'),
  maybe('price_per_share', 'decimal', 'Price of one share.'),
  maybe('is_director', 'boolean', 'Whether the owner is a director.'),
  maybe('is_officer', 'boolean', 'Whether the owner is an officer.'),
  maybe('is_ten_percent', 'boolean', 'Whether the owner holds more than ten percent.'),
  { name: 'form_type', type: 'text', description: '3, 4 or 5; /A amends one.', extension: true },
  { name: 'issuer_cik', type: 'text', description: "The SEC's key of the issuer.", extension: true },
  ours('owner_cik', 'text', "The SEC's key of the owner."),
  { name: 'other_owners', type: 'list', description: 'Names of the joint filers.', extension: true },
  ours('security_title', 'text', 'What was traded.'),
  { name: 'is_derivative', type: 'boolean', description: 'Whether it is of Table II.', extension: true },
  ours('transaction_value', 'decimal', 'Shares by price, exact; null for derivatives.'),
  ours('shares_owned_after', 'decimal', 'What the owner held after the trade.'),
  ours('ownership', 'text', 'D is direct, I indirect.'),
  ours('is_10b5_1', 'boolean', 'Whether it followed a Rule 10b5-1 plan; null when not stated.'),
  ours('accepted_at', 'text', 'The UTC second at which the SEC took it in.'),
  { name: 'row', type: 'integer', description: 'Place in the filing; Table II from 1001.', extension: true },
  {
    name: 'other_owner_ciks',
    type: 'list',
    description: "The SEC's keys of the joint filers, in the order of their names; null where one has none.",
    extension: true,
    sparse: true,
  },
  ours('original_filing_date', 'day', 'When the filing that this one amends was filed, as it states.'),
] as const satisfies readonly Field[];

/** What only tells reports of one trade apart: not in the fixed columns. */
const forExplanations: ReadonlySet<string> = new Set(['other_owner_ciks', 'original_filing_date']);

/** Trades that insiders reported, newest filing date first, then by accession number and row. */
export const insiderFilings = operation({
  name: 'insider_filings',
  command: { words: 'insider filings', heading: 'Insiders' },
  summary: 'Trades that insiders reported, by the day of their filing',
  path: '/v1/insider/filings',
  object: 'insider_filings',
  members: ['as_of'],
  params: {
    ticker: filterParam('Trading symbol.'),
    owner_name: filterParam('A part of the name of an owner, in any case.', { flag: 'owner' }),
    days: integerParam(
      `Filed in the last so many days (${days.usual} when no date is given).`,
      days.least,
      days.most,
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
  fields: filingFields,
  columns: filingFields.map(({ name }) => name).filter((name) => !forExplanations.has(name)),
  knownBy: 'filing_date',
  boundBy: 'as_of',
  check({ days, from, to }) {
    checkRange(from, to);
    if (days === undefined || from === undefined) return;
    throw new Problem('validation-error', "use either 'days' or 'from'", { field: 'days' });
  },
  rowTests: {
    ticker: { field: 'ticker', met: (row, { ticker }) => hasSymbol(row.ticker, ticker) },
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
  // What was filed by a day is what was known on it.
  substitute: (asked, clock, lacking) =>
    lacking.has('as_of')
      ? { params: { days: undefined, as_of: undefined, ...filedWithin(asked, clock) } }
      : undefined,
  needsVintageAccess: ({ as_of }) => as_of !== undefined,
  // Days are counted back from today also where a later end is given.
  dependsOnToday: ({ days, from, to }) => countOf({ days, from, to }) !== undefined,
  async run({ ticker, owner_name, transaction_code, limit, ...dates }, { view, clock, position }) {
    const [filedOn, filingId, row] = position?.key ?? [];
    const found = await view.filings({
      ...filedWithin(dates, clock),
      limit: limit + 1,
      ...(ticker !== '' && { ticker }),
      ...(owner_name !== '' && { ownerName: owner_name }),
      ...(transaction_code !== '' && { transactionCode: transaction_code.toUpperCase() }),
      ...(filedOn !== undefined &&
        filingId !== undefined && { after: { filedOn, filingId, row: Number(row) } }),
    });
    return {
      ...pageOf(found, limit, filingRow, (last) => ({
        key: [last.filedOn, last.filingId, String(last.row)],
      })),
      ...(dates.as_of !== undefined && { asOf: dates.as_of }),
    };
  },
});

type Dates = {
  readonly days: number | undefined;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  readonly as_of: Day | undefined;
};

/** How many days are asked for, where the first one is not given. */
function countOf({ days: asked, from, to }: Omit<Dates, 'as_of'>): number | undefined {
  return asked ?? (from === undefined && to === undefined ? days.usual : undefined);
}

/** The filing dates asked for; days are counted back from the last one that can be in the answer. */
function filedWithin({ from, to, as_of, ...asked }: Dates, { today, latest }: Clock) {
  const count = countOf({ ...asked, from, to });
  const last = earlier(to ?? latest, as_of ?? latest);
  const first = from ?? (count === undefined ? undefined : addDays(earlier(last, today), 1 - count));
  return { to: last, ...(first !== undefined && { from: first }) };
}

/** The row of a trade that an insider reported. */
function filingRow(filing: Filing) {
  const owner = leadOwner(filing);
  return {
    filing_date: filing.filedOn,
    transaction_date: filing.transactionDate,
    accession_number: filing.accessionNumber,
    ticker: filing.ticker,
    issuer_name: filing.issuerName,
    owner_name: owner?.name ?? null,
    officer_title: owner?.officerTitle ?? null,
    transaction_code: filing.transactionCode,
    acquired_disposed: filing.acquiredDisposed,
    shares: filing.shares,
    price_per_share: filing.pricePerShare,
    is_director: owner?.isDirector ?? null,
    is_officer: owner?.isOfficer ?? null,
    is_ten_percent: owner?.isTenPercent ?? null,
    form_type: filing.formType,
    issuer_cik: filing.issuerCik,
    owner_cik: owner?.cik ?? null,
    other_owners: otherOwners(filing).map(({ name }) => name),
    security_title: filing.securityTitle,
    is_derivative: filing.isDerivative,
    transaction_value: transactionValue(filing),
    shares_owned_after: filing.sharesOwnedAfter,
    ownership: filing.ownership,
    is_10b5_1: filing.is10b51,
    accepted_at: filing.acceptedAt,
    row: filing.row,
    other_owner_ciks: otherOwners(filing).map(({ cik }) => cik),
    original_filing_date: filing.originalFiledOn,
  };
}
