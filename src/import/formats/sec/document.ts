import {
  type Filing,
  mostTrades,
  type ReportingOwner,
  rowOf,
  type Trade,
} from '../../../domain/insider/filing.ts';
import { isNode, parseXml } from '../../readers/xml.ts';
import { refusal, type SourceFile } from '../format.ts';
import { type Fields, fieldsOf } from './ownership-fields.ts';
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

/** When and under which number the SEC took a filing in: what an ownership document does not say of itself. */
export type Filed = Pick<Filing, 'filingId' | 'accessionNumber' | 'filedOn' | 'acceptedAt'>;

/** An ownership document: what all of its trades share, and the trades; holdings are passed over. */
export type OwnershipDocument = Omit<Filing, keyof Trade | keyof Filed> & {
  readonly trades: readonly Trade[];
};

/** Longer documents are refused: the longest that the SEC takes have 30 lines in each of two tables, and footnotes. */
export const longestDocument = 16 * 2 ** 20;

const lists = ['reportingOwner', 'nonDerivativeTransaction', 'derivativeTransaction'];

/** Reads ownership XML of any schema version (X0101 to X0609 and on: fields are found by name, and unknown ones ignored). */
export async function readOwnershipDocument(file: SourceFile, bytes: Buffer): Promise<OwnershipDocument> {
  const document = await parseXml(file, bytes, lists);
  const root = document.root.ownershipDocument;
  if (!isNode(root)) throw refusal(file, {}, 'this XML is no ownership document');
  const fields = fieldsOf(file, document, root);
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

/** The trades of a document as filings. */
export function filingsOf({ trades, ...document }: OwnershipDocument, filed: Filed): readonly Filing[] {
  return trades.map((trade) => ({ ...document, ...filed, ...trade }));
}

const date = 'a date of the form YYYY-MM-DD';
const cik = 'a CIK of up to ten digits';
const flag = '0, 1, true or false';
const number = 'a number';

function ownerOf(owner: Fields): ReportingOwner {
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

function tradesAt(file: SourceFile, trades: readonly Fields[], isDerivative: boolean): readonly Trade[] {
  if (trades.length > mostTrades)
    throw refusal(file, {}, `${trades.length} trades in one table, where the form has 30 lines`);
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

function stated(fields: Fields, path: string): string | null {
  const text = fields.text(path);
  return text === '' ? null : text;
}
