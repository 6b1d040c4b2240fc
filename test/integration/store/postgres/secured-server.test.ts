import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/store/open.ts';
import { newFolder } from '../../../support/folders.ts';
import { type Cluster, startCluster } from '../../../support/postgres.ts';
import { facts, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';
import { selfSigned } from '../../../support/service-double.ts';

const folder = newFolder();
const authority = folder.write('ca.pem', selfSigned.cert);

const place = mkdtempSync(join(tmpdir(), 'asof-tls-'));
let cluster: Cluster;
beforeAll(async () => {
  // The server reads its key only if nobody else can, and it runs as another user where the tests run as root.
  const [cert, key] = [join(place, 'server.crt'), join(place, 'server.key')];
  writeFileSync(cert, selfSigned.cert, { mode: 0o600 });
  writeFileSync(key, selfSigned.key, { mode: 0o600 });
  if (process.getuid?.() === 0) for (const path of [place, cert, key]) chownSync(path, 65_534, 65_534);
  cluster = await startCluster({ ssl: 'on', ssl_cert_file: cert, ssl_key_file: key });
});
afterAll(async () => {
  await cluster.remove();
  rmSync(place, { recursive: true });
});

const at = (parameters: string, host = '127.0.0.1') =>
  `${cluster.url.replace('127.0.0.1', host)}/postgres?${parameters}`;
const full = () => `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;

describe('a server with TLS', () => {
  it('takes imports and questions with verify-full and the certificate of its authority, all of them encrypted', async () => {
    const address = at(full());
    await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
    await reading(address, async (view) => {
      expect(await observationsIn(view, { seriesId: 'GDP', limit: 9 })).toMatchObject([{ value: '17710.7' }]);
      const client = new pg.Client({ connectionString: at('') });
      await client.connect();
      const { rows } = await client.query(
        "select distinct s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid) where a.application_name = 'asof'",
      );
      await client.end();
      expect(rows).toEqual([{ ssl: true }]);
    });
  });

  it.each([
    [
      'an authority that is not known',
      () => at('sslmode=verify-full'),
      /self-signed certificate/,
      /^sslrootcert=FILE .* names the certificate of the authority$/,
    ],
    [
      'a name that is not in its certificate',
      () => at(full(), '127.1'),
      /does not match certificate|Hostname/,
      /^name the host as its certificate does; sslmode=verify-ca/,
    ],
  ])('is refused with verify-full because of %s', async (_, address, reason, hint) => {
    await expect(
      importFiles(address(), { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') }),
    ).rejects.toMatchObject({
      kind: 'local-io',
      detail: expect.stringMatching(reason),
      hints: [expect.stringMatching(hint)],
    });
  });

  it.each([
    ['verify-ca looks at no name', () => at(full().replace('full', 'ca'), '127.1')],
    ['require looks at no certificate', () => at('sslmode=require')],
    ['prefer takes it', () => at('')],
  ])('is used where %s', async (_, address) => {
    expect(await reading(address(), (view) => view.series.search({ text: 'GDP', limit: 9 }))).toHaveLength(1);
  });
});

describe('a server that asks for a password', () => {
  const passwords = folder.path('pgpass');
  const asking = () => at('').replace('asof@', 'asker@');
  const opened = async () => {
    const store = await openStore(asking());
    await store.close();
  };
  beforeAll(async () => {
    const client = new pg.Client({ connectionString: at('') });
    await client.connect();
    await client.query("create role asker login superuser password 'a: secret'");
    const rules = join(cluster.folder, 'data/pg_hba.conf');
    writeFileSync(
      rules,
      `host all asker 127.0.0.1/32 scram-sha-256\nhost all stranger 127.0.0.1/32 reject\n${readFileSync(rules, 'utf8')}`,
    );
    await client.query('select pg_reload_conf()');
    await client.end();
    process.env.PGPASSFILE = passwords;
  });
  afterAll(() => {
    delete process.env.PGPASSFILE;
  });
  const line = (password: string) => `127.0.0.1:*:postgres:asker:${password}\n`;

  it('gets it from the file of passwords, without a warning of the driver', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(String(warning));
    process.on('warning', onWarning);
    writeFileSync(passwords, line('a\\: secret'), { mode: 0o600 });
    await opened();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['asker:wrong', /: the password is wrong \(password authentication failed for user "asker"\)$/],
    ['stranger', /: the server refuses this user \(pg_hba\.conf rejects connection for host "127\.0\.0\.1"/],
  ])('refuses %s in words, without the password', async (login, detail) => {
    const failure = openStore(at('').replace('asof@', `${login}@`));
    await expect(failure).rejects.toMatchObject({ kind: 'local-io', detail: expect.stringMatching(detail) });
    await expect(failure).rejects.not.toThrow(/wrong@/);
  });

  it.each([
    ['has no line for it', () => writeFileSync(passwords, 'db.example.org:*:*:*:x\n'), /has no line for it/],
    ['can be read by others', () => chmodSync(passwords, 0o644), /others may read it: chmod 600 /],
    ['is missing', () => rmSync(passwords), /does not exist/],
  ])('is refused with the way out where the file of passwords %s', async (_, change, hint) => {
    change();
    await expect(opened()).rejects.toMatchObject({
      kind: 'local-io',
      detail: expect.stringMatching(/^cannot use the store \S+: the server asks for a password$/),
      hints: expect.arrayContaining([expect.stringMatching(hint)]),
    });
  });
});
