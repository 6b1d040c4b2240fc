import { describe, expect, it } from 'vitest';
import type { Query, Question } from '../../../src/answering/question.ts';
import type { QueryLine } from '../../../src/lines/line.ts';
import { operations } from '../../../src/operations/index.ts';
import type { NamedValues } from '../../../src/operations/value.ts';
import { questionOf } from '../../../src/questions/operation-question.ts';
import { questions } from '../../../src/questions/table.ts';
import { parse } from '../../support/lines.ts';

const now = new Date('2026-03-15T12:00:00Z');

function lineOf(text: string, inPlan = false): QueryLine {
  const line = parse(text.split(' '), { now, inPlan });
  if (!('resolved' in line && 'query' in line)) throw new Error(`${text} asks no question`);
  return line as QueryLine;
}

const operation = (name: string, params: NamedValues = {}, more = {}): Query => {
  const declared = operations.find((one) => one.name === name);
  if (declared === undefined) throw new Error(`there is no operation ${name}`);
  return { question: questionOf(declared, operations), values: { ...params, ...more } };
};

const observations = (ids: readonly string[], params = {}, more = {}) =>
  question(questions.observationsOfSeveral, { ids, ...params, ...more });

const question = (asked: Question, values: NamedValues): Query => ({
  question: asked,
  values,
});

const diff = (ids: readonly string[], days: readonly [string, string], more = {}): Query =>
  question(questions.diff, { ids, days, ...more });

const revisions = (values: NamedValues): Query => question(questions.revisions, { id: 'GDP', ...values });

const vintages = (values: NamedValues): Query => question(questions.vintages, { id: 'GDP', ...values });

const panel = (ids: readonly string[], more = {}): Query => question(questions.panel, { ids, ...more });

const queries: readonly (readonly [line: string, query: Query])[] = [
  ['ping', operation('ping')],
  ['series search', operation('series_search', { match: 'words' })],
  ['series search gdp', operation('series_search', { q: 'gdp', match: 'words' })],
  ['series search gdp --match ID', operation('series_search', { q: 'gdp', match: 'id' })],
  ['series search --limit 20', operation('series_search', { match: 'words' }, { limit: 20 })],
  ['series search --cursor abc', operation('series_search', { match: 'words' }, { cursor: 'abc' })],
  ['series show gdp', operation('series_show', { id: 'GDP' })],
  ['observations GDP', observations(['GDP'])],
  ['obs gdp PCE*', observations(['gdp', 'PCE*'])],
  ['obs GDP --as-of 2015-01-30', observations(['GDP'], { as_of: '2015-01-30' })],
  ['obs GDP --as-of today', observations(['GDP'], { as_of: '2026-03-15' })],
  ['obs GDP --as-of yesterday', observations(['GDP'], { as_of: '2026-03-14' })],
  ['obs GDP --as-of -30d', observations(['GDP'], { as_of: '2026-02-13' })],
  ['obs GDP --as-of=-2w', observations(['GDP'], { as_of: '2026-03-01' })],
  ['obs GDP --as-of -13m', observations(['GDP'], { as_of: '2025-02-15' })],
  ['obs GDP --as-of -1y', observations(['GDP'], { as_of: '2025-03-15' })],
  ['obs GDP --from 2008Q3 --to 2008q4', observations(['GDP'], { from: '2008-07-01', to: '2008-12-31' })],
  ['obs GDP --from 2008-09 --to 2012-02', observations(['GDP'], { from: '2008-09-01', to: '2012-02-29' })],
  ['obs GDP --from 2008 --to 2009', observations(['GDP'], { from: '2008-01-01', to: '2009-12-31' })],
  // Before September began.
  ['obs GDP --known-before 2008-09', observations(['GDP'], { as_of: '2008-08-31' })],
  ['revisions GDP --date 2008Q4', revisions({ date: '2008-10-01' })],
  // Somewhere on Earth tomorrow has begun.
  ['obs GDP --as-of 2026-03-16', observations(['GDP'], { as_of: '2026-03-16' })],
  ['obs GDP --known-before 2015-03-01', observations(['GDP'], { as_of: '2015-02-28' })],
  ['obs GDP --known-before 2016-03-01', observations(['GDP'], { as_of: '2016-02-29' })],
  ['obs GDP --first-release', observations(['GDP'], { release: 'first' })],
  [
    'obs GDP --from 2014-01-01 --to 2014-12-31',
    observations(['GDP'], { from: '2014-01-01', to: '2014-12-31' }),
  ],
  ['obs GDP --limit 8 --sort asc', observations(['GDP'], {}, { limit: 8, sort: 'asc' })],
  ['obs GDP --first 8', observations(['GDP'], {}, { first: 8 })],
  ['obs GDP --first 8 --sort asc', observations(['GDP'], {}, { first: 8, sort: 'asc' })],
  ['vintages GDP --first 3', vintages({ first: 3 })],
  ['yields --first 3', operation('yields', {}, { first: 3 })],
  ['yields --wide --first 3', question(questions.yieldTable, { first: 3 })],
  ['spread --first 3', operation('spread', {}, { first: 3 })],
  ['insider filings --first 3', operation('insider_filings', {}, { first: 3 })],
  ['insider clusters --first 3', operation('insider_clusters', {}, { first: 3 })],
  ['insider clusters --explain --first 3', operation('insider_clusters', { explain: true }, { first: 3 })],
  ['insider clusters --signals --first 3', operation('insider_clusters', { signals: true }, { first: 3 })],
  ['obs GDP --cursor abc', observations(['GDP'], {}, { cursor: 'abc' })],
  ['revisions gdp --date 2008-10-01', revisions({ date: '2008-10-01' })],
  [
    'revisions GDP --date 2008-10-01 --as-of 2010-12-31',
    revisions({ date: '2008-10-01', as_of: '2010-12-31' }),
  ],
  [
    'revisions GDP --date 2008-10-01 --known-before 2011-01-01',
    revisions({ date: '2008-10-01', as_of: '2010-12-31' }),
  ],
  ['revisions gdp --limit 5', revisions({ limit: 5 })],
  [
    'revisions GDP --from 2008 --to 2008Q3 --cursor abc',
    revisions({ from: '2008-01-01', to: '2008-09-30', cursor: 'abc' }),
  ],
  [
    'revisions GDP --release 2,final --after 90d,365 --as-of 2010-12-31 --limit 8',
    revisions({ release: [2, 'final'], after: [90, 365], as_of: '2010-12-31', limit: 8 }),
  ],
  ['revisions GDP --stats --from 2000', revisions({ stats: true, from: '2000-01-01' })],
  ['revisions GDP --wide', revisions({ wide: true })],
  ['vintages gdp', vintages({})],
  [
    'vintages GDP --from 2009-01-01 --to 2009-12-31 --limit 5',
    vintages({ from: '2009-01-01', to: '2009-12-31', limit: 5 }),
  ],
  ['vintages GDP --as-of 2009-12-31', vintages({ as_of: '2009-12-31' })],
  ['curve', question(questions.curve, {})],
  ['curve --date 2024-03-28', question(questions.curve, { date: '2024-03-28' })],
  ['curve --date today', question(questions.curve, { date: '2026-03-15' })],
  [
    'curve --date 2024-03-31 --on-or-before --type tips',
    question(questions.curve, { curve_type: 'TIPS', date: '2024-03-31', on_or_before: true }),
  ],
  [
    'curve --date 2023-10-19 --vs 2020-03-09',
    question(questions.curve, { date: '2023-10-19', vs: '2020-03-09' }),
  ],
  ['yields', operation('yields')],
  [
    'yields --maturity 10y --type par --from 2008-09-12 --limit 3',
    operation('yields', { maturity: '10Y', curve_type: 'PAR', from: '2008-09-12' }, { limit: 3 }),
  ],
  ['yields --wide', question(questions.yieldTable, {})],
  [
    'yields --wide --type tips --maturity 5Y --to 2022-12-31 --limit 3',
    question(questions.yieldTable, { curve_type: 'TIPS', maturity: '5Y', to: '2022-12-31', limit: 3 }),
  ],
  ['spread', operation('spread')],
  [
    'spread --long 10Y --short 3m --from 2019-01-01',
    operation('spread', { long: '10Y', short: '3M', from: '2019-01-01' }),
  ],
  [
    'insider filings --ticker MAIA --owner Smith --code P --days 30 --as-of 2025-12-10',
    operation('insider_filings', {
      ticker: 'MAIA',
      owner_name: 'Smith',
      days: 30,
      transaction_code: 'P',
      as_of: '2025-12-10',
    }),
  ],
  [
    'insider clusters --min-insiders 2 --days 7 --known-before 2025-12-10',
    operation('insider_clusters', { min_insiders: 2, days: 7, as_of: '2025-12-09' }),
  ],
  [
    'insider clusters --code s --min-value 1000000 --to 2025-03',
    operation('insider_clusters', { transaction_code: 'S', min_value: 1_000_000, to: '2025-03-31' }),
  ],
  [
    'insider clusters --signals --code S --from 2025',
    operation('insider_clusters', { signals: true, transaction_code: 'S', from: '2025-01-01' }),
  ],
  [
    'insider clusters --ticker MAIA --explain --limit 1',
    operation('insider_clusters', { explain: true, ticker: 'MAIA' }, { limit: 1 }),
  ],
  ['diff gdp 2009-07-30 2009-07-31', diff(['gdp'], ['2009-07-30', '2009-07-31'])],
  ['diff GDP 2009-07-30 today', diff(['GDP'], ['2009-07-30', '2026-03-15'])],
  ['diff GDP PCE* 2009-07-30 2009-07-31', diff(['GDP', 'PCE*'], ['2009-07-30', '2009-07-31'])],
  [
    'diff GDP 2009-07-30 2009-07-31 --all-rows',
    diff(['GDP'], ['2009-07-30', '2009-07-31'], { all_rows: true }),
  ],
  [
    'diff GDP 2009-07-30 2009-07-31 --known-before --from 2008-01-01',
    diff(['GDP'], ['2009-07-29', '2009-07-30'], { from: '2008-01-01' }),
  ],
  ['panel GDP unrate', panel(['GDP', 'unrate'])],
  ['panel GDP unrate --skip-missing', panel(['GDP', 'unrate'], { skip_missing: true })],
  [
    'panel GDP --as-of 2009-01-30 --from 2008-01-01 --wide --sort asc',
    panel(['GDP'], { as_of: '2009-01-30', from: '2008-01-01', wide: true, sort: 'asc' }),
  ],
  [
    'panel GDP --as-of-each month-end --from 2008-10-01 --to 2009-02-28 --wide --with-dates --beyond REPEAT',
    panel(['GDP'], {
      as_of_each: 'month-end',
      from: '2008-10-01',
      to: '2009-02-28',
      beyond: 'repeat',
      with_dates: true,
      wide: true,
    }),
  ],
  [
    'panel GDP --as-of-each month-end --from 2008-10-01 --to 2009-02-28',
    panel(['GDP'], { as_of_each: 'month-end', from: '2008-10-01', to: '2009-02-28' }),
  ],
];

/** The query as plain data: the name of the question stands for its declaration. */
const named = ({ question, values }: Query) => ({ question: question.name, values });

describe('a command line that asks for data becomes a query', () => {
  it.each(queries)('asof %s', (text, query) => {
    expect(named(lineOf(text).query)).toEqual(named(query));
  });

  it('for every operation', () => {
    const asked = new Set(queries.map(([text]) => lineOf(text).words));
    expect(operations.map(({ command }) => command.words).filter((words) => !asked.has(words))).toEqual([]);
  });

  it('is data that JSON can hold', () => {
    for (const [text] of queries) {
      const line = lineOf(text);
      const data = { ...line, query: named(line.query) };
      expect(JSON.parse(JSON.stringify(data))).toEqual(data);
    }
  });
});

describe('the flags that all queries share', () => {
  const plain = { header: true, everything: false, plot: false, failEmpty: false, colour: true };

  it.each([
    ['ping', plain],
    ['ping -f json', { ...plain, format: 'json' }],
    ['ping --csv', { ...plain, format: 'csv' }],
    ['ping --json', { ...plain, format: 'json' }],
    ['ping --json -fjson', { ...plain, format: 'json' }],
    ['ping -o ping.csv', { ...plain, file: 'ping.csv' }],
    ['ping -o -', plain],
    ['ping --columns status,plan', { ...plain, columns: ['status', 'plan'] }],
    ['ping --no-header --no-color --fail-empty', { ...plain, header: false, colour: false, failEmpty: true }],
    ['obs GDP --all', { ...plain, everything: true }],
    ['obs GDP --plot', { ...plain, plot: true }],
    ['obs GDP -o gdp.svg', { ...plain, file: 'gdp.svg' }],
    ['panel GDP unrate --wide --columns date,unrate', { ...plain, columns: ['date', 'unrate'] }],
  ])('say how the output of asof %s looks', (text, output) => {
    expect(lineOf(text).output).toEqual(output);
  });

  it.each([
    ['ping', {}],
    ['ping --store my.db', { store: 'my.db' }],
    [
      'ping --base-url http://localhost:1 --timeout 2.5 --retries 0 --max-wait 3600',
      { baseUrl: 'http://localhost:1', timeout: 2.5, retries: 0, maxWait: 3600 },
    ],
  ])('say whom asof %s asks', (text, connection) => {
    expect(lineOf(text).connection).toEqual(connection);
  });

  it.each([
    ['ping', { quiet: false, verbose: false, debug: false }],
    ['ping -q', { quiet: true, verbose: false, debug: false }],
    ['ping -v --debug', { quiet: false, verbose: true, debug: true }],
  ])('say how much asof %s says', (text, messages) => {
    expect(lineOf(text).messages).toEqual(messages);
  });

  it('say what a composed answer is for', () => {
    const diff = 'diff GDP 2009-07-30 2009-07-31';
    expect(lineOf(diff)).toMatchObject({ dryRun: false, exitCode: false });
    expect(lineOf(`${diff} --dry-run --exit-code`)).toMatchObject({ dryRun: true, exitCode: true });
    expect(lineOf('panel GDP --dry-run')).toMatchObject({ dryRun: true });
  });

  it('lists its flags as they were typed, and the days that were not typed as dates', () => {
    const line = lineOf('obs GDP --from today --as-of=today -q --no-header');
    expect([...line.typed].sort()).toEqual(['--as-of', '--from', '--no-header', '--quiet']);
    expect([...line.resolved.map(({ flag }) => flag)].sort()).toEqual(['--as-of', '--from']);
    expect(lineOf('diff GDP 2009-07-30 today').resolved).toEqual([
      { flag: 'second date', text: 'today', day: '2026-03-15', moves: true },
    ]);
    expect(lineOf('obs GDP --from 2008Q3').resolved).toEqual([
      { flag: '--from', text: '2008Q3', day: '2008-07-01', moves: false },
    ]);
  });
});

describe('a line of a plan', () => {
  it('may leave the last as-of date of a panel to the plan', () => {
    expect(lineOf('panel GDP --as-of-each day --from 2015-01-01', true).query).toEqual(
      panel(['GDP'], { as_of_each: 'day', from: '2015-01-01' }),
    );
  });
});
