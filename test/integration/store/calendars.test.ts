import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { undoStoreImport } from '../../../src/maintenance/undo.ts';
import { isDatabase } from '../../../src/store/address.ts';
import { openWriter } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { beforeTheLapse } from '../../support/calendars.ts';
import { asof } from '../../support/command.ts';
import { inDatabase, onEveryEngine, postgres, schemaOf } from '../../support/engines.ts';
import { testData } from '../../support/repository.ts';
import { importSightings, reading } from '../../support/scratch-store.ts';

const sightingsIn = (address: string) => reading(address, (view) => view.calendar.sightings());

onEveryEngine((engine) => {
  describe('what a look at a calendar listed', () => {
    it('is never taken for nothing if it was lost', async () => {
      const address = engine.newAddress();
      await importSightings(address, [beforeTheLapse]);
      if (isDatabase(address))
        await inDatabase(
          (client) => client.query(`delete from ${schemaOf(address)}.calendar_listing`),
          address,
        );
      else openDatabase(address).exec('delete from calendar_listing').close();
      await expect(sightingsIn(address)).rejects.toThrow(
        'the store is damaged: what the calendar BLS, seen on 2025-09-15, listed is missing',
      );
    });

    it('goes when another text takes its place', async () => {
      const address = engine.newAddress();
      const [first] = beforeTheLapse.entries;
      if (first === undefined) throw new Error('the calendar is empty');
      await importSightings(address, [beforeTheLapse]);
      const writer = await openWriter(address);
      await writer.mergeSighting({ ...beforeTheLapse, entries: [first] }, true);
      await writer.commit();
      expect(await sightingsIn(address)).toEqual([{ ...beforeTheLapse, entries: [first] }]);
      expect((await checkStore(address)).faults).toEqual([]);
    });
  });
});

describe('an undo of a look at a calendar in PostgreSQL', () => {
  it('waits for an import of the same list, which stays', async () => {
    const address = postgres.newAddress();
    const file = join(testData, 'calendar', 'bls-2025-10-01.ics');
    const { code, err } = await asof(['import', file, '--as-of', '2025-10-01', '--store', address]);
    expect([code, err]).toMatchObject([0, expect.any(String)]);
    const [look] = await sightingsIn(address);
    if (look === undefined) throw new Error('the store has no look');
    const writer = await openWriter(address);
    await writer.mergeSighting({ ...look, seenAt: '2025-10-02' }, false);
    const undoing = undoStoreImport(address);
    // Time enough for an undo that does not wait.
    await Promise.race([undoing, new Promise((resolve) => setTimeout(resolve, 500))]);
    await writer.commit();
    expect(await undoing).toMatchObject({ looks: 1 });
    expect(await sightingsIn(address)).toEqual([{ ...look, seenAt: '2025-10-02' }]);
  });
});
