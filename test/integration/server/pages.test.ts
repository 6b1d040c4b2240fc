import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadSeries } from '../../../src/explorer/history.ts';
import { PageService, ServiceFailure } from '../../../src/explorer/page-service.ts';
import { addAlias } from '../../../src/maintenance/series.ts';
import { builtFile, builtNames, samplePath } from '../../../src/platform/installation.ts';
import { explore, type RunningExplorer } from '../../../src/server/serve.ts';
import { openStore } from '../../../src/store/open.ts';
import { scratchFolder } from '../../support/folders.ts';
import { behindPrefix, type Running, startService } from '../../support/modes.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';

let service: Running;
let explorer: RunningExplorer;

async function started(name = '', port = 0): Promise<RunningExplorer> {
  const clock = () => new Date('2026-06-15T12:00:00Z');
  const log = new PassThrough().resume();
  return explore({ store: await openStore(samplePath()), port, clock, log, name });
}

/** The address of a service below a prefix, until the end of the test. */
async function prefixed(url: string): Promise<string> {
  const proxy = await behindPrefix(url, '/data/v0');
  onTestFinished(() => proxy.stop());
  return proxy.url;
}

beforeAll(async () => {
  service = await startService({ openStore: () => openStore(samplePath()) });
  explorer = await started();
});
afterAll(async () => {
  await explorer.stop();
  await service.stop();
});

/** The answer to a request with headers that a browser would set. */
async function ask(url: string, headers: IncomingHttpHeaders = {}) {
  const sent = request(url, { headers });
  sent.end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode as number, body: await text(answer) };
}

/** The rules of the Content-Security-Policy of an answer. */
function policyOf({ headers }: Response): ReadonlyMap<string, readonly string[]> {
  const rules = (headers.get('content-security-policy') ?? '').split('; ');
  return new Map(rules.map((rule) => [rule.split(' ')[0] ?? '', rule.split(' ').slice(1)]));
}

describe('the reference page', () => {
  /** The addresses that a page loads, in its order. */
  async function loadedBy(page: string): Promise<readonly string[]> {
    const html = await (await fetch(page)).text();
    return [...html.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)].map(
      ([, address = '']) => new URL(address, page).href,
    );
  }

  it('needs no key, and loads nothing but files that the service answers', async () => {
    const answer = await fetch(`${service.url}/docs`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const files: unknown[] = [];
    for (const file of await loadedBy(answer.url)) {
      const { status, headers } = await fetch(file);
      files.push([file.replace(service.url, ''), status, headers.get('content-type')]);
    }
    expect(files).toEqual([
      ['/docs/swagger-ui.css', 200, 'text/css; charset=utf-8'],
      ['/docs/swagger-ui-bundle.js', 200, 'text/javascript; charset=utf-8'],
      ['/docs/page.js', 200, 'text/javascript; charset=utf-8'],
    ]);
  });

  it('reads the description, also below a prefix', async () => {
    for (const url of [service.url, await prefixed(service.url)]) {
      const script = await (await fetch((await loadedBy(`${url}/docs`)).at(-1) ?? '')).text();
      const [, description = ''] = /new URL\('([^']+)', location\.href\)/.exec(script) ?? [];
      const described = await (await fetch(new URL(description, `${url}/docs`))).json();
      expect(described).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    }
  });

  it('allows scripts and requests of the service alone', async () => {
    const rules = policyOf(await fetch(`${service.url}/docs`));
    for (const name of ['script-src', 'connect-src']) expect(rules.get(name)).toEqual(["'self'"]);
    expect(rules.get('default-src')).toEqual(["'none'"]);
  });

  it('has the same files in every coding, also when they are asked for again', async () => {
    const inCoding = async (coding: string) => {
      const headers = { 'accept-encoding': coding };
      const answer = await fetch(`${service.url}/docs/swagger-ui.css`, { headers });
      return { coding: answer.headers.get('content-encoding'), text: await answer.text() };
    };
    const plain = await inCoding('identity');
    expect(plain.coding).toBeNull();
    for (const coding of ['gzip', 'br', 'gzip', 'br'])
      expect(await inCoding(coding)).toEqual({ ...plain, coding });
  });

  it('is what the page at / leads to, which is text for programs', async () => {
    const page = await fetch(service.url, { headers: { accept: 'text/html,application/xhtml+xml;q=0.9' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...(await page.text()).matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(['docs', 'v1/openapi.json', 'readyz']);
    for (const link of links) expect((await fetch(new URL(link, page.url))).status).toBe(200);
    const text = await fetch(service.url);
    expect([text.status, text.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text.headers.get('vary')).toContain('Accept');
    const said = await text.text();
    for (const link of links) expect(said).toContain(`  /${link} `);
  });

  it('answers no other address below its own', async () => {
    for (const path of ['/docs/x', '/docs/LICENSE', '/docs/../package.json', '/docs/nothing.js'])
      expect((await fetch(`${service.url}${path}`)).status).toBe(404);
  });
});

describe('a service without a public URL', () => {
  const answered = async (path: string, host: string): Promise<Record<string, unknown>> =>
    JSON.parse((await ask(service.url + path, { host })).body);

  it.each(['data.example.com', 'localhost:8787', '192.0.2.7:80', '[2001:db8::1]:8787', 'my_host'])(
    'explains its errors at the host that the request named: %s',
    async (host) => {
      expect((await answered('/v1/ping', host)).type).toBe(`http://${host}/errors/unauthorized`);
    },
  );

  it.each([
    'a b',
    'x"y',
    '<script>',
    'a/b',
    'user@host',
    'host:port',
    'host:123456',
    '-',
    'a.example,b.example',
  ])('explains them at a path alone where the request names no valid host: %j', async (host) => {
    const { type } = await answered('/v1/ping', host);
    expect(type).toMatch(/^\/errors\/(unauthorized|validation-error)$/);
  });

  it('explains a request that is no HTTP at a path alone', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write('GET /v1/ping HTTP/1.1\r\nno header\r\n\r\n');
    expect(await text(socket)).toContain('"type":"/errors/validation-error"');
  });

  it('says in its description that it is where the description is', async () => {
    const { servers } = await answered('/v1/openapi.json', 'data.example.com');
    expect(servers).toEqual([{ url: '/' }]);
  });
});

describe('asof explore', () => {
  it('answers on this machine alone, without a key, below an address with a random token', async () => {
    const other = await started();
    await other.stop();
    expect(explorer.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
    expect(new URL(other.url).pathname).not.toBe(new URL(explorer.url).pathname);
    const answer = await fetch(`${explorer.url}v1/series/GDP/observations?as_of=2015-01-30&limit=1`);
    // BEA's advance estimate of the fourth quarter of 2014 (ALFRED, series GDP).
    const first = { value: '17710.7', as_of_date: '2015-01-30T00:00:00Z' };
    expect(await answer.json()).toMatchObject({ results: [first] });
  });

  it('answers nothing without its token, or with another', async () => {
    const { origin, pathname } = new URL(explorer.url);
    const wrong = `${pathname.slice(1, -2)}${pathname.at(-2) === 'A' ? 'B' : 'A'}`;
    const paths = [
      '/',
      '/v1/ping',
      '/healthz',
      '/docs',
      `/${wrong}/`,
      `/${wrong}/v1/ping`,
      pathname.slice(0, -1),
    ];
    for (const path of paths) {
      const { status, body } = await ask(`${origin}${path}`);
      const words = expect.stringContaining('asof explore printed');
      expect([path, status, body]).toEqual([path, 404, words]);
    }
  });

  it('answers no request that came by another name, such as one that an attacker points at this machine', async () => {
    const { host, port } = new URL(explorer.url);
    for (const name of ['attacker.example', `attacker.example:${port}`, '127.0.0.1'])
      expect([name, (await ask(explorer.url, { host: name })).status]).toEqual([name, 404]);
    for (const name of [host, `localhost:${port}`])
      expect([name, (await ask(explorer.url, { host: name })).status]).toEqual([name, 200]);
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
    onTestFinished(() => named.stop());
    expect((await ask(explorer.url)).body).toContain('<html data-store="" lang="en">');
    expect((await ask(named.url)).body).toContain(
      `<html data-store="Ada's &quot;best&quot; &amp; &lt;own>.db" lang="en">`,
    );
  });

  it('refuses a port that is taken, and names it', async () => {
    const { port } = new URL(explorer.url);
    await expect(started('', Number(port))).rejects.toThrow(`127.0.0.1:${port}`);
  });
});

describe('the page of the explorer', () => {
  const files = builtNames('explorer').filter((name) => /\.(js|css)$/.test(name));
  const contents = files.map((name) => builtFile(`explorer/${name}`));

  it('weighs at most 90 KB of script and style, compressed', () => {
    const weights = contents.map((content) => gzipSync(content).length);
    expect(files).toEqual(expect.arrayContaining(['page.js', 'style.css']));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(90_000);
  });

  it('loads, sends and runs nothing but what its own service has', async () => {
    const answer = await fetch(explorer.url);
    const rules = policyOf(answer);
    for (const name of ['script-src', 'style-src', 'connect-src'])
      expect(rules.get(name)).toEqual(["'self'"]);
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
      expect(rules.get(name)).toEqual(["'none'"]);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const page = await answer.text();
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(loaded).toEqual(['data:,', 'explorer/style.css', 'explorer/start.js', 'explorer/page.js']);
    for (const content of contents) expect(String(content)).not.toMatch(/url\((?!data:)|@import/);
  });

  it('is asked for again only where it has changed', async () => {
    const first = await fetch(`${explorer.url}explorer/page.js`);
    const tag = first.headers.get('etag') ?? '';
    const again = await fetch(`${explorer.url}explorer/page.js`, { headers: { 'if-none-match': tag } });
    expect([first.status, first.headers.get('cache-control'), again.status]).toEqual([200, 'no-cache', 304]);
  });

  it('is not among the pages of a service, unless the operator allows it', async () => {
    expect((await fetch(`${service.url}/explorer/page.js`)).status).toBe(404);
    expect(await (await fetch(service.url)).text()).toContain('asof serve --explorer on shows it here');
  });

  it('is at / of a service that allows it, without a key, also below the prefix of a proxy', async () => {
    const open = await startService({ openStore: () => openStore(samplePath()), explorer: true });
    onTestFinished(() => open.stop());
    for (const url of [`${open.url}/`, `${await prefixed(open.url)}/`]) {
      const page = await fetch(url);
      expect([page.status, (await page.text()).includes('<html lang="en">')]).toEqual([200, true]);
      expect((await fetch(new URL('explorer/page.js', url))).status).toBe(200);
      expect((await fetch(new URL('v1/ping', url))).status).toBe(401);
    }
  });
});

describe('what the explorer shows as of a day', () => {
  it.each(['GDP', 'UNRATE'])('is what the store answers as of that day: %s', async (id) => {
    const pageService = new PageService(new URL(explorer.url), false);
    const { history, vintages, latest: shownLast } = await loadSeries(id, pageService);
    const days = vintages.map((row) => String(row.as_of_date));
    const some = days.filter((_, i) => i % Math.ceil(days.length / 8) === 0);
    for (const day of ['1900-01-01', ...some, '2016-02-29', days.at(-1) ?? '']) {
      const answered = await pageService.rows(`series/${id}/observations`, { as_of: day });
      const vintage = history.on(day);
      const shown = history.dates.flatMap((date) => {
        const one = vintage.valueOf(date);
        return one === undefined ? [] : [[date, one.value, one.asOf]];
      });
      expect(shown.reverse()).toEqual(answered.map((row) => [row.date, row.value, row.as_of_date]));
    }
    const latest = await pageService.rows(`series/${id}/observations`);
    expect(shownLast.filter((value) => value !== null).reverse()).toEqual(latest.map((row) => row.value));
  });

  it('is of the series that an alias stands for', async () => {
    const path = newStorePath(scratchFolder());
    const id = 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E';
    await importFiles(path, { 'facts.csv': facts(`${id} 2015-01-01 2015-06-02 1.5`) });
    await addAlias(path, 'EA.GDP', id);
    const open = await startService({ openStore: () => openStore(path), explorer: true });
    onTestFinished(() => open.stop());
    const service = new PageService(new URL(`${open.url}/`), true);
    service.key = open.key;
    for (const typed of [id, 'EA.GDP'])
      expect(await loadSeries(typed, service)).toMatchObject({ id, title: `${id}: ${id}`, latest: ['1.5'] });
  });

  it('fails with the words of the service', async () => {
    const pageService = new PageService(new URL(explorer.url), false);
    const failure = await loadSeries('GDPX', pageService).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceFailure);
    expect(failure).toMatchObject({ status: 404, message: "series 'GDPX' not found" });
  });
});
