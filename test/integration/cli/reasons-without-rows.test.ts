import { describe, expect, it, vi } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const env = { HOME: newFolder().path('home') };

/** What a command that the sample answers with no rows says on stderr. */
async function reason(line: string): Promise<string> {
  const { code, out, err } = await asof(line.split(' '), { env });
  expect([code, linesOf(out).length]).toEqual([0, 1]);
  return err;
}

// The first release of GDP in 2014 Q4 was on 2015-01-30. The Treasury publishes 4-month rates since 2022-10-19.
describe('an answer without rows says why', () => {
  it.each([
    [
      'revisions GDP --date 2008-10-02',
      'no value of GDP was published for 2008-10-02; its period begins on 2008-10-01',
    ],
    ['revisions GDP --date 2090-10-01', 'no value of GDP was published for 2090-10-01'],
    [
      'revisions GDP --date 2014-10-01 --as-of 2015-01-01',
      'no value of GDP was known on 2015-01-01 for 2014-10-01',
    ],
    // Before its first vintage nobody knew how often GDP is published.
    [
      'revisions GDP --date 2014-10-02 --as-of 1900-01-01',
      'no value of GDP was known on 1900-01-01 for 2014-10-02\nasof: GDP has no vintage up to 1900-01-01',
    ],
    [
      'spread --long 10Y --short 4M --from 2015-01-01 --to 2015-12-31',
      'no PAR rate of 10Y and 4M is held up to 2015-12-31; 4M begins on 2022-10-19',
    ],
    [
      'yields --maturity 2M --to 2016-01-01',
      'no PAR rate of 2M is held up to 2016-01-01; 2M begins on 2018-10-16',
    ],
    ['yields --to 1980-01-01', 'no PAR rate is held up to 1980-01-01'],
    ['yields --type tips --to 1990-01-01', 'no TIPS rate is held up to 1990-01-01'],
    // Good Friday of 2024 was on 29 March.
    ['yields --from 2024-03-30 --to 2024-03-31', 'the newest PAR rate up to 2024-03-31 is of 2024-03-28'],
    [
      'spread --from 2024-03-29 --to 2024-03-31',
      'the newest PAR rate of 10Y and 2Y up to 2024-03-31 is of 2024-03-28',
    ],
    ['spread --from 2024-03-31 --to 2024-03-31', '2024-03-31 was a Sunday'],
    ['yields --from 2090-01-01', 'the newest PAR rate is of 2025-12-31'],
    // GDP begins with 1947 Q1, and its newest date in the sample is 2024 Q3.
    [
      'obs GDP --units pc1 --to 1947-12-31',
      'GDP has values, and pc1 of none of them: the earlier value is missing, or the formula has no result',
    ],
    [
      'obs GDP --frequency a --from 2024-01-01',
      'GDP has values, and no complete year that begins there; --partial shows periods that are not complete',
    ],
    ['obs GDP --frequency a --partial --from 2024-04-01', 'GDP has values, and no year that begins there'],
    ['obs GDP --units pch --from 2030-01-01', 'the newest date of GDP is 2024-07-01'],
    ['panel GDP --from 2030-01-01', 'the newest date of GDP is 2024-07-01'],
    ['panel GDP --as-of 2015-01-30 --from 2015-01-01', 'the newest date of GDP is 2014-10-01'],
    [
      'panel GDP --wide --frequency a --from 2024-01-01',
      'GDP has values, and no complete year that begins there; --partial shows periods that are not complete',
    ],
    [
      'panel GDP --units pc1 --to 1947-12-31',
      'GDP has values, and pc1 of none of them: the earlier value is missing, or the formula has no result',
    ],
    // Both days know 2014 Q3, and the later one 2014 Q4 too.
    ['diff GDP 2014-12-23 2015-03-27 --from 2040-01-01', 'the newest date of GDP is 2014-10-01'],
    [
      'diff GDP 2014-12-23 latest --frequency a --from 2024-01-01',
      'GDP has values, and no complete year that begins there; --partial shows periods that are not complete',
    ],
    ['obs GDP --vs 2014-12-23 --from 2040-01-01', 'the newest date of GDP is 2024-07-01'],
    ['obs GDP --vintages 2014-12-23,2015-01-30 --from 2040-01-01', 'the newest date of GDP is 2014-10-01'],
    ['revisions GDP --release 1,final --from 2040-01-01', 'the newest date of GDP is 2024-07-01'],
    ['yields --wide --from 2090-01-01', 'the newest PAR rate is of 2025-12-31'],
    ['yields --wide --first 3 --from 2090-01-01', 'the newest PAR rate is of 2025-12-31'],
    ['series search xyzzyplugh', 'no series matches "xyzzyplugh"'],
    ['series search xyzzyplugh --match id', 'no series matches "xyzzyplugh"'],
  ])('asof %s', async (line, said) => {
    expect(await reason(line)).toBe(`asof: no rows: ${said}\n`);
  });

  it('unless the days of a diff just agree', async () => {
    expect(await reason('diff GDP 2014-12-23 2014-12-24 --from 2014-01-01')).toBe('');
  });

  it('each of the first three series of a panel', async () => {
    const text = await reason('panel GDP UNRATE PAYEMS GDPC1 --from 2030-01-01');
    expect(linesOf(text).map((one) => one.replace(/is \d{4}-.*$/, 'is …'))).toEqual(
      ['GDP', 'UNRATE', 'PAYEMS'].map((id) => `asof: no rows: the newest date of ${id} is …`),
    );
  });

  it('also of a daily series on a weekend', async () => {
    expect(await reason('revisions DGS10 --date 2024-03-31')).toBe(
      'asof: no rows: no value of DGS10 was published for 2024-03-31, a Sunday\n',
    );
  });
});
