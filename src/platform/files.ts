// `promises` loads node:fs/promises on first use: a query needs none of it.
import { mkdirSync, promises, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents; an existing folder does not change.
 * Node's `recursive` never ends where the system reports ENOENT although the parent exists, as in `/proc`.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (isFolder(path)) return;
    const parent = dirname(path);
    const parentIsMissing =
      (error as NodeJS.ErrnoException).code === 'ENOENT' && parent !== path && !isFolder(parent);
    if (!parentIsMissing) throw error;
    makeFolder(parent, mode);
    makeFolder(path, mode);
  }
}

/** Identifies the file at a path; undefined if it does not exist. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Waits until a file or folder is on the disk. */
export async function flush(path: string): Promise<void> {
  const handle = await promises.open(path, 'r');
  try {
    await handle.sync().catch(naming(path));
  } finally {
    await handle.close();
  }
}

/** Makes a handler that rethrows an error with its path, which the system omits for open files. */
export function naming(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    error.path ??= path;
    throw error;
  };
}
