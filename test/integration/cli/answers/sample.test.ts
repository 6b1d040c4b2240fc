import { describe, expect, it } from 'vitest';
import { open } from '../../../../src/index.ts';
import { asof, statements, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';

const folder = newFolder();
const own = folder.path('own.db');
const bread = folder.write('bread.csv', statements(['BREAD,2024-01-01,2024-02-13,2.033']));
await asof(['import', bread, '--store', own, '-q']);

// The days are those of the publishers' files, as data/README.md names them.
describe('an answer of the newest values from the sample', () => {
  transcript(
    `
    # says when the sample ends and what brings it up to date, every time
    $ asof obs GDP --limit 1 --no-header --columns value
    29374.914
    ! asof: the sample ends on 2024-12-19 (GDP); asof pull fred GDP brings it up to date
    $ asof obs GDP --limit 1 -o ${folder.path('gdp.json')}
    ! asof: the sample ends on 2024-12-19 (GDP); asof pull fred GDP brings it up to date

    # says so of rates, of a curve and of filings
    $ asof obs DGS10 --limit 1 --no-header --columns value
    4.18
    ! asof: the sample ends on 2025-12-31 (DGS10); asof pull treasury brings it up to date
    $ asof curve --no-header --columns maturity
    …
    ! asof: the sample ends on 2025-12-31 (the PAR curve); asof pull treasury brings it up to date
    $ asof insider filings --ticker FLWS --from 2025-01-01 --limit 1 --no-header --columns ticker
    FLWS
    ! asof: the sample ends on …; asof pull sec --ticker FLWS brings it up to date

    # names a few of many series, and a variable of the Real-Time Data Set as that has it
    $ asof obs GDP WSD DGS10 --limit 1 --no-header --columns date
    …
    ! asof: the sample ends between 2024-02-15 and 2025-12-31 (GDP, WSD and DGS10); asof pull fred GDP, asof pull rtdsm WSD and asof pull treasury bring them up to date
    $ asof obs "*" --limit 1 --no-header --columns date
    …
    ! asof: the sample ends between 2017-01-27 and 2025-12-31 (…, … and 65 more series); asof pull fred … … brings them up to date

    # says nothing with --quiet, or of values as of a day
    $ asof obs GDP --limit 1 --no-header --columns value -q
    29374.914
    $ asof obs GDP --as-of 2015-01-30 --limit 1 --no-header --columns value
    17710.7
    $ asof curve --date 2020-03-09 --no-header --columns maturity,rate -f tsv
    1M	0.57
    …
    `,
    () => ({ env: {} }),
  );
});

describe('the name sample', () => {
  transcript(
    `
    # is a store, in a flag, a variable and a setting
    $ asof obs GDP --as-of 2015-01-30 --limit 1 --no-header --columns value --store sample
    17710.7
    $ asof config set store sample
    $ asof config get store
    sample
    $ asof store info --csv --no-header --columns sample
    true
    $ asof config unset store

    # is what not-found series lead to, if the sample has them
    $ asof obs GDPC1 --store ${own}
    ! asof: series 'GDPC1' not found
    !       the sample has it: --store sample asks it, and asof store merge sample --skip-known adds it to your store
    …
    [exit 3]
    $ asof obs T10Y3M --store ${own}
    ! asof: series 'T10Y3M' not found
    !       the sample has it: --store sample asks it, and asof store merge sample --skip-known adds it to your store
    !       asof pull treasury brings it, without a key
    [exit 3]

    # is not named for a series that began after the day
    $ asof obs GDP --as-of 1991-01-01 --store ${own}
    ! asof: series 'GDP' not found
    !       asof pull fred GDP brings it; …
    [exit 3]
    `,
    () => ({ env: { HOME: folder.path('home') } }),
  );

  it('is that of a store for programs', async () => {
    const library = await open('sample');
    const { rows } = await library.observations('GDP', { asOf: '2015-01-30', limit: 1 });
    expect(rows[0]?.value).toBe('17710.7');
    await expect(library.import([bread])).rejects.toThrow('read-only');
    await library.close();
  });
});

describe('a well-known series that neither the sample nor the store has', () => {
  it.each(['FEDFUNDS', 'GDPPOT', 'SP500', 'VIXCLS'])(
    'is answered with the pull that brings %s',
    async (id) => {
      for (const store of ['sample', own]) {
        const { code, err } = await asof(['obs', id, '--store', store]);
        expect([code, err.split('\n').slice(0, 2)]).toEqual([
          3,
          [`asof: series '${id}' not found`, expect.stringContaining(`asof pull fred ${id} brings it`)],
        ]);
        expect(err).not.toContain('did you mean');
      }
    },
  );
});
