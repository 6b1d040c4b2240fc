import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Question } from '../../src/answering/question.ts';
import type { Field } from '../../src/operations/field.ts';
import { comparisonLayout } from '../../src/questions/rates/rates.ts';
import { longPanelLayout } from '../../src/questions/series/panel-rows.ts';
import { revisionLayout } from '../../src/questions/series/revision-layouts.ts';
import { questions as composedQuestions } from '../../src/questions/table.ts';
import { openStore } from '../../src/store/open.ts';
import { newFolder } from '../support/folders.ts';
import { type Running, startService } from '../support/modes.ts';
import { operations } from '../support/operations.ts';
import { builtProgram, builtSample, root, trueAnswers } from '../support/repository.ts';

// Each script starts Python and commands.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let service: Running;

beforeAll(async () => {
  service = await startService({ openStore: () => openStore(builtSample) });
});
afterAll(() => service.stop());

/** Prints what an expression gives as JSON: a Decimal as its text, a day as YYYY-MM-DD, a failure with its code. */
const prologue = `
import datetime, decimal, json, sys, warnings
sys.dont_write_bytecode = True
import asof

COMMAND = json.loads(sys.argv[1])
URL, KEY = sys.argv[2:4]
command = asof.Asof(command=COMMAND)
http = asof.Asof(command=None, base_url=URL, key=KEY)

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
            said = {"error": str(error), "code": error.code}
    print(json.dumps({**said, "notes": [str(note.message) for note in notes]}, default=plain))
`;

type Said = {
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly error?: string;
  readonly code?: number;
  readonly notes: readonly string[];
};

/** What each of some Python expressions gives, in one process. */
async function python(...expressions: readonly string[]): Promise<readonly Said[]> {
  const script = [prologue, ...expressions.map((one) => `show(lambda: ${one})`)].join('\n');
  const command = JSON.stringify([process.execPath, builtProgram]);
  const { code, out, err } = await run('-c', script, command, service.url, service.key);
  if (code !== 0) throw new Error(err);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Runs Python; its exit code and what it prints. */
async function run(...args: readonly string[]) {
  const env = {
    PATH: `${folder.path('bin')}:${process.env.PATH}`,
    HOME: folder.path('home'),
    PYTHONPATH: join(root, 'clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn('python3', args, { env });
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, out, err };
}

/** Questions that the command and a service answer alike. */
const questions = [
  'observations("gdp", as_of="2015-01-30", limit=8)',
  'observations(["GDP", "UNRATE"], known_before=datetime.date(2015, 1, 30), start="2014-01-01", end="2014-12-31")',
  'observations("GDP", known_at=datetime.datetime(2015, 1, 31, 5, tzinfo=datetime.timezone.utc), limit=2)',
  'panel(["GDP"], known_at="2015-01-31T14:00+09:00", start="2014-07-01")',
  'observations("PAYEMS")',
  'series("core inflation", limit=5)',
  '[asof.show("GDP")]',
  'vintages("GDP", as_of="2015-01-30")',
  'curve("2015-01-30")',
  'spread(start="2025-01-01", limit=2)',
  'filings(ticker="MAIA", start="2020-01-01")',
  'clusters(min_insiders=3)',
  'calendar(series="GDP", start="2015-01-01", end="2015-12-31")',
  'next_release(["gdp", "UNRATE"], as_of="2015-01-30")',
  'panel(["gdp", "UNRATE"], each="month-end", start="2014-09-01", end="2014-12-31")',
  'panel("UNRATE", each="quarter-end", start="2023-06-30", end=datetime.date(2024, 6, 30), beyond="repeat")',
  'diff(["GDP", "UNRATE"], datetime.date(2015, 1, 30), "2015-02-27", start="2014-01-01")',
];

describe('the Python client', () => {
  it('knows every field that is an exact number', async () => {
    const decimalsOf = (fields: readonly Field[]): readonly string[] =>
      fields.flatMap((field) => [
        ...(field.type === 'decimal' ? [field.name] : []),
        ...decimalsOf(field.fields ?? []),
      ]);
    const composed = Object.values<Question>(composedQuestions).flatMap(
      ({ endpoint }) => endpoint?.layout ?? [],
    );
    const layouts = [...operations, comparisonLayout, longPanelLayout, revisionLayout, ...composed];
    const names = new Set(layouts.flatMap(({ fields }) => decimalsOf(fields)));
    const [said] = await python('[{"names": sorted(asof.DECIMALS)}]');
    expect(said?.rows?.[0]?.names).toEqual([...names].sort());
  });

  it('gives the true answers about GDP as of a day, by the command and over HTTP', async () => {
    const facts = trueAnswers('gdp-as-of.tsv')
      .filter(({ as_of = '' }) => as_of >= '1991-12-04' && as_of <= '2024-12-19')
      .slice(-5);
    const asked = facts.map(
      ({ date, as_of }) => `observations("GDP", "${as_of}", start="${date}", end="${date}")`,
    );
    for (const place of ['command', 'http']) {
      const said = await python(...asked.map((one) => `${place}.${one}`));
      expect(
        said.map(({ rows }) => rows?.map(({ date, value, as_of_date }) => ({ date, value, as_of_date }))),
      ).toEqual(
        facts.map(({ date, value, as_of_date }) => (value === '' ? [] : [{ date, value, as_of_date }])),
      );
    }
  });

  it('gives the same rows by the command and over HTTP', async () => {
    const placed = (place: string) =>
      questions.map((one) =>
        one.startsWith('[asof.') ? one.replace('asof.', `${place}.`) : `${place}.${one}`,
      );
    const byCommand = await python(...placed('command'));
    const overHttp = await python(...placed('http'));
    for (const [i, question] of questions.entries()) {
      expect(byCommand[i]?.rows?.length, question).toBeGreaterThan(0);
      expect(overHttp[i]?.rows, question).toEqual(byCommand[i]?.rows);
    }
  });

  it('gives days and exact numbers as Python has them, and other texts of digits as texts', async () => {
    const [said] = await python(
      '[{"types": [type(row[name]).__name__ for name in ("date", "value", "as_of_date", "unit")]} for row in command.observations("GDP", limit=1)]',
      '[{"types": [type(one[name]).__name__ for name in ("owner_cik", "shares", "transaction_date", "is_officer")]} for row in http.clusters(limit=1) for one in row["insiders"][:1]]',
    );
    expect(said?.rows).toEqual([{ types: ['date', 'Decimal', 'date', 'str'] }]);
  });

  it('gives diffs and revisions by the command', async () => {
    const [diff, revisions] = await python(
      'command.diff("GDP", "2015-01-30", "2015-02-27")',
      'command.revisions("GDP", "2014-10-01", as_of="2015-02-27")',
    );
    // The advance and the second estimate of the fourth quarter of 2014, as BEA published them.
    expect(diff?.rows).toMatchObject([
      { date: '2014-10-01', old: '17710.7', new: '17701.3', change: '-9.4' },
    ]);
    expect(revisions?.rows).toMatchObject([{ value: '17710.7' }, { value: '17701.3', days: 28 }]);
  });

  it('passes on what asof notes as a warning, and asks a service through the command, too', async () => {
    const [sampled, remote] = await python(
      'command.observations("UNRATE", as_of="2008-09-16", limit=1)',
      'asof.Asof(command=COMMAND, base_url=URL, key=KEY).observations("GDP", as_of="2015-01-30", limit=1)',
    );
    expect(sampled?.notes).toEqual([
      expect.stringMatching(/^UNRATE is sampled: values are from the sample of 2008-/),
    ]);
    expect(remote?.rows).toMatchObject([{ date: '2014-10-01', value: '17710.7' }]);
  });

  it('fails with the code and the reason', async () => {
    const failures: readonly (readonly [expression: string, code: number, reason: RegExp])[] = [
      ['command.observations("GDPX")', 3, /^series 'GDPX' not found/],
      ['http.observations("GDPX")', 3, /^series 'GDPX' not found/],
      ['http.observations("GDP", as_of="2015-02-30")', 2, /as_of/],
      ['command.observations("GDP", as_of="2015-02-30")', 2, /^--as-of "2015-02-30": there is no such date/],
      ['asof.Asof(command=None, base_url=URL, key="wrong").observations("GDP")', 4, /key/],
      ['asof.Asof(command=None, base_url="http://127.0.0.1:9").series()', 7, /^cannot reach http:\/\/127/],
      ['asof.Asof(command="asof-is-not-here").series()', 10, /^the command asof-is-not-here is not/],
      ['command.observations("--help")', 3, /^series '--HELP' not found/],
      ['http.observations("--help")', 3, /^series '--HELP' not found/],
      ['command.panel(["GDP", "-o/tmp/a"], as_of="2015-01-30")', 3, /^series '-O\/TMP\/A' not found/],
      ['command.diff("--quiet", "2015-01-30", "2015-02-27")', 3, /^series '--QUIET' not found/],
      ['http.panel("GDP", each="month-end")', 2, /^'as_of_each' needs 'from' and 'to'/],
      ['http.panel(["GDP", "GDPX"])', 3, /^series 'GDPX' not found/],
    ];
    const said = await python(...failures.map(([expression]) => expression));
    for (const [i, [expression, code, reason]] of failures.entries())
      expect({ expression, ...said[i] }).toMatchObject({
        expression,
        code,
        error: expect.stringMatching(reason),
      });
  });

  /** What a client of a service that answers so gives for its series, asked so many times. */
  async function saidBy(answer: RequestListener, times: number): Promise<readonly Said[]> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const asked = `asof.Asof(command=None, base_url="http://127.0.0.1:${port}").series()`;
    const said = await python(...Array<string>(times).fill(asked));
    server.close();
    return said;
  }

  it('waits as long as a busy service says, and fails at once where that is too long', async () => {
    let requests = 0;
    const [first, second] = await saidBy((_request, reply) => {
      requests += 1;
      const isBusy = requests !== 2;
      reply.writeHead(isBusy ? 429 : 200, isBusy ? { 'Retry-After': requests === 1 ? '1' : '90' } : {});
      reply.end(
        isBusy ? '{"detail": "the quota is used up"}' : '{"results": [{"id": "A"}], "has_more": false}',
      );
    }, 2);
    expect(first?.rows).toEqual([{ id: 'A' }]);
    expect(second).toMatchObject({ code: 6, error: 'the quota is used up' });
  });

  it('fails where an answer is cut off', async () => {
    const [said] = await saidBy((_request, reply) => {
      reply.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      reply.write('{"results": [{"id": "A"}], "has_more": false}', () => reply.destroy());
    }, 1);
    expect(said).toMatchObject({ code: 7, error: expect.stringMatching(/^cannot reach .*IncompleteRead/) });
  });

  it('says that a frame needs pandas where it is missing', async () => {
    // -I and -S leave out every installed package.
    const script = `import sys; sys.path.insert(0, ${JSON.stringify(join(root, 'clients/python'))}); import asof; asof.frame([])`;
    const { code, err } = await run('-I', '-S', '-B', '-c', script);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/ModuleNotFoundError: No module named 'pandas'/),
    });
  });

  it('prints what the guide shows', async () => {
    const page = readFileSync(join(root, 'docs/guide/python.md'), 'utf8');
    const programs = [
      ...page.matchAll(/^```python\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```$/gm),
    ];
    expect(programs).toHaveLength(1);
    const [[, program = '', shown] = []] = programs;
    mkdirSync(folder.path('bin'));
    folder.write('bin/asof', `#!/bin/sh\nexec "${process.execPath}" "${builtProgram}" "$@"\n`);
    chmodSync(folder.path('bin/asof'), 0o755);
    expect(await run('-B', '-c', program)).toEqual({ code: 0, out: shown, err: '' });
  });

  it('refuses a time without a zone before it asks', async () => {
    const program =
      'import asof, datetime; asof.observations("GDP", known_at=datetime.datetime(2015, 1, 30, 8, 29))';
    const { code, err } = await run('-B', '-c', program);
    expect(code).toBe(1);
    expect(err).toContain('ValueError: known_at needs a zone: a datetime without one has no instant');
  });

  it('documents what each function takes', async () => {
    const { out } = await run('-B', '-c', 'import asof; help(asof.observations)');
    expect(out).toMatch(/observations\(ids, as_of=None, known_before=None, first_release=False, start=None/);
  });
});
