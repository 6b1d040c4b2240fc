import type { HttpReply } from '../../client/remote/transport.ts';
import { localTimeOf, newYork } from '../../domain/calendar/zones.ts';
import { addDays, type Day, later, parseDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { once, refusal, type SourceFile } from '../../import/files/source-file.ts';
import { type ListedFiling, readSubmissions } from '../../import/formats/sec/filing-dates.ts';
import { parseCik } from '../../import/formats/sec/values.ts';
import {
  isJsonObject,
  listField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../import/readers/json.ts';
import {
  bookmarkIn,
  document,
  type Get,
  type PullSource,
  type PullTask,
  type PullWindows,
  type ReplyFailure,
  throttled,
} from '../source.ts';
import { isAbsent, type LeftFiling, submissionWindows } from './answers.ts';
import { DailyFilings } from './daily.ts';

const title = 'the SEC';

/** The pause in seconds after which the SEC takes requests again. */
const pauseSeconds = 600;

const tickers = 'company_tickers.json';

/** By this time in Washington, the indexes of a day are published, usually at 22:15. */
const indexedBy = '22:30';

/**
 * The insider filings of the SEC. Subjects are `daily`, for all filings day by day, and `cik 320193`,
 * for a company or a person. `ticker AAPL` resolves to the company that has the ticker now.
 */
export const sec: PullSource = {
  name: 'sec',
  otherNames: ['edgar'],
  example: '--ticker MAIA',
  title,
  base: 'https://www.sec.gov',
  others: { '/submissions/': 'https://data.sec.gov' },
  headers: { accept: '*/*' },
  pace: [{ requests: 8, milliseconds: 1000 }],
  // The list of a company; that the SEC does not have one is an answer too.
  probe: '/submissions/CIK0000320193.json',
  counted: { new_filings: ['new filing', 'new filings'], new_trades: ['new trade', 'new trades'] },
  since: 'before',
  isAnswer: (reply) => reply.status === 200 || isAbsent(reply),
  // An unknown page with 403 is no throttle.
  throttle: { statuses: [429], seconds: pauseSeconds },
  failureIn,

  credentials({ contact }) {
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
      headers: { 'user-agent': `${contact} asof` },
      secrets: [contact, ...contact.split(/\s+/).filter((word) => word.includes('@'))],
    };
  },

  everything() {
    throw new Problem('bad-input', 'no filer is named: use --ticker T, --cik N, or --daily for all filers');
  },

  parse(text) {
    if (/^ticker ./.test(text)) return text;
    return /^daily$/i.test(text) ? 'daily' : `cik ${Number(cikIn(text))}`;
  },

  async expand(name, get) {
    const ticker = /^ticker (.+)$/.exec(name)?.[1];
    return ticker === undefined ? [name] : [`cik ${Number(await cikOf(await tickersOf(get), ticker))}`];
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
  windows(task) {
    const lastDay = endedDay(task.now);
    const { name } = task.subject;
    return name === 'daily'
      ? new DailyFilings(task, lastDay).windows()
      : companyWindows(cikIn(name), task, lastDay);
  },
  count: async (_, view) => {
    const { filings, trades } = await view.filings.counts();
    return { new_filings: filings, new_trades: trades };
  },
};

function endedDay(now: Date): Day {
  const { day, time } = localTimeOf(now, newYork);
  return time >= indexedBy ? day : addDays(day, -1);
}

/** Requests the table of tickers once in a run. */
const tickersOf = once(async (get: Get) =>
  document(tickers, `table ${tickers}`, (await get(`/files/${tickers}`)).body),
);

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
  const cik = parseCik(/^(?:cik )?(?:CIK)?(\d+)$/i.exec(name)?.[1] ?? '');
  if (cik !== undefined && Number(cik) > 0) return cik;
  throw new Problem(
    'bad-input',
    `${JSON.stringify(name.replace(/^cik /, ''))}: not a CIK, a number of up to ten digits`,
  );
}

/** Returns why a reply is not an answer; only the body tells the meanings of one status apart. */
function failureIn(reply: HttpReply): ReplyFailure | undefined {
  const text = reply.body.subarray(0, 16_384).toString('latin1');
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
    return throttled(title, 'its request rate threshold is exceeded', pauseSeconds);
  return undefined;
}

type CompanyBookmark = {
  /** The first filing date to pull; empty for all. */
  readonly from: Day | '';
  /** Requested filings that leave nothing in the store. */
  readonly done: readonly string[];
  /** The older pages that were read, by name, with what the list stated about each. */
  readonly pages: Readonly<Record<string, string>>;
  readonly left: readonly LeftFiling[];
};

/** In days: the dates of a page follow a clock in another zone than filing dates. */
const pageMargin = 2;

/** Before this day, ownership forms could be plain text, without tables. */
const xmlSince = '2003-06-30';

/** Pulls the filings of a company or a person that are not stored, oldest first, up to the last ended day. */
async function* companyWindows(cik: string, task: PullTask, lastDay: Day): PullWindows {
  const { from, pages, ...bookmark } = bookmarkOf(task);
  let { done } = bookmark;
  const listed = await listedFilings(cik, { from, pages }, task.get);
  const known = new Set([
    ...(task.full ? [] : done),
    ...bookmark.left.map((filing) => filing.accessionNumber),
  ]);
  const fresh = listed.filings.filter(
    (filing) => filing.filedOn >= from && !known.has(filing.accessionNumber),
  );
  const isXml = ({ document }: ListedFiling) => document?.name.toLowerCase().endsWith('.xml') === true;
  const plain = fresh.filter((filing) => filing.filedOn < xmlSince && !isXml(filing));
  if (plain.length > 0)
    task.note(`left out ${counted(plain.length, 'filing')} in plain text, from before ${xmlSince}`);
  const folder = `/Archives/edgar/data/${Number(cik)}`;
  const wanted = fresh
    .filter((filing) => !plain.includes(filing))
    .map(({ accessionNumber: number, formType }) => {
      const path = `${folder}/${number.replaceAll('-', '')}/${number}.txt`;
      return { accessionNumber: number, formType, path };
    });
  const filedOn = new Map(listed.filings.map((filing) => [filing.accessionNumber, filing.filedOn]));
  for await (const window of submissionWindows([...bookmark.left, ...wanted], task)) {
    const { files, left, next } = window;
    const isLast = next === undefined;
    done = [
      ...new Set([...done, ...window.done, ...(isLast ? plain.map((filing) => filing.accessionNumber) : [])]),
    ];
    const before = isLast ? '' : addDays(filedOn.get(next.accessionNumber) ?? xmlSince, -1);
    yield {
      files,
      bookmark: { from, done, pages: isLast ? listed.pages : pages, left },
      // A filing that is listed late moves nothing back.
      upTo: isLast ? lastDay : later(before, task.subject.upTo ?? ''),
      more: !isLast,
    };
  }
}

/** Reads the bookmark; a `since` before the first pull's reads all older pages again. */
function bookmarkOf({ subject, full, since }: PullTask): CompanyBookmark {
  const { from = since ?? '', pages, ...stored } = bookmarkIn<Partial<CompanyBookmark>>(subject);
  // An earlier version, without pages, also recorded requests without an answer.
  const { done = [], left = [] }: Partial<CompanyBookmark> = pages === undefined ? {} : stored;
  const isEarlier = since !== undefined && since < from;
  return { from: isEarlier ? since : from, done, left, pages: isEarlier || full ? {} : (pages ?? {}) };
}

/** Requests a list of filings, oldest first, and its older pages that changed and are not too old. */
async function listedFilings(
  cik: string,
  { from, pages: read }: Pick<CompanyBookmark, 'from' | 'pages'>,
  get: Get,
) {
  const reply = await get(`/submissions/CIK${cik}.json`);
  if (isAbsent(reply))
    throw new Problem('not-found', `the SEC has no filer with the CIK ${Number(cik)}`, {
      hints: ['--ticker finds a company by its ticker'],
    });
  const list = listFile(`CIK${cik}.json`, reply.body);
  const content = await readJsonObject(list);
  if (parseCik(String(content.cik)) !== cik)
    throw refusal(list, { column: 'cik', value: String(content.cik) }, 'this list is of another filer');
  const filings = [...(await readSubmissions(list))];
  const pages: Record<string, string> = {};
  for (const page of olderPages(list, content, cik)) {
    if (addDays(page.to, pageMargin) < from) continue;
    pages[page.name] = page.stated;
    if (read[page.name] !== page.stated) filings.push(...(await filingsOn(page, get)));
  }
  const byNumber = new Map(filings.map((filing) => [filing.accessionNumber, filing]));
  const dated = ({ filedOn, accessionNumber }: ListedFiling) => filedOn + accessionNumber;
  return { filings: [...byNumber.values()].sort((a, b) => (dated(a) < dated(b) ? -1 : 1)), pages };
}

type OlderPage = {
  /** `CIK0000789019-submissions-001.json`. */
  readonly name: string;
  readonly to: Day;
  /** The number of filings on it, if the list says so. */
  readonly count: unknown;
  /** All that the list states about it; another text means that the page has changed. */
  readonly stated: string;
};

/** Reads the names of older pages in a filer's list; throws a refusal if one is not this filer's. */
function olderPages(file: SourceFile, { filings }: UncheckedObject, cik: string): readonly OlderPage[] {
  if (!isJsonObject(filings)) throw refusal(file, { column: 'filings' }, 'this field is missing');
  return listField(file, filings, 'files').map((page, index) => {
    const row = index + 1;
    const name = textField(file, page, 'name', row);
    if (!/^CIK\d{10}-submissions-\d+\.json$/.test(name) || !name.startsWith(`CIK${cik}-`))
      throw refusal(file, { row, column: 'name', value: name }, 'not the name of a page of its filings');
    const [from, to] = [textField(file, page, 'filingFrom', row), textField(file, page, 'filingTo', row)];
    if (parseDay(to) === undefined)
      throw refusal(file, { row, column: 'filingTo', value: to }, 'not a date of the form YYYY-MM-DD');
    const { filingCount: count } = page;
    return { name, to, count, stated: [from, to, count ?? ''].join(' ') };
  });
}

/** Requests an older page; throws a refusal if the number of its filings is not the listed one. */
async function filingsOn({ name, count }: OlderPage, get: Get): Promise<readonly ListedFiling[]> {
  const file = listFile(name, (await get(`/submissions/${name}`)).body);
  const { accessionNumber } = await readJsonObject(file);
  const found = Array.isArray(accessionNumber) ? accessionNumber.length : 0;
  if (typeof count === 'number' && found !== count)
    throw refusal(file, {}, `the list says ${counted(count, 'filing')}, and the page has ${found}`);
  return readSubmissions(file);
}

function listFile(name: string, body: Buffer): SourceFile {
  return document(name, `list of filings ${name}`, body);
}
