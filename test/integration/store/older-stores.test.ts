import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { undoStoreImport } from '../../../src/maintenance/undo.ts';
import { initStore, openStore } from '../../../src/store/open.ts';
import { Transaction } from '../../../src/store/postgres/connection.ts';
import { Connection, currentFormat } from '../../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { type Engine, inDatabase, postgres, schemaOf, sqlite } from '../../support/engines.ts';
import { scratchFolder, withoutRights } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import {
  contentOf,
  digestOf,
  facts,
  failureOf,
  importFiles,
  newStorePath,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

const folder = scratchFolder();
const stores = join(testData, 'stores');

/** A store that asof 0.1.0 made. */
function oldStore(name: string): string {
  const path = newStorePath(folder);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, readData(stores, `${name}.db`));
  return path;
}

const kindOf = (path: string, seriesId: string) =>
  reading(path, async (view) => (await view.series.find(seriesId))?.vintageKind);

describe('a store of format 1, which does not know how vintages came about,', () => {
  it('opens, and has the kinds that follow from the source of a series and from its log', async () => {
    const path = oldStore('format-1-one-kind');
    expect([await kindOf(path, 'GDPC1'), await kindOf(path, 'PAYEMS')]).toEqual(['exact', 'sampled']);
  });

  it('says that the rest is unknown, and learns it from another import of the same files', async () => {
    const path = oldStore('format-1-two-kinds');
    expect([await kindOf(path, 'UNRATE'), await kindOf(path, 'BREAD')]).toEqual(['unknown', 'exact']);
    const vintages = await reading(path, (view) => view.series.vintages({ seriesId: 'UNRATE', limit: 9 }));
    expect(vintages?.rows).toMatchObject([{ asOfDate: '2015-01-09', kind: 'unknown' }]);
    const unrate = 'observation_date,UNRATE\n2014-11-01,5.8\n2014-12-01,5.6\n';
    await importFiles(path, { 'UNRATE.csv': unrate }, { asOf: '2015-01-09' });
    expect(await kindOf(path, 'UNRATE')).toBe('fetched');
  });

  it('is brought up to date by the first reader that can write it', async () => {
    const path = oldStore('format-1-one-kind');
    await kindOf(path, 'GDPC1');
    const db = openDatabase(path, { readonly: true });
    expect(db.pragma('user_version', { simple: true })).toBe(currentFormat);
    db.close();
  });

  it('is read in memory and stays as it is where it cannot be written', async () => {
    // Loads what a reader needs, which may be out of reach for another user.
    await kindOf(oldStore('format-1-one-kind'), 'GDPC1');
    const path = oldStore('format-1-one-kind');
    const db = openDatabase(path);
    db.pragma('journal_mode = delete');
    db.close();
    const before = digestOf(path);
    for (const place of [folder, dirname(path)]) chmodSync(place, 0o555);
    chmodSync(path, 0o444);
    try {
      await withoutRights(async () => {
        expect(await kindOf(path, 'GDPC1')).toBe('exact');
        await expect(openStore(path, { live: true })).rejects.toThrow(
          'was made by an older asof, and cannot be brought up to date',
        );
      });
      expect(digestOf(path)).toBe(before);
    } finally {
      for (const place of [folder, dirname(path)]) chmodSync(place, 0o755);
    }
  });

  it('keeps its imports, and takes back those that are made from now on', async () => {
    const path = oldStore('format-1-one-kind');
    const before = await contentOf(path);
    expect(await failureOf(undoStoreImport(path))).toContain('an older asof made them');
    const news = facts('GDPC1 2031-10-01 2025-02-27 2', 'NEW 2014-10-01 2015-02-27 2');
    await importFiles(path, { 'more.csv': news }, { merge: true, projections: true });
    await undoStoreImport(path);
    expect(await contentOf(path)).toEqual(before);
  });
});

describe('a store of format 8, which keeps ends of quarters as first days by their spacing,', () => {
  it('shows them as published from now on', async () => {
    const path = newStorePath(folder);
    await importFiles(path, {
      'x.csv': facts('X 2020-03-31 2020-05-01 1', 'X 2020-06-30 2020-08-01 2', 'X 2020-03-31 2020-08-01'),
      'fy.csv': facts('FY 2019-12-31 2021-05-01 1', 'FY 2020-09-30 2021-05-01 2'),
      'annual.csv': 'series_id,frequency\nFY,A\n',
    });
    const read = () =>
      reading(path, async (view) => {
        const rowsOf = async (seriesId: string) =>
          (await observationsIn(view, { seriesId, limit: 9 })).map(({ date, value }) => `${date} ${value}`);
        return [await rowsOf('X'), await rowsOf('FY')];
      });
    const now = await read();
    const db = openDatabase(path);
    db.exec(`
      update series set normalised_by = 'Q', version = 1 where id = 'X';
      update fact set date = '2020-01-01' where date = '2020-03-31';
      update fact set date = '2020-04-01' where date = '2020-06-30';
      update series set normalised_by = '' where id = 'FY';
      update fact set date = '2019-12-31' where date = '2019-01-01';
      alter table vintage drop column clipped;
      alter table series drop column release;
      drop index series_summary;
      alter table series drop column title_length;
      alter table series drop column title_areas;
      pragma user_version = 8;
    `);
    db.close();
    expect(await read()).toEqual(now);
    expect(now).toEqual([['2020-06-30 2'], ['2020-09-30 2', '2019-01-01 1']]);
  });
});

describe('a store that keeps what imports changed of series by subject', () => {
  it.each([
    ['of format 12 in SQLite', sqlite],
    ['of format 10 in PostgreSQL', postgres],
  ])('%s can still undo them', async (_, engine) => {
    const address = engine.newAddress();
    const [before, once, twice] = [
      facts('GDP 2014-10-01 2015-01-30 1'),
      facts('GDP 2014-10-01 2015-02-27 2'),
      facts('NEW 2014-10-01 2015-02-27 2'),
    ];
    await importFiles(address, { 'a.csv': before });
    const one = await contentOf(address);
    await importFiles(address, { 'b.csv': once, 'c.csv': twice });
    const back = (key: string, format: string) => `
      insert into import_change (import, subject, version, content)
        select c.import, 'series ' || s.id, c.version, c.content from series_change c join series s on s.${key} = c.series;
      drop table series_change;
      ${format};`;
    if (engine === postgres)
      await inDatabase(
        (client) =>
          client.query(
            `set search_path to ${schemaOf(address)}; ${back('id', 'update store set format = 10')}`,
          ),
        address,
      );
    else {
      const db = openDatabase(address);
      db.exec(back('key', 'pragma user_version = 12'));
      db.close();
    }
    expect(await initStore(address, false)).toBe('updated');
    expect(await initStore(address, false)).toBe('unchanged');
    await undoStoreImport(address);
    expect(await contentOf(address)).toEqual(one);
    await undoStoreImport(address);
    expect((await contentOf(address)).series).toEqual([]);
  });
});

/** What an engine is sent to make tables in a new store, step by step, without comments and layout. */
async function stepsOf(engine: Engine): Promise<string> {
  const file = vi.spyOn(Connection.prototype, 'exec');
  const database = vi.spyOn(Transaction.prototype, 'run');
  await initStore(engine.newAddress(), false);
  const sent = [...file.mock.calls, ...database.mock.calls].map(([sql]) => sql);
  vi.restoreAllMocks();
  const steps = sent.map((sql) => sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim());
  return (
    steps
      // Views are made again after every migration.
      .filter((sql) => /^(?:create|alter) (?!schema|view)/.test(sql))
      .map((sql) => `${sql.replaceAll(/; (?=create|alter|insert|update)/g, ';\n')}\n`)
      .join('\n')
  );
}

describe('the steps from each format of a store to the next', () => {
  // A step that stores have taken never changes: a change is a new step, which is added to these files.
  it.each([
    ['SQLite', sqlite],
    ['PostgreSQL', postgres],
  ])('are those by which stores were made until now in %s', async (name, engine) => {
    expect(await stepsOf(engine)).toBe(readFileSync(join(stores, `steps-${name}.sql`), 'utf8'));
  });

  it('summarise titles again when the list of areas changes, of which this is the digest', () => {
    const [, lists = ''] =
      /^const lines = `$(.*?)^\/\*\* An area:/ms.exec(readFileSync('src/domain/search/areas.ts', 'utf8')) ??
      [];
    expect(createHash('sha256').update(lists).digest('hex')).toBe(
      'd58a453d317635c389dc32817ebb57d7315a0ff4457b8bffdce709b18fd48353',
    );
  });

  it('lead an old store in SQLite to the tables of a new one', async () => {
    const [old, made] = [oldStore('format-1-one-kind'), newStorePath(folder)];
    await kindOf(old, 'GDPC1');
    await initStore(made, false);
    const tablesOf = (path: string) => {
      const db = openDatabase(path, { readonly: true });
      const rows = db.prepare('select type, name, sql from sqlite_schema order by 1, 2').all();
      db.close();
      return JSON.stringify(rows)
        .replaceAll(/--.*?\\n/g, '')
        .replaceAll(/(?:\\n|\s)+/g, ' ')
        .split('},{');
    };
    expect(tablesOf(made)).toEqual(tablesOf(old));
  });
});
