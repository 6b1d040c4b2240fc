import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { type IPty, spawn } from 'node-pty';
import { wordsOf } from '../../src/snapshot/plan.ts';
import { asof } from './command.ts';
import { freePort } from './postgres.ts';
import { builtProgram, compiler, manifest, root, testData, tools } from './repository.ts';

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

/** A command of asof in which a shell changes nothing but quotes. */
const plainCommand = /^asof(?: (?:[\w.:,=/@%+-]+|'[^']*'|"[^"$`\\]*"))*$/;

const terminal = { columns: 100, rows: 50 };

/**
 * A user's machine in a folder: an empty home, `asof` on the path, and one bash whose stdout is a terminal of 100
 * columns. It needs the built program; commands that need no shell run in this process, which is faster. A port of
 * `ports` is another one where commands run, and is the same in what they show.
 */
export class Machine {
  readonly #home: string;
  readonly #work: string;
  readonly #script: string;
  readonly #stderr: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #ports: ReadonlyMap<string, string>;
  #shell: IPty | undefined;
  #shown = '';
  #commandEnded = (): void => undefined;

  constructor(folder: string, ports: ReadonlyMap<string, string> = new Map()) {
    this.#ports = ports;
    const bin = join(folder, 'bin');
    this.#work = join(folder, 'work');
    this.#home = join(folder, 'home');
    this.#script = join(folder, 'command');
    this.#stderr = join(folder, 'stderr');
    for (const path of [bin, this.#home, join(this.#work, 'test')]) mkdirSync(path, { recursive: true });
    // Pages import the real files of the repository, as in a clone.
    symlinkSync(testData, join(this.#work, 'test', 'data'));
    writeProgram(join(bin, 'asof'), builtProgram);
    if (spawnSync('curl', ['--version']).error !== undefined)
      writeProgram(join(bin, 'curl'), join(import.meta.dirname, 'curl.mjs'));
    const path = `${bin}:${process.env.PATH}`;
    this.#env = { PATH: path, HOME: this.#home, TERM: 'xterm', NO_COLOR: '1', LANG: 'C.UTF-8' };
  }

  /** Runs a command; what it wrote to stdout, then what it wrote to stderr. */
  async run(command: string): Promise<string> {
    const typed = [...this.#ports].reduce((text, [port, free]) => withPort(text, port, free), command);
    const said = plainCommand.test(typed) ? await this.#runHere(typed) : await this.#runInShell(typed);
    const shown = withoutRandomIds(said).replaceAll(this.#home, '~');
    return [...this.#ports].reduce((text, [port, free]) => withPort(text, free, port), shown);
  }

  async #runHere(command: string): Promise<string> {
    const before = process.cwd();
    process.chdir(this.#work);
    try {
      const now = new Date().toISOString();
      const [, ...words] = wordsOf(command);
      const { out, err } = await asof(words, { env: this.#env, stdoutIsTerminal: true, ...terminal, now });
      return out + err;
    } finally {
      process.chdir(before);
    }
  }

  async #runInShell(command: string): Promise<string> {
    this.#shell ??= this.#startShell();
    writeFileSync(this.#script, `${command}\n`);
    const ended = new Promise<void>((resolve) => {
      this.#commandEnded = resolve;
    });
    this.#shown = '';
    this.#shell.write('\n');
    await ended;
    const stdout = this.#shown.slice(0, -done.length).replace(/^\r\n/, '').replaceAll('\r\n', '\n');
    return `${stdout}${readFileSync(this.#stderr, 'utf8')}`;
  }

  #startShell(): IPty {
    const [script, stderr] = [this.#script, this.#stderr].map((path) => JSON.stringify(path));
    const loop = `stty -echo; while read -r _; do . ${script} 2>${stderr}; printf '\\001'; done`;
    const { columns: cols, rows } = terminal;
    const shell = spawn('bash', ['-c', loop], { cols, rows, cwd: this.#work, env: this.#env });
    shell.onData((text) => {
      this.#shown += text;
      if (this.#shown.endsWith(done)) this.#commandEnded();
    });
    return shell;
  }

  /** Ends the shell. */
  close(): void {
    this.#shell?.kill();
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

/** Request ids, key ids and the digest of a new store differ from run to run: their random part becomes `…`. */
function withoutRandomIds(text: string): string {
  return text
    .replace(/req_[0-9a-f]{32}/g, 'req_…')
    .replace(/\bk_[0-9a-f]{8}\b/g, 'k_…')
    .replace(/(?<=compared: sha256 )[0-9a-f]{64}/g, '…');
}

/** A TypeScript block of a page as a whole module, and the output that a `text` block right after it shows. */
export type Program = { readonly source: string; readonly shown: string | undefined };

const blocks = /^```ts\n([\s\S]*?)^```$(\n\n```text\n([\s\S]*?)^```$)?/gm;

/**
 * The programs of a page: each block fenced as `ts`. A block that does not import asof is about an open `asof`: it gets
 * the lines that open and close it.
 */
export function programsOf(markdown: string): readonly Program[] {
  return [...markdown.matchAll(blocks)].map(([, block = '', , shown]) => ({
    source: /^import .* from '@asof-data\/asof';$/m.test(block)
      ? block
      : `import { open } from '@asof-data/asof';\nconst asof = await open();\n${block}await asof.close();\n`,
    shown,
  }));
}

/** The same markdown with `outputs[i]` in the `text` block after the i-th program, where it has one. */
export function withOutputs(markdown: string, outputs: readonly string[]): string {
  let index = 0;
  return markdown.replace(blocks, (whole, block: string, shown: string | undefined) => {
    const output = outputs[index] ?? '';
    index += 1;
    return shown === undefined ? whole : `\`\`\`ts\n${block}\`\`\`\n\n\`\`\`text\n${output}\`\`\``;
  });
}

/** How a program is checked. */
const strict = [
  ...['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck', '--noEmit'],
  ...['--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--pretty', 'false'],
];

/** A folder in which programs find the built asof, as in a project that depends on it. */
export class ProgramFolder {
  readonly #folder: string;

  /** The programs may import `packages`, which are among the tools, besides asof. */
  constructor(folder: string, packages: readonly string[] = []) {
    this.#folder = folder;
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
    const own = join(folder, 'node_modules', manifest.name);
    mkdirSync(dirname(own), { recursive: true });
    symlinkSync(root, own);
    symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
    for (const name of packages) symlinkSync(join(tools, name), join(folder, 'node_modules', name));
  }

  /** What the compiler reports of programs under `strict`, each error with the line that it is about. */
  errorsOf(programs: readonly Program[]): readonly string[] {
    const paths = programs.map(({ source }, i) => {
      const path = join(this.#folder, `program-${i}.mts`);
      writeFileSync(path, source);
      return path;
    });
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...strict, ...paths], {
      cwd: this.#folder,
      encoding: 'utf8',
    });
    const errors = stdout.split(/^(?=\S+\(\d+,\d+\): error )/m).filter(Boolean);
    if ((status === 0) !== (errors.length === 0)) throw new Error(`the compiler failed: ${stdout}`);
    return errors.map((error) => {
      const [head = '', name = '', line = '', column = ''] = /^(.*)\((\d+),(\d+)\): /.exec(error) ?? [];
      const text = readFileSync(join(this.#folder, name), 'utf8').split('\n')[Number(line) - 1] ?? '';
      return `${text.slice(Number(column) - 1)}: ${error.slice(head.length).trimEnd()}`;
    });
  }

  /** Runs programs over the sample, one after another in one process, with arguments: what each of them prints. */
  async outputsOf(programs: readonly Program[], ...args: readonly string[]): Promise<readonly string[]> {
    const paths = programs.map(({ source }, i) => {
      const path = join(this.#folder, `program-${i}.mjs`);
      writeFileSync(path, transformSync(source, { loader: 'ts', target: 'es2022' }).code);
      return path;
    });
    const runner = join(this.#folder, 'run.mjs');
    writeFileSync(runner, `const paths = ${JSON.stringify(paths)};\n${runEach}`);
    const { stdout } = await promisify(execFile)(process.execPath, [runner, ...args], {
      cwd: this.#folder,
      env: { PATH: process.env.PATH, HOME: this.#folder },
    });
    return stdout.split('\u0001').slice(0, -1);
  }
}

/** Runs each of `paths`; after what a program prints to stdout comes what it says on stderr, and its failure. */
const runEach = `
let said = '';
process.stderr.write = (text) => { said += text; return true; };
for (const path of paths) {
  await import(path).catch((error) => console.error(error));
  process.stdout.write(said + '\\u0001');
  said = '';
}
`;
