import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { asof, linesOf } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';
import { envelope, reply, serve } from '../../support/service-double.ts';

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
`,
  'curve.csv': 'DATE,DGS2,DGS10\n2008-08-14,2.43,3.91\n2008-08-15,2.41,3.84\n',
};

beforeAll(async () => {
  store = newStorePath(folder);
  await importFiles(store, files);
});

const run = (line: string, ...more: readonly string[]) =>
  asof([...line.split(' '), ...more, '--store', store], { env: { ASOF_FORMAT: 'csv' } });

describe('an answer as of a day says on stderr that it comes from a sample', () => {
  test.each([
    [
      'obs UNRATE --as-of 2008-09-16',
      'UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
    ],
    ['obs UNRATE --as-of 2008-11-15', 'UNRATE is sampled: this is 2008-11-15'],
    [
      'panel UNRATE GDP --as-of 2008-08-28',
      'UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
    ],
    [
      'diff UNRATE 2008-05-20 2008-08-20',
      'UNRATE is sampled: this is 2008-05-15; what was published since then may be missing\n' +
        'asof: UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
    ],
    ['obs MIXED --as-of 2008-11-30', ''],
    ['obs MIXED --as-of 2008-08-31', ''],
    // Its next vintage is not exact, which nobody knew on that day.
    ['obs MIXED --as-of 2008-10-15', ''],
    ['obs GDP --as-of 2008-08-01', ''],
    ['obs UNRATE', ''],
    [
      'panel UNRATE GDP --as-of-each month-end --from 2008-07-31 --to 2008-08-28',
      'UNRATE is sampled: each row shows the newest vintage on its as-of date',
    ],
    ['revisions UNRATE --date 2008-07-01', 'UNRATE is sampled: these are the first samples with each value'],
    [
      'obs UNRATE --first-release --as-of 2008-11-15',
      'UNRATE is sampled: a first release is the first vintage that has the date',
    ],
  ])('asof %s', async (line, note) => {
    const { code, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: note === '' ? '' : `asof: ${note}\n` });
    expect((await run(line, '-q')).err).toBe('');
  });

  it('and in JSON: the vintage and its kind, and nothing of later ones', async () => {
    const { out } = await run('obs UNRATE --as-of 2008-09-16 --json');
    const { vintage, covered_to } = JSON.parse(out);
    expect([vintage, covered_to]).toEqual([
      { as_of_date: '2008-08-15T00:00:00Z', vintage_kind: 'sampled' },
      undefined,
    ]);
    const mixed = JSON.parse((await run('obs MIXED --as-of 2008-10-15 --json')).out);
    expect(mixed.vintage).toEqual({ as_of_date: '2008-08-31T00:00:00Z', vintage_kind: 'exact' });
    const long = JSON.parse((await run('panel UNRATE GDP --as-of 2008-08-28 --json')).out);
    expect(long.results.map((row: Record<string, unknown>) => [row.series_id, row.vintage_kind])).toEqual([
      ['UNRATE', 'sampled'],
      ['UNRATE', 'sampled'],
      ['GDP', 'exact'],
    ]);
  });

  it('and in the JSON of a wide panel: the kinds of each column', async () => {
    const kinds = async (line: string) =>
      JSON.parse((await run(`panel unrate GDP MIXED ${line} --wide --json`)).out).vintage_kinds;
    expect(await kinds('--as-of 2008-08-28')).toEqual({ unrate: 'sampled', GDP: 'exact', MIXED: 'exact' });
    expect(await kinds('--as-of-each month-end --from 2008-10-01 --to 2008-11-30')).toEqual({
      unrate: 'sampled',
      MIXED: 'exact; fetched',
    });
    expect(await kinds('--as-of 1990-01-01')).toBeUndefined();
  });

  it('and in the subtitle of a chart', async () => {
    const { out } = await run('obs UNRATE GDP --as-of 2008-08-20 --plot');
    expect(out).toContain('As known on 2008-08-20; UNRATE is sampled');
    const { out: revisions } = await run('revisions UNRATE --date 2008-07-01 --plot');
    expect(revisions.replace(/\s+/g, ' ')).toContain('UNRATE is sampled');
  });
});

describe('--exact', () => {
  test.each([
    [
      'obs UNRATE --as-of 2008-09-16',
      'UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
    ],
    ['obs UNRATE', 'UNRATE is sampled: this is 2008-11-15, the newest sample'],
    [
      'obs MIXED --as-of 2008-10-15',
      'MIXED is exact on 2008-08-31: what was published since then may be missing',
    ],
    ['obs MIXED', 'MIXED is fetched: this is 2008-11-30, the newest vintage'],
    [
      'obs UNRATE --first-release',
      'UNRATE is sampled: a first release is the first vintage that has the date',
    ],
    [
      'panel UNRATE --as-of 2008-09-16',
      'UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
    ],
    ['diff UNRATE 2008-08-15 2008-09-16', 'UNRATE is sampled: this is 2008-08-15'],
    ['panel UNRATE --as-of-each day --from 2008-09-01 --to 2008-09-16', 'UNRATE is sampled'],
    [
      'panel MIXED --as-of-each day --from 2008-09-01 --to 2008-10-15 --beyond repeat',
      'MIXED is exact on 2008-08-31: what was published since then may be missing',
    ],
    ['vintages UNRATE', 'UNRATE is sampled'],
    ['revisions UNRATE --date 2008-07-01', 'UNRATE is sampled'],
  ])('refuses asof %s with 9 and the reason, and writes nothing', async (line, reason) => {
    const { code, out, err } = await run(line, '--exact', '-q');
    expect({ code, out, err }).toEqual({
      code: 9,
      out: '',
      err: expect.stringContaining(`asof: ${reason}\n`),
    });
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
    const [without, exact] = [await run(line, '-q'), await run(line, '-q', '--exact')];
    expect(exact).toEqual({ ...without, code: 0 });
  });

  it('refuses a store that does not know, and names the way out', async () => {
    const path = newStorePath(folder);
    await importFiles(path, {
      'x.csv': 'series_id,date,as_of_date,value,vintage_kind\nX,2020-01-01,2020-02-01,1,unknown\n',
    });
    const { code, err } = await asof(['obs', 'X', '--as-of', '2020-02-01', '--exact', '--store', path]);
    expect([code, err.split('\n')[0]]).toEqual([9, 'asof: it is not known how the vintages of X came about']);
  });
});

describe('asof snapshot --max-age', () => {
  const take = (lines: string, ...flags: readonly string[]) => {
    const plan = join(folder, 'plan.txt');
    writeFileSync(plan, lines);
    return asof(['snapshot', plan, '--out', join(folder, 'snap'), '--store', store, '-q', ...flags]);
  };

  test.each([
    ['gdp.csv obs GDP', '2008-09-01', 'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3'],
    [
      'p.csv panel GDP MIXED',
      '2008-09-01',
      'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3',
    ],
    [
      'y.csv yields --maturity 10Y',
      '2008-08-20',
      'is covered to 2008-08-15, 5 days before 2008-08-20: more than 3',
    ],
  ])(
    'refuses the snapshot for a line with older data, %s as of %s, and writes nothing',
    async (line, day, why) => {
      const { code, err } = await take(`${line}\n`, '--as-of', day, '--max-age', '3d');
      expect([code, err]).toEqual([9, expect.stringContaining(why)]);
      expect(() => readFileSync(join(folder, 'snap', 'manifest.json'))).toThrow();
    },
  );

  it('takes data that are new enough, and a line that allows more for itself', async () => {
    const lines = 'gdp.csv obs GDP\nold.csv obs UNRATE --max-age 20\n';
    const { code, err } = await take(lines, '--as-of', '2008-08-30', '--max-age', '3');
    expect([code, err]).toEqual([0, '']);
    const { files } = JSON.parse(readFileSync(join(folder, 'snap', 'manifest.json'), 'utf8'));
    expect(files[0].coverage).toEqual([{ subject: 'GDP', covered_to: '2008-08-28', vintage_kind: 'exact' }]);
    expect((await asof(['verify', join(folder, 'snap'), '--store', store])).code).toBe(0);
  });

  it('refuses in a library what it refuses on the command line', async () => {
    const library = await open(store);
    writeFileSync(join(folder, 'plan.txt'), 'gdp.csv obs GDP\n');
    const target = { out: join(folder, 'library-snap'), asOf: '2008-09-01', maxAge: 3 };
    await expect(library.snapshot(join(folder, 'plan.txt'), target)).rejects.toMatchObject({
      kind: 'too-old',
    });
    await library.close();
  });
});

describe('--max-age', () => {
  test.each([
    [
      'obs GDP --as-of 2008-09-01 --max-age 3',
      'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3',
    ],
    [
      'obs GDP --as-of 2008-08-29 --max-age 0',
      'GDP is covered to 2008-08-28, 1 day before 2008-08-29: more than 0',
    ],
    ['obs GDP --max-age 100', 'GDP is covered to 2008-08-28, 6408 days before 2026-03-15: more than 100'],
    [
      'panel GDP --as-of 2008-09-01 --max-age 3',
      'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3',
    ],
    [
      'vintages GDP --as-of 2008-09-01 --max-age 3',
      'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3',
    ],
    [
      'diff GDP 2008-08-01 2008-09-01 --max-age 3',
      'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3',
    ],
    [
      'revisions GDP --date 2008-04-01 --as-of 2008-09-01 --max-age 3',
      'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3',
    ],
    [
      'panel GDP --as-of-each day --from 2008-08-01 --to 2008-09-01 --max-age 3',
      'GDP is covered to 2008-08-28, 4 days before 2008-09-01: more than 3',
    ],
    [
      'curve --date 2008-08-20 --max-age 4',
      'the PAR curve is covered to 2008-08-15, 5 days before 2008-08-20: more than 4',
    ],
    [
      'yields --to 2008-08-20 --max-age 4',
      'the PAR curve is covered to 2008-08-15, 5 days before 2008-08-20: more than 4',
    ],
    [
      'yields --wide --to 2008-08-20 --max-age 4',
      'the PAR curve is covered to 2008-08-15, 5 days before 2008-08-20: more than 4',
    ],
    [
      'spread --to 2008-08-20 --max-age 4',
      'the PAR curve is covered to 2008-08-15, 5 days before 2008-08-20: more than 4',
    ],
    ['curve --type tips --max-age 4', 'there are no data on the TIPS curve'],
    ['insider filings --max-age 4', 'there are no data on insider filings'],
    ['insider clusters --max-age 4', 'there are no data on insider filings'],
  ])('refuses asof %s with 9 and the reason, and writes nothing', async (line, reason) => {
    const { code, out, err } = await run(line, '-q');
    expect({ code, out, err }).toEqual({
      code: 9,
      out: '',
      err: expect.stringContaining(`asof: ${reason}\n`),
    });
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
  const line = 'panel GDP UNRATE --as-of-each month-end --from 2008-08-01 --to 2008-10-31 --sort asc -q';

  it('has empty cells, in the wide form and in the long one', async () => {
    expect(linesOf((await run(`${line} --wide`)).out)).toEqual([
      'as_of,GDP,UNRATE',
      '2008-08-31,,5.7',
      '2008-09-30,,5.7',
      '2008-10-31,,5.7',
    ]);
    expect(linesOf((await run(line)).out).slice(0, 3)).toEqual([
      'as_of,series_id,date,value,as_of_date',
      '2008-08-31,GDP,,,',
      '2008-08-31,UNRATE,2008-07-01,5.7,2008-08-15',
    ]);
  });

  it('repeats the newest value with --beyond repeat', async () => {
    expect(linesOf((await run(`${line} --wide --beyond repeat`)).out)[3]).toBe('2008-10-31,14312.5,5.7');
  });

  it('is refused with 9 with --beyond fail, and leaves no file', async () => {
    const output = join(folder, 'panel.csv');
    const { code, err } = await run(`${line} --beyond fail -o ${output}`);
    expect([code, err]).toEqual([
      9,
      'asof: GDP is covered to 2008-08-28: its value on 2008-08-31 is not known\n',
    ]);
    expect(() => readFileSync(output)).toThrow('ENOENT');
  });

  it('has the observation date beside each value with --with-dates', async () => {
    expect(linesOf((await run(`${line} --wide --with-dates --beyond repeat`)).out)[1]).toBe(
      '2008-08-31,14312.5,2008-04-01,5.7,2008-07-01',
    );
    expect(linesOf((await run(`${line} --wide --with-dates`)).out).slice(0, 2)).toEqual([
      'as_of,GDP,GDP_date,UNRATE,UNRATE_date',
      '2008-08-31,,,5.7,2008-07-01',
    ]);
  });
});

describe('a snapshot', () => {
  const plan = join(folder, 'plan.txt');
  const take = (out: string, lines: readonly string[], day = '2008-09-16') => {
    writeFileSync(plan, lines.join('\n'));
    return asof(['snapshot', plan, '--out', out, '--as-of', day, '--store', store]);
  };

  it('says what is not covered to its day and what is sampled, once, and writes both into the manifest', async () => {
    const out = join(folder, 'snap');
    const { code, err } = await take(out, [
      'a.csv obs GDP UNRATE',
      'b.csv panel GDP UNRATE --wide',
      'c.csv curve',
    ]);
    expect([code, linesOf(err).sort()]).toEqual([
      0,
      [
        'asof: GDP is covered to 2008-08-28',
        'asof: UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
        'asof: the PAR curve is covered to 2008-08-15',
      ],
    ]);
    const { files: written } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    const both = [
      { subject: 'GDP', covered_to: '2008-08-28', vintage_kind: 'exact' },
      { subject: 'UNRATE', covered_to: '2008-09-16', vintage_kind: 'sampled' },
    ];
    expect(written.map(({ coverage }: { coverage: unknown }) => coverage)).toEqual([
      both,
      both,
      [{ subject: 'the PAR curve', covered_to: '2008-08-15' }],
    ]);
    expect((await asof(['verify', out, '--store', store])).code).toBe(0);
  });

  it('says of a line that begins after the day of the snapshot, whose file has no rows', async () => {
    const { code, err } = await take(
      join(folder, 'later'),
      ['a.csv obs GDP --from 2009-01-01'],
      '2008-08-28',
    );
    expect([code, err]).toEqual([
      0,
      'asof: a.csv: --from 2009-01-01 is later than 2008-08-28, the as-of date of the snapshot\n',
    ]);
  });

  it('finds its curves current on a weekend', async () => {
    const { err } = await take(join(folder, 'weekend'), ['c.csv curve'], '2008-08-17');
    expect(err).toBe('');
  });

  it('fails where a line demands exact vintages or newer data, and says which line', async () => {
    for (const [line, reason] of [
      [
        'a.csv obs UNRATE --exact',
        'UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
      ],
      ['a.csv obs GDP --max-age 5', 'GDP is covered to 2008-08-28, 19 days before 2008-09-16: more than 5'],
    ] as const) {
      const { code, err } = await take(join(folder, 'none'), [line]);
      expect([code, err]).toEqual([9, expect.stringContaining(`plan.txt line 1 (a.csv): ${reason}`)]);
    }
  });

  it('is found by verify to claim more than the data give', async () => {
    const out = join(folder, 'claims');
    await take(out, ['a.csv obs GDP --from 2008-04-01']);
    const other = newStorePath(folder);
    await importFiles(other, {
      'gdp.csv': files['gdp.csv']
        .replace('value\n', 'value,vintage_kind\n')
        .replace(/(\d)\n/g, '$1,sampled\n'),
    });
    const { code, out: found } = await asof(['verify', out, '--store', other]);
    expect([code, found]).toEqual([1, 'a.csv has GDP as sampled by its command, not exact\n']);
  });
});

describe('a service that lacks our additions', () => {
  const row = {
    date: '2014-10-01T00:00:00Z',
    value: '17710.7',
    as_of_date: '2015-01-30T00:00:00Z',
    series_id: 'GDP',
    unit: '',
    frequency: 'Q',
    source: '',
  };
  const line = ['obs', 'GDP', '--csv', '--columns', 'date,value'];

  /** Has the values of GDP and no descriptions of series; `members` are its own. */
  const service = (members: object = {}) =>
    serve((request, response) => {
      if (request.url?.includes('/observations') === true)
        reply(response, 200, { ...envelope('observation_series', [row]), ...members });
      else response.writeHead(404, { 'content-type': 'text/plain' }).end();
    });

  test.each([
    ['--exact', 'the service does not say how the vintages of GDP came about'],
    ['--max-age=5', 'the service does not say to which day GDP is covered'],
  ])('cannot meet %s: exit 8, and nothing is written', async (flag, reason) => {
    const { url } = await service();
    const { code, out, err } = await asof([...line, flag, '--base-url', url]);
    expect([code, out, err.split('\n')[0]]).toEqual([8, '', `asof: ${reason}`]);
  });

  test.each([
    ['none', {}],
    ['others of the same names', { vintage: 'May', covered_to: 7 }],
  ])('answers without remarks on its vintages: it has %s', async (_, members) => {
    const { url } = await service(members);
    expect(await asof([...line, '--base-url', url])).toEqual({
      code: 0,
      out: 'date,value\n2014-10-01,17710.7\n',
      err: '',
    });
  });
});

describe('in the library', () => {
  it('results say which vintage they are from, and demands are parameters', async () => {
    const library = await open(store);
    try {
      const { vintage } = await library.observations('UNRATE', { asOf: '2008-09-16' });
      expect(vintage).toEqual({ as_of_date: '2008-08-15', vintage_kind: 'sampled' });
      await expect(library.observations('UNRATE', { asOf: '2008-09-16', exact: true })).rejects.toMatchObject(
        {
          kind: 'inexact',
        },
      );
      await expect(library.panel(['GDP'], { asOf: '2008-09-16', maxAge: 5 })).rejects.toMatchObject({
        kind: 'too-old',
      });
      await expect(library.yields({ to: '2008-09-16', maxAge: 5 })).rejects.toMatchObject({
        kind: 'too-old',
      });
      await expect(library.observations('GDP', { maxAge: -1 })).rejects.toThrow("'maxAge' -1");
      const range = { from: '2008-08-01', to: '2008-08-31', asOfEach: 'month-end', wide: true } as const;
      const { rows } = await library.panel(['GDP'], { ...range, withDates: true, beyond: 'repeat' });
      expect(rows).toEqual([{ as_of: '2008-08-31', GDP: '14312.5', GDP_date: '2008-04-01' }]);
      expect((await library.panel(['GDP'], range)).rows).toEqual([{ as_of: '2008-08-31', GDP: null }]);
    } finally {
      await library.close();
    }
  });
});
