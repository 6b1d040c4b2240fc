import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../support/folders.ts';
import { type Cluster, startCluster } from '../../../support/postgres/cluster.ts';
import { facts, failureOf, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';
import { selfSigned } from '../../../support/self-signed.ts';

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
    ['an authority that is not known', () => at('sslmode=verify-full'), /self-signed certificate/],
    [
      'a name that is not in its certificate',
      () => at(full(), '127.1'),
      /does not match certificate|Hostname/,
    ],
  ])('is refused with verify-full because of %s', async (_, address, reason) => {
    expect(
      await failureOf(importFiles(address(), { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') })),
    ).toMatch(reason);
  });

  it.each([
    ['verify-ca looks at no name', () => at(full().replace('full', 'ca'), '127.1')],
    ['require looks at no certificate', () => at('sslmode=require')],
    ['prefer takes it', () => at('')],
  ])('is used where %s', async (_, address) => {
    expect(await reading(address(), (view) => view.searchSeries({ text: 'GDP', limit: 9 }))).toHaveLength(1);
  });
});
