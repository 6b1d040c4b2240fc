import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, importFiles, open, Problem, pull, samplePath } from '../../src/index.ts';
import { asof as command } from '../support/command.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { newFolder, scratchFolder } from '../support/folders.ts';

const clock = () => now;
const folder = newFolder();
let asof: Asof;

beforeAll(async () => {
  asof = await open(await contractStore(scratchFolder()), { clock });
});
afterAll(() => asof.close());

async function iterated(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}

const functions: Readonly<Record<string, unknown>> = { open, importFiles, 'pull()': pull };

/** Calls a method or a function as a program without types does; the Problem that it rejects with. */
async function refusalOf(name: string, ...asked: readonly unknown[]): Promise<Problem> {
  const called = functions[name] ?? Reflect.get(asof, name);
  const work: Promise<unknown> = name.endsWith('.all')
    ? iterated(Reflect.apply(Reflect.get(asof, name.slice(0, -4)).all, asof, asked))
    : name === 'facts'
      ? iterated(Reflect.apply(called, asof, asked))
      : Reflect.apply(called, asof, asked);
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error(`it did not fail with a Problem: ${String(outcome)}`);
}

const range = { from: '2020-11-01', to: '2021-02-01' };
const nobody = 'http://127.0.0.1:9';

describe('what a method does not take is a bad-input Problem that names it', () => {
  it.each<[detail: string, name: string, ...asked: unknown[]]>([
    ['invalid \'parameters\' "2020-12-31": use an object with', 'observations', 'GDP', '2020-12-31'],
    ["invalid 'parameters' (Map): use an object", 'observations', 'GDP', new Map([['asOf', '2020-12-31']])],
    ['too many arguments: use observations(id, parameters)', 'observations', 'GDP', {}, { limit: 1 }],
    ["unknown parameter 'as_of': use asOf, ", 'observations', 'GDP', { as_of: '2020-12-31' }],
    ["unknown parameter 'signals'", 'insiderClusterExplanations', { signals: true }],
    ["unknown option 'asof': use out, asOf", 'snapshot', 'plan.txt', { out: 'desk', asof: '2020-12-31' }],
    ["unknown option 'dryrun': use settings, ", 'pull()', { store: 'x.db', dryrun: true }],
    ["unknown option 'asof': use kind, asOf, ", 'import', ['x.csv'], { asof: '2020-12-31' }],
    ["unknown option 'apiKey': use key, timeout, ", 'open', nobody, { apiKey: 'k' }],
    ["option 'store' is missing", 'pull()', { request: { fred: ['GDP'] } }],
    ["option 'out' is missing", 'snapshot', 'plan.txt'],
    ["argument 'days' is missing", 'diff', 'GDP'],
    ["argument 'id' is missing", 'revisions'],
    ['invalid \'request.fred\' "GDP": use a list of', 'pull()', { store: 'x.db', request: { fred: 'GDP' } }],
    ["unknown source 'fredd': use fred, treasury, sec, rtdsm, fred-md, fred-qd", 'pull', { fredd: ['GDP'] }],
    ['invalid \'days\' ["2020-12-31"]: use two as-of dates', 'diff', 'GDP', ['2020-12-31']],
    ['invalid \'paths\' "file.csv": use a list of texts', 'import', 'file.csv'],
    ["the path - is the option 'stdin'", 'importFiles', ['-'], { store: folder.path('stdin.db') }],
    ['invalid \'sort\' "up": use desc or asc', 'panel', ['GDP'], { sort: 'up' }],
    ['invalid \'wide\' "yes": use true or false', 'panel', ['GDP'], { wide: 'yes' }],
    ["invalid 'exact' 1: use true or false", 'panel', ['GDP'], { exact: 1 }],
    ["invalid 'maxAge' -1: use an integer of at least 0", 'observations', 'GDP', { maxAge: -1 }],
    ["invalid 'limit' 0: use an integer of at least 1", 'observations', 'GDP', { limit: 0 }],
    ["invalid 'limit' Infinity: use an integer", 'observations', 'GDP', { limit: Number.POSITIVE_INFINITY }],
    ['invalid \'first\' "2": use an integer', 'vintages', 'GDP', { first: '2' }],
    ["invalid 'days' 366: use an integer from 1 to 365", 'insiderFilings', { days: 366 }],
    ['invalid \'transactionCode\' "Q": use P, S', 'insiderClusters', { transactionCode: 'Q' }],
    ["use either 'explain' or 'signals'", 'insiderClusters', { explain: true, signals: true }],
    ["use either 'asOf' or 'asOfEach'", 'panel', ['GDP'], { asOfEach: 'day', ...range, asOf: '2020-01-01' }],
    ["'asOfEach' needs 'from' and 'to'", 'panel', ['GDP'], { asOfEach: 'day' }],
    [
      'invalid \'asOfEach\' "decade-end": use day, business-day, friday, week-end, month-end, quarter-end, year-end, or a list of dates such as ["2015-01-30"]',
      'panel',
      ['GDP'],
      { asOfEach: 'decade-end', ...range },
    ],
    ["invalid 'asOfEach' []: use day, business-day", 'panel', ['GDP'], { asOfEach: [] }],
    ["'beyond' is only for panels of as-of dates", 'panel', ['GDP'], { beyond: 'empty' }],
    ["invalid 'ids' []: use the id of a series, or a list", 'panel', []],
    ['invalid \'id\' "": use the id of one series', 'observations', ''],
    ['invalid \'id\' ["GDP", "UNRATE"]: use the id of one', 'observations', ['GDP', 'UNRATE']],
    ['invalid \'asOf\' date "2015-02-30": there is no such', 'observations', 'GDP', { asOf: '2015-02-30' }],
    ['invalid \'asOf\' date "2015": use YYYY-MM-DD', 'observations', 'GDP', { asOf: '2015' }],
    ["invalid 'asOf' date (Date): use YYYY-MM-DD", 'observations', 'GDP', { asOf: new Date() }],
    ["'asOf' 2999-01-01", 'observations', 'GDP', { asOf: '2999-01-01' }],
    ["'to' 2999-01-01", 'panel', ['GDP'], { asOfEach: 'day', from: '2026-01-01', to: '2999-01-01' }],
    ['invalid date range', 'diff', 'GDP', ['2020-01-01', 'latest'], { from: '2020-02-02', to: '2020-02-01' }],
    ["invalid 'timeout' -1: use seconds", 'open', nobody, { timeout: -1 }],
    ["invalid 'retries' 1.5: use an integer from 0 to 100", 'open', nobody, { retries: 1.5 }],
    ["invalid 'maxWait' -1: use seconds", 'open', nobody, { maxWait: -1 }],
    ["invalid 'key': use a text", 'open', nobody, { key: null }],
    ["invalid 'address' (URL): use the path", 'open', new URL(nobody)],
    ['invalid \'address\' ""', 'open', ''],
    ['it does not begin with http:// or https://', 'open', 'ftp://x/y'],
    ['invalid base URL', 'open', 'https://data.example.org?x=1'],
    ['a key is for a service', 'open', samplePath(), { key: 'k' }],
  ])('%s', async (detail, name, ...asked) => {
    const problem = await refusalOf(name, ...asked);
    expect([problem.kind, problem.detail]).toEqual(['bad-input', expect.stringContaining(detail)]);
  });

  it('is suggested where it was mistyped, and is not repeated where it may be a key', async () => {
    expect(await refusalOf('observations', 'GDP', { asof: '2020-12-31' })).toMatchObject({
      field: 'asof',
      hints: ['did you mean asOf?'],
    });
    expect((await refusalOf('open', { key: 'secret' })).detail).not.toContain('secret');
  });

  it.each<[detail: string, name: string, ...asked: unknown[]]>([
    ["series 'GDPX' not found", 'observations', 'GDPX'],
    ["series 'GDPX' not found", 'panel', ['GDP', 'GDPX']],
    ["series 'GDPX' not found", 'facts', ['GDP', 'GDPX']],
    ["series 'GDPX' not found", 'observations.all', ['GDP', 'GDPX']],
    ["series 'DGS10' has no facts", 'facts', ['GDP', 'DGS10']],
    ['none.db', 'open', join('no-such-folder', 'none.db')],
  ])('says what does not exist: %s, in %s', async (detail, name, ...asked) => {
    expect((await refusalOf(name, ...asked)).detail).toContain(detail);
  });

  it('is said before the first row of several series', async () => {
    for (const rows of [asof.observations.all(['GDP', 'GDPX']), asof.facts(['GDP', 'GDPX'])])
      await expect(rows[Symbol.asyncIterator]().next()).rejects.toThrow("series 'GDPX' not found");
  });

  it.each<[hint: string, name: string, ...asked: unknown[]]>([
    ['did you mean GDPC1 or GDP?', 'seriesShow', 'GDPC2'],
    ['the address of a service begins with http:// or https://', 'open', 'localhost:28787'],
    ['this takes one id, not a pattern: name one series, such as GDP or GDPC1', 'observations', 'GD*'],
    ['no series id matches this pattern', 'observations', 'ZZZ*'],
  ])('has a hint where there is a good one: %s', async (hint, name, ...asked) => {
    expect((await refusalOf(name, ...asked)).hints).toContain(hint);
  });
});

describe('messages name questions and parameters in the form that their reader can use', () => {
  let sample: Asof;
  let notes: string[] = [];
  const env = { HOME: folder.path('home') };

  beforeAll(async () => {
    sample = await open(samplePath(), { onNote: ({ text }) => void notes.push(text) });
  });
  afterAll(() => sample.close());

  /** What the library says about a question: its notes, or its hints if it fails. */
  async function saidBy(ask: (from: Asof) => Promise<unknown>): Promise<readonly string[]> {
    notes = [];
    try {
      await ask(sample);
      return notes;
    } catch (error) {
      if (error instanceof Problem) return error.hints;
      throw error;
    }
  }

  const years = { from: '2022-01-01', to: '2025-12-31' };
  const in2017 = { from: '2017-01-01', to: '2017-12-31' };

  it.each<[said: string, ask: (from: Asof) => Promise<unknown>]>([
    ['seriesSearch() finds series by words', (from) => from.seriesShow('zzzzzzzz')],
    ['yields({ maturity: "10Y" }) gives its rates', (from) => iterated(from.facts('DGS10'))],
    ['spread({ long: "10Y", short: "2Y" }) gives its rates', (from) => iterated(from.facts('T10Y2Y'))],
    ['yields({ maturity: "5Y", curveType: "TIPS" }) gives its', (from) => iterated(from.facts('DFII5'))],
    // A Saturday.
    ["; 'onOrBefore' takes the newest one before it", (from) => from.curve({ date: '2024-01-06' })],
    [
      "; 'partial' shows periods that are not complete",
      (from) => from.observations('GDP', { frequency: 'a', from: '2024-01-01' }),
    ],
    [
      '; beyond: "repeat" shows the newest that is known',
      (from) => from.panel('PAYEMS', { asOfEach: 'year-end', ...years }),
    ],
    [
      // The base year of real GDP moved from 2009 to 2012 in July 2018.
      'compare growth rates, not levels (units: "pch")',
      (from) => from.diff('GDPC1', ['2018-06-29', '2018-08-31'], in2017),
    ],
    ["; 'from' shows earlier filings", (from) => from.insiderFilings()],
    ["'signals' gives the day on which it passed it", (from) => from.insiderClusters({ minValue: 1000 })],
    ["; 'exact' refuses such series", (from) => from.check([{ day: '2008-09-01', UNRATE: '1.5' }])],
    [
      "the days are taken from the first column, unless 'on' names another",
      (from) => from.check([{ day: 'soon', UNRATE: '1.5' }]),
    ],
  ])('the library says "%s"', async (said, ask) => {
    const texts = await saidBy(ask);
    expect(texts.join('\n')).toContain(said);
    expect(texts.join('\n')).not.toMatch(/\basof [a-z]|(?:^|\s)--[a-z]/);
  });

  it.each([
    ['series show zzzzzzzz', 'asof series search finds series by words'],
    ['facts T10Y2Y', 'asof spread --long 10Y --short 2Y gives its rates'],
    ['curve --date 2024-01-06', '; --on-or-before takes the newest one before it'],
    ['insider clusters --min-value 1000', '--signals gives the day on which it passed it'],
    // The note applies to both days of the comparison.
    [
      'diff GDPC1 2018-06-20 2018-07-31',
      'asof: GDPC1 is sampled: values are from the sample of 2018-05-15; later publications may be missing\n',
    ],
  ])('asof %s says once "%s"', async (line, said) => {
    const { err } = await command(line.split(' '), { env });
    expect(err.split(said).length).toBe(2);
  });

  it('an unknown ticker causes a hint about filings, and none about series', async () => {
    expect(await saidBy((from) => from.insiderFilings({ ticker: 'XQXQXQ' }))).toEqual([
      'asof pull sec --ticker XQXQXQ brings its filings',
    ]);
    expect((await command('insider filings --ticker XQXQXQ'.split(' '), { env })).err).not.toContain(
      'series',
    );
  });

  it('an unknown frequency causes a hint to import a metadata file', async () => {
    const store = folder.path('own.db');
    const file = folder.write('own.csv', 'series_id,date,as_of_date,value\nX,2020-01-05,2020-02-01,1\n');
    await importFiles([file], { store });
    const own = await open(store);
    await expect(own.observations('X', { units: 'pch' })).rejects.toMatchObject({
      hints: ['import a metadata file that states it'],
    });
    await own.close();
  });
});
