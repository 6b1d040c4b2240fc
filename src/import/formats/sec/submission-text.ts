import { allBytes } from '../../files/content.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import type { Batch, ImportFormat, ReadOptions } from '../format.ts';
import {
  filingsOf,
  longestDocument,
  notesOn,
  readHeader,
  readOwnershipDocument,
  submissionType,
  unusedFilingDate,
} from './document.ts';
import { listedFiling } from './filing-dates.ts';
import { parseForm } from './values.ts';

/** A full submission as EDGAR keeps it: an SGML header with the filing date, then the ownership XML. */
export const secSubmissionText: ImportFormat = {
  kind: 'sec-submission-text',
  summary: 'full submission of a Form 3, 4 or 5 (text with the SGML header of EDGAR)',
  source: 'SEC',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise: (head) => parseForm(submissionType(head) ?? '') !== undefined,
  read: readSubmission,
};

async function* readSubmission(
  file: SourceFile,
  { filedOn, together = [] }: ReadOptions,
): AsyncGenerator<Batch> {
  const bytes = await allBytes(file.path, await file.open(), longestDocument);
  // Decoded byte by byte, so that positions in the text are positions in the bytes.
  const text = bytes.toString('latin1');
  const header = readHeader(file, text);
  const document = await readOwnershipDocument(file, embeddedXml(file, text, bytes));
  if (document.formType !== header.formType) {
    const reason = `the document states form ${document.formType}, but the header ${header.formType}`;
    throw refusal(file, { column: 'documentType' }, reason);
  }
  // Refuses the submission if a list in the same import contradicts it.
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

/** The ownership XML of a submission, preceded by empty lines so that its line numbers are those of the file. */
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
