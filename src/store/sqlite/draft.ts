import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { makeFolder } from '../../platform/files.ts';

/** The name under which this process makes a new store; drafts of processes that were killed are swept away first. */
export function beginDraft(path: string): string {
  makeFolder(dirname(path));
  const prefix = `${basename(path)}.new-`;
  for (const name of readdirSync(dirname(path))) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)(?:-\w+)?$/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dirname(path), name), { force: true });
  }
  const draft = join(dirname(path), `${prefix}${process.pid}`);
  removeDraft(draft);
  return draft;
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Puts a finished draft in its place in one step, on the disk for good; refuses when a store has come there meanwhile. */
export function publishDraft(draft: string, path: string): void {
  try {
    flush(draft);
    // Unlike a renaming, a second name never takes the place of a file that is there.
    if (!link(draft, path)) renameToFree(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new Problem('local-io', `another import made the store ${path} meanwhile`, {
      hints: ['run this import again'],
      cause,
    });
  } finally {
    removeDraft(draft);
  }
}

/** Whether the file system has hard links; one that has them gives the draft its second name. */
function link(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function renameToFree(draft: string, path: string): void {
  if (existsSync(path)) throw Object.assign(new Error(`${path} exists`), { code: 'EEXIST' });
  renameSync(draft, path);
}

function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes a draft and what SQLite may have laid beside it. */
export function removeDraft(draft: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
}
