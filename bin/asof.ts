#!/usr/bin/env node
import { main } from '../src/cli/main.ts';
import { type UserFolders, userFolders } from '../src/platform/installation.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(signal));
}
// A closed terminal stops asof like SIGTERM, so that no drafts of files and stores stay behind. This also holds under
// nohup, because Node resets the handling of SIGHUP.
const hungUp = (): void => stop.abort('SIGTERM');
process.on('SIGHUP', hungUp);

// Lists of processes show arguments; a title in their place hides the password of an address.
if (process.argv.some((word) => /postgres(?:ql)?:\/\//i.test(word))) process.title = 'asof';

let folders: UserFolders | undefined;

main(process.argv.slice(2), {
  // Node creates each stream on first use.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  get folders() {
    folders ??= userFolders();
    return folders;
  },
  clock: () => new Date(),
  signal: stop.signal,
  onHangup: (listener) => {
    process.off('SIGHUP', hungUp);
    process.on('SIGHUP', listener);
  },
  leave: (code) => process.exit(code),
}).then((code) => {
  // Output that its reader does not take would keep a stopped command alive.
  if (stop.signal.aborted) process.exit(code);
  process.exitCode = code;
});
