import { Writable } from 'node:stream';
import type { Io, Runner } from '../terminal/io.ts';

/** What a line of a plan says besides its rows goes nowhere, unless somebody asked for everything. */
type LineIo = { readonly runner?: Runner; readonly stderr?: Io['stderr'] };

/** The surroundings of a line of a plan, which are the same wherever it runs: a chart in text is as wide from cron as by hand. */
export function lineIo(io: Io, { runner, stderr = nowhere() }: LineIo = {}): Io {
  const { env, folders, clock, signal } = io;
  return {
    get stdin() {
      return io.stdin;
    },
    stdout: nowhere(),
    stderr,
    env: { ...env, COLUMNS: undefined },
    folders,
    clock,
    signal,
    ...(runner !== undefined && { runner }),
  };
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
