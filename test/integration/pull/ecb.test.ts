import { describe, expect, it } from 'vitest';
import { ecb } from '../../../src/pull/ecb/ecb.ts';
import type { PullOptions } from '../../../src/pull/options.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { type EcbState, ecbKeyOf, loopbackEcb } from '../../support/pull/loopback-ecb.ts';
import { contentOf, puller } from '../../support/pull/pulling.ts';
import { testData } from '../../support/repository.ts';
import { importFiles, newStorePath, observationsIn, reading } from '../../support/scratch-store.ts';
import { ecbVintagesSuite } from '../../support/suites/ecb.ts';

const gdp = 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E';
const key = gdp.replace('ECB:', '');
const now = '2003-01-15T12:00:00Z';

const scratch = scratchFolder();

/** The ECB, and a store that follows GDP. */
async function followingGdp(options: Partial<PullOptions> = {}) {
  const server = await loopbackEcb();
  return { server, ...puller(server, { request: { ecb: [gdp] }, ...options }) };
}

/** What a store says about GDP; undefined without a store or the series. */
const contentIn = (store: string) => contentOf(store, gdp).catch(() => undefined);

/** What an import of a log says about GDP. */
async function imported(log: string) {
  const store = newStorePath(scratch);
  await importFiles(store, { 'log.csv': log });
  return contentIn(store);
}

/** Lines of a log without those that `isLeftOut`. */
function withoutLines(
  log: string,
  isLeftOut: (line: string, index: number, all: readonly string[]) => boolean,
) {
  return log
    .split('\n')
    .filter((line, index, all) => !isLeftOut(line, index, all))
    .join('\n');
}

ecbVintagesSuite(testData, 9);

describe('a pull of a change log of the ECB', () => {
  it('takes two copies of the log and the data of today, and equals an import of the log', async () => {
    const { server, store, pull } = await followingGdp();
    expect(await pull(now)).toMatchObject({
      ends: [`${gdp} pulled`],
      asked: [`log ${key}`, `log ${key}`, `latest ${key}`],
      followed: [{ name: gdp, upTo: '2002-12-04', left: '' }],
      notes: [],
    });
    expect(await contentIn(store)).toEqual(await imported(server.log(gdp)));
  });

  it('asks once whether the log has changed, and takes what is new', async () => {
    const { server, store, pull } = await followingGdp();
    server.state.published = 17;
    await pull('2002-05-05T12:00:00Z');
    expect(await pull('2002-05-06T12:00:00Z')).toMatchObject({
      ends: [`${gdp} nothing-new`],
      asked: [`log ${key} unless changed`],
      followed: [{ upTo: '2002-04-30' }],
    });
    for (const published of [18, 20, 24]) {
      server.state.published = published;
      expect((await pull(now)).ends).toEqual([`${gdp} pulled`]);
    }
    expect(await contentIn(store)).toEqual(await imported(server.log(gdp)));
  });

  it('on the day of a freeze, when the ECB may still be loading, asks for the whole log again', async () => {
    const { server, pull } = await followingGdp();
    await pull('2002-12-04T16:00:00Z');
    expect((await pull('2002-12-05T16:00:00Z')).asked).toEqual([`log ${key}`]);
    expect((await pull('2002-12-06T16:00:00Z')).asked).toEqual([`log ${key} unless changed`]);
    server.state.change = (_, body) => body.replace('Gross domestic', 'Gross Domestic');
    expect((await pull('2002-12-06T17:00:00Z', { full: true })).ends).toEqual([`${gdp} pulled`]);
  });

  it('finds keys in any case, with and without prefix', async () => {
    const { pull } = await followingGdp();
    const names = [gdp.toLowerCase(), key.replace('.', '/'), key];
    expect((await pull(now, { request: { ecb: names } })).ends).toEqual([`${gdp} pulled`]);
  });

  it.each([
    ['GDP', /not a key of the ECB/],
    ['RTD.Q.S0.S.G_GDPM_TO_C', /not a key of the ECB/],
    [
      'EXR.D.USD.EUR.SP00.A',
      /not of the Real-Time Database \(RTD\): other flows .* date them in another way/,
    ],
    ['mna/Q.Y.I9.W2.S1.S1.B.B1GQ._Z._Z._Z.EUR.LR.N', /not of the Real-Time Database/],
    ['RTD.Q.S0.S..E', /a key for several series/],
    ['RTD.Q.S0+US.S.G_GDPM_TO_C.E', /a key for several series/],
    ['RTD.Q.S0.S.G GDP', /not a key of the ECB/],
  ])('refuses the key %s, and asks nothing', async (name, reason) => {
    const { server, pull } = await followingGdp();
    await expect(pull(now, { request: { ecb: [name] } })).rejects.toThrow(reason);
    expect(server.asked).toEqual([]);
  });

  it('says that a series stands still', async () => {
    const { pull } = await followingGdp();
    expect((await pull('2003-09-01T12:00:00Z')).notes).toEqual([
      'the ECB has not changed it since 2002-12-04',
    ]);
  });

  it('says which key is unknown, and does not follow it', async () => {
    const { pull } = await followingGdp();
    expect(await pull(now, { request: { ecb: ['RTD.Q.S0.S.NONE.E'] } })).toMatchObject({
      kind: 'not-found',
      said: "the ECB has no series 'ECB:RTD.Q.S0.S.NONE.E'",
      followed: [],
    });
  });

  it('keeps the facts of a series that the ECB no longer has, and says so', async () => {
    const { server, store, pull } = await followingGdp();
    await pull(now);
    const before = await contentIn(store);
    const gone = { type: 'x', title: 'Not Found', status: 404, detail: 'No results found.' };
    server.trouble = () => ({ status: 404, body: JSON.stringify(gone) });
    const { kind, said } = await pull(now);
    expect([kind, said]).toEqual(['not-found', expect.stringContaining('no longer has the series')]);
    expect(await contentIn(store)).toEqual(before);
  });
});

describe('an answer of the ECB that is cut short', () => {
  it('anywhere stores nothing, and the next run is whole', async () => {
    const { server, store, pull } = await followingGdp();
    const log = server.log(gdp);
    const whole = await imported(log);
    for (let end = 1024; end < log.length; end += 1024) {
      server.state.change = (what, body) => (what.startsWith('log') ? body.slice(0, end) : body);
      expect((await pull(now)).ends).toEqual([`${gdp} failed: bad-answer`]);
      expect(await contentIn(store)).toBeUndefined();
    }
    server.state.change = (_, body) => body;
    await pull(now);
    expect(await contentIn(store)).toEqual(whole);
  }, 300_000);

  const saving = `ECB:${ecbKeyOf('MUFA.Q.US.N.B8G.G.X.US.1000.Z5.ZZZZ.M.R')}`;

  /** Cuts a log after a line, so that it ends well. */
  const lackingLines =
    (count: number): EcbState['change'] =>
    (what, body) =>
      what.startsWith('log')
        ? withoutLines(body, (_, index, { length }) => index >= length - 1 - count && index < length - 1)
        : body;

  it('at the end of a line, and the same in each copy, is noticed by the data of today', async () => {
    const { server, pull } = await followingGdp({ request: { ecb: [saving] }, retries: 2 });
    // The last of 13 deletions are those of periods that are not there today.
    server.state.change = lackingLines(5);
    const { ends, said, asked } = await pull(now);
    expect(ends).toEqual([`${saving} failed: bad-answer`]);
    expect(said).toMatch(/disagrees with the data of today on \d+ dates \(the first is \d{4}-\d\d-01\)/);
    expect(asked.length).toBe(5);
  });

  it('at the end of a line in one copy is noticed by another one, even if the data of today agree', async () => {
    // On 2002-06-05 all was deleted and entered again: without those deletions, today's data are the same.
    const { server, store, pull } = await followingGdp({ retries: 2 });
    const log = server.log(gdp);
    const lost = lackingLines(3);
    server.state.change = (what, body, copy) => (copy === 'text/csv' ? lost(what, body, copy) : body);
    const { ends, asked } = await pull(now);
    expect([ends, asked.length]).toEqual([[`${gdp} pulled`], 4]);
    expect(await contentIn(store)).toEqual(await imported(log));
  });

  it('by the gateway, as HTML with status 200, or with another error is tried again', async () => {
    const page = '<html><head><title>504 Gateway Time-out</title></head></html>';
    for (const trouble of [
      { status: 504, body: page },
      { status: 200, body: page },
      { status: 500, body: '{"status":500}' },
      { status: 503, body: '' },
    ]) {
      const { server, pull } = await followingGdp({ retries: 1 });
      server.trouble = (number) => (number === 0 ? trouble : undefined);
      const { ends, asked, waited } = await pull(now);
      expect([ends, asked.length]).toEqual([[`${gdp} pulled`], 4]);
      expect(waited).toBeGreaterThanOrEqual(trouble.status === 504 ? 20_000 : 500);
    }
  });

  it.each([
    ['504', { status: 504, body: '' }, 'service-unavailable', /HTTP 504; try again in 20 s/],
    [
      'HTML with status 200',
      { status: 200, body: '<!DOCTYPE html>' },
      'bad-answer',
      /a page in the place of data/,
    ],
    [
      'a 404 of its gateway',
      { status: 404, body: '{"status":404,"error":"Not Found"}' },
      'bad-answer',
      /HTTP 404/,
    ],
    ['406', { status: 406, body: '' }, 'bad-answer', /HTTP 406/],
    ['an empty body', { status: 200, body: '' }, 'bad-answer', /broke off/],
    ['304 without a question', { status: 304, body: '' }, 'bad-answer', /empty/],
  ] as const)('for good, with %s, fails and stores nothing', async (_, trouble, kind, said) => {
    const { server, store, pull } = await followingGdp({ retries: 1 });
    server.trouble = () => trouble;
    const failed = await pull(now);
    expect([failed.kind, failed.said]).toEqual([kind, expect.stringMatching(said)]);
    expect(await contentIn(store)).toBeUndefined();
    server.trouble = () => undefined;
    expect((await pull(now)).ends).toEqual([`${gdp} pulled`]);
  });

  it('after a 429 waits as long as the ECB says', async () => {
    const { server, pull } = await followingGdp();
    server.trouble = (number) =>
      number === 0 ? { status: 429, body: '', extraHeaders: { 'retry-after': '7' } } : undefined;
    const { ends, waited } = await pull(now);
    expect(ends).toEqual([`${gdp} pulled`]);
    expect(waited).toBeGreaterThanOrEqual(7000);
    expect(waited).toBeLessThan(10_000);
  });
});

describe('an answer of the ECB that is not what was asked for', () => {
  it.each([
    ['another series', (log: string) => log.replaceAll('TO_C.E', 'TO_U.E'), /is about ECB:RTD\..*TO_U\.E/],
    ['another flow', (log: string) => log.replaceAll('RTD.Q', 'MNA.Q'), /not of the Real-Time Database/],
    [
      'two series',
      (log: string) => `${log}${log.split('\n')[1]?.replace('TO_C.E', 'TO_U.E')}\n`,
      /TO_C\.E, .*TO_U\.E/,
    ],
    [
      'no history',
      (log: string) => log.replace(',ACTION,VALID_FROM,VALID_TO', ',A,B,C'),
      /it has no column ACTION, VALID_FROM, VALID_TO: the ECB keeps the history of few flows, such as RTD/,
    ],
    [
      'a renamed column',
      (log: string) => log.replace('TIME_PERIOD', 'PERIOD'),
      /it has no column TIME_PERIOD/,
    ],
    ['another action', (log: string) => log.replace(',Replace,', ',Append,'), /neither Replace nor Delete/],
    ['a day to come', (log: string) => log.replaceAll('2002-12-04T', '2003-12-04T'), /dated in the future/],
  ])('but %s is refused, and nothing is stored', async (_, spoilt, reason) => {
    const { server, store, pull } = await followingGdp();
    server.state.change = (what, body) => (what.startsWith('log') ? spoilt(body) : body);
    const { ends, said } = await pull(now);
    expect([ends, said]).toEqual([[`${gdp} failed: bad-answer`], expect.stringMatching(reason)]);
    expect(await contentIn(store)).toBeUndefined();
  });
});

describe('a changed log of the ECB', () => {
  it.each([
    ['another value', (log: string) => log.replace(',1274000.74,', ',1274000.75,')],
    [
      'another day',
      (log: string) => log.replace(/(,1274000\.74,.*)2001-01-03T/, (_, head) => `${head}2001-01-17T`),
    ],
    ['a row less', (log: string) => withoutLines(log, (line) => line.includes(',1274000.74,'))],
  ])('with %s under an earlier freeze is a conflict, and the store stays as it was', async (_, changed) => {
    const { server, store, pull } = await followingGdp();
    await pull(now);
    const before = await contentIn(store);
    server.state.change = (what, body) => (what.startsWith('log') ? changed(body) : body);
    const { ends, subjects } = await pull(now, { full: true });
    expect(ends).toEqual([`${gdp} conflict: bad-answer`]);
    expect(subjects[0]?.problem?.list.join()).toMatch(/1991-01-01 as of 2001-01-03: .*, against 1274000\.74/);
    expect(await contentIn(store)).toEqual(before);
  });

  it('with figures entered late, under the day of an earlier freeze, is a conflict', async () => {
    const { server, store, pull } = await followingGdp();
    const isLate = (line: string) => line.includes('2002-07-31T');
    server.state.change = (what, body) => (what.startsWith('log') ? withoutLines(body, isLate) : body);
    await pull(now);
    const before = await contentIn(store);
    server.state.change = (_, body) => body;
    for (const _ of ['first', 'again']) {
      const { ends, subjects } = await pull(now, { full: true });
      expect(ends).toEqual([`${gdp} conflict: bad-answer`]);
      expect(subjects[0]?.problem?.list.join()).toMatch(/ as of 2002-07-31: \d/);
      expect(await contentIn(store)).toEqual(before);
    }
  });

  it.each([
    ['another value', (log: string) => log.replace(',1274000.74,', ',1274000.75,')],
    [
      'another day',
      (log: string) => log.replace(/(,1274000\.74,.*)2001-01-03T/, (_, head) => `${head}2001-01-17T`),
    ],
    ['a row less', (log: string) => withoutLines(log, (line) => line.includes(',1274000.74,'))],
    ['a freeze less', (log: string) => withoutLines(log, (line) => line.includes('2002-07-31T'))],
    [
      'a row more',
      (log: string) =>
        log.replace(/(.*,)1274000\.74(,.*)2001-01-03T.*\n/, (row, head, middle) =>
          [row, `${head}1274000.99${middle}2001-01-17T15:30:00.000+01:00,\n`].join(''),
        ),
    ],
  ])('with %s takes the place of the stored one with --full --replace', async (_, changed) => {
    const { server, store, pull } = await followingGdp();
    await pull(now);
    const log = changed(server.log(gdp));
    expect(log).not.toBe(server.log(gdp));
    server.state.change = (what, body) => (what.startsWith('log') ? changed(body) : body);
    expect((await pull(now, { full: true })).hints).toEqual([
      `asof pull ecb ${gdp} --full --replace takes the new figures, and asof store undo takes them back`,
    ]);
    const { ends, subjects } = await pull(now, { full: true, replace: true });
    expect(ends).toEqual([`${gdp} pulled`]);
    expect(subjects[0]?.counts.new_or_replaced).toBeGreaterThan(0);
    const fresh = newStorePath(scratch);
    await importFiles(fresh, { 'log.csv': log });
    const statesIn = (path: string) =>
      reading(path, (view) =>
        Promise.all(
          [...server.files.map(({ frozenOn }) => frozenOn), '2001-01-17', '2002-08-15'].map((asOf) =>
            observationsIn(view, { seriesId: gdp, asOf, limit: 1000 }).then((rows) =>
              rows.map(({ date, value }) => `${date} ${value}`),
            ),
          ),
        ),
      );
    expect(await statesIn(store)).toEqual(await statesIn(fresh));
    expect((await pull(now, { full: true })).ends).toEqual([`${gdp} pulled`]);
  });

  it('that contradicts the store still brings its new freezes, and is named in every run', async () => {
    const { server, store, pull } = await followingGdp();
    server.state.published = 17;
    await pull('2002-05-06T12:00:00Z');
    server.state.change = (what, body) =>
      what.startsWith('log') ? body.replace(',1274000.74,', ',1274000.75,') : body;
    server.state.published = 24;
    for (const _ of ['first', 'again'])
      expect((await pull(now)).ends).toEqual([`${gdp} conflict: bad-answer`]);
    expect(await contentIn(store)).toEqual(await imported(server.log(gdp)));
  });

  it('may change the figures of the day of the pull until the ECB has loaded all of them', async () => {
    const { server, store, pull } = await followingGdp();
    const [, value = 'none'] = /,([\d.]+),[^\n]*,Replace,2002-12-04T/.exec(server.log(gdp)) ?? [];
    const spoilt = (_: string, body: string) =>
      body.replaceAll(new RegExp(`,${value}(?=[,\n])`, 'g'), `,${value}5`);
    server.state.change = spoilt;
    expect((await pull('2002-12-04T16:00:00Z')).ends).toEqual([`${gdp} pulled`]);
    server.state.change = (_, body) => body;
    expect((await pull('2002-12-04T18:00:00Z')).ends).toEqual([`${gdp} pulled`]);
    expect(await contentIn(store)).toEqual(await imported(server.log(gdp)));
    await pull('2002-12-06T16:00:00Z');
    server.state.change = spoilt;
    const { ends, said } = await pull('2002-12-06T17:00:00Z', { full: true });
    expect([ends, said]).toEqual([[`${gdp} conflict: bad-answer`], expect.stringContaining('conflict')]);
  });

  it('takes figures under earlier days if the store has another part of them from an import', async () => {
    const { server, store, pull } = await followingGdp();
    const isLate = (line: string) => line.includes('2002-07-31T');
    await importFiles(store, { 'log.csv': withoutLines(server.log(gdp), isLate) });
    expect((await pull(now)).ends).toEqual([`${gdp} pulled`]);
    expect(await contentIn(store)).toEqual(await imported(server.log(gdp)));
  });
});

describe('an answer of the ECB that takes long', () => {
  it('shows on a terminal for how long asof has waited for it', async () => {
    const { server } = await followingGdp();
    server.trouble = () => 'silent';
    const line = ['pull', 'ecb', gdp, '--retries', '0', '--timeout', '6.5', '--store', newStorePath(scratch)];
    const env = { HOME: scratch, ASOF_ECB_URL: server.url };
    const { code, err } = await asof(line, { env, stderrIsTerminal: true, columns: 120, now, pace: 600 });
    expect([code, err]).toEqual([
      7,
      expect.stringContaining(`0 of 1, waiting 5 s for ${gdp}, 1 request, 0 rows`),
    ]);
  });

  it('is asked for again after the time limit, and the store is whole then', async () => {
    const { server, store, pull } = await followingGdp({ timeout: 0.3, retries: 1 });
    server.trouble = (number) => (number === 1 ? 'silent' : undefined);
    expect((await pull(now)).ends).toEqual([`${gdp} pulled`]);
    expect(await contentIn(store)).toEqual(await imported(server.log(gdp)));
  });

  it('is waited for up to ten minutes, and shows for how long', async () => {
    const { server, pull } = await followingGdp();
    server.trouble = () => 'silent';
    const shown: number[] = [];
    const { kind } = await pull(now, { timeout: 2.6, onProgress: ({ waiting }) => void shown.push(waiting) });
    expect(kind).toBe('unreachable');
    // A busy machine shows some of the seconds late.
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    expect([shown[0] ?? 1, shown.at(-1) ?? 0].map(Math.floor)).toEqual([0, expect.toBeOneOf([1, 2])]);
    expect(ecb.timeout).toBe(600);
  });
});
