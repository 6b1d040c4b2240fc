import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Asof, importFiles, open, Problem, samplePath } from '../../src/index.ts';
import { asof } from '../support/command.ts';
import { newFolder } from '../support/folders.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const folder = newFolder();
const env = { HOME: folder.path('home') };
let library: Asof;
let notes: string[] = [];

beforeAll(async () => {
  library = await open(samplePath(), { onNote: ({ text }) => void notes.push(text) });
});
afterAll(() => library.close());

/** What the library says about a question: its notes, or its hints if it fails. */
async function saidBy(ask: (from: Asof) => Promise<unknown>): Promise<readonly string[]> {
  notes = [];
  try {
    await ask(library);
    return notes;
  } catch (error) {
    if (error instanceof Problem) return error.hints;
    throw error;
  }
}

/** The first rows of a method that iterates. */
const firstOf = (rows: AsyncIterable<unknown>) => rows[Symbol.asyncIterator]().next();

// A command line, what its messages contain, the same question to the library, and what the library's messages contain.
const cases: readonly (readonly [string, string, (from: Asof) => Promise<unknown>, string])[] = [
  [
    'series show zzzzzzzz',
    'asof series search finds series by words',
    (from) => from.seriesShow('zzzzzzzz'),
    'seriesSearch() finds series by words',
  ],
  [
    'facts DGS10',
    'asof yields --maturity 10Y gives its rates',
    (from) => firstOf(from.facts('DGS10')),
    'yields({ maturity: "10Y" }) gives its rates',
  ],
  [
    'facts T10Y2Y',
    'asof spread --long 10Y --short 2Y gives its rates',
    (from) => firstOf(from.facts('T10Y2Y')),
    'spread({ long: "10Y", short: "2Y" }) gives its rates',
  ],
  [
    'facts DFII5',
    'asof yields --maturity 5Y --type TIPS gives its rates',
    (from) => firstOf(from.facts('DFII5')),
    'yields({ maturity: "5Y", curveType: "TIPS" }) gives its rates',
  ],
  [
    // A Saturday.
    'curve --date 2024-01-06',
    '; --on-or-before takes the newest one before it',
    (from) => from.curve({ date: '2024-01-06' }),
    "; 'onOrBefore' takes the newest one before it",
  ],
  [
    'obs GDP --frequency a --from 2024-01-01',
    '; --partial shows periods that are not complete',
    (from) => from.observations('GDP', { frequency: 'a', from: '2024-01-01' }),
    "; 'partial' shows periods that are not complete",
  ],
  [
    'panel PAYEMS --as-of-each year-end --from 2022-01-01 --to 2025-12-31',
    '; --beyond repeat shows the newest that is known',
    (from) => from.panel('PAYEMS', { asOfEach: 'year-end', from: '2022-01-01', to: '2025-12-31' }),
    '; beyond: "repeat" shows the newest that is known',
  ],
  [
    // The base year of real GDP moved from 2009 to 2012 in July 2018.
    'diff GDPC1 2018-06-29 2018-08-31 --from 2017-01-01 --to 2017-12-31',
    'compare growth rates, not levels (--units pch)',
    (from) => from.diff('GDPC1', ['2018-06-29', '2018-08-31'], { from: '2017-01-01', to: '2017-12-31' }),
    'compare growth rates, not levels (units: "pch")',
  ],
  [
    'insider filings',
    '; --from shows earlier ones',
    (from) => from.insiderFilings(),
    "; 'from' shows earlier ones",
  ],
  [
    'insider clusters --min-value 1000',
    ': --signals has the day on which it was worth it',
    (from) => from.insiderClusters({ minValue: 1000 }),
    ": 'signals' has the day on which it was worth it",
  ],
];

describe('messages name questions and parameters in the form that their reader can use', () => {
  it.each(cases)('asof %s says "%s" on the command line', async (line, inCommands) => {
    const { err } = await asof(line.split(' '), { env });
    expect(err).toContain(inCommands);
  });

  it.each(cases)(
    'the same question as asof %s names methods and parameters in the library',
    async (_l, _c, ask, said) => {
      const texts = await saidBy(ask);
      expect(texts.join('\n')).toContain(said);
      expect(texts.join('\n')).not.toMatch(/\basof [a-z]|(?:^|\s)--[a-z]/);
    },
  );

  it('a check names the parameters for exact vintages and for the column of the days', async () => {
    const rows = [{ day: '2008-09-01', UNRATE: '1.5' }];
    expect((await saidBy((from) => from.check(rows))).join('\n')).toContain("; 'exact' refuses such series");
    const undated = [{ day: 'soon', UNRATE: '1.5' }];
    expect(await saidBy((from) => from.check(undated))).toEqual([
      "the days are taken from the first column, unless 'on' names another",
    ]);
  });

  it('a note that applies to both days of a comparison appears once', async () => {
    const { err } = await asof('diff GDPC1 2018-06-20 2018-07-31'.split(' '), { env });
    expect(err).toBe(
      'asof: GDPC1 is sampled: this is 2018-05-15; what was published since then may be missing\n',
    );
  });

  it('an unknown ticker causes no hint about series', async () => {
    expect(await saidBy((from) => from.insiderFilings({ ticker: 'XQXQXQ' }))).toEqual([]);
    expect((await asof(['insider', 'filings', '--ticker', 'XQXQXQ'], { env })).err).not.toContain('series');
  });

  it('a pattern in a question about one series causes a hint with the matching ids', async () => {
    const said = await saidBy((from) => from.observations('GD*'));
    expect(said).toEqual(['name one series, such as GDP or GDPC1: a pattern is for questions about several']);
    expect(await saidBy((from) => from.observations('ZZZ*'))).toEqual(['no series id matches this pattern']);
  });

  it('an unknown frequency causes a hint to import a metadata file', async () => {
    const store = folder.path('own.db');
    const file = folder.write('own.csv', 'series_id,date,as_of_date,value\nX,2020-01-05,2020-02-01,1\n');
    await importFiles([file], { store });
    const own = await open(store);
    await expect(own.observations('X', { units: 'pch' })).rejects.toMatchObject({
      hints: ['a metadata file that is imported can state it'],
    });
    await own.close();
  });
});
