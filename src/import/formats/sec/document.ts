import {
  type Filing,
  mostTrades,
  type ReportingOwner,
  rowOf,
  type Trade,
} from '../../../domain/insider/filing.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { isNode, parseXml, XmlFields } from '../../readers/xml.ts';
import {
  acquiredOrDisposed,
  directOrIndirect,
  parseAmount,
  parseCik,
  parseFlag,
  parseForm,
  parseStatedDate,
  tickerOf,
} from './values.ts';

/** The parts of a filing that its ownership document does not state: its accession number and when the SEC accepted it. */
export type Acceptance = Pick<Filing, 'filingId' | 'accessionNumber' | 'filedOn' | 'acceptedAt'>;

/** An ownership document: the fields that its trades share, and the trades; holdings are ignored. */
export type OwnershipDocument = Omit<Filing, keyof Trade | keyof Acceptance> & {
  readonly trades: readonly Trade[];
};

/** The limit in bytes; a form has at most 30 lines in each of two tables, and footnotes. */
export const longestDocument = 16 * 2 ** 20;

const repeatedElements = ['reportingOwner', 'nonDerivativeTransaction', 'derivativeTransaction'];

/** Reads ownership XML of any schema version (X0101 to X0609 and later); unknown elements are ignored. */
export async function readOwnershipDocument(file: SourceFile, bytes: Buffer): Promise<OwnershipDocument> {
  const document = await parseXml(file, bytes, repeatedElements);
  const root = document.root.ownershipDocument;
  if (!isNode(root)) throw refusal(file, {}, 'this XML is not an ownership document');
  const fields = new XmlFields(file, document, root);
  const owners = fields.all('reportingOwner').map(ownerOf);
  if (owners.length === 0) throw refusal(file, { column: 'reportingOwner' }, 'the document names no owner');
  return {
    formType: fields.required('documentType', parseForm, 'one of the forms 3, 4, 5, 3/A, 4/A and 5/A'),
    originalFiledOn: fields.parsed('dateOfOriginalSubmission', parseStatedDate, date),
    periodOfReport: fields.parsed('periodOfReport', parseStatedDate, date),
    issuerCik: fields.required('issuer/issuerCik', parseCik, cik),
    issuerName: stated(fields, 'issuer/issuerName'),
    ticker: tickerOf(fields.text('issuer/issuerTradingSymbol')),
    owners,
    is10b51: fields.parsed('aff10b5One', parseFlag, flag),
    trades: [
      ...tradesAt(file, fields.all('nonDerivativeTable/nonDerivativeTransaction'), false),
      ...tradesAt(file, fields.all('derivativeTable/derivativeTransaction'), true),
    ],
  };
}

/** The trades of a document as records. */
export function filingsOf(
  { trades, ...document }: OwnershipDocument,
  acceptance: Acceptance,
): readonly Filing[] {
  return trades.map((trade) => ({ ...document, ...acceptance, ...trade }));
}

const date = 'a date of the form YYYY-MM-DD';
const cik = 'a CIK of up to ten digits';
const flag = '0, 1, true or false';
const number = 'a number';

function ownerOf(owner: XmlFields): ReportingOwner {
  const is = (name: string): boolean =>
    owner.parsed(`reportingOwnerRelationship/${name}`, parseFlag, flag) ?? false;
  return {
    cik: owner.parsed('reportingOwnerId/rptOwnerCik', parseCik, cik),
    name: owner.required('reportingOwnerId/rptOwnerName', (text) => text, 'the name of the owner'),
    isDirector: is('isDirector'),
    isOfficer: is('isOfficer'),
    isTenPercent: is('isTenPercentOwner'),
    officerTitle: stated(owner, 'reportingOwnerRelationship/officerTitle'),
  };
}

function tradesAt(file: SourceFile, trades: readonly XmlFields[], isDerivative: boolean): readonly Trade[] {
  if (trades.length > mostTrades)
    throw refusal(file, {}, `${trades.length} trades in one table, but the form has 30 lines`);
  return trades.map((trade, index) => ({
    row: rowOf(isDerivative, index + 1),
    isDerivative,
    securityTitle: stated(trade, 'securityTitle/value'),
    transactionDate: trade.required('transactionDate/value', parseStatedDate, date),
    transactionCode: stated(trade, 'transactionCoding/transactionCode'),
    acquiredDisposed: trade.parsed(
      'transactionAmounts/transactionAcquiredDisposedCode/value',
      acquiredOrDisposed,
      'A or D',
    ),
    shares: trade.parsed('transactionAmounts/transactionShares/value', parseAmount, number),
    pricePerShare: trade.parsed('transactionAmounts/transactionPricePerShare/value', parseAmount, number),
    sharesOwnedAfter: trade.parsed(
      'postTransactionAmounts/sharesOwnedFollowingTransaction/value',
      parseAmount,
      number,
    ),
    ownership: trade.parsed('ownershipNature/directOrIndirectOwnership/value', directOrIndirect, 'D or I'),
  }));
}

function stated(fields: XmlFields, path: string): string | null {
  const text = fields.text(path);
  return text === '' ? null : text;
}
