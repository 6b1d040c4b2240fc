import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../support/folders.ts';
import { loopbackOecd, oecdCsv, oecdReplies } from '../../support/pull/loopback-oecd.ts';
import { contentOf, puller } from '../../support/pull/pulling.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';

const key = 'EA20.Q.B1GQ_Q.XDC._T';
const id = `OECD:STES_REV.${key}`;

/** Three editions of the euro area, the first quarter as the OECD gave it. */
const euroArea = () => ({
  '202310': { '2015-Q1': '2279216154000', '2015-Q2': '2289000000000' },
  '202312': { '2015-Q1': '2622000000000', '2015-Q2': '2633000000000', '2015-Q3': '2640000000000' },
  '202411': { '2015-Q1': '2840470651000', '2015-Q3': '2860000000000' },
});

async function begin(figures: Parameters<typeof loopbackOecd>[0] = { EA20: euroArea() }, request = [key]) {
  const server = await loopbackOecd(figures);
  return { server, ...puller(server, { request: { oecd: request } }) };
}

async function linesOf(store: string, series = id) {
  const { statements } = await contentOf(store, series);
  return statements.map(({ date, asOf, value }) => `${date} ${asOf} ${value}`);
}

describe('a pull of the OECD', () => {
  it('asks for every edition twice, in two forms, and dates each by the next month', async () => {
    const { pull, store } = await begin();
    const { ends, asked, followed } = await pull('2024-12-03T12:00:00Z');
    expect([ends, asked]).toEqual([[`${key} pulled`], [`csvfilewithlabels ${key}.`, `csvfile ${key}.`]]);
    expect(followed).toMatchObject([{ source: 'oecd', name: key, upTo: '2024-12-01', left: '' }]);
    expect(await linesOf(store)).toEqual([
      '2015-01-01 2023-11-01 2279216154000',
      '2015-01-01 2024-01-01 2622000000000',
      '2015-01-01 2024-12-01 2840470651000',
      '2015-04-01 2023-11-01 2289000000000',
      '2015-04-01 2024-01-01 2633000000000',
      '2015-04-01 2024-12-01 null',
      '2015-07-01 2023-11-01 null',
      '2015-07-01 2024-01-01 2640000000000',
      '2015-07-01 2024-12-01 2860000000000',
    ]);
  });

  it('gives the store that an import of the answer with --complete gives', async () => {
    const { pull, store } = await begin();
    await pull('2024-12-03T12:00:00Z');
    const rows = Object.entries(euroArea()).flatMap(([edition, values]) =>
      Object.entries(values).map(([period, value]) => ({ area: 'EA20', edition, period, value })),
    );
    const imported = newStorePath(scratchFolder());
    await importFiles(imported, { 'oecd.csv': oecdCsv(rows, true) }, { complete: true });
    expect(await contentOf(store, id)).toEqual(await contentOf(imported, id));
  });

  it('then asks for new editions, the last one and an older one, and stores nothing without news', async () => {
    const { server, pull, store } = await begin();
    await pull('2024-12-03T12:00:00Z');
    const before = await linesOf(store);
    const again = await pull('2024-12-20T12:00:00Z');
    expect([again.ends, again.asked[0]]).toEqual([
      [`${key} nothing-new`],
      `csvfilewithlabels ${key}.202310+202411`,
    ]);
    expect(await linesOf(store)).toEqual(before);
    server.figures.EA20 = { ...server.figures.EA20, '202412': { '2015-Q1': '2840470651001' } };
    const later = await pull('2025-01-01T12:00:00Z');
    expect([later.ends, later.asked[0]]).toEqual([
      [`${key} pulled`],
      `csvfilewithlabels ${key}.202312+202411+202412`,
    ]);
    expect(await linesOf(store)).toContain('2015-01-01 2025-01-01 2840470651001');
  });

  it('leaves an edition for the day from which it is certainly known', async () => {
    const { pull, store } = await begin();
    await pull('2024-11-20T12:00:00Z');
    expect((await linesOf(store)).filter((line) => line.includes(' 2024-12-01 '))).toEqual([]);
    const { asked } = await pull('2024-12-02T12:00:00Z');
    expect(asked[0]).toContain('+202411');
    expect(await linesOf(store)).toContain('2015-01-01 2024-12-01 2840470651000');
  });

  it('reports an old edition that changed, keeps the stored one, and takes the rest', async () => {
    const { server, pull, store } = await begin();
    await pull('2024-12-03T12:00:00Z');
    server.figures.EA20 = {
      ...euroArea(),
      '202310': { '2015-Q1': '1', '2015-Q2': '2289000000000' },
      '202412': { '2015-Q1': '2' },
    };
    const { ends } = await pull('2025-01-03T12:00:00Z');
    expect(ends).toEqual([`${key} conflict: bad-answer`]);
    const lines = await linesOf(store);
    expect(lines).toContain('2015-01-01 2023-11-01 2279216154000');
    expect(lines).toContain('2015-01-01 2025-01-01 2');
    // Each run asks for one of the old editions; when it is the turn of this one again, it is named again.
    for (const day of ['04', '05'])
      expect((await pull(`2025-01-${day}T12:00:00Z`)).ends).toEqual([`${key} nothing-new`]);
    expect((await pull('2025-01-06T12:00:00Z')).ends).toEqual([`${key} conflict: bad-answer`]);
  });

  it('joins areas, at most six in a request, and halves a request that is too large', async () => {
    const areas = ['EA20', 'EA19', 'DEU', 'FRA', 'ITA', 'ESP', 'NLD'];
    const figures = Object.fromEntries(areas.map((area) => [area, euroArea()]));
    const { server, pull, store } = await begin(figures, [`${areas.join('+')}.Q.B1GQ_Q.XDC._T`]);
    server.mostAreas = 3;
    const { ends, asked } = await pull('2024-12-03T12:00:00Z');
    expect(ends).toEqual(['EA20+EA19+DEU+FRA+ITA+ESP.Q.B1GQ_Q.XDC._T pulled', 'NLD.Q.B1GQ_Q.XDC._T pulled']);
    expect(asked.filter((what) => what.startsWith('csvfilewithlabels'))).toEqual([
      'csvfilewithlabels EA20+EA19+DEU+FRA+ITA+ESP.Q.B1GQ_Q.XDC._T.',
      'csvfilewithlabels EA20+EA19+DEU.Q.B1GQ_Q.XDC._T.',
      'csvfilewithlabels FRA+ITA+ESP.Q.B1GQ_Q.XDC._T.',
      'csvfilewithlabels NLD.Q.B1GQ_Q.XDC._T.',
    ]);
    const [one, other] = ['EA19', 'NLD'].map((area) => `OECD:STES_REV.${area}.Q.B1GQ_Q.XDC._T`);
    expect(await linesOf(store, one)).toEqual(await linesOf(store, other));
  });

  it('takes the areas that there are if one half of a large request has none', async () => {
    const { server, pull, store } = await begin({ DEU: euroArea() }, ['DEU+XXX.Q.B1GQ_Q.XDC._T']);
    server.mostAreas = 1;
    const { ends, notes } = await pull('2024-12-03T12:00:00Z');
    expect([ends, notes]).toEqual([
      ['DEU+XXX.Q.B1GQ_Q.XDC._T pulled'],
      ['the OECD has no figures of OECD:STES_REV.XXX.Q.B1GQ_Q.XDC._T'],
    ]);
    expect((await linesOf(store, 'OECD:STES_REV.DEU.Q.B1GQ_Q.XDC._T')).length).toBe(9);
  });

  it('keeps the facts of a series that the OECD no longer has, and says so', async () => {
    const { server, pull, store } = await begin();
    await pull('2024-12-03T12:00:00Z');
    const before = await linesOf(store);
    server.trouble = () => oecdReplies.nothing;
    const { kind, said, hints } = await pull('2025-01-03T12:00:00Z');
    expect([kind, said, hints]).toEqual([
      'not-found',
      `the OECD no longer has the series ${key}, which it gave up to 2024-12-01; the facts stay in the store`,
      [`asof unfollow oecd ${key} stops following it`],
    ]);
    expect(await linesOf(store)).toEqual(before);
  });

  it('that is throttled waits as long as the OECD says, or says when to come back', async () => {
    const { server, pull } = await begin();
    server.trouble = (number) => (number === 0 ? oecdReplies.busy : undefined);
    const { kind, hints } = await pull('2024-12-03T12:00:00Z');
    expect([kind, hints]).toEqual(['rate-limit-exceeded', ['--max-wait 420 waits for it']]);
    server.trouble = (number) => (number === 1 ? oecdReplies.busy : undefined);
    const { ends, waits } = await pull('2024-12-03T13:00:00Z', { maxWait: 600 });
    expect([ends, waits]).toEqual([[`${key} pulled`], expect.arrayContaining([420_000])]);
  });

  it('keeps to 60 requests an hour', async () => {
    const areas = Array.from({ length: 31 }, (_, at) => `A${at}`);
    const figures = Object.fromEntries(areas.map((area) => [area, euroArea()]));
    const { pull } = await begin(
      figures,
      areas.map((area) => `${area}.Q.B1GQ_Q.XDC._T`),
    );
    const { requests, waited } = await pull('2024-12-03T12:00:00Z');
    expect(requests).toBe(62);
    expect(waited).toBeGreaterThanOrEqual(3_600_000);
    expect(waited).toBeLessThan(3_700_000);
  });

  it.each([
    ['a wrong key', oecdReplies.wrongKey, 'not-found', /does not take the key .* \(HTTP 422\)/],
    ['an answer that is too large', oecdReplies.tooLarge, 'bad-answer', /refuses so large an answer/],
    ['nothing there', oecdReplies.nothing, 'not-found', /the OECD has no figures of EA20/],
    [
      'a web page',
      { status: 200, body: '<html><title>Busy</title></html>' },
      'bad-answer',
      /is not SDMX-CSV/,
    ],
    ['a long wait', { status: 504, body: '' }, 'service-unavailable', /HTTP 504/],
  ] as const)('that meets %s stores nothing', async (_, trouble, kind, said) => {
    const { server, pull } = await begin();
    server.trouble = () => trouble;
    const result = await pull('2024-12-03T12:00:00Z');
    expect([result.kind, result.said, result.stored]).toEqual([kind, expect.stringMatching(said), false]);
    server.trouble = () => undefined;
    expect((await pull('2024-12-03T13:00:00Z')).ends).toEqual([`${key} pulled`]);
  });

  it('that gets an answer cut at any place stores nothing wrong or half', async () => {
    const { store: whole, pull: pullWhole } = await begin();
    await pullWhole('2024-12-03T12:00:00Z');
    const expected = await linesOf(whole);
    const { server, pull, store } = await begin();
    const labelled = oecdCsv(
      [{ area: 'EA20', edition: '202310', period: '2015-Q1', value: '2279216154000' }],
      true,
    ).length;
    for (let length = labelled - 200; length < 2 * labelled; length += 37) {
      server.change = (text, what) => (what.startsWith('csvfilewithlabels') ? text.slice(0, length) : text);
      const { stored, kind } = await pull('2024-12-03T12:00:00Z');
      expect([length, stored, kind]).toEqual([length, false, 'bad-answer']);
    }
    server.change = (text, what) =>
      what.startsWith('csvfile ') ? text.split('\r\n').slice(0, -2).join('\r\n') : text;
    expect((await pull('2024-12-03T12:00:00Z')).said).toContain('one was cut');
    server.change = (text) => text;
    await pull('2024-12-03T12:00:00Z');
    expect(await linesOf(store)).toEqual(expected);
  });

  it.each(['EA20', 'EA20.Q.B1GQ_Q..', 'EA20.Q.B1GQ_Q.XDC._T.202310.X'])(
    'refuses the key %s',
    async (typed) => {
      const { pull } = await begin({ EA20: euroArea() }, [typed]);
      await expect(pull('2024-12-03T12:00:00Z')).rejects.toThrow(/not a key of the OECD revisions database/);
    },
  );
});
