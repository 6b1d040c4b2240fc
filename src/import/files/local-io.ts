import { createReadStream } from 'node:fs';
import { Problem } from '../../errors/problem.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'a symbolic link that leads back to itself',
  ENAMETOOLONG: 'no file can have so long a name',
};

/** A path or name as it may be shown: control and formatting characters, which could fool a terminal, stand escaped. */
export function visible(name: string): string {
  if (name === '') return '""';
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/** The failure of this machine to give a file, with the file's path and a reason in plain words. */
export function localProblem(path: string, error: unknown): Problem {
  const { code = '', message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  return new Problem('local-io', `${path}: ${reasons[code] ?? message}`, { cause: error });
}

/** Whether an error is the operating system's, and not one of what a file holds. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** The bytes of the file at `location`, opened when the first are asked for and closed when the last are read or no more are wanted. */
export async function* fileBytes(location: string, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(location)) yield chunk;
  } catch (error) {
    throw localProblem(path, error);
  }
}
