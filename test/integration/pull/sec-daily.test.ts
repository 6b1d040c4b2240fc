import { describe, expect, it } from 'vitest';
import type { PullOptions } from '../../../src/pull/options.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  filing,
  formIndex,
  type LoopbackFiling,
  type LoopbackSec,
  loopbackSec,
  noSuchKey,
  submissionText,
  throttlePage,
} from '../../support/pull/loopbacks.ts';
import { checkBreaks, filingsOf, importedFilings, numbersIn, puller } from '../../support/pull/pulling.ts';
import { readData, recordedBody, recording, testData } from '../../support/repository.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';
import { zipOf } from '../../support/source-file.ts';

const folder = scratchFolder();

/** The path of the form index of a day. */
function indexPath(day: string): string {
  const quarter = Math.ceil(Number(day.slice(5, 7)) / 3);
  return `/Archives/edgar/daily-index/${day.slice(0, 4)}/QTR${quarter}/form.${day.replaceAll('-', '')}.idx`;
}

/** The indexes among paths, by their days: `20260618`. */
const indexesIn = (paths: readonly string[]) =>
  paths.filter((path) => path.includes('daily-index')).map((path) => path.slice(-12, -4));

/** Filings of one day, of several forms. */
function filingsOn(day: string, count: number): LoopbackFiling[] {
  const number = Number(day.slice(5).replace('-', '')) * 100;
  return Array.from({ length: count }, (_, i) => filing(number + i + 1, day, ['4', '4/A', '3', '5'][i % 4]));
}

/** The working days of two weeks; 2026-06-19 is a holiday. One day has more filings than a window. */
const days = ['2026-06-15', '2026-06-16', '2026-06-17', '2026-06-18', '2026-06-22', '2026-06-23'];
const filings = days.flatMap((day) => filingsOn(day, day === '2026-06-16' ? 30 : 2));

/** The SEC with the filings of these days up to one, and a store that follows them. */
async function twoWeeks({ until = '9999', ...options }: Partial<PullOptions> & { until?: string } = {}) {
  const server = await loopbackSec();
  for (const day of days.filter((one) => one <= until)) publish(server, day);
  return { server, ...puller(server, { request: { sec: ['daily'] }, since: '2026-06-15', ...options }) };
}

function publish(server: LoopbackSec, day: string) {
  const own = filings.filter(({ filedOn }) => filedOn === day);
  server.files[indexPath(day)] = formIndex(own);
  for (const cik of ['1493761', '1777906']) server.addFilings(cik, own);
}

const afterAll = '2026-06-24T12:00:00Z';

describe('pulling everyone’s filings day by day', () => {
  it('gives what an import of the full submissions gives, and asks once for each that the store lacks', async () => {
    const { store, pull } = await twoWeeks();
    const [held, ...others] = filings;
    const text = submissionText(held as LoopbackFiling);
    await importFiles(store, { 'held.txt': text }, { latest: '2026-11-22' });
    const { ends, asked, followed } = await pull(afterAll);
    expect([ends, followed]).toMatchObject([
      ['daily pulled'],
      [{ name: 'daily', upTo: '2026-06-23', left: '' }],
    ]);
    expect(await filingsOf(store)).toEqual(await importedFilings(filings));
    const paths = asked.filter((path) => path.startsWith('/Archives/edgar/data/'));
    expect(paths.map((path) => path.slice(-24, -4)).sort()).toEqual(
      others.map(({ accessionNumber }) => accessionNumber).sort(),
    );
  });

  it('asks for no index of a weekend, and of a holiday until a later one is there', async () => {
    const { server, pull } = await twoWeeks({ until: '2026-06-18', since: '2026-06-18' });
    const first = await pull('2026-06-22T12:00:00Z');
    expect([indexesIn(first.asked), first.followed]).toMatchObject([
      ['20260618', '20260619'],
      [{ upTo: '2026-06-18' }],
    ]);
    publish(server, '2026-06-22');
    expect(indexesIn((await pull('2026-06-23T12:00:00Z')).asked)).toEqual(['20260619', '20260622']);
    expect((await pull('2026-06-23T12:10:00Z')).asked).toEqual([]);
  });

  it.each([
    ['before the index of a day appears', '2026-06-17T02:00:00Z', '2026-06-15'],
    ['after the index of a day appears', '2026-06-17T02:45:00Z', '2026-06-16'],
  ])('%s, about 22:15 in Washington, comes up to the right day', async (_, instant, upTo) => {
    const { pull } = await twoWeeks();
    expect((await pull(instant)).followed).toMatchObject([{ upTo }]);
  });

  it('says that the clock is wrong if it is behind the store, and asks nothing', async () => {
    const { pull } = await twoWeeks({ since: '2026-06-22' });
    await pull(afterAll);
    expect(await pull('2026-06-01T12:00:00Z')).toMatchObject({ kind: 'local-io', asked: [] });
  });

  const then = 'then one for each filing, about 900 a day';

  it.each([
    ['2026-06-15', 7, `the indexes of 7 days, ${then}`],
    ['2025-11-15', 2 + 1 + 60, `2 quarterly data sets, the indexes of 60 days, ${then}`],
  ])(
    'for a dry run from %s on counts days and data sets, and asks nothing',
    async (since, requests, what) => {
      const { pull } = await twoWeeks({ since, dryRun: true });
      const { subjects, asked } = await pull(afterAll);
      expect([subjects, asked]).toMatchObject([[{ name: 'daily', requests, notes: [what] }], []]);
    },
  );

  it('without a first day begins a week ago', async () => {
    const { store, pull } = await twoWeeks({ since: undefined });
    await pull(afterAll);
    expect((await filingsOf(store)).at(-1)?.filedOn).toBe('2026-06-17');
  });

  it('that breaks off at any request goes on there, and gives what one run gives', async () => {
    const whole = await importedFilings(filings);
    const faults = ['cut' as const, { status: 503, body: '<html></html>' }, throttlePage];
    await checkBreaks(faults, 40, async () => {
      const { server, store, pull } = await twoWeeks({ maxWait: 0 });
      return {
        source: server,
        run: (hour) => pull(`2026-06-24T0${4 + hour}:00:00Z`),
        async check() {
          expect(await filingsOf(store)).toEqual(whole);
          const { asked, followed } = await pull('2026-06-24T09:00:00Z');
          expect([asked, followed]).toMatchObject([[], [{ upTo: '2026-06-23', left: '' }]]);
        },
      };
    });
  });

  it('names a filing that an index lists and the SEC does not give, and brings it when it is there', async () => {
    const { server, store, pull } = await twoWeeks();
    const bad = filings.find(({ filedOn }) => filedOn === '2026-06-16');
    const isBad = (path: string) => path.endsWith(`/${bad?.accessionNumber}.txt`);
    server.trouble = (_, path) => (isBad(path) ? noSuchKey : undefined);
    expect(await pull(afterAll)).toMatchObject({
      ends: ['daily left: bad-answer'],
      said: expect.stringContaining(`filing ${bad?.accessionNumber}: the SEC lists it`),
      followed: [{ upTo: '2026-06-23', left: expect.stringContaining(`filing ${bad?.accessionNumber}`) }],
    });
    expect(await filingsOf(store)).toEqual(await importedFilings(filings.filter((one) => one !== bad)));
    server.trouble = () => undefined;
    const { ends, asked, followed } = await pull('2026-06-24T13:00:00Z');
    expect([ends, followed]).toMatchObject([['daily pulled'], [{ left: '' }]]);
    expect(asked.filter((path) => !isBad(path))).toEqual([]);
    expect(await filingsOf(store)).toEqual(await importedFilings(filings));
  });

  it('brings the filings of a day whose index the SEC once said it does not have', async () => {
    const { server, store, pull } = await twoWeeks();
    const denied = recording('sec/full-index-403.json').response;
    server.trouble = (_, path) => (path === indexPath('2026-06-17') ? denied : undefined);
    expect((await pull(afterAll)).notes).toEqual(
      ['2026-06-17', '2026-06-19'].map(
        (day) => `the SEC has no index of ${day}: a holiday, unless it comes later`,
      ),
    );
    server.trouble = () => undefined;
    publish(server, '2026-06-24');
    expect(await pull('2026-06-25T12:00:00Z')).toMatchObject({
      ends: ['daily pulled'],
      notes: [],
      followed: [{ upTo: '2026-06-24', left: '' }],
    });
    expect(await filingsOf(store)).toEqual(await importedFilings(filings));
  });

  it('reads the recorded index of 2020-03-18: each of its ownership filings once', async () => {
    const { server, store, pull } = await twoWeeks({ since: '2020-03-18' });
    const lines = recordedBody('sec/form.20200318.first-1200-lines.idx').toString('latin1').split('\n');
    // A fifth of the filings is enough; each has a line for its issuer and one for each owner.
    const kept = lines.filter((line) => !/^[345][ /].*\d{6}\.txt/.test(line) || /[05]\.txt/.test(line));
    server.files[indexPath('2020-03-18')] = Buffer.from(kept.join('\n'), 'latin1');
    const listed = kept.flatMap((line) => {
      const [, form, path] = /^([345](?:\/A)?) .*(edgar\/data\/\S+)/.exec(line) ?? [];
      return form === undefined || path === undefined ? [] : [{ form, path, number: path.slice(-24, -4) }];
    });
    expect(listed.length).toBeGreaterThan(150);
    const numbers = new Set(listed.map(({ number }) => number));
    expect(listed.length).toBeGreaterThan(numbers.size);
    for (const { form, path, number } of listed)
      server.files[`/Archives/${path}`] = submissionText({
        ...{ accessionNumber: number, form, filedOn: '2020-03-18' },
        accepted: '2020-03-18T17:00:00',
      });
    expect((await pull('2020-03-19T12:00:00Z')).asked.length).toBe(1 + numbers.size);
    const withTrades = listed.filter(({ form }) => form !== '3').map(({ number }) => number);
    expect(await numbersIn(store)).toEqual([...new Set(withTrades)].sort());
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
    const { server, pull } = await twoWeeks();
    const path = indexPath('2026-06-16');
    server.files[path] = Buffer.from(change(String(server.files[path])), 'latin1');
    expect(await pull(afterAll)).toMatchObject({
      ends: ['daily failed: bad-answer'],
      said: expect.stringMatching(reason),
      followed: [{ upTo: '2026-06-15' }],
    });
  });

  it('says that the indexes are not where they were if a week has none', async () => {
    const { kind, said } = await (await twoWeeks({ since: '2026-06-01' })).pull(afterAll);
    expect([kind, said]).toEqual([
      'bad-answer',
      expect.stringMatching(/no index of filings for 5 working days in a row, 2026-06-01 to 2026-06-05/),
    ]);
  });
});

describe('beginning a history with the quarterly data sets', () => {
  const page = '/data-research/sec-markets-data/insider-transactions-data-sets';
  const current = '/files/structureddata/data/insider-transactions-data-sets/2022q4_form345.zip';
  const moved = '/files/datastandardsinnovation/data/insider-transactions-data-sets/2023q1_form345.zip';
  const instant = '2023-04-05T12:00:00Z';

  /** The tables of real filings of one issuer that were filed in some months, such as `FEB-2023`. */
  function tablesOf(...months: readonly string[]): Readonly<Record<string, string>> {
    const lines = (name: string) =>
      readData(testData, `sec/form345-maia-reencoded/${name}`).toString().trimEnd().split('\n');
    const isWanted = (line: string) => months.includes((line.split('\t')[1] ?? '').slice(3));
    const wanted = lines('SUBMISSION.tsv').filter(isWanted);
    const numbers = new Set(wanted.map((line) => line.split('\t')[0]));
    return Object.fromEntries(
      ['SUBMISSION.tsv', 'REPORTINGOWNER.tsv', 'NONDERIV_TRANS.tsv'].map((name) => {
        const kept = lines(name).filter((line, i) => i === 0 || numbers.has(line.split('\t')[0]));
        return [name, `${kept.join('\n')}\n`];
      }),
    );
  }

  const older = tablesOf('OCT-2022', 'NOV-2022', 'DEC-2022');
  const newer = tablesOf('JAN-2023', 'FEB-2023', 'MAR-2023');
  const afterwards = filingsOn('2023-04-04', 2);

  function dataSet(tables: Readonly<Record<string, string>>, without?: string): Buffer {
    const derivative =
      'ACCESSION_NUMBER\tDERIV_TRANS_SK\tSECURITY_TITLE\tTRANS_DATE\tTRANS_CODE\tTRANS_SHARES\tTRANS_PRICEPERSHARE\tTRANS_ACQUIRED_DISP_CD\tSHRS_OWND_FOLWNG_TRANS\tDIRECT_INDIRECT_OWNERSHIP\n';
    const readme = '<html>about form 345</html>';
    const all = { ...tables, 'DERIV_TRANS.tsv': derivative, 'FORM_345_readme.htm': readme };
    const members = Object.entries(all).map(([name, content]) => ({ name, content }));
    return Buffer.from(zipOf(members.filter(({ name }) => name !== without)));
  }

  async function withDataSets(since: string) {
    const made = await twoWeeks({ since });
    const { server } = made;
    server.files[page] =
      `<html><a class="x" href="${moved}">2023 Q1</a> <a href='https://www.sec.gov${current}'>2022 Q4</a> <a href="/x.zip">x</a></html>`;
    server.files[current] = dataSet(older);
    server.files[moved] = dataSet(newer);
    server.files[indexPath('2023-04-03')] = formIndex([]);
    server.files[indexPath('2023-04-04')] = formIndex(afterwards);
    server.addFilings('1493761', afterwards);
    return made;
  }

  it('takes whole quarters from where the page links to, then the indexes of the days after them', async () => {
    const { store, pull } = await withDataSets('2022-10-01');
    const { ends, asked, followed } = await pull(instant);
    expect([ends, followed]).toMatchObject([['daily pulled'], [{ upTo: '2023-04-04', left: '' }]]);
    expect(asked.slice(0, 3)).toEqual([page, current, moved]);
    expect(indexesIn(asked.slice(3))).toEqual(['20230403', '20230404']);
    const imported = newStorePath(folder);
    const texts = afterwards.map((one) => [`${one.accessionNumber}.txt`, submissionText(one)]);
    for (const files of [older, newer, Object.fromEntries(texts)])
      await importFiles(imported, files, { latest: '2026-11-22' });
    expect(await filingsOf(store)).toEqual(await filingsOf(imported));
  });

  it('after a failure between two quarters goes on with the next one', async () => {
    const { server, pull } = await withDataSets('2022-11-15');
    server.trouble = (_, path) => (path === moved ? { status: 503, body: '' } : undefined);
    expect((await pull(instant)).followed).toMatchObject([{ upTo: '2022-12-31' }]);
    server.trouble = () => undefined;
    expect((await pull('2023-04-05T13:00:00Z')).asked.slice(0, 2)).toEqual([page, moved]);
  });

  it.each([
    ['a page without links', page, '<html>The page has moved</html>', /links to none of them/],
    ['an archive without a table', current, dataSet(older, 'SUBMISSION.tsv'), /has no SUBMISSION\.tsv/],
    ['the archive of another quarter', current, dataSet(newer), /has no filing of 2022-10-01 to 2022-12-31/],
    ['an archive that broke off', current, dataSet(older).subarray(0, 500), /2022q4_form345\.zip/],
  ])('refuses %s by name', async (_, path, body, reason) => {
    const { server, pull } = await withDataSets('2022-10-01');
    server.files[path] = body;
    const { ends, said } = await pull(instant);
    expect([ends, said]).toEqual([['daily failed: bad-answer'], expect.stringMatching(reason)]);
  });
});
