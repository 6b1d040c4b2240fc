import { sourceFiles } from '../../src/import/files/walk.ts';
import { tempFolder } from './folders.ts';
import { type FilingRecords, readTogether } from './sec-documents.ts';

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
export const submission = (accession: string, more = '') =>
  `${accession}|02-JUN-2026|01-JUN-2026||${more}|4|1878313|MAIA Biotechnology, Inc.|MAIA`;
/** A record of REPORTINGOWNER. */
export const owner = (accession: string) =>
  `${accession}|1913257|Vitoc Vlad|Director,Officer,TenPercentOwner|CEO`;
/** A record of a table of trades. */
export const trade = (accession: string, key: number, shares = '72700.0', date = '01-JUN-2026') =>
  `${accession}|${key}|Common Stock|${date}|P|${shares}|1.3877|A|976121.0|D`;

/** A small data set with every table that an import reads. */
export const whole: Readonly<Record<string, string>> = {
  'SUBMISSION.tsv': table(submissionColumns, submission(a), submission(b)),
  'REPORTINGOWNER.tsv': table(ownerColumns, owner(a), owner(b), `${a}|1913199|Smith Stan|Director|`),
  'NONDERIV_TRANS.tsv': table(tradeColumns, trade(a, 12, '3'), trade(b, 7, '1'), trade(a, 9, '2')),
  'DERIV_TRANS.tsv': table(derivColumns, trade(a, 4, '4')),
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
