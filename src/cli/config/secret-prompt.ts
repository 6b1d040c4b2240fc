import type { Readable } from 'node:stream';
import { Problem } from '../../errors/problem.ts';
import type { Io } from '../terminal/io.ts';

type Terminal = Readable & { readonly isTTY?: boolean; readonly setRawMode?: (raw: boolean) => void };

/** Asks for a secret on the terminal, where nothing of it is shown; a Problem where there is no terminal. */
export async function askSecret(io: Io, question: string): Promise<string> {
  const terminal: Terminal = io.stdin;
  if (terminal.isTTY !== true || terminal.setRawMode === undefined) {
    throw new Problem('bad-input', 'there is no terminal to ask for the key', {
      hints: ['--with-token reads it from stdin'],
    });
  }
  io.stderr.write(question);
  terminal.setRawMode(true);
  try {
    return await typedLine(terminal, io.signal);
  } finally {
    terminal.setRawMode(false);
    terminal.pause();
    io.stderr.write('\n');
  }
}

const [interrupt, endOfText, backspace, lineKill, deletion] = ['\u0003', '\u0004', '\b', '\u0015', '\u007F'];

/** One line from a terminal that edits nothing by itself. */
function typedLine(terminal: Readable, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const end = (settle: () => void): void => {
      terminal.off('data', onData);
      terminal.off('end', onEnd);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onEnd = () => end(() => resolve(line));
    const onAbort = () => end(() => reject(new Problem('interrupted', 'interrupted')));
    const onData = (chunk: Buffer | string): void => {
      for (const character of chunk.toString()) {
        if (character === '\r' || character === '\n' || character === endOfText) {
          onEnd();
          return;
        }
        if (character === interrupt) {
          onAbort();
          return;
        }
        if (character === lineKill) line = '';
        else if (character === backspace || character === deletion) line = line.slice(0, -1);
        else line += character;
      }
    };
    terminal.on('data', onData);
    terminal.on('end', onEnd);
    signal.addEventListener('abort', onAbort);
    terminal.resume();
  });
}
