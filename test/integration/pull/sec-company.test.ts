import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import {
  filingsIn,
  type LoopbackFiling,
  type LoopbackSec,
  listOf,
  loopbackContact,
  loopbackSec,
  recordedList,
  submissionText,
  throttlePage,
} from '../../support/pull/loopback-sec.ts';
import { checkBreaks, eachHourFrom, endings, pullAt } from '../../support/pull/pulling.ts';
import { recording } from '../../support/recordings.ts';
import { importFiles, importPaths, newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const microsoft = '0000789019';
const february = recordedList('0000789019-03Feb2026');
const march = recordedList('0000789019-05Mar2026');
/** The filings of both lists; the times of both are in UTC. */
const ofMicrosoft = [...filingsIn(march, 'UTC'), ...filingsIn(february, 'UTC')];

const filingsOf = (store: string) => reading(store, (view) => view.filings.page({ limit: 1_000_000 }));
const followedOf = (store: string) => reading(store, (view) => view.sources.followed());

/** What an import of full submissions gives. */
async function imported(filings: readonly LoopbackFiling[]) {
  const store = newStorePath(folder);
  const byNumber = new Map(
    filings.map((filing) => [`${filing.accessionNumber}.txt`, submissionText(filing)]),
  );
  const files = tempFolder(Object.fromEntries(byNumber));
  await importPaths(
    store,
    [...byNumber.keys()].map((name) => join(files, name)),
    { latest: '2026-11-22' },
  );
  return filingsOf(store);
}

const optionsFor = (server: LoopbackSec, store = newStorePath(folder)) => ({
  store,
  settings: { sec: { url: server.url, contact: loopbackContact } },
});
const company = (cik: string) => ({ request: { sec: [`cik ${cik}`] } });

async function microsoftIn(list: string) {
  const server = await loopbackSec();
  server.files[`/submissions/CIK${microsoft}.json`] = list;
  server.addFilings(microsoft, ofMicrosoft);
  return server;
}

const since = '2025-11-01';
const wanted = (list: string) => filingsIn(list, 'UTC').filter(({ filedOn }) => filedOn >= since);

describe('pulling the filings of a company', () => {
  it('gives what an import of the same full submissions gives', async () => {
    const server = await microsoftIn(february);
    const options = { ...optionsFor(server), ...company('789019'), since };
    expect(endings(await pullAt('2026-02-03T17:00:00Z', options))).toEqual(['cik 789019 pulled']);
    expect(await filingsOf(options.store)).toEqual(await imported(wanted(february)));
    expect(server.asked.length).toBe(1 + wanted(february).length);
  });

  it('stores the recorded filing as its own file does, with the time of acceptance in UTC', async () => {
    const { request, response } = recording('sec/filing-0000320193-22-000061.json');
    const server = await loopbackSec();
    const filing = {
      accessionNumber: '0000320193-22-000061',
      form: '4',
      filedOn: '2022-05-06',
      accepted: '2022-05-06T18:30:57',
    };
    server.files['/submissions/CIK0001462356.json'] = listOf('1462356', [filing], []);
    server.files[request.path] = response.body;
    const options = { ...optionsFor(server), ...company('1462356') };
    await pullAt('2022-06-01T12:00:00Z', options);
    const store = newStorePath(folder);
    await importFiles(store, { 'filing.txt': response.body }, { latest: '2026-11-22' });
    const filings = await filingsOf(options.store);
    expect(filings).toEqual(await filingsOf(store));
    expect(filings[0]).toMatchObject({ acceptedAt: '2022-05-06T22:30:57Z', filedOn: '2022-05-06' });
  });

  it('a month later asks for the new filings alone, and gives what one pull of the later list gives', async () => {
    const server = await microsoftIn(february);
    const options = { ...optionsFor(server), ...company('789019'), since };
    await pullAt('2026-02-03T17:00:00Z', options);
    const before = server.asked.length;
    server.files[`/submissions/CIK${microsoft}.json`] = march;
    const { subjects } = await pullAt('2026-03-05T17:00:00Z', { ...options, request: undefined });
    const known = new Set(wanted(february).map(({ accessionNumber }) => accessionNumber));
    const fresh = wanted(march).filter(({ accessionNumber }) => !known.has(accessionNumber));
    expect(fresh.length).toBeGreaterThan(15);
    expect(server.asked.length - before).toBe(1 + fresh.length);
    expect(subjects).toMatchObject([{ counts: { new_filings: fresh.length }, upTo: '2026-03-04', left: '' }]);
    expect(await filingsOf(options.store)).toEqual(await imported([...wanted(february), ...wanted(march)]));
  });

  it('is one entry in the log of imports for each window of filings', async () => {
    const server = await microsoftIn(march);
    const options = { ...optionsFor(server), ...company('789019'), since: '2025-06-01' };
    await pullAt('2026-03-05T17:00:00Z', options);
    const { length: asked } = server.asked.filter((path) => path.startsWith('/Archives/'));
    const log = await reading(options.store, (view) => view.sources.imports());
    expect(log.map(({ file }) => file)).toEqual([
      ...Array(Math.floor(asked / 25)).fill('sec cik 789019: 25 documents'),
      ...(asked % 25 > 1 ? [`sec cik 789019: ${asked % 25} documents`] : []),
      ...(asked % 25 === 1 ? [expect.stringMatching(/^filing /)] : []),
    ]);
    const { trades } = await reading(options.store, (view) => view.filings.counts());
    expect(log.reduce((sum, { statementsNew }) => sum + statementsNew, 0)).toBe(trades);
  });

  it('a second time asks for the list alone, and changes nothing', async () => {
    const server = await microsoftIn(february);
    const options = { ...optionsFor(server), ...company('789019'), since };
    await pullAt('2026-02-03T17:00:00Z', options);
    const [before, asked] = [await filingsOf(options.store), server.asked.length];
    const imports = await reading(options.store, (view) => view.sources.imports());
    expect(endings(await pullAt('2026-02-03T17:10:00Z', options))).toEqual(['cik 789019 nothing-new']);
    expect(server.asked.slice(asked)).toEqual([`/submissions/CIK${microsoft}.json`]);
    expect(await filingsOf(options.store)).toEqual(before);
    expect(await reading(options.store, (view) => view.sources.imports())).toEqual(imports);
  });

  it('reads the older pages of the list that reach into the wanted time, and leaves out plain text', async () => {
    const filing = (n: number, filedOn: string, form = '4'): LoopbackFiling => ({
      accessionNumber: `0000000001-${filedOn.slice(2, 4)}-${String(n).padStart(6, '0')}`,
      ...{ form, filedOn, accepted: `${filedOn}T16:30:00` },
    });
    const recent = [filing(1, '2024-05-01'), filing(2, '2024-05-02', '10-K')];
    const older = [filing(3, '2010-01-04'), filing(4, '2003-07-01')];
    const oldest = [filing(5, '2001-02-02')];
    const server = await loopbackSec();
    const pages = [
      { name: 'CIK0000000001-submissions-001.json', filingFrom: '2003-07-01', filingTo: '2010-01-04' },
      { name: 'CIK0000000001-submissions-002.json', filingFrom: '1994-01-01', filingTo: '2003-06-30' },
    ];
    server.files['/submissions/CIK0000000001.json'] = listOf('1', recent, pages);
    server.files['/submissions/CIK0000000001-submissions-001.json'] = listOf('1', older);
    server.files['/submissions/CIK0000000001-submissions-002.json'] = listOf('1', oldest);
    server.addFilings('1', [...recent, ...older, ...oldest]);
    const options = { ...optionsFor(server), ...company('1') };
    const { subjects } = await pullAt('2024-06-01T12:00:00Z', options);
    expect(await filingsOf(options.store)).toEqual(await imported([filing(1, '2024-05-01'), ...older]));
    expect(subjects[0]?.notes).toEqual(['1 filing from before 2003-06-30 is plain text, and is left out']);
    const asked = server.asked.length;
    await pullAt('2024-06-02T12:00:00Z', options);
    expect(server.asked.slice(asked)).toEqual(['/submissions/CIK0000000001.json']);
    const later = { ...optionsFor(server), ...company('1'), since: '2009-01-01' };
    const before = server.asked.length;
    await pullAt('2024-06-02T12:00:00Z', later);
    expect(server.asked.slice(before)).not.toContain('/submissions/CIK0000000001-submissions-002.json');
    expect((await filingsOf(later.store)).map(({ filedOn }) => filedOn)).toEqual([
      '2024-05-01',
      '2010-01-04',
    ]);
    // An earlier day than that of the first pull brings what was left out, and nothing twice.
    await pullAt('2024-06-03T12:00:00Z', { ...later, since: '2003-01-01' });
    expect(await filingsOf(later.store)).toEqual(await filingsOf(options.store));
  });

  it('asks once for a filing that is listed under its issuer and under its owner', async () => {
    const server = await microsoftIn(february);
    const owner = '0001513142';
    server.files[`/submissions/CIK${owner}.json`] = listOf(owner, wanted(february).slice(0, 5), []);
    const options = { ...optionsFor(server), since };
    await pullAt('2026-02-03T17:00:00Z', { ...options, request: { sec: ['cik 789019', 'cik 1513142'] } });
    const filings = server.asked.filter((path) => path.startsWith('/Archives/'));
    expect(filings.length).toBe(new Set(filings.map((path) => path.split('/').at(-1))).size);
    expect(filings.length).toBe(wanted(february).length);
  });

  it('that breaks off at any request goes on there, and gives what one run gives', async () => {
    const newest = filingsIn(march, 'UTC').filter(({ filedOn }) => filedOn >= '2025-06-01');
    expect(newest.length).toBeGreaterThan(70);
    const whole = await imported(newest);
    const faults = [
      'cut' as const,
      { status: 503, body: recording('sec/getcurrent-503.json').response.body },
      throttlePage,
    ];
    await checkBreaks({ faults, requests: newest.length, numRuns: 6 }, async () => {
      const server = await microsoftIn(march);
      const options = { ...optionsFor(server), ...company('789019'), since: '2025-06-01', maxWait: 0 };
      const run = eachHourFrom('2026-03-05T17:00:00Z', options);
      return {
        server,
        run,
        async check() {
          expect(await filingsOf(options.store)).toEqual(whole);
          expect(await followedOf(options.store)).toMatchObject([{ upTo: '2026-03-04', left: '' }]);
          const asked = server.asked.length;
          await run();
          expect(server.asked.length).toBe(asked + 1);
        },
      };
    });
  });

  it('refuses a form that no filing can be read in, and stores nothing of it', async () => {
    const server = await microsoftIn(february);
    for (const [path, text] of Object.entries(server.files))
      if (path.startsWith('/Archives'))
        server.files[path] = String(text).replaceAll('ownershipDocument', 'ownershipReport');
    const options = { ...optionsFor(server), ...company('789019'), since };
    const summary = await pullAt('2026-02-03T17:00:00Z', options);
    expect(endings(summary)).toEqual(['cik 789019 failed: bad-answer']);
    expect(summary.subjects[0]?.problem?.detail).toMatch(/none of \d+ filings/);
  });

  it.each([
    ['without the list of recent filings', (list: string) => list.replace('"recent"', '"newest"'), /filings/],
    ['of another filer', (list: string) => list.replace('"0000789019"', '"0000789020"'), /another filer/],
    [
      'with pages of another name',
      (list: string) => list.replaceAll('-submissions-', '-page-'),
      /not the name of a page/,
    ],
    ['that is a page of HTML', () => '<!DOCTYPE html><html></html>', /broken JSON/],
    [
      'with a date in another form',
      (list: string) => list.replaceAll('"2026-01-15"', '"15-JAN-2026"'),
      /filingDate/,
    ],
  ])('refuses a list %s by name', async (_, change, reason) => {
    const server = await microsoftIn(change(february));
    const options = { ...optionsFor(server), ...company('789019'), since };
    const summary = await pullAt('2026-02-03T17:00:00Z', options);
    expect(endings(summary)).toEqual(['cik 789019 failed: bad-answer']);
    expect(summary.subjects[0]?.problem?.detail).toMatch(reason);
  });

  it('reports a trade that contradicts the store, keeps the store’s, and stores the others', async () => {
    const server = await microsoftIn(february);
    const own = wanted(february);
    const [held] = own;
    const options = { ...optionsFor(server), ...company('789019'), since };
    const text = submissionText(held as LoopbackFiling);
    await importFiles(
      options.store,
      { 'held.txt': text.replace('11.03', '11.04').replace(/<ACCEPTANCE.*\n/, '') },
      { latest: '2026-11-22' },
    );
    const summary = await pullAt('2026-02-03T17:00:00Z', options);
    expect(endings(summary)).toEqual(['cik 789019 conflict: bad-answer']);
    expect(summary.subjects[0]?.problem?.detail).toMatch(/price_per_share 11\.03, against 11\.04/);
    const prices = (await filingsOf(options.store)).map(({ pricePerShare }) => pricePerShare);
    expect(prices.filter((price) => price === '11.04')).toHaveLength(1);
    expect(prices.length).toBe((await imported(own)).length);
  });

  it('says that there is no filer with a CIK, and does not follow it', async () => {
    const server = await loopbackSec();
    const options = { ...optionsFor(server), ...company('4711') };
    const summary = await pullAt('2026-02-03T17:00:00Z', options);
    expect(endings(summary)).toEqual(['cik 4711 failed: not-found']);
    expect(summary.subjects[0]?.problem?.detail).toBe('the SEC has no filer with the CIK 4711');
  });

  it('finds a company by its ticker, and follows its CIK', async () => {
    const server = await microsoftIn(february);
    server.files['/files/company_tickers.json'] = JSON.stringify({
      0: { cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' },
      1: { cik_str: 789019, ticker: 'MSFT', title: 'MICROSOFT CORP' },
      2: { cik_str: 1067983, ticker: 'BRK-B', title: 'BERKSHIRE HATHAWAY INC' },
    });
    const options = { ...optionsFor(server), since: '2026-01-01' };
    const summary = await pullAt('2026-02-03T17:00:00Z', { ...options, request: { sec: ['ticker msft'] } });
    expect(endings(summary)).toEqual(['cik 789019 pulled']);
    server.files['/submissions/CIK0001067983.json'] = listOf('1067983', [], []);
    const other = await pullAt('2026-02-03T17:00:00Z', { ...options, request: { sec: ['ticker BRK.B'] } });
    expect(endings(other)).toEqual(['cik 1067983 nothing-new']);
    const unknown = await pullAt('2026-02-03T17:00:00Z', { ...options, request: { sec: ['ticker NOPE'] } });
    expect(unknown.stops.map(({ problem }) => [problem.kind, problem.detail])).toEqual([
      ['not-found', 'no company has the ticker "NOPE" now'],
    ]);
  });
});
