import {
  type Filing,
  formTypes,
  hasSymbol,
  leadOwner,
  otherOwners,
  type ReportingOwner,
} from '../domain/insider/filing.ts';
import { type Field, nullable, nullableExtension } from './field.ts';

/** The company of a row. */
export const issuerNameField = nullable('issuer_name', 'text', 'The company whose shares were traded.');

/** The fields of a reported trade. */
export const filingFields = [
  {
    name: 'filing_date',
    type: 'day',
    description: 'The first day on which the trade was public.',
    head: 'filed',
  },
  { ...nullable('transaction_date', 'day', 'The day of the trade, as stated.'), head: 'traded' },
  { ...nullable('accession_number', 'text', "The SEC's number of the filing."), rank: 'low' },
  { ...nullable('ticker', 'text', 'Trading symbol, as stated.'), rank: 'high' },
  issuerNameField,
  {
    ...nullable(
      'owner_name',
      'text',
      'Who reports: among joint filers the first officer or director, else the first.',
    ),
    rank: 'high',
  },
  nullable('officer_title', 'text', 'The title of an officer.'),
  {
    ...nullable('transaction_code', 'text', 'P is a purchase in the open market, S a sale.'),
    head: 'code',
    rank: 'high',
  },
  {
    ...nullable('acquired_disposed', 'text', 'A is acquired, D disposed of.'),
    choices: ['A', 'D'],
    head: 'a/d',
    rank: 'low',
  },
  { ...nullable('shares', 'decimal', 'Number of shares.'), rank: 'high' },
  { ...nullable('price_per_share', 'decimal', 'Price of one share.'), head: 'price', rank: 'high' },
  nullable('is_director', 'boolean', 'Whether the owner is a director.'),
  nullable('is_officer', 'boolean', 'Whether the owner is an officer.'),
  nullable('is_ten_percent', 'boolean', 'Whether the owner holds more than ten percent.'),
  {
    name: 'form_type',
    type: 'text',
    description: '3, 4 or 5; with /A for an amendment.',
    extension: true,
    choices: formTypes,
  },
  { name: 'issuer_cik', type: 'text', description: "The SEC's key of the issuer.", extension: true },
  nullableExtension('owner_cik', 'text', "The SEC's key of the owner."),
  { name: 'other_owners', type: 'list', description: 'Names of the joint filers.', extension: true },
  nullableExtension('security_title', 'text', 'Title of the security.'),
  {
    name: 'is_derivative',
    type: 'boolean',
    description: 'Whether the trade is in Table II (derivatives).',
    extension: true,
  },
  nullableExtension('transaction_value', 'decimal', 'Shares times price, exact; null for derivatives.'),
  nullableExtension('shares_owned_after', 'decimal', 'Shares that the owner held after the trade.'),
  { ...nullableExtension('ownership', 'text', 'D is direct, I indirect.'), choices: ['D', 'I'] },
  nullableExtension(
    'is_10b5_1',
    'boolean',
    'Whether the trade followed a Rule 10b5-1 plan; null if not stated.',
  ),
  nullableExtension('accepted_at', 'text', 'The UTC second at which the SEC accepted the filing.'),
  {
    name: 'row',
    type: 'integer',
    description: 'Position in the filing; Table II begins at 1001.',
    extension: true,
  },
  {
    name: 'other_owner_ciks',
    type: 'list',
    description:
      "The SEC's keys of the joint filers, in the order of their names; null for one without a CIK.",
    extension: true,
    sparse: true,
  },
  nullableExtension(
    'original_filing_date',
    'day',
    'In an amendment, the stated filing date of the original.',
  ),
  {
    name: 'owners',
    type: 'records',
    description: 'Of a filing by several owners: all of them, in its order. Other filings lack it.',
    extension: true,
    occasional: true,
    fields: [
      nullable('cik', 'text', "The SEC's key of the owner."),
      { name: 'name', type: 'text', description: 'The name of the owner.' },
      nullable('officer_title', 'text', 'The title of an officer.'),
      { name: 'is_director', type: 'boolean', description: 'Whether the owner is a director.' },
      { name: 'is_officer', type: 'boolean', description: 'Whether the owner is an officer.' },
      {
        name: 'is_ten_percent',
        type: 'boolean',
        description: 'Whether the owner holds more than ten percent.',
      },
    ],
  },
  {
    name: 'filing_id',
    type: 'text',
    description: 'What asof calls a filing without an accession number. Other filings lack it.',
    extension: true,
    occasional: true,
  },
] as const satisfies readonly Field[];

/** The row of a trade that an insider reported, with its value. */
export function filingRow(filing: Filing, value: string | null) {
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
    transaction_value: value,
    shares_owned_after: filing.sharesOwnedAfter,
    ownership: filing.ownership,
    is_10b5_1: filing.is10b51,
    accepted_at: filing.acceptedAt,
    row: filing.row,
    other_owner_ciks: otherOwners(filing).map(({ cik }) => cik),
    original_filing_date: filing.originalFiledOn,
    ...(filing.owners.length > 1 && { owners: filing.owners.map(ownerRecord) }),
    ...(filing.accessionNumber === null && { filing_id: filing.filingId }),
  };
}

function ownerRecord({ cik, name, officerTitle, isDirector, isOfficer, isTenPercent }: ReportingOwner) {
  return {
    cik,
    name,
    officer_title: officerTitle,
    is_director: isDirector,
    is_officer: isOfficer,
    is_ten_percent: isTenPercent,
  };
}

/** Checks that a row is about the requested ticker. */
export const tickerTest = {
  field: 'ticker',
  met: (row: { readonly ticker: string | null }, asked: { readonly ticker: string }) =>
    hasSymbol(row.ticker, asked.ticker),
} as const;
