import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import type { ObservationQuery, StoredObservation } from '../../../src/store/store.ts';
import { scratchFolder } from '../../support/folders.ts';
import { facts, importFiles, newStorePath, observationsIn, withStore } from '../../support/scratch-store.ts';

const folder = scratchFolder();

// GDP of three quarters as BEA published it (ALFRED), and a series of one vintage.
const published = facts(
  'GDP 2014-07-01 2014-10-30 17535.4',
  'GDP 2014-07-01 2014-11-25 17555.2',
  'GDP 2014-07-01 2014-12-23 17599.8',
  'GDP 2014-10-01 2015-01-30 17710.7',
  'GDP 2014-10-01 2015-02-27 17701.3',
  'OTHER 2014-07-01 2014-12-01 1',
);

const days = [
  ...['2014-10-29', '2014-10-30', '2014-11-01', '2014-11-25', '2014-12-22', '2014-12-23', '2015-01-29'],
  ...['2015-01-30', '2015-02-26', '2015-02-27', '2015-03-27', '2026-01-15'],
];

const queries: readonly ObservationQuery[] = ['GDP', 'OTHER', 'NONE'].flatMap((seriesId) =>
  days.flatMap((asOf) => [
    { seriesId, asOf, limit: 10 },
    { seriesId, asOf, limit: 1 },
    { seriesId, asOf, limit: 10, from: '2014-10-01' },
    { seriesId, asOf, limit: 10, to: '2014-09-30' },
    { seriesId, asOf, limit: 10, before: '2014-10-01' },
    { seriesId, asOf, limit: 10, firstRelease: true },
  ]),
);

/** The answers of a store to all queries, in order. */
function answers(path: string): Promise<readonly (readonly StoredObservation[])[]> {
  return withStore(path, (store) =>
    store.read((view) => Promise.all(queries.map((query) => observationsIn(view, query)))),
  );
}

describe('a store with a cache of pages', () => {
  it('gives the answers of a store without one, before and after imports', async () => {
    const path = newStorePath(folder);
    await importFiles(path, { 'a.csv': published });
    const pages = new Map<string, readonly StoredObservation[]>();
    const cached = await openStore(path, { live: true, pages });
    const ask = () => cached.read((view) => Promise.all(queries.map((query) => observationsIn(view, query))));
    try {
      expect(await ask()).toEqual(await answers(path));
      expect(await ask()).toEqual(await answers(path));
      await importFiles(path, {
        'b.csv': facts('GDP 2014-07-01 2014-11-10 17540', 'OTHER 2014-07-01 2015-01-31 2'),
      });
      expect(await ask()).toEqual(await answers(path));
    } finally {
      await cached.close();
    }
  });

  it('reads the page of a vintage once for all days up to the next vintage', async () => {
    const path = newStorePath(folder);
    await importFiles(path, { 'a.csv': published });
    const pages = new Map<string, readonly StoredObservation[]>();
    const cached = await openStore(path, { live: true, pages });
    try {
      for (const asOf of days)
        await cached.read((view) => view.series.observations({ seriesId: 'GDP', asOf, limit: 10 }));
    } finally {
      await cached.close();
    }
    // Five vintages, and the days before the first of them.
    expect(pages.size).toBe(6);
  });
});
