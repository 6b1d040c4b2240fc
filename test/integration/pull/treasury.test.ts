import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PullOptions } from '../../../src/pull/options.ts';
import { writing } from '../../../src/store/open.ts';
import { runs } from '../../support/arbitrary.ts';
import { feedOn, loopbackTreasury, recordedFeed } from '../../support/pull/loopbacks.ts';
import { importedRates, puller, ratesOf } from '../../support/pull/pulling.ts';
import { importFiles, reading } from '../../support/scratch-store.ts';

/** The par curves of the first days of 2024: 21 days in January, with 13 maturities each. */
const january = feedOn('par 2024', '2024-01-31');
const endOfJanuary = '2024-01-31T23:30:00Z';

/** Treasury with these feeds, and a store that follows its par curves since 2024. */
async function treasury(
  feeds: Record<string, string> = { 'par 2024': january },
  options: Partial<PullOptions> = {},
) {
  const server = await loopbackTreasury();
  server.feeds = feeds;
  const own = puller(server, { request: { treasury: ['par'] }, since: '2024-01-01', ...options });
  return { ...own, server, rates: () => ratesOf(own.store) };
}

/** A feed with another text in the place of the ten-year rate of a day. */
const spoilt = (feed: string, day: string, rate: string) =>
  feed.replace(new RegExp(`(${day}T00:00:00[\\s\\S]*?<d:BC_10YEAR[^>]*>)[^<]+`), `$1${rate}`);

describe('pulling the curves of Treasury', () => {
  it('for the first time asks for every year since 1990, and since 2003 for the real curve', async () => {
    const { server, pull } = await treasury({}, { since: undefined });
    server.trouble = () => ({ status: 404, body: '' });
    const { asked, subjects } = await pull('2005-06-01T12:00:00Z', { request: { treasury: [] } });
    expect(subjects.map(({ name }) => name)).toEqual(['par', 'real']);
    expect(asked).toEqual(['par 1990', 'real 2003']);
  });

  it('gives the same rates as importing the recorded feeds', async () => {
    const names = ['par 2023', 'par 2024', 'real 2003', 'real 2004'];
    const feeds = Object.fromEntries(names.map((name) => [name, recordedFeed(name)]));
    const { server, pull, rates } = await treasury(feeds, { since: '2023-01-01' });
    expect(await pull('2024-12-31T23:30:00Z')).toMatchObject({
      ends: ['par pulled'],
      subjects: [{ counts: { new_days: 500, new_rates: 6500 }, requests: 2, upTo: '2024-12-31', left: '' }],
      followed: [
        {
          source: 'treasury',
          name: 'par',
          upTo: '2024-12-31',
          bookmark: expect.stringContaining('2024-12-31'),
        },
      ],
    });
    await pull('2004-12-31T23:30:00Z', { since: undefined, request: { treasury: ['real'] } });
    expect(server.asked).toEqual(names);
    const found = await rates();
    expect(found.length).toBe(3250 + 3250 + 750 + 859);
    expect(found).toEqual(await importedRates(...Object.values(feeds)));
  });

  it('a second time asks for the year of the last day held alone, and changes nothing', async () => {
    const december = feedOn('par 2023', '2023-12-31', '2023-12-01');
    const { store, pull, rates } = await treasury(
      { 'par 2023': december, 'par 2024': january },
      { since: '2023-01-01' },
    );
    expect((await pull(endOfJanuary)).asked).toEqual(['par 2023', 'par 2024']);
    const before = await rates();
    expect(await pull('2024-01-31T23:40:00Z', { request: undefined })).toMatchObject({
      ends: ['par nothing-new'],
      asked: ['par 2024'],
    });
    expect(await rates()).toEqual(before);
    expect((await reading(store, (view) => view.sources.imports())).length).toBe(2);
  });

  it('on days of incremental runs gives what one run gives', async () => {
    const on = (day: string) => ({
      'par 2023': feedOn('par 2023', day, '2023-12-20'),
      ...(day >= '2024-01-02' && { 'par 2024': feedOn('par 2024', day) }),
    });
    const end = '2024-01-31';
    const whole = await importedRates(...Object.values(on(end)));
    const day = fc.date({ min: new Date('2023-12-25'), max: new Date('2024-01-30'), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(day, { minLength: 1, maxLength: 4 }), async (dates) => {
        const { server, pull, rates } = await treasury({}, { since: '2023-01-01' });
        for (const today of [...dates.map((date) => date.toISOString().slice(0, 10)).sort(), end]) {
          server.feeds = on(today);
          await pull(`${today}T23:30:00Z`);
        }
        expect(await rates()).toEqual(whole);
      }),
      { numRuns: runs(5) },
    );
  });

  it('notes a day without a curve, and takes no rate for display', async () => {
    const october = feedOn('par 2010', '2010-10-31', '2010-10-01');
    const { pull, rates } = await treasury({ 'par 2010': october }, { since: '2010-01-01' });
    expect((await pull('2010-12-31T23:30:00Z')).notes).toEqual([
      '2010-10-11 has no rates: a day without a curve',
    ]);
    expect((await rates()).filter(({ tradeDate }) => tradeDate === '2010-10-11')).toEqual([]);
  });

  it('reports a rate that contradicts the store, keeps the store’s, and stores the days after it', async () => {
    const { server, pull, rates } = await treasury({ 'par 2024': feedOn('par 2024', '2024-01-12') });
    await pull('2024-01-12T23:30:00Z');
    server.feeds = { 'par 2024': spoilt(january, '2024-01-03', '9.99') };
    const { ends, said, followed } = await pull(endOfJanuary);
    expect([ends, followed]).toMatchObject([['par conflict: bad-answer'], [{ upTo: '2024-01-31' }]]);
    expect(said).toMatch(
      /1 conflict; asof keeps the stored data:\n.*PAR 2024-01-03 10Y: 9\.99 \(U\.S\. Treasury\), against 3\.91 /,
    );
    expect(await rates()).toEqual(await importedRates(january));
  });

  it('with one bad entry stores the other days, names the bad one, and brings it when it is right', async () => {
    const december = feedOn('par 2023', '2023-12-31', '2023-12-01');
    const { server, pull, rates } = await treasury(
      { 'par 2023': spoilt(december, '2023-12-06', 'n/a'), 'par 2024': january },
      { since: '2023-01-01' },
    );
    expect(await pull(endOfJanuary)).toMatchObject({
      ends: ['par left: bad-answer'],
      said: expect.stringMatching(/2023-12-06: .*BC_10YEAR.*"n\/a": neither a decimal number nor empty/),
      followed: [{ upTo: '2024-01-31', left: expect.stringMatching(/^2023-12-06 \(/) }],
    });
    // The days of December and January, and 13 maturities.
    const found = await rates();
    expect(found.length).toBe((20 + 21 - 1) * 13);
    expect(found.filter(({ tradeDate }) => tradeDate === '2023-12-06')).toEqual([]);
    expect(await pull('2024-02-01T12:00:00Z')).toMatchObject({
      ends: ['par left: bad-answer'],
      asked: ['par 2023', 'par 2024'],
    });
    server.feeds['par 2023'] = december;
    expect(await pull('2024-02-01T13:00:00Z')).toMatchObject({
      ends: ['par pulled'],
      followed: [{ left: '', bookmark: expect.stringContaining('2024-01-31') }],
    });
    expect(await rates()).toEqual(await importedRates(december, january));
  });

  it('whose last days asof cannot read names them in every run, and reads them when it can', async () => {
    const { server, pull, rates } = await treasury();
    server.feeds['par 2024'] = january.replace(/<entry>[\s\S]*?<\/entry>/g, (entry) =>
      /NEW_DATE[^>]*>2024-01-(1[6-9]|[23])/.test(entry) ? entry.replaceAll('BC_10YEAR', 'BC_15YEAR') : entry,
    );
    for (const day of ['2024-01-31', '2024-03-15'])
      expect(await pull(`${day}T23:30:00Z`)).toMatchObject({
        ends: ['par left: bad-answer'],
        followed: [{ upTo: '2024-01-12' }],
      });
    server.feeds['par 2024'] = january;
    expect((await pull('2024-03-15T23:40:00Z')).ends).toEqual(['par pulled']);
    expect(await rates()).toEqual(await importedRates(january));
  });

  it('with an entry of another year or curve leaves that entry out by name', async () => {
    const [foreign = ''] = /<entry>[\s\S]*?<\/entry>/.exec(recordedFeed('par 2023')) ?? [];
    const [real = ''] = /<entry>[\s\S]*?<\/entry>/.exec(recordedFeed('real 2004')) ?? [];
    const { pull, rates } = await treasury({
      'par 2024': january.replace('<entry>', `${foreign}${real}<entry>`),
    });
    const { said } = await pull(endOfJanuary);
    expect(said).toMatch(/2023-01-03: it has the PAR rate of 2023-01-03 1M/);
    expect(said).toMatch(/2004-01-02: it has the TIPS rate of 2004-01-02 5Y/);
    expect(await rates()).toEqual(await importedRates(january));
  });

  it('with an entry of a day to come leaves that day out until it is there', async () => {
    const { pull, rates } = await treasury();
    // 2024-01-26 has begun somewhere on Earth; the days after the weekend have not.
    expect(await pull('2024-01-25T12:00:00Z')).toMatchObject({
      ends: ['par left: bad-answer'],
      said: expect.stringMatching(/2024-01-29: it is dated in the future/),
      followed: [{ upTo: '2024-01-26' }],
    });
    expect((await pull(endOfJanuary)).ends).toEqual(['par pulled']);
    expect(await rates()).toEqual(await importedRates(january));
  });

  it('with a bad entry of a day that the store has keeps the store’s rates and says so', async () => {
    const { server, pull } = await treasury();
    await pull(endOfJanuary);
    server.feeds['par 2024'] = spoilt(january, '2024-01-03', 'n/a');
    const { subjects, notes } = await pull(endOfJanuary);
    expect(subjects).toMatchObject([{ outcome: 'nothing-new', left: '' }]);
    expect(notes.join()).toMatch(/^2024-01-03: .*; the store has the rates of that day/);
  });

  it('goes on from the day that an earlier version noted, and brings the years before it for an earlier --since', async () => {
    const { server, store, pull } = await treasury({ 'par 2024': feedOn('par 2024', '2024-01-12') });
    const { followed } = await pull('2024-01-12T23:30:00Z');
    await writing(store, async (writer) => {
      for (const record of followed) await writer.follow({ ...record, bookmark: '2024-01-12' });
      await writer.commit();
    });
    server.feeds = { 'par 2023': feedOn('par 2023', '2023-12-31', '2023-12-01'), 'par 2024': january };
    expect((await pull(endOfJanuary)).asked).toEqual(['par 2024']);
    expect((await pull(endOfJanuary, { since: '2023-12-01' })).asked).toEqual(['par 2023', 'par 2024']);
  });

  it('keeps what the feed no longer serves', async () => {
    const { server, pull, rates } = await treasury();
    await pull(endOfJanuary);
    server.feeds = { 'par 2024': feedOn('par 2024', '2024-01-05') };
    expect((await pull(endOfJanuary)).ends).toEqual(['par nothing-new']);
    expect((await rates()).length).toBe(21 * 13);
  });

  it('stores nothing that was imported before again, and goes on after it', async () => {
    const { store, pull } = await treasury();
    await importFiles(store, { '2024.xml': feedOn('par 2024', '2024-01-30') }, { latest: '2024-12-31' });
    expect((await pull(endOfJanuary)).subjects).toMatchObject([{ counts: { new_days: 1, new_rates: 13 } }]);
  });

  it('in the first days of a year takes a feed without entries for a year without a curve yet', async () => {
    const { pull } = await treasury();
    expect(await pull('2025-01-07T12:00:00Z')).toMatchObject({
      ends: ['par pulled'],
      asked: ['par 2024', 'par 2025'],
      followed: [{ upTo: '2024-01-31', left: '' }],
    });
    expect((await pull('2025-01-08T12:00:00Z')).ends).toEqual(['par failed: bad-answer']);
  });

  it.each([
    ['a page of HTML', '<!DOCTYPE html><html><body>maintenance</body></html>', /cannot read/],
    ['a maturity that asof does not know', january.replaceAll('BC_10YEAR', 'BC_15YEAR'), /BC_15YEAR/],
    ['entries of another name', january.replaceAll('entry>', 'item>'), /no entry/],
    ['another year', feedOn('par 2023', '2023-01-31'), /it has the PAR rate of 2023-01-03/],
    ['another kind of curve', feedOn('real 2004', '2004-01-31'), /it has the TIPS rate of 2004-01-02 5Y/],
    ['a date in another form', january.replace(/(\d{4})-(\d\d)-(\d\d)T00:00:00/g, '$2/$3/$1'), /NEW_DATE/],
  ])('refuses a feed with %s by name, and stores nothing of it', async (_, feed, reason) => {
    const { store, pull, rates } = await treasury({ 'par 2024': feed });
    const other = 'series_id,date,as_of_date,value\nX,2020-01-01,2020-02-01,1\n';
    await importFiles(store, { 'x.csv': other });
    expect(await pull(endOfJanuary)).toMatchObject({
      ends: ['par failed: bad-answer'],
      said: expect.stringMatching(reason),
      followed: [{ name: 'par', bookmark: '' }],
    });
    expect(await rates()).toEqual([]);
  });

  it('says that the clock is wrong if it is behind the store, and asks nothing', async () => {
    const { pull } = await treasury();
    await pull(endOfJanuary);
    expect(await pull('2020-01-15T12:00:00Z')).toMatchObject({
      kind: 'local-io',
      said: expect.stringMatching(/the clock of this machine says 2020-01-1\d, .* up to 2024-01-31/),
      asked: [],
    });
  });

  it('refuses a kind of curve that there is none of', async () => {
    const { server, pull } = await treasury();
    await expect(pull(endOfJanuary, { request: { treasury: ['nominal'] } })).rejects.toThrow(
      '"nominal" is not a kind of curve: use par or real',
    );
    expect(server.asked).toEqual([]);
  });

  it('says for a dry run how many feeds it would ask for, and asks for none', async () => {
    const { pull } = await treasury({}, { since: undefined });
    const planned = await pull('2026-06-01T12:00:00Z', { request: { treasury: [] }, dryRun: true });
    expect(planned).toMatchObject({
      ends: ['par planned', 'real planned'],
      subjects: [{ requests: 37 }, { requests: 24 }],
      asked: [],
    });
  });
});
