import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allBytes } from '../../../src/import/files/source-file.ts';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { testData } from '../../support/repository.ts';
import {
  contentOf,
  importFiles,
  importPaths,
  newStorePath,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';
import { zipOf } from '../../support/source-file.ts';

const scratch = scratchFolder();

const text = (description: string, value: string) =>
  ['Block,', 'Name:,A.X', `Description:,${description}`, `Q4-2000,${value}`, ''].join('\n');

const january = ['quarterly_200101.csv', text('Index 1995 = 100', '101.5')] as const;
const february = ['quarterly_200102.csv', text('Index 2000 = 100', '99.5')] as const;

describe('an import of monthly files of the ECB', () => {
  it.each([
    ['in their order', [january, february]],
    ['in another order', [february, january]],
    ['twice', [january, february, january, february]],
  ])('%s keeps the description of the newest vintage, and what it changed', async (_, files) => {
    const store = newStorePath(scratch);
    for (const [name, content] of files) await importFiles(store, { [name]: content });
    const [title, changes] = await reading(store, async (view) => [
      (await view.series.find('ECB:A.X'))?.title,
      await view.series.descriptionChanges('ECB:A.X'),
    ]);
    expect(title).toBe('Index 2000 = 100');
    expect(changes.map(({ changedOn, field, before, after }) => [changedOn, field, before, after])).toEqual(
      files[0] === january ? [['2001-02-28', 'title', 'Index 1995 = 100', 'Index 2000 = 100']] : [],
    );
  });

  const recorded = sourceFiles([join(testData, 'recordings/ecb')]);
  const named = async (month: string) => {
    const file = (await recorded).find(({ name }) => name === `quarterly_${month}.csv`);
    return {
      [`quarterly_${month}.csv`]: file === undefined ? '' : (await allBytes(file)).toString('latin1'),
    };
  };
  // Japan's saving has figures from the file of July 2002 on, its debt none in that of October 2001.
  const [saving, debt] = ['B8G.G.X.JP.1000.Z5.ZZZZ.M.J', 'P50.G.X.Z5.ZZZZ.JP.1000.M.J'].map(
    (part) => `ECB:MUFA.Q.JP.N.${part}`,
  );

  it('makes no series of a column without a figure, and says how many', async () => {
    const store = newStorePath(scratch);
    const [summary] = await importFiles(store, await named('200101'));
    expect(summary).toMatchObject({
      series: 5,
      notes: ['2 series without a figure up to this vintage, left out'],
    });
    const held = await reading(store, (view) => view.series.search({ text: '', limit: 100 }));
    expect(held.map(({ id }) => id)).toEqual(
      [
        'ESA.Q.I2.S.0000.B1QG00.1000.TTTT.Q.U.A',
        debt?.slice(4),
        'MUFA.Q.US.N.B8G.G.X.US.1000.Z5.ZZZZ.M.R',
        'Q.U2.ULC.IND.Z',
        'QRHGAJP01',
      ].map((key) => `ECB:${key}`),
    );
  });

  it('withdraws the figures of a series whose column has none later', async () => {
    const months = ['200109', '200110', '200111'];
    const [together, singly, backwards] = [
      newStorePath(scratch),
      newStorePath(scratch),
      newStorePath(scratch),
    ];
    const files = await Promise.all(months.map(named));
    await importFiles(together, Object.assign({}, ...files));
    for (const file of files) await importFiles(singly, file);
    await importFiles(backwards, Object.assign({}, ...[...files].reverse()));
    const valuesOn = (store: string, asOf: string) =>
      reading(
        store,
        async (view) => (await observationsIn(view, { seriesId: debt ?? '', asOf, limit: 500 })).length,
      );
    for (const store of [together, singly, backwards]) {
      expect(
        await Promise.all(['2001-09-30', '2001-10-31', '2001-11-30'].map((day) => valuesOn(store, day))),
      ).toEqual([8, 0, 8]);
      expect(await contentOf(store)).toEqual(await contentOf(together));
    }
  });

  it('begins a series with the first file that has a figure of it, alone and with earlier files', async () => {
    const [together, singly] = [newStorePath(scratch), newStorePath(scratch)];
    const files = await Promise.all(['200206', '200207'].map(named));
    await importFiles(together, Object.assign({}, ...files));
    for (const file of files) await importFiles(singly, file);
    expect((await reading(together, (view) => view.series.find(saving ?? '')))?.firstVintage).toBe(
      '2002-07-31',
    );
    expect(await contentOf(singly)).toEqual(await contentOf(together));
  });

  it('as a folder and as the archive of the ECB gives the same store', async () => {
    const read = await sourceFiles([join(testData, 'recordings/ecb')]);
    const files = read.filter(({ name }) => name.startsWith('quarterly_'));
    const contents = await Promise.all(files.map(async (file) => [file.name, await allBytes(file)] as const));
    const folder = tempFolder(Object.fromEntries(contents));
    const members = contents.map(([name, content]) => ({ name, content }));
    const archive = join(tempFolder({ 'quarterly.zip': zipOf(members) }), 'quarterly.zip');
    const [ofFolder, ofArchive] = [newStorePath(scratch), newStorePath(scratch)];
    expect(await importPaths(ofFolder, [folder])).toHaveLength(24);
    await importPaths(ofArchive, [archive]);
    expect(await contentOf(ofArchive)).toEqual(await contentOf(ofFolder));
  });
});
