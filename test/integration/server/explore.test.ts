import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSeries } from '../../../src/explorer/history.ts';
import { PageService, ServiceFailure } from '../../../src/explorer/page-service.ts';
import { builtPath, samplePath } from '../../../src/platform/installation.ts';
import { explore, type RunningExplorer } from '../../../src/server/explore.ts';
import { openStore } from '../../../src/store/open.ts';
import { behindPrefix, startService } from '../../support/modes.ts';

let explorer: RunningExplorer;

async function started(name = ''): Promise<RunningExplorer> {
  return explore({
    store: await openStore(samplePath()),
    port: 0,
    clock: () => new Date('2026-06-15T12:00:00Z'),
    log: new PassThrough().resume(),
    name,
  });
}

beforeAll(async () => {
  explorer = await started();
});
afterAll(() => explorer.stop());

/** The status of an answer to a request with headers that a browser would set. */
function ask(url: string, headers: IncomingHttpHeaders = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, async (answer) =>
      resolve({ status: answer.statusCode ?? 0, body: await text(answer) }),
    )
      .once('error', reject)
      .end();
  });
}

describe('asof explore', () => {
  it('answers on this machine alone, below an address with a random token', async () => {
    const other = await started();
    try {
      expect(explorer.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
      expect(new URL(other.url).pathname).not.toBe(new URL(explorer.url).pathname);
    } finally {
      await other.stop();
    }
  });

  it('needs no key', async () => {
    const answer = await fetch(`${explorer.url}v1/series/GDP/observations?as_of=2015-01-30&limit=1`);
    // BEA's advance estimate of the fourth quarter of 2014 (ALFRED, series GDP).
    expect(await answer.json()).toMatchObject({
      results: [{ value: '17710.7', as_of_date: '2015-01-30T00:00:00Z' }],
    });
  });

  it('answers nothing without its token, or with another', async () => {
    const { origin, pathname } = new URL(explorer.url);
    const wrong = `${pathname.slice(1, -2)}${pathname.at(-2) === 'A' ? 'B' : 'A'}`;
    for (const path of [
      '/',
      '/v1/ping',
      '/healthz',
      '/docs',
      `/${wrong}/`,
      `/${wrong}/v1/ping`,
      pathname.slice(0, -1),
    ]) {
      const answer = await ask(`${origin}${path}`);
      expect([path, answer.status, answer.body]).toEqual([
        path,
        404,
        expect.stringContaining('asof explore printed'),
      ]);
    }
  });

  it('answers no request that came by another name, such as one that an attacker points at this machine', async () => {
    const { host, port } = new URL(explorer.url);
    const status = async (name: string) => (await ask(explorer.url, { host: name })).status;
    expect(await status('attacker.example')).toBe(404);
    expect(await status(`attacker.example:${port}`)).toBe(404);
    expect(await status('127.0.0.1')).toBe(404);
    expect(await status(host)).toBe(200);
    expect(await status(`localhost:${port}`)).toBe(200);
  });

  it('answers no request of a page of another origin', async () => {
    const { origin, port } = new URL(explorer.url);
    const status = async (from: string) => (await ask(`${explorer.url}v1/ping`, { origin: from })).status;
    for (const from of ['https://attacker.example', 'null', 'http://127.0.0.1', `https://127.0.0.1:${port}`])
      expect([from, await status(from)]).toEqual([from, 404]);
    expect(await status(origin)).toBe(200);
  });

  it('tells the page which store its commands name', async () => {
    const named = await started(`Ada's "best" & <own>.db`);
    try {
      expect(await (await fetch(explorer.url)).text()).toContain('<html data-store="" lang="en">');
      expect(await (await fetch(named.url)).text()).toContain(
        `<html data-store="Ada's &quot;best&quot; &amp; &lt;own>.db" lang="en">`,
      );
    } finally {
      await named.stop();
    }
  });

  it('refuses a port that is taken, and names it', async () => {
    const { port } = new URL(explorer.url);
    const store = await openStore(samplePath());
    const log = new PassThrough().resume();
    const failing = explore({ store, port: Number(port), clock: () => new Date(), log, name: '' });
    await expect(failing).rejects.toThrow(`127.0.0.1:${port}`);
  });
});

describe('the page of the explorer', () => {
  it('weighs at most 150 KB of script and style, compressed', () => {
    const names = readdirSync(builtPath('explorer')).filter((name) => /\.(js|css)$/.test(name));
    const weights = names.map((name) => gzipSync(readFileSync(join(builtPath('explorer'), name))).length);
    expect(names).toEqual(expect.arrayContaining(['page.js', 'style.css']));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(150_000);
  });

  it('loads, sends and runs nothing but what its own service has', async () => {
    const answer = await fetch(explorer.url);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
    for (const name of ['script-src', 'style-src', 'connect-src'])
      expect(rules.get(name)).toEqual(["'self'"]);
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
      expect(rules.get(name)).toEqual(["'none'"]);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const page = await answer.text();
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(loaded).toEqual(['data:,', 'explorer/style.css', 'explorer/start.js', 'explorer/page.js']);
    for (const name of readdirSync(builtPath('explorer')).filter((one) => /\.(js|css)$/.test(one)))
      expect(readFileSync(join(builtPath('explorer'), name), 'utf8')).not.toMatch(/url\((?!data:)|@import/);
  });

  it('is asked for again only where it has changed', async () => {
    const first = await fetch(`${explorer.url}explorer/page.js`);
    const tag = first.headers.get('etag') ?? '';
    const again = await fetch(`${explorer.url}explorer/page.js`, { headers: { 'if-none-match': tag } });
    expect([first.status, first.headers.get('cache-control'), again.status]).toEqual([200, 'no-cache', 304]);
  });

  it('is not among the pages of a service, unless the operator allows it', async () => {
    const service = await startService({ openStore: () => openStore(samplePath()) });
    try {
      expect((await fetch(`${service.url}/`)).status).toBe(404);
      expect((await fetch(`${service.url}/explorer/page.js`)).status).toBe(404);
    } finally {
      await service.stop();
    }
  });

  it('is at / of a service that allows it, without a key, also below the prefix of a proxy', async () => {
    const service = await startService({ openStore: () => openStore(samplePath()), explorer: true });
    const proxy = await behindPrefix(service.url, '/data/v0');
    try {
      for (const url of [`${service.url}/`, `${proxy.url}/`]) {
        const page = await fetch(url);
        expect([page.status, (await page.text()).includes('<html lang="en">')]).toEqual([200, true]);
        expect((await fetch(new URL('explorer/page.js', url))).status).toBe(200);
        expect((await fetch(new URL('v1/ping', url))).status).toBe(401);
      }
    } finally {
      await proxy.stop();
      await service.stop();
    }
  });
});

describe('what the explorer shows as of a day', () => {
  it.each(['GDP', 'UNRATE', 'CPIAUCSL'])('is what the store answers as of that day: %s', async (id) => {
    const service = new PageService(new URL(explorer.url), false);
    const { history, vintages, latest: shownLast } = await loadSeries(id, service);
    const days = vintages.map((row) => String(row.as_of_date));
    const some = days.filter((_, i) => i % Math.ceil(days.length / 12) === 0);
    for (const day of ['1900-01-01', ...some, '2016-02-29', days.at(-1) ?? '']) {
      const answered = await service.rows(`series/${id}/observations`, { as_of: day });
      const vintage = history.on(day);
      const shown = history.dates.flatMap((date) => {
        const one = vintage.valueOf(date);
        return one === undefined ? [] : [[date, one.value, one.asOf]];
      });
      expect(shown.reverse()).toEqual(answered.map((row) => [row.date, row.value, row.as_of_date]));
    }
    const latest = await service.rows(`series/${id}/observations`);
    expect(shownLast.filter((value) => value !== null).reverse()).toEqual(latest.map((row) => row.value));
  });

  it('fails with the words of the service', async () => {
    const service = new PageService(new URL(explorer.url), false);
    const failure = await loadSeries('GDPX', service).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceFailure);
    expect(failure).toMatchObject({ status: 404, message: "series 'GDPX' not found" });
  });
});
