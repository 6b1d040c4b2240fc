import type { HttpReply } from '../../client/remote/exchange.ts';
import { addDays, type Day, later, parseDay, utcDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { refusal, type SourceFile } from '../../import/files/source-file.ts';
import { type ListedFiling, readSubmissions } from '../../import/formats/sec/submissions-json.ts';
import { parseCik, utcAsEastern } from '../../import/formats/sec/values.ts';
import {
  isJsonObject,
  listField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../import/readers/json.ts';
import {
  checkClock,
  divide,
  document,
  type Get,
  type Outstanding,
  type PullSource,
  type PullTask,
  type PullWindow,
  type ReplyFailure,
  reasonIn,
} from '../source.ts';
import {
  accessionOf,
  isAbsent,
  type LeftFiling,
  notStored,
  submissionWindows,
  type WantedFiling,
} from './answers.ts';
import { DailyFilings } from './daily.ts';

/** By this time in Washington, the indexes of a day are published, usually at 22:15. */
const indexedBy = '22:30';

/**
 * The insider filings of the SEC. Subjects are `daily`, for all filings day by day, and `cik 320193`,
 * for a company or a person. `ticker AAPL` resolves to the company that has the ticker now.
 */
export const sec: PullSource = {
  name: 'sec',
  title: 'the SEC',
  pace: [{ requests: 8, milliseconds: 1000 }],
  // The list of a company; that the SEC does not have one is an answer too.
  probe: '/submissions/CIK0000320193.json',
  wants: 'contact',
  counted: { new_filings: ['new filing', 'new filings'], new_trades: ['new trade', 'new trades'] },
  keepsStored: true,

  access({ url, contact }) {
    if (contact === undefined)
      throw new Problem('unauthorized', 'the SEC wants to know who asks, and no contact is set', {
        hints: [
          'asof config set sec_contact "Jane Doe jane@example.org", with your name and mail address',
          'ASOF_SEC_CONTACT sets it for one command; asof sends it to the SEC alone',
        ],
      });
    if (!/^[\x20-\x7e]*[\x21-\x7e]@[\w-]+(?:\.[\w-]+)+[\x20-\x7e]*$/.test(contact))
      throw new Problem(
        'bad-input',
        'the contact for the SEC has no mail address, or characters that no header may have',
        { hints: ['use a name and a mail address in plain letters: "Jane Doe jane@example.org"'] },
      );
    return {
      base: url ?? 'https://www.sec.gov',
      ...(url === undefined && { others: { '/submissions/': 'https://data.sec.gov' } }),
      headers: { 'user-agent': `${contact} asof`, accept: '*/*' },
      secrets: [contact, ...contact.split(/\s+/).filter((word) => word.includes('@'))],
      failureIn,
    };
  },

  async resolve(typed, get) {
    if (typed.length === 0)
      throw new Problem('bad-input', 'no filer is named: use --ticker T, --cik N, or --daily for all filers');
    let table: SourceFile | undefined;
    const names: string[] = [];
    for (const text of typed) {
      const ticker = /^ticker (.+)$/.exec(text)?.[1];
      if (ticker === undefined) names.push(text === 'daily' ? text : `cik ${Number(cikIn(text))}`);
      else if (get === undefined) names.push(text);
      else {
        table ??= await tickerTable(get);
        names.push(`cik ${Number(await cikOf(table, ticker))}`);
      }
    }
    return names;
  },

  estimate(subject, { since, now }) {
    const { name, bookmark } = subject;
    if (name === 'daily') return DailyFilings.estimate(subject, since, endedDay(now));
    const isTicker = name.startsWith('ticker ');
    const list = isTicker ? 'the table of tickers, the list of filings' : 'the list of filings';
    const rest =
      bookmark === '' ? ', its older pages, then one for each filing' : ', then one for each new filing';
    return { requests: isTicker ? 2 : 1, what: list + rest };
  },
  windows: (task) => {
    checkClock(task);
    const lastDay = endedDay(task.now);
    const { name } = task.subject;
    return name === 'daily'
      ? new DailyFilings(task, lastDay).windows()
      : companyWindows(cikIn(name), task, lastDay);
  },
  outstanding(bookmark) {
    const { left = [], unread = [] } = bookmark === '' ? {} : JSON.parse(bookmark);
    return [...unread, ...left];
  },
  count: async (_, view) => {
    const { filings, trades } = await view.filings.counts();
    return { new_filings: filings, new_trades: trades };
  },
};

function endedDay(now: Date): Day {
  const clock = utcAsEastern(`${now.toISOString().slice(0, 19)}Z`);
  const day = clock.slice(0, 10);
  return clock.slice(11, 16) >= indexedBy ? day : addDays(day, -1);
}

async function tickerTable(get: Get): Promise<SourceFile> {
  const name = 'company_tickers.json';
  return document({ name, path: `table ${name}` }, (await get(`/files/${name}`)).body);
}

async function cikOf(table: SourceFile, ticker: string): Promise<string> {
  const rows = Object.values(await readJsonObject(table));
  if (rows.length === 0) throw refusal(table, {}, 'the table of tickers is empty');
  // The SEC writes classes of shares with a hyphen: BRK-B.
  const wanted = ticker.toUpperCase().replace(/[./]/g, '-');
  const found = rows.find((row): row is UncheckedObject => {
    if (isJsonObject(row) && typeof row.ticker === 'string') return row.ticker.toUpperCase() === wanted;
    throw refusal(table, {}, 'an entry of the table of tickers has no ticker');
  });
  if (found === undefined)
    throw new Problem('not-found', `no company has the ticker ${JSON.stringify(ticker)} now`, {
      hints: ['companies that are no longer listed have no ticker; --cik N finds every filer'],
    });
  const cik = parseCik(String(found.cik_str));
  if (cik !== undefined) return cik;
  throw refusal(table, { column: 'cik_str', value: String(found.cik_str) }, 'not a CIK');
}

function cikIn(name: string): string {
  const cik = parseCik(/^cik (?:CIK)?(\d+)$/i.exec(name)?.[1] ?? '');
  if (cik !== undefined && Number(cik) > 0) return cik;
  throw new Problem(
    'bad-input',
    `${JSON.stringify(name.replace(/^cik /, ''))}: not a CIK, a number of up to ten digits`,
  );
}

/** Returns why a reply is not an answer; only the body tells the meanings of one status apart. */
function failureIn({ status, body }: HttpReply): ReplyFailure | undefined {
  const text = body.subarray(0, 16_384).toString('latin1');
  const isPage = /^\s*<(?:!doctype\s+html|html)\b/i.test(text);
  // The page that refuses a user agent has also come with status 200.
  if (isPage && /Undeclared Automated Tool/i.test(text)) {
    const problem = new Problem('unauthorized', 'the SEC does not accept the contact that asof sends', {
      hints: [
        'the contact must be a name and a mail address, such as "Jane Doe jane@example.org"',
        'set it with ASOF_SEC_CONTACT or `asof config set sec_contact …`',
      ],
    });
    return { problem, transient: false };
  }
  if (isPage && /Request Rate Threshold Exceeded/i.test(text))
    return throttled('its request rate threshold is exceeded');
  if (status === 429) return throttled('HTTP 429');
  if (status === 200 || isAbsent({ status, body })) return undefined;
  const answered = `the SEC answered with HTTP ${status}`;
  if (status >= 500 || status === 408)
    return { problem: new Problem('service-unavailable', answered), transient: true };
  return { problem: new Problem('bad-answer', `${answered} and none of its known texts`), transient: false };
}

function throttled(reason: string): ReplyFailure {
  const detail = `the SEC asks for a pause of ten minutes: ${reason}`;
  return { problem: new Problem('rate-limit-exceeded', detail), transient: true, pause: 600 };
}

type CompanyBookmark = {
  /** The first filing date to pull; empty for all. */
  readonly from: Day | '';
  /** Requested filings that left nothing in the store, and all of the last window. */
  readonly done: readonly string[];
  /** The older pages that were read, by name, with what the list stated about each. */
  readonly pages: Readonly<Record<string, string>>;
  readonly left: readonly LeftFiling[];
  readonly unread: readonly Outstanding[];
};

const beginning: CompanyBookmark = { from: '', done: [], pages: {}, left: [], unread: [] };

/** In days: the dates of a page follow a clock in another zone than filing dates. */
const pageMargin = 2;

/** Before this day, ownership forms could be plain text, without tables. */
const xmlSince = '2003-06-30';

/** Pulls the filings of a company or a person that are not stored, oldest first, up to the last ended day. */
async function* companyWindows(cik: string, task: PullTask, lastDay: Day): AsyncGenerator<PullWindow> {
  const bookmark = bookmarkOf(task);
  const listed = await listedFilings(cik, bookmark, task);
  const known = new Set([...(task.full ? [] : bookmark.done), ...bookmark.left.map(accessionOf)]);
  const fresh = listed.filings.filter(
    (filing) => filing.filedOn >= bookmark.from && !known.has(accessionOf(filing)),
  );
  const plain = fresh.filter(isPlainText);
  if (plain.length > 0) task.note(plainTextNote(plain.length));
  const readable = fresh.filter((filing) => !isPlainText(filing)).map((filing) => wantedOf(cik, filing));
  const wanted = await notStored([...bookmark.left, ...readable], task);
  const filedOn = new Map(listed.filings.map((filing) => [accessionOf(filing), filing.filedOn]));
  let { done } = bookmark;
  let left = wanted.filter((filing) => 'since' in filing);
  for await (const window of submissionWindows(wanted, task)) {
    const { files, asked, rest, remaining } = window;
    const [next] = rest;
    left = [...left.filter((filing) => !asked.includes(filing)), ...window.left];
    const open = new Set(window.left.map(accessionOf));
    const settled = asked.map(accessionOf).filter((number) => !open.has(number));
    const isLast = next === undefined;
    const unasked = isLast ? plain.map(accessionOf) : [];
    const absent = await notStored(
      done.map((accessionNumber) => ({ accessionNumber })),
      { ...task, full: false },
    );
    done = [...new Set([...absent.map(accessionOf), ...settled, ...unasked])];
    const { pages, unread } = isLast ? listed : bookmark;
    yield {
      files,
      bookmark: JSON.stringify({ from: bookmark.from, done, pages, left, unread }),
      upTo: isLast ? lastDay : upToBefore(filedOn.get(accessionOf(next)), task.subject.upTo),
      remaining,
      givenUp: [...window.givenUp, ...(isLast ? listed.givenUp : [])],
    };
  }
}

/** Returns the day before the next filing; a filing that is listed late moves nothing back. */
function upToBefore(next: Day | undefined, upTo = ''): Day {
  return later(addDays(next ?? xmlSince, -1), upTo);
}

function wantedOf(cik: string, { accessionNumber, formType }: ListedFiling): WantedFiling {
  const folder = `/Archives/edgar/data/${Number(cik)}/${accessionNumber.replaceAll('-', '')}`;
  return { accessionNumber, formType, path: `${folder}/${accessionNumber}.txt` };
}

/** Reads the bookmark; a `since` before the first pull's reads all older pages again. */
function bookmarkOf({ subject: { bookmark }, full, since }: PullTask): CompanyBookmark {
  if (bookmark === '') return { ...beginning, from: since ?? '' };
  const stored: Partial<CompanyBookmark> = JSON.parse(bookmark);
  // An earlier version also recorded requests without an answer.
  const held = stored.pages === undefined ? { from: stored.from ?? '' } : stored;
  const whole = { ...beginning, ...held };
  const isEarlier = since !== undefined && since < whole.from;
  if (!isEarlier && !full) return whole;
  return { ...whole, from: isEarlier ? since : whole.from, pages: {} };
}

function plainTextNote(count: number): string {
  return `${counted(count, 'filing')} from before ${xmlSince} ${count === 1 ? 'is plain text, and is' : 'are plain text, and are'} left out`;
}

function isPlainText({ filedOn, document }: ListedFiling): boolean {
  return filedOn < xmlSince && document?.name.toLowerCase().endsWith('.xml') !== true;
}

type WholeList = Pick<CompanyBookmark, 'pages' | 'unread'> & {
  readonly filings: readonly ListedFiling[];
  readonly givenUp: readonly Outstanding[];
};

/** Requests a list of filings, and its older pages that changed and are not too old. */
async function listedFilings(
  cik: string,
  bookmark: CompanyBookmark,
  { get, now }: PullTask,
): Promise<WholeList> {
  const reply = await get(`/submissions/CIK${cik}.json`);
  if (isAbsent(reply))
    throw new Problem('not-found', `the SEC has no filer with the CIK ${Number(cik)}`, {
      hints: ['--ticker finds a company by its ticker'],
    });
  const list = listFile(`CIK${cik}.json`, reply.body);
  const named = (await readJsonObject(list)).cik;
  if (parseCik(String(named)) !== cik)
    throw refusal(list, { column: 'cik', value: String(named) }, 'this list is of another filer');
  const filings = [...(await readSubmissions(list))];
  const today = utcDay(now);
  const pages: Record<string, string> = {};
  const failed: Outstanding[] = [];
  for (const page of await olderPages(list, cik)) {
    const { name, to, stated } = page;
    if (addDays(to, pageMargin) < bookmark.from) continue;
    pages[name] = stated;
    if (bookmark.pages[name] === stated) continue;
    const file = listFile(name, (await get(`/submissions/${name}`)).body);
    try {
      filings.push(...(await filingsOnPage(page, file)));
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'bad-input') throw error;
      const before = bookmark.unread.find((item) => item.name === name);
      failed.push({ name, since: before?.since ?? today, why: reasonIn(error) });
    }
  }
  const { left: unread, givenUp } = divide(failed, today);
  for (const { name } of unread) delete pages[name];
  const byNumber = new Map(filings.map((filing) => [accessionOf(filing), filing]));
  return { filings: [...byNumber.values()].sort(byDate), pages, unread, givenUp };
}

type OlderPage = {
  /** `CIK0000789019-submissions-001.json`. */
  readonly name: string;
  readonly to: Day;
  /** The number of filings on it, if the list says so. */
  readonly count: number | undefined;
  /** All that the list states about it; another text means that the page has changed. */
  readonly stated: string;
};

/** Reads the names of older pages in a filer's list; throws a refusal if one is not this filer's. */
async function olderPages(file: SourceFile, cik: string): Promise<readonly OlderPage[]> {
  const { filings } = await readJsonObject(file);
  if (!isJsonObject(filings)) throw refusal(file, { column: 'filings' }, 'this field is missing');
  return listField(file, filings, 'files').map((page, index) => {
    const row = index + 1;
    const name = textField(file, page, 'name', row);
    if (!/^CIK\d{10}-submissions-\d+\.json$/.test(name) || !name.startsWith(`CIK${cik}-`))
      throw refusal(file, { row, column: 'name', value: name }, 'not the name of a page of its filings');
    const day = (column: string): Day => {
      const value = textField(file, page, column, row);
      const found = parseDay(value);
      if (found === undefined)
        throw refusal(file, { row, column, value }, 'not a date of the form YYYY-MM-DD');
      return found;
    };
    const [from, to] = [day('filingFrom'), day('filingTo')];
    const count = typeof page.filingCount === 'number' ? page.filingCount : undefined;
    return { name, to, count, stated: [from, to, count ?? ''].join(' ') };
  });
}

/** Reads the ownership filings on an older page; throws a refusal if their number is not the listed one. */
async function filingsOnPage({ count }: OlderPage, file: SourceFile): Promise<readonly ListedFiling[]> {
  const { accessionNumber } = await readJsonObject(file);
  const found = await readSubmissions(file);
  if (count === undefined || !Array.isArray(accessionNumber) || accessionNumber.length === count)
    return found;
  throw refusal(
    file,
    {},
    `the list says ${counted(count, 'filing')}, and the page has ${accessionNumber.length}`,
  );
}

function byDate(a: ListedFiling, b: ListedFiling): number {
  return a.filedOn + accessionOf(a) < b.filedOn + accessionOf(b) ? -1 : 1;
}

function listFile(name: string, body: Buffer): SourceFile {
  return document({ name, path: `list of filings ${name}` }, body);
}
