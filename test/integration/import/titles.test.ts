import { describe, expect, it } from 'vitest';
import { mergeStore } from '../../../src/maintenance/merge.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { contentOf, importFiles, newStorePath, reading } from '../../support/scratch-store.ts';

const scratch = scratchFolder();

const facts = { 'real.csv': 'DATE,ROUTPUT23Q4,ROUTPUT24Q1\n2023:Q3,1,2\n2023:Q4,#N/A,3\n' };
const titled = { 'titles.csv': 'series_id,title\nROUTPUT,Output as I call it\n' };

async function imported(
  files: readonly Readonly<Record<string, string>>[],
  rename?: ReadonlyMap<string, string>,
) {
  const store = newStorePath(scratch);
  for (const file of files) await importFiles(store, file, rename && { rename });
  return store;
}

const titleIn = (store: string, id = 'ROUTPUT') =>
  reading(store, async (view) => [
    (await view.series.find(id))?.title,
    await view.series.descriptionChanges(id),
  ]);

describe('an imported file of the Real-Time Data Set', () => {
  it('has the title of its variable, by which a search finds it', async () => {
    const store = await imported([facts]);
    expect(await titleIn(store)).toEqual(['Real GNP/GDP', []]);
    const found = await asof(['series', 'search', 'real gdp', '--store', store, '--columns', 'id', '--csv']);
    expect([found.code, found.out]).toEqual([0, 'id\nROUTPUT\n']);
  });

  it('has its id as the title of a variable that the catalogue lacks', async () => {
    const store = await imported([{ 'x.csv': 'DATE,X24Q1\n2023:Q4,3\n' }]);
    expect(await titleIn(store, 'X')).toEqual(['X', []]);
  });

  it.each([
    ['before', [titled, facts]],
    ['after', [facts, titled]],
    ['between', [facts, titled, facts]],
  ])('yields to a title that is imported %s it', async (_, files) => {
    const store = await imported(files);
    expect(await titleIn(store)).toEqual(['Output as I call it', []]);
    expect(await titleIn(await imported([titled, facts]))).toEqual(await titleIn(store));
  });

  it('keeps a title of the user under another id', async () => {
    const own = { 'titles.csv': 'series_id,title\nMINE,Output as I call it\n' };
    const store = await imported([own]);
    await importFiles(store, facts, { rename: new Map([['ROUTPUT', 'MINE']]) });
    expect(await titleIn(store, 'MINE')).toEqual(['Output as I call it', []]);
  });

  it('yields to the title of another store in a merge, in both directions', async () => {
    const [plain, own] = [await imported([facts]), await imported([facts, titled])];
    await mergeStore(own, plain, {});
    expect(await titleIn(plain)).toEqual(['Output as I call it', []]);
    await mergeStore(await imported([facts]), own, {});
    expect((await contentOf(own)).series).toEqual((await contentOf(plain)).series);
  });
});
