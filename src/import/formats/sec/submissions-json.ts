import type { FormType, StatedDate } from '../../../domain/insider/filing.ts';
import { type Day, parseDay } from '../../../domain/values/date.ts';
import { counted } from '../../../errors/wording.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { isJsonObject, readJsonObject, type UncheckedObject } from '../../readers/json.ts';
import type { ImportFormat } from '../format.ts';
import {
  easternAsUtc,
  parseAccession,
  parseCik,
  parseForm,
  parseInstant,
  parseStatedDate,
  utcAsEastern,
} from './values.ts';

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
        accessionNumber: read('accessionNumber', accession, parseAccession),
        formType,
        filedOn: read('filingDate', lists.filingDate[index] ?? '', parseDay),
        acceptedAt: accepted === null || zone === undefined ? null : instantIn[zone](accepted),
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
    if (!isPossible(utcAsEastern(time), ...filing)) asUtc += 1;
    if (!isPossible(time, ...filing)) asEastern += 1;
  }
  if (asUtc === asEastern) return undefined;
  return asUtc < asEastern ? 'UTC' : 'Eastern';
}

/**
 * Tells whether EDGAR can have accepted a filing when clocks in Washington showed `clock`.
 * It accepts from 06:00 to 22:30, and `EFFECT` at any time; reports after 17:30 get the next filing date.
 */
function isPossible(clock: string, form: string, filedOn: string): boolean {
  if (form === 'EFFECT') return true;
  const [day, time] = [clock.slice(0, 10), clock.slice(11, 16)];
  if (time < '06:00' || time > '22:30') return false;
  if (parseForm(form) !== undefined) return day === filedOn;
  return !(/^(?:8-K|10-K|10-Q)(?:\/A)?$/.test(form) && time > '17:35' && day === filedOn);
}

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

/** Reads the parallel lists, one for each property of a filing, and the CIK of their company or person. */
async function contentOf(
  file: SourceFile,
): Promise<{ readonly columns: UncheckedObject; readonly owner: string | undefined }> {
  const object = await readJsonObject(file);
  // Older filings are in separate files, which name the company only in the file name.
  const [, named = ''] = /CIK(\d{10})/.exec(file.name) ?? [];
  const owner = parseCik(String(object.cik ?? named));
  if (object.filings === undefined) return { columns: object, owner };
  const recent = isJsonObject(object.filings) ? object.filings.recent : undefined;
  if (isJsonObject(recent)) return { columns: recent, owner };
  throw refusal(file, { column: 'filings' }, 'the list of recent filings is missing');
}
