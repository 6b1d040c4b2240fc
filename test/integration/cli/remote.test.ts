import type { RequestListener } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { asof } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { envelope, pong, problem, reply, serve } from '../../support/service-double.ts';

const key = 'asof_live_sk_abcdEFGHijklMNOPqrstUVWXyz0123456789_-abcde';

let folder: Folder;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  folder = newFolder();
  env = { ASOF_CONFIG_DIR: folder.path('mine') };
});

const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
  asof(line.split(' '), { env: { ...env, ...more } });

const pings: RequestListener = (_, response) =>
  reply(response, 200, envelope('ping', [{ ...pong, message: 'remote' }]));

describe('the service of a query', () => {
  it.each<[string, string, Readonly<Record<string, string>>, 'remote' | 'sample']>([
    ['is that of --base-url', 'ping --base-url URL', {}, 'remote'],
    [
      'is that of --base-url, and the store that a variable names is ignored',
      'ping --base-url URL',
      { ASOF_STORE: '/nowhere' },
      'remote',
    ],
    ['is that of ASOF_BASE_URL', 'ping', { ASOF_BASE_URL: 'URL' }, 'remote'],
    [
      'is that of ASOF_BASE_URL, and the store that a variable names is ignored',
      'ping',
      { ASOF_BASE_URL: 'URL', ASOF_STORE: '/nowhere' },
      'remote',
    ],
    ['is not asked where the variable is empty', 'ping', { ASOF_BASE_URL: '' }, 'sample'],
    ['is not asked where --store names a store', 'ping --store SAMPLE', { ASOF_BASE_URL: 'URL' }, 'sample'],
  ])('%s', async (_, line, variables, expected) => {
    const { url } = await serve(pings);
    const { samplePath } = await import('../../../src/platform/installation.ts');
    const filled = (text: string) => text.replace('URL', url).replace('SAMPLE', samplePath());
    const more = Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, filled(text)]));
    const { code, out } = await run(filled(line), more);
    expect(code).toBe(0);
    expect(out.includes(',remote,')).toBe(expected === 'remote');
  });

  it('is that of the setting, unless a flag or a variable names another', async () => {
    const [set, named] = [await serve(pings), await serve(pings)];
    await run(`config set base_url ${set.url}`);
    await run('ping');
    await run('ping', { ASOF_BASE_URL: named.url });
    await run(`ping --base-url ${named.url}`);
    expect([set.asked.length, named.asked.length]).toEqual([1, 2]);
  });

  it.each([
    [
      'ping --base-url http://localhost:1 --store x.db',
      {},
      'use either --base-url (a service) or --store (a file)',
    ],
    ['ping --base-url localhost:1', {}, '--base-url "localhost:1": it does not begin with http'],
    ['ping', { ASOF_BASE_URL: 'http://me:hunter2@localhost' }, 'ASOF_BASE_URL: it may not hold a user name'],
    ['ping --timeout 0', {}, '--timeout "0": use seconds'],
    ['ping --retries many', {}, '--retries "many": use an integer'],
    ['ping --max-wait -1', {}, '--max-wait "-1": use seconds'],
    [
      'ping --base-url http://localhost:1',
      { ASOF_TIMEOUT: 'soon' },
      'ASOF_TIMEOUT "soon": use seconds, at most 86400',
    ],
  ])('asof %s with %j is a usage error', async (line, more, words) => {
    const { code, out, err } = await run(line, more);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)]);
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
    [406, 'about:blank', 'not acceptable', 8, /not acceptable/],
    [
      429,
      'rate-limit-exceeded',
      'daily limit of 5 requests exceeded',
      6,
      /try again in 3600 s\n +--max-wait 3600 waits for it/,
    ],
    [500, 'internal-error', 'an internal error occurred', 8, /an internal error occurred/],
    [503, 'about:blank', 'shutting down', 8, /shutting down/],
  ])('%i %s "%s" is %i', async (status, suffix, detail, code, words) => {
    const { url } = await serve((_, response) =>
      problem(response, status, suffix, detail, {}, status === 429 ? { 'retry-after': '3600' } : {}),
    );
    const ended = await run(`obs GDPX --base-url ${url} --retries 0`);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(words);
    expect(ended.err).toContain('request req_1');
  });

  it('no answer is 7, and the message says what named the service', async () => {
    const { url, server } = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const { code, err } = await run('ping --retries 0', { ASOF_BASE_URL: url });
    expect([code, err]).toEqual([
      7,
      `asof: cannot reach ${url}: connection refused\n      ASOF_BASE_URL names this service\n`,
    ]);
  });

  it('HTML is 8', async () => {
    const { url } = await serve((_, response) =>
      reply(response, 200, '<html>', { 'content-type': 'text/html' }),
    );
    const { code, err } = await run(`ping --base-url ${url}`);
    expect([code, err]).toEqual([8, expect.stringContaining(`${url}/v1/ping answered with an HTML page`)]);
  });

  it('a refused key names where it came from, and is not shown', async () => {
    const { url } = await serve((request, response) =>
      problem(response, 401, 'unauthorized', `invalid API key ${request.headers['x-api-key']}`),
    );
    const { code, err } = await run(`ping --base-url ${url}`, { ASOF_API_KEY: key });
    expect([code, err]).toEqual([4, expect.stringContaining('the key is that of ASOF_API_KEY')]);
    expect(err).not.toContain(key);
  });

  it('--json shows it as a problem document on stderr', async () => {
    const { url } = await serve((_, response) =>
      problem(response, 400, 'validation-error', 'bad', { field: 'from' }),
    );
    const { code, out, err } = await run(`obs GDP --json --base-url ${url}`);
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toMatchObject({ status: 400, detail: 'bad', field: 'from', request_id: 'req_1' });
  });
});

describe('a problem without an answer of a service', () => {
  it.each([
    ['usage', 'ping --nonsense', 2],
    ['a service that cannot be reached', 'ping --retries 0 --base-url http://127.0.0.1:1', 7],
    ['a series that no store has', 'diff NOPE 2015-01-30 2015-02-27', 3],
  ])('has no status in JSON, unless it is that of the contract: %s', async (_, line, code) => {
    const ended = await run(`${line} --json`);
    expect(ended.code).toBe(code);
    const { status } = JSON.parse(ended.err);
    expect(status).toBe(code === 3 ? 404 : undefined);
  });

  it('has no status in JSON where the service answered outside the contract', async () => {
    const { url } = await serve((_, response) => reply(response, 200, { object: 'pong' }));
    const { code, err } = await run(`ping --json --base-url ${url}`);
    expect([code, Object.keys(JSON.parse(err))]).toEqual([8, ['type', 'title', 'detail']]);
  });
});

describe('a command that reads a store only', () => {
  const sources: readonly (readonly [from: string, setting: string, Readonly<Record<string, string>>])[] = [
    ['ASOF_BASE_URL', '', { ASOF_BASE_URL: 'http://localhost:1', ASOF_STORE: '/nowhere' }],
    ['the setting base_url', 'config set base_url http://localhost:1', {}],
  ];
  const theStore = '--store PATH names the store';
  const thePage = 'a service with --explorer on shows the page itself: http://localhost:1';
  const cases = sources.flatMap((source) => [
    ['facts', 'facts GDP', [theStore], ...source] as const,
    ['explore', 'explore', [thePage, theStore], ...source] as const,
  ]);

  it.each(cases)('refuses a service: %s', async (command, line, hints, from, setting, more) => {
    if (setting !== '') await run(setting);
    const { code, out, err } = await run(line, more);
    const refusal = `asof: ${from} names a service, and asof ${command} reads a store`;
    expect([code, out, err]).toEqual([2, '', `${[refusal, ...hints].join('\n      ')}\n`]);
  });

  it('reads the store that --store names, even if a variable names a service', async () => {
    const { samplePath } = await import('../../../src/platform/installation.ts');
    const { code, out } = await run(`facts GDP --store ${samplePath()}`, {
      ASOF_BASE_URL: 'http://localhost:1',
    });
    expect([code, out]).toEqual([0, expect.stringMatching(/^series_id,date,as_of_date,value.*\nGDP,/)]);
  });
});

describe('the wait for a service', () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
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

  it('for Retry-After is shown with -v', async () => {
    let count = 0;
    const { url } = await serve((request, response) => {
      count += 1;
      if (count > 1) pings(request, response as Parameters<RequestListener>[1]);
      else problem(response, 429, 'rate-limit-exceeded', 'rate limit', {}, { 'retry-after': '1' });
    });
    const { code, err } = await asof(['ping', '--base-url', url], { env, stderrIsTerminal: true });
    expect([code, err]).toEqual([0, `asof: ${url}/v1/ping answered 429; retrying in 1 s\n`]);
  });
});

describe('what stderr shows of requests', () => {
  const quota = {
    'content-type': 'application/json',
    'ratelimit-limit': '30',
    'ratelimit-remaining': '7',
    'ratelimit-reset': '12',
  };
  const counted: RequestListener = (request, response) =>
    reply(response, 200, envelope('ping', [pong]), {
      ...quota,
      'x-echo': String(request.headers['x-api-key']),
    });

  it('is nothing without -v', async () => {
    const { url } = await serve(counted);
    expect((await run(`ping --base-url ${url}`)).err).toBe('');
  });

  it('with -v is the request, its time, and the quota that is left', async () => {
    const { url } = await serve(counted);
    const { err } = await run(`ping -v --base-url ${url}`, { ASOF_API_KEY: key });
    expect(err).toContain(`asof: service ${url} (--base-url), key of ASOF_API_KEY\n`);
    expect(err).toMatch(
      /asof: GET http:\S+\/v1\/ping: 200, \d+ bytes in \d+ ms; 7 of 30 requests left for 12 s\n/,
    );
    expect(err).not.toContain('x-api-key');
    expect(err).not.toContain(key);
  });

  it('with -v is how long the limit lasts also where the service gives the time of its end', async () => {
    // The commands of tests run at 12:00.
    const end = Date.parse('2026-03-15T12:00:30Z') / 1000;
    for (const reset of [String(end), String(end * 1000)]) {
      const { url } = await serve((_, response) =>
        reply(response, 200, envelope('ping', [pong]), { ...quota, 'ratelimit-reset': reset }),
      );
      expect((await run(`ping -v --base-url ${url}`)).err).toContain('; 7 of 30 requests left for 30 s\n');
    }
  });

  it('with --debug is also the headers, with the key redacted', async () => {
    const { url } = await serve(counted);
    const { err } = await run(`ping --debug --base-url ${url}`, { ASOF_API_KEY: key });
    expect(err).toContain('> x-api-key: (redacted)\n');
    expect(err).toContain('< ratelimit-remaining: 7\n');
    expect(err).toContain('< x-echo: (redacted)\n');
    expect(err).not.toContain(key);
  });

  it('with -v is also the reason why a try failed', async () => {
    const { url } = await serve((_, response) => response.destroy());
    const { err } = await run(`ping -v --base-url ${url} --retries 1`);
    expect(err.match(/asof: GET http:\S+: cannot reach .*, after \d+ ms\n/g)).toHaveLength(2);
    expect(err).toContain('; retrying in 0.25 s\n');
  });
});
