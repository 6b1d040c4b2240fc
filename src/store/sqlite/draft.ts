import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { makeFolder } from '../../platform/files.ts';

/** The endings of the files of SQLite beside a store. */
const logs = ['-wal', '-shm', '-journal'];

/** The path where this process creates a new store; removes the drafts of processes that were killed. */
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

/** Publishes a flushed draft at `path` in one step; a Problem if another process created a store there meanwhile. */
export function publishDraft(draft: string, path: string): void {
  try {
    // Unlike a rename, a link never replaces an existing file.
    if (!link(draft, path)) renameUnlessTaken(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new Problem('local-io', `another command made the store ${path} meanwhile`, {
      hints: ['run this one again'],
      cause,
    });
  } finally {
    removeDraft(draft);
  }
}

/** Puts a flushed draft at `path` in one step, replacing a store whose log is in its file. */
export function replaceWith(draft: string, path: string): void {
  // Who may read the store does not change, also where root puts another file in its place.
  const { mode, uid, gid } = statSync(path);
  chmodSync(draft, mode & 0o7777);
  if (process.getuid?.() === 0) chownSync(draft, uid, gid);
  // The log of a damaged store is still there: SQLite would apply it to the new one.
  for (const suffix of logs) rmSync(path + suffix, { force: true });
  // Before the draft loses its name, because another process may begin one at once.
  for (const suffix of logs) rmSync(draft + suffix, { force: true });
  renameSync(draft, path);
}

/** Links the draft to its path; false if the file system has no hard links. */
function link(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function renameUnlessTaken(draft: string, path: string): void {
  if (existsSync(path)) throw Object.assign(new Error(`${path} exists`), { code: 'EEXIST' });
  renameSync(draft, path);
}

/** Flushes a file to disk; releases the locks that this process holds on it. */
export function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes a draft and the files of SQLite beside it; the draft last, because its lock protects the others. */
export function removeDraft(draft: string): void {
  for (const suffix of [...logs, '']) rmSync(draft + suffix, { force: true });
}
