import { Writable } from 'node:stream';
import type { Io, Runner } from './io.ts';

/** What a line of a plan says besides its rows goes nowhere, unless somebody asked for everything. */
type LineIo = { readonly runner?: Runner; readonly stderr?: Io['stderr'] };

/** The surroundings of a line of a plan. */
export function lineIo(io: Io, { runner, stderr = nowhere() }: LineIo = {}): Io {
  const { env, clock, signal } = io;
  return {
    get stdin() {
      return io.stdin;
    },
    stdout: nowhere(),
    stderr,
    env,
    clock,
    signal,
    ...(runner !== undefined && { runner }),
  };
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
