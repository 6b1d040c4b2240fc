import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messagesIn } from '../../lines/command.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import { shownAddress } from '../../store/address.ts';
import { openStore } from '../../store/open.ts';
import { storeAlone } from '../config/places.ts';
import { ofStore } from '../run/session.ts';
import { exitCode } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { command } from './command.ts';

const exploreStore = command({
  words: 'explore',
  heading: 'Service',
  summary: 'Look at a store in a browser',
  about: `Opens a page on this machine: a chart of a series with a slider for the as-of day, its
revisions, the yield curve, and clusters of insiders. Prints the address of the page, and
serves it until Ctrl-C. The address has a random token; requests without it are refused.`,
  examples: `
# the page of your store, in your browser (needs a browser)
asof explore
# only its address, on a port of your choice (needs a free port)
asof explore --no-open --port 8790
`,
  args: [],
  flags: [
    { name: 'port', value: 'port', about: 'port to listen on', fallback: 'any free one' },
    { name: 'no-open', about: 'print the address without starting a browser' },
    sharedFlags.store,
    ...sharedFlags.messages,
  ],
  read: (line) => ({
    store: line.text('store'),
    port: line.integer('port', 1, 65_535) ?? 0,
    open: !line.has('no-open'),
    messages: messagesIn(line),
  }),
  async run(line, io) {
    const choice = storeAlone(io, { command: 'explore', store: line.store }, ({ base }) => [
      `a service with --explorer on shows the page itself: ${base.href}`,
    ]);
    const { explore } = await import('../../server/explore.ts');
    const store = await ofStore(choice, (path) => openStore(path, { live: true }));
    const running = await explore({
      store,
      port: line.port,
      clock: io.clock,
      log: io.stderr,
      name: line.store === undefined ? '' : shownAddress(line.store),
    });
    io.stdout.write(`${running.url}\n`);
    messagesOf(line.messages, io).noteOnTerminal('asof: the page is at this address until Ctrl-C');
    const page = line.open && io.stdout.isTTY === true ? await redirectTo(running.url) : undefined;
    if (page !== undefined) {
      openBrowser(page.url);
      void running.visited.then(page.remove);
    }
    try {
      if (!io.signal.aborted) await once(io.signal, 'abort');
      await running.stop();
    } finally {
      await page?.remove();
    }
    return exitCode.success;
  },
});

/** `asof explore`: shows a store in a browser on this machine, until SIGTERM or SIGINT. */
export const commands = [exploreStore];

/**
 * A page that leads to an address with a token, in a folder that only the user can read: everybody on the machine sees
 * the arguments of a program. Undefined if it cannot be written; the user can copy the printed address.
 */
async function redirectTo(url: string): Promise<{ url: string; remove: () => Promise<void> } | undefined> {
  try {
    // Browsers in a sandbox, such as those of snap, have another temporary folder, and read no hidden files.
    const folder = await mkdtemp(join(homedir(), 'asof-explore-'));
    const remove = () => rm(folder, { recursive: true, force: true }).catch(() => undefined);
    const path = join(folder, 'open.html');
    const text = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}">\n`;
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return { url: pathToFileURL(path).href, remove };
  } catch {
    return undefined;
  }
}

/** Asks the system to open an address in a browser; if it cannot, the user can copy the printed address. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined).unref();
}
