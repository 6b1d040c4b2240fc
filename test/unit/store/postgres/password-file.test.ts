import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { filedPassword } from '../../../../src/store/postgres/address.ts';

const folder = mkdtempSync(join(tmpdir(), 'asof-passwords-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const place = { host: 'db.example.org', port: 5432, database: 'markets', user: 'reader' };

function passwordIn(text: string, asked = place): string {
  const file = join(folder, '.pgpass');
  writeFileSync(file, text, { mode: 0o600 });
  return filedPassword(asked, 'postgres://shown', { HOME: folder });
}

describe('the password of a connection', () => {
  // The rules are those of "The Password File" in the manual of PostgreSQL.
  it.each([
    ['of the same place', 'db.example.org:5432:markets:reader:secret', 'secret'],
    ['with stars', '*:*:*:*:secret', 'secret'],
    ['that is the first that fits', 'other:*:*:*:1\n*:*:markets:reader:2\n*:*:*:*:3', '2'],
    ['after a comment', '#*:*:*:*:no\n*:*:*:*:yes', 'yes'],
    ['with a colon and a backslash', '*:*:*:*:a\\:b\\\\c', 'a:b\\c'],
    ['with a colon as it is', '*:*:*:*:a:b', 'a:b'],
    ['in a file of Windows', '*:*:*:*:secret\r\n', 'secret'],
  ])('comes from the line %s', (_, text, expected) => {
    expect(passwordIn(text)).toBe(expected);
  });

  it.each([
    ['a socket under its folder', '/tmp:5432:*:*:yes'],
    ['a socket as localhost', 'localhost:5432:*:*:yes'],
  ])('is found for %s', (_, text) => {
    expect(passwordIn(text, { ...place, host: '/tmp' })).toBe('yes');
  });

  it.each([
    ['another host', 'db2.example.org:5432:markets:reader:x'],
    ['another port', '*:5433:markets:reader:x'],
    ['another database', '*:*:other:reader:x'],
    ['another user', '*:*:markets:writer:x'],
    ['no password', '*:*:*:*:'],
  ])('does not come from a line with %s; the Problem shows the line that is wanted', (_, text) => {
    expect(() => passwordIn(text)).toThrow(
      expect.objectContaining({
        detail: 'cannot use the store postgres://shown: the server asks for a password',
        hints: expect.arrayContaining([
          expect.stringContaining('db.example.org:5432:markets:reader:PASSWORD'),
        ]),
      }),
    );
  });
});
