import { Problem } from '../../errors/problem.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ELOOP: 'its symbolic links lead back to themselves',
};

/** The Problem of a file or folder that cannot be read, in words. */
export function readFailure(target: string, cause: NodeJS.ErrnoException): Problem {
  return new Problem('local-io', `cannot read ${target}: ${reasons[cause.code ?? ''] ?? cause.message}`, {
    cause,
  });
}
