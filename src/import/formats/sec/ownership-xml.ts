import { createHash } from 'node:crypto';
import type { StatedDate } from '../../../domain/insider/filing.ts';
import type { Day } from '../../../domain/series/date.ts';
import type { Problem } from '../../../errors/problem.ts';
import { allBytes } from '../../files/content.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import type { Batch, ImportFormat, ReadOptions } from '../format.ts';
import {
  filingsOf,
  longestDocument,
  notesOn,
  type OwnershipDocument,
  readOwnershipDocument,
  unusedFilingDate,
} from './document.ts';
import { listedFiling } from './filing-dates.ts';
import { accessionIn } from './values.ts';

/**
 * Ownership XML of Forms 3, 4, 5 and their amendments. It does not state its filing date: a file of the same import or
 * beside it does, or `--filed-on`; without any of these the document is refused.
 */
export const secOwnershipXml: ImportFormat = {
  kind: 'sec-ownership-xml',
  summary: 'Form 3, 4 or 5 of the SEC (ownership XML; filing date from a file beside it or --filed-on)',
  source: 'SEC',
  vintageKind: undefined,
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
  if (listed === undefined) refuseTooEarly(file, document, known);
  const accessionNumber = inPath ?? listed?.accessionNumber ?? null;
  const filings = filingsOf(document, {
    filingId: accessionNumber ?? contentId(bytes),
    accessionNumber,
    filedOn: known,
    acceptedAt: listed?.acceptedAt ?? null,
  });
  const notes = [...withoutNumber(accessionNumber), ...unusedFilingDate(known, filedOn)];
  yield { filings, notes: [...notes, ...notesOn(filings, document.owners)] };
}

/** Refuses a typed filing date if the document states a later date. */
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

function contentId(bytes: Buffer): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

function withoutNumber(accessionNumber: string | null): readonly string[] {
  if (accessionNumber !== null) return [];
  return ['its accession number is unknown, because its file name does not have it'];
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
