import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/errors/problem.ts';
import { initStore, openStore, openStoreIfAny, openWriter } from '../../../../src/store/open.ts';
import { type Cluster, startCluster } from '../../../support/postgres.ts';
import { facts, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';

let cluster: Cluster;
beforeAll(async () => {
  // A primary server must write at this level for a standby to answer questions.
  cluster = await startCluster({ wal_level: 'replica' });
  await importFiles(at('asof'), { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
});
afterAll(() => cluster.remove());

const at = (role: string, database = 'postgres') => `${cluster.url.replace('asof@', `${role}@`)}/${database}`;

async function sql(...texts: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: at('asof') });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}

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

/** What an operator sees of a failure. */
async function refusalOf(work: Promise<unknown>) {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof Problem)) throw failure ?? new Error('it did not fail');
  const { kind, detail, hints, retryAfter } = failure;
  return { kind, retryAfter, hints: hints.join('\n'), reason: detail.replace(/^.*?\/postgres\S*: /, '') };
}

/** A failure that may pass, which a service answers with 503 and `Retry-After`. */
const passes = { kind: 'unreachable', retryAfter: 1 };
const stays = { kind: 'local-io', retryAfter: undefined };

describe('a server with timeouts', () => {
  it('gives a time to retry, and names the setting, if statement_timeout ends a question', async () => {
    const address = await roleWith("set statement_timeout = '100ms'");
    const client = new pg.Client({ connectionString: at('asof') });
    await client.connect();
    await client.query('begin; lock table asof.fact in access exclusive mode');
    const refusal = await refusalOf(ask(address));
    await client.end();
    expect(refusal).toMatchObject({
      ...passes,
      reason: 'the server ended a statement (canceling statement due to statement timeout)',
      hints: expect.stringContaining('statement_timeout'),
    });
  });

  it('is asked over a new connection after idle_in_transaction_session_timeout closed one', async () => {
    const address = await roleWith("set idle_in_transaction_session_timeout = '100ms'");
    const store = await openStore(address);
    const slow = store.read(async (view) => {
      await view.series.find('GDP');
      await delay(300);
      return view.series.find('GDP');
    });
    expect(await refusalOf(slow)).toMatchObject({
      ...passes,
      reason: expect.stringContaining(
        'the server ends transactions that wait as long (terminating connection',
      ),
      hints: expect.stringContaining('idle_in_transaction_session_timeout'),
    });
    expect(await store.read((view) => view.series.find('GDP'))).toMatchObject({ id: 'GDP' });
    await store.close();
  });

  it('does not end an import that waits or computes', async () => {
    const address = await roleWith("set statement_timeout = '50ms'");
    await sql(`alter role ${new URL(address).username} set idle_in_transaction_session_timeout = '50ms'`);
    const writer = await openWriter(address);
    await (await writer.series('SLOW')).merge([{ seriesId: 'SLOW', ...said }], { replace: false });
    await delay(200);
    await writer.finish(['SLOW']);
    await writer.commit();
    expect(await ask(at('asof'), 'SLOW')).toMatchObject([{ value: '3' }]);
  });

  it('ends an import that waits for another one longer than lock_timeout', async () => {
    const address = await roleWith("set lock_timeout = '100ms'");
    const writer = await openWriter(at('asof'));
    await (await writer.series('GDP')).merge([{ seriesId: 'GDP', ...said }], { replace: false });
    expect(await refusalOf(add(address))).toMatchObject({
      ...passes,
      reason: expect.stringContaining('another import holds it for longer than lock_timeout ('),
    });
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
    expect(await refusalOf(openStore(address))).toMatchObject({
      ...passes,
      reason: expect.stringContaining('the server has no connection left (too many connections for role'),
      hints: expect.stringMatching(/max_connections[\s\S]*PgBouncer/),
    });
    await store.close();
  });

  it('to write for a user with default_transaction_read_only still answers questions', async () => {
    const address = await roleWith('set default_transaction_read_only = on');
    expect(await refusalOf(add(address))).toMatchObject({
      ...stays,
      reason: expect.stringMatching(
        /^the server is read-only, or this user only reads \(cannot execute INSERT/,
      ),
    });
    expect(await ask(address)).toHaveLength(1);
  });

  it('a user without rights names the rights that are needed', async () => {
    const address = await roleWith('nosuperuser');
    for (const work of [ask, add])
      expect(await refusalOf(work(address))).toMatchObject({
        ...stays,
        reason: 'this user may not do that (permission denied for schema asof)',
        hints: expect.stringContaining('usage on the schema and select on its tables'),
      });
  });

  it.each([
    ['an unknown database', () => at('asof', 'nothing'), 'there is no such database (database "nothing"'],
    ['an unknown user', () => at('nobody'), 'the server refuses this user (role "nobody" does not exist'],
  ])('%s says what is unknown', async (_, address, reason) => {
    const { reason: given } = await refusalOf(openStore(address()));
    expect(given).toContain(reason);
  });

  it('some characters, because the database is not in UTF-8, is noticed before a store is made', async () => {
    await sql("create database latin encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0");
    const address = at('asof', 'latin');
    for (const work of [() => initStore(address, false), () => add(address)])
      expect(await refusalOf(work())).toMatchObject({
        ...stays,
        reason: expect.stringMatching(/: the database is in LATIN1$/),
        hints: expect.stringContaining("encoding 'UTF8'"),
      });
    expect(await openStoreIfAny(address)).toBeUndefined();
  });

  // Real causes of these errors are failures of a machine; here a trigger raises them.
  it.each([
    ['53100', 'the disk of the server is full', stays],
    ['53200', 'the server is out of memory', stays],
    ['53400', 'the server has reached one of its limits', stays],
    ['58030', 'the server reports an error of its disk', stays],
    ['XX001', 'the server reports that data are damaged', stays],
    ['40P01', 'another import is writing to it; try again when it is done', stays],
    ['40001', 'the server ended the transaction because of another one; try again', passes],
  ])('an import with the code %s says that %s and leaves the store as it was', async (code, reason, kind) => {
    await sql(
      `create or replace function refuse() returns trigger language plpgsql as $$
         begin raise exception using errcode = '${code}', message = 'as the server says'; end $$;
       create or replace trigger refuse before insert on asof.fact execute function refuse()`,
    );
    const refusal = await refusalOf(add(at('asof')));
    await sql('drop trigger refuse on asof.fact');
    expect(refusal).toMatchObject({ ...kind, reason: `${reason} (as the server says)` });
    expect(await ask(at('asof'))).toHaveLength(1);
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
    expect(await initStore(address, false)).toBe(false);
    for (const work of [() => add(address), () => initStore(`${address}?schema=other`, false)])
      expect(await refusalOf(work())).toMatchObject({
        ...stays,
        reason: expect.stringMatching(/^the server is read-only, .* \(cannot execute \w+/),
        hints: 'a standby answers questions; imports need its primary server',
      });
  });
});
