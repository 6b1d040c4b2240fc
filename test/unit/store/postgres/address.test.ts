import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isShippedSample } from '../../../../src/platform/installation.ts';
import { absoluteAddress, isDatabase, locatedAt, shownAddress } from '../../../../src/store/address.ts';
import { filedPassword, parseAddress } from '../../../../src/store/postgres/address.ts';

const folder = mkdtempSync(join(tmpdir(), 'asof-addresses-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

describe('an address', () => {
  it.each([
    ['postgres://h/db', true],
    ['postgresql://h/db', true],
    ['POSTGRES://h/db', true],
    ['asof.db', false],
    ['./postgres', false],
    ['https://h/db', false],
  ])('%s names a database: %s', (address, expected) => expect(isDatabase(address)).toBe(expected));

  it.each(['postgre://h/db', 'postgres:/h/db', 'postgresql:h/db', 'https://h/db', 'file:///asof.db'])(
    '%s is refused, and makes no folder of its name',
    (address) => {
      const detail = expect.stringMatching(/^no store has an address that begins with '[a-z]+:'$/);
      for (const check of [locatedAt, absoluteAddress])
        expect(() => check(address)).toThrow(expect.objectContaining({ kind: 'bad-input', detail }));
    },
  );

  it.each(['asof.db', './postgres', 'C:\\asof.db', 'a:b/asof.db', '/srv/postgres: new/asof.db'])(
    '%s may be the path of a store',
    (address) => expect(locatedAt(address)).toBe(address),
  );

  it('sample is that of the shipped sample, also in a setting', () => {
    expect(isShippedSample(locatedAt('sample'))).toBe(true);
    expect(absoluteAddress('sample')).toBe('sample');
    expect(locatedAt('./sample')).toBe('./sample');
  });

  it('of a file becomes an absolute path, and that of a database stays as it is', () => {
    expect(absoluteAddress('asof.db')).toBe(join(process.cwd(), 'asof.db'));
    expect(absoluteAddress('postgres://h/db')).toBe('postgres://h/db');
  });

  it.each([
    ['postgres://ada:secret@h:5432/db', 'postgres://ada@h:5432/db'],
    ['postgres://ada:se@cr/et@h/db', 'postgres://ada@h/db'],
    ['postgres://:secret@h/db', 'postgres://h/db'],
    ['postgres://h/db?password=secret&schema=x', 'postgres://h/db?schema=x'],
    ['postgres://h/db?sslpassword=secret', 'postgres://h/db'],
    ['postgres://ada:secret@h/db?sslmode=require', 'postgres://ada@h/db?sslmode=require'],
    ['postgres://h/db', 'postgres://h/db'],
    ['/home/ada:secret@h/asof.db', '/home/ada:secret@h/asof.db'],
  ])('%s is shown as %s', (address, expected) => {
    expect(shownAddress(address)).toBe(expected);
  });
});

describe('the address of a database', () => {
  /** How an address connects, in the words of a connection string: `ada:p@h:6000/db`. */
  const placeOf = (address: string, env: Readonly<Record<string, string>> = {}) => {
    const { host, port, user = '', database = '', password } = parseAddress(address, env).config;
    // A function looks into the file of passwords.
    const stated = typeof password === 'function' || password === undefined ? '' : `:${password}`;
    return `${user}${stated}@${host}:${port}/${database}`;
  };
  const variables = { PGHOST: 'h', PGPORT: '6000', PGUSER: 'ada', PGPASSWORD: 'p', PGDATABASE: 'db' };

  it.each<[string, string, string, Record<string, string>?]>([
    ['of its parts', 'postgres://ada:p%40ss@h:6000/db', 'ada:p@ss@h:6000/db'],
    ['of parameters', 'postgres:///?host=/tmp&port=6000&dbname=db&user=ada&password=p', 'ada:p@/tmp:6000/db'],
    ['of an IPv6 host', 'postgres://[::1]:6000/db', '@::1:6000/db'],
    ['of an encoded socket folder', 'postgres://%2Ftmp/db', '@/tmp:5432/db'],
    ['of variables', 'postgres://', 'ada:p@h:6000/db', variables],
    ['of parts before variables', 'postgres://own/', 'ada@own:5432/', { PGHOST: 'h', PGUSER: 'ada' }],
  ])('connects by what it says %s', (_, address, expected, env) => {
    expect(placeOf(address, env)).toBe(expected);
    expect(parseAddress(address, env ?? {}).schema).toBe('asof');
  });

  it('takes a service from the file of services, and its own parts first', () => {
    const desk = 'host = h\nport=6000\ndbname=db\nuser=ada\npassword=p=q\nschema=facts';
    const file = fileOf('pg_service.conf', `# ours\n[other]\nhost=wrong\n\n[desk]\n${desk}\n`);
    const env = { PGSERVICEFILE: file };
    expect(placeOf('postgres:///?service=desk', env)).toBe('ada:p=q@h:6000/db');
    expect(parseAddress('postgres:///?service=desk', env).schema).toBe('facts');
    expect(placeOf('postgres://', { ...env, PGSERVICE: 'desk' })).toBe('ada:p=q@h:6000/db');
    expect(placeOf('postgres://own/?service=desk', env)).toBe('ada:p=q@own:6000/db');
    expect(() => parseAddress('postgres:///?service=none', env)).toThrow(
      `there is no service 'none' in ${file}`,
    );
  });

  it.each([
    ['postgres://h/db', 'asof'],
    ['postgres://h/db?schema=facts', 'facts'],
    ['postgres://h/db?options=-csearch_path%3Dfacts', 'facts'],
    ['postgres://h/db?options=-c%20search_path%3Dfacts,public', 'facts'],
    ['postgres://h/db?options=--search_path%3D"Facts"', 'Facts'],
  ])('%s names the schema %s', (address, schema) => {
    expect(parseAddress(address, {})).toMatchObject({ schema });
  });

  it('passes other options of a session on, without the search path', () => {
    const address = 'postgres://h/db?options=-csearch_path%3Dfacts%20-cwork_mem%3D64MB';
    expect(parseAddress(address, {}).config.options).toBe('-cwork_mem=64MB');
  });

  it.each([
    ['disable', [false]],
    ['prefer', [{ rejectUnauthorized: false }, false]],
    ['require', [{ rejectUnauthorized: false }]],
    ['verify-full', [{ rejectUnauthorized: true }]],
  ])('with sslmode=%s allows these ways to connect', (mode, ways) => {
    expect(parseAddress(`postgres://h/db?sslmode=${mode}`, {}).ways).toEqual(ways);
    expect(parseAddress('postgres://h/db', { PGSSLMODE: mode }).ways).toEqual(ways);
  });

  it('trusts the authority of sslrootcert, and with verify-ca any name of the server', () => {
    const ca = fileOf('ca.pem', 'a certificate');
    const trusted = { ca: 'a certificate', rejectUnauthorized: true };
    const waysOf = (mode: string) =>
      parseAddress(`postgres://h/db?sslmode=${mode}&sslrootcert=${ca}`, {}).ways;
    for (const mode of ['require', 'verify-ca'])
      expect(waysOf(mode)).toEqual([{ ...trusted, checkServerIdentity: expect.any(Function) }]);
    expect(waysOf('verify-full')).toEqual([trusted]);
  });

  it.each([
    ['postgres://ada:secret@h/db?sslmod=require', "unknown parameter 'sslmod'"],
    ['postgres://ada:secret@h/db?sslmode=maybe', "sslmode 'maybe' is none of"],
    ['postgres://ada:secret@h,other/db', 'it names several hosts: name one'],
    ['postgres://ada:secret@h/db?port=x', 'its port is not a number to 65535'],
    ['postgres://ada:secret@h:99999/db', 'it is not a valid address'],
    ['postgres://ada:secret@h/db?schema=a-b', "'a-b' cannot name a schema"],
    ['postgres://ada:%zz@h/db', 'it is not encoded as an address must be'],
  ])('%s is refused without its password', (address, reason) => {
    expect(() => parseAddress(address, {})).toThrow(reason);
    expect(() => parseAddress(address, {})).not.toThrow('secret');
  });
});

describe('the password of a connection', () => {
  const place = { host: 'db.example.org', port: 5432, database: 'markets', user: 'reader' };

  function passwordIn(text: string, asked = place): string {
    fileOf('.pgpass', text);
    return filedPassword(asked, 'postgres://shown', { HOME: folder });
  }

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
    const detail = 'cannot use the store postgres://shown: the server asks for a password';
    const wanted = expect.stringContaining('db.example.org:5432:markets:reader:PASSWORD');
    expect(() => passwordIn(text)).toThrow(
      expect.objectContaining({ detail, hints: expect.arrayContaining([wanted]) }),
    );
  });
});
