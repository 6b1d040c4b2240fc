import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** Questions that the command and a service answer alike. */
const questions = [
  'observations("gdp", as_of="2015-01-30", limit=8)',
  'observations(["GDP", "UNRATE"], known_before=datetime.date(2015, 1, 30), from_="2014-01-01", to="2014-12-31")',
  'observations("GDP", known_at=datetime.datetime(2015, 1, 31, 5, tzinfo=datetime.timezone.utc), limit=2)',
  'observations("GDP", as_of="2015-01-30", units="pca", limit=2, exact=True)',
  'observations("PAYEMS")',
  'panel(["GDP:yoy", "UNRATE"], as_of="2015-01-30", from_="2014-07-01", wide=True)',
  'panel(["GDP"], known_at="2015-01-31T14:00+09:00", from_="2014-07-01")',
  'panel(["GDP", "UNRATE"], as_of_each="month-end", from_="2014-09-01", to="2014-12-31", known_before_each=True)',
  'panel("UNRATE", as_of_each="quarter-end", from_="2023-06-30", to=datetime.date(2024, 6, 30), beyond="repeat")',
  'panel(["GDP", "PAYEMS"], as_of_each=["2015-01-30", "2015-03-02"], wide=True, last=2, lag=1, with_dates=True, units="pc1")',
  'series_search("core inflation", limit=5)',
  'series_show("GDP")',
  'vintages("GDP", to="2015-01-30")',
  'curve(date="2015-01-30")',
  'spread(from_="2025-01-01", limit=2)',
  'insider_filings(ticker="MAIA", from_="2020-01-01")',
  'insider_clusters(min_insiders=3)',
  'calendar(series="GDP", from_="2015-01-01", to="2015-12-31")',
  'next_releases(["GDP", "UNRATE"], as_of="2015-01-30")',
  'diff(["GDP", "UNRATE"], [datetime.date(2015, 1, 30), "2015-02-27"], from_="2014-01-01")',
];

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

  it('gives the same rows by the command, over HTTP, and by the command from a service', async () => {
    const answers = await Promise.all(
      ['command', 'http', 'remote'].map((place) => shown(...questions.map((one) => `${place}.${one}`))),
    );
    const [byCommand = [], ...others] = answers;
    for (const [i, question] of questions.entries()) {
      expect(byCommand[i]?.rows?.length, question).toBeGreaterThan(0);
      for (const other of others) expect(other[i]?.rows, question).toEqual(byCommand[i]?.rows);
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

  it('warns of what asof notes, over HTTP of what the answer states', async () => {
    const [sampled, http, panel] = await shown(
      'command.observations("UNRATE", as_of="2008-09-16", limit=1)',
      'http.observations("UNRATE", as_of="2008-09-16", limit=1)',
      'http.panel("UNRATE", as_of="2008-09-16", from_="2008-06-01")',
    );
    for (const said of [sampled, http, panel])
      expect(said?.notes).toEqual([expect.stringMatching(/^UNRATE /)]);
    // The newest filing of MAIA in the sample.
    const [none] = await shown('http.insider_filings(ticker="MAIA", from_="2026-07-20")');
    expect(none).toMatchObject({
      rows: [],
      notes: [expect.stringMatching(/newest filing of MAIA is from 2026-/)],
    });
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
        /use a date, or a datetime with a zone/,
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
      [
        'http.revisions("GDP", date="2014-10-01", stats=True)',
        2,
        /^a service does not take 'stats' for revisions/,
      ],
      ['asof.Asof(base_url=URL, key="wrong").observations("GDP")', 4, /key/],
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
    ];
    const said = await shown(...failures.map(([expression]) => expression));
    for (const [i, [expression, code, reason]] of failures.entries())
      expect({ expression, ...said[i] }).toMatchObject({
        expression,
        code,
        error: expect.stringMatching(reason),
      });
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

  const page = (id: string, next?: string) =>
    JSON.stringify({ results: [{ id }], has_more: next !== undefined, next_cursor: next });

  it('waits as long as a busy service says, and fails at once where that is too long', async () => {
    let requests = 0;
    const [first, second] = await saidBy((_request, reply) => {
      requests += 1;
      const isBusy = requests !== 2;
      reply.writeHead(isBusy ? 429 : 200, isBusy ? { 'Retry-After': requests === 1 ? '1' : '90' } : {});
      reply.end(isBusy ? '{"detail": "the quota is used up"}' : page('A'));
    }, 2);
    expect(first?.rows).toEqual(['A']);
    expect(second).toMatchObject({ code: 6, error: 'the quota is used up' });
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

  it('reads every page, and begins again where the data change between two', async () => {
    let asked = 0;
    const [said] = await saidBy((request, reply) => {
      const isSecond = request.url?.includes('cursor=next') === true;
      if (isSecond) asked += 1;
      const isChanged = isSecond && asked === 1;
      reply.writeHead(isChanged ? 400 : 200);
      if (isChanged)
        reply.end('{"detail": "the data changed since the first page; start again", "field": "cursor"}');
      else reply.end(isSecond ? page('B') : page('A', 'next'));
    }, 1);
    expect(said?.rows).toEqual(['A', 'B']);
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
    ['is no JSON', (_request, reply) => reply.end('<html>'), 8, /did not answer in JSON$/],
    ['has no rows', (_request, reply) => reply.end('{}'), 8, /did not answer as a service of asof does$/],
    [
      'leads to another address, to which no key is sent',
      (_request, reply) => reply.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end(),
      8,
      /redirects to http:\/\/127\.0\.0\.1:9\/$/,
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

  // Debian has pandas for its own Python.
  const withPandas = ['python3', '/usr/bin/python3'].find(
    (one) => spawnSync(one, ['-c', 'import pandas']).status === 0,
  );

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
