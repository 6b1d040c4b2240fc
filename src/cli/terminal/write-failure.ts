import { Problem } from '../../errors/problem.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file may not become so large',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
};

/** The Problem of an output that cannot be written, in words. */
export function writeFailure(target: string, cause: NodeJS.ErrnoException): Problem {
  return new Problem('local-io', `cannot write to ${target}: ${reasons[cause.code ?? ''] ?? cause.message}`, {
    cause,
  });
}

/** Whether a failure to write means that the reader wants no more. */
export function readerGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}
