import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newFolder } from '../../support/folders.ts';
import { type CommandEnd, ended, type Home, newHome } from '../../support/pull/homes.ts';
import {
  chicagoToday,
  type LoopbackFred,
  loopbackFred,
  loopbackKey,
  recordedGdp,
  wellBehaved,
} from '../../support/pull/loopback-fred.ts';
import { historyUpTo } from '../../support/pull/pulled-store.ts';
import { reading } from '../../support/scratch-store.ts';

// The pace of requests is that of a real pull.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let fred: LoopbackFred;
let home: Home;

const utcToday = () => new Date().toISOString().slice(0, 10);

const start: Home['start'] = (args, env) => home.start(args, env);
const asof: Home['asof'] = (args, env) => home.asof(args, env);

beforeAll(async () => {
  fred = await loopbackFred();
});

beforeEach(() => {
  home = newHome(() => ({ FRED_API_KEY: loopbackKey, ASOF_FRED_URL: fred.url }));
  fred.requests.length = 0;
  Object.assign(fred.state, { ...wellBehaved(), today: chicagoToday() });
});

afterAll(() => fred.close());

/** Lines of stderr without those of single requests. */
const linesOf = ({ err }: CommandEnd) =>
  err.split('\n').filter((line) => line !== '' && !line.startsWith('asof: GET'));

const gdp = recordedGdp();
/** The dates from 2022 on, under another name. */
const small = {
  description: { ...gdp.description, id: 'SMALL', title: 'A small series' },
  rows: gdp.rows.filter(({ date }) => date >= '2022-01-01'),
};

describe('asof pull fred', () => {
  it('pulls every vintage the first time, and asks once after that', async () => {
    const first = await asof(['pull', 'fred', 'gdp', '-v']);
    expect(first.code).toBe(0);
    expect(linesOf(first)[0]).toMatch(/^GDP {2}395 new vintages, .*, 3 requests$/);
    const { out } = await asof(['obs', 'GDP', '--as-of', '2015-01-30', '--limit', '1', '--no-header']);
    expect(out).toBe('2014-10-01,17710.7,2015-01-30,GDP,Billions of Dollars,Q,FRED\n');
    fred.requests.length = 0;
    const second = await asof(['pull', '-v']);
    expect([second.code, linesOf(second)[0], fred.requests.length]).toEqual([
      0,
      'GDP  nothing new, 1 request',
      1,
    ]);
  });

  it('says what is new in one line a series', async () => {
    fred.state.series.GDP = { ...gdp, rows: historyUpTo(gdp.rows, '2024-11-27', '9999-12-31') };
    await asof(['pull', 'fred', 'GDP']);
    Object.assign(fred.state, { series: { GDP: gdp } });
    const { err } = await asof(['pull', '-v']);
    // FRED recorded the vintage of 2024-12-19 with one value that differs from the one before.
    expect(err).toContain('GDP  1 new vintage, 1 revised, 2 requests\n');
  });

  it('lists what the store follows until it is told not to', async () => {
    await asof(['pull', 'fred', 'GDP']);
    const { out } = await asof(['pull', '--list', '--json']);
    expect(JSON.parse(out).results).toMatchObject([
      { source: 'fred', name: 'GDP', up_to: chicagoToday(), left: null },
    ]);
    expect((await asof(['unfollow', 'fred', 'gdp'])).code).toBe(0);
    expect((await asof(['pull', '--list'])).out).toBe('source,name,since,up_to,last_run,left\n');
    expect((await asof(['obs', 'GDP', '--limit', '1', '--no-header'])).out).toContain('2024-07-01');
    expect(await asof(['unfollow', 'fred', 'GDP'])).toMatchObject({ code: 3 });
  });

  it('asks nothing in a dry run, and says how many requests it takes', async () => {
    const { code, err } = await asof(['pull', 'fred', 'GDP', 'UNRATE', '--dry-run'], { FRED_API_KEY: '' });
    expect([code, fred.requests.length]).toEqual([0, 0]);
    expect(err).toContain('GDP  3 requests');
    expect(err).toContain('at least 6 requests');
  });

  it('lists what FRED has for a text, and stores nothing', async () => {
    const { out } = await asof(['pull', 'fred', '--search', 'gross', '--columns', 'id,popularity']);
    expect(out).toBe('id,popularity\nGDP,93\n');
    expect((await asof(['pull', '--list'])).err).toContain('follows nothing');
  });

  it('follows every series of a release', async () => {
    fred.state.series.SMALL = small;
    const { code, err } = await asof(['pull', 'fred', '--release', '53', '-v']);
    expect([code, err.match(/^\w+ {2}\d+ new vintages/gm)?.length]).toEqual([0, 2]);
  });

  it('keeps a series without vintages as known from the day of the run on', async () => {
    fred.state.series.SMALL = { ...small, withoutVintages: true };
    const { code, err } = await asof(['pull', 'fred', 'small']);
    expect([code, err]).toEqual([0, expect.stringContaining('SMALL has no vintages at FRED')]);
    const { out } = await asof([
      'series',
      'show',
      'SMALL',
      '--columns',
      'id,first_vintage,vintage_kind',
      '--no-header',
    ]);
    expect(out).toBe(`SMALL,${chicagoToday()},fetched\n`);
    fred.requests.length = 0;
    const again = await asof(['pull', '-v']);
    expect([linesOf(again)[0], fred.requests.length]).toEqual(['SMALL  nothing new, 1 request', 1]);
  });

  it('says when a publisher describes a series in other words, and on which day', async () => {
    fred.state.series = { SMALL: { ...small, rows: historyUpTo(small.rows, '2024-11-27', '9999-12-31') } };
    await asof(['pull', 'fred', 'SMALL']);
    const description = { ...small.description, units: 'Billions of Chained 2017 Dollars' };
    fred.state.series = { SMALL: { ...small, description } };
    const { err } = await asof(['pull']);
    expect(err).toContain('SMALL units: "Billions of Chained 2017 Dollars", before "Billions of Dollars"');
    const changes = await reading(home.store, (view) => view.series.descriptionChanges('SMALL'));
    expect(changes).toMatchObject([{ field: 'units', before: 'Billions of Dollars', changedOn: utcToday() }]);
  });
});

describe('a pull on a bad day', () => {
  it('ends with 4 and says where to get a key, without asking', async () => {
    const { code, err } = await asof(['pull', 'fred', 'GDP'], { FRED_API_KEY: '' });
    expect([code, fred.requests.length]).toEqual([4, 0]);
    expect(err).toContain('https://fredaccount.stlouisfed.org/apikeys');
  });

  it('ends with 4 for a key that FRED does not take', async () => {
    const { code, err } = await asof(['pull', 'fred', 'GDP'], { FRED_API_KEY: 'short' });
    expect([code, err]).toEqual([4, expect.stringContaining('not a 32 character alpha-numeric')]);
  });

  it('takes a key from a file and from asof auth login', async () => {
    const key = folder.write('key', `${loopbackKey}\n`);
    const fromFile = await asof(['pull', 'fred', 'GDP'], { FRED_API_KEY: '', ASOF_FRED_API_KEY_FILE: key });
    expect(fromFile.code).toBe(0);
    const login = start(['auth', 'login', '--source', 'fred', '--with-token']);
    login.stdin?.end(loopbackKey);
    expect((await ended(login)).code).toBe(0);
    expect((await asof(['pull'], { FRED_API_KEY: '' })).code).toBe(0);
  });

  it('tells an unknown id from the others, and suggests what FRED has', async () => {
    const { code, err } = await asof(['pull', 'fred', 'GDPX', 'GDP', '-v']);
    expect([code, err]).toEqual([3, expect.stringContaining("FRED has no series 'GDPX'")]);
    expect(err).toContain('FRED has GDP: Gross Domestic Product');
    expect(err).toContain('GDP  395 new vintages');
    expect((await asof(['pull', '--list', '--columns', 'name', '--no-header'])).out).toBe('GDP\n');
  });

  it('ends with 3 for an unknown id, although the search for suggestions fails', async () => {
    const { change } = fred.state;
    fred.state.change = (path, body) => (path === 'series/search' ? {} : body);
    const { code, err } = await asof(['pull', 'fred', 'GDPX', 'GDP', '-v']);
    fred.state.change = change;
    expect([code, err]).toEqual([3, expect.stringContaining("FRED has no series 'GDPX'")]);
    expect(err).toContain('GDP  395 new vintages');
  });

  it('ends with 6 when FRED throttles, says when to come back, and goes on in the next run', async () => {
    fred.state.maxVintages = 150;
    fred.state.fault = (number) => (number >= 8 ? 'throttled' : undefined);
    const { code, err } = await asof(['pull', 'fred', 'GDP', '--max-wait', '5']);
    expect([code, err]).toEqual([6, expect.stringContaining('try again in 60 s')]);
    expect(err).toMatch(/left: GDP \(\d+ more windows?\); asof pull goes on from there/);
    fred.state.fault = () => undefined;
    const still = await asof(['pull', '--max-wait', '0']);
    // The pause holds for every process of this machine.
    expect([still.code, fred.requests.length]).toEqual([6, 9]);
    rmSync(join(home.path, '.cache'), { recursive: true });
    expect((await asof(['pull'])).code).toBe(0);
    expect((await asof(['vintages', 'GDP', '--all', '--no-header'])).out.split('\n').length - 1).toBe(395);
  });

  it('ends with 7 where nobody answers and with 8 where FRED fails, and makes no store', async () => {
    const closed = { ASOF_FRED_URL: 'http://127.0.0.1:9/fred' };
    expect((await asof(['pull', 'fred', 'GDP', '--retries', '0'], closed)).code).toBe(7);
    fred.state.fault = () => 'bad-gateway';
    const failed = await asof(['pull', 'fred', 'GDP', '--retries', '1']);
    expect([failed.code, failed.err]).toEqual([8, expect.stringContaining('answered 502')]);
    expect((await asof(['pull', '--list'])).err).toContain('follows nothing');
  });

  it('reports a value that contradicts the store, keeps what the store has, and pulls the other series', async () => {
    Object.assign(fred.state.series, { SMALL: small });
    await asof(['pull', 'fred', 'GDP', 'SMALL']);
    const before = (await asof(['facts', 'GDP'])).out;
    const rows = gdp.rows.map((row) =>
      row.date === '2024-04-01' && row.realtime_end === '9999-12-31' ? { ...row, value: '1.5' } : row,
    );
    fred.state.series.GDP = { ...gdp, rows };
    const { code, err } = await asof(['pull', '-v']);
    expect(code).toBe(8);
    expect(err).toMatch(
      /FRED contradicts what the store has of GDP: 1 conflict; .*\n.*2024-04-01 as of 2024-12-19: 1.5, against \d/,
    );
    expect(err).toContain('SMALL  nothing new, 1 request');
    expect((await asof(['facts', 'GDP'])).out).toBe(before);
  });

  it('names a vintage that FRED has removed with --full, and begins anew after asof series rm', async () => {
    fred.state.series = { SMALL: small };
    await asof(['pull', 'fred', 'SMALL']);
    // The advance estimate of the third quarter of 2024, which the next vintage revised.
    const removed = '2024-10-30';
    const rows = small.rows.filter((row) => row.realtime_start !== removed);
    expect(small.rows.length - rows.length).toBe(1);
    fred.state.series = { SMALL: { ...small, rows } };
    expect((await asof(['pull'])).code).toBe(0);
    const { code, err } = await asof(['pull', '--full']);
    expect([code, err]).toEqual([
      8,
      expect.stringMatching(/SMALL 2024-07-01 as of 2024-10-30: withdrawn, against \d/),
    ]);
    expect((await asof(['unfollow', 'fred', 'SMALL'])).code).toBe(0);
    expect((await asof(['series', 'rm', 'SMALL', '--yes'])).code).toBe(0);
    expect((await asof(['pull', 'fred', 'SMALL'])).code).toBe(0);
    const { out } = await asof(['vintages', 'SMALL', '--all', '--no-header']);
    expect([out.includes(`${removed},`), (await asof(['pull', '--full'])).code]).toEqual([false, 0]);
  });

  it('names a change of the answers, and stores nothing of them', async () => {
    fred.state.change = (path, answer) =>
      path === 'series/observations'
        ? { ...answer, observations: undefined, rows: answer.observations }
        : answer;
    const { code, err } = await asof(['pull', 'fred', 'GDP']);
    expect([code, err]).toEqual([
      8,
      expect.stringContaining('series/observations is not as it was: the answer has no observations'),
    ]);
    fred.state.change = (path, answer) =>
      path === 'series/observations' ? { ...answer, units: 'pch' } : answer;
    const changed = await asof(['pull', 'fred', 'GDP']);
    expect([changed.code, changed.err]).toEqual([8, expect.stringContaining('nothing of it was stored')]);
  });

  it("takes FRED's day where the clock of this machine is ahead", async () => {
    fred.state.today = '2025-01-20';
    const { code, err } = await asof(['pull', 'fred', 'GDP']);
    expect([code, err]).toEqual([0, expect.stringContaining('at FRED it is 2025-01-20')]);
    expect((await asof(['pull', '--list', '--columns', 'up_to', '--no-header'])).out).toBe('2025-01-20\n');
  });

  it('stops on Ctrl-C with what it has, and goes on in the next run', async () => {
    fred.state.maxVintages = 150;
    fred.state.fault = (number) => (number >= 8 ? 'slow' : undefined);
    const child = start(['pull', 'fred', 'GDP']);
    await vi.waitFor(() => expect(fred.requests.length).toBe(9), 20_000);
    child.kill('SIGINT');
    expect(await ended(child)).toMatchObject({
      code: 130,
      err: expect.stringContaining('asof pull goes on'),
    });
    fred.state.fault = () => undefined;
    expect((await asof(['pull'])).code).toBe(0);
    expect((await asof(['vintages', 'GDP', '--all', '--no-header'])).out.split('\n').length - 1).toBe(395);
  });

  it('keeps the pace with another pull at the same time, and both end well', async () => {
    Object.assign(fred.state, { series: { GDP: gdp, SMALL: small } });
    const ends = await Promise.all([asof(['pull', 'fred', 'GDP']), asof(['pull', 'fred', 'SMALL', 'GDP'])]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const times = fred.requests.map(({ at }) => at).sort((a, b) => a - b);
    const inOneSecond = times.map(
      (time) => times.filter((other) => other >= time && other < time + 1000).length,
    );
    expect(Math.max(...inOneSecond)).toBeLessThanOrEqual(2);
    expect((await asof(['vintages', 'GDP', '--all', '--no-header'])).out.split('\n').length - 1).toBe(395);
  });

  it('shows the key in no message, no file and no cause', async () => {
    const texts: string[] = [];
    for (const fault of ['half', 'reset', 'throttled', 'not-registered', 'bad-gateway', undefined] as const) {
      fred.state.fault = () => fault;
      const args = ['pull', 'fred', 'GDP', '--debug', '--retries', '1', '--max-wait', '1'];
      const { out, err } = await asof(texts.length % 4 === 0 ? args : [...args, '--json']);
      texts.push(out, err);
      rmSync(join(home.path, '.cache'), { recursive: true, force: true });
    }
    expect(fred.requests.every(({ query }) => query.api_key === loopbackKey)).toBe(true);
    texts.push(home.contents());
    expect(texts.length).toBeGreaterThan(12);
    expect(texts.filter((text) => text.includes(loopbackKey))).toEqual([]);
  });
});
