import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type OwnershipDocument, readHeader, submissionType } from './document.ts';
import { holdsSubmissionTable } from './form345.ts';
import { holdsSubmissions, type ListedFiling, readSubmissions } from './submissions-json.ts';
import { submissionsIn } from './tables.ts';
import { parseForm } from './values.ts';

/** A listed filing and the path of the file that lists it. */
type DirectoryEntry = ListedFiling & { readonly path: string };

/** Listed filings by accession number and by document name. */
type Directory = {
  readonly byNumber: ReadonlyMap<string, readonly DirectoryEntry[]>;
  readonly byDocument: ReadonlyMap<string, readonly DirectoryEntry[]>;
};

/**
 * Finds the filing date of a document in the files of the import, otherwise in those beside the document: the SEC's
 * lists of filings, SUBMISSION tables, and headers of full submissions. Looks it up by accession number or, if the
 * path has none, by document name, form and period in the list of the issuer or an owner. Undefined if no file has
 * it; refuses files that contradict each other.
 */
export async function listedFiling(
  file: SourceFile,
  accessionNumber: string | undefined,
  document: OwnershipDocument,
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
  { formType, periodOfReport, issuerCik, owners }: OwnershipDocument,
) {
  const parties = [issuerCik, ...owners.map(({ cik }) => cik)];
  const same = entry.formType === formType && entry.periodOfReport === periodOfReport;
  return same && document !== null && parties.includes(document.cik);
}

/** A name like `wk-form4_1745535558.xml` identifies a document; a name like `doc4.xml` does not. */
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

/** The directory of each list of files, for as long as its import runs. */
const directories = new WeakMap<readonly SourceFile[], Promise<Directory>>();

function directoryOf(files: readonly SourceFile[]): Promise<Directory> {
  const known = directories.get(files) ?? makeDirectory(files);
  directories.set(files, known);
  return known;
}

async function makeDirectory(files: readonly SourceFile[]): Promise<Directory> {
  const byNumber = new Map<string, DirectoryEntry[]>();
  const byDocument = new Map<string, DirectoryEntry[]>();
  const add = (map: Map<string, DirectoryEntry[]>, key: string, entry: DirectoryEntry): void => {
    const entries = map.get(key);
    if (entries === undefined) map.set(key, [entry]);
    else entries.push(entry);
  };
  for (const file of files) {
    for (const listed of await listedOnce(file)) {
      const entry = { ...listed, path: file.path };
      add(byNumber, listed.accessionNumber, entry);
      const name = listed.document?.name ?? '';
      if (isDistinctive(name)) add(byDocument, name, entry);
    }
  }
  return { byNumber, byDocument };
}

/** The filings that each file lists; the documents of a folder share the files beside them. */
const lists = new WeakMap<SourceFile, Promise<readonly ListedFiling[]>>();

function listedOnce(file: SourceFile): Promise<readonly ListedFiling[]> {
  const known = lists.get(file) ?? listedIn(file);
  lists.set(file, known);
  return known;
}

async function listedIn(file: SourceFile): Promise<readonly ListedFiling[]> {
  if (!/\.(?:json|tsv|txt|sgml)$/i.test(file.name)) return [];
  const head = (await file.head()).toString();
  if (holdsSubmissions(head)) return readSubmissions(file);
  if (holdsSubmissionTable(head)) {
    const submissions = [...(await submissionsIn(file)).values()];
    return submissions.map((submission) => ({ ...submission, document: null }));
  }
  if (parseForm(submissionType(head) ?? '') === undefined) return [];
  return [{ ...readHeader(file, head), periodOfReport: null, document: null }];
}
