import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { questions } from '../../src/questions/table.ts';
import { asof, type Surroundings } from '../support/command.ts';
import { contractStore } from '../support/contract-cases.ts';
import { newFolder, scratchFolder } from '../support/folders.ts';
import { builtSample } from '../support/repository.ts';

type Reply = {
  readonly id: unknown;
  readonly problem?: Readonly<Record<string, unknown>>;
  readonly fields?: readonly { readonly name: string; readonly type: string }[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly notes?: readonly string[];
  readonly [member: string]: unknown;
};

function repliesIn(out: string): readonly Reply[] {
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** What asof lines writes after these lines, in the order of the ids. */
async function answered(lines: readonly (object | string)[], surroundings: Surroundings = {}) {
  const texts = lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`));
  const stdin = Readable.from(texts);
  const { code, out, err } = await asof(['lines', '--store', builtSample], {
    stdin,
    ...surroundings,
  });
  const replies = [...repliesIn(out)].sort((a, b) => Number(a.id) - Number(b.id));
  return { code, err, replies };
}

const gdp = { ask: 'observations', values: { id: 'gdp', as_of: '2015-01-30', limit: 1 } };

describe('asof lines', () => {
  it('answers a question with rows, the kinds of its columns, and what an answer says of itself', async () => {
    const { code, err, replies } = await answered([{ id: 1, ...gdp }]);
    const [reply] = replies;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(reply?.fields?.map(({ name, type }) => `${name} ${type}`).slice(0, 3)).toEqual([
      'date day',
      'value decimal',
      'as_of_date day',
    ]);
    // The advance estimate of the fourth quarter of 2014, as BEA published it.
    expect(reply?.rows?.map((row) => row.slice(0, 4))).toEqual([
      ['2014-10-01', '17710.7', '2015-01-30', 'GDP'],
    ]);
    expect(reply).toMatchObject({
      ...{ id: 1, as_of: '2015-01-30', has_more: true, notes: [] },
      vintage: { as_of_date: '2015-01-30', vintage_kind: 'exact' },
    });
  });

  it('gives each of several questions its own notes', async () => {
    const { replies } = await answered([
      { id: 1, ...gdp },
      { id: 2, ask: 'observations', values: { id: 'UNRATE', as_of: '2008-09-16', limit: 1 } },
    ]);
    expect(replies.map(({ notes = [] }) => notes.length)).toEqual([0, 1]);
    expect(replies[1]?.notes).toEqual([expect.stringMatching(/^UNRATE /)]);
  });

  it('joins rows that come with the question', async () => {
    const table = [{ day: '2015-01-29', px: 1 }, { day: '2015-01-30' }];
    const { replies } = await answered([
      { id: 1, ask: 'join', values: { table, ids: ['GDP'], on: 'day', with_dates: true } },
    ]);
    expect(replies[0]?.rows).toEqual([
      ['2015-01-29', 1, '17599.8', '2014-07-01'],
      ['2015-01-30', null, '17710.7', '2014-10-01'],
    ]);
  });

  it.each<[why: string, line: object | string, problem: object]>([
    [
      'a line that is no JSON',
      'what?\n',
      { code: 2, detail: expect.stringMatching(/^the line "what\?" is no question: use \{/) },
    ],
    ['a line without a question', '[1]\n', { code: 2, detail: expect.stringContaining('is no question') }],
    [
      'an unknown question',
      { id: 1, ask: 'panels', values: {} },
      { code: 2, field: 'ask', hints: ['did you mean panel?'] },
    ],
    [
      'an as-of date beside the values',
      '{"ask":"observations","as_of":"2015-01-30","values":{"id":"GDP"}}\n',
      { code: 2, detail: "unknown member 'as_of': use id, ask, values, stop" },
    ],
    [
      'an unknown parameter',
      { id: 1, ask: 'panel', values: { ids: ['GDP'], as_off: '2015-01-30' } },
      {
        code: 2,
        field: 'as_off',
        detail: expect.stringMatching(/^unknown parameter 'as_off': use ids, as_of, /),
      },
    ],
    [
      'a bad value',
      { id: 1, ask: 'panel', values: { ids: ['GDP'], as_of_each: 'monthly' } },
      {
        code: 2,
        kind: 'bad-input',
        field: 'as_of_each',
        detail: expect.stringMatching(
          /^invalid 'as_of_each' "monthly": use .*, or a list of dates such as \["2015-01-30"\]$/,
        ),
      },
    ],
    [
      'a date in another form',
      { id: 1, ask: 'panel', values: { ids: ['GDP'], as_of: '30.1.2015' } },
      { code: 2, field: 'as_of', detail: 'invalid \'as_of\' "30.1.2015": use YYYY-MM-DD' },
    ],
    [
      'a date that is none, among others',
      { id: 1, ask: 'panel', values: { ids: ['GDP'], as_of_each: ['2015-01-30', '2015-02-30'] } },
      { code: 2, detail: 'invalid \'as_of_each\' "2015-02-30": there is no such date' },
    ],
    [
      'parameters that need others',
      { id: 1, ask: 'panel', values: { ids: ['GDP'], as_of_each: 'month-end' } },
      { code: 2, detail: "'as_of_each' needs 'from' and 'to': the first and the last as-of date" },
    ],
    ['a question without its argument', { id: 1, ask: 'panel', values: {} }, { code: 2, field: 'ids' }],
    [
      'an unknown series',
      { id: 1, ask: 'observations', values: { id: 'GDPX' } },
      {
        code: 3,
        kind: 'not-found',
        detail: "series 'GDPX' not found",
        hints: [expect.stringMatching(/did you mean/)],
      },
    ],
    [
      'a ticker without filings',
      { id: 1, ask: 'insider_filings', values: { ticker: 'AAPL' } },
      { code: 3, detail: "no filing of ticker 'AAPL' is stored" },
    ],
    [
      'a sampled series where exact ones are demanded',
      { id: 1, ask: 'observations', values: { id: 'UNRATE', as_of: '2008-09-16', exact: true } },
      { code: 9, kind: 'inexact' },
    ],
  ])('refuses %s, and answers the next question', async (_, line, problem) => {
    const { code, replies } = await answered([line, { id: 2, ...gdp }]);
    expect(code).toBe(0);
    expect(replies.map(({ id }) => id).at(-1)).toBe(2);
    expect(replies[0]).toMatchObject({ problem });
    expect(replies[1]?.rows).toHaveLength(1);
  });

  it('takes every question of the table by its name', async () => {
    const names = Object.values(questions).map(({ name }) => name);
    const { replies } = await answered(names.map((ask, id) => ({ id, ask, values: { nothing: 1 } })));
    expect(replies.map(({ problem }) => problem?.field)).toEqual(names.map(() => 'nothing'));
  });

  it('reads lines that arrive in parts, and a last one without an end', async () => {
    const [line, other] = [1, 2].map((id) => JSON.stringify({ id, ...gdp }));
    const { replies } = await answered([
      `${line?.slice(0, 20)}`,
      `${line?.slice(20)}\n${other?.slice(0, 5)}`,
      `${other?.slice(5)}`,
    ]);
    expect(replies.map(({ id, rows }) => [id, rows?.length])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it('does not answer a question that is stopped', async () => {
    const all = {
      ask: 'panel',
      values: { ids: ['*'], as_of_each: 'month-end', from: '2000-01-31', to: '2020-12-31' },
    };
    const { code, replies } = await answered([{ id: 1, ...all }, { stop: 1 }, { id: 2, ...gdp }]);
    expect({ code, ids: replies.map(({ id }) => id) }).toEqual({ code: 0, ids: [2] });
  });

  it('ends with 130 when it is interrupted while its input is open', async () => {
    const stop = new AbortController();
    const stdin = new PassThrough();
    stdin.write(`${JSON.stringify({ id: 1, ...gdp })}\n`);
    const onWrite = () => stop.abort('SIGINT');
    const { code, replies } = await answered([], { stdin, signal: stop.signal, onWrite });
    expect({ code, ids: replies.map(({ id }) => id) }).toEqual({ code: 130, ids: [1] });
  });

  it('fails as any command where its store cannot be opened', async () => {
    const { code, out, err } = await asof(['lines', '--store', '/nowhere/asof.db']);
    expect({ code, out }).toEqual({ code: 10, out: '' });
    expect(err).toMatch(/^asof: cannot open the store \/nowhere\/asof\.db/);
  });

  it('ends at the first question after its user has a store, so that the program starts it again', async () => {
    const store = await contractStore(scratchFolder());
    const data = newFolder().path('asof');
    const folders = { data, config: data, cache: data };
    const stdin = new PassThrough();
    stdin.write(`${JSON.stringify({ id: 1, ...gdp })}\n`);
    const onWrite = () => {
      mkdirSync(data);
      copyFileSync(store, join(data, 'asof.db'));
      stdin.end(`${JSON.stringify({ id: 2, ...gdp })}\n`);
    };
    const { code, out } = await asof(['lines'], { folders, stdin, onWrite });
    expect({ code, ids: repliesIn(out).map(({ id }) => id) }).toEqual({ code: 0, ids: [1] });
  });
});
