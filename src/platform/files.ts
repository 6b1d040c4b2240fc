// `promises` loads node:fs/promises on first use: most commands only read a file of settings.
import { mkdirSync, promises, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Makes a folder and its missing parents; an existing folder stays as it is. Node's `recursive` never ends where the
 * system reports ENOENT for a folder whose parent exists, as it does in `/proc`.
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

/** What distinguishes the file at a path from all others; undefined if there is none. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * A file in the making, written beside `path` and renamed when it is complete: a reader of `path` sees the old
 * content or the new, never a part. A symbolic link stays one; the file that it points to is replaced.
 */
export class DraftFile {
  readonly #name: string;
  readonly #target: string;
  readonly #handle: FileHandle;

  private constructor(name: string, target: string, handle: FileHandle) {
    this.#name = name;
    this.#target = target;
    this.#handle = handle;
  }

  /** A new draft with that mode, or the system's default mode. */
  static async open(path: string, mode?: number): Promise<DraftFile> {
    const target = await promises.realpath(path).catch(() => path);
    const name = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
    // Removes what a killed process of the same number left, so that no other file or link is written through.
    await promises.rm(name, { force: true });
    return new DraftFile(name, target, await promises.open(name, 'ax', mode));
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    await this.#handle.writeFile(chunk);
  }

  async restart(): Promise<void> {
    await this.#handle.truncate(0);
  }

  /** Waits until the disk has what has been written. */
  async flush(): Promise<void> {
    await this.#handle.sync();
  }

  async publish(): Promise<void> {
    await this.#handle.close();
    await promises.rename(this.#name, this.#target);
  }

  /** Removes the draft; the file stays as it was. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await promises.rm(this.#name, { force: true });
  }
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

/** Rethrows an error of the system with the path that it is about, which the system omits for a file that is open. */
export function naming(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    error.path ??= path;
    throw error;
  };
}
