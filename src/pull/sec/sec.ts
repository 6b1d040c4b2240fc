import type { HttpReply } from '../../client/remote/exchange.ts';
import { addDays, type Day } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../../import/files/source-file.ts';
import { parseCik, utcAsEastern } from '../../import/formats/sec/values.ts';
import { isJsonObject, readJsonObject, type UncheckedObject } from '../../import/readers/json.ts';
import type { Getter, ReplyMeaning, SourceAccess } from '../getter.ts';
import { checkClock, document, type PullSource, type SourceSettings } from '../source.ts';
import { isAbsent } from './answers.ts';
import { companyWindows } from './company.ts';
import { DailyFilings, estimateDaily } from './daily.ts';

/** The indexes of a day appear about 22:15 in Washington. */
const indexedBy = '22:30';

const estimate: PullSource['estimate'] = ({ name, bookmark }, { since, now }) => {
  if (name === 'daily') return estimateDaily(bookmark, since, endedDay(now));
  const isTicker = name.startsWith('ticker ');
  const list = isTicker ? 'the table of tickers, the list of filings' : 'the list of filings';
  const what =
    bookmark === ''
      ? `${list}, its older pages, then one for each filing`
      : `${list}, then one for each new filing`;
  return { requests: isTicker ? 2 : 1, what };
};

/**
 * The insider filings of the SEC. A subject is `daily`, everyone's filings day by day, or `cik 320193`, those of a
 * company or of a person. `ticker AAPL` stands for the company that has the ticker now.
 */
export const sec: PullSource = {
  name: 'sec',
  title: 'the SEC',
  pace: [{ requests: 8, milliseconds: 1000 }],
  // The list of a company; one that the SEC says it does not have is an answer too.
  probe: '/submissions/CIK0000320193.json',
  wants: 'contact',
  counted: { new_filings: ['new filing', 'new filings'], new_trades: ['new trade', 'new trades'] },
  access,
  resolve,
  estimate,
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

function access({ url, contact }: SourceSettings): SourceAccess {
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
      {
        hints: ['use a name and a mail address in plain letters: "Jane Doe jane@example.org"'],
      },
    );
  return {
    title: 'the SEC',
    base: url ?? 'https://www.sec.gov',
    ...(url === undefined && { others: { '/submissions/': 'https://data.sec.gov' } }),
    headers: { 'user-agent': `${contact} asof`, accept: '*/*' },
    secrets: [contact, ...contact.split(/\s+/).filter((word) => word.includes('@'))],
    classify,
  };
}

async function resolve(typed: readonly string[], get: Getter['get'] | undefined): Promise<readonly string[]> {
  if (typed.length === 0)
    throw new Problem('bad-input', 'whose filings? --ticker T, --cik N, or --daily for those of everyone');
  const tickers = typed.flatMap((text) => /^ticker (.+)$/.exec(text)?.[1] ?? []);
  const table = tickers.length > 0 && get !== undefined ? await tickerTable(get) : undefined;
  const names: string[] = [];
  for (const text of typed) {
    const ticker = /^ticker (.+)$/.exec(text)?.[1];
    if (ticker === undefined) names.push(text === 'daily' ? text : `cik ${Number(cikIn(text))}`);
    else if (table === undefined) names.push(text);
    else names.push(`cik ${Number(await cikOf(table, ticker))}`);
  }
  return names;
}

async function tickerTable(get: Getter['get']): Promise<SourceFile> {
  const name = 'company_tickers.json';
  return document({ name, path: `table ${name}` }, (await get(`/files/${name}`)).body);
}

/** The CIK of the filer that has a ticker now, in the SEC's table of tickers. */
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

/** `cik 320193` as ten digits. */
function cikIn(name: string): string {
  const cik = parseCik(/^cik (?:CIK)?(\d+)$/i.exec(name)?.[1] ?? '');
  if (cik !== undefined && Number(cik) > 0) return cik;
  throw new Problem(
    'bad-input',
    `${JSON.stringify(name.replace(/^cik /, ''))}: not a CIK, a number of up to ten digits`,
  );
}

/** The number of seconds in which the SEC wants no request after one that it throttled. */
const pause = 600;

/** What a reply of the SEC means. One status has several meanings, which only the body tells. */
function classify({ status, body }: HttpReply): ReplyMeaning {
  const text = body.subarray(0, 16_384).toString('latin1');
  const isPage = /^\s*<(?:!doctype\s+html|html)\b/i.test(text);
  // The page that refuses an agent has also come with the status 200.
  if (isPage && /Undeclared Automated Tool/i.test(text)) return { failed: undeclared() };
  if (isPage && /Request Rate Threshold Exceeded/i.test(text))
    return { throttledFor: pause, problem: throttled('its request rate threshold is exceeded') };
  if (status === 429) return { throttledFor: pause, problem: throttled('HTTP 429') };
  if (status === 200 || isAbsent({ status, body })) return 'answer';
  if (status >= 500 || status === 408)
    return { transient: new Problem('service-unavailable', `the SEC answered with HTTP ${status}`) };
  return {
    failed: new Problem('bad-answer', `the SEC answered with HTTP ${status} and none of its known texts`),
  };
}

function throttled(reason: string): Problem {
  return new Problem('rate-limit-exceeded', `the SEC asks for a pause of ten minutes: ${reason}`);
}

function undeclared(): Problem {
  return new Problem('unauthorized', 'the SEC does not accept the contact that asof sends', {
    hints: [
      'the contact must be a name and a mail address, such as "Jane Doe jane@example.org"',
      'set it with ASOF_SEC_CONTACT or `asof config set sec_contact …`',
    ],
  });
}
