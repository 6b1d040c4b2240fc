import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import type { Io } from './io.ts';

/** How a line is asked for. */
type Asking = {
  /** Shows nothing of what is typed. */
  readonly secret?: boolean;
  /** The answers that count, trimmed; others are asked again, and the end of input is a stop. Default: every line. */
  readonly answers?: RegExp;
};

/** Asks for a line on the terminal; throws a Problem if the user stops. */
export async function askLine(
  io: Io,
  question: string,
  { secret = false, answers }: Asking = {},
): Promise<string> {
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
    lines.on('line', (line) => {
      if (answers?.test(line.trim()) !== false) resolve(line);
      else lines.prompt();
    });
    lines.once('close', () => (answers === undefined ? resolve('') : reject(new Error('end of input'))));
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
    // The question has no line end yet.
    if (!secret) io.stderr.write('\n');
    throw new Problem('interrupted', 'interrupted', { cause });
  } finally {
    lines.close();
    if (secret) io.stderr.write('\n');
  }
}
