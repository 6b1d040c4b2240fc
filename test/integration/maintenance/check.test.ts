import { closeSync, openSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { samplePath } from '../../../src/platform/installation.ts';
import { isDatabase } from '../../../src/store/address.ts';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { filings } from '../../support/contract-cases.ts';
import { inDatabase, onEveryEngine, schemaOf, sqlite } from '../../support/engines.ts';
import { facts, importFiles } from '../../support/scratch-store.ts';

/** Runs SQL past asof, in which `{}` is the schema and `@key` the key of GDP. */
async function damage(address: string, sql: string): Promise<void> {
  if (isDatabase(address)) {
    const schema = schemaOf(address);
    await inDatabase((client) =>
      client.query(sql.replaceAll('{}', `${schema}.`).replaceAll('@key', "'GDP'")),
    );
    return;
  }
  const db = openDatabase(address);
  db.pragma('foreign_keys = off');
  db.exec(sql.replaceAll('{}', '').replaceAll('@key', "(select key from series where id = 'GDP')"));
  db.close();
}

const damages: readonly (readonly [sql: string, subject: string, fault: RegExp])[] = [
  [
    "update {}series set fact_count = 7 where id = 'GDP'",
    'GDP',
    /^the number of changes is 7, and follows as 3$/,
  ],
  [
    "update {}series set observation_count = 1 where id = 'GDP'",
    'GDP',
    /^the number of observations is 1, and follows as 2$/,
  ],
  [
    "update {}series set date_count = 1 where id = 'GDP'",
    'GDP',
    /^the number of dates is 1, and follows as 2$/,
  ],
  [
    "update {}series set first_vintage = '2014-01-01' where id = 'GDP'",
    'GDP',
    /^the first vintage is 2014-01-01, and follows as 2015-01-30$/,
  ],
  [
    "update {}series set last_vintage = '2015-01-30' where id = 'GDP'",
    'GDP',
    /^the last vintage is 2015-01-30, and follows as 2015-02-27$/,
  ],
  [
    "update {}series set covered_to = '2015-02-01' where id = 'GDP'",
    'GDP',
    /covered to 2015-02-01, before its vintage 2015-02-27$/,
  ],
  [
    "update {}series set vintage_kind = 'fetched' where id = 'GDP'",
    'GDP',
    /^the kinds of vintages is fetched, and follows as exact$/,
  ],
  [
    "update {}series set normalised_by = '' where id = 'GDP'",
    'GDP',
    /^the frequency by which dates are kept is empty, and follows as Q$/,
  ],
  [
    "update {}fact set value = 'x' where series = @key and value = '2'",
    'GDP',
    /^2014-10-01 as of 2015-02-27 \(x\) is not a decimal number$/,
  ],
  [
    "update {}fact set value = '1.5' where series = @key and value = '2'",
    'GDP',
    /\(1\.5\) is kept as a fact after 1\.50$/,
  ],
  [
    "delete from {}vintage where series = @key and as_of_date = '2015-01-30'",
    'GDP',
    /^2014-10-01 as of 2015-01-30 \(1\.50\) is of no vintage that speaks for it$/,
  ],
  ["delete from {}word where word = 'gdp'", 'store', /^GDP is found by the words .*, not .*gdp/],
  [
    'delete from {}symbol',
    'store',
    /^filing 0000000007-26-000001 is listed under no symbol, not SVN, SVN\.A$/,
  ],
  [
    "update {}filing set owner_names = ''",
    'store',
    /^filing 0000000007-26-000001 is not found by the names of its owners$/,
  ],
  [
    "update {}curve set months = 5 where maturity = '1M'",
    'store',
    /^a rate of 1M is kept as one of 5 months$/,
  ],
  ["delete from {}filing where filing_id = '0000000007-26-000003'", 'store', /belong/],
];

onEveryEngine((engine) => {
  async function newStore(): Promise<string> {
    const address = engine.newAddress();
    await importFiles(address, {
      'facts.csv': facts(
        'GDP 2014-10-01 2015-01-30 1.50',
        'GDP 2014-10-01 2015-02-27 2',
        'GDP 2015-01-01 2015-02-27 3',
      ),
      'metadata.csv': 'series_id,title,frequency\nGDP,Gross Domestic Product,Q\nONLY,Described,M\n',
      'par.csv': 'Date,"1 Mo","10 Yr"\n2015-01-02,0.02,2.12\n2015-01-05,0.02,2.04\n',
      ...filings,
    });
    return address;
  }

  describe('the check of a store', () => {
    it('finds no fault in what asof wrote', async () => {
      expect(await checkStore(await newStore())).toEqual({ series: 2, changes: 3, faults: [] });
    });

    it.each(damages)('finds what was changed past asof: %s', async (sql, subject, fault) => {
      const address = await newStore();
      await damage(address, sql);
      const { faults } = await checkStore(address);
      expect(faults).toContainEqual({ subject, fault: expect.stringMatching(fault) });
    });
  });
});

describe('a damaged file', () => {
  const days = Array.from({ length: 2000 }, (_, i) => new Date(i * 86_400_000).toISOString().slice(0, 10));
  const lines = (id: string) => days.map((day) => `${id} ${day} 2020-01-01 1`);

  /** A store of two series, in which the pages of one table or index are overwritten. */
  async function damagedStore(table: string): Promise<string> {
    const address = sqlite.newAddress();
    await importFiles(address, { 'a.csv': facts(...lines('GDP'), ...lines('CPI')) });
    const db = openDatabase(address);
    db.pragma('wal_checkpoint(truncate)');
    const pages = db
      .prepare("select pageno from dbstat where name = ? and pagetype = 'leaf' order by pageno")
      .pluck()
      .all(table);
    const size = Number(db.pragma('page_size', { simple: true }));
    db.close();
    const file = openSync(address, 'r+');
    for (const page of pages) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (Number(page) - 1) * size);
    closeSync(file);
    return address;
  }

  it('is a store with faults: the check names what SQLite finds and each series that cannot be read', async () => {
    const { series, faults } = await checkStore(await damagedStore('fact'));
    expect(series).toBe(2);
    expect(faults).toEqual(
      expect.arrayContaining([
        { subject: 'store', fault: expect.stringMatching(/malformed|[Pp]age/) },
        { subject: 'GDP', fault: 'it cannot be read' },
        { subject: 'CPI', fault: 'it cannot be read' },
      ]),
    );
  });

  it('whose list of series is damaged has that as a fault', async () => {
    const { faults } = await checkStore(await damagedStore('sqlite_autoindex_series_1'));
    expect(faults).toContainEqual({ subject: 'store', fault: 'the list of its series cannot be read' });
  });
});

describe('the sample', () => {
  it('has no fault', async () => {
    expect((await checkStore(samplePath())).faults).toEqual([]);
  });
});
