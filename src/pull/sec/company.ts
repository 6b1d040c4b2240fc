import { addDays, type Day } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../../import/files/source-file.ts';
import { type ListedFiling, readSubmissions } from '../../import/formats/sec/submissions-json.ts';
import { parseCik } from '../../import/formats/sec/values.ts';
import { readJsonObject } from '../../import/readers/json.ts';
import { document, type PullTask, type PullWindow } from '../source.ts';
import { filingsInWindow, isAbsent, submissionsOf, unheld } from './answers.ts';
import { olderPages } from './listings.ts';

/** How far the filings of a company or person have come. */
type CompanyBookmark = {
  /** The first filing date that is wanted; empty for all. */
  readonly from: Day | '';
  /** The filing date of the newest filing that was asked for. */
  readonly through: Day | '';
  /** The filings asked for that were filed in the weeks up to `through`. */
  readonly done: readonly string[];
};

const beginning = { from: '', through: '', done: [] } as const;

/**
 * The SEC may list a filing some days after its filing date; by then it is looked for among those that were asked
 * for.
 */
const lateDays = 30;

/** Before this day ownership forms could be plain text, without tables. */
const xmlSince = '2003-06-30';

/**
 * The filings of one company or person, oldest first: its list, those older pages of it that can have something new,
 * and the full submission of each ownership form in them. `lastDay` is the last day that has ended at the SEC.
 */
export async function* companyWindows(cik: string, task: PullTask, lastDay: Day): AsyncGenerator<PullWindow> {
  let bookmark = bookmarkOf(task);
  const listed = await listedFilings(cik, bookmark, task);
  const missing = listed.filter((filing) => isMissing(filing, bookmark));
  const plain = missing.filter(isPlainText);
  if (plain.length > 0) task.note(plainTextNote(plain.length));
  const wanted = missing.filter((filing) => !isPlainText(filing));
  let start = 0;
  do {
    const window = wanted.slice(start, start + filingsInWindow);
    start += window.length;
    const next = wanted[start];
    const asked = window.map(({ accessionNumber }) => ({
      accessionNumber,
      path: pathOf(cik, accessionNumber),
    }));
    const files = await submissionsOf(await unheld(asked, task), task);
    bookmark = after(bookmark, next === undefined ? listed : window);
    yield {
      files,
      keepsHeld: true,
      bookmark: JSON.stringify(bookmark),
      upTo: next === undefined ? lastDay : addDays(next.filedOn, -1),
      remaining: Math.ceil((wanted.length - start) / filingsInWindow),
    };
  } while (start < wanted.length);
}

/** Where to go on. An earlier `since` than that of the first pull begins again from there. */
function bookmarkOf({ subject, full, since }: PullTask): CompanyBookmark {
  const held: CompanyBookmark = subject.bookmark === '' ? beginning : JSON.parse(subject.bookmark);
  if (subject.bookmark === '') return { ...beginning, from: since ?? '' };
  if (since !== undefined && since < held.from) return { ...beginning, from: since };
  return full ? { ...beginning, from: held.from } : held;
}

/** Whether a filing is wanted and was not asked for. */
function isMissing(
  { accessionNumber, filedOn }: ListedFiling,
  { from, through, done }: CompanyBookmark,
): boolean {
  if (filedOn < from) return false;
  if (through === '' || filedOn > through) return true;
  return filedOn >= addDays(through, -lateDays) && !done.includes(accessionNumber);
}

function after(bookmark: CompanyBookmark, asked: readonly ListedFiling[]): CompanyBookmark {
  const dates = new Map(asked.map(({ accessionNumber, filedOn }) => [accessionNumber, filedOn]));
  const through = [...dates.values(), bookmark.through].sort().at(-1) ?? '';
  if (through === '') return bookmark;
  const recent = [...dates].filter(([, filedOn]) => filedOn >= addDays(through, -lateDays));
  // What an earlier window asked for stays until the next pull looks at the list as a whole.
  const done = [...new Set([...bookmark.done, ...recent.map(([accessionNumber]) => accessionNumber)])];
  return { ...bookmark, through, done };
}

function plainTextNote(count: number): string {
  const are = count === 1 ? '1 filing from before' : `${count} filings from before`;
  return `${are} ${xmlSince} ${count === 1 ? 'is plain text, and is' : 'are plain text, and are'} left out`;
}

function isPlainText({ filedOn, document }: ListedFiling): boolean {
  return filedOn < xmlSince && document?.name.toLowerCase().endsWith('.xml') !== true;
}

function pathOf(cik: string, accessionNumber: string): string {
  return `/Archives/edgar/data/${Number(cik)}/${accessionNumber.replaceAll('-', '')}/${accessionNumber}.txt`;
}

/** The ownership filings of a list and of those of its older pages that reach into the wanted time, oldest first. */
async function listedFilings(
  cik: string,
  { from, through }: CompanyBookmark,
  { get }: PullTask,
): Promise<readonly ListedFiling[]> {
  const reply = await get(`/submissions/CIK${cik}.json`);
  if (isAbsent(reply))
    throw new Problem('not-found', `the SEC has no filer with the CIK ${Number(cik)}`, {
      hints: ['--ticker finds a company by its ticker'],
    });
  const list = listFile(cik, '', reply.body);
  const stated = (await readJsonObject(list)).cik;
  if (parseCik(String(stated)) !== cik)
    throw refusal(list, { column: 'cik', value: String(stated) }, 'this list is of another filer');
  const begin = through === '' ? from : addDays(through, -lateDays);
  const files: SourceFile[] = [list];
  for (const { path, to } of await olderPages(list))
    if (to >= begin) files.push(listFile(cik, path, (await get(path)).body));
  const filings = new Map<string, ListedFiling>();
  for (const file of files)
    for (const filing of await readSubmissions(file)) filings.set(filing.accessionNumber, filing);
  return [...filings.values()].sort(byDate);
}

function byDate(a: ListedFiling, b: ListedFiling): number {
  const [one, other] = [a, b].map(({ filedOn, accessionNumber }) => filedOn + accessionNumber);
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

function listFile(cik: string, path: string, body: Buffer): SourceFile {
  const name = path === '' ? `CIK${cik}.json` : path.slice(path.lastIndexOf('/') + 1);
  return document({ name, path: `list of filings ${name}` }, body);
}
