import { addDays, type Day } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { parseCik, utcAsEastern } from '../../import/formats/sec/values.ts';
import type { Getter, SourceAccess } from '../getter.ts';
import { checkClock, document, type PullSource, type SourceSettings } from '../source.ts';
import { classify } from './answers.ts';
import { companyWindows } from './company.ts';
import { DailyFilings, estimateDaily } from './daily.ts';
import { cikOfTicker } from './listings.ts';

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

/** The last day whose filings are all published. */
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

function tickerTable(get: Getter['get']) {
  const name = 'company_tickers.json';
  return get(`/files/${name}`).then(({ body }) => document({ name, path: `table ${name}` }, body));
}

async function cikOf(table: ReturnType<typeof document>, ticker: string): Promise<string> {
  const cik = await cikOfTicker(table, ticker);
  if (cik !== undefined) return cik;
  throw new Problem('not-found', `no company has the ticker ${JSON.stringify(ticker)} now`, {
    hints: ['companies that are no longer listed have no ticker; --cik N finds every filer'],
  });
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
