import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node-pty';

/** A command of a console block as typed (continued lines included), and what the terminal shows after it. */
export type Exchange = { readonly command: string; readonly shown: string };

/** The exchanges of every block fenced as `console`: `$ ` begins a command, `> ` continues it, the rest is shown. */
export function exchangesOf(markdown: string): Exchange[] {
  const blocks = [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) => {
    const exchanges: { command: string; shown: string }[] = [];
    for (const line of block.split('\n').slice(0, -1)) {
      const last = exchanges.at(-1);
      if (line.startsWith('$ ')) exchanges.push({ command: line.slice(2), shown: '' });
      else if (last === undefined) throw new Error(`a console block begins without a command: ${line}`);
      else if (line.startsWith('> ') && last.shown === '') last.command += `\n${line.slice(2)}`;
      else last.shown += `${line}\n`;
    }
    return exchanges;
  });
}

/** The same markdown, with what each command showed in its place. */
export function withShown(markdown: string, shown: readonly string[]): string {
  let index = 0;
  return markdown.replace(/^```console\n([\s\S]*?)^```$/gm, (whole) => {
    const exchanges = exchangesOf(whole);
    const texts = exchanges.map(({ command }) => {
      const output = shown[index] ?? '';
      index += 1;
      return `$ ${command.split('\n').join('\n> ')}\n${output}`;
    });
    return `\`\`\`console\n${texts.join('')}\`\`\``;
  });
}

/** A user's machine in a folder: an empty home, `asof` on the path, one shell whose stdout is a terminal of 100 columns. */
export type Machine = { readonly run: (command: string) => Promise<string>; readonly close: () => void };

/** What the shell prints when a command is done. */
const done = '\u0001';

/** A machine whose files lie in `folder`. */
export function machine(folder: string): Machine {
  const [bin, home, work] = ['bin', 'home', 'work'].map((name) => join(folder, name));
  for (const path of [bin, home, work]) mkdirSync(path ?? folder, { recursive: true });
  const program = join(import.meta.dirname, '..', '..', 'dist', 'asof.cjs');
  const shim = join(folder, 'bin', 'asof');
  writeFileSync(
    shim,
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} "$@"\n`,
  );
  chmodSync(shim, 0o755);
  if (spawnSync('curl', ['--version']).error !== undefined) {
    const standIn = join(import.meta.dirname, 'curl.mjs');
    writeFileSync(
      join(folder, 'bin', 'curl'),
      `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(standIn)} "$@"\n`,
      { mode: 0o755 },
    );
  }
  const [script, said] = [join(folder, 'command'), join(folder, 'stderr')];
  const shell = `stty -echo; while read -r _; do . ${JSON.stringify(script)} 2>${JSON.stringify(said)}; printf '\\001'; done`;
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home ?? folder,
    TERM: 'xterm',
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  const terminal = spawn('bash', ['-c', shell], { cols: 100, rows: 50, cwd: work ?? folder, env });
  let shown = '';
  let finished = (): void => undefined;
  terminal.onData((text) => {
    shown += text;
    if (shown.endsWith(done)) finished();
  });
  return {
    async run(command) {
      writeFileSync(script, `${command}\n`);
      const end = new Promise<void>((resolve) => {
        finished = resolve;
      });
      shown = '';
      terminal.write('\n');
      await end;
      const stdout = shown.slice(0, -done.length).replace(/^\r\n/, '').replaceAll('\r\n', '\n');
      return tidy(`${stdout}${readFileSync(said, 'utf8')}`).replaceAll(home ?? folder, '~');
    },
    close: () => terminal.kill(),
  };
}

/** What differs from one run to the next is left open. */
function tidy(text: string): string {
  return text.replace(/req_[0-9a-f]{32}/g, 'req_…').replace(/\bk_[0-9a-f]{8}\b/g, 'k_…');
}
