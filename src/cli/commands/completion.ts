import { Argument, type Command } from 'commander';
import { unlessAborted } from '../../platform/abort.ts';
import { nothing } from '../completion/choice.ts';
import { choicesAt } from '../completion/choices.ts';
import { positionIn } from '../completion/position.ts';
import { patience } from '../completion/series-ids.ts';
import type { Shell } from '../completion/shell.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { streamSink } from '../terminal/stream-sink.ts';

const shells: Readonly<Record<string, () => Promise<Shell>>> = {
  bash: async () => (await import('../completion/bash.ts')).bash,
  zsh: async () => (await import('../completion/zsh.ts')).zsh,
  fish: async () => (await import('../completion/fish.ts')).fish,
};

/** The whole program, in which the command of that name is defined. */
type ProgramWith = (name: string | undefined) => Promise<Command>;

/** `asof completion bash|zsh|fish`: the script for a shell; what it sends at each TAB is answered by the same command. */
export function completionCommand(
  command: Command,
  io: Io,
  done: (code: number) => void,
  programWith: ProgramWith,
): void {
  command
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .argument('[words...]', 'what was typed so far; the script sends it')
    .action(async (name: string, sent: readonly string[]) => {
      const shell = await shells[name]?.();
      if (shell === undefined) return;
      const { write } = streamSink(io.stdout, io.signal);
      if (sent.length === 0) await write(shell.script);
      else {
        await write(`${(await answerOf(shell, sent, programWith, io)).join('\n')}\n`);
        // A service whose name is still being looked up must not keep the shell waiting.
        io.leave?.(exitCode.success);
      }
      done(exitCode.success);
    });
}

/** What may be typed next. Whatever goes wrong, or takes too long, offers nothing: an error at a prompt helps nobody. */
async function answerOf(
  shell: Shell,
  sent: readonly string[],
  programWith: ProgramWith,
  io: Io,
): Promise<readonly string[]> {
  try {
    return await unlessAborted(
      AbortSignal.timeout(patience * 1000),
      choicesFor(shell, sent, programWith, io),
    );
  } catch {
    return shell.answer(nothing, '', sent);
  }
}

async function choicesFor(
  shell: Shell,
  sent: readonly string[],
  programWith: ProgramWith,
  io: Io,
): Promise<readonly string[]> {
  const request = shell.request(sent);
  if (request === undefined) return shell.answer({ kind: 'files' }, '', sent);
  const { words, current } = request;
  const program = await programWith(words[0] === 'help' ? words[1] : words[0]);
  const position = positionIn(program, words, current);
  return shell.answer(await choicesAt(position, io), position.lead, sent);
}
