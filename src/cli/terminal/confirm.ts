import { createInterface } from 'node:readline/promises';
import { Problem } from '../../errors/problem.ts';
import type { Io } from './io.ts';

/** Asks on the terminal whether to go on; `yes` answers it. Without a terminal, or with another answer, a Problem. */
export async function confirm(question: string, yes: boolean, io: Io): Promise<void> {
  if (yes) return;
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new Problem('bad-input', `${question}: there is no terminal to ask`, {
      hints: ['--yes goes on without asking', '--dry-run shows what would change'],
    });
  const lines = createInterface({
    input: io.stdin,
    output: io.stderr as NodeJS.WritableStream,
    terminal: true,
  });
  try {
    const answer = await lines.question(`${question}? [y/N] `, { signal: io.signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
    throw new Problem('interrupted', 'nothing was changed');
  } catch (cause) {
    throw cause instanceof Problem ? cause : new Problem('interrupted', 'nothing was changed', { cause });
  } finally {
    lines.close();
  }
}
