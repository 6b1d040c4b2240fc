import { createReadStream } from 'node:fs';
import { systemProblem } from '../../errors/system-errors.ts';

/** A path or name as it may be shown: control and formatting characters, which could fool a terminal, stand escaped. */
export function visible(name: string): string {
  if (name === '') return '""';
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/** The bytes of the file at `location`, opened when the first are asked for and closed when the last are read or no more are wanted. */
export async function* fileBytes(location: string, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(location)) yield chunk;
  } catch (error) {
    throw systemProblem('read', path, error);
  }
}
