import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { PullOptions } from '../../../src/pull/options.ts';
import { followedIn } from '../../../src/pull/sources.ts';
import { writing } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  listOf,
  loopbackContact,
  loopbackSec,
  type Trouble,
  throttlePage,
  undeclaredPage,
} from '../../support/pull/loopbacks.ts';
import {
  checkBreaks,
  newHome,
  puller,
  type Source,
  sources,
  type World,
  worldMakers,
} from '../../support/pull/pulling.ts';
import { recording } from '../../support/repository.ts';
import { serve } from '../../support/service-double.ts';

// Waits for the pace of a source and before the next try take no time.
vi.mock('../../../src/client/remote/exchange.ts', async (original) => ({
  ...(await original<object>()),
  waitFor: async () => undefined,
}));

async function begin(source: Source) {
  const world: World = await worldMakers[source]();
  const home = newHome(() => world.env);
  const { run } = home;
  return { ...world, home, run, list: () => run('pull --list --columns name,up_to --no-header -q') };
}

/**
 * Lets a pull of a store that follows nothing store the facts of a few windows, and then ends it as if it were killed:
 * it cannot take back a bookmark either. Returns what lets the store take everything again.
 */
function breakAfter(windows: number, store: string): () => void {
  const change = (sql: string) => {
    const db = openDatabase(store);
    db.exec(sql);
    db.close();
  };
  change(`create trigger broken before insert on import when (select count(*) from import) >= ${windows}
      begin select raise(abort, 'the pull breaks here'); end;
    create trigger killed before update of bookmark on followed when new.bookmark = ''
      begin select raise(ignore); end`);
  return () => change('drop trigger broken; drop trigger killed');
}

describe.each(sources)('asof pull %s', (source) => {
  it.each([
    ['throttled', 6, /try again in \d+ s, at \d{4}-/],
    ['refused with a page', 6, /try again in \d+ s, at \d{4}-/],
    ['half an answer', 8, /(and stored nothing from it|not JSON or broke off)/],
    ['a cut answer', 7, /cannot reach http:\/\/127\.0\.0\.1:\d+.*: /],
    ['silent', 7, /no answer within 0\.3 s/],
  ] as const)(
    'that is %s ends with its exit code, stores nothing, and is whole in the next run',
    async (how, usualExit, usualReason) => {
      const { server, part, whole, home, run, spoil, list, refusal } = await begin(source);
      const isRefused = how === 'refused with a page' && refusal !== undefined;
      const [exit, reason] = isRefused ? refusal : [usualExit, usualReason];
      spoil(how);
      const { code, err } = await run(`${whole} --retries 0 --max-wait 1 --timeout 0.3`);
      expect([code, err]).toEqual([exit, expect.stringMatching(reason)]);
      expect([server.asked.length, (await list()).out]).toEqual([1, '']);
      spoil(undefined);
      home.forgetPause();
      expect(await run(part)).toMatchObject({ code: 0 });
      expect((await run('pull --list --columns left')).out).toBe('left\n""\n');
    },
  );

  it('where nobody answers ends with 7, names the address, and says what is left', async () => {
    const { whole, run, list } = await begin(source);
    const nowhere = { [`ASOF_${source.toUpperCase().replace('-', '_')}_URL`]: 'http://127.0.0.1:9' };
    const { code, err } = await run(`${whole} --retries 0`, nowhere);
    expect([code, err]).toEqual([
      7,
      expect.stringMatching(/cannot reach http:\/\/127\.0\.0\.1:9.*connection refused/),
    ]);
    // Nobody knows whether there is something new, and there is no store to go on from.
    expect(err).toMatch(/^nothing was pulled; \d+ requests? in /m);
    expect(err).toMatch(
      /^not yet pulled: .* \(everything\); no store exists yet: run the same command again$/m,
    );
    expect(err).not.toMatch(/nothing new|continues from there/);
    expect((await list()).out).toBe('');
  });

  it('whose answers have another schema ends with 8, says what is left, and stores nothing', async () => {
    const { part, whole, run, changeSchema, list } = await begin(source);
    expect(await run(part)).toMatchObject({ code: 0 });
    const before = (await list()).out;
    changeSchema();
    const again = await run('pull --full --retries 0');
    expect([again.code, (await list()).out]).toEqual([8, before]);
    expect(again.err).toMatch(/^not yet pulled: .* \(.+\); asof pull continues from there$/m);
    expect(again.err).not.toContain('nothing new');
    const { code, err } = await run(`${whole} --retries 0 --store ${scratchFolder()}/new.db`);
    const unread = /(and stored nothing from it|has changed)[\s\S]*a newer asof may read it/;
    expect([code, err]).toEqual([8, expect.stringMatching(unread)]);
  });

  it.each([
    ['ahead', -400],
    ['behind', 400],
  ])('by a clock that is 400 days %s ends with 10, and the store stays as it was', async (_, days) => {
    const { server, part, run, list } = await begin(source);
    server.isDated = true;
    expect(await run(part)).toMatchObject({ code: 0 });
    const before = (await list()).out;
    server.isDated = new Date(Date.now() + days * 86_400_000);
    const { code, err } = await run('pull -v');
    expect([code, err]).toEqual([
      10,
      expect.stringMatching(/the clock of this machine says[\s\S]*set the clock/),
    ]);
    expect((await list()).out).toBe(before);
    server.isDated = true;
    expect(await run('pull')).toMatchObject({ code: 0 });
  });

  it('stops at a signal, says what is left, and goes on in the next run', async () => {
    const { server, whole, answered = 3, home, run, spoil, expectWhole } = await begin(source);
    spoil('silent', answered);
    const stop = new AbortController();
    const end = run(whole, {}, stop.signal);
    await vi.waitFor(() => expect(server.asked.length).toBe(answered + 1), 30_000);
    stop.abort();
    const { code, err } = await end;
    const next = existsSync(home.store) ? 'asof pull continues from there' : 'run the same command again';
    expect([code, err]).toEqual([130, expect.stringContaining(next)]);
    spoil(undefined);
    expect(await run(whole)).toMatchObject({ code: 0 });
    await expectWhole(home.store);
  });

  it('that breaks off at any requests goes on there, and is whole in the end', async () => {
    const faults = ['cut', 'reset', ...[503, 429].map((status) => ({ status, body: '' }))] as const;
    await checkBreaks(faults, 4, async () => {
      const { server, whole, home, run, expectWhole } = await begin(source);
      return {
        source: server,
        async run() {
          await run(`${whole} --retries 0 --max-wait 0`);
          home.forgetPause();
        },
        async check() {
          // The ECB of this world has a cut copy, for which one try is too few.
          expect(await run(whole)).toMatchObject({ code: 0 });
          await expectWhole(home.store);
        },
      };
    });
  });

  it('that breaks between the facts and the bookmark of any window has no bookmark of it, and is whole in the next run', async () => {
    let windows = 0;
    for (; ; windows += 1) {
      const { whole, home, run, expectWhole } = await begin(source);
      await writing(home.store, (writer) => writer.commit());
      const mend = breakAfter(windows, home.store);
      const { code, err } = await run(whole);
      if (code === 0) break;
      expect(err).toContain('the pull breaks here');
      const reached = (await followedIn(home.store)).map(({ bookmark }) => bookmark);
      if (windows === 0) expect(reached.filter((bookmark) => bookmark !== '')).toEqual([]);
      mend();
      expect(await run(whole)).toMatchObject({ code: 0 });
      await expectWhole(home.store);
    }
    expect(windows).toBeGreaterThan(0);
  });

  it('shows the key or the contact in no message, file or cause', async () => {
    const { server, whole, env, home, run, spoil } = await begin(source);
    const secrets = Object.entries(env).flatMap(([name, value]) =>
      name.endsWith('_URL') ? [] : [value, ...value.split(' ').filter((word) => /[@\d]/.test(word))],
    );
    const texts: string[] = [];
    const days = ['throttled', 'refused with a page', 'half an answer', 'a cut answer', 'silent'] as const;
    for (const how of [...days, undefined]) {
      spoil(how);
      for (const json of ['', ' --json']) {
        const { out, err } = await run(`${whole} --debug --retries 1 --max-wait 1 --timeout 0.1${json}`);
        texts.push(out, err);
        home.forgetPause();
      }
    }
    texts.push(home.contents());
    expect(server.asked.length).toBeGreaterThan(14);
    for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });
});

describe('a pull through the proxy of HTTPS_PROXY', () => {
  it.each([
    ['fred', 'api.stlouisfed.org:443'],
    ['treasury', 'home.treasury.gov:443'],
    ['sec', 'data.sec.gov:443'],
    ['rtdsm', 'www.philadelphiafed.org:443'],
    ['fred-md', 'www.stlouisfed.org:443'],
    ['ecb', 'data-api.ecb.europa.eu:443'],
    ['eurostat', 'ec.europa.eu:443'],
    ['oecd', 'sdmx.oecd.org:443'],
    ['calendar', 'www.bea.gov:443'],
  ] as const)('asks it for the public host of %s, %s', async (source, host) => {
    const { whole, run } = await begin(source);
    const hosts: (string | undefined)[] = [];
    const { url, server } = await serve((_, response) => void response.writeHead(400).end());
    server.on('connect', (request, socket) => {
      hosts.push(request.url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    const env = { [`ASOF_${source.toUpperCase().replace('-', '_')}_URL`]: '', HTTPS_PROXY: url };
    const { code, err } = await run(`${whole} --retries 0`, env);
    const refused = expect.stringContaining('the proxy refused with status 502');
    expect([code, err, hosts]).toEqual([7, refused, [host]]);
  });

  it('that is down ends with 7 and names it without its password', async () => {
    const { whole, run } = await begin('treasury');
    const env = { ASOF_TREASURY_URL: '', HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:9' };
    const { code, err } = await run(`${whole} --retries 0 --debug`, env);
    expect([code, err]).toEqual([7, expect.stringContaining('a proxy, http://127.0.0.1:9 (')]);
    expect(err).not.toContain('hunter2');
  });
});

it('asof pull --max-duration ends a wait that would last longer, with the exit code of its reason', async () => {
  const { whole, run, spoil } = await begin('fred');
  spoil('throttled', 4);
  const { code, err } = await run(`${whole} --max-duration 20s`);
  expect([code, err]).toEqual([6, expect.stringContaining('--max-duration leaves no time to wait for it')]);
  expect(err).toContain('not yet pulled: GDP (everything); no store exists yet: run the same command again');
});

describe('what the SEC refuses', () => {
  const instant = '2026-02-03T17:00:00Z';
  const page = '<!DOCTYPE html><html><head><title>Page not found</title></head></html>';
  const list = '/submissions/CIK0000000001.json';

  /** The SEC with a list without filings, and a store that follows it. */
  async function emptyCompany(options: Partial<PullOptions> = {}) {
    const server = await loopbackSec();
    server.files[list] = listOf('1', [], []);
    /** Some requests from the next one on go wrong. */
    const failNext = (count: number, trouble: Trouble) => {
      const { length: first } = server.asked;
      server.trouble = (number) => (number < first + count ? trouble : undefined);
    };
    return { server, failNext, ...puller(server, { request: { sec: ['cik 1'] }, ...options }) };
  }

  it('with the page that its threshold is exceeded stops all requests for ten minutes, and says when to come back', async () => {
    const { failNext, pull } = await emptyCompany({ cacheFolder: scratchFolder(), retries: 3 });
    failNext(1, throttlePage);
    const { stops, said, hints, asked } = await pull(instant);
    expect(stops).toMatchObject([
      { source: 'sec', problem: { kind: 'rate-limit-exceeded', retryAfter: 600 } },
    ]);
    expect(said).toMatch(/try again in 600 s, at 2026-02-03T17:10:00Z/);
    expect([hints, asked.length]).toEqual([['--max-wait 600 waits for it'], 1]);
    // Another process of this user asks nothing before the pause is over.
    const early = { kind: 'rate-limit-exceeded', asked: [] };
    expect(await pull('2026-02-03T17:05:00Z')).toMatchObject(early);
    expect(await pull('2026-02-03T17:10:01Z')).toMatchObject({ stops: [], asked: [list] });
  });

  it('is asked for again after the pause if --max-wait is long enough for it and for those before it', async () => {
    const { failNext, pull } = await emptyCompany({ maxWait: 700 });
    failNext(1, throttlePage);
    const once = await pull(instant);
    expect([once.stops, once.asked.length]).toEqual([[], 2]);
    expect(once.waited).toBeGreaterThanOrEqual(600_000);
    failNext(2, throttlePage);
    expect((await pull(instant)).hints).toEqual(['--max-wait 1200 waits for it']);
    failNext(2, throttlePage);
    expect((await pull(instant, { maxWait: 1200 })).stops).toEqual([]);
  });

  it.each([
    ['that tools must name themselves', undeclaredPage, 'unauthorized'],
    ['the same with the status 200', { ...undeclaredPage, status: 200 }, 'unauthorized'],
    ['HTTP 403 and an unknown page', { status: 403, body: page }, 'bad-answer'],
    ['HTTP 404 and an unknown page', { status: 404, body: page }, 'bad-answer'],
    ['HTTP 429', { status: 429, body: '' }, 'rate-limit-exceeded'],
    ['HTTP 503', recording('sec/getcurrent-503.json').response, 'service-unavailable'],
  ])('with %s is no missing file', async (_, trouble, kind) => {
    const { failNext, pull } = await emptyCompany({ retries: 3, maxWait: 0 });
    failNext(9, trouble);
    const refused = await pull(instant);
    expect([refused.kind, refused.asked.length]).toEqual([kind, 1]);
    if (kind === 'unauthorized')
      expect(refused.said).toBe('the SEC does not accept the contact that asof sends');
  });

  it.each(['Max Muster', 'max@', 'Máx max@example.com', 'Max\r\nX-Other: 1 max@example.com'])(
    'with the contact %j is not asked, and the message does not repeat it',
    async (contact) => {
      const { server, pull } = await emptyCompany();
      const refused = await pull(instant, { settings: { sec: { url: server.url, contact } } });
      expect(refused).toMatchObject({ kind: 'bad-input', asked: [] });
      expect(`${refused.said} ${refused.hints}`).not.toContain(contact);
    },
  );

  it('is not asked more than eight times a second', async () => {
    // The loopback knows none of the CIKs but 1; each is one request.
    const request = { sec: Array.from({ length: 17 }, (_, i) => `cik ${i + 1}`) };
    const { server, pull } = await emptyCompany();
    const { asked, waited } = await pull(instant, { request });
    expect(asked.length).toBe(17);
    expect([...server.agents]).toEqual([expect.stringContaining(loopbackContact)]);
    expect(waited).toBeGreaterThanOrEqual(2000);
  });
});
