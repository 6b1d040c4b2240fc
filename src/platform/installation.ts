import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';

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

/** Returns the version of this asof. */
export function version(): string {
  const content = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return content.version;
}

/** Returns the path of a file or folder that the build makes. */
export function builtPath(
  name: 'examples.json' | 'explorer' | 'sample.db' | 'swagger-ui' | 'table-worker.cjs',
): string {
  return join(packageRoot(), 'dist', name);
}

/** Returns the path of the shipped sample store. */
export function samplePath(): string {
  return builtPath('sample.db');
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
