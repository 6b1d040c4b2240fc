import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/values/date.ts';
import type { PullOptions } from '../../../src/pull/options.ts';
import { writing } from '../../../src/store/open.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  filing,
  filingsIn,
  type LoopbackFiling,
  listOf,
  loopbackSec,
  noSuchKey,
  recordedList,
  submissionText,
  type Trouble,
  throttlePage,
} from '../../support/pull/loopbacks.ts';
import { checkBreaks, filingsOf, importedFilings, numbersIn, puller } from '../../support/pull/pulling.ts';
import { recording } from '../../support/repository.ts';
import { importFiles, newStorePath, reading } from '../../support/scratch-store.ts';

const list = '/submissions/CIK0000000001.json';

/** Thirteen filings, among them three without trades. */
const filings = Array.from({ length: 13 }, (_, i) => ({
  ...filing(i + 1, addDays('2025-10-01', 7 * i), i % 5 === 1 ? '3' : '4'),
  cik: '1',
}));
const bad = filings[4] ?? filing(0, '2025-10-29');

const withTrades = (some: readonly LoopbackFiling[]) =>
  some
    .filter(({ form }) => form !== '3')
    .map(({ accessionNumber }) => accessionNumber)
    .sort();

/** A store that follows the company with the CIK 1, which has these filings, and the SEC. */
async function company(listed: readonly LoopbackFiling[] = filings, options: Partial<PullOptions> = {}) {
  const server = await loopbackSec();
  server.files[list] = listOf('1', listed, []);
  server.addFilings('1', listed);
  /** What goes wrong with the requests for the bad filing. */
  const spoil = (trouble: Trouble) => {
    server.trouble = (_, path) => (path.endsWith(`/${bad.accessionNumber}.txt`) ? trouble : undefined);
  };
  const own = puller(server, { request: { sec: ['cik 1'] }, ...options });
  return { ...own, server, spoil, numbers: () => numbersIn(own.store) };
}

describe('a filing that the SEC lists and does not give', () => {
  const first = '2026-02-03T17:00:00Z';
  const later = (days: number) => `${addDays('2026-02-03', days)}T17:00:00Z`;

  const other = (change: Partial<LoopbackFiling>) => ({
    status: 200,
    body: submissionText({ ...bad, ...change }),
  });

  const faults: readonly (readonly [string, Trouble, RegExp])[] = [
    ['404 and NoSuchKey', noSuchKey, /the SEC lists it and does not have it/],
    ['403 and AccessDenied', recording('sec/full-index-403.json').response, /lists it and does not have it/],
    ['404 and a page', { status: 404, body: '<html>Page not found</html>' }, /HTTP 404/],
    ['503', { status: 503, body: '' }, /HTTP 503/],
    ['a connection that breaks off', 'cut', /cannot reach/],
    ['no content', { status: 200, body: '' }, /the answer is empty/],
    ['a page of HTML and 200', { status: 200, body: '<!DOCTYPE html><html></html>' }, /is not a submission/],
    ['half the filing', { status: 200, body: submissionText(bad).slice(0, 700) }, /cut short/],
    [
      'another filing',
      other({ accessionNumber: '0000000001-25-000006' }),
      /with filing 0000000001-25-000006/,
    ],
    ['another form', other({ form: '4/A' }), /the SEC lists form 4 and answers with form 4\/A/],
    ['a filing of a day to come', other({ filedOn: '2027-01-04' }), /date, 2027-01-04, is in the future/],
    ['a filing of another filer', other({ cik: '2' }), /the SEC answers with a filing of CIK 2, not 1/],
  ];

  it.each(faults)(
    'with %s is named, is asked for again, and arrives when it is there',
    async (_, trouble, why) => {
      const { pull, spoil, numbers } = await company();
      spoil(trouble);
      const once = await pull(first);
      expect(once).toMatchObject({
        ends: ['cik 1 left: bad-answer'],
        said: expect.stringMatching(why),
        followed: [{ left: expect.stringContaining(`filing ${bad.accessionNumber} (`) }],
      });
      expect(once.said).toContain(`filing ${bad.accessionNumber}`);
      expect(await numbers()).toEqual(withTrades(filings.filter((one) => one !== bad)));
      const again = { asked: [list, expect.stringContaining(bad.accessionNumber)] };
      expect(await pull(later(7))).toMatchObject({ ends: ['cik 1 left: bad-answer'], ...again });
      spoil(undefined);
      expect(await pull(later(8))).toMatchObject({
        ends: ['cik 1 pulled'],
        followed: [{ left: '' }],
        ...again,
      });
      expect(await numbers()).toEqual(withTrades(filings));
      expect(await pull(later(9))).toMatchObject({ ends: ['cik 1 nothing-new'], asked: [list] });
    },
  );

  it('is asked for again in the same run, and is whole at the second try', async () => {
    const { server, pull, numbers } = await company();
    let failed = false;
    server.trouble = (_, path) => {
      if (!path.endsWith(`/${bad.accessionNumber}.txt`) || failed) return undefined;
      failed = true;
      return noSuchKey;
    };
    expect((await pull(first, { retries: 3 })).ends).toEqual(['cik 1 pulled']);
    expect(await numbers()).toEqual(withTrades(filings));
  });

  it('is given up after 30 days, which is said once, and --full asks for it once more', async () => {
    const { pull, spoil, numbers } = await company();
    spoil(noSuchKey);
    await pull(first);
    expect((await pull(later(30))).ends).toEqual(['cik 1 left: bad-answer']);
    expect(await pull(later(31))).toMatchObject({
      ends: ['cik 1 nothing-new'],
      notes: [expect.stringMatching(/000005: .*; given up after 30 days, --full asks again/)],
      followed: [{ left: '' }],
    });
    expect(await pull(later(32))).toMatchObject({ notes: [], asked: [list], followed: [{ left: '' }] });
    spoil(undefined);
    expect((await pull(later(33), { full: true })).ends).toEqual(['cik 1 pulled']);
    expect(await numbers()).toEqual(withTrades(filings));
  });

  it('is no longer asked for when an import or another subject brought it', async () => {
    const { server, pull } = await company();
    server.files['/submissions/CIK0000000002.json'] = listOf('2', [bad], []);
    server.addFilings('2', [{ ...bad, cik: '2' }]);
    server.trouble = (_, path) =>
      path.includes('/data/1/') && path.includes(bad.accessionNumber) ? noSuchKey : undefined;
    await pull(first);
    await pull(first, { request: { sec: ['cik 2'] } });
    expect(await pull(later(1))).toMatchObject({
      ends: ['cik 1 nothing-new'],
      followed: [{ left: '' }, { name: 'cik 2' }],
    });
  });

  it('does not hide that the SEC answers nothing any more, and three in a row stop the pull', async () => {
    const { server, pull, numbers } = await company();
    server.trouble = (_, path) => (path.startsWith('/Archives') ? { status: 503, body: '' } : undefined);
    const { ends, asked } = await pull(first);
    expect([ends, asked.length]).toEqual([['cik 1 failed: service-unavailable'], 4]);
    server.trouble = () => undefined;
    await pull(first);
    expect(await numbers()).toEqual(withTrades(filings));
  });
});

describe('the list of a company', () => {
  const since = '2026-02-03T17:00:00Z';
  const later = '2026-02-04T17:00:00Z';
  const page = 'CIK0000000001-submissions-001.json';
  const old = filing(50, '2019-01-02');

  it('that has a filing months late brings it', async () => {
    const { server, pull, numbers } = await company();
    await pull(since);
    const late = filing(90, '2025-10-02');
    server.files[list] = listOf('1', [...filings, late], []);
    server.addFilings('1', [late]);
    expect(await pull(later)).toMatchObject({ ends: ['cik 1 pulled'], asked: [list, expect.any(String)] });
    expect(await numbers()).toEqual(withTrades([...filings, late]));
  });

  it('is read again in the older pages that changed, and in no other', async () => {
    const { server, pull, numbers } = await company();
    const oldest = filing(52, '2005-05-05');
    const still = 'CIK0000000001-submissions-002.json';
    const serve = (older: readonly LoopbackFiling[]) => {
      const pages = [
        { name: page, filingFrom: '2018-01-01', filingTo: '2019-12-31', filingCount: older.length },
        { name: still, filingFrom: '2005-01-01', filingTo: '2005-12-31', filingCount: 1 },
      ];
      server.files[list] = listOf('1', filings, pages);
      server.files[`/submissions/${page}`] = listOf('1', older);
      server.files[`/submissions/${still}`] = listOf('1', [oldest]);
      server.addFilings('1', [...older, oldest]);
    };
    serve([old]);
    await pull(since);
    const late = filing(51, '2018-05-05');
    serve([old, late]);
    expect((await pull(later)).asked).toEqual([list, `/submissions/${page}`, expect.any(String)]);
    expect(await numbers()).toEqual(withTrades([...filings, old, late, oldest]));
  });

  it.each([
    ['absent', undefined],
    ['cut', listOf('1', [old]).slice(0, 40)],
    ['another one', listOf('1', [old, filing(9, '2019-03-03')])],
  ])('of whose pages one is %s is refused by its name, and comes when the page is there', async (_, body) => {
    const { server, pull, numbers } = await company();
    const pages = [{ name: page, filingFrom: '2019-01-01', filingTo: '2019-12-31', filingCount: 1 }];
    server.files[list] = listOf('1', filings, pages);
    if (body !== undefined) server.files[`/submissions/${page}`] = body;
    server.addFilings('1', [old]);
    expect(await pull(since)).toMatchObject({
      ends: ['cik 1 failed: bad-answer'],
      said: expect.stringContaining(page),
    });
    server.files[`/submissions/${page}`] = listOf('1', [old]);
    expect((await pull(later)).ends).toEqual(['cik 1 pulled']);
    expect(await numbers()).toEqual(withTrades([...filings, old]));
  });

  it('is read in the pages that reach into the wanted time, without filings in plain text', async () => {
    const recent = [filing(1, '2024-05-01'), filing(2, '2024-05-02', '10-K')];
    const older = [filing(3, '2010-01-04'), filing(4, '2003-07-01')];
    const oldest = [filing(5, '2001-02-02')];
    const { server, store, pull } = await company(recent);
    const [newer, last] = [page, 'CIK0000000001-submissions-002.json'];
    server.files[list] = listOf('1', recent, [
      { name: newer, filingFrom: '2003-07-01', filingTo: '2010-01-04' },
      { name: last, filingFrom: '1994-01-01', filingTo: '2003-06-30' },
    ]);
    server.files[`/submissions/${newer}`] = listOf('1', older);
    server.files[`/submissions/${last}`] = listOf('1', oldest);
    server.addFilings('1', [...older, ...oldest]);
    expect((await pull('2024-06-01T12:00:00Z')).notes).toEqual([
      'left out 1 filing in plain text, from before 2003-06-30',
    ]);
    const everything = await importedFilings([filing(1, '2024-05-01'), ...older]);
    expect(await filingsOf(store)).toEqual(everything);
    expect((await pull('2024-06-02T12:00:00Z')).asked).toEqual([list]);
    const late = puller(server, { request: { sec: ['cik 1'] } });
    const { asked } = await late.pull('2024-06-02T12:00:00Z', { since: '2009-01-01' });
    expect(asked).not.toContain(`/submissions/${last}`);
    expect((await filingsOf(late.store)).map(({ filedOn }) => filedOn)).toEqual(['2024-05-01', '2010-01-04']);
    // An earlier day than that of the first pull brings what was left out, and nothing twice.
    const earlier = await late.pull('2024-06-03T12:00:00Z', { since: '2003-01-01' });
    expect(earlier.asked.some((path) => path.includes('000000000124000001'))).toBe(false);
    expect(await filingsOf(late.store)).toEqual(everything);
  });

  it('that an earlier version has read is read again, and what that version lost arrives', async () => {
    const { server, store, pull, numbers } = await company();
    const { followed } = await pull(since, { since: '2025-11-01' });
    const lost = filing(70, '2026-01-20');
    server.files[list] = listOf('1', [...filings, lost], []);
    server.addFilings('1', [lost]);
    // As it was before: the filings that were asked for in the last thirty days, also where nothing came.
    const done = [lost, ...filings].map(({ accessionNumber }) => accessionNumber);
    const bookmark = JSON.stringify({ from: '2025-11-01', through: '2026-01-20', done });
    await writing(store, async (writer) => {
      for (const record of followed) await writer.follow({ ...record, bookmark });
      await writer.commit();
    });
    expect((await pull(later)).ends).toEqual(['cik 1 pulled']);
    expect(await numbers()).toEqual(
      withTrades([...filings, lost].filter(({ filedOn }) => filedOn >= '2025-11-01')),
    );
    expect((await pull('2026-02-05T17:00:00Z')).asked).toEqual([list]);
  });
});

describe('pulling the filings of a company', () => {
  const [february, march] = [recordedList('0000789019-03Feb2026'), recordedList('0000789019-05Mar2026')];
  const inFebruary = '2026-02-03T17:00:00Z';
  const microsoft = '/submissions/CIK0000789019.json';
  const since = '2025-11-01';

  async function microsoftIn(recorded: string, options: Partial<PullOptions> = {}) {
    const server = await loopbackSec();
    server.files[microsoft] = recorded;
    server.addFilings('789019', [...filingsIn(march), ...filingsIn(february)]);
    return { server, ...puller(server, { request: { sec: ['cik 789019'] }, since, ...options }) };
  }

  it('gives what an import of its submissions gives, and later asks for the new ones alone', async () => {
    const { server, store, pull } = await microsoftIn(february);
    const wanted = filingsIn(february, since);
    const first = await pull(inFebruary);
    expect([first.ends, first.asked.length]).toEqual([['cik 789019 pulled'], 1 + wanted.length]);
    const before = await filingsOf(store);
    expect(before).toEqual(await importedFilings(wanted));
    const imports = () => reading(store, (view) => view.sources.imports());
    const log = await imports();
    const again = await pull('2026-02-03T17:10:00Z');
    expect(again).toMatchObject({ ends: ['cik 789019 nothing-new'], asked: [microsoft] });
    expect([await filingsOf(store), await imports()]).toEqual([before, log]);
    server.files[microsoft] = march;
    const known = new Set(wanted.map(({ accessionNumber }) => accessionNumber));
    const fresh = filingsIn(march, since).filter(({ accessionNumber }) => !known.has(accessionNumber));
    expect(fresh.length).toBeGreaterThan(15);
    const { asked, subjects } = await pull('2026-03-05T17:00:00Z', { request: undefined });
    expect(asked.length).toBe(1 + fresh.length);
    expect(subjects).toMatchObject([{ counts: { new_filings: fresh.length }, upTo: '2026-03-04', left: '' }]);
    expect(await filingsOf(store)).toEqual(await importedFilings([...wanted, ...fresh]));
  });

  it('stores the recorded filing as its own file does, with the time of acceptance in UTC', async () => {
    const { request, response } = recording('sec/filing-0000320193-22-000061.json');
    const server = await loopbackSec();
    const listed = {
      ...{ accessionNumber: '0000320193-22-000061', form: '4', filedOn: '2022-05-06' },
      accepted: '2022-05-06T18:30:57',
    };
    server.files['/submissions/CIK0001462356.json'] = listOf('1462356', [listed], []);
    server.files[request.path] = response.body;
    const { store, pull } = puller(server, { request: { sec: ['cik 1462356'] } });
    await pull('2022-06-01T12:00:00Z');
    const imported = newStorePath(scratchFolder());
    await importFiles(imported, { 'filing.txt': response.body }, { latest: '2026-11-22' });
    const trades = await filingsOf(store);
    expect(trades).toEqual(await filingsOf(imported));
    expect(trades[0]).toMatchObject({ acceptedAt: '2022-05-06T22:30:57Z', filedOn: '2022-05-06' });
  });

  it('that breaks off at any request goes on there, in an entry of the log for each window', async () => {
    const newest = filingsIn(march, '2025-12-10');
    const whole = await importedFilings(newest);
    const faults = ['cut' as const, { status: 503, body: '<html></html>' }, throttlePage];
    await checkBreaks(faults, newest.length, async () => {
      const { server, store, pull } = await microsoftIn(march, { since: '2025-12-10', maxWait: 0 });
      return {
        source: server,
        run: (hour) => pull(`2026-03-05T${17 + hour}:00:00Z`),
        async check() {
          expect(await filingsOf(store)).toEqual(whole);
          const { asked, followed } = await pull('2026-03-05T23:00:00Z');
          expect([asked, followed]).toMatchObject([[microsoft], [{ upTo: '2026-03-04', left: '' }]]);
        },
      };
    });
    const { store, pull } = await microsoftIn(march, { since: '2025-12-10' });
    await pull('2026-03-05T17:00:00Z');
    const log = await reading(store, (view) => view.sources.imports());
    expect(newest.length).toBeGreaterThan(26);
    expect(log.map(({ file }) => file)).toEqual(
      [25, newest.length - 25].map((count) => `sec cik 789019: ${count} documents`),
    );
    const { trades } = await reading(store, (view) => view.filings.counts());
    expect(log.reduce((sum, { statementsNew }) => sum + statementsNew, 0)).toBe(trades);
  });

  it('asks once for a filing that is listed under its issuer and under its owner', async () => {
    const { server, pull } = await microsoftIn(february);
    const wanted = filingsIn(february, since);
    server.files['/submissions/CIK0001513142.json'] = listOf('0001513142', wanted.slice(0, 5), []);
    const { asked } = await pull(inFebruary, { request: { sec: ['cik 789019', 'cik 1513142'] } });
    const paths = asked.filter((path) => path.startsWith('/Archives/'));
    expect(paths.map((path) => path.slice(-24, -4)).sort()).toEqual(
      wanted.map(({ accessionNumber }) => accessionNumber).sort(),
    );
  });

  it('refuses a form that no filing can be read in, and stores nothing of it', async () => {
    const { server, pull } = await microsoftIn(february);
    for (const [path, text] of Object.entries(server.files))
      if (path.startsWith('/Archives'))
        server.files[path] = String(text).replaceAll('ownershipDocument', 'ownershipReport');
    expect(await pull(inFebruary)).toMatchObject({
      ends: ['cik 789019 failed: bad-answer'],
      said: expect.stringMatching(/none of \d+ filings/),
      stored: false,
    });
  });

  it.each([
    ['without the list of recent filings', (text: string) => text.replace('"recent"', '"newest"'), /filings/],
    ['of another filer', (text: string) => text.replace('"0000789019"', '"0000789020"'), /another filer/],
    [
      'with pages of another name',
      (text: string) => text.replaceAll('-submissions-', '-page-'),
      /not the name of a page/,
    ],
    ['that is a page of HTML', () => '<!DOCTYPE html><html></html>', /broken JSON/],
    [
      'with a date in another form',
      (text: string) => text.replaceAll('"2026-01-15"', '"15-JAN-2026"'),
      /filingDate/,
    ],
  ])('refuses a list %s by name', async (_, change, reason) => {
    const { pull } = await microsoftIn(change(february));
    const { ends, said } = await pull(inFebruary);
    expect([ends, said]).toEqual([['cik 789019 failed: bad-answer'], expect.stringMatching(reason)]);
  });

  it('reports a trade that contradicts the store, keeps the store’s, and stores the others', async () => {
    const { store, pull } = await microsoftIn(february);
    const own = filingsIn(february, since);
    const text = submissionText(own[0] ?? bad).replace('11.03', '11.04');
    await importFiles(store, { 'held.txt': text.replace(/<ACCEPTANCE.*\n/, '') }, { latest: '2026-11-22' });
    expect(await pull(inFebruary)).toMatchObject({
      ends: ['cik 789019 conflict: bad-answer'],
      said: expect.stringMatching(/price_per_share 11\.03, against 11\.04/),
    });
    const prices = (await filingsOf(store)).map(({ pricePerShare }) => pricePerShare);
    expect(prices.filter((price) => price === '11.04')).toHaveLength(1);
    expect(prices.length).toBe((await importedFilings(own)).length);
  });

  it('says that there is no filer with a CIK, and does not follow it', async () => {
    const { ends, said, followed } = await puller(await loopbackSec(), {
      request: { sec: ['cik 4711'] },
    }).pull(inFebruary);
    expect([ends, followed]).toEqual([['cik 4711 failed: not-found'], []]);
    expect(said).toBe('the SEC has no filer with the CIK 4711');
  });

  it('finds a company by its ticker, and follows its CIK', async () => {
    const { server, pull } = await microsoftIn(february, { since: '2026-01-01' });
    server.files['/files/company_tickers.json'] = JSON.stringify({
      0: { cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' },
      1: { cik_str: 789019, ticker: 'MSFT', title: 'MICROSOFT CORP' },
      2: { cik_str: 1067983, ticker: 'BRK-B', title: 'BERKSHIRE HATHAWAY INC' },
    });
    server.files['/submissions/CIK0001067983.json'] = listOf('1067983', [], []);
    const of = (ticker: string) => pull(inFebruary, { request: { sec: [`ticker ${ticker}`] } });
    expect((await of('msft')).ends).toEqual(['cik 789019 pulled']);
    expect((await of('BRK.B')).ends).toEqual(['cik 1067983 nothing-new']);
    const { kind, said } = await of('NOPE');
    expect([kind, said]).toEqual(['not-found', 'no company has the ticker "NOPE" now']);
  });
});
