import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/series/date.ts';
import { writing } from '../../../src/store/open.ts';
import { onEveryEngine } from '../../support/engines.ts';
import {
  type LoopbackFiling,
  listOf,
  loopbackContact,
  loopbackSec,
  noSuchKey,
  submissionText,
} from '../../support/pull/loopback-sec.ts';
import type { Trouble } from '../../support/pull/loopback-treasury.ts';
import { checkBreaks, endings, pullAt } from '../../support/pull/pulling.ts';
import { recording } from '../../support/recordings.ts';
import { reading } from '../../support/scratch-store.ts';

const first = '2026-02-03';

function filing(n: number, filedOn: string, form = '4'): LoopbackFiling {
  const accessionNumber = `0000000001-${filedOn.slice(2, 4)}-${String(n).padStart(6, '0')}`;
  return { accessionNumber, form, filedOn, accepted: `${filedOn}T16:30:00`, cik: '1' };
}

/** Thirteen filings, among them three without trades. */
const filings = Array.from({ length: 13 }, (_, i) =>
  filing(i + 1, addDays('2025-10-01', 7 * i), i % 5 === 1 ? '3' : '4'),
);
const bad = filings[4] ?? filing(0, first);
const other = filings[5] ?? filing(0, first);
const isBad = (path: string) => path.endsWith(`/${bad.accessionNumber}.txt`);
const list = '/submissions/CIK0000000001.json';

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
    { status: 200, body: submissionText(other) },
    /the SEC answers with filing 0000000001-25-000006/,
  ],
  [
    'another form',
    { status: 200, body: submissionText({ ...bad, form: '4/A' }) },
    /the SEC lists form 4 and answers with form 4\/A/,
  ],
  [
    'a filing of a day to come',
    { status: 200, body: submissionText({ ...bad, filedOn: '2027-01-04' }) },
    /its filing date, 2027-01-04, is in the future/,
  ],
  [
    'a filing of another filer',
    { status: 200, body: submissionText({ ...bad, cik: '2' }) },
    /the SEC answers with a filing of CIK 2, not 1/,
  ],
];

onEveryEngine((engine) => {
  async function company(listed: readonly LoopbackFiling[] = filings) {
    const server = await loopbackSec();
    server.files[list] = listOf('1', listed, []);
    server.addFilings('1', listed);
    const store = engine.newAddress();
    const settings = { sec: { url: server.url, contact: loopbackContact } };
    const numbers = async () => {
      const stored = await reading(store, (view) => view.filings.page({ limit: 1000 }));
      return stored.map(({ accessionNumber }) => accessionNumber).sort();
    };
    const run = (day: string, options: object = {}) =>
      pullAt(`${day}T17:00:00Z`, { store, settings, request: { sec: ['cik 1'] }, ...options });
    const followed = async () => (await reading(store, (view) => view.sources.followed()))[0];
    return { server, store, run, numbers, followed };
  }

  const withTrades = (some: readonly LoopbackFiling[]) =>
    some
      .filter(({ form }) => form !== '3')
      .map(({ accessionNumber }) => accessionNumber)
      .sort();

  describe('a filing that the SEC lists and does not give', () => {
    it.each(faults)(
      'with %s is named, is asked for again, and arrives when it is there',
      async (_, trouble, why) => {
        const { server, run, numbers, followed } = await company();
        server.trouble = (_number, path) => (isBad(path) ? trouble : undefined);
        const once = await run(first);
        expect(endings(once)).toEqual(['cik 1 left: bad-answer']);
        expect(once.subjects[0]?.problem?.detail).toMatch(why);
        expect(once.subjects[0]?.problem?.detail).toContain(`filing ${bad.accessionNumber}`);
        expect(await numbers()).toEqual(withTrades(filings.filter((one) => one !== bad)));
        expect(await followed()).toMatchObject({
          left: expect.stringContaining(`filing ${bad.accessionNumber} (`),
        });
        const asked = server.asked.length;
        expect(endings(await run('2026-02-10'))).toEqual(['cik 1 left: bad-answer']);
        expect(server.asked.slice(asked)).toEqual([list, expect.stringContaining(bad.accessionNumber)]);
        server.trouble = () => undefined;
        expect(endings(await run('2026-02-11'))).toEqual(['cik 1 pulled']);
        expect(await numbers()).toEqual(withTrades(filings));
        expect(await followed()).toMatchObject({ left: '' });
        const after = server.asked.length;
        expect(endings(await run('2026-02-12'))).toEqual(['cik 1 nothing-new']);
        expect(server.asked.slice(after)).toEqual([list]);
      },
    );

    it('is asked for again in the same run, and is whole at the second try', async () => {
      const { server, run, numbers } = await company();
      let failed = false;
      server.trouble = (_, path) => {
        if (!isBad(path) || failed) return undefined;
        failed = true;
        return noSuchKey;
      };
      expect(endings(await run(first, { retries: 3 }))).toEqual(['cik 1 pulled']);
      expect(await numbers()).toEqual(withTrades(filings));
    });

    it('is given up after 30 days, which is said once, and --full asks for it once more', async () => {
      const { server, run, numbers, followed } = await company();
      server.trouble = (_, path) => (isBad(path) ? noSuchKey : undefined);
      await run(first);
      expect(endings(await run(addDays(first, 30)))).toEqual(['cik 1 left: bad-answer']);
      const last = await run(addDays(first, 31));
      expect(endings(last)).toEqual(['cik 1 left: bad-answer']);
      expect(last.subjects[0]?.problem?.detail).toMatch(/000005: .*; given up after 30 days/);
      expect(last.subjects[0]?.problem?.hints).toEqual(['--full asks once more for what was given up']);
      expect(await followed()).toMatchObject({
        left: expect.stringMatching(/^given up after 30 days: filing/),
      });
      const asked = server.asked.length;
      expect(endings(await run(addDays(first, 32)))).toEqual(['cik 1 nothing-new']);
      expect(server.asked.slice(asked)).toEqual([list]);
      expect(await followed()).toMatchObject({ left: '' });
      server.trouble = () => undefined;
      expect(endings(await run(addDays(first, 33), { full: true }))).toEqual(['cik 1 pulled']);
      expect(await numbers()).toEqual(withTrades(filings));
    });

    it('is no longer asked for when an import or another subject brought it', async () => {
      const { server, run, followed } = await company();
      server.files['/submissions/CIK0000000002.json'] = listOf('2', [bad], []);
      server.files[
        `/Archives/edgar/data/2/${bad.accessionNumber.replaceAll('-', '')}/${bad.accessionNumber}.txt`
      ] = submissionText({ ...bad, cik: '2' });
      server.trouble = (_, path) => (path.includes('/data/1/') && isBad(path) ? noSuchKey : undefined);
      await run(first);
      await run(first, { request: { sec: ['cik 2'] } });
      expect(endings(await run(addDays(first, 1)))).toEqual(['cik 1 nothing-new']);
      expect(await followed()).toMatchObject({ left: '' });
    });

    it('does not hide that the SEC answers nothing any more, and three in a row stop the pull', async () => {
      const { server, run, numbers } = await company();
      server.trouble = (_, path) => (path.startsWith('/Archives') ? { status: 503, body: '' } : undefined);
      const summary = await run(first);
      expect(endings(summary)).toEqual(['cik 1 failed: service-unavailable']);
      expect(server.asked.length).toBe(4);
      server.trouble = () => undefined;
      await run(first);
      expect(await numbers()).toEqual(withTrades(filings));
    });
  });

  describe('the list of a company', () => {
    it('that has a filing months late brings it', async () => {
      const late = filing(90, '2025-10-02');
      const { server, run, numbers } = await company();
      await run(first);
      server.files[list] = listOf('1', [...filings, late], []);
      server.addFilings('1', [late]);
      const asked = server.asked.length;
      expect(endings(await run('2026-02-04'))).toEqual(['cik 1 pulled']);
      expect(server.asked.length - asked).toBe(2);
      expect(await numbers()).toEqual(withTrades([...filings, late]));
    });

    it('is read again in the older pages that changed, and in no other', async () => {
      const [page, still] = ['CIK0000000001-submissions-001.json', 'CIK0000000001-submissions-002.json'];
      const [old, late, oldest] = [
        filing(50, '2019-01-02'),
        filing(51, '2018-05-05'),
        filing(52, '2005-05-05'),
      ];
      const { server, run, numbers } = await company();
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
      await run(first);
      serve([old, late]);
      const asked = server.asked.length;
      await run('2026-02-04');
      expect(server.asked.slice(asked, asked + 2)).toEqual([list, `/submissions/${page}`]);
      expect(server.asked.length - asked).toBe(3);
      expect(await numbers()).toEqual(withTrades([...filings, old, late, oldest]));
    });

    it('of whose pages one is absent, cut or another one brings the rest, and the page when it is there', async () => {
      const page = 'CIK0000000001-submissions-001.json';
      const old = filing(50, '2019-01-02');
      for (const body of ['', listOf('1', [old]).slice(0, 40), listOf('1', [old, filing(9, '2019-03-03')])]) {
        const { server, run, numbers, followed } = await company();
        const pages = [{ name: page, filingFrom: '2019-01-01', filingTo: '2019-12-31', filingCount: 1 }];
        server.files[list] = listOf('1', filings, pages);
        if (body !== '') server.files[`/submissions/${page}`] = body;
        server.addFilings('1', [old]);
        expect(endings(await run(first))).toEqual(['cik 1 left: bad-answer']);
        expect(await numbers()).toEqual(withTrades(filings));
        expect(await followed()).toMatchObject({ left: expect.stringContaining(page) });
        server.files[`/submissions/${page}`] = listOf('1', [old]);
        expect(endings(await run('2026-02-04'))).toEqual(['cik 1 pulled']);
        expect(await numbers()).toEqual(withTrades([...filings, old]));
      }
    });
  });

  describe('a bookmark of an earlier version', () => {
    it('is read, and what that version lost arrives', async () => {
      const { server, store, run, numbers } = await company();
      await run(first, { since: '2025-11-01' });
      const lost = filing(70, '2026-01-20');
      server.files[list] = listOf('1', [...filings, lost], []);
      server.addFilings('1', [lost]);
      await writing(store, async (writer) => {
        const record = (await reading(store, (view) => view.sources.followed()))[0];
        if (record === undefined) throw new Error('nothing is followed');
        // As it was before: the filings that were asked for in the last thirty days, also where nothing came.
        const done = [lost, ...filings].map(({ accessionNumber }) => accessionNumber);
        const bookmark = JSON.stringify({ from: '2025-11-01', through: '2026-01-20', done });
        await writer.follow({ ...record, bookmark });
        await writer.commit();
      });
      expect(endings(await run('2026-02-04'))).toEqual(['cik 1 pulled']);
      expect(await numbers()).toEqual(
        withTrades([...filings, lost].filter(({ filedOn }) => filedOn >= '2025-11-01')),
      );
      const asked = server.asked.length;
      await run('2026-02-05');
      expect(server.asked.length - asked).toBe(1);
    });
  });

  it('A pull with wrong answers at random requests comes to the whole when they are right', async () => {
    const wrong = faults.flatMap(([, trouble]) => (trouble === undefined ? [] : [trouble]));
    await checkBreaks({ faults: wrong, requests: 13, numRuns: 6 }, async () => {
      const { server, run, numbers, followed } = await company();
      let day = first;
      return {
        server,
        async run() {
          day = addDays(day, 1);
          await run(day);
        },
        async check() {
          expect(await numbers()).toEqual(withTrades(filings));
          expect(await followed()).toMatchObject({ left: '' });
        },
      };
    });
  });
});
