import {
  instantOf,
  instantText,
  type LocalTime,
  localTimeOf,
  newYork,
} from '../../../domain/calendar/zones.ts';
import type { Filing, FormType, StatedDate } from '../../../domain/insider/filing.ts';
import { type Day, parseDay } from '../../../domain/values/date.ts';
import { addTo } from '../../../domain/values/groups.ts';
import { counted } from '../../../errors/wording.ts';
import { once, refusal, type SourceFile } from '../../files/source-file.ts';
import { textHead } from '../../readers/csv.ts';
import { fieldOf, isJsonObject, readJsonObject, type UncheckedObject } from '../../readers/json.ts';
import type { FieldForm } from '../../readers/rows.ts';
import type { ImportFormat } from '../format.ts';
import { holdsSubmissionTable, submissionsIn } from './form345.ts';
import { parseCik, parseForm, parseInstant, parseStatedDate, secForms } from './values.ts';

type ListedDocument = Pick<Filing, 'formType' | 'periodOfReport' | 'issuerCik' | 'owners'>;

type DirectoryEntry = ListedFiling & { readonly path: string };

/** Listed filings by accession number, and by the name of their document if that is distinctive. */
type Directory = ReadonlyMap<string, readonly DirectoryEntry[]>;

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
      ? (directory.get(file.name) ?? []).filter((entry) => isOf(entry, document))
      : (directory.get(accessionNumber) ?? []);
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
  const directory = new Map<string, DirectoryEntry[]>();
  for (const file of files) {
    for (const listed of await listedOnce(file)) {
      const entry = { ...listed, path: file.path };
      addTo(directory, listed.accessionNumber, entry);
      const name = listed.document?.name ?? '';
      // `wk-form4_1745535558.xml` identifies a document, `doc4.xml` does not.
      if (/\d{6}/.test(name)) addTo(directory, name, entry);
    }
  }
  return directory;
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
  const read = <T>(name: string, [parse, what]: FieldForm<T>): T => {
    const value = headerField(header, name);
    if (value === undefined) throw refusal(file, { column: name }, 'the SGML header lacks this line');
    const found = parse(value);
    if (found !== undefined) return found;
    const row = header.slice(0, header.indexOf(name)).split('\n').length;
    throw refusal(file, { row, column: name, value }, `not ${what}`);
  };
  const accessionNumber = read('ACCESSION NUMBER', secForms.accession);
  return {
    filingId: accessionNumber,
    accessionNumber,
    formType: read('CONFORMED SUBMISSION TYPE', secForms.form),
    filedOn: read('FILED AS OF DATE', [parseCompactDay, 'a date of the form YYYYMMDD']),
    acceptedAt:
      headerField(header, 'ACCEPTANCE-DATETIME') === undefined
        ? null
        : read('ACCEPTANCE-DATETIME', [parseEasternTime, 'a time of the form YYYYMMDDhhmmss']),
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
  return date && easternAsUtc(`${date}T${hour}:${minute}:${second}Z`);
}

/** Converts a time in Washington, whose `Z` does not count, to UTC; undefined for one that clocks skip. */
function easternAsUtc(clock: string): string | undefined {
  const instant = instantOf({ day: clock.slice(0, 10), time: clock.slice(11, 16) }, newYork);
  return instant && instantText(instant).slice(0, -3) + clock.slice(-3);
}

/** The SEC's list of the filings of a company or person, which dates ownership XML imported with it. */
export const secSubmissionsJson: ImportFormat = {
  kind: 'sec-submissions-json',
  summary: ['list of filings of a company or person by the SEC', ' (JSON); dates the XML imported with it'],
  source: 'SEC',
  recognise: ({ text }) =>
    /^\s*\{(?:[\s\S]*"filings"\s*:\s*\{\s*"recent"\s*:\s*\{)?\s*"accessionNumber"\s*:\s*\[/.test(text),
  async *read(file) {
    const { filings, zone } = await readList(file);
    const count = counted(filings.length, 'ownership filing');
    const timeless = 'its times of acceptance can be UTC or Eastern time, and are left out';
    const notes = zone === undefined && filings.length > 0 ? [timeless] : [];
    yield { notes: [`dates ${count}; it has no trades itself`, ...notes] };
  },
};

/** A filing with its dates, as a list of filings states it. */
export type ListedFiling = {
  readonly accessionNumber: string;
  readonly formType: FormType;
  readonly filedOn: Day;
  readonly acceptedAt: string | null;
  readonly periodOfReport: StatedDate | null;
  /** The base name of the ownership XML, if listed, and the CIK of the list's company or person. */
  readonly document: { readonly name: string; readonly cik: string } | null;
};

/** Reads the ownership filings in a list (`CIK0001835632.json`, `CIK0001835632-submissions-001.json`). */
export async function readSubmissions(file: SourceFile): Promise<readonly ListedFiling[]> {
  return (await readList(file)).filings;
}

type FilingList = { readonly filings: readonly ListedFiling[]; readonly zone: ListZone | undefined };

async function readList(file: SourceFile): Promise<FilingList> {
  const { columns, owner } = await contentOf(file);
  const accessions = texts(file, columns, 'accessionNumber');
  const listOf = (name: string): readonly string[] => {
    const list = texts(file, columns, name);
    if (list.length === accessions.length) return list;
    const reason = `${list.length} entries, but accessionNumber has ${accessions.length}`;
    throw refusal(file, { column: name }, reason);
  };
  const lists = {
    form: listOf('form'),
    filingDate: listOf('filingDate'),
    acceptanceDateTime: columns.acceptanceDateTime === undefined ? [] : listOf('acceptanceDateTime'),
    reportDate: columns.reportDate === undefined ? [] : listOf('reportDate'),
    primaryDocument: columns.primaryDocument === undefined ? [] : listOf('primaryDocument'),
  };
  const zone = zoneOf(lists);
  const filings = accessions.flatMap((accession, index): ListedFiling[] => {
    const formType = parseForm(lists.form[index] ?? '');
    if (formType === undefined) return [];
    const read = <T>(column: string, value: string, parse: (text: string) => T | undefined): T => {
      const found = parse(value);
      if (found !== undefined) return found;
      throw refusal(file, { row: index + 1, column, value }, 'not in the form that the SEC uses');
    };
    const maybe = <T>(column: keyof typeof lists, parse: (text: string) => T | undefined): T | null => {
      const value = lists[column][index] ?? '';
      return value === '' ? null : read(column, value, parse);
    };
    const accepted = maybe('acceptanceDateTime', parseInstant);
    return [
      {
        accessionNumber: read('accessionNumber', accession, secForms.accession[0]),
        formType,
        filedOn: read('filingDate', lists.filingDate[index] ?? '', parseDay),
        acceptedAt: accepted === null || zone === undefined ? null : (instantIn[zone](accepted) ?? null),
        periodOfReport: maybe('reportDate', parseStatedDate),
        // `xslF345X05/wk-form4.xml` is a rendering of `wk-form4.xml`.
        document: maybe('primaryDocument', (path) => documentOf(path.split('/').at(-1), owner)),
      },
    ];
  });
  return { filings, zone: lists.acceptanceDateTime.length === 0 ? 'UTC' : zone };
}

/** The zone of a list's times, which end in `Z` in both zones. */
type ListZone = keyof typeof instantIn;

const instantIn = { UTC: (text: string) => text, Eastern: easternAsUtc } as const;

/** Returns the zone in which fewer times are impossible; undefined if both fit equally well. */
function zoneOf(lists: {
  readonly form: readonly string[];
  readonly filingDate: readonly string[];
  readonly acceptanceDateTime: readonly string[];
}): ListZone | undefined {
  let [asUtc, asEastern] = [0, 0];
  for (const [index, text] of lists.acceptanceDateTime.entries()) {
    const time = parseInstant(text);
    if (time === undefined) continue;
    const filing = [lists.form[index] ?? '', lists.filingDate[index] ?? ''] as const;
    if (!isPossible(localTimeOf(new Date(time), newYork), ...filing)) asUtc += 1;
    if (!isPossible({ day: time.slice(0, 10), time: time.slice(11, 16) }, ...filing)) asEastern += 1;
  }
  if (asUtc === asEastern) return undefined;
  return asUtc < asEastern ? 'UTC' : 'Eastern';
}

/**
 * Tells whether EDGAR can have accepted a filing at a time in Washington.
 * It accepts from 06:00 to 22:30, and `EFFECT` at any time; reports after 17:30 get the next filing date.
 */
function isPossible({ day, time }: LocalTime, form: string, filedOn: string): boolean {
  if (form === 'EFFECT') return true;
  if (time < '06:00' || time > '22:30') return false;
  if (parseForm(form) !== undefined) return day === filedOn;
  return !(/^(?:8-K|10-K|10-Q)(?:\/A)?$/.test(form) && time > '17:35' && day === filedOn);
}

function texts(file: SourceFile, columns: UncheckedObject, name: string): readonly string[] {
  return fieldOf(file, columns, name, Array.isArray).map((value: unknown, index) => {
    if (typeof value === 'string') return value;
    throw refusal(file, { row: index + 1, column: name, value: JSON.stringify(value) }, 'not a text');
  });
}

function documentOf(name = '', cik: string | undefined): ListedFiling['document'] {
  return name === '' || cik === undefined ? null : { name, cik };
}

/** Reads the parallel lists, one for each property of a filing, and the CIK of their company or person. */
async function contentOf(
  file: SourceFile,
): Promise<{ readonly columns: UncheckedObject; readonly owner: string | undefined }> {
  const object = await readJsonObject(file);
  // Older filings are in separate files, which name the company only in the file name.
  const [, named = ''] = /CIK(\d{10})/.exec(file.name) ?? [];
  const owner = parseCik(String(object.cik ?? named));
  if (object.filings === undefined) return { columns: object, owner };
  const filings = fieldOf(file, object, 'filings', isJsonObject);
  return { columns: fieldOf(file, filings, 'recent', isJsonObject), owner };
}
