import { createHash } from 'node:crypto';
import {
  type Filing,
  mostTrades,
  type ReportingOwner,
  rowOf,
  type StatedDate,
  type Trade,
} from '../../../domain/insider/filing.ts';
import type { Day } from '../../../domain/values/date.ts';
import type { Problem } from '../../../errors/problem.ts';
import { defined } from '../../../platform/defined.ts';
import { allBytes, refusal, type SourceFile } from '../../files/source-file.ts';
import { Fields } from '../../readers/rows.ts';
import { isNode, listOf, parseXml, textOf, type XmlNode } from '../../readers/xml.ts';
import type { Batch, ImportFormat, ReadOptions } from '../format.ts';
import { listedFiling, readHeader, submissionType } from './filing-dates.ts';
import {
  accessionIn,
  notesOnImpossible,
  parseForm,
  readOwner,
  readTrade,
  secForms,
  type TradeNames,
  tickerOf,
} from './values.ts';

/** Ownership XML of Forms 3, 4 and 5; another file or `--filed-on` must state its filing date. */
export const secOwnershipXml: ImportFormat = {
  kind: 'sec-ownership-xml',
  summary: ['Form 3', ', 4 or 5 of the SEC (ownership XML; filing date from a file beside it or --filed-on)'],
  source: 'SEC',
  takesFiledOn: true,
  recognise: ({ text }) =>
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<ownershipDocument\b/.test(text),
  read: readDocument,
};

async function* readDocument(
  file: SourceFile,
  { filedOn, together = [] }: ReadOptions,
): AsyncGenerator<Batch> {
  const bytes = await allBytes(file, longestDocument);
  const document = await readOwnershipDocument(file, bytes);
  const inPath = accessionIn(file.path);
  const listed = await listedFiling(file, inPath, document, together);
  const known = listed?.filedOn ?? filedOn;
  if (known === undefined) throw undated(file, inPath);
  if (listed === undefined) refuseTooEarly(file, document, known);
  const accessionNumber = inPath ?? listed?.accessionNumber ?? null;
  const filings = filingsOf(document, {
    filingId: accessionNumber ?? `sha256-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`,
    accessionNumber,
    filedOn: known,
    acceptedAt: listed?.acceptedAt ?? null,
  });
  const nameless = 'its accession number is unknown, because its file name does not have it';
  yield {
    filings,
    notes: [
      ...(accessionNumber === null ? [nameless] : []),
      ...unusedFilingDate(known, filedOn),
      ...notesOn(filings, document.owners),
    ],
  };
}

function refuseTooEarly(file: SourceFile, document: OwnershipDocument, filedOn: Day): void {
  const dates: readonly (readonly [column: string, day: StatedDate | null])[] = [
    ['periodOfReport', document.periodOfReport],
    ['dateOfOriginalSubmission', document.originalFiledOn],
    ...document.trades.map(({ transactionDate }) => ['transactionDate', transactionDate] as const),
  ];
  for (const [column, day] of dates) {
    if (day === null || day <= filedOn) continue;
    throw refusal(file, { column, value: day }, `later than the filing date ${filedOn} given by --filed-on`, [
      '--filed-on is the day on which the SEC accepted the document; import documents of other days separately',
      'if the date in the document is wrong, import it with a list of the SEC that dates it; the trade is then kept as stated and counts towards no cluster',
    ]);
  }
}

function undated(file: SourceFile, accessionNumber: string | undefined): Problem {
  const list =
    accessionNumber === undefined
      ? 'or name it by its accession number and import it with a file that lists it'
      : `or import it with a file that lists ${accessionNumber}`;
  return refusal(file, {}, 'the document does not state its filing date', [
    'pass --filed-on D, for documents that were all filed on that day',
    `${list}: the SEC’s submissions file of the company (CIK….json), or the table SUBMISSION of a data set`,
    'or import the full submission from EDGAR (.txt), whose header has the date',
  ]);
}

/** EDGAR's full submission: an SGML header with the filing date, then the ownership XML. */
export const secSubmissionText: ImportFormat = {
  kind: 'sec-submission-text',
  summary: ['full submission of a Form 3', ', 4 or 5 (text with the SGML header of EDGAR)'],
  source: 'SEC',
  recognise: ({ text }) => parseForm(submissionType(text) ?? '') !== undefined,
  read: readSubmission,
};

async function* readSubmission(
  file: SourceFile,
  { filedOn, together = [] }: ReadOptions,
): AsyncGenerator<Batch> {
  const bytes = await allBytes(file, longestDocument);
  // Decoded byte by byte: positions in the text are positions in the bytes.
  const text = bytes.toString('latin1');
  const header = readHeader(file, text);
  const document = await readOwnershipDocument(file, embeddedXml(file, text, bytes));
  if (document.formType !== header.formType) {
    const reason = `the document states form ${document.formType}, but the header ${header.formType}`;
    throw refusal(file, { column: 'documentType' }, reason);
  }
  // Throws if a list in the same import contradicts the submission.
  await listedFiling(file, header.accessionNumber, document, together);
  const { formType: _, ...acceptance } = header;
  const filings = filingsOf(document, acceptance);
  yield {
    filings,
    notes: [...unusedFilingDate(header.filedOn, filedOn), ...notesOn(filings, document.owners)],
  };
}

const root = '<ownershipDocument';
const rootEnd = '</ownershipDocument>';

function embeddedXml(file: SourceFile, text: string, bytes: Buffer): Buffer {
  const start = text.indexOf(root);
  if (start < 0) {
    const reason = 'the submission has no ownership XML (before mid-2003 it was plain text)';
    throw refusal(file, {}, reason);
  }
  const end = text.indexOf(rootEnd, start);
  if (end < 0) throw refusal(file, {}, 'the submission is cut short: its ownership XML does not end');
  if (text.includes(root, start + root.length))
    throw refusal(file, {}, 'the submission has two ownership documents');
  const linesBefore = text.slice(0, start).split(/\r\n?|\n/).length - 1;
  return Buffer.concat([Buffer.from('\n'.repeat(linesBefore)), bytes.subarray(start, end + rootEnd.length)]);
}

/** The fields of a filing that its document does not state. */
type Acceptance = Pick<Filing, 'filingId' | 'accessionNumber' | 'filedOn' | 'acceptedAt'>;

type OwnershipDocument = Omit<Filing, keyof Trade | keyof Acceptance> & {
  readonly trades: readonly Trade[];
};

/** Bytes; a form has at most 30 lines in each of two tables, and footnotes. */
const longestDocument = 16 * 2 ** 20;

const repeatedElements = ['reportingOwner', 'nonDerivativeTransaction', 'derivativeTransaction'];

/** Reads ownership XML of any schema version (X0101 to X0609 and later); ignores unknown elements. */
async function readOwnershipDocument(file: SourceFile, bytes: Buffer): Promise<OwnershipDocument> {
  const document = await parseXml(file, bytes, repeatedElements);
  const root = document.root.ownershipDocument;
  if (!isNode(root)) throw refusal(file, {}, 'this XML is not an ownership document');
  const fields = new XmlFields(file, document.lineOf, root);
  const owners = fields.all('reportingOwner').map((owner) => readOwner(owner, ownerNames));
  if (owners.length === 0) throw refusal(file, { column: 'reportingOwner' }, 'the document names no owner');
  return {
    formType: fields.required('documentType', secForms.form),
    originalFiledOn: fields.maybe('dateOfOriginalSubmission', secForms.date),
    periodOfReport: fields.maybe('periodOfReport', secForms.date),
    issuerCik: fields.required('issuer/issuerCik', secForms.cik),
    issuerName: fields.text('issuer/issuerName'),
    ticker: tickerOf(fields.cell('issuer/issuerTradingSymbol')),
    owners,
    is10b51: fields.maybe('aff10b5One', secForms.flag),
    trades: [
      ...tradesAt(file, fields.all('nonDerivativeTable/nonDerivativeTransaction'), false),
      ...tradesAt(file, fields.all('derivativeTable/derivativeTransaction'), true),
    ],
  };
}

function filingsOf({ trades, ...document }: OwnershipDocument, acceptance: Acceptance): readonly Filing[] {
  return trades.map((trade) => ({ ...document, ...acceptance, ...trade }));
}

const ownerNames = {
  cik: 'reportingOwnerId/rptOwnerCik',
  name: 'reportingOwnerId/rptOwnerName',
  isDirector: 'reportingOwnerRelationship/isDirector',
  isOfficer: 'reportingOwnerRelationship/isOfficer',
  isTenPercent: 'reportingOwnerRelationship/isTenPercentOwner',
  officerTitle: 'reportingOwnerRelationship/officerTitle',
};

const tradeNames: TradeNames = {
  securityTitle: 'securityTitle/value',
  transactionCode: 'transactionCoding/transactionCode',
  acquiredDisposed: 'transactionAmounts/transactionAcquiredDisposedCode/value',
  shares: 'transactionAmounts/transactionShares/value',
  pricePerShare: 'transactionAmounts/transactionPricePerShare/value',
  sharesOwnedAfter: 'postTransactionAmounts/sharesOwnedFollowingTransaction/value',
  ownership: 'ownershipNature/directOrIndirectOwnership/value',
};

function tradesAt(file: SourceFile, trades: readonly XmlFields[], isDerivative: boolean): readonly Trade[] {
  if (trades.length > mostTrades)
    throw refusal(file, {}, `${trades.length} trades in one table, but the form has 30 lines`);
  return trades.map((trade, index) =>
    readTrade(trade, tradeNames, {
      row: rowOf(isDerivative, index + 1),
      isDerivative,
      transactionDate: trade.required('transactionDate/value', secForms.date),
    }),
  );
}

function notesOn(filings: readonly Filing[], owners: readonly ReportingOwner[]): readonly string[] {
  const nameless = owners.filter(({ cik }) => cik === null).map(({ name }) => name);
  const without = `the CIK of ${nameless.join(', ')} is not stated; trades of such an owner count towards no cluster`;
  return [...notesOnImpossible(filings), ...(nameless.length > 0 ? [without] : [])];
}

function unusedFilingDate(filedOn: Day, given: Day | undefined): readonly string[] {
  if (given === undefined || given === filedOn) return [];
  return [`filed on ${filedOn} according to the SEC; --filed-on ${given} is ignored`];
}

type PathEnd = { readonly part: unknown; readonly column: string; readonly around: XmlNode };

/** Reads the fields of an element by path; refusals have the line of the element around and the name. */
class XmlFields extends Fields {
  readonly #file: SourceFile;
  readonly #lineOf: (part: unknown) => number | undefined;
  readonly #node: XmlNode;

  constructor(file: SourceFile, lineOf: (part: unknown) => number | undefined, node: XmlNode) {
    super();
    this.#file = file;
    this.#lineOf = lineOf;
    this.#node = node;
  }

  /** Returns the text at `a/b/value`, blanks collapsed; empty if a part of the path is absent. */
  cell(path: string): string {
    const found = this.#find(path);
    if (found.part === undefined) return '';
    if (Array.isArray(found.part)) throw this.#refusal(found, 'the element appears twice');
    const value = textOf(found.part);
    if (value === undefined) throw this.#refusal(found, 'elements instead of a text');
    return value.replace(/\s+/g, ' ');
  }

  refusal(path: string, reason: string): Problem {
    return this.#refusal(this.#find(path), reason, this.cell(path));
  }

  missing(path: string, reason: string): Problem {
    return this.#refusal(this.#find(path), reason);
  }

  all(path: string): readonly XmlFields[] {
    const found = this.#find(path);
    return listOf(found.part).map((element) => {
      if (isNode(element)) return new XmlFields(this.#file, this.#lineOf, element);
      throw this.#refusal(found, 'an empty element');
    });
  }

  #find(path: string): PathEnd {
    let found: PathEnd = { part: this.#node, column: '', around: this.#node };
    for (const name of path.split('/')) {
      const { part, around } = found;
      const column = name === 'value' ? found.column : name;
      if (part === undefined || part === '') return { part: undefined, column, around };
      const here = { part, column, around };
      if (Array.isArray(part)) throw this.#refusal(here, 'the element around it appears twice');
      if (!isNode(part)) throw this.#refusal(here, 'text instead of this element');
      found = { part: Object.hasOwn(part, name) ? part[name] : undefined, column, around: part };
    }
    return found;
  }

  #refusal({ part, column, around }: PathEnd, reason: string, value?: string): Problem {
    const lines = [part, listOf(part).at(-1), around, this.#node].map(this.#lineOf);
    const row = lines.find((line) => line !== undefined);
    return refusal(this.#file, defined({ column, value, row }), reason);
  }
}
