import { type Filing, formTypes, mostTrades, type ReportingOwner } from '../../../domain/insider/filing.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { isJsonObject, jsonIn, type UncheckedObject } from '../../readers/json.ts';
import { type CellReader, cellReader } from '../../readers/tsv.ts';
import type { ImportFormat } from '../format.ts';
import {
  acquiredOrDisposed,
  directOrIndirect,
  parseAccession,
  parseAmount,
  parseCik,
  parseFlag,
  parseInstant,
  parseStatedDate,
} from '../sec/values.ts';
import { type AnswerRow, answerDay, answerHead, answerRows, withoutMidnight } from './answer.ts';

/** The columns that make a trade; the others follow from them, or add detail. */
const columns = [
  'filing_date',
  'transaction_date',
  'accession_number',
  'ticker',
  'issuer_name',
  'owner_name',
  'officer_title',
  'transaction_code',
  'acquired_disposed',
  'shares',
  'price_per_share',
  'is_director',
  'is_officer',
  'is_ten_percent',
  'form_type',
  'issuer_cik',
  'owner_cik',
  'other_owners',
  'security_title',
  'is_derivative',
  'shares_owned_after',
  'ownership',
  'is_10b5_1',
  'accepted_at',
  'row',
] as const;

/**
 * Trades of insiders as `asof insider filings` writes them. A row that lacks what the filing states is refused: in
 * CSV, TSV and Parquet those of joint filers, whose roles are in the column `owners`, which `--columns all` adds.
 */
export const asofFilings: ImportFormat = {
  kind: 'asof-filings',
  summary:
    'trades as asof insider filings writes them (JSON, ndjson; CSV, TSV, Parquet: joint filers by --columns all)',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise(head) {
    const { object, columns: names } = answerHead(head);
    if (object !== undefined) return object === 'insider_filings';
    return ['filing_date', 'accession_number', 'transaction_code'].every((name) => names.includes(name));
  },
  async *read(file) {
    for await (const rows of answerRows(file, columns))
      yield { filings: rows.map((row) => readFiling(file, row)) };
  },
};

function readFiling(file: SourceFile, row: AnswerRow): Filing {
  const cells = cellReader(file, row);
  const text = (column: string) => row.cell(column) || null;
  const number = (column: string) => cells.maybe(column, parseAmount, 'a number');
  const flag = (column: string) => cells.maybe(column, parseFlag, 'true or false');
  const lacks = (column: string, what: string) =>
    refusal(file, { row: row.row, column }, what, [
      'export it with -f ndjson, or as CSV, TSV or Parquet with --columns all',
    ]);
  const accessionNumber = cells.maybe('accession_number', parseAccession, 'an accession number');
  const filingId = accessionNumber ?? text('filing_id');
  if (filingId === null)
    throw lacks('accession_number', 'the filing has no accession number, and no column filing_id names it');
  const formType = cells.required(
    'form_type',
    (form) => formTypes.find((known) => known === form),
    `one of the forms ${formTypes.join(', ')}`,
  );
  if (formType.endsWith('/A') && !row.has('original_filing_date'))
    throw lacks('original_filing_date', 'the column is missing, and the row is of an amendment');
  if (!['', '[]'].includes(row.cell('other_owners')) && row.cell('owners') === '')
    throw lacks('other_owners', 'the filing has joint filers, whose roles are in the column owners');
  const isDerivative = flag('is_derivative') === true;
  return {
    filingId,
    accessionNumber,
    formType,
    filedOn: cells.required('filing_date', answerDay, day),
    acceptedAt: cells.maybe('accepted_at', parseInstant, 'a time such as 2022-11-09T01:18:10Z'),
    originalFiledOn: cells.maybe('original_filing_date', statedDate, day),
    periodOfReport: null,
    issuerCik: cells.required('issuer_cik', parseCik, 'a CIK of up to ten digits'),
    issuerName: text('issuer_name'),
    ticker: text('ticker'),
    owners: cells.maybe('owners', ownersIn, 'a list of owners') ?? leadIn(cells, row),
    is10b51: flag('is_10b5_1'),
    row: cells.required(
      'row',
      (place) => placeIn(place, isDerivative),
      'the position of the trade in its filing',
    ),
    isDerivative,
    securityTitle: text('security_title'),
    transactionDate: cells.maybe('transaction_date', statedDate, day),
    transactionCode: text('transaction_code'),
    acquiredDisposed: cells.maybe('acquired_disposed', acquiredOrDisposed, 'A or D'),
    shares: number('shares'),
    pricePerShare: number('price_per_share'),
    sharesOwnedAfter: number('shares_owned_after'),
    ownership: cells.maybe('ownership', directOrIndirect, 'D or I'),
  };
}

const day = 'a date of the form YYYY-MM-DD';

function statedDate(text: string): string | undefined {
  return parseStatedDate(withoutMidnight(text));
}

/** Trades of Table I count from 1, those of Table II from 1001. */
function placeIn(text: string, isDerivative: boolean): number | undefined {
  const place = /^\d{1,4}$/.test(text) ? Number(text) - (isDerivative ? mostTrades : 0) : 0;
  return place >= 1 && place <= mostTrades ? Number(text) : undefined;
}

/** The only owner of a row; empty if the row names none. */
function leadIn(cells: CellReader, row: AnswerRow): readonly ReportingOwner[] {
  const name = row.cell('owner_name');
  const flag = (column: string) => cells.maybe(column, parseFlag, 'true or false') === true;
  if (name === '') return [];
  return [
    {
      cik: cells.maybe('owner_cik', parseCik, 'a CIK of up to ten digits'),
      name,
      isDirector: flag('is_director'),
      isOfficer: flag('is_officer'),
      isTenPercent: flag('is_ten_percent'),
      officerTitle: row.cell('officer_title') || null,
    },
  ];
}

/** The owners in JSON, of which Parquet has each as a text; undefined for any other text. */
function ownersIn(text: string): readonly ReportingOwner[] | undefined {
  const value = jsonIn(text);
  if (!Array.isArray(value)) return undefined;
  const owners = value.map((entry: unknown) => {
    const owner = typeof entry === 'string' ? jsonIn(entry) : entry;
    return isJsonObject(owner) ? ownerIn(owner) : undefined;
  });
  return owners.every((owner) => owner !== undefined) ? owners : undefined;
}

function ownerIn(owner: UncheckedObject): ReportingOwner | undefined {
  const { name, cik, officer_title: officerTitle } = owner;
  const isMaybeText = (value: unknown): value is string | null => value === null || typeof value === 'string';
  const flags = [owner.is_director, owner.is_officer, owner.is_ten_percent];
  if (typeof name !== 'string' || !isMaybeText(cik) || !isMaybeText(officerTitle)) return undefined;
  if (!flags.every((flag) => typeof flag === 'boolean')) return undefined;
  const [isDirector = false, isOfficer = false, isTenPercent = false] = flags;
  return { cik: cik, name, isDirector, isOfficer, isTenPercent, officerTitle };
}
