import type { FormType, StatedDate } from '../../../domain/insider/filing.ts';
import { type Day, parseDay } from '../../../domain/series/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { isJsonObject, readJsonObject, type UncheckedObject } from '../../readers/json.ts';
import type { ImportFormat } from '../format.ts';
import { parseAccession, parseCik, parseForm, parseInstant, parseStatedDate } from './values.ts';

/** The SEC's list of a company's or a person's filings. It has no trades; it dates the ownership XML imported with it. */
export const secSubmissionsJson: ImportFormat = {
  kind: 'sec-submissions-json',
  summary: 'list of filings of a company or person by the SEC (JSON); dates the XML imported with it',
  source: 'SEC',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise: (head) => holdsSubmissions(head),
  async *read(file) {
    const { length } = await readSubmissions(file);
    const filings = length === 1 ? '1 ownership filing' : `${length} ownership filings`;
    yield { notes: [`dates ${filings}; it has no trades itself`] };
  },
};

/** When a filing was filed, as a list of filings states it. */
export type ListedFiling = {
  readonly accessionNumber: string;
  readonly formType: FormType;
  readonly filedOn: Day;
  readonly acceptedAt: string | null;
  readonly periodOfReport: StatedDate | null;
  /** The base name of the ownership XML, if the list has it, and the CIK of the list's company or person. */
  readonly document: { readonly name: string; readonly cik: string } | null;
};

/** Whether a file begins as the SEC's list of filings, or as a part of one. */
export function holdsSubmissions(head: string): boolean {
  return /^\s*\{(?:[\s\S]*"filings"\s*:\s*\{\s*"recent"\s*:\s*\{)?\s*"accessionNumber"\s*:\s*\[/.test(head);
}

/** The ownership filings in a list of filings (`CIK0001835632.json`, `CIK0001835632-submissions-001.json`). */
export async function readSubmissions(file: SourceFile): Promise<readonly ListedFiling[]> {
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
  return accessions.flatMap((accession, index): ListedFiling[] => {
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
    return [
      {
        accessionNumber: read('accessionNumber', accession, parseAccession),
        formType,
        filedOn: read('filingDate', lists.filingDate[index] ?? '', parseDay),
        acceptedAt: maybe('acceptanceDateTime', parseInstant),
        periodOfReport: maybe('reportDate', parseStatedDate),
        // `xslF345X05/wk-form4.xml` is a rendering of `wk-form4.xml`.
        document: maybe('primaryDocument', (path) => documentOf(path.split('/').at(-1), owner)),
      },
    ];
  });
}

/** A list of texts. */
function texts(file: SourceFile, columns: UncheckedObject, name: string): readonly string[] {
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

/** The parallel lists, one for each property of a filing, and the CIK of their company or person. */
async function contentOf(
  file: SourceFile,
): Promise<{ readonly columns: UncheckedObject; readonly owner: string | undefined }> {
  const object = await readJsonObject(file);
  // Older filings are in separate files, which name the company in the file name only.
  const [, named = ''] = /CIK(\d{10})/.exec(file.name) ?? [];
  const owner = parseCik(String(object.cik ?? named));
  if (object.filings === undefined) return { columns: object, owner };
  const recent = isJsonObject(object.filings) ? object.filings.recent : undefined;
  if (isJsonObject(recent)) return { columns: recent, owner };
  throw refusal(file, { column: 'filings' }, 'the list of recent filings is missing');
}
