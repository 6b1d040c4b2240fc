import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { spawn } from 'node-pty';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { samplePath } from '../../src/platform/installation.ts';
import { shippedPlans } from '../../src/server/keys/plans.ts';
import { openStore } from '../../src/store/open.ts';
import { browserOfTests, findingsOfAxe, rowOf } from '../support/explorer-pages.ts';
import { tempFolder } from '../support/folders.ts';
import { behindPrefix, type Running, startService, unlimited } from '../support/modes.ts';
import { builtProgram } from '../support/repository.ts';

const openPage = browserOfTests();

const crisis = '?series=GDP&as-of=2009-01-30&from=2005-01-01&to=2012-12-31';

/** Everything that a page can keep, and its address and content. */
const keptByPage = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
  document.documentElement.outerHTML])`;

describe('the explorer of a service, in a browser', () => {
  let service: Running;

  afterEach(() => service.stop());

  /** A page of the explorer of a service over the sample. */
  async function openAt(search: string, plan = unlimited) {
    service = await startService({ openStore: () => openStore(samplePath()), explorer: true, plan });
    return { ...(await openPage(`${service.url}/${search}`)), ...service };
  }

  async function giveKey(page: Page, key: string): Promise<void> {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
  }

  /** The same after the key was given. */
  async function openWithKey(search: string, plan = unlimited) {
    const opened = await openAt(search, plan);
    await giveKey(opened.page, opened.key);
    return opened;
  }

  const alertOf = (page: Page, text: string | RegExp) => page.getByRole('alert').getByText(text).waitFor();

  it('asks for the key, and keeps it in memory alone', async () => {
    const { page, said, url, key } = await openAt(crisis);
    await page.getByText('Enter your API key.').waitFor();
    // The page asks nothing before, so that no refusal is on the console.
    expect([said, await findingsOfAxe(page)]).toEqual([[], []]);
    await giveKey(page, 'asof_live_sk_wrong');
    await page.getByText('The service says: invalid API key').waitFor();
    expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
    expect(await findingsOfAxe(page)).toEqual([]);
    await giveKey(page, key);
    await page.getByRole('heading', { name: 'Gross Domestic Product GDP' }).waitFor();
    expect(await rowOf(page, '2008-10-01')).toContain('14,264.6');
    expect(await page.locator('code').first().textContent()).toContain(`--to 2012-12-31 --base-url ${url}`);
    const kept = await page.evaluate<string>(keptByPage);
    expect(kept).not.toContain(key);
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('takes only a key that a request can carry', async () => {
    const { page, said, key } = await openAt('?series=GDP');
    await giveKey(page, `${key}…`);
    expect(await page.evaluate(`document.querySelector('.key input').validity.patternMismatch`)).toBe(true);
    await giveKey(page, ` ${key} `);
    await page.getByRole('slider').waitFor();
    expect(said).toEqual([]);
  });

  it('says that a quota is used up, and for how long', async () => {
    const { page } = await openWithKey('?series=GDP', { ...unlimited, name: 'three', ratePerMinute: 3 });
    await alertOf(page, /rate limit of 3 requests per minute exceeded; .* again in \d+ s/);
  });

  it('says what a plan does not allow, and takes another key', async () => {
    const { page } = await openWithKey('?series=GDP', shippedPlans.get('free'));
    await alertOf(page, "point-in-time queries need the pro plan or higher; this key is on 'free'");
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('');
  });

  it('shows all yield curves on a plan that gives 40,000 rows in one answer', async () => {
    const plan = { ...unlimited, name: 'small', maxRows: 40_000 };
    const { page, said } = await openWithKey('?view=curve&date=1990-01-02&vs=2025-12-31', plan);
    // Treasury's par yields of 2 January 1990 and 31 December 2025.
    expect((await rowOf(page, '10Y')).slice(0, 3)).toEqual(['10Y', '7.94', '4.18']);
    await page.getByText('9005 trade dates from 1990-01-02 to 2025-12-31').waitFor();
    expect(said).toEqual([]);
  });

  it('says that it waits for a slow answer, and shows what was asked for last', async () => {
    const { page } = await openWithKey('?view=clusters');
    await page.getByRole('cell', { name: '2026-06-02' }).first().waitFor();
    await page.route('**/v1/series/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.continue();
    });
    const visit = `history.pushState(null, '', '?series=GDP'); dispatchEvent(new PopStateEvent('popstate'))`;
    await page.evaluate(visit);
    await page.getByText('Waiting for the service …').waitFor();
    await page.getByRole('link', { name: 'Yield curve' }).click();
    await page.getByRole('heading', { name: 'Treasury par yield curve' }).waitFor();
    await page.waitForTimeout(1300);
    const heading = await page.getByRole('heading', { level: 1 }).textContent();
    expect(heading).toBe('Treasury par yield curve');
    expect(await page.getByText('Waiting for the service …').count()).toBe(0);
  });

  it('goes on after the service was gone', async () => {
    const { page } = await openWithKey('?series=GDP');
    await page.getByRole('slider').waitFor();
    await page.route('**/v1/**', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>502</h1>' }),
    );
    await page.getByRole('button', { name: 'CSV of As of' }).click();
    await page.getByText('Not done: the service answered with status 502').waitFor();
    // What is there needs no service.
    await page.getByRole('slider').press('Home');
    await page.waitForURL(/as-of=1991-12-04/);
    await page.getByRole('link', { name: 'Yield curve' }).click();
    await alertOf(page, 'the service answered with status 502');
    await page.unroute('**/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Treasury par yield curve' }).waitFor();
  });

  it('says that the browser has no network, and goes on when it has one', async () => {
    const { page } = await openWithKey('?series=GDP');
    await page.getByRole('slider').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Yield curve' }).click();
    await alertOf(page, 'the service does not answer; this browser has no network');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Treasury par yield curve' }).waitFor();
  });

  it('works below the prefix of a proxy, and names that in its commands', async () => {
    const { url, key } = await openAt('');
    const proxy = await behindPrefix(url, '/data/v0');
    const { page, asked } = await openPage(`${proxy.url}/?series=GDP`);
    await giveKey(page, key);
    await page.getByRole('slider').waitFor();
    const command = new RegExp(
      `^asof observations GDP --as-of [0-9-]+ --from [0-9-]+ --base-url ${proxy.url}$`,
    );
    expect(await page.locator('code').first().textContent()).toMatch(command);
    expect([...asked]).toEqual([new URL(proxy.url).origin]);
    await proxy.stop();
  });
});

/** How each system shows an address in its browser, and what stands before the address. */
const openers = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
} as const;

/** A folder with a program that writes its words to a file, and ends with a code. */
function standIn(name: string, code = 0): { readonly bin: string; readonly words: () => string[] } {
  const bin = tempFolder({ [name]: `#!/bin/sh\nprintf '%s\\n' "$@" > "$0.words"\nexit ${code}\n` });
  chmodSync(join(bin, name), 0o755);
  const written = join(bin, `${name}.words`);
  return {
    bin,
    words: () => (existsSync(written) ? readFileSync(written, 'utf8').trimEnd().split('\n') : []),
  };
}

const address = /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/m;

/** `asof explore` on a terminal, where programs are found in one folder; Ctrl-C ends it after `use`. */
async function onTerminal(
  { bin, flags = [], system }: { readonly bin: string; readonly flags?: string[]; readonly system?: string },
  use: (url: string) => Promise<void>,
): Promise<{ readonly code: number; readonly text: string }> {
  const name = JSON.stringify(system ?? process.platform);
  const pretend = join(
    tempFolder({ 'system.cjs': `Object.defineProperty(process, 'platform', { value: ${name} });` }),
    'system.cjs',
  );
  const words = ['--require', pretend, builtProgram, 'explore', '--store', samplePath(), ...flags];
  const pty = spawn(process.execPath, words, { cols: 200, env: { PATH: bin, HOME: bin, TERM: 'xterm' } });
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  let text = '';
  const printed = new Promise<string>((resolve) => {
    pty.onData((data) => {
      text += data.replaceAll('\r\n', '\n');
      const url = address.exec(text)?.[0];
      if (url !== undefined && text.includes('until Ctrl-C')) resolve(url);
    });
  });
  const failed = ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${text}`)));
  failed.catch(() => undefined);
  await use(await Promise.race([printed, failed]));
  pty.write('\u0003');
  return { code: await ended, text };
}

describe('asof explore', () => {
  it.each(Object.entries(openers))(
    'on a terminal starts the browser of %s with a page that only the user reads, and that leads to the address',
    async (system, command) => {
      const [name, ...before] = command;
      const { bin, words } = standIn(name);
      const { code } = await onTerminal({ bin, system }, async (url) => {
        await expect.poll(() => words().length, { timeout: 10_000 }).toBe(before.length + 1);
        const page = fileURLToPath(words().at(-1) ?? '');
        expect(words()).toEqual([...before, pathToFileURL(page).href]);
        expect([statSync(page).mode & 0o777, statSync(dirname(page)).mode & 0o777]).toEqual([0o600, 0o700]);
        expect(readFileSync(page, 'utf8')).toContain(`content="0;url=${url}"`);
        // The token is only in the address.
        expect(page).not.toContain(new URL(url).pathname.slice(1, -1));
        expect((await fetch(url)).status).toBe(200);
        await expect.poll(() => existsSync(dirname(page)), { timeout: 10_000 }).toBe(false);
      });
      expect(code).toBe(0);
    },
  );

  it('leaves no page behind that no browser asked for', async () => {
    const { bin, words } = standIn(openers.linux[0]);
    await onTerminal({ bin, system: 'linux' }, async () => {
      await expect.poll(() => words().length, { timeout: 10_000 }).toBe(1);
    });
    expect(existsSync(dirname(fileURLToPath(words()[0] ?? '')))).toBe(false);
  });

  it.each([
    ['with --no-open, which starts no browser', standIn(openers.linux[0]), ['--no-open'], 0],
    ['where there is no browser to start', standIn('other'), [], 0],
    ['where the program that starts browsers fails', standIn(openers.linux[0], 3), [], 1],
  ])('prints the address and serves it %s', async (_, { bin, words }, flags, started) => {
    const { code, text } = await onTerminal({ bin, system: 'linux', flags }, async (url) => {
      await expect.poll(() => words().length, { timeout: 10_000 }).toBe(started);
      expect((await fetch(url)).status).toBe(200);
    });
    expect({ code, lines: text.split('\n').length }).toEqual({ code: 0, lines: 3 });
    expect(words()).toHaveLength(started);
  });

  it('starts no browser in a pipe', async () => {
    const { bin, words } = standIn(openers.linux[0]);
    const env = { PATH: bin, HOME: bin };
    const child = execFile(process.execPath, [builtProgram, 'explore', '--store', samplePath()], { env });
    const [url] = await once(child.stdout as Readable, 'data');
    expect((await fetch(String(url).trim())).status).toBe(200);
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(words()).toEqual([]);
  });
});
