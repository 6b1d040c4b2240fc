import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { systemProblem } from '../errors/system-errors.ts';

/** Finds the folder of asof's package.json, from the sources and from the build. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('asof is not completely installed: its package.json is missing');
    folder = parent;
  }
  return folder;
}

/** What a single executable holds in place of the files of the build (scripts/binary-loader.cjs). */
type HeldFiles = {
  readonly read: (name: string) => Buffer;
  readonly names: (folder: string) => readonly string[];
  /** Copies a file to where other programs can open it. */
  readonly pathOf: (name: string) => string;
  readonly thread: (name: string) => string;
};

// Why: docs/decisions/single-executable.md
const heldFiles: unique symbol = Symbol.for('asof.files');
const { [heldFiles]: held } = globalThis as { readonly [heldFiles]?: HeldFiles };

/** Returns the version of this asof. */
export function version(): string {
  const text = held?.read('package.json') ?? readFileSync(join(packageRoot(), 'package.json'));
  const content = JSON.parse(String(text)) as { version: string };
  return content.version;
}

function builtPath(name: string): string {
  return join(packageRoot(), 'dist', name);
}

/** Returns the content of a file that the build makes. */
export function builtFile(name: string): Buffer {
  return held?.read(name) ?? readFileSync(builtPath(name));
}

/** Returns the names of the files in a folder that the build makes. */
export function builtNames(folder: 'explorer' | 'swagger-ui'): readonly string[] {
  return held?.names(folder) ?? readdirSync(builtPath(folder));
}

/** Returns the program of a thread that the build makes, as a path or a text. */
export function threadProgram(name: 'table-worker.cjs'): {
  readonly program: string;
  readonly eval: boolean;
} {
  const text = held?.thread(name);
  return { program: text ?? builtPath(name), eval: text !== undefined };
}

/** Returns the path of the shipped sample store; throws a Problem if a single executable cannot write it there. */
export function samplePath(): string {
  try {
    return held?.pathOf('sample.db') ?? builtPath('sample.db');
  } catch (cause) {
    throw systemProblem('create', 'the copy of the sample', cause);
  }
}

/** Tells whether a path leads to the shipped sample. */
export function isShippedSample(path: string): boolean {
  try {
    return realpathSync(path) === realpathSync(samplePath());
  } catch {
    return false;
  }
}

/** asof's folders for this user; they need not exist. */
export type UserFolders = {
  readonly data: string;
  readonly config: string;
  /** For files that may be lost at any time. */
  readonly cache: string;
};

/** Returns asof's folders by the system's conventions and the environment (XDG on Linux). */
export function userFolders(): UserFolders {
  return envPaths('asof', { suffix: '' });
}

/** Returns the value of an environment variable; an empty one is unset. */
export function variable(
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
  name: string,
): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}
