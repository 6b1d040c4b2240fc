import { beforeAll, describe, expect, it } from 'vitest';
import { asof, importedFacts, linesOf, statements, transcript } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { importFiles, newStorePath } from '../../../support/scratch-store.ts';

const store = newStorePath(scratchFolder());

beforeAll(() =>
  importFiles(store, {
    'facts.csv': importedFacts,
    'odd.csv': statements([
      'ODD,2020-01-01,2020-02-01,0',
      'ODD,2020-01-01,2020-02-11,4.50',
      'ODD,2020-01-01,2020-03-01,',
      'ODD,2020-01-01,2020-04-01,5',
      'ODD,2020-01-01,2020-05-01,5.0',
      'ODD,2020-02-01,2020-03-01,1',
      'BACK,2020-01-01,2020-02-01,5',
      'BACK,2020-01-01,2020-03-01,',
      'BACK,2020-01-01,2020-04-01,5.0',
    ]),
  }),
);

const surroundings = () => ({ env: { ASOF_STORE: store } });
const run = (line: string) => asof(line.split(' '), surroundings());

describe('asof vintages', () => {
  transcript(
    `
    # lists every day of publication, also one that changed nothing, newest first
    $ asof vintages odd
    as_of_date,added,revised,withdrawn
    2020-05-01,0,0,0
    2020-04-01,1,0,0
    2020-03-01,1,0,1
    2020-02-11,0,1,0
    2020-02-01,1,0,0
    ! asof: first vintage 2020-02-01, last 2020-05-01, dates from 2020-01-01, covered to 2020-05-01

    # is bounded by its range and by the as-of date
    $ asof vintages ODD --from 2020-02-11 --to 2020-03-31 --columns as_of_date --no-header -q
    2020-03-01
    2020-02-11
    $ asof vintages ODD --as-of 2020-02-29 --columns as_of_date --no-header
    2020-02-11
    2020-02-01
    $ asof vintages ODD --known-before 2020-02-11 --columns as_of_date --no-header
    2020-02-01
    $ asof vintages ODD --as-of 2020-03-01 --to 2020-02-11 --columns as_of_date --no-header
    2020-02-11
    2020-02-01
    $ asof vintages ODD --limit 2 --columns as_of_date --no-header -q
    2020-05-01
    2020-04-01
    $ asof vintages GDPX
    ! asof: series 'GDPX' not found
    !       did you mean GDP…
    …
    [exit 3]
    `,
    surroundings,
  );

  it('says what is covered in JSON too, but not as of a day', async () => {
    const { out, err } = await run('vintages ODD --json');
    expect(JSON.parse(out).coverage).toEqual({
      first_vintage: '2020-02-01T00:00:00Z',
      last_vintage: '2020-05-01T00:00:00Z',
      first_date: '2020-01-01T00:00:00Z',
      covered_to: '2020-05-01T00:00:00Z',
    });
    expect(err).toBe('');
    expect(JSON.parse((await run('vintages ODD --json --as-of 2020-03-01')).out).coverage).toBeUndefined();
  });
});

describe('asof diff', () => {
  transcript(
    `
    # gives what two days disagree on, newest date first
    $ asof diff gdp 2014-12-22 2015-03-27
    series_id,date,old,new,change,percent,kind
    GDP,2014-10-01,,17703.7,,,added
    GDP,2014-07-01,17555.2,17599.8,44.6,0.2541,revised

    # shows withdrawals, and treats a number with other digits as the same
    $ asof diff ODD 2020-02-15 2020-03-15 --no-header
    ODD,2020-02-01,,1,,,added
    ODD,2020-01-01,4.50,,,,withdrawn
    $ asof diff ODD 2020-04-02 2020-05-01 --no-header
    $ asof diff BACK 2020-02-02 2020-04-01 --no-header
    $ asof diff BACK 2020-02-02 2020-03-02 --no-header --columns date,old,new
    2020-01-01,5,

    # compares several series, each newest date first, in the order in which they are named
    $ asof diff back gdp ODD 2014-12-22 2020-04-15 --no-header -q --columns series_id,date,kind
    BACK,2020-01-01,added
    GDP,2014-10-01,added
    GDP,2014-07-01,revised
    ODD,2020-02-01,added
    ODD,2020-01-01,added
    $ asof diff G* 2014-12-22 2015-03-27 --no-header -q --columns series_id,date
    GDP,2014-10-01
    GDP,2014-07-01
    GDPC1,2014-10-01

    # lists with --all-rows the dates with the same value too, which are no differences
    $ asof diff ODD 2020-04-02 2020-05-01 --all-rows --no-header --exit-code --columns date,old,new,change,kind
    2020-02-01,1,1,0,unchanged
    2020-01-01,5,5,0,unchanged
    $ asof diff GDP 2014-12-23 2015-01-30 --all-rows --no-header --exit-code --columns date,kind
    2014-10-01,added
    2014-07-01,unchanged
    [exit 1]

    # says so where the second date is earlier than the first, or a day is outside the coverage
    $ asof diff GDP 2015-02-27 2015-01-30 --no-header --columns old,new
    17701.3,17710.7
    ! asof: 2015-01-30 is earlier than 2015-02-27: changes are shown back in time
    $ asof diff GDP 2014-10-29 2015-03-27 --no-header --columns kind
    added
    added
    ! asof: GDP is covered from 2014-10-30
    $ asof diff GDP 2014-10-29 2015-03-28 --no-header --columns kind
    added
    added
    ! asof: GDP is covered from 2014-10-30 to 2015-03-27

    # fails where no day differs on request, and for a series that does not exist
    $ asof diff GDP 2015-01-01 2015-01-02 --fail-empty --no-header
    [exit 9]
    $ asof diff GDPX GDP 2015-01-01 2015-02-01 --exit-code
    ! asof: series 'GDPX' not found
    !       did you mean GDP…
    …
    [exit 3]
    `,
    surroundings,
  );

  it.each([
    ['2014-12-23 2015-01-30', 1],
    ['2014-12-23 2015-01-29', 0],
    ['2014-12-23 2015-01-30 --known-before', 1],
    ['2014-12-24 2015-01-30 --known-before', 0],
    ['2014-11-25 2015-01-30 --to 2014-09-30', 1],
    ['2014-11-25 2015-01-30 --from 2014-10-01', 1],
    ['2014-11-25 2015-01-30 --from 2015-01-01', 0],
  ])('%s --exit-code', async (line, code) => {
    const ended = await run(`diff GDP ${line} --exit-code -q`);
    expect([ended.code, linesOf(ended.out).length > 1]).toEqual([code, code === 1]);
  });

  it('is one envelope as JSON, of several series too', async () => {
    const { results, request_id, ...told } = JSON.parse(
      (await run('diff GDP 2014-12-23 2015-01-30 --json')).out,
    );
    expect(told).toEqual({ object: 'diff', status: 'ok', results_count: 1, has_more: false });
    expect(request_id).toMatch(/^req_/);
    const [row] = results;
    expect(row).toMatchObject({ series_id: 'GDP', date: '2014-10-01T00:00:00Z', kind: 'added' });
    expect([row.old, row.new, row.change, row.percent]).toEqual([null, '17710.7', null, null]);
  });
});
