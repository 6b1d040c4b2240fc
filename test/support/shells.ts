import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IPty, spawn } from 'node-pty';
import { scratchFolder } from './folders.ts';
import { builtProgram } from './repository.ts';

/** How a shell starts without the user's settings, and how it loads the completion script. */
export const shells = {
  bash: { argv: ['--noprofile', '--norc', '-i'], setUp: `PS1='@''>'; source <(asof completion bash)` },
  zsh: { argv: ['-f', '-i'], setUp: `PS1='@''>'; source <(asof completion zsh)` },
  fish: {
    argv: ['--no-config', '-i'],
    setUp: `function fish_prompt; echo -n '@''>'; end; asof completion fish | source`,
  },
} as const;

/** The name of a shell. */
export type ShellName = keyof typeof shells;

/** A person at the prompt of a shell. */
export type Prompt = {
  /** Types a line, presses TAB and Enter, and gives the words that the command was then called with. */
  readonly complete: (typed: string) => Promise<readonly string[]>;
  /** Types a line, presses TAB twice, and gives what the terminal shows of it. */
  readonly shown: (typed: string) => Promise<string>;
  /** Whether a file is in the folder in which the shell works. */
  readonly has: (name: string) => boolean;
  readonly close: () => void;
};

const patience = 10_000;

/** A shell on a terminal, in a new folder that holds `files`; `asof` answers TAB, and otherwise records its words. */
export async function promptOf(
  name: ShellName,
  env: Readonly<Record<string, string>>,
  files: readonly string[] = [],
): Promise<Prompt> {
  if (spawnSync(name, ['--version']).error !== undefined)
    throw new Error(`${name} is missing: install it, or leave it out of ASOF_SHELLS`);
  const root = scratchFolder();
  const [bin, home, work] = [join(root, 'bin'), join(root, 'home'), join(root, 'work')];
  for (const path of [bin, home, work]) mkdirSync(path);
  for (const file of files) {
    if (file.endsWith('/')) mkdirSync(join(work, file));
    else writeFileSync(join(work, file), '');
  }
  const written = join(root, 'words');
  const asof = join(bin, 'asof');
  const quoted = [process.execPath, builtProgram, `${written}.part`, written].map((path) =>
    JSON.stringify(path),
  );
  writeFileSync(
    asof,
    `#!/bin/sh
if [ "$1" = completion ]; then exec ${quoted[0]} ${quoted[1]} "$@"; fi
printf '%s\\n' "$@" > ${quoted[2]}
mv ${quoted[2]} ${quoted[3]}
echo called
`,
  );
  chmodSync(asof, 0o755);
  const { argv, setUp } = shells[name];
  const terminal: IPty = spawn(name, [...argv], {
    cols: 200,
    rows: 50,
    cwd: work,
    env: {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: home,
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      ...env,
    },
  });
  let screen = '';
  terminal.onData((text) => {
    screen += text;
  });
  const until = async (what: string, holds: () => boolean) => {
    const end = Date.now() + patience;
    while (!holds()) {
      if (Date.now() > end) {
        terminal.write('\u0003');
        throw new Error(`${name} did not ${what}; its terminal shows ${JSON.stringify(screen.slice(-300))}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const calledWith = async (keys: string) => {
    screen = '';
    terminal.write(keys);
    await until('call asof', () => existsSync(written));
    const words = readFileSync(written, 'utf8').split('\n').slice(0, -1);
    rmSync(written);
    // The terminal would edit what is typed before the shell reads again.
    await until('show its prompt', () => /called.*@>/s.test(screen));
    return words;
  };
  await calledWith(`${setUp} && asof ready\r`);
  return {
    complete: (typed) => calledWith(`${typed}\t\r`),
    async shown(typed) {
      await calledWith(`${typed}\t\t\u0015asof done\r`);
      return screen;
    },
    has: (file) => existsSync(join(work, file)),
    close() {
      terminal.kill();
    },
  };
}
