import type { RequestListener } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { asof, transcript } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { envelope, pong, problem, reply, serve } from '../../support/service-double.ts';

const key = 'asof_live_sk_abcdEFGHijklMNOPqrstUVWXyz0123456789_-abcde';

let folder: Folder;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  folder = newFolder();
  env = { ASOF_CONFIG_DIR: folder.path('mine') };
});

type Variables = Readonly<Record<string, string>>;
const run = (line: string, more: Variables = {}) => asof(line.split(' '), { env: { ...env, ...more } });

const pings: RequestListener = (_, response) =>
  reply(response, 200, envelope('ping', [{ ...pong, message: 'remote' }]));

describe('the service of a query', () => {
  it.each<[string, string, Variables, isRemote: boolean]>([
    ['is that of --base-url before ASOF_STORE', 'ping --base-url URL', { ASOF_STORE: '/nowhere' }, true],
    ['is that of ASOF_BASE_URL before ASOF_STORE', 'ping', { ASOF_BASE_URL: 'URL', ASOF_STORE: '/x' }, true],
    ['is not asked where the variable is empty', 'ping', { ASOF_BASE_URL: '' }, false],
    ['is not asked where --store names a store', 'ping --store SAMPLE', { ASOF_BASE_URL: 'URL' }, false],
  ])('%s', async (_, line, variables, isRemote) => {
    const { url } = await serve(pings);
    const filled = (text: string) => text.replace('URL', url).replace('SAMPLE', samplePath());
    const more = Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, filled(text)]));
    const { code, out } = await run(filled(line), more);
    expect([code, out.includes(',remote,')]).toEqual([0, isRemote]);
  });

  it('is that of the setting, unless a flag or a variable names another', async () => {
    const [set, named] = [await serve(pings), await serve(pings)];
    await run(`config set base_url ${set.url}`);
    await run('ping');
    await run('ping', { ASOF_BASE_URL: named.url });
    await run(`ping --base-url ${named.url}`);
    expect([set.asked.length, named.asked.length]).toEqual([1, 2]);
  });

  it.each<readonly [line: string, more: Variables, said: string]>([
    ['ping --base-url localhost:1', {}, '--base-url "localhost:1": it does not begin with http'],
    ['ping', { ASOF_BASE_URL: 'http://me:hunter2@localhost' }, 'ASOF_BASE_URL: it may not hold a user name'],
    ['ping --base-url http://x', { ASOF_TIMEOUT: 'soon' }, 'ASOF_TIMEOUT "soon": use seconds, at most 86400'],
  ])('is not asked where its address or its time limit is invalid: asof %s %j', async (line, more, said) => {
    const { code, out, err } = await run(line, more);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(said)]);
    expect(err).not.toContain('hunter2');
  });
});

describe('the answer of a service decides the exit code', () => {
  const unknown = "series 'GDPX' not found";
  it.each<[number, string, string, number, RegExp]>([
    [400, 'validation-error', 'bad', 2, /^asof: bad$/m],
    [401, 'unauthorized', 'missing X-API-Key header', 4, /asof auth login --base-url http/],
    [403, 'plan-upgrade-required', 'upgrade at https://x', 5, /upgrade at https:\/\/x/],
    [404, 'not-found', unknown, 3, /^asof: series 'GDPX' not found$/m],
    [404, 'not-found', 'no such endpoint', 8, /has no \/v1\/series\/GDPX\/observations/],
    [405, 'about:blank', 'method not allowed', 8, /method not allowed/],
    [429, 'rate-limit-exceeded', 'limit', 6, /try again in 3600 s\n +--max-wait 3600 waits for it/],
    [500, 'internal-error', 'an internal error occurred', 8, /an internal error occurred/],
  ])('%i %s "%s" is %i', async (status, suffix, detail, code, words) => {
    const { url } = await serve((_, response) =>
      problem(response, status, suffix, detail, {}, status === 429 ? { 'retry-after': '3600' } : {}),
    );
    const ended = await run(`obs GDPX --base-url ${url} --retries 0`);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(words);
    expect(ended.err).toContain('request req_1');
  });

  it('a refused key names where it came from, and is not shown', async () => {
    const { url } = await serve((request, response) =>
      problem(response, 401, 'unauthorized', `invalid API key ${request.headers['x-api-key']}`),
    );
    const { code, err } = await run(`ping --base-url ${url}`, { ASOF_API_KEY: key });
    expect([code, err]).toEqual([4, expect.stringContaining('asof sent the key from ASOF_API_KEY')]);
    expect(err).not.toContain(key);
  });

  it('--json shows it as a problem document on stderr, with a status if it is one of the contract', async () => {
    const jsonOf = async (listener: RequestListener) => {
      const { url } = await serve(listener);
      const { code, out, err } = await run(`ping --json --retries 0 --base-url ${url}`);
      expect(out).toBe('');
      return { code, ...JSON.parse(err) };
    };
    expect(
      await jsonOf((_, response) => problem(response, 400, 'validation-error', 'bad', { field: 'from' })),
    ).toMatchObject({ code: 2, status: 400, detail: 'bad', field: 'from', request_id: 'req_1' });
    const outside = await jsonOf((_, response) => reply(response, 200, { object: 'pong' }));
    expect([outside.code, Object.keys(outside)]).toEqual([8, ['code', 'type', 'title', 'detail']]);
    const none = await jsonOf((_, response) => response.destroy());
    expect([none.code, Object.keys(none)]).toEqual([7, ['code', 'type', 'title', 'detail']]);
  });

  transcript(
    `
    # no answer is 7, and the message says what named the service
    $ asof ping --retries 0
    ! asof: cannot reach http://127.0.0.1:1: connection refused
    !       ASOF_BASE_URL names this service
    [exit 7]
    `,
    () => ({ env: { ASOF_BASE_URL: 'http://127.0.0.1:1' } }),
  );
});

describe('a command that reads a store only', () => {
  transcript(
    `
    # refuses the service that a variable names, and reads the store that a flag names
    $ asof facts GDP
    ! asof: ASOF_BASE_URL names a service, and asof facts reads a store
    !       --store PATH names the store
    [exit 2]
    $ asof facts GDP --store ${samplePath()}
    series_id,date,as_of_date,value,vintage_kind,title,units,frequency,seasonal_adjustment,source,covered_to
    GDP,…
    …
    `,
    () => ({ env: { ASOF_BASE_URL: 'http://localhost:1', ASOF_STORE: '/nowhere' } }),
  );
  transcript(
    `
    # refuses the service of a setting, and names the page of the service itself
    $ asof config set base_url http://localhost:1
    $ asof explore
    ! asof: the setting base_url names a service, and asof explore reads a store
    !       a service with --explorer on shows the page itself: http://localhost:1
    !       --store PATH names the store
    [exit 2]
    `,
    () => ({ env }),
  );
});

describe('the wait for a service', () => {
  it.each<[string, string, Variables]>([
    ['a flag', 'ping --timeout 0.2 --retries 0', { ASOF_TIMEOUT: '30' }],
    ['a variable', 'ping --retries 0', { ASOF_TIMEOUT: '0.2' }],
    ['a setting', 'ping --retries 0', {}],
  ])('is limited by %s', async (from, line, more) => {
    const { url } = await serve(() => undefined);
    await run(`config set timeout ${from === 'a setting' ? '0.2' : '29'}`);
    const { code, err } = await run(`${line} --base-url ${url}`, more);
    expect([code, err]).toEqual([7, expect.stringContaining('no answer within 0.2 s')]);
  });

  it('ends when the user stops: at once, with 130 and nothing on stdout', async () => {
    const stop = new AbortController();
    const { url } = await serve(() => setTimeout(() => stop.abort('SIGINT'), 50));
    const started = performance.now();
    const ended = await asof(['ping', '--base-url', url], { env, signal: stop.signal });
    expect([ended.code, ended.out]).toEqual([130, '']);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('for Retry-After is shown on a terminal', async () => {
    let count = 0;
    const { url } = await serve((request, response) => {
      count += 1;
      if (count > 1) return void pings(request, response as Parameters<RequestListener>[1]);
      problem(response, 429, 'rate-limit-exceeded', 'rate limit', {}, { 'retry-after': '1' });
    });
    const { code, err } = await asof(['ping', '--base-url', url], { env, stderrIsTerminal: true });
    expect([code, err]).toEqual([0, `asof: ${url}/v1/ping answered 429; retrying in 1 s\n`]);
  });
});

describe('what stderr shows of requests', () => {
  /** What it shows of a ping to a service whose limit lasts until `reset`. */
  async function shown(flags: string, reset = '12') {
    const { url } = await serve((request, response) =>
      reply(response, 200, envelope('ping', [pong]), {
        'content-type': 'application/json',
        ...{ 'ratelimit-limit': '30', 'ratelimit-remaining': '7', 'ratelimit-reset': reset },
        'x-echo': String(request.headers['x-api-key']),
      }),
    );
    const { err } = await run(`ping${flags} --base-url ${url}`, { ASOF_API_KEY: key });
    expect(err).not.toContain(key);
    return err.replaceAll(url, 'URL').replace(/\d+ bytes in \d+ ms/, 'N bytes in N ms');
  }

  it('is nothing without -v, and with it the request, its time and the quota that is left', async () => {
    expect(await shown('')).toBe('');
    const err = await shown(' -v');
    expect(err).toContain('asof: service URL (--base-url), key of ASOF_API_KEY\n');
    expect(err).toContain('asof: GET URL/v1/ping: 200, N bytes in N ms; 7 of 30 requests left for 12 s\n');
    expect(err).not.toContain('x-api-key');
  });

  it('with -v is how long the limit lasts also where the service gives the time of its end', async () => {
    // The commands of tests run at 12:00.
    const end = Date.parse('2026-03-15T12:00:30Z') / 1000;
    for (const reset of [end, end * 1000])
      expect(await shown(' -v', String(reset))).toContain('; 7 of 30 requests left for 30 s\n');
  });

  it('with --debug is also the headers, with the key redacted', async () => {
    const err = await shown(' --debug');
    for (const line of ['> x-api-key: (redacted)', '< ratelimit-remaining: 7', '< x-echo: (redacted)'])
      expect(err).toContain(`${line}\n`);
  });

  it('with -v is also the reason why a try failed', async () => {
    const { url } = await serve((_, response) => response.destroy());
    const { err } = await run(`ping -v --base-url ${url} --retries 1`);
    expect(err.match(/asof: GET http:\S+: cannot reach .*, after \d+ ms\n/g)).toHaveLength(2);
    expect(err).toContain('; retrying in 0.25 s\n');
  });
});
