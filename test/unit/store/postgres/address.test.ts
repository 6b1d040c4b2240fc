import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { absoluteAddress, isDatabase, refuseForeign, shownAddress } from '../../../../src/store/address.ts';
import { parseAddress } from '../../../../src/store/postgres/address.ts';

const folder = mkdtempSync(join(tmpdir(), 'asof-service-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      const refusal = expect.objectContaining({
        kind: 'bad-input',
        detail: expect.stringMatching(/^no store has an address that begins with '[a-z]+:'$/),
      });
      expect(() => refuseForeign(address)).toThrow(refusal);
      expect(() => absoluteAddress(address)).toThrow(refusal);
    },
  );

  it.each(['asof.db', './postgres', 'C:\\asof.db', 'a:b/asof.db', '/srv/postgres: new/asof.db'])(
    '%s may be the path of a store',
    (address) => expect(() => refuseForeign(address)).not.toThrow(),
  );

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
  const configOf = (address: string, env: Readonly<Record<string, string>> = {}) => {
    const { config, schema, ways } = parseAddress(address, env);
    const { host, port, user, database, password } = config;
    // A function looks into the file of passwords.
    const stated = typeof password === 'function' ? undefined : password;
    return { host, port, user, database, password: stated, schema, ways };
  };
  const usual = { port: 5432, schema: 'asof', user: undefined, password: undefined, database: undefined };

  it.each<[string, string, Record<string, string>, object]>([
    [
      'of its parts',
      'postgres://ada:p%40ss@h:6000/db',
      {},
      { host: 'h', port: 6000, user: 'ada', password: 'p@ss', database: 'db' },
    ],
    [
      'of parameters',
      'postgres:///?host=/tmp&port=6000&dbname=db&user=ada&password=p',
      {},
      { host: '/tmp', port: 6000, user: 'ada', password: 'p', database: 'db' },
    ],
    ['of an IPv6 host', 'postgres://[::1]:6000/db', {}, { host: '::1', port: 6000, database: 'db' }],
    ['of an encoded socket folder', 'postgres://%2Ftmp/db', {}, { host: '/tmp', database: 'db' }],
    [
      'of variables',
      'postgres://',
      { PGHOST: 'h', PGPORT: '6000', PGUSER: 'ada', PGPASSWORD: 'p', PGDATABASE: 'db' },
      { host: 'h', port: 6000, user: 'ada', password: 'p', database: 'db' },
    ],
    [
      'of parts before variables',
      'postgres://own/',
      { PGHOST: 'h', PGUSER: 'ada' },
      { host: 'own', user: 'ada' },
    ],
  ])('connects by what it says %s', (_, address, env, expected) => {
    expect(configOf(address, env)).toMatchObject({ ...usual, ...expected });
  });

  it('takes a service from the file of services, and its own parts first', () => {
    const file = join(folder, 'pg_service.conf');
    writeFileSync(
      file,
      '# ours\n[other]\nhost=wrong\n\n[desk]\nhost = h\nport=6000\ndbname=db\nuser=ada\npassword=p=q\nschema=facts\n',
    );
    const expected = { host: 'h', port: 6000, database: 'db', user: 'ada', password: 'p=q', schema: 'facts' };
    expect(configOf('postgres:///?service=desk', { PGSERVICEFILE: file })).toMatchObject(expected);
    expect(configOf('postgres://', { PGSERVICEFILE: file, PGSERVICE: 'desk' })).toMatchObject(expected);
    expect(configOf('postgres://own/?service=desk', { PGSERVICEFILE: file }).host).toBe('own');
    expect(() => parseAddress('postgres:///?service=none', { PGSERVICEFILE: file })).toThrow(
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
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, 'a certificate');
    for (const mode of ['require', 'verify-ca']) {
      const [way] = parseAddress(`postgres://h/db?sslmode=${mode}&sslrootcert=${ca}`, {}).ways;
      expect(way).toMatchObject({ ca: 'a certificate', rejectUnauthorized: true });
      expect(way).toMatchObject({ checkServerIdentity: expect.any(Function) });
    }
    const [full] = parseAddress(`postgres://h/db?sslmode=verify-full&sslrootcert=${ca}`, {}).ways;
    expect(full).toEqual({ ca: 'a certificate', rejectUnauthorized: true });
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
