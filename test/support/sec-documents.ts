import type { SourceFile } from '../../src/import/files/source-file.ts';
import { sourceFiles } from '../../src/import/files/walk.ts';
import type { ReadOptions } from '../../src/import/formats/format.ts';
import { recognise } from '../../src/import/formats/recognise.ts';
import { tempFolder } from './folders.ts';
import { type FileRecords, readAll } from './source-file.ts';

/** The parts of an ownership document, as XML. */
export type Parts = {
  readonly form?: string;
  readonly issuer?: string;
  readonly owners?: string;
  readonly tables?: string;
  readonly more?: string;
};

/** A reporting owner who is a director. */
export const director =
  '<reportingOwner><reportingOwnerId><rptOwnerCik>0001777906</rptOwnerCik><rptOwnerName>SZE JULIA</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner>';

/** An open-market purchase with some of its elements replaced. */
export function trade(changes: Readonly<Record<string, string>> = {}): string {
  const elements: Readonly<Record<string, string>> = {
    securityTitle: '<value>Common Stock</value>',
    transactionDate: '<value>2023-05-11</value>',
    transactionShares: '<value>5000</value>',
    transactionPricePerShare: '<value>11.03</value>',
    transactionCode: 'P',
    sharesOwnedFollowingTransaction: '<value>18453</value>',
    directOrIndirectOwnership: '<value>D</value>',
    ...changes,
  };
  const element = (name: string) => `<${name}>${elements[name]}</${name}>`;
  return [
    '<nonDerivativeTransaction>',
    element('securityTitle'),
    element('transactionDate'),
    `<transactionCoding>${element('transactionCode')}</transactionCoding>`,
    `<transactionAmounts>${element('transactionShares')}${element('transactionPricePerShare')}<transactionAcquiredDisposedCode><value>A</value></transactionAcquiredDisposedCode></transactionAmounts>`,
    `<postTransactionAmounts>${element('sharesOwnedFollowingTransaction')}</postTransactionAmounts>`,
    `<ownershipNature>${element('directOrIndirectOwnership')}</ownershipNature>`,
    '</nonDerivativeTransaction>',
  ].join('\n');
}

/** An ownership document of one trade with some of its parts replaced; the trade begins on line 8. */
export function documentOf({ form = '4', issuer, owners = director, tables, more = '' }: Parts = {}): string {
  return [
    '<?xml version="1.0"?>',
    '<ownershipDocument>',
    `<schemaVersion>X0407</schemaVersion>${more}`,
    `<documentType>${form}</documentType><periodOfReport>2023-05-11</periodOfReport>`,
    `<issuer>${issuer ?? '<issuerCik>1493761</issuerCik><issuerName>Turtle Beach Corp</issuerName><issuerTradingSymbol>HEAR</issuerTradingSymbol>'}</issuer>`,
    owners,
    '<nonDerivativeTable>',
    tables ?? trade(),
    '</nonDerivativeTable>',
    '</ownershipDocument>',
  ].join('\n');
}

/** The filings and notes of a file. */
export type FilingRecords = Pick<FileRecords, 'filings' | 'notes'>;

/** Reads files as one import: each in its recognised format. */
export async function readTogether(
  files: readonly SourceFile[],
  options: ReadOptions = {},
): Promise<ReadonlyMap<string, FilingRecords>> {
  const records = new Map<string, FilingRecords>();
  for (const file of files) {
    const { filings, notes } = await readAll(await recognise(file), file, { together: files, ...options });
    records.set(file.name, { filings, notes });
  }
  return records;
}

/** A table as tab-separated text: the columns, then one record per line. */
export const table = (columns: string, ...records: string[]) =>
  [columns, ...records].map((line) => `${line.split('|').join('\t')}\n`).join('');

/** The columns of SUBMISSION that an import reads, and one that it ignores. */
export const submissionColumns =
  'ACCESSION_NUMBER|FILING_DATE|PERIOD_OF_REPORT|DATE_OF_ORIG_SUB|REMARKS|DOCUMENT_TYPE|ISSUERCIK|ISSUERNAME|ISSUERTRADINGSYMBOL';
/** The columns of REPORTINGOWNER that an import reads. */
export const ownerColumns = 'ACCESSION_NUMBER|RPTOWNERCIK|RPTOWNERNAME|RPTOWNER_RELATIONSHIP|RPTOWNER_TITLE';
/** The columns of NONDERIV_TRANS that an import reads. */
export const tradeColumns =
  'ACCESSION_NUMBER|NONDERIV_TRANS_SK|SECURITY_TITLE|TRANS_DATE|TRANS_CODE|TRANS_SHARES|TRANS_PRICEPERSHARE|TRANS_ACQUIRED_DISP_CD|SHRS_OWND_FOLWNG_TRANS|DIRECT_INDIRECT_OWNERSHIP';
/** The columns of DERIV_TRANS that an import reads. */
const derivColumns = tradeColumns.replace('NONDERIV', 'DERIV');
/** One filing. */
export const a = '0001878313-26-000062';
/** Another filing. */
export const b = '0001878313-26-000061';
/** A record of SUBMISSION; `more` are its remarks. */
export const submissionRecord = (accession: string, more = '') =>
  `${accession}|02-JUN-2026|01-JUN-2026||${more}|4|1878313|MAIA Biotechnology, Inc.|MAIA`;
/** A record of REPORTINGOWNER. */
export const ownerRecord = (accession: string) =>
  `${accession}|1913257|Vitoc Vlad|Director,Officer,TenPercentOwner|CEO`;
/** A record of a table of trades. */
export const tradeRecord = (accession: string, key: number, shares = '72700.0', date = '01-JUN-2026') =>
  `${accession}|${key}|Common Stock|${date}|P|${shares}|1.3877|A|976121.0|D`;

/** A small data set with every table that an import reads. */
export const whole: Readonly<Record<string, string>> = {
  'SUBMISSION.tsv': table(submissionColumns, submissionRecord(a), submissionRecord(b)),
  'REPORTINGOWNER.tsv': table(
    ownerColumns,
    ownerRecord(a),
    ownerRecord(b),
    `${a}|1913199|Smith Stan|Director|`,
  ),
  'NONDERIV_TRANS.tsv': table(
    tradeColumns,
    tradeRecord(a, 12, '3'),
    tradeRecord(b, 7, '1'),
    tradeRecord(a, 9, '2'),
  ),
  'DERIV_TRANS.tsv': table(derivColumns, tradeRecord(a, 4, '4')),
};

/** Reads paths as one import. */
export const readPaths = async (...paths: string[]) => readTogether(await sourceFiles(paths));
/** Reads a folder of tables, as one import. */
export const readSet = (files: Readonly<Record<string, string>> = whole) => readPaths(tempFolder(files));
/** All trades of an import. */
export const filingsIn = (records: ReadonlyMap<string, FilingRecords>) =>
  [...records.values()].flatMap(({ filings }) => filings);
/** All notes of an import. */
export const notesIn = (records: ReadonlyMap<string, FilingRecords>) =>
  [...records.values()].flatMap(({ notes }) => notes);
/** The small data set without one of its tables. */
export const without = (name: string) =>
  Object.fromEntries(Object.entries(whole).filter(([table]) => table !== name));
