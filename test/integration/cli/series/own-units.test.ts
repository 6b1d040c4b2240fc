import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, open, type WideRow } from '../../../../src/index.ts';
import { asof, linesOf, statements, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';
import { dataPath, testData } from '../../../support/repository.ts';

const folder = newFolder();

// Sales of made-up months; a series whose id has a colon, and one whose id ends like units.
const asked = askedStore([dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json')], {
  'made.csv': statements([
    'SALES,2019-12-01,2020-01-15,100',
    'SALES,2020-01-01,2020-02-15,110',
    'SALES,2019-12-01,2020-03-15,120',
    'SALES,2020-02-01,2020-03-15,132',
    'STOCKS,2020-01-01,2020-02-15,50',
    'STOCKS,2020-02-01,2020-03-15,40',
    'ECB:X,2020-01-01,2020-02-15,8',
    'ECB:X,2020-02-01,2020-03-15,6',
    'ECB:LOG,2020-01-01,2020-02-15,3',
  ]),
});
beforeAll(async () => {
  const { code } = await asof(['series', 'alias', 'turnover', 'SALES', '--store', asked.store]);
  expect(code).toBe(0);
});

const trades = folder.write('trades.csv', 'day\n2020-02-20\n2020-03-16\n');

describe.each(commandModes)('units of one series, %s,', (mode) => {
  transcript(
    `
    # stand beside the levels of others, in columns named as typed
    $ asof panel SALES:pch stocks Sales:CHG --as-of 2020-03-20 --wide -q
    date,SALES:pch,stocks,Sales:CHG
    2020-02-01,20.00000,40,22
    2020-01-01,-8.33333,50,-10

    # stand beside the levels of the same series, which the rows tell apart
    $ asof panel SALES SALES:CHG --as-of 2020-03-20 --from 2020-01-01 -q
    as_of,series_id,date,value,as_of_date
    2020-03-20,SALES,2020-02-01,132,2020-03-15
    2020-03-20,SALES:chg,2020-02-01,22,2020-03-15
    2020-03-20,SALES,2020-01-01,110,2020-02-15
    2020-03-20,SALES:chg,2020-01-01,-10,2020-03-15

    # take precedence over the units of all, and may be levels
    $ asof obs SALES:chg STOCKS SALES:lin --units pch --from 2020-01-01 --limit 1 --columns value,series_id,unit
    value,series_id,unit
    22,SALES:chg,Change
    -20.00000,STOCKS,Percent Change
    132,SALES:lin,

    # are the growth that BEA published for the fourth quarter of 2014, with digits for computed values alone
    $ asof obs GDP:saar SALES --as-of 2015-01-30 --digits 1 --limit 1 --columns date,value,series_id -q
    date,value,series_id
    2014-10-01,2.5,GDP:saar

    # are computed within the vintage of each day of a panel
    $ asof panel SALES:pch STOCKS --as-of-each month-end --from 2020-02-01 --to 2020-03-31 --beyond repeat --wide -q
    as_of,SALES:pch,STOCKS
    2020-03-31,20.00000,40
    2020-02-29,10.00000,50

    # are those of an alias, and of every series that a pattern matches
    $ asof panel turnover:chg ECB:X*:chg --as-of 2020-03-20 --wide -q
    date,turnover:chg,ECB:X:chg
    2020-02-01,22,-2
    2020-01-01,-10,

    # are compared on two days
    $ asof diff SALES:chg SALES 2020-02-15 2020-03-15 --to 2020-01-31
    series_id,date,old,new,change,percent,kind
    SALES:chg,2020-01-01,10,-10,-20,-200.0000,revised
    SALES,2019-12-01,100,120,20,20.0000,revised

    # are joined, and checked under the name that a join gives them
    $ asof join ${trades} --on day SALES:chg STOCKS --beyond repeat -q -o ${folder.path(`${mode}.csv`)}
    $ asof panel SALES:chg STOCKS --as-of-each day --from 2020-02-20 --to 2020-02-20 --beyond repeat --wide -q
    as_of,SALES:chg,STOCKS
    2020-02-20,10,50
    $ asof check ${folder.path(`${mode}.csv`)} --on day --beyond repeat --all-rows --columns row,series_id,value,known -q
    row,series_id,value,known
    2,SALES:chg,10,10
    2,STOCKS,50,50
    3,SALES:chg,22,22
    3,STOCKS,40,40

    # leave an id with a colon alone, and levels give an id that ends like units
    $ asof obs ECB:X ecb:log:lin --as-of 2020-02-15 --columns value,series_id
    value,series_id
    8,ECB:X
    3,ECB:LOG:lin

    # are refused like those of all, with what is likely meant
    $ asof obs SALES:percent
    ! asof: series 'SALES:PERCENT' not found
    !       did you mean SALES:yoy or SALES:pc1 (percent growth from a year ago)?
    …
    [exit 3]
    $ asof obs SALES:euros
    ! asof: series 'SALES:EUROS' not found
    !       units after the colon are those of SALES: asof help units lists them
    …
    [exit 3]
    $ asof vintages SALES:yoy
    ! asof: series 'SALES:YOY' not found
    !       name the series without units here: SALES
    …
    [exit 3]
    $ asof calendar --series SALES:yoy
    ! asof: series 'SALES:YOY' not found
    !       name the series without units here: SALES
    …
    [exit 3]
    $ asof obs SALES:yoy:chg
    ! asof: series 'SALES:YOY' not found
    !       name one unit after the colon: SALES:yoy or SALES:chg
    …
    [exit 3]
    $ asof obs SALES:qoq
    ! asof: …SALES has the frequency M, and qoq compares quarters…
    …
    [exit 2]
    $ asof obs SALES:chg --cursor x
    ! asof: use either --cursor or --units and --frequency: a cursor continues published rows
    …
    [exit 2]
    `,
    () => asked.as(mode),
  );

  it('have their own scale and key in a chart', async () => {
    const { out } = await asked.run(mode, 'obs GDP:yoy GDP --as-of 2015-01-30 --from 2010-01-01 -f svg');
    expect(out).toContain('>GDP:yoy, Percent Change from Year Ago<');
    expect(out).toContain('>GDP, Billions of Dollars<');
    expect(out).toContain('>GDP:yoy and GDP<');
  });

  it('are those of the axis in a chart of several as-of days', async () => {
    for (const units of ['GDP:yoy', 'GDP --units yoy']) {
      const { out } = await asked.run(
        mode,
        `obs ${units} --vintages 2014-06-30,latest --from 2010-01-01 -f svg`,
      );
      expect(out).toContain('>Percent Change from Year Ago<');
    }
  });

  it('are drawn on the days of a panel', async () => {
    const days = '--as-of-each month-end --from 2014-01-01 --to 2014-12-31';
    const { out } = await asked.run(mode, `panel GDP:yoy GDP ${days} -f svg`);
    expect(out).toContain('>GDP:yoy, Percent Change from Year Ago<');
    expect(out).toContain('>GDP, Billions of Dollars<');
  });
});

type Panel = { readonly columns: readonly string[]; readonly rows: ReadonlyMap<string, WideRow> };

describe('in the library', () => {
  let remote: Asof;
  beforeAll(async () => {
    const { ASOF_BASE_URL: url = '', ASOF_API_KEY: key = '' } = asked.as('remote').env ?? {};
    remote = await open(url, { key, clock: () => new Date('2026-03-15T12:00:00Z') });
  });
  afterAll(() => remote.close());

  const ids = fc.constantFrom('SALES', 'STOCKS', 'GDP', 'ECB:X');
  const named = fc.constantFrom('yoy', 'mom', 'qoq', 'saar', 'lin', 'chg', 'ch1', 'pch', 'pca', 'cch', 'log');
  const days = fc.constantFrom('2014-06-30', '2015-01-30', '2020-02-20', '2020-03-20', '2020-05-01');
  const known = fc.oneof(
    days.map((asOf) => ({ asOf })),
    fc.record({
      asOfEach: fc.uniqueArray(days, { minLength: 1, maxLength: 4 }),
      last: fc.integer({ min: 1, max: 3 }),
      lag: fc.integer({ min: 0, max: 2 }),
      beyond: fc.constant('repeat' as const),
    }),
  );
  const others = fc.record(
    { frequency: fc.constantFrom('q', 'a'), partial: fc.constant(true) },
    { requiredKeys: ['partial'] },
  );
  const transformed = fc.record({
    known,
    others: others.map(({ frequency, partial }) => (frequency === undefined ? {} : { frequency, partial })),
  });

  it.each([
    ['embedded', 60],
    ['remote', 25],
  ] as const)('%s, a panel of A in units and B is the columns of the two panels', async (mode, numRuns) => {
    const from = mode === 'embedded' ? asked.library() : remote;
    await fc.assert(
      fc.asyncProperty(ids, ids, named, transformed, async (a, b, units, { known, others }) => {
        const panelOf = async (id: string | readonly string[], more = {}): Promise<Panel | string> => {
          try {
            const { rows } = await from.panel(id, { ...known, ...others, ...more, wide: true } as never);
            const [key = 'date'] = Object.keys(rows[0] ?? {});
            return {
              columns: Object.keys(rows[0] ?? {}).slice(1),
              rows: new Map(rows.map((row) => [String(row[key]), row])),
            };
          } catch (error) {
            return error instanceof Error ? error.message : '';
          }
        };
        const [own, other] = [await panelOf(a, { units }), await panelOf(b)];
        const both = await panelOf([`${a}:${units}`, b]);
        if (typeof own === 'string' || typeof other === 'string') {
          expect([own, other]).toContain(both);
          return;
        }
        if (typeof both === 'string') throw new Error(both);
        expect([...both.rows.keys()].sort()).toEqual(
          [...new Set([...own.rows.keys(), ...other.rows.keys()])].sort(),
        );
        for (const [day, row] of both.rows)
          for (const column of both.columns) {
            const isOwn = column.startsWith(`${a}:${units}`);
            const name = isOwn ? column.replace(`:${units}`, '') : column;
            expect(row[column]).toBe((isOwn ? own : other).rows.get(day)?.[name] ?? null);
          }
      }),
      { numRuns },
    );
  });

  it('are those of a question about one series too', async () => {
    const growth = { asOf: '2015-01-30', digits: 1, limit: 1 } as const;
    expect((await asked.library().observations('GDP:saar', growth)).rows).toMatchObject([{ value: '2.5' }]);
    const { rows } = await asked.library().revisions('gdp:saar', { release: 1, to: '2014-12-31', ...growth });
    expect(rows).toMatchObject([{ release_1: '2.5' }]);
  });
});

it('the next release of a series has no units', async () => {
  const ended = await asof(['next', 'SALES:yoy', '--store', asked.store]);
  expect(ended).toMatchObject({
    ...{ code: 3, out: '' },
    err: "asof: series 'SALES:YOY' not found\n      name the series without units here: SALES\n",
  });
});

it('a plan writes a panel in units of its own, which verify finds unchanged', async () => {
  const plan = folder.write(
    'plan.txt',
    'growth.csv panel GDP:saar GDP --wide --from 2014-07-01 --digits 1\n',
  );
  const out = folder.path('snap');
  const stored = { env: { ASOF_STORE: asked.store } };
  const made = await asof(['snapshot', plan, '--out', out, '--as-of', '2015-01-30', '-q'], stored);
  expect([made.code, made.err]).toEqual([0, '']);
  expect(linesOf(folder.read('snap/growth.csv'))).toEqual([
    'date,GDP:saar,GDP',
    '2014-10-01,2.5,17710.7',
    '2014-07-01,6.4,17599.8',
  ]);
  expect((await asof(['verify', out], stored)).code).toBe(0);
});
