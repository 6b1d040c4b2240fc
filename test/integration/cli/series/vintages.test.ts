import { describe, expect, it } from 'vitest';
import { importedFacts, linesOf, statements, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';

const folder = newFolder();
const asked = askedStore([], {
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
});
const run = (line: string) => asked.run('embedded', line);

describe('several series', () => {
  it.each<readonly [typed: string, ids: string]>([
    ['gdp unrate', 'GDP UNRATE'],
    ['UNRATE GDP', 'UNRATE GDP'],
    ['GDP gdp UNRATE GDP', 'GDP UNRATE'],
    ['gdp*', 'GDP GDPC1'],
    ['*P*', 'GDP GDPC1'],
    ['*E GDP*', 'UNRATE GDP GDPC1'],
    ['GDPC1 GDP*', 'GDPC1 GDP'],
    ['GDP.*', ''],
  ])('asof obs %s', async (typed, ids) => {
    const { out } = await run(`obs ${typed} --limit 1 --columns series_id --no-header`);
    expect(linesOf(out).join(' ')).toBe(ids);
  });

  transcript(
    `
    # are each limited by --limit, and by --first to their oldest rows, and reversed by --sort asc
    $ asof obs GDP LONG GDPC1 --limit 2 --columns series_id,date --no-header
    GDP,2014-10-01
    GDP,2014-07-01
    LONG,2016-11-04
    LONG,2016-11-03
    GDPC1,2014-10-01
    $ asof obs GDP LONG --first 2 --columns series_id,date --no-header
    GDP,2014-10-01
    GDP,2014-07-01
    LONG,2010-01-02
    LONG,2010-01-01
    $ asof obs LONG UNRATE --first 2 --sort asc --columns series_id,date --no-header
    LONG,2010-01-01
    LONG,2010-01-02
    UNRATE,2014-12-01

    # write nothing if one is not found; the message names all of these
    $ asof obs NOPE UNRATE X* GDPC1 GDP?
    ! asof: series 'NOPE' not found
    !       asof series search finds series by words
    !       also not found: X*; no series id matches this pattern
    !       also not found: GDP?; did you mean GDP or GDPC1?
    !       --skip-missing leaves out what is not found
    [exit 3]

    # are those that are found with --skip-missing, which says what it leaves out, even with -q
    $ asof obs NOPE UNRATE X* GDPC1 --skip-missing -q --columns series_id,date --no-header
    UNRATE,2014-12-01
    GDPC1,2014-10-01
    ! asof: left out, because not found: NOPE and X*

    # write nothing if none is found, with --skip-missing too
    $ asof obs NOPE NIL --skip-missing
    ! asof: series 'NOPE' not found
    !       asof series search finds series by words
    !       also not found: NIL
    [exit 3]

    # have facts in the CSV that import reads, all or those that are found
    $ asof facts gdp UNR*
    series_id,date,as_of_date,value,vintage_kind,title,units,frequency,seasonal_adjustment,source,covered_to
    GDP,2014-07-01,2014-10-30,17535.4,exact,…
    GDP,2014-07-01,2014-11-25,17555.2,exact,…
    GDP,2014-07-01,2014-12-23,17599.8,exact,…
    GDP,2014-10-01,2015-01-30,17710.7,exact,…
    GDP,2014-10-01,2015-02-27,17701.3,exact,…
    GDP,2014-10-01,2015-03-27,17703.7,exact,…
    UNRATE,2014-12-01,2015-01-09,5.6,exact,…
    $ asof facts NOPE UNRATE
    ! asof: series 'NOPE' not found
    …
    [exit 3]
    $ asof facts NOPE UNRATE --skip-missing -q
    series_id,date,as_of_date,value,vintage_kind,title,units,frequency,seasonal_adjustment,source,covered_to
    UNRATE,2014-12-01,2015-01-09,5.6,exact,…
    ! asof: left out, because not found: NOPE

    # are found by words, all of them without words
    $ asof series search gdp --columns id --no-header
    GDP
    GDPC1
    $ asof series search --columns id --no-header
    BACK
    GDP
    GDPC1
    LONG
    ODD
    UNRATE
    $ asof series search --limit 2 --columns id --no-header
    BACK
    GDP
    $ asof series search rate --match id
    id,title,units,frequency,observation_count,last_updated,source
    UNRATE,…
    `,
    () => asked.as('embedded'),
  );

  it('joined JSON has no series and says that there is more where a limit cut', async () => {
    const line = 'obs GDP LONG NOPE --skip-missing --as-of 2020-06-30 --limit 1 --json';
    const { results, ...rest } = JSON.parse((await run(line)).out);
    expect(Object.keys(rest).sort()).toEqual(
      ['object', 'request_id', 'status', 'as_of', 'missing', 'results_count', 'has_more'].sort(),
    );
    expect(rest).toMatchObject({ results_count: 2, has_more: true, missing: ['NOPE'] });
    expect(results.map((row: { series_id: string }) => row.series_id)).toEqual(['GDP', 'LONG']);
  });

  it('joined JSON names what --skip-missing leaves out, also where only one of them answers', async () => {
    const line = 'obs LONG NOPE --skip-missing --limit 1 --json';
    const envelope = JSON.parse((await run(line)).out);
    expect(envelope).toMatchObject({ missing: ['NOPE'], results_count: 1, has_more: true });
    expect(Object.keys(envelope)).not.toContain('next_cursor');
    expect(Object.keys(envelope)).not.toContain('covered_to');
  });
});

describe('coverage', () => {
  const before = ['GDP', 'UNRATE', 'LONG'].map((id) => `${id} has no vintage up to 2000-01-01`).join(', ');
  it.each<readonly [line: string, notes: readonly string[]]>([
    ['GDP --as-of 2015-03-27', []],
    ['GDP --as-of 2015-03-28', ['GDP is covered to 2015-03-27']],
    ['GDP --known-before 2014-10-30', ['GDP has no vintage up to 2014-10-29']],
    ['GDP', []],
    ['GDP* --as-of 2016-01-01', ['GDP is covered to 2015-03-27', 'GDPC1 is covered to 2015-01-30']],
    ['GDP UNRATE LONG GDPC1 --as-of 2000-01-01', [`${before}, and 1 more series does not cover 2000-01-01`]],
    ['GDP --as-of 2016-01-01 -q', []],
  ])('asof obs %s', async (line, notes) => {
    const { code, err } = await run(`obs ${line}`);
    expect({ code, err }).toEqual({ code: 0, err: notes.map((note) => `asof: ${note}\n`).join('') });
  });

  it('is not asked of series that had not begun, or could not be answered', async () => {
    const pattern = await run('obs * --as-of 2000-01-01');
    const reason = "asof: series '*' not found\n      no series id matches this pattern\n";
    expect([pattern.code, pattern.err]).toEqual([3, expect.stringContaining(reason)]);
    const { err } = await run('obs NOPE --as-of 2000-01-01 --json');
    expect(JSON.parse(err)).toMatchObject({ status: 404 });
  });
});

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
    ! asof: ODD: vintages from 2020-02-01 to 2020-05-01, dates from 2020-01-01, covered to 2020-05-01

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
    () => asked.as('embedded'),
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
    # gives what two days disagree on, newest date first, and last what only one of them knows
    $ asof diff gdp 2014-12-22 2015-03-27
    series_id,date,old,new,change,percent,kind
    GDP,2014-07-01,17555.2,17599.8,44.6,0.2541,revised
    GDP,2014-10-01,,17703.7,,,added

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
    GDP,2014-07-01,revised
    GDP,2014-10-01,added
    ODD,2020-02-01,added
    ODD,2020-01-01,added
    $ asof diff G* 2014-12-22 2015-03-27 --no-header -q --columns series_id,date
    GDP,2014-07-01
    GDP,2014-10-01
    GDPC1,2014-10-01

    # lists with --all-rows the dates with the same value too, which are no differences
    $ asof diff ODD 2020-04-02 2020-05-01 --all-rows --no-header --exit-code --columns date,old,new,change,kind
    2020-02-01,1,1,0,unchanged
    2020-01-01,5,5,0,unchanged
    $ asof diff GDP 2014-12-23 2015-01-30 --all-rows --no-header --exit-code --columns date,kind
    2014-07-01,unchanged
    2014-10-01,added
    [exit 1]

    # says so where the second date is earlier than the first, or a day is outside the coverage
    $ asof diff GDP 2015-02-27 2015-01-30 --no-header --columns old,new
    17701.3,17710.7
    ! asof: 2015-01-30 is earlier than 2015-02-27: the changes run from the later date to the earlier
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
    () => asked.as('embedded'),
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

/** Every kind of question about several series, with a place for their ids. */
const questions = [
  'obs % --as-of 2015-02-01',
  'obs % --units log',
  'obs % --sort asc',
  'obs % --json',
  'obs % --vintages 2014-12-31,latest',
  'obs % --as-of 2014-12-31 --vs latest',
  'panel %',
  'panel % --wide --json',
  'panel % --as-of 2015-02-01 --units log --wide',
  'panel % --as-of-each month-end --from 2014-12-01 --to 2015-03-31 --wide',
  'panel % --as-of-each month-end --from 2014-12-01 --to 2015-03-31 --last 2',
  'diff % 2014-12-31 2015-02-01',
  'join FILE --on day %',
];

const days = folder.write('days.csv', 'day\n2015-02-01\n');
const table = folder.write('values.csv', 'day,GDP,X\n2015-02-01,17710.7,1\n');

describe.each(commandModes)('one unknown id among several, %s,', (mode) => {
  const ask = (question: string, ids: string, more = '') =>
    asked.run(mode, `${question.replace('%', ids).replace('FILE', days)}${more}`);
  const without = (text: string) => text.replace(/req_\w+/g, 'req_');
  /** What `--json` says of the ids that are left out. */
  const named = /\n {2}"missing": \[\n {4}"NOPE"\n {2}\],/;

  it.each(questions)(
    'prints and writes nothing; --skip-missing answers as without it: %s',
    async (question) => {
      const path = folder.path('out.csv');
      for (const more of ['', ` -o ${path}`]) {
        const { code, out, err } = await ask(question, 'GDP NOPE UNRATE', more);
        expect([code, out, err]).toEqual([3, '', expect.stringContaining("series 'NOPE' not found")]);
        expect(folder.has('out.csv')).toBe(false);
      }
      const { code, out, err } = await ask(question, 'GDP NOPE UNRATE', ' --skip-missing -q');
      expect([code, err]).toEqual([0, 'asof: left out, because not found: NOPE\n']);
      const expected = await ask(question, 'GDP UNRATE', ' -q');
      expect(expected.code).toBe(0);
      expect(named.test(out)).toBe(question.includes('--json'));
      expect(without(out.replace(named, ''))).toBe(without(expected.out));
    },
  );

  transcript(
    `
    # is that of a column of a file that is checked, or left out with --skip-missing
    $ asof check ${table} --column GDP --column X=NOPE
    ! asof: series 'NOPE' not found
    !       asof series search finds series by words
    !       --skip-missing leaves out what is not found
    [exit 3]
    $ asof check ${table} --column GDP --column X=NOPE --skip-missing --all-rows --no-header
    2,2015-02-01,GDP,…
    ! asof: left out, because not found: NOPE
    ! …
    $ asof check ${table} --column X=NOPE --skip-missing
    ! asof: series 'NOPE' not found
    ! …
    [exit 3]
    `,
    () => asked.as(mode),
  );
});
