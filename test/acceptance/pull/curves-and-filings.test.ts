import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addDays, utcDay, weekendDay } from '../../../src/domain/series/date.ts';
import { bondMarketHoliday } from '../../../src/domain/treasury/curve-faults.ts';
import { newFolder } from '../../support/folders.ts';
import { type Home, newHome } from '../../support/pull/homes.ts';
import {
  filingsIn,
  listOf,
  loopbackContact,
  loopbackSec,
  recordedList,
  submissionText,
  throttlePage,
  undeclaredPage,
} from '../../support/pull/loopback-sec.ts';
import { feedOn, loopbackTreasury, recordedFeed } from '../../support/pull/loopback-treasury.ts';
import { importFiles, reading } from '../../support/scratch-store.ts';

// The pace of requests is that of a real pull.
vi.setConfig({ testTimeout: 120_000 });

const folder = newFolder();
let home: Home;

beforeEach(() => {
  home = newHome();
});

const asof: Home['asof'] = (args, env) => home.asof(args, env);
const filingsOf = (store: string) => reading(store, (view) => view.filings.page({ limit: 100_000 }));

describe('asof pull treasury', () => {
  const today = utcDay(new Date());
  const year = Number(today.slice(0, 4));
  /** A trade date of the week that ends today, and so of this or the last year. */
  const newest =
    Array.from({ length: 7 }, (_, i) => addDays(today, -i)).find(
      (day) => weekendDay(day) === undefined && bondMarketHoliday(day) === undefined,
    ) ?? today;
  const none = feedOn(recordedFeed('par 2024'), '1900-01-01');
  /** A feed with the rates of 2024-01-02 on another day. */
  const feedOf = (day: string) =>
    feedOn(recordedFeed('par 2024'), '2024-01-02').replace('2024-01-02T', `${day}T`);

  it('brings the curves, says what is new, and asks for one year the next time', async () => {
    const server = await loopbackTreasury();
    server.feeds = { [`par ${year}`]: none, [`par ${newest.slice(0, 4)}`]: feedOf(newest) };
    const env = { ASOF_TREASURY_URL: server.url };
    const since = `${newest.slice(0, 4)}-01-01`;
    const first = await asof(['pull', 'treasury', 'par', '--since', since, '-v'], env);
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringMatching(/^par {2}1 new day, 13 new rates, [12] requests?$/m),
    ]);
    const { out } = await asof(['curve', '--date', newest, '--no-header', '--columns', 'maturity,rate']);
    expect(out).toContain('10Y,3.95\n');
    const asked = server.asked.length;
    const second = await asof(['pull', '-v'], env);
    expect([second.code, server.asked.length - asked]).toEqual([0, year - Number(newest.slice(0, 4)) + 1]);
    expect(second.err).toMatch(/^par {2}nothing new, /m);
    const list = await asof(['pull', '--list', '--csv'], env);
    expect(list.out).toContain('treasury,par,');
  });

  it('with a page of HTML in the place of the feed exits with 8 and stores nothing', async () => {
    const server = await loopbackTreasury();
    server.trouble = () => ({ status: 200, body: '<!DOCTYPE html><html><body>maintenance</body></html>' });
    const { code, err } = await asof(['pull', 'treasury'], { ASOF_TREASURY_URL: server.url });
    expect([code, err]).toEqual([
      8,
      expect.stringMatching(/^asof: the answer of the U\.S\. Treasury for par cannot be read/m),
    ]);
  });

  it('without a connection exits with 7 and says what is left', async () => {
    const env = { ASOF_TREASURY_URL: 'http://127.0.0.1:9' };
    const { code, err } = await asof(['pull', 'treasury', '--retries', '0'], env);
    expect([code, err]).toEqual([7, expect.stringContaining('127.0.0.1:9')]);
  });
});

describe('asof pull sec', () => {
  const list = recordedList('0000789019-05Mar2026');
  const filings = filingsIn(list, 'UTC').filter(({ filedOn }) => filedOn >= '2025-12-05');
  const company = ['pull', 'sec', '--cik', '789019', '--since', '2025-12-05'];

  async function microsoft() {
    const server = await loopbackSec();
    server.files['/submissions/CIK0000789019.json'] = list;
    server.addFilings('789019', filings);
    return { server, env: { ASOF_SEC_URL: server.url, ASOF_SEC_CONTACT: loopbackContact } };
  }

  it('brings the filings of a company, once, and shows no contact anywhere', async () => {
    const { server, env } = await microsoft();
    const first = await asof([...company, '--debug'], env);
    expect(first.code).toBe(0);
    expect(first.err).toMatch(/cik 789019 {2}\d+ new filings, \d+ new trades, \d+ requests/);
    const store = folder.path('imported.db');
    const texts = filings.map((filing) => [`${filing.accessionNumber}.txt`, submissionText(filing)]);
    await importFiles(store, Object.fromEntries(texts), { latest: '2099-01-01' });
    expect(await filingsOf(home.store)).toEqual(await filingsOf(store));
    const asked = server.asked.length;
    const second = await asof(['pull', '--json'], env);
    expect([second.code, server.asked.length - asked]).toEqual([0, 1]);
    for (const word of [loopbackContact, 'jane.doe@example.org', 'jane.doe'])
      expect([first.out, first.err, second.out, second.err, home.contents()].join('\n')).not.toContain(word);
    expect([...server.agents].every((agent) => agent.includes(loopbackContact))).toBe(true);
  });

  it('takes the contact from the settings', async () => {
    const { env } = await microsoft();
    await asof(['config', 'set', 'sec_contact', loopbackContact]);
    expect((await asof(company, { ASOF_SEC_URL: env.ASOF_SEC_URL })).code).toBe(0);
  });

  it('without a contact exits with 4 and says how to set one', async () => {
    const { server, env } = await microsoft();
    const { code, err } = await asof(company, { ASOF_SEC_URL: env.ASOF_SEC_URL });
    expect(code).toBe(4);
    expect(err).toContain('asof config set sec_contact');
    expect(server.asked).toEqual([]);
  });

  it.each([
    ['a throttle', throttlePage, 6, /try again in 600 s, at \d{4}-/],
    ['a refused contact', undeclaredPage, 4, /the SEC does not accept the contact that asof sends/],
    [
      'a list that is a page of HTML',
      { status: 200, body: '<html>maintenance</html>' },
      8,
      /cannot be read, and nothing of it was stored/,
    ],
  ])('after %s exits with its code, and says why', async (_, trouble, exit, reason) => {
    const { server, env } = await microsoft();
    server.trouble = () => trouble;
    const { code, err } = await asof([...company, '--retries', '0'], env);
    expect([code, err]).toEqual([exit, expect.stringMatching(reason)]);
    expect(server.asked.length).toBe(1);
  });

  it('for a CIK that no filer has exits with 3 and follows nothing', async () => {
    const { env } = await microsoft();
    const { code, err } = await asof(['pull', 'sec', '--cik', '4711'], env);
    expect([code, err]).toEqual([3, expect.stringContaining('the SEC has no filer with the CIK 4711')]);
    expect((await asof(['pull', '--list', '--csv'], env)).out.trim().split('\n')).toHaveLength(1);
  });

  it('no longer follows what unfollow names, and keeps the filings', async () => {
    const server = await loopbackSec();
    server.files['/submissions/CIK0000000007.json'] = listOf('7', [], []);
    const env = { ASOF_SEC_URL: server.url, ASOF_SEC_CONTACT: loopbackContact };
    await asof(['pull', 'sec', '--cik', '7'], env);
    expect((await asof(['unfollow', 'sec', 'cik 7'], env)).code).toBe(0);
    expect((await asof(['pull'], env)).err).toContain('the store follows nothing');
  });

  it('for a dry run says what it would ask, and asks nothing', async () => {
    const { server, env } = await microsoft();
    const { code, err } = await asof([...company, '--dry-run'], env);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/cik 789019 {2}1 request: the list of filings, its older pages/),
    ]);
    expect(server.asked).toEqual([]);
  });
});
