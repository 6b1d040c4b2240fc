import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { open } from '../../src/index.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { facts, importFiles } from '../support/scratch-store.ts';

onEveryEngine((engine) => {
  describe('a store that a program maintains', () => {
    it('is described, copied, backed up, changed and checked, and undoes imports by their numbers', async () => {
      const address = engine.newAddress();
      await importFiles(address, { 'gdp.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
      await importFiles(address, {
        'cpi.csv': facts('CPI 2014-12-01 2015-01-16 236.151'),
        'm2.csv': facts('M2 2014-12-01 2015-01-15 11665.0'),
      });
      const asof = await open(address);
      expect(await asof.store.info()).toMatchObject({ engine: engine.name, series: 3, facts: 3, imports: 3 });
      const log = await asof.store.imports();
      expect(log.map(({ file, statementsNew }) => [basename(file), statementsNew])).toEqual([
        ['gdp.csv', 1],
        ['cpi.csv', 1],
        ['m2.csv', 1],
      ]);
      const [first, second, third] = log.map(({ number }) => number ?? 0);
      expect(third).toBe(second);
      expect(second).toBeGreaterThan(first ?? 0);
      const copy = sqlite.newAddress();
      const { digest } = await asof.store.copyTo(copy);
      const backup = join(dirname(copy), 'backup.db');
      expect((await asof.store.backup(backup)).digest).toBe(digest);
      const dated = await asof.store.backup(backup, {
        keep: 1,
        clock: () => new Date('2026-03-15T03:15:00Z'),
      });
      expect(basename(dated.store)).toBe('backup-2026-03-15T031500Z.db');
      expect((await asof.store.backup(backup, { keep: 1 })).removed).toEqual([dated.store]);
      expect(await asof.store.undo({ number: second })).toMatchObject({ series: ['CPI', 'M2'] });
      expect(await asof.store.renameSeries('GDP', 'PRODUCT')).toMatchObject({ facts: 1, vintages: 1 });
      const { rows } = await asof.observations('PRODUCT');
      expect(rows.map(({ date, value }) => [date, value])).toEqual([['2014-10-01', '17710.7']]);
      expect((await asof.store.imports()).map(({ number }) => number)).toEqual([first]);
      expect((await asof.store.check()).faults).toEqual([]);
      await asof.close();
      await expect(asof.store.imports()).rejects.toThrow('this asof was closed');
      // Only the store into which an import was made knows what it changed.
      const copied = await open(copy);
      expect((await copied.store.imports()).map(({ number }) => number)).toEqual([null, null, null]);
      await copied.close();
    });
  });
});

describe('a store that a program restores', () => {
  it('answers from the backup at once, where nothing else has it open', async () => {
    const address = sqlite.newAddress();
    await importFiles(address, { 'gdp.csv': facts('GDP 2014-10-01 2015-01-30 1') });
    const asof = await open(address);
    const backup = join(dirname(address), 'backup.db');
    await asof.store.backup(backup);
    await importFiles(address, { 'more.csv': facts('GDP 2014-10-01 2015-02-27 2') });
    const value = async () => (await asof.observations('GDP')).rows[0]?.value;
    expect(await value()).toBe('2');
    expect(await asof.store.restore(backup)).toMatchObject({ store: address, facts: 1 });
    expect(await value()).toBe('1');
    const other = await open(address);
    expect((await other.observations('GDP')).rows[0]?.value).toBe('1');
    await expect(asof.store.restore(backup)).rejects.toThrow(/is a store in use/);
    await other.close();
    await asof.close();
  });
});
