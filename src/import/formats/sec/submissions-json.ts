import type { FormType, StatedDate } from '../../../domain/insider/filing.ts';
import { type Day, parseDay } from '../../../domain/series/date.ts';
import { type JsonObject, readJsonObject } from '../../readers/json.ts';
import { refusal, type SourceFile } from '../format.ts';
import { parseAccession, parseCik, parseForm, parseInstant, parseStatedDate } from './values.ts';

/** When the SEC took a filing in, as a list of filings states it. */
export type ListedFiling = {
  readonly accessionNumber: string;
  readonly formType: FormType;
  readonly filedOn: Day;
  readonly acceptedAt: string | null;
  readonly periodOfReport: StatedDate | null;
  /** The ownership XML, where the list names it: its base name, and the CIK of the company or person whose list it is. */
  readonly document: { readonly name: string; readonly cik: string } | null;
};

/** Whether a file begins as the SEC's list of a company's or a person's filings, or as a part of one. */
export function holdsSubmissions(head: string): boolean {
  return /^\s*\{(?:[\s\S]*"filings"\s*:\s*\{\s*"recent"\s*:\s*\{)?\s*"accessionNumber"\s*:\s*\[/.test(head);
}

/** The ownership filings in a list of filings (`CIK0001835632.json`, `CIK0001835632-submissions-001.json`). */
export async function readSubmissions(file: SourceFile): Promise<readonly ListedFiling[]> {
  const { columns, owner } = await contentOf(file);
  const accessions = texts(file, columns, 'accessionNumber');
  const of = (name: string): readonly string[] => {
    const list = texts(file, columns, name);
    if (list.length === accessions.length) return list;
    const reason = `${list.length} entries, where accessionNumber has ${accessions.length}`;
    throw refusal(file, { column: name }, reason);
  };
  const lists = {
    form: of('form'),
    filingDate: of('filingDate'),
    acceptanceDateTime: columns.acceptanceDateTime === undefined ? [] : of('acceptanceDateTime'),
    reportDate: columns.reportDate === undefined ? [] : of('reportDate'),
    primaryDocument: columns.primaryDocument === undefined ? [] : of('primaryDocument'),
  };
  return accessions.flatMap((accession, index): ListedFiling[] => {
    const formType = parseForm(lists.form[index] ?? '');
    if (formType === undefined) return [];
    const read = <T>(column: string, value: string, parse: (text: string) => T | undefined): T => {
      const found = parse(value);
      if (found !== undefined) return found;
      throw refusal(file, { row: index + 1, column, value }, 'not what the SEC writes here');
    };
    const maybe = <T>(column: keyof typeof lists, parse: (text: string) => T | undefined): T | null => {
      const value = lists[column][index] ?? '';
      return value === '' ? null : read(column, value, parse);
    };
    return [
      {
        accessionNumber: read('accessionNumber', accession, parseAccession),
        formType,
        filedOn: read('filingDate', lists.filingDate[index] ?? '', parseDay),
        acceptedAt: maybe('acceptanceDateTime', parseInstant),
        periodOfReport: maybe('reportDate', parseStatedDate),
        // `xslF345X05/wk-form4.xml` is the same document made readable.
        document: maybe('primaryDocument', (path) => documentOf(path.split('/').at(-1), owner)),
      },
    ];
  });
}

/** The texts of one list. */
function texts(file: SourceFile, columns: JsonObject, name: string): readonly string[] {
  const list = columns[name];
  if (!Array.isArray(list)) throw refusal(file, { column: name }, 'this list is missing');
  return list.map((value: unknown, index) => {
    if (typeof value === 'string') return value;
    throw refusal(file, { row: index + 1, column: name, value: JSON.stringify(value) }, 'not a text');
  });
}

function documentOf(name = '', cik: string | undefined): ListedFiling['document'] {
  return name === '' || cik === undefined ? null : { name, cik };
}

/** The lists, one for each property of a filing, that stand side by side; and whose filings they are. */
async function contentOf(
  file: SourceFile,
): Promise<{ readonly columns: JsonObject; readonly owner: string | undefined }> {
  const object = await readJsonObject(file);
  // Older filings are in files of their own, which name the company in their name alone.
  const [, named = ''] = /CIK(\d{10})/.exec(file.name) ?? [];
  const owner = parseCik(String(object.cik ?? named));
  if (object.filings === undefined) return { columns: object, owner };
  const recent = isObject(object.filings) ? object.filings.recent : undefined;
  if (isObject(recent)) return { columns: recent, owner };
  throw refusal(file, { column: 'filings' }, 'the list of recent filings is missing');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
