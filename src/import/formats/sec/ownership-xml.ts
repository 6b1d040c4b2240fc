import { createHash } from 'node:crypto';
import type { StatedDate } from '../../../domain/insider/filing.ts';
import type { Day } from '../../../domain/series/date.ts';
import type { Problem } from '../../../errors/problem.ts';
import { allBytes } from '../../files/content.ts';
import { type Batch, type Format, type ReadOptions, refusal, type SourceFile } from '../format.ts';
import {
  filingsOf,
  longestDocument,
  type OwnershipDocument,
  readOwnershipDocument,
} from './document.ts';
import { listedFiling } from './filing-dates.ts';
import { flagUnused, notesOn } from './notes.ts';
import { accessionIn } from './values.ts';

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
  if (listed === undefined) refuseTooEarly(file, document, known);
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

/** Refuses a day of filing that was typed where the document tells of a later one. */
function refuseTooEarly(file: SourceFile, document: OwnershipDocument, filedOn: Day): void {
  const told: readonly (readonly [column: string, day: StatedDate | null])[] = [
    ['periodOfReport', document.periodOfReport],
    ['dateOfOriginalSubmission', document.originalFiledOn],
    ...document.trades.map(({ transactionDate }) => ['transactionDate', transactionDate] as const),
  ];
  for (const [column, day] of told) {
    if (day === null || day <= filedOn) continue;
    throw refusal(
      file,
      { column, value: day },
      `later than ${filedOn}, on which --filed-on says it was filed`,
      [
        '--filed-on D is the day on which the SEC took a document in; import those of other days apart',
        'where the document itself is wrong, import it with a list of the SEC that dates it: its trade is then kept as stated, and out of clusters',
      ],
    );
  }
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
