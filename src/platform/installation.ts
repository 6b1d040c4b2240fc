import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';

/** The folder that holds asof's package.json, from the sources as from the built program. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('asof is not completely installed: its package.json is missing');
    folder = parent;
  }
  return folder;
}

/** The version of this asof. */
export function version(): string {
  const content = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return content.version;
}

/** The path of a file or folder that the build makes. */
export function builtPath(
  name: 'examples.json' | 'explorer' | 'sample.db' | 'swagger-ui' | 'table-worker.cjs',
): string {
  return join(packageRoot(), 'dist', name);
}

/** The file of the sample store that is shipped with asof. */
export function samplePath(): string {
  return builtPath('sample.db');
}

/** Whether a path leads to the sample that is shipped with asof. */
export function isShippedSample(path: string): boolean {
  try {
    return realpathSync(path) === realpathSync(samplePath());
  } catch {
    return false;
  }
}

/** The folders in which asof keeps things for this user; they need not exist. */
export type UserFolders = {
  readonly data: string;
  readonly config: string;
  /** For what may be lost at any time. */
  readonly cache: string;
};

/** The folders that the system's conventions and this process's environment give to asof (XDG on Linux). */
export function userFolders(): UserFolders {
  return envPaths('asof', { suffix: '' });
}

/** The value of an environment variable; an empty one is unset. */
export function variable(
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
  name: string,
): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}
