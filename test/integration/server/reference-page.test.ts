import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { openStore } from '../../../src/store/open.ts';
import { behindPrefix, type Running, startService } from '../../support/modes.ts';

let service: Running;

beforeAll(async () => {
  service = await startService({ openStore: () => openStore(samplePath()) });
});
afterAll(() => service.stop());

/** The addresses that a page loads, in its order. */
function loadedBy(html: string, page: string): readonly string[] {
  return [...html.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)].map(
    ([, address = '']) => new URL(address, page).href,
  );
}

describe('the reference page', () => {
  it('needs no key, and loads nothing but files that the service answers', async () => {
    const answer = await fetch(`${service.url}/docs`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const files = loadedBy(await answer.text(), answer.url);
    expect(files.map((file) => file.replace(service.url, ''))).toEqual([
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/page.js',
    ]);
    const types = await Promise.all(
      files.map(async (file) => {
        const { status, headers } = await fetch(file);
        return [status, headers.get('content-type')];
      }),
    );
    expect(types).toEqual([
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
    ]);
  });

  it.each(['', '/data/v0'])(
    'is found with a slash behind its address too, below the prefix %j',
    async (prefix) => {
      const proxy = await behindPrefix(service.url, prefix);
      const answer = await fetch(`${proxy.url}/docs/`);
      expect([answer.status, answer.url]).toEqual([200, `${proxy.url}/docs`]);
      await proxy.stop();
    },
  );

  it('allows scripts and requests of the service alone', async () => {
    const policy = (await fetch(`${service.url}/docs`)).headers.get('content-security-policy') ?? '';
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
    for (const name of ['script-src', 'connect-src']) expect(rules.get(name)).toEqual(["'self'"]);
    expect(rules.get('default-src')).toEqual(["'none'"]);
  });

  it('reads the description below the prefix of a proxy too', async () => {
    const proxy = await behindPrefix(service.url, '/data/v0');
    try {
      const page = `${proxy.url}/docs`;
      const files = loadedBy(await (await fetch(page)).text(), page);
      const script = await (await fetch(files.at(-1) ?? '')).text();
      const [, description = ''] = /new URL\('([^']+)', location\.href\)/.exec(script) ?? [];
      const answer = await fetch(new URL(description, page));
      expect(await answer.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    } finally {
      await proxy.stop();
    }
  });

  it('has the same files in every coding, also when they are asked for again', async () => {
    const ask = async (coding: string) => {
      const headers = { 'accept-encoding': coding };
      const answer = await fetch(`${service.url}/docs/swagger-ui.css`, { headers });
      return { coding: answer.headers.get('content-encoding'), text: await answer.text() };
    };
    const plain = await ask('identity');
    expect(plain.coding).toBeNull();
    for (const coding of ['gzip', 'br', 'gzip', 'br'])
      expect(await ask(coding)).toEqual({ ...plain, coding });
  });

  it('answers no other address below its own', async () => {
    for (const path of ['/docs/x', '/docs/LICENSE', '/docs/../package.json', '/docs/nothing.js'])
      expect((await fetch(`${service.url}${path}`)).status).toBe(404);
  });
});
