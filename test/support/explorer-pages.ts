import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync } from 'node:zlib';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { scratchFolder } from './folders.ts';
import { builtProgram, tools } from './repository.ts';

/** `asof explore` in a process of its own, and the address that it printed. */
export type StartedExplorer = { readonly url: string; readonly child: ChildProcess };

/** Starts `asof explore` on the sample, or on a store, without a browser. */
export async function startExplorer(...flags: readonly string[]): Promise<StartedExplorer> {
  const child = spawn(process.execPath, [builtProgram, 'explore', '--no-open', ...flags], {
    env: { PATH: process.env.PATH ?? '', HOME: scratchFolder() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const failed = once(child, 'exit').then(async () => {
    throw new Error(`asof explore ended: ${await text(child.stderr)}`);
  });
  const [line] = await Promise.race([once(child.stdout, 'data'), failed]);
  failed.catch(() => undefined);
  return { url: String(line).trim(), child };
}

/** A page, what it said on the console, and where it sent requests. */
type OpenedPage = { readonly page: Page; readonly said: string[]; readonly asked: Set<string> };

/** How a page is opened: `script` runs before those of the page, `without` names a file that cannot be loaded. */
type PageOptions = BrowserContextOptions & { readonly script?: string; readonly without?: string };

/** A browser for the tests of a file, which closes the pages of each test after it. */
export function browserOfTests(): (url: string, options?: PageOptions) => Promise<OpenedPage> {
  let browser: Browser;
  const open = new Set<Page>();
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(async () => {
    for (const page of open) await page.context().close();
    open.clear();
  });
  afterAll(() => browser.close());
  return async (url, { script, without, ...options } = {}) => {
    const context = await browser.newContext({
      locale: 'en-US',
      viewport: { width: 1200, height: 900 },
      ...options,
    });
    if (script !== undefined) await context.addInitScript(script);
    const page = await context.newPage();
    if (without !== undefined) await page.route(without, (route) => route.fulfill({ status: 404, body: '' }));
    page.setDefaultTimeout(15_000);
    const [said, asked]: [string[], Set<string>] = [[], new Set()];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    await page.goto(url);
    open.add(page);
    return { page, said, asked };
  };
}

/** The explorer of the sample and a browser for the tests of a file: `open` takes the search of its address, `openPage` any. */
export function explorerOfTests() {
  const openPage = browserOfTests();
  let explorer: StartedExplorer;
  beforeAll(async () => {
    explorer = await startExplorer();
  });
  afterAll(() => explorer.child.kill('SIGKILL'));
  const url = () => explorer.url;
  const open = (search = '', options: PageOptions = {}) => openPage(`${url()}${search}`, options);
  return { url, open, openPage };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in a page. */
export async function findingsOfAxe(page: Page): Promise<string[]> {
  // Not as a tag of the page, which its policy would forbid.
  await page.evaluate(axe);
  return page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
}

/** The text of each cell of the first row of a table that begins with a name. */
export async function rowOf(page: Page, name: string): Promise<string[]> {
  const row = page.getByRole('row', { name: new RegExp(`^${name}`) }).first();
  await row.waitFor();
  return row.locator('th, td').allTextContents();
}

/**
 * Starts Chromium without a window. It comes from the package @sparticuz/chromium with all libraries that it needs
 * but those of every Linux, so that a machine needs no browser; `ASOF_CHROMIUM` names another one, for machines for
 * which the package has none.
 */
function startBrowser(): Promise<Browser> {
  const named = process.env.ASOF_CHROMIUM;
  const folder = named === undefined ? readyChromium() : '';
  return chromium.launch({
    executablePath: named ?? join(folder, 'chromium'),
    // Chromium does not start with its sandbox as root, nor in a container without user namespaces. It opens pages of
    // this repository alone.
    args: ['--no-sandbox'],
    ...(named === undefined && {
      env: {
        LD_LIBRARY_PATH: join(folder, 'lib'),
        FONTCONFIG_PATH: folder,
        HOME: folder,
        TZ: 'America/New_York',
      },
    }),
  });
}

/** The folder of Chromium, which is told where its fonts are: a copied folder names those of the place it is from. */
function readyChromium(): string {
  const folder = unpackedChromium();
  const path = join(folder, 'fonts.conf');
  const config = `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>`;
  if (existsSync(path) && readFileSync(path, 'utf8') === config) return folder;
  // Another process may read the file now.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, config);
  renameSync(draft, path);
  return folder;
}

/** The folder in which Chromium is unpacked, once for each version; several processes may do so at once. */
function unpackedChromium(): string {
  const packed = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../../bin');
  const { version } = JSON.parse(readFileSync(join(packed, '../package.json'), 'utf8')) as {
    version: string;
  };
  const cache = join(tools, '.cache');
  const folder = join(cache, `asof-chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'asof-chromium-'));
  const content = (name: string) => brotliDecompressSync(readFileSync(join(packed, name)));
  writeFileSync(join(draft, 'chromium'), content('chromium.br'), { mode: 0o755 });
  for (const name of ['al2023.tar.br', 'fonts.tar.br'])
    execFileSync('tar', ['-x', '-C', draft], { input: content(name) });
  try {
    renameSync(draft, folder);
  } catch {
    // Another process was first.
    rmSync(draft, { recursive: true });
  }
  return folder;
}
