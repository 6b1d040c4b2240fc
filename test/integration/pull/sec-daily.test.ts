import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/series/date.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  formIndex,
  type LoopbackFiling,
  type LoopbackSec,
  loopbackContact,
  loopbackSec,
  noSuchKey,
  submissionText,
  throttlePage,
} from '../../support/pull/loopback-sec.ts';
import { checkBreaks, eachHourFrom, endings, pullAt } from '../../support/pull/pulling.ts';
import { recordedBody, recording } from '../../support/recordings.ts';
import { readData, testData } from '../../support/repository.ts';
import { importFiles, newStorePath, reading } from '../../support/scratch-store.ts';
import { zipOf } from '../../support/zip-writer.ts';

const folder = scratchFolder();
const filingsOf = (store: string) => reading(store, (view) => view.filings.page({ limit: 1_000_000 }));
const followedOf = (store: string) => reading(store, (view) => view.sources.followed());
const optionsFor = (server: LoopbackSec, store = newStorePath(folder)) => ({
  store,
  settings: { sec: { url: server.url, contact: loopbackContact } },
  request: { sec: ['daily'] },
});

/** The path of the form index of a day. */
function indexPath(day: string): string {
  const quarter = Math.ceil(Number(day.slice(5, 7)) / 3);
  return `/Archives/edgar/daily-index/${day.slice(0, 4)}/QTR${quarter}/form.${day.replaceAll('-', '')}.idx`;
}

/** Filings of one day, `count` of them, numbered from `first` on. */
function filingsOn(day: string, count: number, first = 1): LoopbackFiling[] {
  return Array.from({ length: count }, (_, i) => ({
    accessionNumber: `0000000001-${day.slice(2, 4)}-${String(Number(day.slice(5).replace('-', '')) * 100 + first + i).padStart(6, '0')}`,
    form: ['4', '4/A', '3', '5'][i % 4] ?? '4',
    filedOn: day,
    accepted: `${day}T18:00:${String(i % 60).padStart(2, '0')}`,
  }));
}

/** The working days of two weeks; 2026-06-19 is a holiday. */
const days = ['2026-06-15', '2026-06-16', '2026-06-17', '2026-06-18', '2026-06-22', '2026-06-23'];
const filings = days.flatMap((day, i) => filingsOn(day, 3 + 40 * (i % 2)));

async function twoWeeks(until = '9999') {
  const server = await loopbackSec();
  for (const day of days.filter((one) => one <= until)) publish(server, day);
  return server;
}

function publish(server: LoopbackSec, day: string) {
  const own = filings.filter(({ filedOn }) => filedOn === day);
  server.files[indexPath(day)] = formIndex(own);
  for (const cik of ['1493761', '1777906']) server.addFilings(cik, own);
}

async function imported(wanted: readonly LoopbackFiling[]) {
  const store = newStorePath(folder);
  const texts = wanted.map((filing) => [`${filing.accessionNumber}.txt`, submissionText(filing)] as const);
  await importFiles(store, Object.fromEntries(texts), { latest: '2026-11-22' });
  return filingsOf(store);
}

describe('pulling everyone’s filings day by day', () => {
  it('gives what an import of the full submissions gives, and asks once for each', async () => {
    const server = await twoWeeks();
    const options = { ...optionsFor(server), since: '2026-06-15' };
    expect(endings(await pullAt('2026-06-24T12:00:00Z', options))).toEqual(['daily pulled']);
    expect(await filingsOf(options.store)).toEqual(await imported(filings));
    const asked = server.asked.filter((path) => path.startsWith('/Archives/edgar/data/'));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBe(filings.length);
    expect(await followedOf(options.store)).toMatchObject([{ name: 'daily', upTo: '2026-06-23', left: '' }]);
  });

  it('asks for no index of a weekend, and of a holiday until a later one is there', async () => {
    const server = await twoWeeks('2026-06-18');
    const options = { ...optionsFor(server), since: '2026-06-18' };
    const indexes = (from: number) =>
      server.asked
        .slice(from)
        .filter((path) => path.includes('daily-index'))
        .map((path) => path.slice(-12, -4));
    await pullAt('2026-06-22T12:00:00Z', options);
    expect(indexes(0)).toEqual(['20260618', '20260619']);
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2026-06-18' }]);
    let from = server.asked.length;
    publish(server, '2026-06-22');
    await pullAt('2026-06-23T12:00:00Z', options);
    expect(indexes(from)).toEqual(['20260619', '20260622']);
    from = server.asked.length;
    await pullAt('2026-06-23T12:10:00Z', options);
    expect(server.asked.length).toBe(from);
  });

  it.each([
    ['before the index of a day appears', '2026-06-17T02:00:00Z', '2026-06-15'],
    ['after the index of a day appears', '2026-06-17T02:45:00Z', '2026-06-16'],
  ])('%s, about 22:15 in Washington, comes up to the right day', async (_, instant, upTo) => {
    const server = await twoWeeks();
    const options = { ...optionsFor(server), since: '2026-06-15' };
    await pullAt(instant, options);
    expect(await followedOf(options.store)).toMatchObject([{ upTo }]);
  });

  it('says that the clock is wrong if it is behind the store, and asks nothing', async () => {
    const server = await twoWeeks();
    const options = { ...optionsFor(server), since: '2026-06-22' };
    await pullAt('2026-06-24T12:00:00Z', options);
    const asked = server.asked.length;
    const { stops } = await pullAt('2026-06-01T12:00:00Z', options);
    expect(stops[0]?.problem.kind).toBe('local-io');
    expect(server.asked.length).toBe(asked);
  });

  it.each([
    ['2026-06-15', 7, 'the indexes of 7 days, then one for each filing, about 900 a day'],
    [
      '2025-11-15',
      2 + 1 + 60,
      '2 quarterly data sets, the indexes of 60 days, then one for each filing, about 900 a day',
    ],
  ])(
    'for a dry run from %s on counts days and data sets, and asks nothing',
    async (since, requests, what) => {
      const server = await twoWeeks();
      const summary = await pullAt('2026-06-24T12:00:00Z', { ...optionsFor(server), since, dryRun: true });
      expect(summary.subjects).toMatchObject([{ name: 'daily', requests, notes: [what] }]);
      expect(server.asked).toEqual([]);
    },
  );

  it('without a first day begins a week ago', async () => {
    const server = await twoWeeks();
    const options = optionsFor(server);
    await pullAt('2026-06-24T12:00:00Z', options);
    expect((await filingsOf(options.store)).at(-1)?.filedOn).toBe('2026-06-17');
  });

  it('that breaks off at any request goes on there, and gives what one run gives', async () => {
    const whole = await imported(filings);
    const faults = ['cut' as const, { status: 503, body: '<html></html>' }, throttlePage];
    await checkBreaks({ faults, requests: 80, numRuns: 6 }, async () => {
      const server = await twoWeeks();
      const options = { ...optionsFor(server), since: '2026-06-15', maxWait: 0 };
      const run = eachHourFrom('2026-06-24T04:00:00Z', options);
      return {
        server,
        run,
        async check() {
          expect(await filingsOf(options.store)).toEqual(whole);
          expect(await followedOf(options.store)).toMatchObject([{ upTo: '2026-06-23', left: '' }]);
          const asked = server.asked.length;
          await run();
          expect(server.asked.length).toBe(asked);
        },
      };
    });
  });

  it('names a filing that an index lists and the SEC does not give, and brings it when it is there', async () => {
    const server = await twoWeeks();
    const [bad] = filings.filter(({ filedOn }) => filedOn === '2026-06-16');
    const isBad = (path: string) => path.endsWith(`/${bad?.accessionNumber}.txt`);
    server.trouble = (_, path) => (isBad(path) ? noSuchKey : undefined);
    const options = { ...optionsFor(server), since: '2026-06-15' };
    const first = await pullAt('2026-06-24T12:00:00Z', options);
    expect(endings(first)).toEqual(['daily left: bad-answer']);
    expect(first.subjects[0]?.problem?.detail).toContain(`filing ${bad?.accessionNumber}: the SEC lists it`);
    expect(await filingsOf(options.store)).toEqual(await imported(filings.filter((one) => one !== bad)));
    expect(await followedOf(options.store)).toMatchObject([
      { upTo: '2026-06-23', left: expect.stringContaining(`filing ${bad?.accessionNumber}`) },
    ]);
    server.trouble = () => undefined;
    const asked = server.asked.length;
    expect(endings(await pullAt('2026-06-24T13:00:00Z', options))).toEqual(['daily pulled']);
    expect(server.asked.slice(asked).filter((path) => !isBad(path))).toEqual([]);
    expect(await filingsOf(options.store)).toEqual(await imported(filings));
    expect(await followedOf(options.store)).toMatchObject([{ left: '' }]);
  });

  it('gives up on a filing after 30 days, and says so once', async () => {
    const server = await twoWeeks();
    const [bad] = filings;
    server.trouble = (_, path) => (path.endsWith(`/${bad?.accessionNumber}.txt`) ? noSuchKey : undefined);
    const options = { ...optionsFor(server), since: '2026-06-15' };
    for (const day of days) server.files[indexPath(day)] ??= formIndex([]);
    for (let day = '2026-06-24'; day <= '2026-07-28'; day = addDays(day, 1))
      server.files[indexPath(day)] = formIndex([]);
    for (const day of ['2026-06-24', '2026-07-24'])
      expect(endings(await pullAt(`${day}T12:00:00Z`, options))).toEqual(['daily left: bad-answer']);
    const last = await pullAt('2026-07-25T12:00:00Z', options);
    expect(last.subjects[0]?.problem?.detail).toMatch(/given up after 30 days/);
    expect(endings(await pullAt('2026-07-26T12:00:00Z', options))).toEqual(['daily nothing-new']);
    expect(await followedOf(options.store)).toMatchObject([{ left: '' }]);
  });

  it('brings the filings of a day whose index the SEC once said it does not have', async () => {
    const server = await twoWeeks();
    const options = { ...optionsFor(server), since: '2026-06-15' };
    const denied = recording('sec/full-index-403.json').response;
    server.trouble = (_, path) => (path === indexPath('2026-06-17') ? denied : undefined);
    const first = await pullAt('2026-06-24T12:00:00Z', options);
    expect(first.subjects[0]?.notes).toEqual(
      ['2026-06-17', '2026-06-19'].map(
        (day) => `the SEC has no index of ${day}: a holiday, unless it comes later`,
      ),
    );
    server.trouble = () => undefined;
    publish(server, '2026-06-24');
    const second = await pullAt('2026-06-25T12:00:00Z', options);
    expect(endings(second)).toEqual(['daily pulled']);
    expect(second.subjects[0]?.notes).toEqual([]);
    expect(await filingsOf(options.store)).toEqual(await imported(filings));
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2026-06-24', left: '' }]);
  });

  it('reads the recorded index of 2020-03-18: each of its ownership filings once', async () => {
    const index = recordedBody('sec/form.20200318.first-1200-lines.idx');
    const lines = index.toString('latin1').split('\n');
    const listed = lines.flatMap((line) => {
      const [, form, path] = /^([345](?:\/A)?) .*(edgar\/data\/\S+)/.exec(line) ?? [];
      return form === undefined || path === undefined ? [] : [{ form, path }];
    });
    const numbers = new Set(listed.map(({ path }) => path.slice(-24, -4)));
    expect(listed.length).toBe(1017);
    expect(numbers.size).toBeLessThan(listed.length);
    const server = await loopbackSec();
    server.files[indexPath('2020-03-18')] = index;
    for (const { form, path } of listed) {
      const accessionNumber = path.slice(-24, -4);
      const filing = { accessionNumber, form, filedOn: '2020-03-18', accepted: '2020-03-18T17:00:00' };
      server.files[`/Archives/${path}`] = submissionText(filing);
    }
    const options = { ...optionsFor(server), since: '2020-03-18' };
    await pullAt('2020-03-19T12:00:00Z', options);
    expect(server.asked.length).toBe(1 + numbers.size);
    const withTrades = listed.filter(({ form }) => form !== '3').map(({ path }) => path.slice(-24, -4));
    expect(new Set((await filingsOf(options.store)).map(({ accessionNumber }) => accessionNumber))).toEqual(
      new Set(withTrades),
    );
  });

  it('asks for no filing that the store has with its time of acceptance', async () => {
    const server = await twoWeeks();
    const options = { ...optionsFor(server), since: '2026-06-15' };
    const [held] = filings;
    await importFiles(
      options.store,
      { 'held.txt': submissionText(held as LoopbackFiling) },
      { latest: '2026-11-22' },
    );
    await pullAt('2026-06-24T12:00:00Z', options);
    expect(server.asked.some((path) => path.includes(held?.accessionNumber ?? ''))).toBe(false);
    expect(await filingsOf(options.store)).toEqual(await imported(filings));
  });

  it.each([
    [
      'with columns in another order',
      (text: string) => text.replace('Company Name  ', 'Name          '),
      /columns of a form index/,
    ],
    ['cut within a line', (text: string) => text.slice(0, -40), /not a line of a form index/],
    ['that is a page of HTML', () => '<!DOCTYPE html><html></html>', /columns of a form index/],
    [
      'of another day',
      () => formIndex(filings.filter(({ filedOn }) => filedOn === '2026-06-17')).toString('latin1'),
      /"Date Filed": "20260617": this index is not of 2026-06-16/,
    ],
  ])('refuses an index %s by name, and goes no further', async (_, change, reason) => {
    const server = await twoWeeks();
    const path = indexPath('2026-06-16');
    server.files[path] = Buffer.from(change(String(server.files[path])), 'latin1');
    const options = { ...optionsFor(server), since: '2026-06-15' };
    const summary = await pullAt('2026-06-24T12:00:00Z', options);
    expect(endings(summary)).toEqual(['daily failed: bad-answer']);
    expect(summary.subjects[0]?.problem?.detail).toMatch(reason);
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2026-06-15' }]);
  });

  it('says that the indexes are not where they were if a week has none', async () => {
    const server = await loopbackSec();
    const options = { ...optionsFor(server), since: '2026-06-01' };
    const { subjects } = await pullAt('2026-06-24T12:00:00Z', options);
    expect(subjects[0]?.problem).toMatchObject({ kind: 'bad-answer' });
    expect(subjects[0]?.problem?.detail).toMatch(
      /no index of filings for 5 working days in a row, 2026-06-01 to 2026-06-05/,
    );
  });
});

describe('beginning a history with the quarterly data sets', () => {
  const page = '/data-research/sec-markets-data/insider-transactions-data-sets';
  const current = '/files/structureddata/data/insider-transactions-data-sets/2022q4_form345.zip';
  const moved = '/files/datastandardsinnovation/data/insider-transactions-data-sets/2023q1_form345.zip';

  const names = ['SUBMISSION.tsv', 'REPORTINGOWNER.tsv', 'NONDERIV_TRANS.tsv'];

  /** The tables of real filings of one issuer that were filed in some months, such as `FEB-2023`. */
  function tablesOf(...months: readonly string[]): Readonly<Record<string, string>> {
    const lines = (name: string) =>
      readData(testData, `sec/form345-maia-reencoded/${name}`).toString().trimEnd().split('\n');
    const isWanted = (line: string) => months.includes((line.split('\t')[1] ?? '').slice(3));
    const numbers = new Set(
      lines('SUBMISSION.tsv')
        .filter(isWanted)
        .map((line) => line.split('\t')[0]),
    );
    const cut = (name: string) =>
      lines(name).filter((line, i) => i === 0 || numbers.has(line.split('\t')[0]));
    return Object.fromEntries(names.map((name) => [name, `${cut(name).join('\n')}\n`]));
  }

  const older = tablesOf('OCT-2022', 'NOV-2022', 'DEC-2022');
  const newer = tablesOf('JAN-2023', 'FEB-2023', 'MAR-2023');

  function dataSet(tables: Readonly<Record<string, string>>, without?: string): Buffer {
    const derivative =
      'ACCESSION_NUMBER\tDERIV_TRANS_SK\tSECURITY_TITLE\tTRANS_DATE\tTRANS_CODE\tTRANS_SHARES\tTRANS_PRICEPERSHARE\tTRANS_ACQUIRED_DISP_CD\tSHRS_OWND_FOLWNG_TRANS\tDIRECT_INDIRECT_OWNERSHIP\n';
    const all = {
      ...tables,
      'DERIV_TRANS.tsv': derivative,
      'FORM_345_readme.htm': '<html>about form 345</html>',
    };
    const members = Object.entries(all).map(([name, content]) => ({ name, content }));
    return Buffer.from(zipOf(members.filter(({ name }) => name !== without)));
  }

  async function withDataSets() {
    const server = await loopbackSec();
    server.files[page] =
      `<html><a class="x" href="${moved}">2023 Q1</a> <a href='https://www.sec.gov${current}'>2022 Q4</a> <a href="/x.zip">x</a></html>`;
    server.files[current] = dataSet(older);
    server.files[moved] = dataSet(newer);
    server.files[indexPath('2023-04-03')] = formIndex([]);
    server.files[indexPath('2023-04-04')] = formIndex(filingsOn('2023-04-04', 2));
    server.addFilings('1493761', filingsOn('2023-04-04', 2));
    return server;
  }

  it('takes whole quarters from where the page links to, then the indexes of the days after them', async () => {
    const server = await withDataSets();
    const options = { ...optionsFor(server), since: '2022-10-01' };
    expect(endings(await pullAt('2023-04-05T12:00:00Z', options))).toEqual(['daily pulled']);
    expect(server.asked.slice(0, 3)).toEqual([page, current, moved]);
    expect(server.asked.slice(3).filter((path) => path.includes('daily-index'))).toEqual(
      ['2023-04-03', '2023-04-04'].map(indexPath),
    );
    const store = newStorePath(folder);
    for (const tables of [older, newer]) await importFiles(store, tables, { latest: '2026-11-22' });
    const texts = filingsOn('2023-04-04', 2).map((filing) => [
      `${filing.accessionNumber}.txt`,
      submissionText(filing),
    ]);
    await importFiles(store, Object.fromEntries(texts), { latest: '2026-11-22' });
    expect(await filingsOf(options.store)).toEqual(await filingsOf(store));
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2023-04-04', left: '' }]);
  });

  it('after a failure between two quarters goes on with the next one', async () => {
    const server = await withDataSets();
    const options = { ...optionsFor(server), since: '2022-11-15' };
    server.trouble = (_, path) => (path === moved ? { status: 503, body: '' } : undefined);
    await pullAt('2023-04-05T12:00:00Z', options);
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2022-12-31' }]);
    server.trouble = () => undefined;
    const asked = server.asked.length;
    await pullAt('2023-04-05T13:00:00Z', options);
    expect(server.asked.slice(asked, asked + 2)).toEqual([page, moved]);
  });

  it.each([
    ['a page without links', page, '<html>The page has moved</html>', /links to none of them/],
    ['an archive without a table', current, dataSet(older, 'SUBMISSION.tsv'), /has no SUBMISSION\.tsv/],
    ['the archive of another quarter', current, dataSet(newer), /has no filing of 2022q4/],
    ['an archive that broke off', current, dataSet(older).subarray(0, 500), /2022q4_form345\.zip/],
  ])('refuses %s by name', async (_, path, body, reason) => {
    const server = await withDataSets();
    server.files[path] = body;
    const options = { ...optionsFor(server), since: '2022-10-01' };
    const summary = await pullAt('2023-04-05T12:00:00Z', options);
    expect(endings(summary)).toEqual(['daily failed: bad-answer']);
    expect(summary.subjects[0]?.problem?.detail).toMatch(reason);
  });
});
