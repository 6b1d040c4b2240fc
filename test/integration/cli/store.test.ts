import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { asof, importedStore, statements, transcript } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import { digestOf, importFiles } from '../../support/scratch-store.ts';

const folder = newFolder();
const at = folder.path('.');
const store = await importedStore(folder);
writeFileSync(folder.path('damaged.db'), readFileSync(store).subarray(0, 20_480));
writeFileSync(folder.path('format-1.db'), readData(join(testData, 'stores'), 'format-1-one-kind.db'));
folder.write('first.csv', statements(['GDP,2014-10-01,2015-01-30,1']));
folder.write('second.csv', statements(['GDP,2014-10-01,2015-02-27,2']));
await importFiles(
  folder.path('old.db'),
  { 'first.csv': statements(['PPI,2014-10-01,2015-01-30,1']) },
  { importedAt: '2025-12-01T12:00:00.000Z' },
);
folder.write('third.csv', statements(['CPI,2014-10-01,2015-02-27,2']));
const held = '4 series, 2,508 facts, 0 rates, 0 trades, 1 entry of the log';

describe('asof store', () => {
  // GDP has six statements, GDPC1 and UNRATE one each, LONG 2500.
  transcript(
    `
    # info says what a store holds, in one row
    $ asof store info --csv --columns store,engine,sample,series,described,facts,first_vintage,last_vintage
    store,engine,sample,series,described,facts,first_vintage,last_vintage
    ${store},SQLite,false,4,0,2508,2014-10-30,2020-06-30
    $ asof store info --csv --columns least_covered_to,covered_to,par_rates,par_covered_to,filings,imports,followed
    least_covered_to,covered_to,par_rates,par_covered_to,filings,imports,followed
    2015-01-09,2020-06-30,0,,0,1,0

    # check says what it read of a store without a fault, and exits with 10 where there is none
    $ asof store check
    ! asof: checked 4 series with 2,508 changes: no fault
    $ asof store check --store ${at}/none.db
    ! asof: cannot open the store ${at}/none.db: there is no such file or folder
    …
    [exit 10]

    # init makes a store, brings one of an older asof up to date, and leaves any other as it is
    $ asof store init --store ${at}/empty.db
    ! asof: made the store ${at}/empty.db
    $ asof store init --store ${at}/empty.db
    ! asof: store already exists: ${at}/empty.db
    $ asof store init --store ${at}/format-1.db
    ! asof: updated the store ${at}/format-1.db
    $ asof store init --store ${at}/format-1.db
    ! asof: store already exists: ${at}/format-1.db
    $ asof store init --store ${at}/damaged.db
    ! asof: cannot use the store ${at}/damaged.db: it is damaged
    …
    [exit 10]

    # copy needs --yes where there is no terminal, and writes nothing in a dry run
    $ asof store copy ${store} ${at}/copy.db
    ! asof: cannot ask for confirmation to copy ${store} to ${at}/copy.db: there is no terminal
    !       --yes continues without asking
    !       --dry-run shows what would change
    [exit 2]
    $ asof store copy ${store} ${at}/copy.db --dry-run
    ! asof: dry run: ${at}/copy.db would hold ${held}
    $ asof store check --store ${at}/copy.db
    …
    [exit 10]
    $ asof store copy ${store} ${at}/copy.db --yes
    ! asof: ${at}/copy.db holds ${held}
    ! asof: read again and compared: sha256 …

    # backup replaces a file only with --yes, and is no database
    $ asof store backup ${at}/backup.db -q
    $ asof store backup ${at}/backup.db
    ! asof: cannot ask for confirmation to replace ${at}/backup.db: there is no terminal
    …
    [exit 2]
    $ asof store backup ${at}/backup.db --yes -q
    $ asof store backup postgres://localhost/x
    ! asof: a backup is a file
    !       \`asof store copy\` copies into a database
    !       ASOF_STORE names this store
    [exit 2]

    # backup --keep says what the new file holds and what it removed, without a question
    $ asof store backup ${at}/dated.db --keep 1
    ! asof: ${at}/dated-2026-03-15T120000Z.db holds ${held}
    ! asof: read again and compared: sha256 …
    $ asof store backup ${at}/dated.db --keep 1 --dry-run
    ! asof: dry run: ${at}/dated-2026-03-15T120000Z-2.db would hold ${held}
    ! asof: would remove ${at}/dated-2026-03-15T120000Z.db
    $ asof store backup ${at}/dated.db --keep 1
    ! asof: ${at}/dated-2026-03-15T120000Z-2.db holds ${held}
    ! asof: read again and compared: sha256 …
    ! asof: removed ${at}/dated-2026-03-15T120000Z.db
    $ asof store check -q --store ${at}/dated-2026-03-15T120000Z-2.db

    # restore makes a store where there is none, and replaces one only with --yes
    $ asof store restore ${at}/backup.db --store ${at}/own.db --dry-run
    ! asof: dry run: ${at}/own.db would hold ${held}
    $ asof store check --store ${at}/own.db
    …
    [exit 10]
    $ asof store restore ${at}/backup.db --store ${at}/own.db
    ! asof: ${at}/own.db holds ${held}
    …
    $ asof series rm GDP --yes --store ${at}/own.db -q
    $ asof store restore ${at}/backup.db --store ${at}/own.db
    ! asof: cannot ask for confirmation to replace ${at}/own.db by ${at}/backup.db: there is no terminal
    …
    [exit 2]
    $ asof store restore ${at}/backup.db --store ${at}/own.db --yes -q
    $ asof series show GDP --store ${at}/own.db --csv --columns id -q
    id
    GDP

    # restore refuses a damaged backup and leaves the store alone, and restores no database as a file
    $ asof store restore ${at}/damaged.db --store ${at}/own.db --yes
    ! asof: …${at}/damaged.db…is damaged…
    …
    [exit 10]
    $ asof store check --store ${at}/own.db -q
    $ asof store restore postgres://localhost/x --store ${at}/own.db --yes
    …
    !       \`asof store copy\` copies from a database
    [exit 2]

    # merge and series change a store only with --yes where there is no terminal
    $ asof store copy ${store} ${at}/other.db --yes -q
    $ asof store merge ${store} --store ${at}/other.db
    ! asof: cannot ask for confirmation to merge ${store} into ${at}/other.db: there is no terminal
    …
    [exit 2]
    $ asof store merge ${store} --store ${at}/other.db --dry-run
    …
    ! dry run: nothing was written to ${at}/other.db
    $ asof store merge ${store} --store ${at}/other.db --yes
    ! …4 series, 9 vintages, 0 new statements, 2,508 known
    ! store: ${at}/other.db
    $ asof series rename gdp x --store ${at}/other.db
    ! asof: cannot ask for confirmation to rename GDP, 6 facts in 6 vintages, to X in ${at}/other.db: there is no terminal
    …
    [exit 2]
    $ asof series rename gdp x --store ${at}/other.db --dry-run
    ! asof: dry run: would rename GDP, 6 facts in 6 vintages, to X in ${at}/other.db
    $ asof series rename gdp x --store ${at}/other.db --yes
    ! asof: renamed GDP, 6 facts in 6 vintages, to X in ${at}/other.db
    $ asof series rm x --store ${at}/other.db --dry-run
    ! asof: dry run: would remove X, 6 facts in 6 vintages, from ${at}/other.db
    $ asof series rm x --store ${at}/other.db --yes
    ! asof: removed X, 6 facts in 6 vintages, from ${at}/other.db
    $ asof series rm x --store ${at}/other.db --yes
    …
    [exit 3]
    `,
    () => ({ env: { ASOF_STORE: store } }),
  );

  it('info is a line for each field on a terminal, whose width does not matter', async () => {
    const line = ['store', 'info', '--store', store, '--no-color'];
    const lines = (await asof(line, { stdoutIsTerminal: true, columns: 40 })).out.split('\n');
    for (const shown of [/^engine: +SQLite$/, /^last_import: +2026-03-15T/])
      expect(lines).toContainEqual(expect.stringMatching(shown));
  });
});

describe('asof store undo', () => {
  transcript(
    `
    # lists the imports, says what it would take back, and takes it back with --yes
    $ asof import ${at}/first.csv -q
    $ asof import ${at}/second.csv -q
    $ asof store undo --list --csv --columns import,files
    import,files
    2,${at}/second.csv
    1,${at}/first.csv
    $ asof store undo
    ! asof: cannot ask for confirmation to undo import 2 of 2026-03-15T12:00:00.000Z (${at}/second.csv): 1 series of ${at}/undo.db: there is no terminal
    …
    [exit 2]
    $ asof store undo 1 --dry-run
    ! asof: …later imports changed the same data:
    !   import 2: GDP
    …
    [exit 2]
    $ asof store undo --yes
    ! asof: undid import 2 of 2026-03-15T12:00:00.000Z (${at}/second.csv): 1 series of ${at}/undo.db
    $ asof obs GDP --columns value --no-header
    1

    # of a dry run prints what would change as rows, and writes nothing
    $ asof import ${at}/third.csv -q
    $ asof store undo --dry-run --csv
    subject,goes,vintages,removed,restored,first_date,last_date
    CPI,true,1,1,0,2014-10-01,2014-10-01
    ! asof: dry run: would undo import 3 of 2026-03-15T12:00:00.000Z (${at}/third.csv): 1 series of ${at}/undo.db
    $ asof store undo --yes --columns x
    ! asof: unknown column 'x': …
    [exit 2]
    $ asof obs CPI --columns value --no-header
    2
    $ asof store undo --yes --csv
    subject,goes,vintages,removed,restored,first_date,last_date
    CPI,true,1,1,0,2014-10-01,2014-10-01
    ! asof: undid import 3 of …
    $ asof obs CPI -q
    …
    [exit 3]

    # refuses an import that is older than what --keep-undo kept, which takes a time
    $ asof import ${at}/third.csv -q --store ${at}/old.db
    $ asof store undo 1 --dry-run -q --csv --columns subject --store ${at}/old.db
    subject
    PPI
    $ asof import ${at}/second.csv -q --store ${at}/old.db --keep-undo 90d
    $ asof store undo --list --csv --no-header --columns import --store ${at}/old.db
    3
    2
    $ asof store undo 1 --yes --store ${at}/old.db
    ! asof: import 1 of 2025-12-01T12:00:00.000Z is too old to undo: --keep-undo made the store forget what the imports up to 1 changed
    !       restore a backup from before the import
    [exit 3]
    $ asof import ${at}/second.csv --keep-undo 3w
    ! asof: …--keep-undo…3w…use a time such as 90s, 10m, 2h or 90d
    …
    [exit 2]

    # exits with 3 for an import that is not there, and with 2 for a number that is none
    $ asof store undo 99 --yes
    …
    [exit 3]
    $ asof store undo last --yes
    ! asof: import "last": use the number that \`asof store undo --list\` shows
    [exit 2]
    `,
    () => ({ env: { ASOF_STORE: folder.path('undo.db') } }),
  );
});

describe('without a store', () => {
  const home = folder.path('home');
  const own = `${home}/.local/share/asof/asof.db`;
  transcript(
    `
    # the sample is described, and no command changes it
    $ asof store info --csv --no-header --columns sample
    true
    $ asof store undo --yes
    ! asof: you have no store yet: there is no ${own}
    !       the shipped sample, which asof uses until then, is read-only
    !       \`asof store merge sample\` makes a store with its data; --store names another store
    [exit 10]
    $ asof series rm GDP --yes
    ! asof: you have no store yet: there is no ${own}
    …
    [exit 10]
    $ asof series rename GDP X --dry-run
    ! asof: you have no store yet: there is no ${own}
    …
    [exit 10]

    # a merge makes one, and says that it replaces the sample
    $ asof store merge ${store} --yes
    …
    ! made a new store: ${own}
    ! asof now answers from this store instead of the sample; asof store merge sample --skip-known adds the sample's data

    # an undo of the only import says that the store is empty, and how the sample answers again
    $ asof store undo --yes
    ! asof: undid import 1 of …: 4 series of ${own}
    ! asof: ${own} is empty now
    ! asof: this empty store now answers; remove the file to use the shipped sample again
    `,
    () => ({ env: { HOME: home } }),
  );

  it.each(['store undo', 'series rm GDP', `store merge ${store}`, `store restore ${store}`])(
    'the sample is not changed by its path or its name: asof %s',
    async (words) => {
      const before = digestOf(samplePath());
      for (const named of [samplePath(), 'sample']) {
        const { code, err } = await asof([...words.split(' '), '--yes', '--store', named]);
        expect([code, err]).toEqual([2, expect.stringContaining('the sample that asof ships is read-only')]);
      }
      expect(digestOf(samplePath())).toBe(before);
    },
  );
});
