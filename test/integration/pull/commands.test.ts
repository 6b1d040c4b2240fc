import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { asof, expectShown } from '../../support/command.ts';
import { newFolder, scratchFolder } from '../../support/folders.ts';
import {
  type LoopbackFred,
  loopbackFred,
  loopbackKey,
  recordedGdp,
} from '../../support/pull/loopback-fred.ts';
import {
  feedOn,
  filing,
  type LoopbackSec,
  listOf,
  loopbackContact,
  loopbackSec,
  loopbackTreasury,
  noSuchKey,
  undeclaredPage,
} from '../../support/pull/loopbacks.ts';
import {
  type Home,
  historyUpTo,
  newHome,
  sources,
  type World,
  worldMakers,
  worldNow,
} from '../../support/pull/pulling.ts';

// Waits for the pace of a source and before the next try take no time.
vi.mock('../../../src/client/remote/exchange.ts', async (original) => ({
  ...(await original<object>()),
  waitFor: async () => undefined,
}));

const folder = newFolder();
const gdp = recordedGdp('2024-01-01');
const small = { ...gdp, description: { ...gdp.description, id: 'SMALL', title: 'A small series' } };

type Environment = Readonly<Record<string, string>>;

let fred: LoopbackFred;
let sec: LoopbackSec;
let home: string;

beforeAll(async () => {
  fred = await loopbackFred({ series: { GDP: gdp, SMALL: small } });
  sec = await loopbackSec();
  const filings = [6, 7, 8].map((day, i) => filing(i + 1, `2025-01-0${day}`));
  sec.files['/submissions/CIK0000000001.json'] = listOf('1', filings, []);
  sec.addFilings('1', filings);
});

beforeEach(() => {
  fred.restore();
  home = scratchFolder();
});

/** Runs commands on the day of FRED. */
const shown = (text: string, env: Environment = {}) =>
  expectShown(text, () => ({
    env: {
      ...{ HOME: home, FRED_API_KEY: loopbackKey, ASOF_FRED_URL: fred.url },
      ...{ ASOF_SEC_URL: sec.url, ASOF_SEC_CONTACT: loopbackContact, ...env },
    },
    now: `${fred.state.today}T18:00:00Z`,
  }));

describe('asof pull', () => {
  it('brings every vintage of a series, and asks once after that', async () => {
    fred.state.series.GDP = recordedGdp();
    await shown(`
      $ asof pull fred gdp -v
      …
      ! GDP  395 new vintages, …, 4 requests
      ! pulled 1 of 1: 395 new vintages, …; 4 requests in … s
      ! made a new store: …/.local/share/asof/asof.db
      ! asof now answers from this store instead of the sample; asof store merge sample --skip-known adds the sample's data
      $ asof obs GDP --as-of 2015-01-30 --limit 1 --no-header
      2014-10-01,17710.7,2015-01-30,GDP,Billions of Dollars,Q,FRED
      $ asof pull -v
      …
      ! GDP  nothing new, 1 request
      ! pulled 1 of 1: nothing new; 1 request in … s
    `);
  });

  it('says once why nothing was pulled, without a network or a key', async () => {
    await shown(
      `
      $ asof pull treasury --retries 0
      ! nothing was pulled; 2 requests in … s
      ! not yet pulled: par (everything), real (everything); no store exists yet: run the same command again
      ! asof: cannot reach http://127.0.0.1:9: connection refused
      [exit 7]
      $ asof pull fred GDP
      ! nothing was pulled
      ! asof: no key for FRED
      …
      [exit 4]
    `,
      { ASOF_TREASURY_URL: 'http://127.0.0.1:9', FRED_API_KEY: '' },
    );
  });

  it('says what is new in one line a series, and when a publisher describes one in other words', async () => {
    fred.state.today = '2024-11-27';
    await shown('$ asof pull fred GDP SMALL -q');
    fred.state.today = '2025-01-20';
    const description = { ...gdp.description, units: 'Billions of Chained 2017 Dollars' };
    fred.state.series.GDP = { ...gdp, description };
    fred.state.series.SMALL = { ...small, rows: historyUpTo(small.rows, '2024-11-27', '9999-12-31') };
    // FRED recorded the vintage of 2024-12-19 with one value that differs from the one before.
    await shown(`
      $ asof pull -v
      …
      ! GDP  1 new vintage, 1 revised, 2 requests
      ! GDP: GDP units: "Billions of Chained 2017 Dollars", before "Billions of Dollars"
      …
      ! SMALL  nothing new, 1 request
      ! pulled 2 of 2: 1 new vintage, 1 revised; 3 requests in … s
    `);
  });

  it('follows series until asof unfollow', async () => {
    await shown(`
      $ asof pull fred GDP -q
      $ asof pull --list
      source,name,since,up_to,last_run,left
      fred,GDP,2025-01-20T18:00:00.000Z,2025-01-20,2025-01-20T18:00:00.000Z,
      $ asof unfollow fred gdp
      ! asof: no longer following GDP of fred; the facts stay
      $ asof pull --list
      source,name,since,up_to,last_run,left
      ! asof: the store follows nothing yet
      $ asof obs GDP --limit 1 --no-header
      2024-07-01,29374.914,2024-12-19,GDP,Billions of Dollars,Q,FRED
      $ asof unfollow fred GDP
      ! asof: the store does not follow GDP of fred
      !       it follows nothing of fred
      [exit 3]
      $ asof pull
      ! asof: the store follows nothing yet
      !       name what to follow, such as asof pull rtdsm ROUTPUT
      [exit 2]
    `);
  });

  it('asks nothing in a dry run, which needs no key, and says how many requests it takes', async () => {
    const { length: asked } = fred.asked;
    const keyless = { FRED_API_KEY: '', ASOF_SEC_CONTACT: '' };
    await shown(
      `
      $ asof pull fred GDP UNRATE --dry-run
      ! GDP  4 requests: the description, the vintage dates, every vintage, and the release
      ! UNRATE  4 requests: the description, the vintage dates, every vintage, and the release
      ! dry run: sent no requests; the pull takes at least 8 requests and 5 s
      $ asof pull sec --cik 1 --dry-run
      ! cik 1  1 request: the list of filings, its older pages, then one for each filing
      ! dry run: sent no requests; the pull takes at least 1 request and 0 s
    `,
      keyless,
    );
    expect(fred.asked.length).toBe(asked);
  });

  it('lists what FRED has for a text, follows a release, and refuses what is no source', async () => {
    await shown(`
      $ asof pull fred --search gross --columns id,popularity
      id,popularity
      GDP,93
      $ asof pull --list --no-header
      ! asof: the store follows nothing yet
      $ asof pull fred --release 53
      ! pulled 2 of 2: …
      …
      $ asof pull --list --columns name --no-header
      GDP
      SMALL
      $ asof pull fred SMALL --since 2999-01-01
      ! asof: --since 2999-01-01: nothing is published on a day that has not begun
      !       name a day up to …
      [exit 2]
      $ asof pull GDP
      ! asof: unknown source 'GDP': use fred, …
      !       asof pull fred GDP brings it; without a key: asof pull rtdsm NOUTPUT, which has it as NOUTPUT
      [exit 2]
      $ asof pull sec --release 53
      ! asof: --release belongs to fred: asof pull fred --release …
      [exit 2]
    `);
  });

  it('needs a key for FRED, from a variable, a file or asof auth login', async () => {
    const keyless = { FRED_API_KEY: '' };
    await shown(
      `
      $ asof pull fred GDP
      …
      ! asof: no key for FRED
      !       https://fredaccount.stlouisfed.org/apikeys gives you one for free
      !       asof auth login --source fred stores it; FRED_API_KEY or ASOF_FRED_API_KEY_FILE names it
      [exit 4]
    `,
      keyless,
    );
    const file = folder.write('key', `${loopbackKey}\n`);
    await shown('$ asof pull fred SMALL -q', { ...keyless, ASOF_FRED_API_KEY_FILE: file });
    const stdin = Readable.from([loopbackKey]);
    const login = 'auth login --source fred --with-token'.split(' ');
    expect(await asof(login, { env: { HOME: home }, stdin })).toMatchObject({ code: 0 });
    await shown('$ asof pull -q', keyless);
  });

  it('needs a contact for the SEC, from a variable or the settings', async () => {
    await shown(
      `
      $ asof pull sec --cik 1
      …
      ! asof: the SEC wants to know who asks, and no contact is set
      !       asof config set sec_contact "Jane Doe jane@example.org", with your name and mail address
      !       ASOF_SEC_CONTACT sets it for one command; asof sends it to the SEC alone
      [exit 4]
      $ asof config set sec_contact "${loopbackContact}"
      …
      $ asof pull sec --cik 1 -q
    `,
      { ASOF_SEC_CONTACT: '' },
    );
  });

  it('tells an unknown id from the others', async () => {
    await shown(`
      $ asof pull fred GDPX SMALL -v
      …
      ! SMALL  …, 4 requests
      ! pulled 1 of 2: …
      …
      ! asof: FRED has no series 'GDPX'
      !       asof pull fred --search TEXT lists what FRED has
      [exit 3]
    `);
  });

  it('--full names a vintage that FRED has removed, and asof series rm lets the series begin anew', async () => {
    await shown('$ asof pull fred SMALL GDP -q');
    // The advance estimate of the third quarter of 2024, which the next vintage revised.
    const rows = small.rows.filter((row) => row.realtime_start !== '2024-10-30');
    expect(small.rows.length - rows.length).toBe(1);
    fred.state.series.SMALL = { ...small, rows };
    await shown(`
      $ asof pull -q
      $ asof pull --full
      ! pulled 1 of 2: nothing new; … requests in … s
      ! asof: FRED contradicts the stored data on SMALL: 1 conflict; asof keeps the stored data:
      !   FRED SMALL …: SMALL 2024-07-01 as of 2024-10-30: withdrawn, against …
      !       asof import --replace takes the new figures from a file, if they are right
      [exit 8]
      $ asof unfollow fred SMALL -q
      $ asof series rm SMALL --yes -q
      $ asof pull fred SMALL -q
      $ asof pull --full -q
    `);
  });

  it('brings the filings of a company, says what the SEC does not give, and asks for it again', async () => {
    sec.trouble = (_, path) => (path.endsWith('-000002.txt') ? noSuchKey : undefined);
    await shown(`
      $ asof pull sec --cik 1 -q --retries 1
      ! asof: the SEC does not give all of cik 1; the rest is stored:
      !   filing 0000000001-25-000002: the SEC lists it and does not have it; asked for since 2025-01-20
      !       asof pull asks for it again
      [exit 8]
      $ asof pull --list --columns name,left -q --no-header
      cik 1,filing 0000000001-25-000002 (the SEC lists it and does not have it)
    `);
    sec.trouble = () => undefined;
    await shown(`
      $ asof pull -v
      …
      ! cik 1  1 new filing, 1 new trade, 2 requests
      ! pulled 1 of 1: 1 new filing, 1 new trade; 2 requests in … s
      $ asof unfollow sec "cik 1" -q
      $ asof pull -q
      ! asof: the store follows nothing yet
      …
      [exit 2]
    `);
  });

  it('brings the curves of Treasury, and asks for one year the next time', async () => {
    const treasury = await loopbackTreasury();
    treasury.feeds['par 2025'] = feedOn('par 2024', '2024-01-02').replace('2024-01-02T', '2025-01-17T');
    await shown(
      `
      $ asof pull treasury par --since 2025-01-01 -v
      …
      ! par  1 new day, 13 new rates, 1 request
      …
      $ asof curve --date 2025-01-17 --no-header --columns maturity,rate
      …
      10Y,3.95
      …
      $ asof pull -v
      …
      ! par  nothing new, 1 request
      …
    `,
      { ASOF_TREASURY_URL: treasury.url },
    );
  });

  it('lists the vintage tables of Eurostat, and brings a series of two of them', async () => {
    const { env } = await worldMakers.eurostat();
    await shown(
      `
      $ asof pull eurostat --list --columns name,frequency
      name,frequency
      EI_IS_M_VTG,M
      EI_LM_M_VTG,M
      EI_NA_Q_VTG,Q
      $ asof pull eurostat ei_lm_m_vtg.M.PC_ACT.SA.T.TOTAL.EA -v
      …
      ! EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA  3 new vintages, 3 new dates, 2 requests
      …
      $ asof obs estat:ei_lm_m_vtg.m.pc_act.sa.t.total.ea --as-of 2021-01-31 --limit 1 --no-header
      2020-11-01,11.5,2021-01-08,ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA,Percentage of population in the labour force,M,Eurostat
      …
    `,
      env,
    );
  });

  it.each([
    ['ROUTPUT', 'asof pull rtdsm ROUTPUT brings it, without a key'],
    ['XYZ1', 'asof pull fred XYZ1 pulls a series of FRED'],
    ['DGS10', 'asof pull treasury'],
    ['EMPLOYMvMd', 'asof pull rtdsm EMPLOYMvMd'],
    ['rtd.Q.S0.S.G_GDPM_TO_C.E', 'asof pull ecb rtd.Q.S0.S.G_GDPM_TO_C.E'],
    ['ei_na_q_vtg', 'asof pull eurostat ei_na_q_vtg'],
    ['EA20.Q.B1GQ_Q.XDC._T', 'asof pull oecd EA20.Q.B1GQ_Q.XDC._T'],
    ['estat', 'did you mean eurostat?'],
    ['FRED_MD', 'did you mean fred-md?'],
    ['SECO', 'asof import realtime_database-gdp.xlsx reads the workbook that SECO offers for download'],
  ])('of %s, which is no source, leads to what works: %s', async (word, hint) => {
    const { code, err } = await asof(['pull', word], { env: { HOME: home } });
    expect([code, err]).toEqual([2, expect.stringMatching(/^asof: unknown source .*\n {6}.*\n$/)]);
    expect(err).toContain(`\n      ${hint}\n`);
  });

  it('--list of a source without a catalogue lists what the store follows of that source', async () => {
    const worlds = [await worldMakers.fred(), await worldMakers['fred-md']()];
    const { run } = newHome(() => Object.assign({}, ...worlds.map((world) => world.env)));
    for (const { part } of worlds) expect(await run(part)).toMatchObject({ code: 0 });
    const listed = async (source: string) =>
      (await run(`pull ${source} --list --columns source,name --no-header`)).out;
    expect(await listed('fred-md')).toBe('fred-md,FRED-MD\n');
    expect(await listed('fred')).toBe('fred,SMALL\n');
    expect((await run('pull ecb --list')).err).toBe('asof: the store follows nothing of ecb yet\n');
    expect((await run('pull ecb')).err).toContain(
      'name what to follow, such as asof pull ecb RTD.Q.S0.S.G_GDPM_TO_C.E\n',
    );
  });

  it('--list shows names and days whole on a terminal of 80 columns, and says what has no room', async () => {
    const { env: own, whole } = await worldMakers.ecb();
    const { path, run } = newHome(() => own);
    const env = { ...own, HOME: path, NO_COLOR: '1' };
    expect(await run(whole)).toMatchObject({ code: 0 });
    const on80 = { env, stdoutIsTerminal: true, columns: 80, now: worldNow };
    const { out, err } = await asof(['pull', '--list'], on80);
    const name = whole.replace('pull ecb ', '');
    expect(out.split('\n')[1]).toMatch(
      new RegExp(`^ecb +${name.replaceAll('.', '[.]')} .* \\d{4}-\\d\\d-\\d\\d$`),
    );
    expect(err).toBe('asof: the terminal is too narrow for last_run; choose with --columns\n');
  });

  it('has the hints of its failures in JSON too', async () => {
    const env = { HOME: home, FRED_API_KEY: loopbackKey, ASOF_FRED_URL: fred.url };
    const { code, out, err } = await asof(['pull', 'fred', 'GDPX', '--json', '-q'], { env });
    const hints = ['asof pull fred --search TEXT lists what FRED has'];
    expect(code).toBe(3);
    expect(JSON.parse(out).results).toMatchObject([{ problem: { kind: 'not-found', hints } }]);
    expect(JSON.parse(err)).toMatchObject({ detail: "FRED has no series 'GDPX'", hints });
  });

  it('prints a summary in JSON', async () => {
    const env = { HOME: home, ASOF_SEC_URL: sec.url, ASOF_SEC_CONTACT: loopbackContact };
    const line = 'pull sec --cik 1 --json'.split(' ');
    const { out } = await asof(line, { env, now: '2025-01-20T18:00:00Z' });
    const counts = { new_filings: 3, new_trades: 3, requests: 4 };
    const subject = { source: 'sec', name: 'cik 1', outcome: 'pulled', ...counts };
    expect(JSON.parse(out)).toEqual({
      ...{ object: 'pull', store: expect.stringContaining(home), created: true, dry_run: false },
      ...{ complete: true, out_of_time: false, requests: 4, seconds: expect.any(Number), stops: [] },
      results: [{ ...subject, up_to: '2025-01-19', left: '', notes: [] }],
    });
  });
});

describe('asof unfollow', () => {
  it.each([
    [
      'ecb',
      'RTD.Q.S0.S.G_GDPM_TO_C.E',
      ['rtd.q.s0.s.g_gdpm_to_c.e', 'RTD/Q.S0.S.G_GDPM_TO_C.E', 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E'],
    ],
    ['fred-md', '', ['', 'fred-md', 'FRED-MD']],
    ['rtdsm', 'ULC', ['ulc', 'ULCQvQd']],
    [
      'eurostat',
      'EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA',
      ['ei_lm_m_vtg', 'estat:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.ea'],
    ],
    ['oecd', 'EA20.Q.B1GQ_Q.XDC._T', ['ea20.q.b1gq_q.xdc._t', 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T']],
    ['sec', '--cik 789019 --since 2026-01-01', ['--cik 789019', '789019', '--cik 0000789019']],
    ['treasury', 'par --since 2025-01-01', ['', 'PAR']],
  ] as const)('%s takes what a pull of %j takes, in any letter case', async (source, names, words) => {
    const { env } = await worldMakers[source]();
    const { run } = newHome(() => env);
    for (const text of words) {
      expect(await run(`pull ${source} ${names}`.trim())).toMatchObject({ code: 0 });
      const { code, err } = await run(`unfollow ${source} ${text}`.trim());
      expect([code, err]).toEqual([
        0,
        expect.stringMatching(/^asof: no longer following .* of .*; the facts stay$/m),
      ]);
      expect((await run('pull --list --no-header -q')).out).toBe('');
    }
  });

  it('names what is followed when a name is not, and changes nothing', async () => {
    await shown(`
      $ asof pull fred GDP SMALL -q
      $ asof unfollow fred GDP SMAL
      ! asof: the store does not follow SMAL of fred
      !       did you mean SMALL?
      !       it follows GDP and SMALL; asof pull --list shows all
      [exit 3]
      $ asof unfollow fred
      ! asof: name the items of fred to unfollow
      !       it follows GDP and SMALL; asof pull --list shows all
      [exit 2]
      $ asof unfollow estat X
      ! asof: unknown source 'estat': use …
      !       did you mean eurostat?
      [exit 2]
      $ asof pull --list --columns name --no-header
      GDP
      SMALL
    `);
    const offered = async (...words: readonly string[]) => {
      const { out } = await asof(['completion', 'zsh', '--', ...words], { env: { HOME: home } });
      return out
        .split('\n')
        .flatMap((line) => line.split('\t')[0] || [])
        .slice(1);
    };
    expect(await offered('unfollow', 'fred', 's')).toEqual(['SMALL']);
    expect(await offered('unfollow', 'fred', 'GDP', '')).toEqual(['SMALL']);
    expect(await offered('pull', 'fred', '')).toEqual(['GDP', 'SMALL']);
    expect(await offered('pull', 'rtdsm', 'rout')).toEqual(['ROUTPUT']);
  });
});

describe('asof ping --sources', () => {
  let worlds: readonly World[] = [];
  let home: Home;
  let env: Environment;

  beforeEach(async () => {
    worlds = await Promise.all(sources.map((source) => worldMakers[source]()));
    env = Object.assign({}, ...worlds.map((world) => world.env));
    home = newHome(() => env);
  });

  const each = <T>(value: T): readonly T[] => sources.map(() => value);
  const asked = () => worlds.map(({ server }) => server.asked.length);
  const spoil = (...[how]: Parameters<World['spoil']>) => {
    for (const world of worlds) world.spoil(how);
  };
  const shown = (text: string, changed: Environment = {}) =>
    expectShown(text, () => ({ env: { HOME: home.path, ...env, ...changed }, now: worldNow }));

  it('asks each source once: whether it answers, takes the key, and what the pace allows', async () => {
    // FRED takes 100 requests a minute, and this was the first.
    await shown(`
      $ asof ping --sources -f csv
      source,answers,key,followed,requests_in_minute,next_request,problem
      fred,true,works,0,99,…Z,
      treasury,true,not needed,0,120,…Z,
      sec,true,works,0,480,…Z,
      rtdsm,true,not needed,0,60,…Z,
      fred-md,true,not needed,0,60,…Z,
      fred-qd,true,not needed,0,60,…Z,
      ecb,true,not needed,0,120,…Z,
      eurostat,true,not needed,0,60,…Z,
      oecd,true,not needed,0,30,…Z,
      calendar,true,not needed,0,60,…Z,
    `);
    expect(asked()).toEqual(each(1));
    await home.run('pull fred SMALL');
    const started = Date.now();
    const { out } = await home.run('ping --sources --json');
    const { results } = JSON.parse(out);
    expect(results).toMatchObject(sources.map((source) => ({ followed: source === 'fred' ? 1 : 0 })));
    const { err } = await home.run('series show SMALL');
    expect(err).toMatch(
      /asof pulls SMALL from fred since \d{4}-\d\d-\d\d: up to [\d-]{10}, last pulled [\dT:-]{16}Z\n/,
    );
    // FRED takes two requests a second, and this was the sixth.
    expect(Date.parse(results[0].next_request)).toBeGreaterThan(started + 5 * 500);
    expect(asked()).toEqual(sources.map((source) => (source === 'fred' ? 6 : 2)));
  });

  it('tells a missing key from a refused one, and asks nothing without one', async () => {
    const none = { FRED_API_KEY: '', ASOF_SEC_CONTACT: '' };
    await shown(
      `
      $ asof ping --sources -f csv --columns source,answers,key
      source,answers,key
      fred,,missing
      treasury,true,not needed
      sec,,missing
      …
    `,
      none,
    );
    expect(asked()).toEqual(
      worlds.map(({ env }) => ('FRED_API_KEY' in env || 'ASOF_SEC_CONTACT' in env ? 0 : 1)),
    );
    await home.run('pull fred SMALL');
    // A store that follows something of a source needs its key.
    await shown('$ asof ping --sources --columns key\n…\n! asof: no key for FRED\n…\n[exit 4]', none);
    await shown(
      `
      $ asof ping --sources -f csv --columns source,answers,key
      source,answers,key
      fred,true,refused
      treasury,true,not needed
      sec,,refused
      …
      ! asof: FRED does not take the key: The value for variable api_key is not registered.
      …
      ! asof: the contact for the SEC has no mail address, or characters that no header may have
      …
      [exit 4]
    `,
      { FRED_API_KEY: 'f'.repeat(32), ASOF_SEC_CONTACT: 'Jane' },
    );
    const [, , sec] = worlds;
    if (sec !== undefined) sec.server.trouble = () => undeclaredPage;
    await shown(`
      $ asof ping --sources -f csv --columns source,answers,key
      …
      sec,true,refused
      …
      ! asof: the SEC does not accept the contact that asof sends
      …
      [exit 4]
    `);
  });

  it.each([
    ['throttled', 6, sources.map(() => /asks for a pause|HTTP 429|too many requests/)],
    ['refused with a page', 6, sources.map(() => /asks for a pause|HTTP 403|answered 403/)],
    // Half an answer shows that a source answers; FRED says in each whether it takes the key.
    ['half an answer', 8, sources.map((source) => (source === 'fred' ? /not JSON or broke off/ : /^null$/))],
    ['silent', 7, sources.map(() => /no answer within 0\.3 s/)],
  ] as const)(
    'on a day on which all are %s ends with %i after one request each',
    async (how, exit, reasons) => {
      spoil(how);
      const { code, out } = await home.run('ping --sources --json --timeout 0.3');
      expect([code, asked()]).toEqual([exit, each(1)]);
      const problems: unknown[] = JSON.parse(out).results.map(({ problem }: { problem: unknown }) => problem);
      for (const [i, problem] of problems.entries()) expect(String(problem)).toMatch(reasons[i] as RegExp);
    },
  );

  it('asks nothing while a pause lasts, and says when the next request may go', async () => {
    spoil('throttled');
    await home.run('ping --sources');
    spoil(undefined);
    const before = Date.now();
    const { code, out } = await home.run('ping --sources --json');
    expect([code, asked()]).toEqual([6, each(1)]);
    const { results } = JSON.parse(out);
    expect(results.slice(0, 3)).toMatchObject([
      { answers: null, key: 'unknown' },
      { answers: null, key: 'not needed' },
      { answers: null, key: 'unknown', requests_in_minute: 0 },
    ]);
    const minutes = results.map(({ next_request: next }: { next_request: string }) =>
      Math.ceil((Date.parse(next) - before) / 60_000),
    );
    const pauses: Readonly<Record<string, number>> = { sec: 10, oecd: 5 };
    expect(minutes).toEqual(sources.map((source) => pauses[source] ?? 1));
    home.forgetPause();
    expect((await home.run('ping --sources')).code).toBe(0);
  });

  it('without a network ends with 7, and names each address', async () => {
    const nowhere = 'http://127.0.0.1:9';
    const urls = Object.fromEntries(
      sources.map((source) => [`ASOF_${source.toUpperCase().replace('-', '_')}_URL`, nowhere]),
    );
    await shown(
      `
      $ asof ping --sources -f csv --columns answers,problem
      answers,problem
      false,cannot reach http://127.0.0.1:9…: connection refused
      false,cannot reach http://127.0.0.1:9…: connection refused
      false,cannot reach http://127.0.0.1:9…: connection refused
      false,cannot reach http://127.0.0.1:9…: connection refused
      false,cannot reach http://127.0.0.1:9…: connection refused
      false,cannot reach http://127.0.0.1:9…: connection refused
      …
      [exit 7]
    `,
      urls,
    );
    expect(asked()).toEqual(each(0));
  });

  it('writes a table or a file, and takes no --base-url', async () => {
    await shown(`
      $ asof ping --sources -f table --columns source,key --no-color
      …
      …fred…works…
      …
      $ asof ping --sources --columns source,key -o ${folder.path('sources.csv')}
      $ asof ping --sources --base-url http://127.0.0.1:9
      ! asof: --sources asks the live sources themselves: leave out --base-url
      [exit 2]
    `);
    const keys = sources.map((source) => `${source},${/fred$|sec/.test(source) ? 'works' : 'not needed'}\n`);
    expect(folder.read('sources.csv')).toBe(`source,key\n${keys.join('')}`);
  });
});
