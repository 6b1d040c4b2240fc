import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { open } from '../../../../src/index.ts';
import { asof, linesOf, transcript } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { importFiles, newStorePath } from '../../../support/scratch-store.ts';

const folder = scratchFolder();
let store = '';

// What the Bureau of Labor Statistics had published by the middle of three quarters (Real-Time Data Set, RUC), a
// figure of each of its two following releases, the advance estimate of GDP and its revisions, and a curve.
const files = {
  'unrate.csv': `series_id,date,as_of_date,value,vintage_kind
UNRATE,2008-04-01,2008-05-15,5,sampled
UNRATE,2008-07-01,2008-08-15,5.7,sampled
UNRATE,2008-10-01,2008-11-15,6.5,sampled
`,
  'gdp.csv': `series_id,date,as_of_date,value
GDP,2008-04-01,2008-07-31,14256.5
GDP,2008-04-01,2008-08-28,14312.5
`,
  'mixed.csv': `series_id,date,as_of_date,value,vintage_kind
MIXED,2008-04-01,2008-07-31,1,exact
MIXED,2008-05-01,2008-08-31,2,exact
MIXED,2008-06-01,2008-11-30,3,fetched
X,2008-01-01,2008-02-01,1,unknown
`,
  'curve.csv': 'DATE,DGS2,DGS10\n2008-08-14,2.43,3.91\n2008-08-15,2.41,3.84\n',
};

beforeAll(async () => {
  store = newStorePath(folder);
  await importFiles(store, files);
});

const run = (line: string, ...more: readonly string[]) =>
  asof([...line.split(' '), ...more, '--store', store]);

const since = 'later publications may be missing';
const sampled = `UNRATE is sampled: values are from the sample of 2008-08-15; ${since}`;
const firstRelease = 'UNRATE is sampled: a first release is the first vintage that has the date';

describe('an answer as of a day says on stderr that it comes from a sample', () => {
  test.each([
    ['obs UNRATE --as-of 2008-09-16', sampled],
    ['obs UNRATE --as-of 2008-11-15', 'UNRATE is sampled: values are from the sample of 2008-11-15'],
    ['panel UNRATE GDP --as-of 2008-08-28', sampled],
    [
      'diff UNRATE 2008-05-20 2008-08-20',
      `UNRATE is sampled: values are from the sample of 2008-05-15; ${since}\nasof: ${sampled}`,
    ],
    ['obs MIXED --as-of 2008-11-30', ''],
    ['obs MIXED --as-of 2008-08-31', ''],
    // Its next vintage is not exact, which nobody knew on that day.
    ['obs MIXED --as-of 2008-10-15', ''],
    ['obs GDP --as-of 2008-08-01', ''],
    ['obs UNRATE', ''],
    [
      'panel UNRATE GDP --as-of-each month-end --from 2008-07-31 --to 2008-08-28',
      'UNRATE is sampled: each row shows the newest vintage up to its as-of date',
    ],
    ['revisions UNRATE --date 2008-07-01', 'UNRATE is sampled: these are the first samples with each value'],
    ['obs UNRATE --first-release --as-of 2008-11-15', firstRelease],
  ])('asof %s', async (line, note) => {
    const { code, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: note === '' ? '' : `asof: ${note}\n` });
    expect((await run(line, '-q')).err).toBe('');
  });

  it('and in JSON: the vintage and its kind, and nothing of later ones', async () => {
    const told = async (line: string) => JSON.parse((await run(line, '--json')).out);
    const { vintage, covered_to } = await told('obs UNRATE --as-of 2008-09-16');
    expect(vintage).toEqual({ as_of_date: '2008-08-15T00:00:00Z', vintage_kind: 'sampled' });
    expect(covered_to).toBeUndefined();
    const mixed = await told('obs MIXED --as-of 2008-10-15');
    expect(mixed.vintage).toEqual({ as_of_date: '2008-08-31T00:00:00Z', vintage_kind: 'exact' });
    const long = await told('panel UNRATE GDP --as-of 2008-08-28');
    expect(long.results.map((row: Record<string, unknown>) => row.vintage_kind)).toEqual([
      'sampled',
      'sampled',
      'exact',
    ]);
    const wide = await told('panel unrate GDP MIXED --as-of 2008-08-28 --wide');
    expect(wide.vintage_kinds).toEqual({ unrate: 'sampled', GDP: 'exact', MIXED: 'exact' });
    const days = '--as-of-each month-end --from 2008-10-01 --to 2008-11-30';
    const each = await told(`panel unrate GDP MIXED ${days} --wide`);
    expect(each.vintage_kinds).toEqual({ unrate: 'sampled', MIXED: 'exact; fetched' });
    const none = await told('panel unrate GDP MIXED --as-of 1990-01-01 --wide');
    expect(none.vintage_kinds).toBeUndefined();
  });

  it('and in the subtitle of a chart', async () => {
    const { out } = await run('obs UNRATE GDP --as-of 2008-08-20 --plot');
    expect(out).toContain('As known on 2008-08-20; UNRATE is sampled');
    const { out: revisions } = await run('revisions UNRATE --date 2008-07-01 --plot');
    expect(revisions.replace(/\s+/g, ' ')).toContain('UNRATE is sampled');
  });
});

const refuses = '--exact refuses this answer: ';

describe('--exact', () => {
  const mixed = '; some of its vintages are dated by the day of a download, not by the day of publication';
  const each = '--as-of-each day --from 2008-09-01 --to';
  test.each([
    ['obs UNRATE --as-of 2008-09-16', sampled],
    ['obs UNRATE', 'UNRATE is sampled: values are from the newest sample, of 2008-11-15'],
    ['obs MIXED --as-of 2008-10-15', `MIXED is exact on 2008-08-31: ${since}${mixed}`],
    ['obs MIXED', `MIXED is fetched: values are from the newest vintage, of 2008-11-30${mixed}`],
    ['obs UNRATE --first-release', firstRelease],
    ['panel UNRATE --as-of 2008-09-16', sampled],
    ['diff UNRATE 2008-08-15 2008-09-16', 'UNRATE is sampled: values are from the sample of 2008-08-15'],
    [`panel UNRATE ${each} 2008-09-16`, 'UNRATE is sampled'],
    [`panel MIXED ${each} 2008-10-15 --beyond repeat`, `MIXED is exact on 2008-08-31: ${since}${mixed}`],
    ['vintages UNRATE', 'UNRATE is sampled'],
    ['revisions UNRATE --date 2008-07-01', 'UNRATE is sampled'],
    ['obs X --as-of 2008-02-01', 'it is not known how the vintages of X came about'],
  ])('refuses asof %s with 9 and the reason, and writes nothing', async (line, reason) => {
    const { code, out, err } = await run(line, '--exact', '-q');
    expect([code, out, linesOf(err)[0]]).toEqual([9, '', `asof: ${refuses}${reason}`]);
  });

  test.each([
    'obs GDP --as-of 2008-08-01',
    'obs GDP',
    'obs MIXED --as-of 2008-08-31',
    'panel GDP MIXED --as-of-each day --from 2008-08-01 --to 2008-08-28',
    'vintages GDP',
    'revisions GDP --date 2008-04-01',
    'diff GDP 2008-07-31 2008-08-28',
    'yields',
  ])('does not change the answer to asof %s', async (line) => {
    expect(await run(line, '-q', '--exact')).toEqual({ ...(await run(line, '-q')), code: 0 });
  });
});

const coverage = (most: number) =>
  `GDP is covered to 2008-08-28, 4 days before 2008-09-01; the maximum age is ${most}`;

describe('--max-age', () => {
  const curve = 'the PAR curve is covered to 2008-08-15, 5 days before 2008-08-20; the maximum age is 4';
  test.each([
    ['obs GDP --as-of 2008-09-01 --max-age 3', coverage(3)],
    [
      'obs GDP --as-of 2008-08-29 --max-age 0',
      'GDP is covered to 2008-08-28, 1 day before 2008-08-29; the maximum age is 0',
    ],
    [
      'obs GDP --max-age 100',
      'GDP is covered to 2008-08-28, 6,408 days before 2026-03-15; the maximum age is 100',
    ],
    ['panel GDP --as-of 2008-09-01 --max-age 3', coverage(3)],
    ['vintages GDP --as-of 2008-09-01 --max-age 3', coverage(3)],
    ['diff GDP 2008-08-01 2008-09-01 --max-age 3', coverage(3)],
    ['revisions GDP --date 2008-04-01 --as-of 2008-09-01 --max-age 3', coverage(3)],
    ['panel GDP --as-of-each day --from 2008-08-01 --to 2008-09-01 --max-age 3', coverage(3)],
    ['curve --date 2008-08-20 --max-age 4', curve],
    ['yields --to 2008-08-20 --max-age 4', curve],
    ['yields --wide --to 2008-08-20 --max-age 4', curve],
    ['spread --to 2008-08-20 --max-age 4', curve],
    ['curve --type tips --max-age 4', 'there are no data on the TIPS curve'],
    ['insider filings --max-age 4', 'there are no data on insider filings'],
    ['insider clusters --max-age 4', 'there are no data on insider filings'],
  ])('refuses asof %s with 9 and the reason, and writes nothing', async (line, reason) => {
    const { code, out, err } = await run(line, '-q');
    expect([code, out, linesOf(err)[0]]).toEqual([9, '', `asof: ${reason}`]);
  });

  test.each([
    'obs GDP --as-of 2008-09-01 --max-age 4',
    'curve --date 2008-08-15 --max-age 0',
    'yields --to 2008-08-20 --max-age 5',
    'revisions GDP --date 2008-04-01 --as-of 2008-08-28 --max-age 0',
  ])('accepts asof %s', async (line) => {
    expect((await run(line, '-q')).code).toBe(0);
  });
});

describe('a real-time panel beyond the coverage of a series', () => {
  const output = join(folder, 'panel.csv');
  const each = '--as-of-each month-end --from 2008-08-01 --to 2008-10-31 --sort asc -q';
  transcript(
    `
    # has empty cells, in the wide form and in the long one
    $ asof panel GDP UNRATE ${each} --wide
    as_of,GDP,UNRATE
    2008-08-31,,5.7
    2008-09-30,,5.7
    2008-10-31,,5.7
    $ asof panel GDP UNRATE ${each}
    as_of,series_id,date,value,as_of_date
    2008-08-31,GDP,,,
    2008-08-31,UNRATE,2008-07-01,5.7,2008-08-15
    …

    # is refused with 9 with --beyond fail, and leaves no file
    $ asof panel GDP UNRATE ${each} --beyond fail -o ${output}
    ! asof: GDP is covered to 2008-08-28: its value on 2008-08-31 is not known
    [exit 9]

    # repeats the newest value with --beyond repeat, and has the date of each value with --with-dates
    $ asof panel GDP UNRATE ${each} --wide --beyond repeat --with-dates
    as_of,GDP,GDP_date,UNRATE,UNRATE_date
    2008-08-31,14312.5,2008-04-01,5.7,2008-07-01
    2008-09-30,14312.5,2008-04-01,5.7,2008-07-01
    2008-10-31,14312.5,2008-04-01,5.7,2008-07-01
    $ asof panel GDP UNRATE ${each} --wide --with-dates
    as_of,GDP,GDP_date,UNRATE,UNRATE_date
    2008-08-31,,,5.7,2008-07-01
    …
    `,
    () => {
      expect(() => readFileSync(output)).toThrow('ENOENT');
      return { env: { ASOF_STORE: store } };
    },
  );
});

describe('a snapshot', () => {
  const plan = join(folder, 'plan.txt');
  const manifestOf = (out: string) => JSON.parse(readFileSync(join(folder, out, 'manifest.json'), 'utf8'));
  const take = (out: string, lines: readonly string[], day: string, ...flags: readonly string[]) => {
    writeFileSync(plan, lines.join('\n'));
    const target = ['--out', join(folder, out), '--as-of', day, '--store', store];
    return asof(['snapshot', plan, ...target, ...flags]);
  };
  const verify = (out: string, from = store) => asof(['verify', join(folder, out), '--store', from]);

  it('says what is not covered to its day and what is sampled, once, and writes both into the manifest', async () => {
    const lines = ['a.csv obs GDP UNRATE', 'b.csv panel GDP UNRATE --wide', 'c.csv curve'];
    const { code, err } = await take('snap', lines, '2008-09-16');
    expect([code, linesOf(err).sort()]).toEqual([
      0,
      [
        'asof: GDP is covered to 2008-08-28',
        `asof: ${sampled}`,
        'asof: the PAR curve is covered to 2008-08-15',
      ],
    ]);
    const both = [
      { subject: 'GDP', covered_to: '2008-08-28', vintage_kind: 'exact' },
      { subject: 'UNRATE', covered_to: '2008-09-16', vintage_kind: 'sampled' },
    ];
    expect(manifestOf('snap').files).toMatchObject([
      { coverage: both },
      { coverage: both },
      { coverage: [{ subject: 'the PAR curve', covered_to: '2008-08-15' }] },
    ]);
    expect((await verify('snap')).code).toBe(0);
  });

  it.each([
    ['a.csv obs UNRATE --exact', '2008-09-16', `plan.txt line 1 (a.csv): ${refuses}${sampled}`],
    [
      'a.csv obs GDP --max-age 5',
      '2008-09-16',
      'plan.txt line 1 (a.csv): GDP is covered to 2008-08-28, 19 days before 2008-09-16; the maximum age is 5',
    ],
    ['a.csv obs GDP', '2008-09-01', coverage(3)],
    ['a.csv panel GDP MIXED', '2008-09-01', coverage(3)],
    [
      'a.csv yields --maturity 10Y',
      '2008-08-20',
      'is covered to 2008-08-15, 5 days before 2008-08-20; the maximum age is 3',
    ],
  ])('with --max-age 3 is refused for %s as of %s, and not written', async (line, day, why) => {
    const { code, err } = await take('none', [line], day, '--max-age', '3d', '-q');
    expect([code, err]).toEqual([9, expect.stringContaining(why)]);
    expect(() => manifestOf('none')).toThrow('ENOENT');
  });

  it('takes data that are new enough, and a line that allows more for itself', async () => {
    const lines = ['gdp.csv obs GDP', 'old.csv obs UNRATE --max-age 20'];
    const { code, err } = await take('aged', lines, '2008-08-30', '--max-age', '3', '-q');
    expect([code, err]).toEqual([0, '']);
    const covered = [{ subject: 'GDP', covered_to: '2008-08-28', vintage_kind: 'exact' }];
    expect(manifestOf('aged').files[0].coverage).toEqual(covered);
    expect((await verify('aged')).code).toBe(0);
  });

  it('says of a line that begins after its day, whose file has no rows; curves are current on a weekend', async () => {
    const later = 'a.csv: --from 2009-01-01 is later than 2008-08-28, the as-of date of the snapshot';
    const begun = await take('later', ['a.csv obs GDP --from 2009-01-01'], '2008-08-28');
    expect([begun.code, begun.err]).toEqual([0, `asof: ${later}\n`]);
    expect((await take('weekend', ['c.csv curve'], '2008-08-17')).err).toBe('');
  });

  it('is found by verify to claim more than the data give', async () => {
    await take('claims', ['a.csv obs GDP --from 2008-04-01'], '2008-09-16');
    const other = newStorePath(folder);
    const lines = linesOf(files['gdp.csv']);
    const kinds = lines.map((line, i) => `${line},${i === 0 ? 'vintage_kind' : 'sampled'}\n`);
    await importFiles(other, { 'gdp.csv': kinds.join('') });
    const { code, out: found } = await verify('claims', other);
    expect([code, found]).toEqual([
      1,
      'a.csv is recorded with another coverage or kind of vintages of GDP than its command gives\n',
    ]);
  });
});

it('the library says which vintage a result is from, and takes demands as parameters', async () => {
  const library = await open(store);
  const { vintage } = await library.observations('UNRATE', { asOf: '2008-09-16' });
  expect(vintage).toEqual({ as_of_date: '2008-08-15', vintage_kind: 'sampled' });
  const inexact = library.observations('UNRATE', { asOf: '2008-09-16', exact: true });
  await expect(inexact).rejects.toMatchObject({ kind: 'inexact' });
  const old = { kind: 'too-old' };
  await expect(library.panel(['GDP'], { asOf: '2008-09-16', maxAge: 5 })).rejects.toMatchObject(old);
  await expect(library.yields({ to: '2008-09-16', maxAge: 5 })).rejects.toMatchObject(old);
  const plan = join(folder, 'plan.txt');
  writeFileSync(plan, 'gdp.csv obs GDP\n');
  const target = { out: join(folder, 'library-snap'), asOf: '2008-09-01', maxAge: 3 };
  await expect(library.snapshot(plan, target)).rejects.toMatchObject(old);
  const range = { from: '2008-08-01', to: '2008-08-31', asOfEach: 'month-end', wide: true } as const;
  const { rows } = await library.panel(['GDP'], { ...range, withDates: true, beyond: 'repeat' });
  expect(rows).toEqual([{ as_of: '2008-08-31', GDP: '14312.5', GDP_date: '2008-04-01' }]);
  expect((await library.panel(['GDP'], range)).rows).toEqual([{ as_of: '2008-08-31', GDP: null }]);
  await library.close();
});
