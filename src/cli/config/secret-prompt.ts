import { createInterface, type Interface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import type { Io } from '../terminal/io.ts';

/** Asks for a secret on the terminal without showing what is typed; a Problem where there is no terminal. */
export async function askSecret(io: Io, question: string): Promise<string> {
  const terminal: Readable & { readonly isTTY?: boolean } = io.stdin;
  if (terminal.isTTY !== true) {
    throw new Problem('bad-input', 'there is no terminal to ask for the key', {
      hints: ['--with-token reads it from stdin'],
    });
  }
  io.stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal, output, terminal: true, historySize: 0 });
  try {
    return await unlessAborted(io.signal, typedLine(lines, terminal));
  } catch (cause) {
    throw new Problem('interrupted', 'interrupted', { cause });
  } finally {
    lines.close();
    io.stderr.write('\n');
  }
}

/** One line, ended by Enter or Ctrl-D; rejects on Ctrl-C. */
function typedLine(lines: Interface, terminal: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', reject);
    terminal.on('keypress', (_text, key: { readonly ctrl: boolean; readonly name?: string }) => {
      // By itself, readline ends only an empty line with Ctrl-D.
      if (key.ctrl && key.name === 'd' && lines.line !== '') lines.write('\n');
    });
  });
}
