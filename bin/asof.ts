#!/usr/bin/env node
import { main } from '../src/cli/main.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(signal));
}

main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  clock: () => new Date(),
  signal: stop.signal,
}).then((code) => {
  process.exitCode = code;
});
