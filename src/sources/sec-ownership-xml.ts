import { createHash } from 'node:crypto';
import type { Problem } from '../problem.ts';
import { allBytes } from './content.ts';
import { filingsOf, longestDocument, readOwnershipDocument } from './ownership-document.ts';
import { listedFiling } from './sec-filing-dates.ts';
import { flagUnused, notesOn } from './sec-notes.ts';
import { accessionIn } from './sec-values.ts';
import { type Batch, type Format, type ReadOptions, refusal, type SourceFile } from './source.ts';

/**
 * Ownership XML of Forms 3, 4, 5 and their amendments. It does not say when it was filed: files of the same import or
 * beside it do, or `--filed-on`; without any of them it is refused, as there is no day from which on it was known.
 */
export const secOwnershipXml: Format = {
  kind: 'sec-ownership-xml',
  summary: 'Form 3, 4 or 5 of the SEC (ownership XML; the day of filing from a file beside it or --filed-on)',
  source: 'SEC',
  whole: false,
  takesAsOf: false,
  takesFiledOn: true,
  recognise: (head) =>
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<ownershipDocument\b/.test(head),
  read: readDocument,
};

async function* readDocument(
  file: SourceFile,
  { filedOn, together = [] }: ReadOptions,
): AsyncGenerator<Batch> {
  const bytes = await allBytes(file.path, await file.open(), longestDocument);
  const document = await readOwnershipDocument(file, bytes);
  const inPath = accessionIn(file.path);
  const listed = await listedFiling(file, inPath, document, together);
  const known = listed?.filedOn ?? filedOn;
  if (known === undefined) throw undated(file, inPath);
  const accessionNumber = inPath ?? listed?.accessionNumber ?? null;
  const filings = filingsOf(document, {
    filingId: accessionNumber ?? contentId(bytes),
    accessionNumber,
    filedOn: known,
    acceptedAt: listed?.acceptedAt ?? null,
  });
  const notes = [...withoutNumber(accessionNumber), ...flagUnused(known, filedOn)];
  yield { filings, notes: [...notes, ...notesOn(filings, document.owners)] };
}

function contentId(bytes: Buffer): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

function withoutNumber(accessionNumber: string | null): readonly string[] {
  if (accessionNumber !== null) return [];
  return ['its accession number is not known, as its name does not hold it'];
}

function undated(file: SourceFile, accessionNumber: string | undefined): Problem {
  const list =
    accessionNumber === undefined
      ? 'or import it, named by its accession number, with a file that lists it'
      : `or import it with a file that lists ${accessionNumber}`;
  return refusal(
    file,
    {},
    'the document does not say when it was filed, so nothing tells since when it was known',
    [
      '--filed-on D says when it was filed',
      `${list}: the SEC’s submissions file of the company (CIK….json), or the table SUBMISSION of a data set`,
      'or import the full submission of EDGAR (.txt), whose header says it',
    ],
  );
}
