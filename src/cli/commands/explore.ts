import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { shownAddress } from '../../store/address.ts';
import { openStore } from '../../store/open.ts';
import { storeAlone } from '../config/places.ts';
import type { ExploreLine } from '../options/line.ts';
import { ofStore } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';

/** `asof explore`: shows a store in a browser on this machine, until SIGTERM or SIGINT. */
export async function runExplore(line: ExploreLine, io: Io): Promise<number> {
  const choice = storeAlone(io, line, ({ base }) => [
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
  if (line.open && io.stdout.isTTY === true) openBrowser(running.url);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await running.stop();
  return exitCode.success;
}

/** Asks the system to show an address; where it cannot, the address is there to be copied. */
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
