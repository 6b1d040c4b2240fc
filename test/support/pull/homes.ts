import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../folders.ts';
import { builtProgram } from '../repository.ts';

/** How a command ended. */
export type CommandEnd = { readonly code: number | null; readonly out: string; readonly err: string };

type Environment = Readonly<Record<string, string>>;

/** A user's home folder, and the built asof in a child process there. */
export type Home = {
  readonly path: string;
  /** The store that commands use. */
  readonly store: string;
  start(args: readonly string[], env?: Environment): ChildProcess;
  /** Runs a command to its end. */
  asof(args: readonly string[], env?: Environment): Promise<CommandEnd>;
  /** Every file in it, as text byte by byte. */
  contents(): string;
};

/** A new empty home; `fixed` is the environment of every command in it. */
export function newHome(fixed: () => Environment = () => ({})): Home {
  const path = scratchFolder();
  const start: Home['start'] = (args, env = {}) =>
    spawn(process.execPath, [builtProgram, ...args], {
      env: { PATH: process.env.PATH, HOME: path, ...fixed(), ...env },
    });
  return {
    path,
    store: join(path, '.local/share/asof/asof.db'),
    start,
    asof: (args, env) => ended(start(args, env)),
    contents: () =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
        .join('\n'),
  };
}

/** Waits for the end of a command, and gives what it wrote. */
export function ended(child: ChildProcess): Promise<CommandEnd> {
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout?.on('data', (data) => out.push(String(data)));
  child.stderr?.on('data', (data) => err.push(String(data)));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }));
  });
}
