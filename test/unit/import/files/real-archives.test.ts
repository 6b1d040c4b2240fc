import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allBytes } from '../../../../src/import/files/source-file.ts';
import { sourceFiles } from '../../../../src/import/files/walk.ts';
import { testData } from '../../../support/repository.ts';
import { onlyFile } from '../../../support/temp-files.ts';

describe('the files of a folder of real data', () => {
  it('are each found', async () => {
    const folder = join(testData, 'treasury');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(join(folder, name)).isFile());
    expect(await sourceFiles([folder])).toHaveLength(files.length);
  });

  it('include the members of an archive', async () => {
    const members = await sourceFiles([join(testData, 'macro/fred-md')]);
    expect(members.map(({ path }) => path)).toEqual(
      ['2015-01.csv', '2020-04.csv', '2020-05.csv'].map((name) =>
        join(testData, 'macro/fred-md/fred-md-vintages.zip', name),
      ),
    );
  });

  it('include spreadsheets, which are zip archives but are not opened', async () => {
    const path = join(testData, 'macro/rtdsm/ROUTPUTQvQd.xlsx');
    const bytes = await allBytes(await onlyFile(path));
    expect(bytes.equals(readFileSync(path))).toBe(true);
  });
});
