import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { isDatabase } from '../../../src/store/address.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { beforeTheLapse } from '../../support/calendars.ts';
import { filings } from '../../support/contract-cases.ts';
import { contract, inDatabase, schemaOf } from '../../support/engines.ts';
import { facts, importFiles, importSightings } from '../../support/scratch-store.ts';

/** Runs SQL past asof, in which `{}` is the schema and `@key` the key of GDP. */
async function damage(address: string, sql: string): Promise<void> {
  if (isDatabase(address)) {
    const schema = schemaOf(address);
    await inDatabase(
      (client) => client.query(sql.replaceAll('{}', `${schema}.`).replaceAll('@key', "'GDP'")),
      address,
    );
    return;
  }
  const db = openDatabase(address);
  db.pragma('foreign_keys = off');
  db.exec(sql.replaceAll('{}', '').replaceAll('@key', "(select key from series where id = 'GDP')"));
  db.close();
}

/** A figure of the series GDP that is changed, and the fault that says so. */
const figures: readonly (readonly [change: string, fault: RegExp])[] = [
  ['fact_count = 7', /^the number of changes is 7, and should be 3$/],
  ['observation_count = 1', /^the number of observations is 1, and should be 2$/],
  ['date_count = 1', /^the number of dates is 1, and should be 2$/],
  ["first_vintage = '2014-01-01'", /^the first vintage is 2014-01-01, and should be 2015-01-30$/],
  ["last_vintage = '2015-01-30'", /^the last vintage is 2015-01-30, and should be 2015-02-27$/],
  ["covered_to = '2015-01-15'", /covered to 2015-01-15, before its vintage 2015-01-30$/],
  ["vintage_kind = 'fetched'", /^the kinds of vintages is fetched, and should be exact$/],
  ["normalised_by = ''", /^the frequency by which dates are kept is empty, and should be Q$/],
];

const filingOf = 'filing 0000000007-26-000001';

const damages: readonly (readonly [sql: string, subject: string, fault: RegExp])[] = [
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
    /^2014-10-01 as of 2015-01-30 \(1\.50\) follows from no vintage$/,
  ],
  ["delete from {}word where word = 'gdp'", 'store', /^GDP is found by the words .*, not .*gdp/],
  ['delete from {}symbol', 'store', RegExp(`^${filingOf} is listed under no symbol, not SVN, SVN.A$`)],
  [
    "update {}filing set owner_names = ''",
    'store',
    RegExp(`^${filingOf} is not found by the names of its owners$`),
  ],
  [
    "update {}curve set months = 5 where maturity = '1M'",
    'store',
    /^a rate of 1M is kept as one of 5 months$/,
  ],
  ["delete from {}filing where filing_id = '0000000007-26-000003'", 'store', /belong/],
  [
    'delete from {}calendar_listing',
    'store',
    /^what the calendar BLS, seen on 2025-09-15, listed is missing$/,
  ],
  ['delete from {}calendar_look', 'store', /^the listing [0-9a-f]{12} belongs to no look at a calendar$/],
  [
    "update {}calendar_listing set entries = '[]'",
    'store',
    /^the listing [0-9a-f]{12} of a calendar is not what its hash says$/,
  ],
];

contract((engine) => {
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
    await importSightings(address, [beforeTheLapse]);
    return address;
  }

  describe('the check of a store', () => {
    it('finds no fault in what asof wrote', async () => {
      expect(await checkStore(await newStore())).toEqual({ series: 2, changes: 3, faults: [] });
    });

    it('finds each of its figures that was changed past asof', async () => {
      const address = await newStore();
      await damage(
        address,
        `update {}series set ${figures.map(([change]) => change).join()} where id = 'GDP'`,
      );
      const { faults } = await checkStore(address);
      for (const [, fault] of figures)
        expect(faults).toContainEqual({ subject: 'GDP', fault: expect.stringMatching(fault) });
    });

    it.each(damages)('finds what was changed past asof: %s', async (sql, subject, fault) => {
      const address = await newStore();
      await damage(address, sql);
      const { faults } = await checkStore(address);
      expect(faults).toContainEqual({ subject, fault: expect.stringMatching(fault) });
    });
  });
});
