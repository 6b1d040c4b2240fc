import { refusal, type SourceFile } from '../format.ts';
import { submissionsIn } from './tables.ts';
import type { OwnershipDocument } from './document.ts';
import { holdsSubmissionTable } from './form345.ts';
import { readHeader, submissionType } from './header.ts';
import { parseForm } from './values.ts';
import { holdsSubmissions, type ListedFiling, readSubmissions } from './submissions-json.ts';

/** A filing as some file lists it. */
type Entry = ListedFiling & { readonly path: string };

/** Listed filings by accession number and by the name of their document. */
type Directory = {
  readonly byNumber: ReadonlyMap<string, readonly Entry[]>;
  readonly byDocument: ReadonlyMap<string, readonly Entry[]>;
};

/**
 * What the files of the import, or else those beside a document, state of when it was filed: the SEC's lists of
 * filings, tables SUBMISSION, and headers of full submissions. Found by accession number; a document whose path has
 * none by its name, form and period in the list of its issuer or owner. Undefined when no file knows it; refused when two contradict each other.
 */
export async function listedFiling(
  file: SourceFile,
  accessionNumber: string | undefined,
  document: OwnershipDocument,
  together: readonly SourceFile[],
): Promise<ListedFiling | undefined> {
  const entries = (directory: Directory): readonly Entry[] =>
    accessionNumber === undefined
      ? (directory.byDocument.get(file.name) ?? []).filter((entry) => isOf(entry, document))
      : (directory.byNumber.get(accessionNumber) ?? []);
  const imported = entries(await directoryOf(together));
  const found = imported.length > 0 ? imported : entries(await directoryOf(await file.siblings()));
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  for (const other of others) refuseContradiction(file, first, other);
  if (first.formType !== document.formType) {
    const reason = `a form ${document.formType}, where ${first.path} lists ${first.accessionNumber} as a form ${first.formType}`;
    throw refusal(file, { column: 'documentType' }, reason);
  }
  return { ...first, acceptedAt: found.find(({ acceptedAt }) => acceptedAt !== null)?.acceptedAt ?? null };
}

function isOf(
  { document, ...entry }: Entry,
  { formType, periodOfReport, issuerCik, owners }: OwnershipDocument,
) {
  const parties = [issuerCik, ...owners.map(({ cik }) => cik)];
  const same = entry.formType === formType && entry.periodOfReport === periodOfReport;
  return same && document !== null && parties.includes(document.cik);
}

/** Names like `wk-form4_1745535558.xml` mean one document, and names like `doc4.xml` any. */
function isDistinctive(name: string): boolean {
  return /\d{6}/.test(name);
}

function refuseContradiction(file: SourceFile, one: Entry, other: Entry): void {
  if (one.accessionNumber !== other.accessionNumber) {
    const both = `${one.accessionNumber} or ${other.accessionNumber} (${one.path})`;
    const hint = 'put its accession number into its name: 000089924317024441.xml';
    throw refusal(file, {}, `by its name, form and period it could be ${both}`, [hint]);
  }
  if (one.filedOn === other.filedOn && one.formType === other.formType) return;
  const said = ({ path, formType, filedOn }: Entry) => `${path} says form ${formType}, filed on ${filedOn}`;
  throw refusal(file, { value: one.accessionNumber }, `${said(one)}, but ${said(other)}`);
}

/** Directories of the imports that are under way, by their list of files. */
const directories = new WeakMap<readonly SourceFile[], Promise<Directory>>();

function directoryOf(files: readonly SourceFile[]): Promise<Directory> {
  const known = directories.get(files) ?? makeDirectory(files);
  directories.set(files, known);
  return known;
}

async function makeDirectory(files: readonly SourceFile[]): Promise<Directory> {
  const byNumber = new Map<string, Entry[]>();
  const byDocument = new Map<string, Entry[]>();
  const add = (map: Map<string, Entry[]>, key: string, entry: Entry): void => {
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

/** What each file lists, as the documents of a folder all have the same files beside them. */
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
