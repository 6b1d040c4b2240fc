import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import type { Io } from './io.ts';

/** Asks for a line on the terminal, without an echo if it is secret; throws a Problem if the user stops. */
export async function askLine(io: Io, question: string, secret = false): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (secret) io.stderr.write(question);
  const lines = createInterface({
    input: io.stdin,
    output: secret ? silent : io.stderr,
    prompt: question,
    terminal: true,
    historySize: 0,
  });
  const typed = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', reject);
    io.stdin.on('keypress', (_text, key: { readonly ctrl: boolean; readonly name?: string }) => {
      // By itself, readline ends only an empty line with Ctrl-D.
      if (key.ctrl && key.name === 'd' && lines.line !== '') lines.write('\n');
    });
  });
  lines.prompt();
  try {
    return await unlessAborted(io.signal, typed);
  } catch (cause) {
    throw new Problem('interrupted', 'interrupted', { cause });
  } finally {
    lines.close();
    if (secret) io.stderr.write('\n');
  }
}
