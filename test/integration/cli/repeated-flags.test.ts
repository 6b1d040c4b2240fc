import { beforeAll, describe, expect, it } from 'vitest';
import { asof, importedStore } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

describe('a flag with one value that is given twice', () => {
  it.each<readonly [line: string, said: string]>([
    ['obs GDP --as-of 2014-12-31 --as-of 2015-01-30', '--as-of is given twice: 2014-12-31 and 2015-01-30'],
    ['obs GDP --as-of=2014-12-31 --as-of=2014-12-31', '--as-of is given twice: 2014-12-31 and 2014-12-31'],
    ['obs GDP --limit 1 --limit 2', '--limit is given twice: 1 and 2'],
    ['obs GDP -o a.csv --output b.csv', '--output is given twice: a.csv and b.csv'],
    ['obs GDP -f csv -ftsv', '--format is given twice: csv and tsv'],
    ['obs GDP --sort asc --sort desc', '--sort is given twice: asc and desc'],
    ['series search --match id --match title', '--match is given twice: id and title'],
    ['panel GDP --as-of-each day --as-of-each day', '--as-of-each is given twice: day and day'],
    ['keys create --name ann --name bob', '--name is given twice: ann and bob'],
    [
      'import facts.csv --as-of 2014-12-31 --as-of 2015-01-30',
      '--as-of is given twice: 2014-12-31 and 2015-01-30',
    ],
  ])('asof %s', async (line, said) => {
    expect(await asof(line.split(' '), { env: { ASOF_STORE: store } })).toEqual({
      code: 2,
      out: '',
      err: `asof: ${said}\n      leave one of them out\n`,
    });
  });

  it('is quoted if it would not be clear otherwise', async () => {
    const { err } = await asof(['insider', 'filings', '--owner', 'a b', '--owner', '']);
    expect(err).toContain('--owner is given twice: "a b" and ""');
  });

  it.each([
    'obs GDP -q -q -v -v',
    'obs GDP --csv --csv --no-header --no-header',
    'obs GDP --as-of 2014-12-31 --from 2014-01-01 --to 2014-12-31',
  ])('is no flag without a value, and no other flag: asof %s', async (line) => {
    expect(await asof(line.split(' '), { env: { ASOF_STORE: store } })).toMatchObject({ code: 0 });
  });

  it('is not one that collects values', async () => {
    const line = [
      'import',
      folder.path('facts.csv'),
      '--id',
      'GDP=A',
      '--id',
      'UNRATE=B',
      '--store',
      folder.path('renamed.db'),
    ];
    expect(await asof(line)).toMatchObject({ code: 0 });
    const { out } = await asof([
      'series',
      'search',
      '--columns',
      'id',
      '--no-header',
      '--store',
      folder.path('renamed.db'),
    ]);
    expect(out.split('\n')).toEqual(expect.arrayContaining(['A', 'B']));
  });
});
