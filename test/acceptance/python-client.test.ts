import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { newFolder } from '../support/folders.ts';
import { type Running, startService } from '../support/modes.ts';
import { blocksOf, builtProgram, builtSample, root, trueAnswers } from '../support/repository.ts';

// Each script starts Python and commands.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let service: Running;

beforeAll(async () => {
  service = await startService({ openStore: () => openStore(builtSample) });
  folder.write('asof', `#!/bin/sh\nexec "${process.execPath}" "${builtProgram}" "$@"\n`);
  chmodSync(folder.path('asof'), 0o755);
});
afterAll(() => service.stop());

/** Shows what an expression gives as JSON: a Decimal as its text, a day as YYYY-MM-DD, a failure with its code. */
const prologue = `
import datetime, decimal, json, os, signal, sys, threading, time, warnings
import asof

URL, KEY = sys.argv[1:3]
command = asof.Asof()
http = asof.Asof(base_url=URL, key=KEY)
remote = asof.Asof(base_url=URL, key=KEY, command="asof")

def plain(value):
    if isinstance(value, decimal.Decimal): return str(value)
    if isinstance(value, datetime.date): return value.isoformat()
    raise TypeError(repr(value))

def show(ask):
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            said = {"rows": ask()}
        except asof.AsofError as error:
            said = {"error": str(error), "code": error.code, "hints": error.hints, "field": error.field}
    print(json.dumps({**said, "notes": [str(note.message) for note in notes]}, default=plain))
`;

/** A question to a command that is a script. */
function script(text: string): string {
  return `asof.Asof(command=["sh", "-c", ${JSON.stringify(text)}]).ping()`;
}

type Said = {
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly error?: string;
  readonly code?: number;
  readonly notes: readonly string[];
};

/** What each of some expressions gives, in one process. */
function shown(...expressions: readonly string[]): Promise<readonly Said[]> {
  return printed(expressions.map((one) => `show(lambda: ${one})`).join('\n'));
}

/** What a program prints, a line of JSON at a time. */
async function printed(program: string, python = 'python3'): Promise<readonly Said[]> {
  const { code, out, err } = await run(python, '-c', prologue + program, service.url, service.key);
  if (code !== 0) throw new Error(err);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function run(python: string, ...args: readonly string[]) {
  const env = {
    ...proxied,
    PATH: `${folder.path('.')}:${process.env.PATH}`,
    HOME: folder.path('home'),
    PYTHONPATH: join(root, 'clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(python, args, { env });
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, out, err };
}

/** Variables that name a proxy; empty without one. */
let proxied: Readonly<Record<string, string>> = {};

/** Questions that the command and a service answer alike, at least one of each that a service has. */
const questions = [
  'observations("gdp", as_of="2015-01-30", limit=8)',
  'observations("gdp:saar", as_of="2015-01-30", limit=2)',
  'observations("GDP", as_of="1960-01-01")',
  'observations(["GDP", "UNRATE"], known_before=datetime.date(2015, 1, 30), from_="2014-01-01", to="2014-12-31")',
  'observations(["GDP", "PAYEMS"], limit=2)',
  'observations(["GDP", "NOSUCH"], skip_missing=True, limit=1)',
  'observations("GDP", known_at=datetime.datetime(2015, 1, 31, 5, tzinfo=datetime.timezone.utc), limit=2)',
  'observations("GDP", as_of="2015-01-30", units="pca", limit=2, exact=True)',
  'observations("UNRATE", as_of="2008-09-16", limit=1)',
  'observations("PAYEMS")',
  'panel(["gdp:yoy", "UNRATE"], as_of="2015-01-30", from_="2014-07-01", wide=True)',
  'panel(["GDP"], known_at="2015-01-31T14:00+09:00", from_="2014-07-01")',
  'panel(["GDP", "UNRATE"], as_of_each="month-end", from_="2014-09-01", to="2014-12-31", known_before_each=True)',
  'panel("UNRATE", as_of_each="quarter-end", from_="2023-06-30", to=datetime.date(2024, 6, 30), beyond="repeat")',
  'panel("UNRATE", as_of_each="quarter-end", from_="2023-06-30", to="2024-06-30", wide=True)',
  'panel(["GDP", "PAYEMS"], as_of_each=["2015-01-30", "2015-03-02"], wide=True, last=2, lag=1, with_dates=True, units="pc1")',
  // A column of days without any day.
  'panel(["GDP", "INDPRO"], as_of_each="month-end", from_="2014-09-01", to="2014-12-31", wide=True, with_dates=True)',
  'series_search("core inflation", limit=2)',
  'series_search("no such words at all")',
  'series_show("gdp")',
  'vintages("GDP", to="2015-01-30", limit=3)',
  'revisions("gdp", date="2014-10-01")',
  'revisions("GDP", from_="2014-01-01", to="2014-10-01", stats=True)',
  'curve(date="2015-01-30")',
  'curve(date="2015-01-31")',
  'yields(from_="2015-01-31", to="2015-02-02")',
  'spread(from_="2025-01-01", limit=2)',
  'insider_filings(ticker="MAIA", from_="2020-01-01")',
  'insider_filings(ticker="MAIA", from_="2026-07-20")',
  'insider_clusters(min_insiders=3)',
  'insider_cluster_explanations(ticker="MAIA")',
  'insider_cluster_signals(ticker="MAIA", from_="2025-12-01")',
  'calendar(series="GDP", from_="2015-01-01", to="2015-12-31")',
  'due()',
  'next_release("GDP")',
  'next_releases(["GDP", "UNRATE"], as_of="2015-01-30")',
  'diff(["GDP", "UNRATE"], [datetime.date(2015, 1, 30), "2015-02-27"], from_="2014-01-01")',
  // Failures, with their codes, hints and parameters.
  'observations("GDPX")',
  'observations("UNRATE", as_of="2008-09-16", exact=True)',
  'observations("UNRATE", as_of="2024-06-30", max_age=5)',
  'observations("GDP", units="pc2")',
  'panel("UNRATE", as_of_each="quarter-end", from_="2023-06-30", to="2024-06-30", beyond="fail")',
  'panel("GDP", as_of_each="month-end")',
  'revisions("GDP", date="2014-10-01", stats=True)',
  'insider_filings(ticker="MAAI")',
];

/** What a script knows of an answer or a failure; an id of a request is never the same. */
const asked = `
try: import pandas
except ImportError: pass

def asked(place, question):
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            answer = eval(f"{place}.{question}")
        except asof.AsofError as error:
            return {"failure": [error.detail, error.hints, error.code, error.kind, error.field]}
    about = {name: value for name, value in answer.about.items() if name != "request_id"}
    said = {"fields": answer.fields, "rows": answer, "about": about, "notes": [str(note.message) for note in notes]}
    if "pandas" not in sys.modules: return said
    frame = answer.to_pandas()
    return {**said, "dtypes": frame.dtypes.astype(str).to_dict(), "cells": frame.astype(str).to_dict("records")}
`;

// Debian has pandas for its own Python.
const withPandas = ['python3', '/usr/bin/python3'].find(
  (one) => spawnSync(one, ['-c', 'import pandas']).status === 0,
);

describe('the package for Python', () => {
  it('is what the table of questions gives', async () => {
    const { pythonModules } = await import(join(root, 'scripts', 'python-client.mjs'));
    for (const [path, module] of await pythonModules())
      expect(readFileSync(join(root, path), 'utf8'), `node scripts/python-client.mjs makes ${path}`).toBe(
        module,
      );
  });

  it('gives the true answers about GDP as of a day, by the command and over HTTP', async () => {
    const facts = trueAnswers('gdp-as-of.tsv')
      .filter(({ as_of = '' }) => as_of >= '1991-12-04' && as_of <= '2024-12-19')
      .slice(-5);
    for (const place of ['command', 'http']) {
      const asked = facts.map(
        ({ date, as_of }) => `${place}.observations("GDP", as_of="${as_of}", from_="${date}", to="${date}")`,
      );
      expect(
        (await shown(...asked)).map(({ rows }) =>
          rows?.map(({ date, value, as_of_date }) => ({ date, value, as_of_date })),
        ),
      ).toEqual(
        facts.map(({ date, value, as_of_date }) => (value === '' ? [] : [{ date, value, as_of_date }])),
      );
    }
  });

  it('gives the same rows, columns, notes and failures by the command and over HTTP', async () => {
    const both = ['command', 'http'].map((place) =>
      printed(
        asked + questions.map((one) => `show(lambda: asked("${place}", ${JSON.stringify(one)}))`).join('\n'),
        withPandas,
      ),
    );
    const [byCommand = [], byHttp = []] = await Promise.all(both);
    for (const [i, question] of questions.entries()) {
      expect(byCommand[i]?.error, question).toBeUndefined();
      expect(byHttp[i]?.rows, question).toEqual(byCommand[i]?.rows);
    }
    const { ENDPOINTS } = JSON.parse(
      (
        await run(
          'python3',
          '-c',
          'import asof.endpoints as e, json; print(json.dumps({"ENDPOINTS": list(e.ENDPOINTS)}))',
        )
      ).out,
    );
    // A ping is about the key that asks.
    const names = ENDPOINTS.map((name: string) => name.replace('observations_of_several', 'observations'));
    const covered = new Set(questions.map((one) => one.replace(/\(.*/, '')));
    expect([...covered, 'ping'].sort()).toEqual([...new Set(names)].sort());
  });

  it('gives the same rows by the command from a service', async () => {
    const rows = questions.slice(0, 8).map((one) => `{"as": command.${one}, "of": remote.${one}}`);
    for (const [i, { rows: both }] of (await shown(...rows)).entries())
      expect(Object(both).of, questions[i]).toEqual(Object(both).as);
  });

  it('says where an answer that limit cut off continues', async () => {
    for (const place of ['command', 'http']) {
      const said = await printed(`
first = ${place}.vintages("GDP", limit=2)
show(lambda: [first.has_more, first.next_cursor is not None])
show(lambda: [row["as_of_date"] for row in ${place}.vintages("GDP", limit=1, cursor=first.next_cursor)])
show(lambda: [row["as_of_date"] for row in ${place}.vintages("GDP", limit=3)][2:])
`);
      expect(said[0]?.rows).toEqual([true, true]);
      expect(said[1]?.rows).toEqual(said[2]?.rows);
    }
  });

  it('gives days and exact numbers as Python has them, and other texts of digits as texts', async () => {
    const typesOf = (names: string) => `{name: type(row[name]).__name__ for name in ${names}}`;
    const [observed, traded] = await shown(
      `[${typesOf('("date", "value", "as_of_date", "unit")')} for row in command.observations("GDP", limit=1)]`,
      `[${typesOf('("owner_cik", "shares", "filing_date", "is_officer")')} for one in http.insider_clusters(limit=1) for row in one["insiders"][:1]]`,
    );
    expect(observed?.rows).toEqual([{ date: 'date', value: 'Decimal', as_of_date: 'date', unit: 'str' }]);
    expect(traded?.rows).toEqual([
      { owner_cik: 'str', shares: 'Decimal', filing_date: 'date', is_officer: 'bool' },
    ]);
  });

  it('joins and checks rows, which keep their own types', async () => {
    const table = '[{"day": datetime.date(2015, 1, 29), "px": 1.5}, {"day": "2015-01-30", "px": None}]';
    const [joined, strict, checked] = await shown(
      `command.join(${table}, ["GDP"], on="day", with_dates=True)`,
      `command.join(${table}, "GDP", on="day", strict=True)`,
      'command.check([{"day": "2015-01-29", "GDP": 17710.7}])',
    );
    // The advance estimate of the fourth quarter of 2014, as BEA published it on 2015-01-30.
    expect(joined?.rows).toEqual([
      { day: '2015-01-29', px: 1.5, GDP: '17599.8', GDP_date: '2014-07-01' },
      { day: '2015-01-30', px: null, GDP: '17710.7', GDP_date: '2014-10-01' },
    ]);
    expect(strict?.rows?.map(({ GDP }) => GDP)).toEqual(['17599.8', '17599.8']);
    expect(checked?.rows).toMatchObject([{ row: 0, first_known: '2015-01-30', kind: 'ahead' }]);
  });

  it('keeps the own columns of rows whose names are no texts', async () => {
    const row = '{"day": "2015-01-30", 1: 5, 2.5: "x"}';
    const [joined, twice] = await shown(
      `[list(row.items()) for row in command.join([${row}], "GDP", on="day")]`,
      'command.join([{"day": "2015-01-30", 1: 5, "1": 6}], "GDP", on="day")',
    );
    expect(joined?.rows).toEqual([
      [
        ['day', '2015-01-30'],
        [1, 5],
        [2.5, 'x'],
        ['GDP', '17710.7'],
      ],
    ]);
    expect(twice).toMatchObject({ code: 2, error: "the table has two columns '1'" });
  });

  it('warns of what asof notes', async () => {
    const [sampled, stale] = await shown(
      'http.observations("UNRATE", as_of="2008-09-16", limit=1)',
      'http.observations("UNRATE", as_of="2024-06-30", limit=1)',
    );
    expect(sampled?.notes).toEqual([expect.stringMatching(/^UNRATE is sampled/)]);
    // The last vintage of UNRATE in the sample.
    expect(stale?.notes[0]).toBe('UNRATE is covered to 2024-02-15');
  });

  it('fails with the code and the reason', async () => {
    const failures: readonly (readonly [expression: string, code: number, reason: RegExp])[] = [
      ['command.observations("GDPX")', 3, /^series 'GDPX' not found\n {2}did you mean GDP/],
      ['http.observations("GDPX")', 3, /^series 'GDPX' not found/],
      ['http.series_show("GDPX")', 3, /^series 'GDPX' not found/],
      ['command.insider_filings(ticker="AAPL")', 3, /^no filing of ticker 'AAPL' is stored/],
      ['http.insider_filings(ticker="AAPL")', 3, /^no filing of ticker 'AAPL' is stored/],
      ['http.insider_clusters(ticker="AAPL")', 3, /^no filing of ticker 'AAPL' is stored/],
      [
        'http.insider_clusters(ticker="MAAI")',
        3,
        /^no filing of ticker 'MAAI' is stored\n {2}did you mean MAIA/,
      ],
      ['command.observations("GDP", as_of="2015-02-30")', 2, /as_of/],
      ['http.observations("GDP", as_of="2015-02-30")', 2, /as_of/],
      [
        'command.observations("GDP", as_of=datetime.datetime(2015, 1, 30, 8, 29))',
        2,
        /^invalid 'as_of' 2015-01-30 08:29:00: use a date, without a time$/,
      ],
      [
        'command.observations("GDP", known_at="2015-01-30T08:29")',
        2,
        /^invalid 'known_at' "2015-01-30T08:29"/,
      ],
      [
        'command.observations("GDP", as_of="2015-01-30", known_before="2015-01-30")',
        2,
        /^use either as_of or known_before/,
      ],
      ['command.observations("GDP", known_before="yesterday")', 2, /^invalid 'known_before' 'yesterday'/],
      [
        'command.observations("GDP", known_before="20150130")',
        2,
        /^invalid 'known_before' '20150130': use YYYY/,
      ],
      ['command.panel("GDP", as_of_each="month-end")', 2, /^'as_of_each' needs 'from' and 'to'/],
      ['http.panel("GDP", as_of_each="month-end")', 2, /^'as_of_each' needs 'from' and 'to'/],
      ['http.panel(["GDP", "GDPX"])', 3, /^series 'GDPX' not found/],
      ['command.observations("UNRATE", as_of="2008-09-16", exact=True)', 9, /UNRATE/],
      ['command.observations("--help")', 3, /^series '--HELP' not found/],
      [
        'command.join([{"day": "2015-01-30"}], "GDP", on="date")',
        2,
        /^the table has no column 'date'\n {2}its columns are day/,
      ],
      ['command.join([{"day": "2015-01-30", "GDP": 1}], "GDP", on="day")', 2, /has a column GDP already/],
      ['command.join(7, "GDP", on="day")', 2, /^invalid 'table' of type int: use the path of a file/],
      ['command.join("no.csv", "GDP", on="day")', 10, /no\.csv/],
      [
        'http.join([{"day": "2015-01-30"}], "GDP", on="day")',
        2,
        /^a service has no join\n {2}asof\.Asof\(base_url=\.\.\., command="asof"\)/,
      ],
      ['asof.Asof(base_url=URL, key="no").ping()', 4, /\n {2}asof sent the key that key= names$/],
      [
        'asof.Asof(base_url=URL, key="no", command="asof").ping()',
        4,
        /\n {2}asof sent the key that key= names$/,
      ],
      ['asof.Asof(base_url=URL).ping()', 4, /\n {2}key= or the variable ASOF_API_KEY names a key$/],
      [
        '[os.environ.update(ASOF_API_KEY="no"), asof.Asof(base_url=URL).ping()]',
        4,
        /\n {2}asof sent the key of the variable ASOF_API_KEY$/,
      ],
      [
        'asof.Asof(base_url="http://127.0.0.1:9", retries=0).series_search()',
        7,
        /^cannot reach http:\/\/127/,
      ],
      [
        'asof.Asof(command="asof-is-not-here").series_search()',
        10,
        /^cannot start asof-is-not-here: No such file/,
      ],
      [
        'asof.Asof(store="/nowhere/asof.db").series_search()',
        10,
        /^cannot open the store \/nowhere\/asof\.db/,
      ],
      [
        'asof.Asof(command=["sh", "-c", "echo hello; cat"]).series_search()',
        8,
        /^'sh' wrote 'hello', which is no answer/,
      ],
      [
        'asof.Asof(command=["sh", "-c", "echo broken >&2; exit 3"]).series_search()',
        70,
        /^asof has ended \(exit code 3\)\n {2}broken/,
      ],
      ['asof.Asof(store="a", base_url="b")', 2, /^use either store or base_url/],
      [
        'asof.Asof(base_url="data.example.org")',
        2,
        /^invalid 'base_url' 'data\.example\.org': use an http or https/,
      ],
      [
        'http.panel("GDP", as_of_each=["2015-01-30"] * 3000)',
        2,
        /^the question is too long for the address of a request\n {2}asof\.Asof\(base_url=/,
      ],
    ];
    const said = await shown(...failures.map(([expression]) => expression));
    for (const [i, [expression, code, reason]] of failures.entries())
      expect({ expression, ...said[i] }).toMatchObject({
        expression,
        code,
        error: expect.stringMatching(reason),
      });
  });

  describe('fails at once for', () => {
    const cases: readonly (readonly [what: string, expression: string, reason: RegExp])[] = [
      ['a number that is none', 'command.observations("GDP", digits=float("nan"))', /^invalid 'digits' nan/],
      ['a day that is none', 'command.observations("GDP", as_of=float("nan"))', /^invalid 'as_of' nan/],
      [
        'an endless number',
        'http.observations("GDP", limit=float("inf"))',
        /^invalid 'limit' inf: use a finite/,
      ],
      [
        'a value that is none of JSON',
        'command.observations(b"GDP")',
        /^invalid 'ids': a bytes cannot be sent/,
      ],
      [
        'a day before all days',
        'command.observations("GDP", known_before="0001-01-01")',
        /no day is before it/,
      ],
      ['a command that repeats what it reads', script('cat'), /^'sh' wrote .* which is no answer of asof/],
      ['a command that closes its input', script('exec <&-; sleep 100'), /^asof has ended \(signal 9\)/],
      ['a command that closes its output', script('exec >&-; sleep 100'), /^asof has ended \(signal 9\)/],
      [
        'a command that cannot say to which question it answers',
        script(
          `read x; echo '{"id": null, "problem": {"detail": "no question", "code": 2, "kind": "bad-input"}}'; cat`,
        ),
        /^no question$/,
      ],
      [
        'an answer without an id',
        script(`read x; echo '{"id": null, "rows": []}'; cat`),
        /which is no answer/,
      ],
      [
        'an answer that cannot be read',
        script(String.raw`read x; yes '[' | head -c 400000 | tr -d '\n'; echo; cat`),
        /^cannot read an answer of 'sh'/,
      ],
      [
        'a time with a zone where a day is meant',
        'command.observations("GDP", as_of=datetime.datetime(2015, 1, 30, tzinfo=datetime.timezone.utc))',
        /^invalid 'as_of' 2015-01-30 00:00:00\+00:00: a time with a zone is no day; use its date/,
      ],
      [
        'midnight without a zone where a time is meant',
        'command.observations("GDP", known_at=datetime.datetime(2015, 1, 30))',
        /^invalid 'known_at' 2015-01-30 00:00:00: use a datetime with a zone;/,
      ],
      [
        'a time without a zone where a time is meant',
        'command.observations("GDP", known_at=datetime.datetime(2015, 1, 30, 8, 29))',
        /^invalid 'known_at' 2015-01-30 08:29:00: a time needs a zone: use a datetime with one$/,
      ],
      ['a table without rows', 'command.check([])', /^the table is empty: it has no rows and no columns$/],
      ['a key of bytes', 'asof.Asof(key=b"secret")', /^invalid 'key' of type bytes: use a text$/],
      [
        'a key that is a number',
        'asof.Asof(base_url=URL, key=123)',
        /^invalid 'key' of type int: use a text$/,
      ],
      ['a store that no file can be', 'asof.Asof(store="a\\0b").ping()', /^cannot start asof: embedded null/],
    ];
    let said: readonly Said[] = [];
    beforeAll(async () => {
      said = await shown(...cases.map(([, expression]) => expression));
    });

    it.each(cases.map(([what, , reason], i) => [what, i, reason] as const))('%s', (_, i, reason) => {
      expect(said[i]).toMatchObject({ error: expect.stringMatching(reason) });
    });
  });

  it('takes and refuses the same values by the command and over HTTP', async () => {
    const taken = ['limit=decimal.Decimal(2)', 'limit=2.0', 'limit=2'].map(
      (one) => `observations("GDP", ${one})`,
    );
    const refused: readonly (readonly [question: string, field: string])[] = [
      ['observations("GDP,UNRATE")', 'ids'],
      ['observations(["GDP,UNRATE", "INDPRO"])', 'ids'],
      ['observations("GDP", limit="2")', 'limit'],
      ['observations("GDP", limit=2.5)', 'limit'],
      ['observations("GDP", limit=[2])', 'limit'],
      ['observations("GDP", cursor="x")', 'cursor'],
      ['revisions("GDP", after="30d")', 'after'],
      ['revisions(["GDP", "UNRATE"])', 'id'],
    ];
    for (const place of ['command', 'http']) {
      const said = await shown(...taken.map((one) => `len(${place}.${one})`));
      expect(said.map(({ rows }) => rows)).toEqual([2, 2, 2]);
      const failed = await printed(
        `${asked}${refused.map(([one]) => `show(lambda: asked("${place}", '${one}'))`).join('\n')}`,
      );
      for (const [i, [question, field]] of refused.entries())
        expect({ place, question, ...Object(failed[i]?.rows) }).toMatchObject({
          failure: [expect.any(String), expect.any(Array), 2, 'bad-input', field],
        });
    }
  });

  it('warns of faults that a check finds, and not of their absence', async () => {
    const [passed, failed] = await shown(
      '[command.check([{"day": "2015-01-30", "GDP": 17710.7}]).notes]',
      'command.check([{"day": "2015-01-29", "GDP": 17710.7}])',
    );
    expect(passed).toMatchObject({ rows: [['the table: the only value was known on its day']], notes: [] });
    expect(failed?.notes).toEqual(['the table: 1 of 1 value was not known on its day: 1 became known later']);
  });

  it('names the refused parameter as Python has it', async () => {
    const said = await shown(
      ...['command', 'http'].map((place) => `${place}.observations("GDP", from_="x")`),
    );
    for (const one of said) expect(one).toMatchObject({ code: 2, field: 'from_' });
  });

  it('gives a failure to a pool of processes, which would wait for one that cannot be copied', async () => {
    const [said] = await printed(`
import multiprocessing
def newest(name): return asof.observations(name, limit=1)[0]["series_id"]
with multiprocessing.get_context("fork").Pool(2) as pool:
    show(lambda: pool.map_async(newest, ["GDP", "GDPX"]).get(30))
`);
    expect(said).toMatchObject({ code: 3, hints: ['did you mean GDP or GDPC1?'] });
  });

  it('never shows a key or a password, and takes a key with the line end of its file', async () => {
    const [read, ...refused] = await shown(
      'len(asof.Asof(base_url=URL, key=KEY + "\\n").ping())',
      'asof.Asof(base_url=URL, key="sec\\nret").ping()',
      'asof.Asof(key="secr\u00e9t").ping()',
      'asof.Asof(base_url="asof_live_sk_secret")',
      'asof.Asof("asof_live_sk_secret", key="asof_live_sk_secret")',
      'asof.Asof(base_url="http://ann:secret@127.0.0.1:9", retries=0).ping()',
      'asof.Asof(base_url="http://ann:secret@127.0.0.1:port", command="asof").ping()',
      'asof.Asof(base_url="http://127.0.0.1:9/?key=secret").ping()',
      'asof.Asof(store="postgres://ann:secret@127.0.0.1:9/asof").ping()',
    );
    expect(read?.rows).toBe(1);
    for (const { error } of refused) {
      expect(error).toMatch(/key|base_url|store/);
      expect(error).not.toMatch(/sec\s*r[eé]t|secr/);
    }
  });

  it('takes the sample by its name, and a file from the folder where it was named', async () => {
    const [sample, file] = await printed(`
show(lambda: asof.Asof(store="sample").series_show("GDP")[0]["id"])
os.chdir("/")
named = asof.Asof(store="no-such.db")
os.chdir(sys.path[0] or "/tmp")
show(lambda: named.ping())
`);
    expect(sample?.rows).toBe('GDP');
    expect(file).toMatchObject({ code: 10, error: expect.stringMatching(/no-such\.db/) });
  });

  it('answers threads at once, and starts the process again after its end', async () => {
    const said = await printed(`
sizes = []
threads = [threading.Thread(target=lambda n=n: sizes.append(len(command.observations("GDP", limit=n)))) for n in range(1, 21)]
for one in threads: one.start()
for one in threads: one.join()
show(lambda: sorted(sizes))
os.kill(command._source._process._child.pid, signal.SIGKILL)
show(lambda: len(command.observations("GDP", limit=3)))
command.close()
show(lambda: command.observations("GDP"))
`);
    expect(said[0]?.rows).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(said[1]?.rows).toBe(3);
    expect(said[2]).toMatchObject({ code: 2, error: 'this Asof was closed' });
  });

  it('asks no service after it was closed', async () => {
    const said = await printed(`
with asof.Asof(base_url=URL, key=KEY) as closed: show(lambda: len(closed.ping()))
show(lambda: closed.ping())
`);
    expect(said).toMatchObject([{ rows: 1 }, { code: 2, error: 'this Asof was closed' }]);
  });

  it.each<[what: string, head: string]>([
    ['the head', 'HTTP/1.1 200 OK\r\nX-Slow:'],
    ['the body', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n'],
  ])(
    'gives up a try after `timeout` seconds also where the service sends %s byte by byte',
    async (_, head) => {
      let tries = 0;
      const server = createTcpServer((socket) => {
        tries += 1;
        socket.write(head);
        const dripping = setInterval(() => socket.write(' '), 100);
        socket.on('error', () => {}).on('close', () => clearInterval(dripping));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const [said, seconds] = await printed(`
began = time.monotonic()
show(lambda: asof.Asof(base_url="http://127.0.0.1:${port}", timeout=0.5, retries=1).ping())
show(lambda: time.monotonic() - began)
`);
      server.close();
      expect(said).toMatchObject({ code: 7, error: expect.stringMatching(/timed out$/) });
      expect(tries).toBe(2);
      expect(seconds?.rows).toBeLessThan(5);
    },
  );

  it('gives up a question at Ctrl-C, and the process answers the next one', async () => {
    const said = await printed(`
command.observations("GDP", limit=1)
before = command._source._process
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True: command.panel("*", as_of_each="day", from_="2000-01-01", to="2020-12-31", wide=True)
except KeyboardInterrupt:
    show(lambda: "interrupted")
show(lambda: len(command.observations("GDP", limit=3)))
show(lambda: command._source._process is before)
`);
    expect(said.map(({ rows }) => rows)).toEqual(['interrupted', 3, true]);
  });

  it('answers a forked process by its own command', async () => {
    const said = await printed(`
show(lambda: len(command.observations("GDP", limit=1)))
sys.stdout.flush()
child = os.fork()
if child == 0:
    show(lambda: len(command.observations("GDP", limit=2)))
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
show(lambda: len(command.observations("GDP", limit=3)))
`);
    expect(said.map(({ rows }) => rows)).toEqual([1, 2, 3]);
  });

  it('leaves no process and no warning when Python ends', async () => {
    const program =
      'import asof; asof.observations("GDP", limit=1); print(asof.ping.__self__._source._process._child.pid)';
    const { code, out, err } = await run('python3', '-X', 'dev', '-W', 'error', '-c', program);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(() => process.kill(Number(out), 0)).toThrow(/ESRCH/);
  });

  /** What a client of a service that answers so gives for its series, asked so many times. */
  async function saidBy(answer: RequestListener, times: number): Promise<readonly Said[]> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const asked = `[row["id"] for row in asof.Asof(base_url="http://127.0.0.1:${port}", key="secret").series_search()]`;
    const said = await shown(...Array<string>(times).fill(asked));
    server.close();
    return said;
  }

  const page = (id: string) => JSON.stringify({ fields: [{ name: 'id', type: 'text' }], rows: [[id]] });

  it('waits as long as a busy service says, and fails at once where that is too long', async () => {
    let requests = 0;
    const [first, second] = await saidBy((_request, reply) => {
      requests += 1;
      const isBusy = requests !== 2;
      reply.writeHead(isBusy ? 429 : 200, isBusy ? { 'Retry-After': requests === 1 ? '1' : '90' } : {});
      reply.end(isBusy ? '{"detail": "the quota is used up"}' : page('A'));
    }, 2);
    expect(first?.rows).toEqual(['A']);
    const way = 'the service asks to wait 90 seconds; max_wait=90 does';
    expect(second).toMatchObject({ code: 6, error: `the quota is used up\n  ${way}` });
  });

  it('asks over one connection, and over another where the service has closed that', async () => {
    const ports = new Set<number | undefined>();
    const server = createServer((request, reply) => {
      ports.add(request.socket.remotePort);
      // The third answer is the last one of its connection, which does not say so.
      reply.end(
        page('A'),
        () => ports.size === 1 && request.url?.includes('limit=3') && request.socket.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const said = await printed(`
once = asof.Asof(base_url="http://127.0.0.1:${port}", retries=0)
show(lambda: [len(once.series_search(limit=n)) for n in range(1, 4)])
time.sleep(0.2)
show(lambda: len(once.series_search(limit=4)))
`);
    server.close();
    expect(said.map(({ rows }) => rows)).toEqual([[1, 1, 1], 1]);
    expect(ports.size).toBe(2);
  });

  it('asks through the proxy that the environment names', async () => {
    const asked: string[] = [];
    const proxy = createServer((request, reply) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      reply.end(page('A'));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    proxied = { http_proxy: `http://ann:word@127.0.0.1:${port}` };
    const [said] = await shown('len(asof.Asof(base_url="http://data.example/base").series_search(limit=1))');
    proxied = {};
    proxy.close();
    expect(said?.rows).toBe(1);
    expect(asked).toEqual([
      `http://data.example/base/v1/series?match=words&limit=1 Basic ${Buffer.from('ann:word').toString('base64')}`,
    ]);
  });

  it.each<[what: string, answer: RequestListener, code: number, reason: RegExp]>([
    [
      'is cut off',
      (_request, reply) => {
        reply.writeHead(200, { 'Content-Length': '1000' });
        reply.write(page('A'), () => reply.destroy());
      },
      7,
      /^cannot reach .*IncompleteRead/,
    ],
    ['is no JSON', (_request, reply) => reply.end('<html>'), 8, /did not answer in JSON\n/],
    ['has no rows', (_request, reply) => reply.end('{}'), 8, /did not answer as a service of asof does\n/],
    ...[
      '{"fields": [], "rows": [[1, 2]]}',
      '{"fields": "x", "rows": 5}',
      '{"fields": [{"name": "id", "type": "day"}], "rows": [["abc"]]}',
      '{"fields": [{"name": "id", "type": "decimal"}], "rows": [["abc"]]}',
    ].map((body): [string, RequestListener, number, RegExp] => [
      `is ${body}`,
      (_request, reply) => reply.end(body),
      8,
      /^the answer is none of asof: /,
    ]),
    [
      'leads to another address, to which no key is sent',
      (_request, reply) =>
        reply.writeHead(302, { Location: 'http://ann:word@127.0.0.1:9/next?key=secret' }).end(),
      8,
      /redirects to http:\/\/127\.0\.0\.1:9\/next\n/,
    ],
    [
      'is of a service without the path',
      (_request, reply) => reply.writeHead(404).end('{"detail": "no such path", "type": "/not-found"}'),
      8,
      /^no such path$/,
    ],
  ])('fails where an answer %s', async (_, answer, code, reason) => {
    const [said] = await saidBy(answer, 1);
    expect(said).toMatchObject({ code, error: expect.stringMatching(reason) });
  });

  it('prints what the guide shows', async () => {
    const guide = readFileSync(join(root, 'docs/guide/python.md'), 'utf8');
    const programs = [
      ...guide.matchAll(/^```python\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```$/gm),
    ];
    expect(programs).toHaveLength(blocksOf(guide, 'python').length);
    for (const [, program = '', output] of programs)
      expect(await run('python3', '-W', 'ignore', '-c', program)).toEqual({ code: 0, out: output, err: '' });
  });

  it('documents questions in the words of Python', async () => {
    const questions = readFileSync(join(root, 'clients/python/asof/questions.py'), 'utf8');
    expect(questions).not.toMatch(/--[a-z]|\b[Ee]xits?\b|\bFILE\b|\bflag\b/);
  });

  it('documents what each question takes', async () => {
    const { out } = await run('python3', '-c', 'import asof; help(asof.panel)');
    expect(out).toMatch(/^panel\(ids: .*, \*, as_of: /m);
    expect(out).toContain('as_of: As-of date: the answer has only what was published on or before it.');
  });

  it('says that a DataFrame needs pandas where it is missing', async () => {
    // -I and -S leave out every installed package.
    const script = `import sys; sys.path.insert(0, ${JSON.stringify(join(root, 'clients/python'))}); import asof; asof.Answer([], [], {}).to_pandas()`;
    const { code, err } = await run('python3', '-I', '-S', '-B', '-c', script);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/ModuleNotFoundError: No module named 'pandas'/),
    });
  });

  describe.skipIf(withPandas === undefined)('with pandas, which is installed', () => {
    it('gives DataFrames whose types follow from the question, also without rows', async () => {
      const [some, none, exact, wide] = await printed(
        ['as_of="2015-01-30", limit=2', 'as_of="1960-01-01"']
          .map(
            (asked) =>
              `show(lambda: command.observations("GDP", ${asked}).to_pandas().dtypes.astype(str).to_dict())`,
          )
          .concat(
            'show(lambda: command.observations("GDP", as_of="2015-01-30", limit=1).to_pandas(exact=True)["value"].tolist())',
            'show(lambda: http.panel(["GDP", "UNRATE"], as_of="2015-01-30", from_="2014-07-01", wide=True).to_pandas().dtypes.astype(str).to_dict())',
          )
          .join('\n'),
        withPandas,
      );
      const types = { date: 'datetime64[ns]', value: 'float64', as_of_date: 'datetime64[ns]' };
      expect(some?.rows).toMatchObject(types);
      expect(none?.rows).toEqual(some?.rows);
      expect(exact?.rows).toEqual(['17710.7']);
      expect(wide?.rows).toEqual({ date: 'datetime64[ns]', GDP: 'float64', UNRATE: 'float64' });
    });

    it('takes days and numbers as pandas and numpy have them', async () => {
      const said = await printed(
        `
import numpy, pandas
day = numpy.datetime64("2015-01-30")
for one in (day, day.astype("datetime64[ns]"), pandas.Timestamp("2015-01-30"), pandas.Series([day])[0], numpy.array(day)):
    show(lambda: command.observations("GDP", as_of=one, limit=numpy.int64(1)))
show(lambda: command.observations("GDP", as_of=pandas.NaT))
show(lambda: command.observations("GDP", as_of=numpy.datetime64("NaT")))
show(lambda: command.observations("GDP", known_before=pandas.NaT))
show(lambda: command.observations("GDP", as_of=numpy.datetime64("2015-01-30T08:30")))
show(lambda: command.observations(pandas.Series(["GDP", "UNRATE"]), as_of=day, limit=1))
`,
        withPandas,
      );
      for (const one of said.slice(0, 5)) expect(one.rows).toMatchObject([{ value: '17710.7' }]);
      expect(said[5]).toMatchObject({ error: expect.stringMatching(/^invalid 'as_of' NaT: leave/) });
      expect(said[6]).toMatchObject({ error: expect.stringMatching(/^invalid 'as_of' NaT: leave/) });
      expect(said[7]).toMatchObject({ error: expect.stringMatching(/^invalid 'known_before' NaT: leave/) });
      expect(said[8]).toMatchObject({
        error: "invalid 'as_of' 2015-01-30T08:30: use a date, without a time",
      });
      expect(said[9]?.rows).toHaveLength(2);
    });

    it('joins and checks tables of every form: an index of days, numbers of 32 bits, columns without names', async () => {
      const said = await printed(
        `
import numpy, pandas
days = pandas.to_datetime(["2015-01-29", "2015-01-30"])
indexed = pandas.DataFrame({"px": [1.0, 2.0]}, index=days)
named = indexed.rename_axis("day")
gdp = pandas.DataFrame({"day": days, "GDP": numpy.array([17599.8, 17710.7], dtype="float32")})
show(lambda: command.join(named, "GDP", on="day")["GDP"].tolist())
show(lambda: list(command.join(named, "GDP", on="day").columns))
show(lambda: command.join(indexed, "GDP", on="index")["GDP"].tolist())
show(lambda: command.join(indexed, "GDP", on="date"))
show(lambda: command.join(pandas.DataFrame([["2015-01-29", 1.5]]), "GDP", on=0)["GDP"].tolist())
show(lambda: [row["kind"] for row in command.check(gdp, all_rows=True)])
show(lambda: [row["kind"] for row in command.check(gdp.astype({"GDP": "Float32"}), all_rows=True)])
show(lambda: [row["kind"] for row in command.check(gdp.set_index("day"), all_rows=True)])
show(lambda: [bool(gdp.iloc[row["row"]]["day"].date() == row["day"]) for row in command.check(gdp.astype({"GDP": "float64"}).round(1), all_rows=True, strict=True)])
show(lambda: command.join(pandas.DataFrame(), "GDP", on="day"))
show(lambda: command.check(pandas.DataFrame(), on="day"))
show(lambda: command.join(gdp[:0], "UNRATE", on="day"))
show(lambda: command.check(pandas.DataFrame({"day": days, "price": [1, 2]})))
`,
        withPandas,
      );
      const values = [17599.8, 17710.7];
      expect(said[0]?.rows).toEqual(values);
      expect(said[1]?.rows).toEqual(['px', 'GDP']);
      expect(said[2]?.rows).toEqual(values);
      expect(said[3]).toMatchObject({
        error:
          "the table has no column 'date'\n  its columns are px\n  on='index' takes the days of its index",
      });
      expect(said[4]?.rows).toEqual([17599.8]);
      for (const one of said.slice(5, 8)) expect(one.rows).toEqual(['known', 'known']);
      expect(said[8]?.rows).toEqual([true, true]);
      expect(said[9]).toMatchObject({ error: 'the table is empty: it has no rows and no columns' });
      expect(said[10]).toMatchObject({ error: 'the table is empty: it has no rows and no columns' });
      expect(said[11]).toMatchObject({ error: 'the table is empty: it has no rows' });
      expect(said[12]).toMatchObject({
        error: expect.stringMatching(/\n {2}check\(columns=\{"NAME":"ID"\}\) names a column and its series$/),
      });
    });

    it('refuses days that a datetime64 of pandas has not, and says that a table has no rows', async () => {
      const said = await printed(
        `
import pandas
def frame_of(day): return asof.Answer([{"day": datetime.date.fromisoformat(day)}], [asof.Field("day", "day")], {}).to_pandas()
for day in ("1677-09-22", "2262-04-11"): show(lambda: str(frame_of(day)["day"][0].date()))
for day in ("1677-09-21", "2262-04-12"): show(lambda: frame_of(day))
show(lambda: command.check(pandas.DataFrame({"day": ["2015-01-30"], "GDP": [1.5]})[:0]))
`,
        withPandas,
      );
      // The first and the last whole day of pandas.Timestamp.min and .max.
      expect(said.slice(0, 2).map(({ rows }) => rows)).toEqual(['1677-09-22', '2262-04-11']);
      for (const [i, day] of ['1677-09-21', '2262-04-12'].entries())
        expect(said[2 + i]).toMatchObject({
          error: expect.stringContaining(
            `the column 'day' has ${day}, and a datetime64[ns] of pandas is from`,
          ),
        });
      expect(said[4]).toMatchObject({ error: 'the table is empty: it has no rows' });
    });

    it('joins DataFrames, which keep their index and types, and checks them', async () => {
      const [joined, types, checked, twice] = await printed(
        `
import pandas
days = pandas.to_datetime(["2015-01-29", "2015-01-30", None])
frame = pandas.DataFrame({"day": days, "px": pandas.Series([1, 2, None], dtype="Int64"), "who": pandas.Categorical(["a", "b", "a"])}, index=[7, 9, 11])
joined = command.join(frame[:2], ["GDP", "UNRATE"], on="day", with_dates=True, with_age=True)
show(lambda: joined[["GDP", "GDP_age"]].reset_index().to_dict("records"))
show(lambda: {**joined.dtypes.astype(str).to_dict(), "own": list(frame.columns)})
show(lambda: command.check(joined[["day", "GDP"]], all_rows=True, strict=True))
show(lambda: command.join(frame, "GDP", on="day"))
`,
        withPandas,
      );
      expect(joined?.rows).toEqual([
        { index: 7, GDP: 17599.8, GDP_age: 37 },
        { index: 9, GDP: 17710.7, GDP_age: 0 },
      ]);
      expect(types?.rows).toMatchObject({
        ...{ px: 'Int64', who: 'category', day: 'datetime64[ns]', own: ['day', 'px', 'who'] },
        ...{ GDP: 'float64', GDP_date: 'datetime64[ns]', GDP_age: 'Int64' },
      });
      expect(checked?.rows?.map(({ row, kind }) => [row, kind])).toEqual([
        [0, 'known'],
        [1, 'ahead'],
      ]);
      expect(twice).toMatchObject({ code: 2, error: expect.stringMatching(/row 2/) });
    });
  });
});
