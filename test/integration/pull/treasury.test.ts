import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import {
  feedOn,
  type LoopbackTreasury,
  loopbackTreasury,
  recordedFeed,
} from '../../support/pull/loopback-treasury.ts';
import { checkBreaks, endings, pullAt } from '../../support/pull/pulling.ts';
import { importFiles, importPaths, newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();

const everything = { limit: 1_000_000 } as const;
const ratesOf = (store: string) =>
  reading(store, async (view) => [
    ...(await view.rates.yields({ ...everything, curveType: 'PAR' })),
    ...(await view.rates.yields({ ...everything, curveType: 'TIPS' })),
  ]);
const importsOf = async (store: string) => (await reading(store, (view) => view.sources.imports())).length;
const followedOf = (store: string) => reading(store, (view) => view.sources.followed());

/** Rates that an import of recorded feeds gives. */
async function imported(...feeds: readonly string[]) {
  const store = newStorePath(folder);
  const files = tempFolder(Object.fromEntries(feeds.map((feed, i) => [`${i}.xml`, feed])));
  await importPaths(
    store,
    feeds.map((_, i) => join(files, `${i}.xml`)),
    { latest: '2026-11-22' },
  );
  return ratesOf(store);
}

const optionsFor = (server: LoopbackTreasury, store = newStorePath(folder)) => ({
  store,
  settings: { treasury: { url: server.url } },
});
const only = (...names: readonly string[]) => ({ request: { treasury: names } });

describe('pulling the curves of Treasury', () => {
  it('for the first time asks for every year since 1990, and since 2003 for the real curve', async () => {
    const server = await loopbackTreasury();
    server.feeds = {};
    server.trouble = (number, feed) =>
      number === 0
        ? {
            status: 200,
            body: recordedFeed('par 2024').replaceAll('2024-', '1990-'),
            type: 'application/xml',
          }
        : { status: 404, body: feed };
    const first = await pullAt('2005-06-01T12:00:00Z', { ...optionsFor(server), request: { treasury: [] } });
    expect(server.asked.slice(0, 1)).toEqual(['par 1990']);
    expect(first.subjects.map(({ name }) => name)).toEqual(['par', 'real']);
    expect(server.asked).toContain('real 2003');
  });

  it('gives the same rates as importing the recorded feeds', async () => {
    const server = await loopbackTreasury('par 2023', 'par 2024', 'real 2003', 'real 2004');
    const options = { ...optionsFor(server), since: '2023-01-01' };
    expect(endings(await pullAt('2024-12-31T23:30:00Z', { ...options, ...only('par') }))).toEqual([
      'par pulled',
    ]);
    await pullAt('2004-12-31T23:30:00Z', { ...options, since: undefined, ...only('real') });
    expect(server.asked).toEqual(['par 2023', 'par 2024', 'real 2003', 'real 2004']);
    const feeds = ['par 2023', 'par 2024', 'real 2003', 'real 2004'].map(recordedFeed);
    const rates = await ratesOf(options.store);
    expect(rates.length).toBe(3250 + 3250 + 750 + 859);
    expect(rates).toEqual(await imported(...feeds));
  });

  it('counts what is new, and says up to which day the store has come', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), since: '2024-01-01', ...only('par') };
    const { subjects } = await pullAt('2024-12-31T23:30:00Z', options);
    expect(subjects).toMatchObject([
      { counts: { new_days: 250, new_rates: 3250 }, requests: 1, upTo: '2024-12-31', left: '' },
    ]);
    expect(await followedOf(options.store)).toMatchObject([
      { source: 'treasury', name: 'par', upTo: '2024-12-31', bookmark: '2024-12-31' },
    ]);
  });

  it('a second time asks for the year of the last day held alone, and changes nothing', async () => {
    const server = await loopbackTreasury('par 2023', 'par 2024');
    const options = { ...optionsFor(server), since: '2023-01-01', ...only('par') };
    await pullAt('2024-12-31T23:30:00Z', options);
    const before = await ratesOf(options.store);
    const second = await pullAt('2024-12-31T23:40:00Z', { ...options, request: undefined });
    expect(server.asked).toEqual(['par 2023', 'par 2024', 'par 2024']);
    expect(endings(second)).toEqual(['par nothing-new']);
    expect(await ratesOf(options.store)).toEqual(before);
    expect(await importsOf(options.store)).toBe(2);
  });

  it('on days of incremental runs gives what one run gives, and asks for as many feeds as years', async () => {
    const feed = recordedFeed('par 2024');
    const whole = await imported(recordedFeed('par 2023'), feed);
    const days = fc.uniqueArray(
      fc.date({ min: new Date('2023-12-25'), max: new Date('2024-12-30'), noInvalidDate: true }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(days, async (runs) => {
        const server = await loopbackTreasury('par 2023');
        const options = { ...optionsFor(server), ...only('par'), since: '2023-01-01' };
        for (const day of [...runs].sort((a, b) => a.getTime() - b.getTime())) {
          const on = day.toISOString().slice(0, 10);
          server.feeds = { 'par 2023': feedOn(recordedFeed('par 2023'), on) };
          if (on >= '2024-01-02') server.feeds['par 2024'] = feedOn(feed, on);
          await pullAt(`${on}T23:30:00Z`, options);
        }
        server.feeds = { 'par 2023': recordedFeed('par 2023'), 'par 2024': feed };
        await pullAt('2024-12-31T23:30:00Z', options);
        expect(await ratesOf(options.store)).toEqual(whole);
      }),
      { numRuns: 5 },
    );
  });

  it('that breaks off at any request goes on there, and gives what one run gives', async () => {
    const whole = await imported(
      ...['par 2009', 'par 2010'].map(recordedFeed),
      ...['real 2003', 'real 2004'].map(recordedFeed),
    );
    const faults = [
      'cut' as const,
      { status: 503, body: '<html>maintenance</html>' },
      { status: 200, body: '<html>maintenance</html>' },
      { status: 429, body: '' },
    ];
    await checkBreaks({ faults, requests: 3, numRuns: 8 }, async () => {
      const server = await loopbackTreasury('par 2009', 'par 2010', 'real 2003', 'real 2004');
      const options = optionsFor(server);
      return {
        server,
        async run() {
          await pullAt('2010-12-31T23:30:00Z', { ...options, ...only('par'), since: '2009-01-01' });
          await pullAt('2004-12-31T23:30:00Z', { ...options, ...only('real') });
        },
        async check() {
          expect(await ratesOf(options.store)).toEqual(whole);
          expect(await followedOf(options.store)).toMatchObject([
            { name: 'par', upTo: '2010-12-31', left: '' },
            { name: 'real', upTo: '2004-12-31', left: '' },
          ]);
        },
      };
    });
  });

  it('notes a day without a curve, and takes no rate for display', async () => {
    const server = await loopbackTreasury('par 2010');
    const options = { ...optionsFor(server), ...only('par'), since: '2010-01-01' };
    const { subjects } = await pullAt('2010-12-31T23:30:00Z', options);
    expect(subjects[0]?.notes).toEqual(['2010-10-11 has no rates: a day without a curve']);
    expect((await ratesOf(options.store)).filter(({ tradeDate }) => tradeDate === '2010-10-11')).toEqual([]);
  });

  it('reports a rate that contradicts the store, keeps the store’s, and stores the days after it', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    server.feeds = { 'par 2024': feedOn(recordedFeed('par 2024'), '2024-06-28') };
    await pullAt('2024-06-30T12:00:00Z', options);
    const changed = recordedFeed('par 2024').replace(
      /(2024-01-03T00:00:00[\s\S]*?<d:BC_10YEAR[^>]*>)[^<]+/,
      '$19.99',
    );
    server.feeds = { 'par 2024': changed };
    const summary = await pullAt('2024-12-31T23:30:00Z', options);
    expect(endings(summary)).toEqual(['par conflict: bad-answer']);
    expect(summary.subjects[0]?.problem?.detail).toMatch(
      /1 conflict; the store keeps what it has:\n.*PAR 2024-01-03 10Y: 9\.99 \(U\.S\. Treasury\), against 3\.91 /,
    );
    expect(await ratesOf(options.store)).toEqual(await imported(recordedFeed('par 2024')));
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2024-12-31' }]);
  });

  /** A feed with another text in the place of the ten-year rate of a day. */
  const spoilt = (feed: string, day: string, rate: string) =>
    feed.replace(new RegExp(`(${day}T00:00:00[\\s\\S]*?<d:BC_10YEAR[^>]*>)[^<]+`), `$1${rate}`);
  const without = async (store: string, day: string) => {
    const rates = await ratesOf(store);
    expect(rates.filter(({ tradeDate }) => tradeDate === day)).toEqual([]);
    return rates.length;
  };

  it('with one bad entry stores the other days, names the bad one, and brings it when it is right', async () => {
    const server = await loopbackTreasury('par 2023', 'par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2023-01-01' };
    server.feeds['par 2023'] = spoilt(recordedFeed('par 2023'), '2023-03-06', 'n/a');
    const first = await pullAt('2024-12-31T23:30:00Z', options);
    expect(endings(first)).toEqual(['par left: bad-answer']);
    expect(first.subjects[0]?.problem?.detail).toMatch(/2023-03-06: .*BC_10YEAR.*"n\/a": not a rate/);
    expect(await without(options.store, '2023-03-06')).toBe(2 * 3250 - 13);
    expect(await followedOf(options.store)).toMatchObject([
      { upTo: '2024-12-31', left: expect.stringMatching(/^2023-03-06 \(/) },
    ]);
    const asked = server.asked.length;
    expect(endings(await pullAt('2025-01-02T12:00:00Z', options))).toEqual(['par left: bad-answer']);
    expect(server.asked.slice(asked)).toEqual(['par 2023', 'par 2024', 'par 2025']);
    server.feeds['par 2023'] = recordedFeed('par 2023');
    expect(endings(await pullAt('2025-01-02T13:00:00Z', options))).toEqual(['par pulled']);
    expect(await ratesOf(options.store)).toEqual(
      await imported(recordedFeed('par 2023'), recordedFeed('par 2024')),
    );
    expect(await followedOf(options.store)).toMatchObject([{ left: '', bookmark: '2024-12-31' }]);
  });

  it('with a bad entry for 30 days gives it up, says so once, and asks with --full again', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    const feed = spoilt(recordedFeed('par 2024'), '2024-03-05', 'n/a');
    server.feeds['par 2024'] = feedOn(feed, '2024-10-31');
    expect(endings(await pullAt('2024-11-01T12:00:00Z', options))).toEqual(['par left: bad-answer']);
    server.feeds['par 2024'] = feedOn(feed, '2024-12-02');
    const last = await pullAt('2024-12-02T12:00:00Z', options);
    expect(last.subjects[0]?.problem?.detail).toMatch(/2024-03-05: .*; given up after 30 days/);
    expect(endings(await pullAt('2024-12-31T12:00:00Z', options))).toEqual(['par nothing-new']);
    expect(await followedOf(options.store)).toMatchObject([{ left: '' }]);
    const full = await pullAt('2024-12-31T13:00:00Z', { ...options, full: true });
    expect(endings(full)).toEqual(['par left: bad-answer']);
  });

  it('whose last days asof cannot read names them in every run, and reads them when it can', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    const [known, renamed] = ['BC_10YEAR', 'BC_15YEAR'];
    server.feeds['par 2024'] = recordedFeed('par 2024').replace(/<entry>[\s\S]*?<\/entry>/g, (entry) =>
      /NEW_DATE[^>]*>2024-1[012]/.test(entry) ? entry.replaceAll(known, renamed) : entry,
    );
    for (const day of ['2024-11-01', '2024-12-15', '2024-12-31'])
      expect(endings(await pullAt(`${day}T23:30:00Z`, options))).toEqual(['par left: bad-answer']);
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2024-09-30' }]);
    server.feeds['par 2024'] = recordedFeed('par 2024');
    expect(endings(await pullAt('2024-12-31T23:40:00Z', options))).toEqual(['par pulled']);
    expect(await ratesOf(options.store)).toEqual(await imported(recordedFeed('par 2024')));
  });

  it('with an entry of another year or curve leaves that entry out by name', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    const [foreign = ''] = /<entry>[\s\S]*?<\/entry>/.exec(recordedFeed('par 2023')) ?? [];
    const [real = ''] = /<entry>[\s\S]*?<\/entry>/.exec(recordedFeed('real 2004')) ?? [];
    server.feeds['par 2024'] = recordedFeed('par 2024').replace('<entry>', `${foreign}${real}<entry>`);
    const { subjects } = await pullAt('2024-12-31T23:30:00Z', options);
    expect(subjects[0]?.problem?.detail).toMatch(/2023-01-03: it has the PAR rate of 2023-01-03 1M/);
    expect(subjects[0]?.problem?.detail).toMatch(/2004-01-02: it has the TIPS rate of 2004-01-02 5Y/);
    expect(await ratesOf(options.store)).toEqual(await imported(recordedFeed('par 2024')));
  });

  it('with an entry of a day to come leaves that day out until it is there', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    const first = await pullAt('2024-12-26T12:00:00Z', options);
    expect(endings(first)).toEqual(['par left: bad-answer']);
    expect(first.subjects[0]?.problem?.detail).toMatch(/2024-12-30: it is dated in the future/);
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2024-12-27' }]);
    expect(endings(await pullAt('2024-12-31T12:00:00Z', options))).toEqual(['par pulled']);
    expect(await ratesOf(options.store)).toEqual(await imported(recordedFeed('par 2024')));
  });

  it('with a bad entry of a day that the store has keeps the store’s rates and says so', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    await pullAt('2024-12-31T12:00:00Z', options);
    server.feeds['par 2024'] = spoilt(recordedFeed('par 2024'), '2024-03-05', 'n/a');
    const { subjects } = await pullAt('2024-12-31T23:30:00Z', options);
    expect(subjects).toMatchObject([{ outcome: 'nothing-new', left: '' }]);
    expect(subjects[0]?.notes.join()).toMatch(/^2024-03-05: .*; the store has the rates of that day/);
  });

  it('keeps what the feed no longer serves', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    await pullAt('2024-12-31T23:30:00Z', options);
    server.feeds = { 'par 2024': feedOn(recordedFeed('par 2024'), '2024-01-31') };
    expect(endings(await pullAt('2024-12-31T23:40:00Z', options))).toEqual(['par nothing-new']);
    expect((await ratesOf(options.store)).length).toBe(3250);
  });

  it('stores nothing that was imported before again, and goes on after it', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    await importFiles(
      options.store,
      { '2024.xml': feedOn(recordedFeed('par 2024'), '2024-12-30') },
      { latest: '2024-12-31' },
    );
    const { subjects } = await pullAt('2024-12-31T23:30:00Z', options);
    expect(subjects[0]?.counts).toEqual({ new_days: 1, new_rates: 13 });
  });

  it('in the first days of a year takes a feed without entries for a year without a curve yet', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    const summary = await pullAt('2025-01-01T12:00:00Z', options);
    expect(server.asked).toEqual(['par 2024', 'par 2025']);
    expect(endings(summary)).toEqual(['par pulled']);
    expect(await followedOf(options.store)).toMatchObject([{ upTo: '2024-12-31', left: '' }]);
    expect(endings(await pullAt('2025-02-01T12:00:00Z', options))).toEqual(['par failed: bad-answer']);
  });

  it.each([
    ['a page of HTML', () => '<!DOCTYPE html><html><body>maintenance</body></html>', /cannot be read/],
    [
      'a maturity that asof does not know',
      (feed: string) => feed.replaceAll('BC_10YEAR', 'BC_15YEAR'),
      /BC_15YEAR/,
    ],
    ['entries of another name', (feed: string) => feed.replaceAll('entry>', 'item>'), /no entry/],
    ['another year', () => recordedFeed('par 2023'), /it has the PAR rate of 2023-01-03/],
    [
      'a date in another form',
      (feed: string) => feed.replace(/(\d{4})-(\d\d)-(\d\d)T00:00:00/g, '$2/$3/$1'),
      /NEW_DATE/,
    ],
  ])('refuses a feed with %s by name, and stores nothing of it', async (_, change, reason) => {
    const server = await loopbackTreasury('par 2024');
    server.feeds = { 'par 2024': change(recordedFeed('par 2024')) };
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    await importFiles(options.store, {
      'x.csv': 'series_id,date,as_of_date,value\nX,2020-01-01,2020-02-01,1\n',
    });
    const summary = await pullAt('2024-12-31T23:30:00Z', options);
    expect(endings(summary)).toEqual(['par failed: bad-answer']);
    expect(summary.subjects[0]?.problem?.detail).toMatch(reason);
    expect(await ratesOf(options.store)).toEqual([]);
    expect(await followedOf(options.store)).toMatchObject([{ name: 'par', bookmark: '' }]);
  });

  it('says that the clock is wrong if it is behind the store, and asks nothing', async () => {
    const server = await loopbackTreasury('par 2024');
    const options = { ...optionsFor(server), ...only('par'), since: '2024-01-01' };
    await pullAt('2024-12-31T23:30:00Z', options);
    const { stops } = await pullAt('2020-01-15T12:00:00Z', options);
    expect(stops[0]?.problem.kind).toBe('local-io');
    expect(stops[0]?.problem.detail).toMatch(
      /the clock of this machine says 2020-01-1\d, .* up to 2024-12-31/,
    );
    expect(server.asked).toEqual(['par 2024']);
  });

  it('refuses the feed of another kind of curve', async () => {
    const server = await loopbackTreasury();
    server.feeds = { 'par 2004': recordedFeed('real 2004') };
    const options = { ...optionsFor(server), ...only('par'), since: '2004-01-01' };
    const { subjects } = await pullAt('2004-12-31T23:30:00Z', options);
    expect(subjects[0]?.problem?.detail).toMatch(/it has the TIPS rate of 2004-01-02 5Y/);
  });

  it('refuses a kind of curve that there is none of', async () => {
    const server = await loopbackTreasury();
    await expect(
      pullAt('2024-12-31T23:30:00Z', { ...optionsFor(server), ...only('nominal') }),
    ).rejects.toThrow('"nominal" is not a kind of curve: use par or real');
    expect(server.asked).toEqual([]);
  });

  it('says for a dry run how many feeds it would ask for, and asks for none', async () => {
    const server = await loopbackTreasury();
    const summary = await pullAt('2026-06-01T12:00:00Z', {
      ...optionsFor(server),
      request: { treasury: [] },
      dryRun: true,
    });
    expect(summary.subjects.map(({ outcome }) => outcome)).toEqual(['planned', 'planned']);
    expect(summary.subjects.map(({ requests }) => requests)).toEqual([37, 24]);
    expect(server.asked).toEqual([]);
  });
});
