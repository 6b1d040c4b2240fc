import { describe, expect, it } from 'vitest';
import { type Note, open } from '../../../../src/index.ts';
import { samplePath } from '../../../../src/platform/installation.ts';
import { transcript } from '../../../support/command.ts';
import { contractStore, now } from '../../../support/contract-cases.ts';
import { newFolder } from '../../../support/folders.ts';
import { asking, commandModes } from '../../../support/modes.ts';

const home = newFolder();
const sample = asking(samplePath(), async () => undefined);
const path = home.path('contract.db');
const contract = asking(path, () => contractStore('', path), now);

describe.each(commandModes)('an answer without rows, %s, says why:', (mode) => {
  // The first release of GDP in 2014 Q4 was on 2015-01-30; before its first vintage nobody knew how often it is
  // published. GDP begins with 1947 Q1, and its newest date in the sample is 2024 Q3. The Treasury publishes 4-month
  // rates since 2022-10-19. Good Friday of 2024 was on 29 March.
  transcript(
    `
    # dates that a series does not have
    $ asof obs GDP --as-of 1900-01-01 --no-header
    ! asof: GDP has no vintage up to 1900-01-01
    $ asof obs GDP --from 2030-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2024-07-01
    $ asof obs GDP --to 1940-01-01 --no-header
    ! asof: no rows: GDP begins on 1946-01-01
    $ asof obs GDP --vs 2014-12-23 --from 2040-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2024-07-01
    $ asof obs GDP --vintages 2014-12-23,2015-01-30 --from 2040-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2014-10-01
    $ asof panel GDP --as-of 1900-01-01 --no-header
    ! asof: GDP has no vintage up to 1900-01-01
    $ asof panel GDP --as-of 2015-01-30 --from 2015-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2014-10-01
    $ asof panel GDP UNRATE PAYEMS GDPC1 --from 2030-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2024-07-01
    ! asof: no rows: the newest date of UNRATE is …
    ! asof: no rows: the newest date of PAYEMS is …
    $ asof diff GDP 2014-12-23 2015-03-27 --from 2040-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2014-10-01
    $ asof diff GDP 2014-12-23 2014-12-24 --from 2014-01-01 --no-header
    $ asof series search xyzzyplugh --no-header
    ! asof: no rows: no series matches "xyzzyplugh"
    $ asof series search xyzzyplugh --match id --no-header
    ! asof: no rows: no series matches "xyzzyplugh"
    $ asof series search ${'q'.repeat(80)} --no-header
    ! asof: no rows: no series matches "${'q'.repeat(80)}"
    $ asof series search ${'q'.repeat(1000)} --no-header
    ! asof: no rows: no series matches "${'q'.repeat(77)}..."

    # revisions of a date without values
    $ asof revisions GDP --date 2008-10-02 --no-header
    ! asof: no rows: no value of GDP was published for 2008-10-02; its period begins on 2008-10-01
    $ asof revisions GDP --date 2090-10-01 --no-header
    ! asof: no rows: no value of GDP was published for 2090-10-01
    $ asof revisions GDP --date 2014-10-01 --as-of 2015-01-01 --no-header
    ! asof: no rows: no value of GDP was known on 2015-01-01 for 2014-10-01
    $ asof revisions GDP --date 2014-10-02 --as-of 1900-01-01 --no-header
    ! asof: no rows: no value of GDP was known on 1900-01-01 for 2014-10-02
    ! asof: GDP has no vintage up to 1900-01-01
    $ asof revisions DGS10 --date 2024-03-31 --no-header
    ! asof: no rows: no value of DGS10 was published for 2024-03-31, a Sunday
    $ asof revisions GDP --release 1,final --from 2040-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2024-07-01

    # transformed values that none of the values has
    $ asof obs GDP --units pc1 --to 1947-12-31 --no-header
    ! asof: no rows: GDP has values, but no pc1: the earlier value is missing, or the formula has no result
    $ asof obs GDP --frequency a --from 2024-01-01 --no-header
    ! asof: no rows: GDP has values, but no complete year that begins in this range; --partial shows periods that are not complete
    $ asof obs GDP --frequency a --partial --from 2024-04-01 --no-header
    ! asof: no rows: GDP has values, but no year that begins in this range
    $ asof obs GDP --units pch --from 2030-01-01 --no-header
    ! asof: no rows: the newest date of GDP is 2024-07-01
    $ asof panel GDP --wide --frequency a --from 2024-01-01 --no-header
    ! asof: no rows: GDP has values, but no complete year that begins in this range; …
    $ asof panel GDP --units pc1 --to 1947-12-31 --no-header
    ! asof: no rows: GDP has values, but no pc1: …
    $ asof diff GDP 2014-12-23 latest --frequency a --from 2024-01-01 --no-header
    ! asof: no rows: GDP has values, but no complete year that begins in this range; …

    # days on which there are no rates
    $ asof curve --date 2024-03-30 --no-header
    ! asof: no curve on 2024-03-30, a Saturday; --on-or-before takes the newest one before it
    $ asof yields --to 1980-01-01 --no-header
    ! asof: no rows: no PAR rate is stored up to 1980-01-01
    $ asof yields --type tips --to 1990-01-01 --no-header
    ! asof: no rows: no TIPS rate is stored up to 1990-01-01
    $ asof yields --maturity 2M --to 2016-01-01 --no-header
    ! asof: no rows: no PAR rate of 2M is stored up to 2016-01-01; 2M begins on 2018-10-16
    $ asof yields --from 2024-03-30 --to 2024-03-31 --no-header
    ! asof: no rows: the newest PAR rate up to 2024-03-31 is from 2024-03-28
    $ asof yields --from 2090-01-01 --no-header
    ! asof: no rows: the newest PAR rate is from 2025-12-31
    $ asof yields --wide --first 3 --from 2090-01-01 --no-header
    ! asof: no rows: the newest PAR rate is from 2025-12-31
    $ asof spread --long 10Y --short 4M --from 2015-01-01 --to 2015-12-31 --no-header
    ! asof: no rows: no PAR rate of 10Y and 4M is stored up to 2015-12-31; 4M begins on 2022-10-19
    $ asof spread --from 2024-03-29 --to 2024-03-31 --no-header
    ! asof: no rows: the newest PAR rate of 10Y and 2Y up to 2024-03-31 is from 2024-03-28
    $ asof spread --from 2024-03-31 --to 2024-03-31 --no-header
    ! asof: no rows: 2024-03-31 was a Sunday

    # nothing where there are rows
    $ asof diff GDP 2014-12-23 2014-12-24 --from 2014-01-01 --no-header --all-rows --columns date
    2014-07-01
    2014-04-01
    2014-01-01
    $ asof insider clusters --ticker MAIA --as-of 2025-11-28 --explain --json
    {
      "object": "insider_cluster_explanation",
    …
    `,
    () => sample.as(mode),
  );

  transcript(
    `
    # a day before the first vintage, on a terminal
    $ asof obs GDP --as-of 1990-01-01 --no-header
    ! asof: no rows: GDP has no vintage up to 1990-01-01

    # filings that nobody made
    $ asof insider filings --owner nobody --no-header
    ! asof: no rows: no filing that matches is stored
    $ asof insider filings --ticker SVN --code Z --no-header
    ! asof: no rows: no filing of SVN that matches is stored
    $ asof insider filings --ticker SVN --code Z --to 2026-01-20 --days 5 --no-header
    ! asof: no rows: no filing of SVN that matches is stored up to 2026-01-20
    $ asof insider filings --as-of 2024-01-01 --no-header
    ! asof: no rows: no filing is stored up to 2024-01-01
    $ asof insider filings --to 2024-01-01 --no-header
    ! asof: no rows: no filing is stored up to 2024-01-01
    $ asof insider filings --from 2026-01-20 --no-header
    ! asof: no rows: the newest filing is from 2026-01-12
    $ asof insider filings --ticker SVN --from 2026-01-20 --no-header
    ! asof: no rows: the newest filing of SVN is from 2026-01-12
    $ asof insider filings --from 2025-12-02 --to 2025-12-03 --as-of 2026-01-01 --ticker AIT --no-header
    ! asof: no rows: the newest filing of AIT up to 2025-12-03 is from 2025-12-01
    $ asof insider filings --ticker AIT --days 2 --no-header
    ! asof: no rows: nothing was filed in the last 2 days; the newest filing is from 2025-12-01; --from shows earlier filings
    $ asof insider filings --ticker AIT --no-header
    ! asof: no rows: nothing was filed in the last 30 days; the newest filing is from 2025-12-01; --from shows earlier filings

    # clusters that too few insiders made
    $ asof insider clusters --ticker SVN --as-of 2020-01-01 --no-header
    ! asof: no rows: no filing of SVN is stored up to 2020-01-01; a cluster needs purchases by 3 insiders within 14 days
    $ asof insider clusters --min-insiders 20 --no-header
    ! asof: no rows: a cluster needs purchases by 20 insiders within 14 days
    $ asof insider clusters --ticker SVN --min-insiders 20 --no-header
    ! asof: no rows: the newest filing of SVN is from 2026-01-12; a cluster needs purchases by 20 insiders within 14 days

    # a ticker without filings is refused, with the one that was meant
    $ asof insider filings --ticker SVM
    ! asof: no filing of ticker 'SVM' is stored
    !       did you mean SVN?
    …
    [exit 3]
    $ asof insider clusters --ticker SVM
    ! asof: no filing of ticker 'SVM' is stored
    !       did you mean SVN?
    …
    [exit 3]

    # a cursor that no service gave is named with its flag and its text
    $ asof yields --cursor abc
    ! asof: --cursor "abc": use the next_cursor of an earlier answer
    [exit 2]
    $ asof obs GDP --cursor abc
    ! asof: --cursor "abc": use the next_cursor of an earlier answer
    [exit 2]
    `,
    () => ({ ...contract.as(mode), stdoutIsTerminal: true, columns: 900 }),
  );
});

describe('the methods of operations', () => {
  it('give notes: the window of filings, and what is outside of the coverage', async () => {
    const notes: Note[] = [];
    const library = await open(path, { clock: () => now, onNote: (note) => void notes.push(note) });
    await library.insiderFilings({ ticker: 'SVN' });
    await library.insiderFilings({ ticker: 'SVN', from: '2026-01-01' });
    await library.observations('GDP', { asOf: '1990-01-01' });
    for await (const _ of library.observations.all(['GDP'], { asOf: '1990-01-01' }));
    await library.close();
    const outside = { kind: 'outside coverage', text: 'GDP has no vintage up to 1990-01-01' };
    const window = { kind: 'remark', text: "filed in the last 30 days; 'from' shows earlier ones" };
    expect(notes).toEqual([window, outside, outside]);
  });
});
