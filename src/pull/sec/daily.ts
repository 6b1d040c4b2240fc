import { basename } from 'node:path/posix';
import {
  addDays,
  type Day,
  dayOf,
  earlier,
  monthEnd,
  periodStart,
  weekendDay,
} from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { allBytes, refusal, type SourceFile } from '../../import/files/source-file.ts';
import { zipMembers } from '../../import/files/walk.ts';
import type { ImportFile } from '../../import/formats/format.ts';
import { secForm345, submissionsIn } from '../../import/formats/sec/form345.ts';
import { accessionIn, parseForm } from '../../import/formats/sec/values.ts';
import { textHead } from '../../import/readers/csv.ts';
import type { Followed } from '../../store/store.ts';
import {
  bookmarkIn,
  document,
  isAskedAgain,
  type PullTask,
  type PullWindow,
  type PullWindows,
} from '../source.ts';
import { isAbsent, type LeftFiling, submissionWindows } from './answers.ts';

type IndexedFiling = Parameters<typeof submissionWindows>[0][number];

type DailyBookmark = {
  readonly from: Day;
  /** The last complete day. */
  through: Day;
  left: readonly LeftFiling[];
  /** Working days without an index before the last one, and when each was first seen; most are holidays. */
  absent: readonly { readonly day: Day; readonly since: Day }[];
};

/** Returns where to begin; `begins` if the first day may be within a quarter to read from its data set. */
function startOf(
  { subject, since, full = false }: Pick<PullTask, 'subject' | 'since'> & { full?: boolean },
  lastDay: Day,
): { readonly bookmark: DailyBookmark; readonly begins: boolean } {
  const known = bookmarkIn<Partial<DailyBookmark>>(subject);
  const from = since ?? known.from ?? addDays(lastDay, 1 - firstDays);
  const begins = full || known.from === undefined || from < known.from;
  const beginning = { from, through: addDays(from, -1), left: [], absent: [] };
  return { bookmark: { ...beginning, ...(!begins && known) }, begins };
}

/** The number of days with which a pull of all filings begins without `--since`. */
const firstDays = 7;

/** Holidays never close this number of working days in a row; the indexes must have moved. */
const mostMissing = 4;

const dataSetPage = '/data-research/sec-markets-data/insider-transactions-data-sets';

const filingsADay = 900;

/** The tables of a data set with traders, trades and filing dates. */
const tables = ['SUBMISSION.tsv', 'REPORTINGOWNER.tsv', 'NONDERIV_TRANS.tsv', 'DERIV_TRANS.tsv'];

/** Counts the fewest requests for the remaining days, with data sets for whole quarters. */
function estimateDays(subject: Followed, since: Day | undefined, lastDay: Day) {
  const { bookmark } = startOf({ subject, since }, lastDay);
  let [days, quarters] = [0, 0];
  for (let day = addDays(bookmark.through, 1); day <= lastDay; day = addDays(day, 1))
    if (quarterEnd(day) >= lastDay) days += weekendDay(day) === undefined ? 1 : 0;
    else if (day === quarterEnd(day)) quarters += 1;
  const pieces = [
    ...(quarters > 0 ? [counted(quarters, 'quarterly data set')] : []),
    ...(days > 0 ? [`the ${days === 1 ? 'index of 1 day' : `indexes of ${days} days`}`] : []),
    ...(days > 0 ? [`then one for each filing, about ${filingsADay} a day`] : []),
  ];
  const what = pieces.length === 0 ? 'no day has ended since the last pull' : pieces.join(', ');
  return { requests: days + (quarters > 0 ? quarters + 1 : 0), what };
}

/** All filings, oldest first: from daily form indexes, and data sets of past quarters. */
export class DailyFilings {
  static readonly estimate = estimateDays;
  readonly #task: PullTask;
  readonly #lastDay: Day;
  readonly #bookmark: DailyBookmark;
  readonly #begins: boolean;
  /** The paths of the quarterly data sets, by first day. */
  #dataSets: ReadonlyMap<Day, string> | undefined;
  /** Working days without an index, since the last day with one. */
  #missing: Day[] = [];

  constructor(task: PullTask, lastDay: Day) {
    const { bookmark, begins } = startOf(task, lastDay);
    this.#task = task;
    this.#lastDay = lastDay;
    this.#bookmark = bookmark;
    this.#begins = begins;
  }

  async *windows(): PullWindows {
    const bookmark = this.#bookmark;
    if (bookmark.left.length > 0)
      for await (const { files, left } of submissionWindows(bookmark.left, this.#task)) {
        bookmark.left = left;
        yield this.#window(files);
      }
    yield* this.#absentDays();
    let isFirst = this.#begins;
    for (let day = addDays(bookmark.through, 1); day <= this.#lastDay; ) {
      const [from, to] = [periodStart(day, 'Q'), quarterEnd(day)];
      const path = day === from || isFirst ? await this.#dataSetOf(from, to) : undefined;
      if (path === undefined) yield* this.#days(day, earlier(to, this.#lastDay));
      else yield await this.#quarter(path, from, to);
      isFirst = false;
      day = addDays(to, 1);
    }
    // Even if nothing is new, the store records when the SEC was asked.
    yield this.#window([]);
  }

  /** Requests again, on later days, the missing indexes of working days. */
  async *#absentDays(): PullWindows {
    const { now, today } = this.#task;
    const absent = this.#bookmark.absent.filter((one) => isAskedAgain(one, now));
    this.#bookmark.absent = absent;
    for (const { day, since } of absent) {
      const filings = since === today ? undefined : await this.#index(day);
      if (filings !== undefined) yield* this.#day(day, filings);
    }
  }

  /** Finds the data set of a quarter; undefined if the quarter is not over, or has no data set yet. */
  async #dataSetOf(from: Day, to: Day): Promise<string | undefined> {
    if (to >= this.#lastDay) return undefined;
    this.#dataSets ??= dataSetsOn((await this.#task.get(dataSetPage)).body.toString());
    return this.#dataSets.get(from);
  }

  async #quarter(path: string, from: Day, to: Day): Promise<PullWindow> {
    const archive = basename(path);
    const { body } = await this.#task.get(path);
    const files: ImportFile[] = [];
    for (const file of await zipMembers(body, archive))
      if (secForm345.recognise(textHead((await file.head()).toString(), file.name)))
        files.push({ file, format: secForm345 });
    const absent = tables.filter((table) => !files.some(({ file }) => file.name === table));
    if (absent.length > 0)
      throw new Problem('bad-input', `${archive}: the data set has no ${absent.join(', ')}`);
    const submissions = files.find(({ file }) => file.name === tables[0]);
    const days = submissions === undefined ? [] : [...(await submissionsIn(submissions.file)).values()];
    if (!days.some(({ filedOn }) => filedOn >= from && filedOn <= to))
      throw new Problem('bad-input', `${archive}: the data set has no filing of ${from} to ${to}`);
    this.#bookmark.through = to;
    return this.#window(files);
  }

  async *#days(from: Day, to: Day): PullWindows {
    for (let day = from; day <= to; day = addDays(day, 1)) {
      // No filing is dated on a weekend.
      if (weekendDay(day) !== undefined) continue;
      const filings = await this.#index(day);
      if (filings === undefined) this.#missing.push(day);
      else {
        this.#skipMissing();
        yield* this.#day(day, filings);
      }
      if (this.#missing.length > mostMissing)
        throw new Problem(
          'bad-input',
          `the SEC has no index of filings for ${this.#missing.length} working days in a row, ${this.#missing[0]} to ${day}`,
        );
    }
  }

  /** Reads the ownership filings of a day; undefined without an index: on a holiday, or before publication. */
  async #index(day: Day): Promise<readonly IndexedFiling[] | undefined> {
    const quarter = Math.ceil(Number(day.slice(5, 7)) / 3);
    const name = `form.${day.replaceAll('-', '')}.idx`;
    const folder = `/Archives/edgar/daily-index/${day.slice(0, 4)}/QTR${quarter}`;
    const reply = await this.#task.get(`${folder}/${name}`);
    if (isAbsent(reply)) return undefined;
    return filingsInIndex(document(name, `index ${name}`, reply.body), day);
  }

  /** Records the working days without an index before a day with one. */
  #skipMissing(): void {
    const { absent } = this.#bookmark;
    const { today: since, note } = this.#task;
    const fresh = this.#missing.filter((day) => !absent.some((one) => one.day === day));
    this.#bookmark.absent = [...absent, ...fresh.map((day) => ({ day, since }))];
    for (const day of fresh) note(`the SEC has no index of ${day}: a holiday, unless it comes later`);
    this.#missing = [];
  }

  /** Pulls the filings of the day after the last complete one, or of an earlier day with a late index. */
  async *#day(day: Day, filings: readonly IndexedFiling[]): PullWindows {
    const bookmark = this.#bookmark;
    const before = bookmark.left;
    const known = new Set(before.map((filing) => filing.accessionNumber));
    const fresh = filings.filter((filing) => !known.has(filing.accessionNumber));
    for await (const { files, left, next } of submissionWindows(fresh, this.#task)) {
      bookmark.left = [...before, ...left];
      if (next === undefined) {
        bookmark.absent = bookmark.absent.filter((one) => one.day !== day);
        if (day > bookmark.through) bookmark.through = day;
      }
      yield this.#window(files);
    }
  }

  #window(files: readonly ImportFile[]): PullWindow {
    const { through } = this.#bookmark;
    return { files, bookmark: { ...this.#bookmark }, upTo: through, more: through < this.#lastDay };
  }
}

function quarterEnd(day: Day): Day {
  return monthEnd(addDays(periodStart(day, 'Q'), 75));
}

/** Finds the links to quarterly data sets, by the first day of the quarter; the folders in them change. */
function dataSetsOn(page: string): ReadonlyMap<Day, string> {
  const links = new Map<Day, string>();
  for (const [, href = ''] of page.matchAll(/href\s*=\s*["']([^"'<>\s]+)["']/gi)) {
    const [, path, year, quarter] =
      /^(?:https:\/\/www\.sec\.gov)?(\/[\w./-]*?(\d{4})q([1-4])_form345\.zip)$/i.exec(href) ?? [];
    const from = dayOf(Number(year), (Number(quarter) - 1) * 3 + 1, 1);
    if (path !== undefined && from !== undefined) links.set(from, path);
  }
  if (links.size > 0) return links;
  throw new Problem('bad-input', 'the page of the quarterly data sets links to none of them', {
    hints: ['--since with a day of this quarter begins without them'],
  });
}

/**
 * Reads the ownership filings in the form index of a day, by accession number.
 * A filing has a line for the issuer and one for each owner; the first line counts.
 * Columns are of fixed width, which differs between years, and form types may have blanks.
 * Throws a refusal if all filings are of other days.
 */
async function filingsInIndex(file: SourceFile, day: Day): Promise<readonly IndexedFiling[]> {
  // With Latin-1, a column of the text is a column of the file; names of filers are not read.
  const lines = (await allBytes(file)).toString('latin1').split(/\r?\n/);
  const header = lines.findIndex((line) =>
    /^Form Type +Company Name +CIK +Date Filed +File Name\s*$/.test(line),
  );
  const rule = lines.findIndex((line) => /^-{40,}\s*$/.test(line));
  if (header < 0 || rule < header) throw refusal(file, {}, 'it does not have the columns of a form index');
  const company = (lines[header] ?? '').indexOf('Company Name');
  const filings = new Map<string, IndexedFiling>();
  const dates = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (index <= rule || line.trim() === '') continue;
    const [, date = '', path = ''] =
      /\s\d{1,10} +(\d{4}-?\d{2}-?\d{2}) +(edgar\/data\/\S+\.txt)\s*$/.exec(line) ?? [];
    const accessionNumber = accessionIn(path);
    if (accessionNumber === undefined)
      throw refusal(file, { row: index + 1, value: line.trim() }, 'not a line of a form index');
    const formType = parseForm(line.slice(0, company).trim());
    if (formType !== undefined) dates.add(date.replaceAll('-', ''));
    if (formType !== undefined && !filings.has(accessionNumber))
      filings.set(accessionNumber, { accessionNumber, formType, path: `/Archives/${path}` });
  }
  const [other] = dates;
  if (other !== undefined && !dates.has(day.replaceAll('-', '')))
    throw refusal(file, { column: 'Date Filed', value: other }, `this index is not of ${day}`);
  return [...filings.values()].sort((a, b) => (a.accessionNumber < b.accessionNumber ? -1 : 1));
}
