import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { asof, statements, transcript } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

const folder = newFolder();
const at = folder.path('.');
const gdp = folder.write(
  'gdp.csv',
  statements(['GDP,2014-10-01,2015-01-30,17710.7', 'GDP,2014-10-01,2015-02-27,']),
);
const unrate = folder.write('unrate.csv', statements(['UNRATE,2014-12-01,2015-01-09,5.6']));
const more = folder.write('more.csv', statements(['GDP,2014-10-01,2015-03-27,17703.7']));
const other = folder.write(
  'other.csv',
  statements(['GDP,2014-10-01,2015-01-30,1', 'GDP,2014-10-01,2015-02-27,2', 'NEW,2014-10-01,2015-02-27,3']),
);
const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('an import', () => {
  transcript(
    `
    # prints its counts and that it made a store; the second time, that all was known
    $ asof import ${gdp}
    ! ${gdp}: asof-csv, 1 series, 2 vintages, 2 new statements (1 withdrawal), 0 known
    ! made a new store: ${at}/store.db
    $ asof import ${gdp}
    ! ${gdp}: asof-csv, 1 series, 2 vintages, 0 new statements, 2 known
    ! store: ${at}/store.db
    $ asof import ${gdp} -q

    # of several files sums them up, and is listed with the sha256 of each
    $ asof import ${gdp} ${unrate} --store ${at}/two.db
    ! ${gdp}: asof-csv, 1 series, 2 vintages, 2 new statements (1 withdrawal), 0 known
    ! ${unrate}: asof-csv, 1 series, 1 vintage, 1 new statement, 0 known
    ! 2 files: 3 new statements (1 withdrawal), 0 known
    ! made a new store: ${at}/two.db
    $ asof import --log --store ${at}/two.db
    imported_at,kind,statements_new,statements_known,withdrawn,sha256,file
    2026-03-15T12:00:00.000Z,asof-csv,2,0,1,${hash(gdp)},${gdp}
    2026-03-15T12:00:00.000Z,asof-csv,1,0,0,${hash(unrate)},${unrate}

    # with --dry-run prints its counts, and makes no store
    $ asof import ${gdp} --dry-run --store ${at}/none.db
    ! ${gdp}: asof-csv, 1 series, 2 vintages, 2 new statements (1 withdrawal), 0 known
    ! dry run: nothing was written to ${at}/none.db
    $ asof store check --store ${at}/none.db
    …
    [exit 10]

    # with conflicts is refused as a whole, with every conflict listed, unless --replace accepts them
    $ asof import ${other}
    ! asof: 2 conflicts; nothing was imported:
    ! …2015-01-30: 1, against 17710.7
    ! …: 2, against withdrawn
    …
    [exit 2]
    $ asof obs NEW
    ! asof: series 'NEW' not found
    …
    [exit 3]
    $ asof import ${other} --replace -q
    $ asof obs GDP --columns value --no-header
    2

    # that is refused makes no store
    $ asof import ${at}/none.csv --store ${at}/none.db
    ! asof: cannot read ${at}/none.csv: there is no such file or folder
    [exit 10]
    $ asof import ${gdp} --kind excel --store ${at}/none.db
    ! asof: …excel…
    …
    [exit 2]
    $ asof import ${gdp} --as-of today --store ${at}/none.db
    ! asof: …--as-of does not apply to asof-csv…
    …
    [exit 2]
    $ asof store check --store ${at}/none.db
    …
    [exit 10]

    # into an impossible path exits with 10, not as a bug
    $ asof import ${gdp} --store ${gdp}/store.db
    ! asof: cannot create the store ${gdp}/store.db: …
    [exit 10]
    `,
    () => ({ env: { ASOF_STORE: `${at}/store.db` } }),
  );

  const days = folder.write(
    'days.csv',
    statements(['X,2020-02-03,2020-05-01,2', 'X,2020-02-20,2020-05-01,3']),
  );
  const monthly = folder.write('monthly.csv', 'series_id,frequency\nX,M\n');
  const daily = folder.write('daily.csv', 'series_id,frequency\nX,D\n');
  transcript(
    `
    # of two dates of a stated month names both, in any order of the files, and takes them with another frequency
    $ asof import ${days} ${monthly}
    ! asof: 1 conflict; nothing was imported:
    !   X 2020-02-20 as of 2020-05-01: 3, against 2 for 2020-02-03, in one period of the frequency M
    !       a period has one value: remove a row, or state another frequency in a metadata file
    [exit 2]
    $ asof import ${monthly} -q
    $ asof import ${days}
    ! asof: 1 conflict; nothing was imported:
    !   ${days}: X 2020-02-20 as of 2020-05-01: 3, against 2 for 2020-02-03, in one period of the frequency M
    !       a period has one value: remove a row, or state another frequency in a metadata file
    [exit 2]
    $ asof import ${daily} --replace -q
    $ asof import ${days} -q
    $ asof obs X --columns date,value --no-header
    2020-02-20,3
    2020-02-03,2
    `,
    () => ({ env: { ASOF_STORE: `${at}/days.db` } }),
  );

  const cut = folder.write('cut.csv', statements(['GDP,2014-10-01,2015-03-27,17703.7']).slice(0, -3));
  const cutPanel = folder.write('2015-01-30.csv', 'date,PAYEMS\n2014-12-01,140347\n2014-11-01,140');
  const cutPeriods = folder.write(
    'periods.csv',
    'observation_date,realtime_start,realtime_end,GDP\n2014-10-01,2015-01-30,2015-02-26,17710.7\n2014-10-01,2015-02-27,,176',
  );
  const noted = (row: number, cell: string) =>
    `the last line, row ${row}, has no line end; if the file was cut short, "${cell}" may be only the beginning of its last cell`;
  transcript(
    `
    # of a file or pipe whose last line has no end says that its last value may be cut short
    $ asof import ${cut}
    ! ${cut}: asof-csv, 1 series, 1 vintage, 1 new statement, 0 known
    ! ${cut}: ${noted(2, '17703')}
    …
    $ asof import - --dry-run
    ! standard input: asof-csv, 1 series, 1 vintage, 0 new statements, 1 known
    ! standard input: ${noted(2, '17703')}
    …
    $ asof import ${cutPanel}
    ! ${cutPanel}: dated-panel, 1 series, 1 vintage, 2 new statements, 0 known
    ! ${cutPanel}: ${noted(3, '140')}
    …
    $ asof import ${cutPeriods} --id GDP=GDP2
    ! ${cutPeriods}: alfred-periods, 1 series, 2 vintages, 2 new statements, 0 known
    ! ${cutPeriods}: ${noted(3, '176')}
    …
    `,
    () => ({ env: { ASOF_STORE: `${at}/cut.db` }, stdin: Readable.from([readFileSync(cut)]) }),
  );

  const home = folder.path('home');
  transcript(
    `
    # into the user’s own place says that the sample no longer answers
    $ asof import ${gdp}
    …
    ! made a new store: ${home}/.local/share/asof/asof.db
    ! asof now answers from this store instead of the sample; asof store merge sample --skip-known adds the sample's data
    $ asof series search --columns id --no-header
    GDP
    $ asof import ${gdp}
    …
    ! store: ${home}/.local/share/asof/asof.db
    `,
    () => ({ env: { HOME: home } }),
  );

  it('of a terminal says how to end the input, and of a pipe does not', async () => {
    const said = async (isTTY: boolean) => {
      const stdin = Object.assign(Readable.from([readFileSync(gdp)]), { isTTY });
      return (await asof(['import', '-', '--dry-run', '--store', folder.path('none.db')], { stdin })).err;
    };
    expect(await said(true)).toMatch(
      /^asof: reading the terminal; end the input with Ctrl-D\nstandard input: /,
    );
    expect(await said(false)).toMatch(/^standard input: /);
  });

  it('that is stopped before its end, or dry, leaves the store as it was', async () => {
    const own = newFolder();
    const store = own.path('store.db');
    await asof(['import', gdp, '--store', store]);
    const before = hash(store);
    expect((await asof(['import', more, '--dry-run', '--store', store])).err).toContain('1 new statement');
    mkdirSync(own.path('many'));
    own.write('many/a.csv', readFileSync(more, 'utf8'));
    const stop = new AbortController();
    setImmediate(() => stop.abort('SIGTERM'));
    const { code } = await asof(['import', own.path('many'), '--store', store], { signal: stop.signal });
    expect([code, hash(store)]).toEqual([143, before]);
    expect(readdirSync(own.path('.')).sort()).toEqual(['many', 'store.db']);
  });
});
