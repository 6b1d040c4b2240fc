import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openStore, openStoreIfAny, openWriter } from '../../../../src/store/open.ts';
import { Database } from '../../../../src/store/postgres/connection.ts';
import { digestOfSchema, inDatabase, newSchemaAddress, schemaOf } from '../../../support/engines.ts';
import { facts, failureOf, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';

const content = { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') };

async function newStore(): Promise<string> {
  const address = newSchemaAddress();
  await importFiles(address, content);
  return address;
}

const roles: string[] = [];
afterAll(() =>
  inDatabase(async (client) => {
    for (const role of roles) await client.query(`drop owned by ${role}; drop role ${role}`);
  }),
);

/** A role with some rights on a schema, and an address by which it opens it. */
async function roleFor(address: string, ...grants: readonly string[]): Promise<string> {
  const role = `r_${randomBytes(4).toString('hex')}`;
  roles.push(role);
  await inDatabase(async (client) => {
    await client.query(`create role ${role} login password 'a secret'`);
    for (const grant of grants) await client.query(`grant ${grant} to ${role}`);
  });
  return address.replace('asof@', `${role}:a%20secret@`);
}

describe('a store in PostgreSQL', () => {
  it('is read by a role that may do nothing else, and refuses its import', async () => {
    const address = await newStore();
    const schema = schemaOf(address);
    const reader = await roleFor(
      address,
      `usage on schema ${schema}`,
      `select on all tables in schema ${schema}`,
    );
    const rows = await reading(reader, (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }));
    expect(rows.map(({ value }) => value)).toEqual(['17710.7']);
    const message = await failureOf(importFiles(reader, { 'b.csv': facts('GDP 2014-10-01 2015-02-27 2') }));
    expect(message).toContain('this user may not do that');
    expect(message).not.toContain('secret');
  });

  it('is made in an empty schema by a role that may make tables in it, but no schemas', async () => {
    const address = newSchemaAddress();
    const schema = schemaOf(address);
    await inDatabase((client) => client.query(`create schema ${schema}`));
    const importer = await roleFor(address, `usage, create on schema ${schema}`);
    expect(await openStoreIfAny(importer)).toBeUndefined();
    await importFiles(importer, content);
    const rows = await reading(importer, (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }));
    expect(rows.length).toBe(1);
  });

  it('that is missing is a failure with a way out for a reader, and none for who asks whether it is there', async () => {
    const address = newSchemaAddress();
    expect(await openStoreIfAny(address)).toBeUndefined();
    await expect(openStore(address)).rejects.toMatchObject({
      kind: 'local-io',
      detail: expect.stringContaining(`there is no store in the schema ${schemaOf(address)}`),
      hints: expect.arrayContaining([expect.stringContaining('asof store init')]),
    });
  });

  it('of a newer asof is refused by readers and imports, and stays as it is', async () => {
    const address = await newStore();
    await inDatabase((client) => client.query(`update ${schemaOf(address)}.store set format = 99`));
    const before = await digestOfSchema(address);
    for (const open of [openStore, openWriter])
      expect(await failureOf(open(address))).toContain('was made by a newer asof (store format 99');
    expect(await digestOfSchema(address)).toBe(before);
  });

  it('shares a database with the tables of others', async () => {
    const [one, other] = [await newStore(), await newStore()];
    await importFiles(one, { 'b.csv': facts('ONLY 2014-10-01 2015-01-30 1') });
    expect(await reading(other, (view) => view.series.find('ONLY'))).toBeUndefined();
    const named = one.replace('schema=', 'options=-csearch_path%3D');
    expect(await reading(named, (view) => view.series.find('ONLY'))).toMatchObject({ id: 'ONLY' });
  });

  it('gives dates as ISO 8601 where the server writes them in another way', async () => {
    const address = await newStore();
    const german = await roleFor(
      address,
      `usage on schema ${schemaOf(address)}`,
      `select on all tables in schema ${schemaOf(address)}`,
    );
    const role = roles.at(-1);
    await inDatabase((client) => client.query(`alter role ${role} set datestyle to 'German, DMY'`));
    const rows = await reading(german, (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }));
    expect(rows).toEqual([{ date: '2014-10-01', asOfDate: '2015-01-30', value: '17710.7' }]);
  });

  it('keeps a text with quotes, backslashes and other alphabets as it is', async () => {
    const address = newSchemaAddress();
    const title = `'; drop table fact; -- \\' "x" {a,b} \\N Ünïcode 国民`;
    const quoted = `"${title.replaceAll('"', '""')}"`;
    await importFiles(address, { ...content, 'm.csv': `series_id,title\nGDP,${quoted}\n` });
    expect(await reading(address, (view) => view.series.find('GDP'))).toMatchObject({ title });
  });
});

describe('a failure of a database', () => {
  const server = () => new URL(inject('postgres'));
  const at = (login: string, database = 'postgres') => `postgres://${login}@${server().host}/${database}`;

  it.each([
    [
      'without a listener',
      () => 'postgres://ada:secret@127.0.0.1:1/db',
      'unreachable',
      'nothing listens there',
    ],
    [
      'with a host that does not exist',
      () => 'postgres://ada:secret@no-such-host.invalid/db',
      'unreachable',
      'host',
    ],
    ['with an unknown database', () => at('asof:secret', 'nothing'), 'local-io', 'there is no such database'],
    ['with an unknown user', () => at('nobody_at_all:secret'), 'local-io', 'the server refuses this user'],
    [
      'that demands TLS of a server without it',
      () => `${at('asof:secret')}?sslmode=require`,
      'local-io',
      'SSL',
    ],
  ])('%s is told in words, without the password', async (_, address, kind, reason) => {
    const error = await openStore(address()).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(error).toMatchObject({ kind });
    expect(String(error)).toContain(reason);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret');
  });

  it('does not outlast it: the next read succeeds', async () => {
    const address = await newStore();
    const store = await openStore(address);
    const count = () => store.read(async (view) => (await view.series.search({ text: '', limit: 9 })).length);
    expect(await count()).toBe(1);
    await inDatabase((client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'asof' and query = 'commit' and pid <> pg_backend_pid()`,
      ),
    );
    // A connection may be used before its end has arrived.
    await count().catch(() => undefined);
    expect(await count()).toBe(1);
    await store.close();
  });
});

describe('a database', () => {
  it('needs no session: each transaction works on whichever connection it gets', async () => {
    const address = await newStore();
    const database = await Database.open(address, 3);
    const settings = await Promise.all(
      Array.from({ length: 9 }, () =>
        database.inTransaction('read', (transaction) =>
          transaction.row<{ level: string; writable: string }>(
            `select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as writable`,
          ),
        ),
      ),
    );
    expect(new Set(settings.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ level: 'repeatable read', writable: 'on' })]),
    );
    await database.close();
  });
});
