import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { backupStore, copyStore } from '../../../src/maintenance/copy.ts';
import { mergeStore } from '../../../src/maintenance/merge.ts';
import {
  addAlias,
  listAliases,
  removeAlias,
  removeSeries,
  renameSeries,
} from '../../../src/maintenance/series.ts';
import { undoStoreImport } from '../../../src/maintenance/undo.ts';
import { contract, sqlite } from '../../support/engines.ts';
import { facts, failureOf, importFiles } from '../../support/scratch-store.ts';

const ecb = 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E';
const oecd = 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T';

contract((engine) => {
  async function newStore(address = engine.newAddress()): Promise<string> {
    await importFiles(address, {
      'facts.csv': facts(`${ecb} 2015-01-01 2015-06-02 1`, `${oecd} 2015-01-01 2015-07-01 2`),
      'metadata.csv': `series_id,title\n${ecb},Gross domestic product\n`,
    });
    await addAlias(address, 'ea.gdp', ecb.toLowerCase());
    return address;
  }

  const named = async (address: string) =>
    (await listAliases(address)).map(({ name, id }) => `${name} = ${id}`);

  describe('an alias', () => {
    it('is kept in capitals with the id and the title of its series, until it is removed', async () => {
      const address = await newStore();
      expect(await addAlias(address, 'OECD.GDP', oecd, { dryRun: true })).toEqual({
        name: 'OECD.GDP',
        id: oecd,
        title: oecd,
      });
      const kept = [{ name: 'EA.GDP', id: ecb, title: 'Gross domestic product' }];
      expect(await listAliases(address)).toEqual(kept);
      expect(await removeAlias(address, 'Ea.Gdp', { dryRun: true })).toEqual(kept[0]);
      expect(await listAliases(address)).toEqual(kept);
      await removeAlias(address, 'Ea.Gdp');
      expect(await listAliases(address)).toEqual([]);
    });

    it('of an alias is one of its series', async () => {
      const address = await newStore();
      await addAlias(address, 'EA', 'EA.GDP');
      expect(await named(address)).toEqual([`EA = ${ecb}`, `EA.GDP = ${ecb}`]);
    });

    it.each([
      ['EA.GDP', oecd, `EA.GDP is an alias of ${ecb}`],
      [oecd, ecb, `${oecd} is the id of a series, and no alias can take it`],
      ['DGS10', ecb, 'DGS10 is the id of a series, and no alias can take it'],
      ['X', 'NONE', "series 'NONE' not found"],
      ['=', ecb, '"=" is not a series id'],
    ])('is refused as %s of %s: %s', async (name, id, text) => {
      const address = await newStore();
      const before = await named(address);
      expect(await failureOf(addAlias(address, name, id))).toContain(text);
      expect(await named(address)).toEqual(before);
    });

    it('that does not exist cannot be removed', async () => {
      expect(await failureOf(removeAlias(await newStore(), 'OTHER'))).toContain('has no alias OTHER');
    });

    it.each([
      ['removed', (address: string) => removeAlias(address, 'EA.GPD'), 'did you mean EA.GDP?'],
      [
        'made of a mistyped alias',
        (address: string) => addAlias(address, 'X', 'EA.GPD'),
        'did you mean EA.GDP?',
      ],
      [
        'made of a mistyped series',
        (address: string) => addAlias(address, 'X', `${ecb}X`),
        `did you mean ${ecb}?`,
      ],
      [
        'removed with its series',
        (address: string) => removeSeries(address, `${ecb}X`),
        `did you mean ${ecb}?`,
      ],
    ])('that is mistyped when %s is followed by what it resembles', async (_, change, hint) => {
      await expect(change(await newStore())).rejects.toMatchObject({ hints: expect.arrayContaining([hint]) });
    });

    it('is refused as a new id in a dry run too', async () => {
      const change = renameSeries(await newStore(), oecd, 'EA.GDP', { dryRun: true });
      expect(await failureOf(change)).toContain(`EA.GDP is an alias of ${ecb}`);
    });

    it('stays an alias: an import, a renaming and a merge cannot make a series with its name', async () => {
      const address = await newStore();
      const refused = `EA.GDP is an alias of ${ecb}: no series can take this id`;
      const before = await engine.digest(address);
      const bringing = { 'x.csv': facts('ea.gdp 2015-01-01 2015-06-02 7') };
      expect(await failureOf(importFiles(address, bringing))).toContain(refused);
      expect(await failureOf(renameSeries(address, oecd, 'EA.GDP'))).toContain(refused);
      const from = sqlite.newAddress();
      await importFiles(from, bringing);
      expect(await failureOf(mergeStore(from, address))).toContain(refused);
      expect(await engine.digest(address)).toBe(before);
    });

    it('goes with its series: to another id, and away', async () => {
      const address = await newStore();
      expect((await renameSeries(address, ecb, 'EA')).aliases).toEqual(['EA.GDP']);
      expect(await named(address)).toEqual(['EA.GDP = EA']);
      expect((await removeSeries(address, 'EA')).aliases).toEqual(['EA.GDP']);
      expect(await named(address)).toEqual([]);
    });

    it('is no name by which its series is renamed or removed', async () => {
      const address = await newStore();
      const refused = "series 'EA.GDP' not found";
      expect(await failureOf(removeSeries(address, 'EA.GDP'))).toContain(refused);
      expect(await failureOf(renameSeries(address, 'EA.GDP', 'NEW'))).toContain(refused);
    });

    it('waits for its series while the import that made it is undone', async () => {
      const address = await newStore();
      await undoStoreImport(address);
      expect(await listAliases(address)).toEqual([{ name: 'EA.GDP', id: ecb, title: null }]);
    });

    it('is in copies and backups, and no fault', async () => {
      const address = await newStore();
      const [copy, backup] = [engine.newAddress(), sqlite.newAddress()];
      expect((await copyStore(address, copy)).aliases).toBe(1);
      await backupStore(address, backup);
      for (const other of [copy, backup]) expect(await named(other)).toEqual([`EA.GDP = ${ecb}`]);
      expect((await checkStore(copy)).faults).toEqual([]);
    });
  });

  describe('a merge', () => {
    it('brings the aliases of the other store', async () => {
      const into = engine.newAddress();
      await importFiles(into, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
      const from = await newStore(sqlite.newAddress());
      await mergeStore(from, into);
      await mergeStore(from, into);
      expect(await named(into)).toEqual([`EA.GDP = ${ecb}`]);
    });

    it('refuses an alias that stands for something else here, unless it replaces', async () => {
      const into = await newStore();
      const from = await newStore(sqlite.newAddress());
      await removeAlias(from, 'EA.GDP');
      await addAlias(from, 'EA.GDP', oecd);
      const before = await engine.digest(into);
      expect(await failureOf(mergeStore(from, into))).toContain(`EA.GDP is ${ecb} here, and ${oecd} there`);
      expect(await engine.digest(into)).toBe(before);
      await mergeStore(from, into, { replace: true });
      expect(await named(into)).toEqual([`EA.GDP = ${oecd}`]);
      expect((await undoStoreImport(into)).subjects).toContainEqual(
        expect.objectContaining({ subject: 'aliases', removed: 0, restored: 1 }),
      );
      expect(await named(into)).toEqual([`EA.GDP = ${ecb}`]);
    });

    it('that is undone takes its aliases along, but those that were there', async () => {
      const into = await newStore();
      await mergeStore(await newStore(sqlite.newAddress()), into);
      expect((await undoStoreImport(into)).subjects).toContainEqual(
        expect.objectContaining({ subject: 'aliases', removed: 0, restored: 0 }),
      );
      expect(await named(into)).toEqual([`EA.GDP = ${ecb}`]);
      await removeAlias(into, 'EA.GDP');
      const from = await newStore(sqlite.newAddress());
      await addAlias(from, 'EA', ecb);
      const [first] = (await mergeStore(from, into)).imports;
      // A later merge of the same would have brought them if the first had never been.
      await mergeStore(from, into);
      expect(await failureOf(undoStoreImport(into, { number: first }))).toContain('aliases');
      await removeAlias(into, 'EA');
      for (const left of [['EA.GDP'], []]) {
        await undoStoreImport(into);
        expect((await listAliases(into)).map(({ name }) => name)).toEqual(left);
      }
    });
  });
});
