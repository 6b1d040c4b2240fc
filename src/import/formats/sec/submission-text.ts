import { allBytes } from '../../files/content.ts';
import { type Batch, type Format, type ReadOptions, refusal, type SourceFile } from '../format.ts';
import { filingsOf, longestDocument, readOwnershipDocument } from './document.ts';
import { listedFiling } from './filing-dates.ts';
import { readHeader, submissionType } from './header.ts';
import { flagUnused, notesOn } from './notes.ts';
import { parseForm } from './values.ts';

/** A full submission as EDGAR keeps it: an SGML header with the filing date, and the ownership XML within. */
export const secSubmissionText: Format = {
  kind: 'sec-submission-text',
  summary: 'full submission of a Form 3, 4 or 5 (text with the SGML header of EDGAR)',
  source: 'SEC',
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
  // Byte by byte, so that the XML within can be cut out and decoded as what it is.
  const text = bytes.toString('latin1');
  const header = readHeader(file, text);
  const document = await readOwnershipDocument(file, embeddedXml(file, text, bytes));
  if (document.formType !== header.formType) {
    const reason = `the header says form ${header.formType}, and the document ${document.formType}`;
    throw refusal(file, { column: 'documentType' }, reason);
  }
  // Refuses a list of the same import that says otherwise.
  await listedFiling(file, header.accessionNumber, document, together);
  const { formType: _, ...filed } = header;
  const filings = filingsOf(document, filed);
  yield { filings, notes: [...flagUnused(header.filedOn, filedOn), ...notesOn(filings, document.owners)] };
}

const root = '<ownershipDocument';
const rootEnd = '</ownershipDocument>';

/** The ownership XML of a submission, on the lines where it stands in the file. */
function embeddedXml(file: SourceFile, text: string, bytes: Buffer): Buffer {
  const start = text.indexOf(root);
  if (start < 0) {
    const reason = 'the submission holds no ownership XML (before the middle of 2003 it was plain text)';
    throw refusal(file, {}, reason);
  }
  const end = text.indexOf(rootEnd, start);
  if (end < 0) throw refusal(file, {}, 'the submission is cut short: its ownership XML does not end');
  if (text.includes(root, start + root.length))
    throw refusal(file, {}, 'the submission holds two ownership documents');
  const linesBefore = text.slice(0, start).split(/\r\n?|\n/).length - 1;
  return Buffer.concat([Buffer.from('\n'.repeat(linesBefore)), bytes.subarray(start, end + rootEnd.length)]);
}
