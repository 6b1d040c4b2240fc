import { resolve } from 'node:path';
import { Problem } from '../errors/problem.ts';
import { samplePath } from '../platform/installation.ts';

/** The address of the sample that asof ships, on every machine. */
export const sampleName = 'sample';

/** Tells whether an address names a PostgreSQL database; any other address is the path of a file. */
export function isDatabase(address: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(address);
}

/**
 * Returns the path of a file, or the database, that an address names; `sample` is the shipped sample.
 * Throws for an address that names no store, such as `https://…`: as a path it would create folders.
 */
export function locatedAt(address: string): string {
  if (address === sampleName) return samplePath();
  if (isDatabase(address) || !/^(?:[a-z][a-z\d+.-]+:\/\/|postgres(?:ql)?:)/i.test(address)) return address;
  const [scheme = ''] = address.split(':', 1);
  throw new Problem('bad-input', `no store has an address that begins with '${scheme}:'`, {
    hints: [
      'a store is the path of a file, or postgres://USER@HOST:PORT/DATABASE',
      '--base-url names a service',
    ],
  });
}

/** Makes an address valid in any working directory: the absolute path of a file, a database, or the sample. */
export function absoluteAddress(text: string): string {
  const address = locatedAt(text);
  // An installation may move, and the name stays.
  return text === sampleName || isDatabase(address) ? text : resolve(address);
}

/** Removes passwords from an address for messages and logs; with a password file it still opens the store. */
export function shownAddress(address: string): string {
  if (!isDatabase(address)) return address;
  const [, scheme = '', rest = ''] = /^(\w+:\/\/)(.*)$/s.exec(address) ?? [];
  const [place = '', ...query] = rest.split('?');
  // An unencoded password may contain @ or a slash, so the last @ ends it.
  const [, login, where = place] = /^(.*)@([^@]*)$/s.exec(place) ?? [];
  const user = login?.split(':', 1)[0] ?? '';
  const kept = query
    .join('?')
    .split('&')
    .filter((parameter) => parameter !== '' && !/^[^=]*password/i.test(parameter));
  return `${scheme}${user === '' ? '' : `${user}@`}${where}${kept.length === 0 ? '' : `?${kept.join('&')}`}`;
}
