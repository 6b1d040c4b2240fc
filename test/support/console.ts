import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IPty, spawn } from 'node-pty';
import { freePort } from './free-port.ts';
import { builtProgram } from './repository.ts';

/** A command of a console block as typed, continued lines included, and the text that the terminal shows after it. */
export type Exchange = { readonly command: string; readonly shown: string };

/**
 * The exchanges of every block fenced as `console`: `$ ` begins a command, `> ` continues it, other lines are shown.
 */
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

/** The same markdown with `shown[i]` after the i-th command. */
export function withShown(markdown: string, shown: readonly string[]): string {
  let index = 0;
  return markdown.replace(/^```console\n([\s\S]*?)^```$/gm, (whole) => {
    const texts = exchangesOf(whole).map(({ command }) => {
      const output = shown[index] ?? '';
      index += 1;
      return `$ ${command.split('\n').join('\n> ')}\n${output}`;
    });
    return `\`\`\`console\n${texts.join('')}\`\`\``;
  });
}

/**
 * The ports of this machine that commands name, each with a free one to take its place, so that two runs do not meet.
 */
export async function freePortsFor(commands: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ports = new Map<string, string>();
  for (const command of commands)
    for (const [, port = ''] of command.matchAll(/\b127\.0\.0\.1:(\d+)/g))
      if (!ports.has(port)) ports.set(port, String(await freePort([...ports.values()].map(Number))));
  return ports;
}

/** The character that the shell prints when a command has ended. */
const done = '\u0001';

/**
 * A user's machine in a folder: an empty home, `asof` on the path, and one bash whose stdout is a terminal of 100
 * columns. It needs the built program. A port of `ports` is another one where commands run, and is the same in what
 * they show.
 */
export class Machine {
  readonly #home: string;
  readonly #script: string;
  readonly #stderr: string;
  readonly #terminal: IPty;
  readonly #ports: ReadonlyMap<string, string>;
  #shown = '';
  #commandEnded = (): void => undefined;

  constructor(folder: string, ports: ReadonlyMap<string, string> = new Map()) {
    this.#ports = ports;
    const bin = join(folder, 'bin');
    const work = join(folder, 'work');
    this.#home = join(folder, 'home');
    this.#script = join(folder, 'command');
    this.#stderr = join(folder, 'stderr');
    for (const path of [bin, this.#home, work]) mkdirSync(path, { recursive: true });
    writeProgram(join(bin, 'asof'), builtProgram);
    if (spawnSync('curl', ['--version']).error !== undefined)
      writeProgram(join(bin, 'curl'), join(import.meta.dirname, 'curl.mjs'));
    const shell = `stty -echo; while read -r _; do . ${JSON.stringify(this.#script)} 2>${JSON.stringify(this.#stderr)}; printf '\\001'; done`;
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: this.#home,
      TERM: 'xterm',
      NO_COLOR: '1',
      LANG: 'C.UTF-8',
    };
    this.#terminal = spawn('bash', ['-c', shell], { cols: 100, rows: 50, cwd: work, env });
    this.#terminal.onData((text) => {
      this.#shown += text;
      if (this.#shown.endsWith(done)) this.#commandEnded();
    });
  }

  /** Runs a command in the shell; what it wrote to stdout, then what it wrote to stderr. */
  async run(command: string): Promise<string> {
    const typed = [...this.#ports].reduce((text, [port, free]) => withPort(text, port, free), command);
    writeFileSync(this.#script, `${typed}\n`);
    const ended = new Promise<void>((resolve) => {
      this.#commandEnded = resolve;
    });
    this.#shown = '';
    this.#terminal.write('\n');
    await ended;
    const stdout = this.#shown.slice(0, -done.length).replace(/^\r\n/, '').replaceAll('\r\n', '\n');
    const shown = withoutRandomIds(`${stdout}${readFileSync(this.#stderr, 'utf8')}`).replaceAll(
      this.#home,
      '~',
    );
    return [...this.#ports].reduce((text, [port, free]) => withPort(text, free, port), shown);
  }

  /** Ends the shell. */
  close(): void {
    this.#terminal.kill();
  }
}

function withPort(text: string, from: string, to: string): string {
  return text.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to);
}

function writeProgram(path: string, script: string): void {
  writeFileSync(
    path,
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(script)} "$@"\n`,
    {
      mode: 0o755,
    },
  );
}

/** Request ids and key ids differ from run to run: their random part becomes `…`. */
function withoutRandomIds(text: string): string {
  return text.replace(/req_[0-9a-f]{32}/g, 'req_…').replace(/\bk_[0-9a-f]{8}\b/g, 'k_…');
}
