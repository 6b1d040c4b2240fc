import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as tick } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { Statements } from '../../../../src/domain/series/statements.ts';
import { Problem } from '../../../../src/errors/problem.ts';
import { initStore, openAccess, openStore, openWriter, readStoreIfAny } from '../../../../src/store/open.ts';
import { newFolder } from '../../../support/folders.ts';
import { type Cluster, startCluster } from '../../../support/postgres.ts';
import { root } from '../../../support/repository.ts';
import { facts, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';
import { selfSigned } from '../../../support/service-double.ts';

const folder = newFolder();
const authority = folder.write('ca.pem', selfSigned.cert);
const passwords = folder.path('pgpass');
const place = mkdtempSync(join(tmpdir(), 'asof-tls-'));

let cluster: Cluster;
beforeAll(async () => {
  // The server reads its key only if nobody else can, and it runs as another user where the tests run as root.
  const [cert, key] = [join(place, 'server.crt'), join(place, 'server.key')];
  writeFileSync(cert, selfSigned.cert, { mode: 0o600 });
  writeFileSync(key, selfSigned.key, { mode: 0o600 });
  if (process.getuid?.() === 0) for (const path of [place, cert, key]) chownSync(path, 65_534, 65_534);
  // A primary server must write at this level for a standby to answer questions.
  const tls = { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key };
  cluster = await startCluster({ wal_level: 'replica', ...tls });
  await importFiles(at('asof'), { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
});
afterAll(async () => {
  await cluster.remove();
  rmSync(place, { recursive: true });
});

const at = (login: string, database = 'postgres') =>
  `${cluster.url.replace('asof@', `${login}@`)}/${database}`;

async function sqlIn(database: string, ...texts: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: at('asof', database) });
  await client.connect();
  try {
    let rows: readonly unknown[] = [];
    for (const text of texts) ({ rows } = await client.query(text));
    return rows;
  } finally {
    await client.end();
  }
}

const sql = (...texts: readonly string[]) => sqlIn('postgres', ...texts);

let roles = 0;

/** The address of a new superuser with these settings. */
async function roleWith(settings: string): Promise<string> {
  const role = `role_${++roles}`;
  await sql(`create role ${role} login superuser`, `alter role ${role} ${settings}`);
  return at(role);
}

const said = { date: '2014-10-01', asOf: '2015-02-27', value: '3' };
const ask = (address: string, seriesId = 'GDP') =>
  reading(address, (view) => observationsIn(view, { seriesId, limit: 9 }));
const add = (address: string) => importFiles(address, { 'b.csv': facts('GDP 2014-10-01 2015-02-27 2') });
const opened = async (address: string) => (await openStore(address)).close();

/** A failure that may pass, which a service answers with 503 and `Retry-After`. */
const passes = { kind: 'unreachable', retryAfter: 1 };
const stays = { kind: 'local-io', retryAfter: undefined };

/** Expects that work is refused, for what an operator reads, which never is a password. */
async function expectRefusal(work: Promise<unknown>, how: object, reason: RegExp, hint = /^/): Promise<void> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof Problem)) throw failure ?? new Error('it did not fail');
  const { kind, detail, hints, retryAfter } = failure;
  expect({ kind, retryAfter }).toEqual(how);
  expect(detail.replace(/^.*?\/\/\S*: /, '')).toMatch(reason);
  expect(hints.join('\n')).toMatch(hint);
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('secret');
}

describe('a failure to connect', () => {
  const withoutTls = () => `${inject('postgres').replace('asof@', 'asof:secret@')}/postgres?sslmode=require`;

  it.each([
    ['without a listener', () => 'postgres://ada:secret@127.0.0.1:1/db', passes, /nothing listens there$/],
    ['without a host', () => 'postgres://ada:secret@no-such-host.invalid/db', passes, /host/],
    ['with an unknown database', () => at('asof:secret', 'nothing'), stays, /^there is no such database \(/],
    [
      'with an unknown user',
      () => at('nobody:secret'),
      stays,
      /^the server refuses this user \(role "nobody"/,
    ],
    ['to a server without the TLS that is demanded', withoutTls, stays, /SSL/],
  ])('%s is told in words', (_, address, how, reason) => expectRefusal(openStore(address()), how, reason));
});

describe('a server that ends connections or statements', () => {
  it('gives a time to retry, and names the setting, if statement_timeout ends a question', async () => {
    const address = await roleWith("set statement_timeout = '100ms'");
    const client = new pg.Client({ connectionString: at('asof') });
    await client.connect();
    await client.query('begin; lock table asof.fact in access exclusive mode');
    const reason = /^the server ended a statement \(canceling statement due to statement timeout\)$/;
    await expectRefusal(ask(address), passes, reason, /statement_timeout/);
    await client.end();
  });

  it('is asked over a new connection after idle_in_transaction_session_timeout closed one', async () => {
    const address = await roleWith("set idle_in_transaction_session_timeout = '100ms'");
    const store = await openStore(address);
    const slow = store.read(async (view) => {
      await view.series.find('GDP');
      await delay(300);
      return view.series.find('GDP');
    });
    const reason = /the server ends transactions that wait this long \(terminating connection/;
    await expectRefusal(slow, passes, reason, /idle_in_transaction_session_timeout/);
    expect(await store.read((view) => view.series.find('GDP'))).toMatchObject({ id: 'GDP' });
    await store.close();
  });

  it('is asked over a new connection after one that it ended while nobody used it', async () => {
    const store = await openStore(at('asof'));
    const find = () => store.read((view) => view.series.find('GDP'));
    await find();
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'asof' and query = 'commit'`,
    );
    // A connection may be used before its end has arrived.
    await find().catch(() => undefined);
    expect(await find()).toMatchObject({ id: 'GDP' });
    await store.close();
  });

  it('does not end an import that waits or computes', async () => {
    const address = await roleWith("set statement_timeout = '50ms'");
    await sql(`alter role ${new URL(address).username} set idle_in_transaction_session_timeout = '50ms'`);
    const writer = await openWriter(address);
    await (await writer.series('SLOW')).merge(new Statements('SLOW', [said]), { replace: false });
    await delay(200);
    await writer.finish(['SLOW']);
    await writer.commit();
    expect(await ask(at('asof'), 'SLOW')).toMatchObject([{ value: '3' }]);
  });

  it('ends an import that waits for another one longer than lock_timeout', async () => {
    const address = await roleWith("set lock_timeout = '100ms'");
    const writer = await openWriter(at('asof'));
    await (await writer.series('GDP')).merge(new Statements('GDP', [said]), { replace: false });
    await expectRefusal(add(address), passes, /another import holds it for longer than lock_timeout \(/);
    await writer.rollback();
  });
});

describe('a server that refuses', () => {
  it('a connection above the limit of the user gives a time to retry, and names the limits', async () => {
    const address = await roleWith('connection limit 1');
    const role = new URL(address).username;
    await sql(
      `alter role ${role} nosuperuser; grant usage on schema asof to ${role};
       grant select on all tables in schema asof to ${role}`,
    );
    const store = await openStore(address);
    await store.read((view) => view.state());
    const reason = /the server has no connection left \(too many connections for role/;
    await expectRefusal(openStore(address), passes, reason, /max_connections[\s\S]*PgBouncer/);
    await store.close();
  });

  it('to write for a user with default_transaction_read_only still answers questions', async () => {
    const address = await roleWith('set default_transaction_read_only = on');
    const reason = /^the server or this user is read-only \(cannot execute SELECT FOR UPDATE/;
    await expectRefusal(add(address), stays, reason);
    expect(await ask(address)).toHaveLength(1);
  });

  it('a user without rights names the rights that are needed', async () => {
    const address = await roleWith('nosuperuser');
    const reason = /^this user may not do that \(permission denied for schema asof\)$/;
    for (const work of [ask, add])
      await expectRefusal(work(address), stays, reason, /usage on the schema and select on its tables/);
  });

  // Real causes of these errors are failures of a machine; here a trigger raises them.
  it.each([
    ['53100', 'the disk of the server is full', stays],
    ['53200', 'the server is out of memory', stays],
    ['53400', 'the server has reached one of its limits', stays],
    ['58030', 'the server reports a disk error', stays],
    ['XX001', 'the server reports that data are damaged', stays],
    ['40P01', 'another import is writing to it; try again when it is done', stays],
    ['40001', 'the server ended the transaction because of another one; try again', passes],
  ])('an import with the code %s says that %s and leaves the store as it was', async (code, reason, how) => {
    await sql(
      `create or replace function refuse() returns trigger language plpgsql as $$
         begin raise exception using errcode = '${code}', message = 'as the server says'; end $$;
       create or replace trigger refuse before insert on asof.fact execute function refuse()`,
    );
    await expectRefusal(add(at('asof')), how, RegExp(`^${reason} \\(as the server says\\)$`));
    await sql('drop trigger refuse on asof.fact');
    expect(await ask(at('asof'))).toHaveLength(1);
  });
});

describe('the roles of a database', () => {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  /** The statements by which the guide makes roles and schemas. */
  const [, setUp = ''] = /^## Set up$([\s\S]*?)^## /m.exec(read('docs/guide/scale.md')) ?? [];
  const statements = [...setUp.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, block]) => block).join('');

  it('are those of the guide in the example with Docker Compose', () => {
    const plain = read('deploy/postgres/roles.sql')
      .replace(/^(?:--|\\getenv).*\n/gm, '')
      .replace(/ password :'\w+'/g, '');
    const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
    expect(linesOf(plain)).toEqual(linesOf(statements));
  });

  it('suffice: the importer writes, the reader reads, and the keys are of a user without a right on the facts', async () => {
    await sql('create database guide');
    await sqlIn('guide', statements);
    const of = (role: string, schema = 'asof') => `${at(role, 'guide')}?schema=${schema}`;
    const refused = [stays, /this user may not do that/] as const;
    await expectRefusal(initStore(of('reader'), false), ...refused);
    expect(await initStore(of('importer'), false)).toBe('made');
    // The reader has the tables that the importer made, before the first import as after it.
    await opened(of('reader'));
    await add(of('importer'));
    expect(await ask(of('reader'))).toMatchObject([{ value: '2' }]);
    await expectRefusal(add(of('reader')), ...refused);
    await (await openAccess(of('keys', 'keys'), { counting: true })).close();
    await expectRefusal(ask(of('keys')), ...refused);
    await expectRefusal(openAccess(of('reader', 'keys'), { counting: true }), ...refused);
  });

  it('suffice to make a store in an empty schema with the right to make tables in it, but no schemas', async () => {
    const address = `${await roleWith('nosuperuser')}?schema=given`;
    await sql(`create schema given; grant usage, create on schema given to ${new URL(address).username}`);
    expect(await readStoreIfAny(address, async () => true)).toBeUndefined();
    await add(address);
    expect(await ask(address)).toHaveLength(1);
  });

  it('may write dates in another way, and a store gives them as ISO 8601', async () => {
    const german = await roleWith("set datestyle to 'German, DMY'");
    const published = [{ date: '2014-10-01', asOfDate: '2015-01-30', value: '17710.7' }];
    expect(await ask(german)).toEqual(published);
    const store = await openStore(german);
    const one = () => store.read((view) => view.series.observations({ seriesId: 'GDP', limit: 1 }), 'GDP');
    expect(await store.read((view) => view.series.find('GDP'), 'GDP')).toMatchObject({
      firstVintage: '2015-01-30',
    });
    for (const page of [await one(), await one()])
      expect(page).toMatchObject({ rows: published, series: { firstVintage: '2015-01-30' } });
    await store.close();
  });
});

describe('a server with TLS', () => {
  const full = () => `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
  const secured = (parameters: string, host = '127.0.0.1') =>
    `${at('asof').replace('127.0.0.1', host)}?${parameters}`;

  it('is asked with verify-full and the certificate of its authority, and everything is encrypted', async () => {
    await reading(secured(full()), async (view) => {
      expect(await observationsIn(view, { seriesId: 'GDP', limit: 9 })).toMatchObject([{ value: '17710.7' }]);
      const encrypted = `select distinct s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid)
        where a.application_name = 'asof'`;
      expect(await sql(encrypted)).toEqual([{ ssl: true }]);
    });
  });

  it.each([
    [
      'an authority that is not known',
      () => secured('sslmode=verify-full'),
      /self-signed certificate/,
      /^sslrootcert=FILE .* names the certificate of the authority$/,
    ],
    [
      'a name that is not in its certificate',
      () => secured(full(), '127.1'),
      /does not match certificate|Hostname/,
      /^name the host as its certificate does; sslmode=verify-ca/,
    ],
  ])('is refused with verify-full because of %s', async (_, address, reason, hint) => {
    await expectRefusal(add(address()), stays, reason, hint);
  });

  it.each([
    ['verify-ca looks at no name', () => secured(full().replace('full', 'ca'), '127.1')],
    ['require looks at no certificate', () => secured('sslmode=require')],
    ['prefer takes it', () => secured('')],
  ])('is used where %s', async (_, address) => {
    expect(await ask(address())).toHaveLength(1);
  });
});

describe('a server that asks for a password', () => {
  const line = (password: string) => `127.0.0.1:*:postgres:asker:${password}\n`;
  beforeAll(async () => {
    await sql("create role asker login superuser password 'a: secret'");
    const rules = join(cluster.folder, 'data/pg_hba.conf');
    const more = 'host all asker 127.0.0.1/32 scram-sha-256\nhost all stranger 127.0.0.1/32 reject\n';
    writeFileSync(rules, more + readFileSync(rules, 'utf8'));
    await sql('select pg_reload_conf()');
    process.env.PGPASSFILE = passwords;
  });
  afterAll(() => {
    delete process.env.PGPASSFILE;
  });

  it('gets it from the file of passwords, without a warning of the driver', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(String(warning));
    process.on('warning', onWarning);
    writeFileSync(passwords, line('a\\: secret'), { mode: 0o600 });
    await opened(at('asker'));
    await tick();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['asker:secret!', /^the password is wrong \(password authentication failed for user "asker"\)$/],
    ['stranger', /^the server refuses this user \(pg_hba\.conf rejects connection for host "127\.0\.0\.1"/],
  ])('refuses %s in words', (login, reason) => expectRefusal(openStore(at(login)), stays, reason));

  it.each([
    ['has no line for it', () => writeFileSync(passwords, 'db.example.org:*:*:*:x\n'), /has no line for it/],
    ['can be read by others', () => chmodSync(passwords, 0o644), /others may read it: chmod 600 /],
    ['is missing', () => rmSync(passwords), /does not exist/],
  ])('is refused with the way out where the file of passwords %s', async (_, change, hint) => {
    change();
    await expectRefusal(opened(at('asker')), stays, /^the server asks for a password$/, hint);
  });
});

describe('behind a pooler that gives each statement a connection of its own', () => {
  const query = pg.Client.prototype.query as (...given: readonly unknown[]) => Promise<unknown>;
  type Sent = { readonly name?: string };
  afterEach(() => vi.restoreAllMocks());

  it.each<[string, (client: pg.Client, sent: Required<Sent>) => Promise<unknown>, number]>([
    ['has forgotten a statement', (client) => query.call(client, 'deallocate all'), 2],
    ['knows a statement already', (client, { name }) => query.call(client, `prepare ${name} as select 1`), 1],
  ])('a page is right where the connection %s, and later ones are not named', async (what, change, named) => {
    let names = 0;
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...given: unknown[]
    ) {
      const [sent] = given as [Sent];
      const { name } = sent;
      if (name === undefined) return query.apply(this, given);
      names += 1;
      const isBefore = what.startsWith('knows');
      // In a transaction that has failed, it fails too.
      if (isBefore) change(this, { name }).catch(() => undefined);
      const answer = query.apply(this, given);
      if (!isBefore) change(this, { name }).catch(() => undefined);
      return answer;
    });
    for (const options of [{}, { statementSeconds: 5 }]) {
      names = 0;
      const store = await openStore(at('asof'), options);
      const page = () =>
        store.read((view) => observationsIn(view, { seriesId: 'GDP', asOf: '2015-01-30', limit: 9 }), 'GDP');
      for (let i = 0; i < 4; i += 1) expect(await page()).toMatchObject([{ value: '17710.7' }]);
      expect(names).toBe(named);
      await store.close();
    }
  });
});

describe('a standby', () => {
  it('answers questions, alone and together, and refuses imports with a hint to use the primary', async () => {
    await cluster.stop();
    writeFileSync(join(cluster.folder, 'data/standby.signal'), '');
    await cluster.start();
    const address = at('asof');
    expect(await ask(address)).toMatchObject([{ value: '17710.7' }]);
    const store = await openStore(address);
    expect(await store.readTogether?.((view) => view.series.find('GDP'))).toMatchObject({ id: 'GDP' });
    await store.close();
    expect(await initStore(address, false)).toBe('unchanged');
    const [reason, hint] = [
      /^the server or this user is read-only \(cannot execute \w+/,
      /^a standby answers questions; /,
    ];
    for (const work of [() => add(address), () => initStore(`${address}?schema=other`, false)])
      await expectRefusal(work(), stays, reason, hint);
  });
});

describe('a server that ends a connection in the moment it accepts it', () => {
  it('is named in the refusal, and does not end the process', async () => {
    const message = (type: string, ...parts: readonly Buffer[]) => {
      const body = Buffer.concat(parts);
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length + 4);
      return Buffer.concat([Buffer.from(type), length, body]);
    };
    const isIn = message('R', Buffer.alloc(4));
    const ends = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      // One chunk: the client handles all of it before the pool has handed the connection out.
      socket.once('data', () => socket.end(Buffer.concat([isIn, message('Z', Buffer.from('I')), ends])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const uncaught: unknown[] = [];
    const listener = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', listener);
    await expect(
      openStore(`postgres://asof@127.0.0.1:${port}/postgres?sslmode=disable`),
    ).rejects.toBeInstanceOf(Problem);
    await tick();
    process.off('uncaughtException', listener);
    server.close();
    expect(uncaught).toEqual([]);
  });
});
