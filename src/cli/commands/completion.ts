import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import { print } from '../../platform/sink.ts';
import { choicesAt, lookupSeconds } from '../completion/choices.ts';
import { positionIn } from '../completion/position.ts';
import { bash, fish, nothing, type Shell, zsh } from '../completion/scripts.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { command, type LoadCommands } from './command.ts';

const shells: Readonly<Record<string, Shell>> = { bash, zsh, fish };

const shellNames = Object.keys(shells);

const complete = command({
  words: 'completion',
  heading: 'Setup',
  summary: 'Print the completion script for bash, zsh or fish',
  examples: `
# in bash: a line for ~/.bashrc
source <(asof completion bash)
# in zsh: a line for ~/.zshrc (needs zsh)
source <(asof completion zsh)
# in fish: once
mkdir -p ~/.config/fish/completions && asof completion fish > ~/.config/fish/completions/asof.fish
`,
  args: [
    { name: 'shell', about: shellNames.join(', '), choices: shellNames },
    { name: 'words', about: 'what was typed so far (sent by the script)', optional: true, several: true },
  ],
  flags: [],
  read(line) {
    const [name = '', ...sent] = line.args;
    if (Object.hasOwn(shells, name)) return { name, sent };
    throw new Problem('bad-input', `unknown shell '${name}': use bash, zsh or fish`);
  },
  async run({ name, sent }, io, load) {
    const shell = shells[name] ?? bash;
    if (sent.length === 0) await print(shell.script, io);
    else {
      await print(`${(await answerOf(shell, sent, io, load)).join('\n')}\n`, io);
      // The name lookup of a service may still be running, and the shell waits for the process to end.
      io.leave?.(exitCode.success);
    }
    return exitCode.success;
  },
});

/** `asof completion`: the script for a shell, or the answer to what that script sends at each TAB. */
export const commands = [complete];

/** What may be typed next; nothing after an error or a timeout, because an error message at a prompt does not help. */
async function answerOf(
  shell: Shell,
  sent: readonly string[],
  io: Io,
  load: LoadCommands,
): Promise<readonly string[]> {
  try {
    return await unlessAborted(AbortSignal.timeout(lookupSeconds * 1000), choicesFor(shell, sent, io, load));
  } catch {
    return shell.answer(nothing, '', sent);
  }
}

async function choicesFor(
  shell: Shell,
  sent: readonly string[],
  io: Io,
  load: LoadCommands,
): Promise<readonly string[]> {
  const request = shell.request(sent);
  if (request === undefined) return shell.answer({ kind: 'files' }, '', sent);
  const specs = await load();
  const position = positionIn(specs, request.words, request.current);
  return shell.answer(await choicesAt(position, specs, io), position.lead, sent);
}
