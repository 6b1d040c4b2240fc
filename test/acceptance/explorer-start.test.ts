import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { spawn } from 'node-pty';
import { describe, expect, it } from 'vitest';
import { samplePath } from '../../src/platform/installation.ts';
import { tempFolder } from '../support/folders.ts';
import { builtProgram } from '../support/repository.ts';

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
  const pretend = tempFolder({
    'system.cjs': `Object.defineProperty(process, 'platform', { value: '${system ?? process.platform}' });`,
  });
  const words = [
    '--require',
    join(pretend, 'system.cjs'),
    builtProgram,
    'explore',
    '--store',
    samplePath(),
    ...flags,
  ];
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

describe('asof explore on a terminal', () => {
  it.each(Object.entries(openers))(
    'starts the browser of %s with a page that only the user reads, and that leads to the address',
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

  it('starts no browser with --no-open', async () => {
    const { bin, words } = standIn(openers.linux[0]);
    await onTerminal({ bin, system: 'linux', flags: ['--no-open'] }, async (url) => {
      expect((await fetch(url)).status).toBe(200);
    });
    expect(words()).toEqual([]);
  });

  it('prints the address and serves it where there is no browser to start', async () => {
    const { code, text } = await onTerminal({ bin: tempFolder() }, async (url) => {
      expect((await fetch(url)).status).toBe(200);
    });
    expect({ code, lines: text.split('\n').length }).toEqual({ code: 0, lines: 3 });
  });

  it('serves the page where the program that starts browsers fails', async () => {
    const { bin, words } = standIn(openers.linux[0], 3);
    const { code } = await onTerminal({ bin, system: 'linux' }, async (url) => {
      await expect.poll(() => words().length, { timeout: 10_000 }).toBe(1);
      expect((await fetch(url)).status).toBe(200);
    });
    expect(code).toBe(0);
  });
});

describe('asof explore in a pipe', () => {
  it('starts no browser', async () => {
    const { bin, words } = standIn(openers.linux[0]);
    const child = execFile(process.execPath, [builtProgram, 'explore', '--store', samplePath()], {
      env: { PATH: bin, HOME: bin },
    });
    const url = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (data) => resolve(String(data).trim())),
    );
    expect((await fetch(url)).status).toBe(200);
    child.kill('SIGINT');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(words()).toEqual([]);
  });
});
