import type { Filing, ReportingOwner, Trade } from '../../../domain/insider/filing.ts';
import { type Day, parseDay } from '../../../domain/series/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type CellReader, cellReader, readTable } from '../../readers/tsv.ts';
import { parseAccession, parseCik, parseFlag, parseForm, parseTableDate, tickerOf } from './values.ts';

/** A filing as the table SUBMISSION states it. */
export type Submission = Omit<Filing, keyof Trade | 'owners'> & { readonly accessionNumber: string };

/** The required columns of SUBMISSION. */
const submissionColumns = [
  'ACCESSION_NUMBER',
  'FILING_DATE',
  'PERIOD_OF_REPORT',
  'DATE_OF_ORIG_SUB',
  'DOCUMENT_TYPE',
  'ISSUERCIK',
  'ISSUERNAME',
  'ISSUERTRADINGSYMBOL',
] as const;

const ownerColumns = [
  'ACCESSION_NUMBER',
  'RPTOWNERCIK',
  'RPTOWNERNAME',
  'RPTOWNER_RELATIONSHIP',
  'RPTOWNER_TITLE',
] as const;

const date = 'a date of the form DD-MON-YYYY';

/** The arguments with which a CellReader reads the accession number. */
export const accession = ['ACCESSION_NUMBER', parseAccession, 'an accession number'] as const;

/** The filings of a SUBMISSION table by accession number; a repeated one is refused. Each file is read once. */
export const submissionsIn = oncePerFile(readSubmissions);

/** The owners of each filing in a REPORTINGOWNER table, in its order. Each file is read once. */
export const ownersIn = oncePerFile(readOwners);

/**
 * Keeps the result for as long as the import holds the file: several tables of a data set need the same other table.
 */
function oncePerFile<T extends object>(read: (file: SourceFile) => T): (file: SourceFile) => T {
  const known = new WeakMap<SourceFile, T>();
  return (file) => {
    const held = known.get(file) ?? read(file);
    known.set(file, held);
    return held;
  };
}

async function readSubmissions(file: SourceFile): Promise<ReadonlyMap<string, Submission>> {
  const submissions = new Map<string, Submission>();
  for await (const rows of readTable(file, submissionColumns)) {
    for (const row of rows) {
      const submission = submissionIn(cellReader(file, row));
      const { accessionNumber } = submission;
      if (submissions.has(accessionNumber)) {
        const place = { row: row.row, column: 'ACCESSION_NUMBER', value: accessionNumber };
        throw refusal(file, place, 'this filing appears twice');
      }
      submissions.set(accessionNumber, submission);
    }
  }
  return submissions;
}

function submissionIn(cells: CellReader): Submission {
  const accessionNumber = cells.required(...accession);
  return {
    filingId: accessionNumber,
    accessionNumber,
    formType: cells.required('DOCUMENT_TYPE', parseForm, 'one of the forms 3, 4, 5, 3/A, 4/A and 5/A'),
    filedOn: cells.required('FILING_DATE', parseFilingDay, date),
    acceptedAt: null,
    originalFiledOn: cells.maybe('DATE_OF_ORIG_SUB', parseTableDate, date),
    periodOfReport: cells.maybe('PERIOD_OF_REPORT', parseTableDate, date),
    issuerCik: cells.required('ISSUERCIK', parseCik, 'a CIK of up to ten digits'),
    issuerName: cells.text('ISSUERNAME'),
    ticker: tickerOf(cells.text('ISSUERTRADINGSYMBOL') ?? ''),
    is10b51: cells.maybe('AFF10B5ONE', parseFlag, '0, 1, true or false'),
  };
}

/** A filing date is a real day, unlike a date that a filer states. */
function parseFilingDay(text: string): Day | undefined {
  return parseDay(parseTableDate(text) ?? '');
}

async function readOwners(file: SourceFile): Promise<ReadonlyMap<string, readonly ReportingOwner[]>> {
  const owners = new Map<string, ReportingOwner[]>();
  for await (const rows of readTable(file, ownerColumns)) {
    for (const row of rows) {
      const cells = cellReader(file, row);
      const accessionNumber = cells.required(...accession);
      const known = owners.get(accessionNumber);
      if (known === undefined) owners.set(accessionNumber, [ownerIn(cells)]);
      else known.push(ownerIn(cells));
    }
  }
  return owners;
}

function ownerIn(cells: CellReader): ReportingOwner {
  const roles = cells.maybe('RPTOWNER_RELATIONSHIP', parseRoles, rolesText) ?? new Set();
  return {
    cik: cells.required('RPTOWNERCIK', parseCik, 'a CIK of up to ten digits'),
    name: cells.required('RPTOWNERNAME', (text) => text.replace(/\s+/g, ' '), 'the name of the owner'),
    isDirector: roles.has('director'),
    isOfficer: roles.has('officer'),
    isTenPercent: roles.has('tenpercentowner'),
    officerTitle: cells.text('RPTOWNER_TITLE'),
  };
}

const knownRoles = ['director', 'officer', 'tenpercentowner', 'other'];

const rolesText = 'a list of Director, Officer, TenPercentOwner and Other';

/** `Director,Officer,TenPercentOwner`. */
function parseRoles(text: string): ReadonlySet<string> | undefined {
  const roles = text.split(/[,;]/).map((role) => role.replace(/\s+/g, '').toLowerCase());
  return roles.every((role) => knownRoles.includes(role)) ? new Set(roles) : undefined;
}
