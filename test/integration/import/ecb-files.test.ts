import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allBytes } from '../../../src/import/files/source-file.ts';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { testData } from '../../support/repository.ts';
import { contentOf, importFiles, importPaths, newStorePath, reading } from '../../support/scratch-store.ts';
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
