#!/usr/bin/env node
import { main } from '../src/cli/main.ts';
import { userFolders } from '../src/platform/user-folders.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(signal));
}
// A terminal that is closed must not leave drafts of files and stores behind; nohup cannot help it, node undoes that.
const hungUp = (): void => stop.abort('SIGTERM');
process.on('SIGHUP', hungUp);

main(process.argv.slice(2), {
  // Node makes each stream when it is first asked for.
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
    return userFolders();
  },
  clock: () => new Date(),
  signal: stop.signal,
  onHangup: (listener) => {
    process.off('SIGHUP', hungUp);
    process.on('SIGHUP', listener);
  },
  leave: (code) => process.exit(code),
}).then((code) => {
  // A reader that stands still must not keep a stopped command alive.
  if (stop.signal.aborted) process.exit(code);
  process.exitCode = code;
});
