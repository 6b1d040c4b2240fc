import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { scratchFolder } from '../../support/folders.ts';
import { facts, importFiles, newStorePath, observationsIn, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();

it('a store that keeps ends of quarters as first days, by their spacing, shows them as published from now on', async () => {
  const path = newStorePath(folder);
  await importFiles(path, {
    'x.csv': facts('X 2020-03-31 2020-05-01 1', 'X 2020-06-30 2020-08-01 2', 'X 2020-03-31 2020-08-01'),
    'fy.csv': facts('FY 2019-12-31 2021-05-01 1', 'FY 2020-09-30 2021-05-01 2'),
    'annual.csv': 'series_id,frequency\nFY,A\n',
  });
  const read = () =>
    reading(path, async (view) => {
      const all = ['X', 'FY'].map((seriesId) =>
        observationsIn(view, { seriesId, asOf: '2021-06-01', limit: 9 }),
      );
      return (await Promise.all(all)).map((rows) => rows.map(({ date, value }) => `${date} ${value}`));
    });
  const now = await read();
  // What asof wrote up to format 8.
  const db = openDatabase(path);
  db.exec(`
    update series set normalised_by = 'Q', version = 1 where id = 'X';
    update fact set date = '2020-01-01' where date = '2020-03-31';
    update fact set date = '2020-04-01' where date = '2020-06-30';
    update series set normalised_by = '' where id = 'FY';
    update fact set date = '2019-12-31' where date = '2019-01-01';
    alter table vintage drop column clipped;
    pragma user_version = 8;
  `);
  db.close();
  expect(await read()).toEqual(now);
  expect(now).toEqual([['2020-06-30 2'], ['2020-09-30 2', '2019-01-01 1']]);
});
