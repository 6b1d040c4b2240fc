import { Problem } from './problem.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EAGAIN: 'it has nothing to read now, and may never have; save its content to a file',
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EBUSY: 'it is in use',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it exists already',
  EFBIG: 'the file would exceed the size limit',
  EIO: 'the device reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'this process has too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'the system has too many open files',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ENOTFOUND: 'there is no host of that name',
  EPERM: 'permission denied',
  EPIPE: 'its reader has closed the pipe',
  EROFS: 'the file system is read-only',
  EXDEV: 'it is on another file system',
};

/** An action of asof on a file, folder or port. */
export type SystemAction = 'create' | 'listen on' | 'lock' | 'open' | 'read' | 'use' | 'write to';

/**
 * Makes a `local-io` Problem for an error of the operating system: `cannot read plan.txt: permission denied`.
 * `target` is a path, or words with a path (`the plan plan.txt`); `reason` replaces the usual words.
 */
export function systemProblem(
  action: SystemAction,
  target: string,
  cause: unknown,
  reason = reasonFor(action, cause),
): Problem {
  return new Problem('local-io', `cannot ${action} ${target}: ${reason}`, { cause });
}

function reasonFor(action: SystemAction, error: unknown): string {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  // These actions create a missing file, so its folder is missing.
  if (code === 'ENOENT' && (action === 'create' || action === 'write to')) return 'there is no such folder';
  return reasons[code ?? ''] ?? message ?? String(error);
}

/** Tells whether the operating system made this error. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Tells whether a write failed because the reader of the pipe is gone. */
export function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

/** Turns a failure, also one of the operating system, into a Problem; undefined for a bug in asof. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) {
    const { kind, cause } = error;
    // A Problem made from another Problem has the same reason in more words, so it stays.
    const hides = kind === 'internal-error' && cause !== undefined && !(cause instanceof Problem);
    return hides ? problemOf(cause) : error;
  }
  if (isSystemError(error)) return new Problem('local-io', error.message, { cause: error });
  return undefined;
}
