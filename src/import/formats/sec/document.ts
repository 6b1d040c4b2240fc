import {
  type Filing,
  type FormType,
  impossibilityOf,
  impossibilityText,
  mostTrades,
  type ReportingOwner,
  rowOf,
  type Trade,
} from '../../../domain/insider/filing.ts';
import type { Day } from '../../../domain/series/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { isNode, parseXml, XmlFields } from '../../readers/xml.ts';
import {
  acquiredOrDisposed,
  directOrIndirect,
  parseAccession,
  parseAmount,
  parseCik,
  parseCompactDay,
  parseEasternTime,
  parseFlag,
  parseForm,
  parseStatedDate,
  tickerOf,
} from './values.ts';

/**
 * The parts of a filing that its ownership document does not state: its accession number and when the SEC accepted
 * it.
 */
type Acceptance = Pick<Filing, 'filingId' | 'accessionNumber' | 'filedOn' | 'acceptedAt'>;

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

/** The SGML header of a full submission. */
type SubmissionHeader = Acceptance & { readonly accessionNumber: string; readonly formType: FormType };

const beginning =
  /^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----[\s\S]*?)?<(?:SEC-DOCUMENT|SEC-HEADER|IMS-DOCUMENT|IMS-HEADER)>/;

/** The form type in the header of a full submission (empty if it has none); undefined for any other file. */
export function submissionType(head: string): string | undefined {
  return beginning.test(head) ? (headerField(headerIn(head), 'CONFORMED SUBMISSION TYPE') ?? '') : undefined;
}

/**
 * Reads the header of a full submission; refused if it lacks the accession number, the form type or the filing date.
 */
export function readHeader(file: SourceFile, text: string): SubmissionHeader {
  const header = headerIn(text);
  const read = <T>(name: string, parse: (text: string) => T | undefined, what: string): T => {
    const value = headerField(header, name);
    if (value === undefined) throw refusal(file, { column: name }, 'the SGML header lacks this line');
    const found = parse(value);
    if (found !== undefined) return found;
    const row = header.slice(0, header.indexOf(name)).split('\n').length;
    throw refusal(file, { row, column: name, value }, `not ${what}`);
  };
  const accessionNumber = read('ACCESSION NUMBER', parseAccession, 'an accession number');
  return {
    filingId: accessionNumber,
    accessionNumber,
    formType: read('CONFORMED SUBMISSION TYPE', parseForm, 'one of the forms 3, 4, 5, 3/A, 4/A and 5/A'),
    filedOn: read('FILED AS OF DATE', parseCompactDay, 'a date of the form YYYYMMDD'),
    acceptedAt:
      headerField(header, 'ACCEPTANCE-DATETIME') === undefined
        ? null
        : read('ACCEPTANCE-DATETIME', parseEasternTime, 'a time of the form YYYYMMDDhhmmss'),
  };
}

/** The CIKs that the header of a full submission names, of its issuer and its owners. */
export function ciksInHeader(text: string): readonly number[] {
  return [...headerIn(text).matchAll(/^[ \t]*CENTRAL INDEX KEY:[ \t]*(\d{1,10})[ \t]*\r?$/gm)].map(
    ([, cik]) => Number(cik),
  );
}

function headerIn(text: string): string {
  const end = text.search(/<\/(?:SEC|IMS)-HEADER>|<DOCUMENT>/);
  return end < 0 ? text : text.slice(0, end);
}

/** The value of `<NAME>value` or `NAME:   value`. */
function headerField(header: string, name: string): string | undefined {
  const [, value = ''] = new RegExp(`^[ \\t]*(?:<${name}>|${name}:)(.*)$`, 'm').exec(header) ?? [];
  return value.trim() === '' ? undefined : value.trim();
}

/** The maximum number of trades that one note names; it counts the others. */
const mostNamed = 3;

/** Notes on the trades of a filing that count towards no cluster because of what they state, one line per reason. */
export function notesOn(filings: readonly Filing[], owners: readonly ReportingOwner[]): readonly string[] {
  const impossible = new ImpossibleTrades();
  for (const filing of filings) impossible.add(filing);
  const nameless = owners.filter(({ cik }) => cik === null).map(({ name }) => name);
  if (nameless.length === 0) return impossible.notes();
  const without = `the CIK of ${nameless.join(', ')} is not stated; trades of such an owner count towards no cluster`;
  return [...impossible.notes(), without];
}

/** A note if `--filed-on` (`given`) differs from the filing date known otherwise, which is used instead. */
export function unusedFilingDate(filedOn: Day, given: Day | undefined): readonly string[] {
  if (given === undefined || given === filedOn) return [];
  return [`filed on ${filedOn} according to the SEC; --filed-on ${given} is ignored`];
}

/** Collects trades that cannot have happened as stated, for one note on all of them. */
export class ImpossibleTrades {
  #count = 0;
  readonly #examples: string[] = [];

  /** Takes a trade into account if it is impossible. */
  add(filing: Filing): void {
    const impossibility = impossibilityOf(filing);
    if (impossibility === undefined) return;
    this.#count += 1;
    if (this.#examples.length < mostNamed)
      this.#examples.push(
        `${filing.filingId} row ${filing.row}, ${impossibilityText(filing, impossibility)}`,
      );
  }

  /** The note, if there is anything to note. */
  notes(): readonly string[] {
    if (this.#count === 0) return [];
    const [trades, verb] =
      this.#count === 1
        ? ['1 impossible trade is', 'counts']
        : [`${this.#count} impossible trades are`, 'count'];
    const more =
      this.#count > this.#examples.length ? `; and ${this.#count - this.#examples.length} more` : '';
    return [`${trades} kept as stated and ${verb} towards no cluster: ${this.#examples.join('; ')}${more}`];
  }
}
