import type { Filing, FormType } from '../../../domain/insider/filing.ts';
import { type Day, parseDay } from '../../../domain/values/date.ts';
import { addTo } from '../../../domain/values/groups.ts';
import { once, refusal, type SourceFile } from '../../files/source-file.ts';
import { textHead } from '../../readers/csv.ts';
import { holdsSubmissionTable, submissionsIn } from './form345.ts';
import { type ListedFiling, readSubmissions, secSubmissionsJson } from './submissions-json.ts';
import { easternAsUtc, parseAccession, parseForm } from './values.ts';

type ListedDocument = Pick<Filing, 'formType' | 'periodOfReport' | 'issuerCik' | 'owners'>;

type DirectoryEntry = ListedFiling & { readonly path: string };

type Directory = {
  readonly byNumber: ReadonlyMap<string, readonly DirectoryEntry[]>;
  readonly byDocument: ReadonlyMap<string, readonly DirectoryEntry[]>;
};

/**
 * Finds the filing date of a document in the files of the import, or else beside the document.
 * Matches accession numbers, or else name, form and period; throws for files that contradict each other.
 */
export async function listedFiling(
  file: SourceFile,
  accessionNumber: string | undefined,
  document: ListedDocument,
  together: readonly SourceFile[],
): Promise<ListedFiling | undefined> {
  const entries = (directory: Directory): readonly DirectoryEntry[] =>
    accessionNumber === undefined
      ? (directory.byDocument.get(file.name) ?? []).filter((entry) => isOf(entry, document))
      : (directory.byNumber.get(accessionNumber) ?? []);
  const imported = entries(await directoryOf(together));
  const found = imported.length > 0 ? imported : entries(await directoryOf(await file.siblings()));
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  for (const other of others) refuseContradiction(file, first, other);
  if (first.formType !== document.formType) {
    const reason = `form ${document.formType}, but ${first.path} lists ${first.accessionNumber} as form ${first.formType}`;
    throw refusal(file, { column: 'documentType' }, reason);
  }
  return { ...first, acceptedAt: found.find(({ acceptedAt }) => acceptedAt !== null)?.acceptedAt ?? null };
}

function isOf(
  { document, ...entry }: DirectoryEntry,
  { formType, periodOfReport, issuerCik, owners }: ListedDocument,
): boolean {
  const parties = [issuerCik, ...owners.map(({ cik }) => cik)];
  const same = entry.formType === formType && entry.periodOfReport === periodOfReport;
  return same && document !== null && parties.includes(document.cik);
}

/** Tells whether a name identifies a document: `wk-form4_1745535558.xml` does, `doc4.xml` does not. */
function isDistinctive(name: string): boolean {
  return /\d{6}/.test(name);
}

function refuseContradiction(file: SourceFile, one: DirectoryEntry, other: DirectoryEntry): void {
  if (one.accessionNumber !== other.accessionNumber) {
    const both = `${one.accessionNumber} or ${other.accessionNumber} (${one.path})`;
    const hint = 'rename it by its accession number: 000089924317024441.xml';
    throw refusal(file, {}, `by its name, form and period it could be ${both}`, [hint]);
  }
  if (one.filedOn === other.filedOn && one.formType === other.formType) return;
  const stated = ({ path, formType, filedOn }: DirectoryEntry) =>
    `${path} states form ${formType}, filed on ${filedOn}`;
  throw refusal(file, { value: one.accessionNumber }, `${stated(one)}, but ${stated(other)}`);
}

const directoryOf = once(async (files: readonly SourceFile[]): Promise<Directory> => {
  const byNumber = new Map<string, DirectoryEntry[]>();
  const byDocument = new Map<string, DirectoryEntry[]>();
  for (const file of files) {
    for (const listed of await listedOnce(file)) {
      const entry = { ...listed, path: file.path };
      addTo(byNumber, listed.accessionNumber, entry);
      const name = listed.document?.name ?? '';
      if (isDistinctive(name)) addTo(byDocument, name, entry);
    }
  }
  return { byNumber, byDocument };
});

const listedOnce = once(async (file: SourceFile): Promise<readonly ListedFiling[]> => {
  if (!/\.(?:json|tsv|txt|sgml)$/i.test(file.name)) return [];
  const head = (await file.head()).toString();
  if (secSubmissionsJson.recognise(textHead(head))) return readSubmissions(file);
  if (holdsSubmissionTable(head)) {
    const submissions = [...(await submissionsIn(file)).values()];
    return submissions.map((submission) => ({ ...submission, document: null }));
  }
  if (parseForm(submissionType(head) ?? '') === undefined) return [];
  return [{ ...readHeader(file, head), periodOfReport: null, document: null }];
});

type SubmissionHeader = Pick<Filing, 'filingId' | 'filedOn' | 'acceptedAt'> & {
  readonly accessionNumber: string;
  readonly formType: FormType;
};

const beginning =
  /^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----[\s\S]*?)?<(?:SEC-DOCUMENT|SEC-HEADER|IMS-DOCUMENT|IMS-HEADER)>/;

/** Returns the form type in the header of a full submission (may be empty); undefined for other files. */
export function submissionType(head: string): string | undefined {
  return beginning.test(head) ? (headerField(headerIn(head), 'CONFORMED SUBMISSION TYPE') ?? '') : undefined;
}

/** Reads the header of a full submission; throws if one of its three fields is missing or wrong. */
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

/** Lists the CIKs of the issuer and the owners in the header of a full submission. */
export function ciksInHeader(text: string): readonly number[] {
  return [...headerIn(text).matchAll(/^[ \t]*CENTRAL INDEX KEY:[ \t]*(\d{1,10})[ \t]*\r?$/gm)].map(
    ([, cik]) => Number(cik),
  );
}

function headerIn(text: string): string {
  const end = text.search(/<\/(?:SEC|IMS)-HEADER>|<DOCUMENT>/);
  return end < 0 ? text : text.slice(0, end);
}

/** Finds the value of `<NAME>value` or `NAME:   value`. */
function headerField(header: string, name: string): string | undefined {
  const [, value = ''] = new RegExp(`^[ \\t]*(?:<${name}>|${name}:)(.*)$`, 'm').exec(header) ?? [];
  return value.trim() === '' ? undefined : value.trim();
}

function parseCompactDay(text: string): Day | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  return year === undefined ? undefined : parseDay(`${year}-${month}-${day}`);
}

/** Converts `20221108201810`, in Washington's local time, to a UTC second. */
function parseEasternTime(text: string): string | undefined {
  const [, day = '', hour = '', minute = '', second = ''] =
    /^(\d{8})([01]\d|2[0-3])([0-5]\d)([0-5]\d)$/.exec(text) ?? [];
  const date = parseCompactDay(day);
  return date === undefined ? undefined : easternAsUtc(`${date}T${hour}:${minute}:${second}Z`);
}
