import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { initStore, openAccess, openStore } from '../../../../src/store/open.ts';
import { root } from '../../../support/repository.ts';
import { facts, failureOf, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The statements by which the guide makes roles and schemas. */
const [, setUp = ''] = /^## Set up$([\s\S]*?)^## /m.exec(read('docs/guide/scale.md')) ?? [];
const statements = [...setUp.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, block]) => block).join('');

const database = 'of_roles';
const at = (role: string, schema = 'asof') =>
  `${inject('postgres').replace('asof@', `${role}@`)}/${database}?schema=${schema}`;

async function run(name: string, ...texts: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: `${inject('postgres')}/${name}` });
  await client.connect();
  for (const text of texts) await client.query(text);
  await client.end();
}

beforeAll(async () => {
  await run('postgres', `create database ${database}`);
  await run(database, statements);
});
afterAll(() =>
  run(
    'postgres',
    `drop database ${database} with (force)`,
    ...['importer', 'reader', 'keys'].map((role) => `drop role ${role}`),
  ),
);

describe('the roles of the guide', () => {
  it('are those of the example with Docker Compose', () => {
    const plain = read('deploy/postgres/roles.sql')
      .replace(/^(?:--|\\getenv).*\n/gm, '')
      .replace(/ password :'\w+'/g, '');
    const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
    expect(linesOf(plain)).toEqual(linesOf(statements));
  });

  it('suffice: the importer writes, the reader reads, and the keys are of a user without a right on the facts', async () => {
    const gdp = (role: string) =>
      reading(at(role), (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }));
    const one = { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') };
    expect(await failureOf(initStore(at('reader'), false))).toContain('this user may not do that');
    expect(await initStore(at('importer'), false)).toBe(true);
    // The reader has the tables that the importer made, before the first import as after it.
    await (await openStore(at('reader'))).close();
    await importFiles(at('importer'), one);
    expect(await gdp('reader')).toMatchObject([{ value: '17710.7' }]);
    expect(await failureOf(importFiles(at('reader'), one))).toContain('this user may not do that');
    const access = await openAccess(at('keys', 'keys'), { counting: true });
    await access.close();
    expect(await failureOf(gdp('keys'))).toContain('this user may not do that');
    expect(await failureOf(openAccess(at('reader', 'keys'), { counting: true }))).toContain(
      'this user may not do that',
    );
  });
});
