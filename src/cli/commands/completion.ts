import { allCommands } from '../../lines/commands.ts';
import type { CompletionLine } from '../../lines/line.ts';
import { unlessAborted } from '../../platform/promises.ts';
import { print } from '../../platform/sink.ts';
import { choicesAt, lookupSeconds } from '../completion/choices.ts';
import { positionIn } from '../completion/position.ts';
import { bash, fish, nothing, type Shell, zsh } from '../completion/scripts.ts';
import { exitCode, type Io } from '../terminal/io.ts';

const shells: Readonly<Record<CompletionLine['shell'], Shell>> = { bash, zsh, fish };

/** `asof completion`: the script for a shell, or the answer to what that script sends at each TAB. */
export async function runCompletion({ shell: name, sent }: CompletionLine, io: Io): Promise<number> {
  const shell = shells[name];
  if (sent.length === 0) await print(shell.script, io);
  else {
    await print(`${(await answerOf(shell, sent, io)).join('\n')}\n`, io);
    // The name lookup of a service may still be running, and the shell waits for the process to end.
    io.leave?.(exitCode.success);
  }
  return exitCode.success;
}

/** What may be typed next; nothing after an error or a timeout, because an error message at a prompt does not help. */
async function answerOf(shell: Shell, sent: readonly string[], io: Io): Promise<readonly string[]> {
  try {
    return await unlessAborted(AbortSignal.timeout(lookupSeconds * 1000), choicesFor(shell, sent, io));
  } catch {
    return shell.answer(nothing, '', sent);
  }
}

async function choicesFor(shell: Shell, sent: readonly string[], io: Io): Promise<readonly string[]> {
  const request = shell.request(sent);
  if (request === undefined) return shell.answer({ kind: 'files' }, '', sent);
  const specs = allCommands();
  const position = positionIn(specs, request.words, request.current);
  return shell.answer(await choicesAt(position, specs, io), position.lead, sent);
}
