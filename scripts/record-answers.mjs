// Records what a build answers to questions drawn from a seed, and compares another build with the recording.
//
//   node scripts/record-answers.mjs record FILE [--seed N] [--commands N] [--requests N] [--program FILE]
//   node scripts/record-answers.mjs compare FILE [--program FILE] [--all]
//
// A redesign that must not change behaviour is compared with the build before it: exit code, stdout, stderr and files
// of commands; status, headers and body of requests; replies of the server for assistants. The flags, parameters and
// tools are those that the recorded build announces (its help, its OpenAPI description, its list of tools), so a new
// question is drawn as soon as it exists. Record and compare on the same UTC day: some answers name today.

import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Values of flags, parameters and arguments of tools by their name: some that are accepted, some that are refused. */
const values = {
  as_of: [
    ['2009-01-30', '2015-01-30', '1995-06-01', '2024-12-31'],
    ['2015-1-30', '2999-01-01', 'soon', '2024-02-30'],
  ],
  known_before: [
    ['2009-01-30', '2015-01-30'],
    ['01/30/2015', ''],
  ],
  date: [
    ['2008-10-01', '2019-08-27', '2014-10-01'],
    ['2019-08-27T00:00:00Z', '2019-02-29'],
  ],
  from: [
    ['2008-01-01', '2014-01-01', '2020-06-01'],
    ['2014', '3000-01-01'],
  ],
  to: [
    ['2009-06-30', '2015-12-31', '2024-12-31'],
    ['1500-01-01', 'x'],
  ],
  vs: [
    ['latest', '2010-01-29'],
    ['newest', '2999-12-31'],
  ],
  vintages: [
    ['2009-01-30,latest', '2009-01-30,2010-01-29,2011-01-28'],
    ['2009-01-30,2009-01-30', ','],
  ],
  as_of_each: [
    ['month-end', 'friday', 'quarter-end', 'year-end'],
    ['month', '7'],
  ],
  as_of_file: [['days.csv'], ['none.csv', 'words.csv']],
  beyond: [['empty', 'repeat', 'fail'], ['ignore']],
  last: [
    ['2', '5'],
    ['0', '1.5'],
  ],
  lag: [['1', '3'], ['-1']],
  sort: [['asc', 'desc'], ['up']],
  units: [
    ['pch', 'pc1', 'pca', 'chg', 'ch1', 'log'],
    ['percent', 'PCH'],
  ],
  digits: [
    ['1', '4'],
    ['-1', '99'],
  ],
  frequency: [
    ['q', 'a', 'sa'],
    ['y', 'd'],
  ],
  aggregate: [['avg', 'sum', 'eop'], ['mean']],
  release: [
    ['1,2,3,final', '1,final'],
    ['0', 'first'],
  ],
  after: [['30d', '30d,90d'], ['30x']],
  limit: [
    ['1', '3', '50', '400'],
    ['0', '1001', 'ten'],
  ],
  first: [
    ['1', '3'],
    ['0', 'a'],
  ],
  cursor: [[], ['bm90LW91cnM', '???']],
  columns: [
    ['all', 'date,value', 'value', 'series_id,date'],
    ['date,price', ''],
  ],
  width: [['60', '400'], ['3']],
  height: [['12', '300'], ['0']],
  title: [['A title', 'Ünïcode < & >'], []],
  index: [
    ['100', '1'],
    ['x', '0'],
  ],
  max_age: [
    ['36500', '100000'],
    ['1', '-3', 'x'],
  ],
  maturity: [
    ['10Y', '3M', '30Y'],
    ['11Y', '10y'],
  ],
  long: [['10Y', '30Y'], ['9Y']],
  short: [
    ['2Y', '3M'],
    ['10Y', '1X'],
  ],
  type: [['par', 'tips', 'PAR'], ['real']],
  curve_type: [
    ['PAR', 'TIPS'],
    ['par', 'REAL'],
  ],
  match: [['id', 'title', 'any', 'words'], ['all']],
  q: [['gdp', 'core inflation', 'unemployment'], []],
  ids: [
    ['GDP', 'GDP,UNRATE', 'GDPC1,PAYEMS,UNRATE'],
    ['', 'GDP,NOPE'],
  ],
  id: [
    ['GDP', 'PAYEMS'],
    ['gdp', 'NOPE'],
  ],
  ticker: [
    ['MAIA', 'maia'],
    ['TOOLONGTICKERNAME', ''],
  ],
  owner: [['a', 'smith'], []],
  owner_name: [['a', 'smith'], []],
  days: [
    ['14', '30', '365'],
    ['0', '1000'],
  ],
  code: [
    ['P', 'S'],
    ['PP', '1'],
  ],
  transaction_code: [['P', 'S'], ['PP']],
  min_insiders: [
    ['2', '3', '5'],
    ['0', 'x'],
  ],
  min_value: [
    ['1000', '250000.50'],
    ['-1', 'much'],
  ],
  on: [['day'], ['missing']],
  column: [
    ['GDP', 'unemployment=UNRATE'],
    ['x=NOPE', 'none'],
  ],
  signals: [['true'], ['maybe']],
  first_release: [['true'], []],
  format: [['csv', 'ndjson', 'json', 'parquet'], ['pdf']],
  retries: [['0', '2'], ['-1']],
  timeout: [['10'], ['0', 'x']],
  max_wait: [['0', '5'], ['x']],
  date1: [['2009-07-30'], ['2009-13-01']],
  date2: [['2009-07-31', 'latest'], ['x']],
  out: [['desk'], ['words.csv']],
};

/** The arguments of each command, the refused ones last. */
const commands = {
  ping: [[]],
  'series search': [['gdp'], ['core inflation'], ['unemploymnt'], [], ['zzzz']],
  'series show': [['GDP'], ['payems'], ['NOPE']],
  observations: [['GDP'], ['gdp', 'UNRATE'], ['PCE*'], ['GDP', 'NOPE'], ['NOPE'], []],
  revisions: [['GDP'], ['GDPC1'], ['UNRATE'], ['NOPE']],
  vintages: [['GDP'], ['PAYEMS'], ['NOPE']],
  diff: [
    ['GDP', '2009-07-30', '2009-07-31'],
    ['GDP', 'GDPC1', '2009-01-30', 'latest'],
    ['GDP', '2009-07-30'],
    ['NOPE', '2009-07-30', '2009-07-31'],
  ],
  panel: [['GDP', 'PAYEMS'], ['UNRATE'], ['GDP*'], ['GDP', 'NOPE']],
  curve: [[], ['x']],
  yields: [[]],
  spread: [[]],
  'insider filings': [[]],
  'insider clusters': [[]],
  join: [
    ['days.csv', 'GDP', 'UNRATE'],
    ['words.csv', 'GDP'],
    ['none.csv', 'GDP'],
  ],
  check: [['features.csv'], ['days.csv'], ['none.csv']],
  facts: [['GDP'], ['PCE*'], ['NOPE']],
  snapshot: [['plan.txt'], ['bad-plan.txt'], ['none.txt']],
  verify: [['desk'], ['none']],
  'store info': [[]],
  help: [
    [],
    ['observations'],
    ['formats'],
    ['as-of'],
    ['environment'],
    ['exit-codes'],
    ['insider'],
    ['store', 'copy'],
    ['nope'],
  ],
  'config list': [[]],
  completion: [['bash'], ['zsh'], ['fish'], ['csh']],
};

/** Flags that a command needs to answer at all, with probability 0.9. */
const needed = {
  panel: [['--from', '2008-01-01', '--to', '2009-06-30']],
  join: [['--on', 'day']],
  check: [['--on', 'day']],
  snapshot: [['--out', 'desk', '--as-of', '2015-02-01']],
  revisions: [['--date', '2008-10-01'], ['--from', '2014-01-01'], []],
  'insider filings': [
    ['--from', '2025-12-01'],
    ['--ticker', 'MAIA', '--from', '2025-01-01'],
  ],
  yields: [['--from', '2019-08-01', '--to', '2019-08-30']],
};

const files = {
  'days.csv': 'day,side\n2009-01-29,buy\n2009-01-30,"se""ll"\n2015-02-02,buy\n2024-12-31,\n',
  'features.csv':
    'day,GDP,unemployment\n2009-01-30,14264.6,7.2\n2009-01-30,14608.2,7.2\n2015-02-02,17710.7,5.6\n',
  'words.csv': 'words\nnone\nof these\n',
  'plan.txt':
    'gdp.csv obs GDP --from 2008-01-01\ncurve.csv curve --on-or-before\npanel.json panel GDP UNRATE --as-of-each month-end --from 2008-01-01 --to 2009-01-31\n',
  'bad-plan.txt': 'gdp.csv obs GDP --as-of 2020-01-01\nping.json ping\n',
};

const formats = [
  'table',
  'csv',
  'tsv',
  'json',
  'ndjson',
  'parquet',
  'markdown',
  'latex',
  'xlsx',
  'svg',
  'png',
];

/** Draws numbers from a seed (mulberry32), so that a recording can be made again. */
class Draw {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  chance(probability) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 < probability;
  }

  below(count) {
    let low = 0;
    let high = count;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.chance((middle - low) / (high - low))) high = middle;
      else low = middle;
    }
    return low;
  }

  of(list) {
    return list[this.below(list.length)];
  }
}

/** A value for a name as a flag, a parameter or an argument writes it; undefined if none is known. */
function drawValue(draw, name, bad = draw.chance(0.12)) {
  const known = values[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_')];
  if (known === undefined) return undefined;
  const [accepted, refused] = known;
  const list = (bad && refused.length > 0) || accepted.length === 0 ? refused : accepted;
  return draw.of(list);
}

/** A built program in a folder of its own, with an empty home, the files above, and its service over the sample. */
class Program {
  #path;
  #service;
  folder = mkdtempSync(join(tmpdir(), 'asof-answers-'));
  key = '';
  url = '';

  constructor(path) {
    this.#path = path;
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
  }

  #spawn(line, variables = {}) {
    return spawn(process.execPath, [this.#path, ...line], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: this.folder, COLUMNS: '100', ...variables },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  async run({ line, remote = false, input = '', whole = false }) {
    for (const name of readdirSync(this.folder))
      if (!(name in files) && !/^(?:access|plans)|^\.|^desk/.test(name))
        rmSync(join(this.folder, name), { recursive: true, force: true });
    const child = this.#spawn(line, remote ? { ASOF_BASE_URL: this.url, ASOF_API_KEY: this.key } : {});
    child.stdin.on('error', () => undefined).end(input);
    const [out, err] = [[], []];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    const code = await new Promise((done) => child.on('close', done));
    const written = readdirSync(this.folder).filter((name) => /^out\./.test(name));
    return {
      code,
      out: this.#shown(Buffer.concat(out), whole),
      err: this.#shown(Buffer.concat(err)),
      files: Object.fromEntries(
        written.map((name) => [name, this.#shown(readFileSync(join(this.folder, name)))]),
      ),
    };
  }

  async serve() {
    const plans = [
      { name: 'wide', monthly_limit: 1e9, daily_limit: 1e9, rate_per_minute: 1e9, vintage_access: true },
      { name: 'free', monthly_limit: 1e9, daily_limit: 1e9, rate_per_minute: 1e9, vintage_access: false },
    ];
    writeFileSync(join(this.folder, 'plans.json'), JSON.stringify(plans));
    const access = ['--plans', 'plans.json', '--access', 'access.db'];
    const create = (plan) =>
      this.run({ line: ['keys', 'create', '--name', plan, '--plan', plan, ...access] });
    this.key = (await create('wide')).out.trim();
    this.freeKey = (await create('free')).out.trim();
    this.#service = this.#spawn(['serve', '--port', '0', ...access, '--explorer', 'on']);
    let log = '';
    await new Promise((done, failed) => {
      this.#service.on('exit', () => failed(new Error(`the service ended: ${log}`)));
      const heard = (chunk) => {
        log += chunk;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(log);
        if (found === null) return;
        this.url = found[0];
        done();
      };
      this.#service.stdout.on('data', heard);
      this.#service.stderr.on('data', heard);
    });
  }

  async request({ method = 'GET', path, headers = {}, key = 'wide' }) {
    const keys = { wide: this.key, free: this.freeKey, wrong: 'asof_live_sk_wrong' };
    const secret = keys[key];
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...headers, ...(secret && { 'X-API-Key': secret }) },
    });
    const told = [
      'content-type',
      'cache-control',
      'allow',
      'link',
      'vary',
      'content-disposition',
      'retry-after',
    ];
    return {
      status: answer.status,
      headers: Object.fromEntries(told.map((name) => [name, answer.headers.get(name)])),
      body: this.#shown(Buffer.from(await answer.arrayBuffer())),
    };
  }

  /** Bytes as text without what differs between two runs; a digest of what is long or binary. */
  #shown(bytes, whole = false) {
    const text = bytes
      .toString('latin1')
      .replace(/req_[0-9a-f]{32}/g, 'req_')
      .replaceAll(this.url || '\0', 'http://service')
      .replaceAll(this.folder, '~')
      .replaceAll(dirname(this.#path), 'dist')
      .replace(/\b\d+(?:\.\d+)? m?s\b/g, '… s')
      .replace(/asof-api-key-\w+/g, '…');
    const isText = isUtf8(bytes) && !bytes.includes(0);
    if (whole || (isText && text.length <= 20_000)) return text;
    return `${isText ? text.slice(0, 1000) : ''}… ${text.length} bytes, sha256 ${createHash('sha256').update(text, 'latin1').digest('hex')}`;
  }

  stop() {
    this.#service?.removeAllListeners('exit');
    this.#service?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The flags of a command as its help lists them: the name, and whether it takes a value. */
function flagsIn(help) {
  return [...help.matchAll(/^ {2}(?:-\w, )?--([a-z0-9-]+)( <)?/gm)]
    .map(([, name, value]) => ({ name, value: value !== undefined }))
    .filter(({ name }) => !['help', 'store', 'base-url', 'output', 'format', 'sources'].includes(name));
}

async function drawCommands(program, draw, count) {
  const questions = [];
  const flags = {};
  for (const name of Object.keys(commands))
    flags[name] = flagsIn((await program.run({ line: ['help', ...name.split(' ')] })).out);
  const base = (name) => [
    ...name.split(' '),
    ...draw.of(commands[name]),
    ...(needed[name] === undefined || draw.chance(0.1) ? [] : draw.of(needed[name])),
  ];
  const written = (flag, bad) => {
    if (!flag.value) return [`--${flag.name}`];
    const value = drawValue(draw, flag.name, bad);
    return value === undefined ? [] : [`--${flag.name}`, value];
  };
  const first = (name) => [...name.split(' '), ...commands[name][0], ...(needed[name]?.[0] ?? [])];
  // Each command, each of its flags with a value of either kind, and each format, once.
  for (const name of Object.keys(commands)) {
    for (const args of commands[name]) questions.push({ line: [...name.split(' '), ...args] });
    for (const flag of flags[name])
      for (const bad of flag.value ? [false, true] : [false])
        questions.push({ line: [...first(name), ...written(flag, bad)] });
    if (flags[name].some(({ name: flag }) => flag === 'csv'))
      for (const format of formats)
        questions.push({ line: [...first(name), '-o', `out.${format}`, '-f', format] });
  }
  const systematic = questions.length;
  while (questions.length < Math.max(count, systematic)) {
    const name = draw.of(Object.keys(commands));
    const line = base(name);
    for (let left = draw.below(5); left > 0 && flags[name].length > 0; left -= 1)
      line.push(...written(draw.of(flags[name])));
    if (flags[name].some(({ name: flag }) => flag === 'csv') && draw.chance(0.7)) {
      const format = draw.of(formats);
      line.push(...(draw.chance(0.5) ? ['-f', format] : ['-o', `out.${format}`]));
    }
    questions.push({ line, remote: draw.chance(0.3) });
  }
  return questions;
}

async function drawTools(program, draw, count) {
  const start = [
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'answers', version: '1' },
      },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
  const written = (messages) =>
    [...start, ...messages].map((message) => `${JSON.stringify(message)}\n`).join('');
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const listed = await program.run({ line: ['mcp'], input: written([list]), whole: true });
  const { tools } = JSON.parse(listed.out.trim().split('\n').at(-1)).result;
  const questions = [{ line: ['mcp'], input: written([list]) }];
  const number = (text) => (/^\d+$/.test(text) ? Number(text) : text);
  for (let n = 0; n < count; n += 1) {
    const tool = tools[n % tools.length];
    const given = {};
    const properties = Object.entries(tool.inputSchema.properties ?? {});
    for (const [name, { type }] of properties) {
      const required = tool.inputSchema.required?.includes(name) ?? false;
      if (!required && !draw.chance(2 / Math.max(properties.length, 2))) continue;
      const text = drawValue(draw, name);
      if (type === 'boolean') given[name] = true;
      else if (text !== undefined)
        given[name] = type === 'array' ? text.split(',') : type === 'integer' ? number(text) : text;
    }
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool.name, arguments: given },
    };
    const bounded = draw.chance(0.3) ? ['--as-of', '2015-01-30'] : [];
    questions.push({ line: ['mcp', ...bounded], input: written([call]) });
  }
  return questions;
}

async function drawRequests(program, draw, count) {
  const description = await (await fetch(`${program.url}/v1/openapi.json`)).json();
  const paths = Object.entries(description.paths);
  const questions = [
    '/healthz',
    '/v1/openapi.json',
    '/docs',
    '/errors/not-found',
    '/errors/nope',
    '/v1/nope',
    '/',
    '/v1/series/',
  ].map((path) => ({ path }));
  const query = (pairs) => {
    const text = new URLSearchParams(pairs).toString();
    return text === '' ? '' : `?${text}`;
  };
  const filled = (path, bad) =>
    path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(drawValue(draw, name, bad) ?? 'x'));
  const inQuery = (operation) => (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const basis = (operation, bad = false) =>
    inQuery(operation)
      .filter(({ required }) => required)
      .map(({ name }) => [name, drawValue(draw, name, bad) ?? 'x']);
  for (const [path, { get }] of paths) {
    questions.push({ path: filled(path, false) + query(basis(get)) });
    for (const key of ['none', 'wrong', 'free'])
      questions.push({ path: filled(path, false) + query(basis(get)), key });
    for (const method of ['POST', 'HEAD', 'OPTIONS']) questions.push({ path: filled(path, false), method });
    for (const accept of ['text/csv', 'application/x-ndjson', 'application/vnd.apache.parquet', 'text/html'])
      questions.push({ path: filled(path, false) + query(basis(get)), headers: { Accept: accept } });
    for (const parameter of inQuery(get))
      for (const bad of [false, true]) {
        const value = drawValue(draw, parameter.name, bad);
        if (value === undefined) continue;
        const others = basis(get).filter(([name]) => name !== parameter.name);
        questions.push({ path: filled(path, false) + query([...others, [parameter.name, value]]) });
      }
  }
  const systematic = questions.length;
  while (questions.length < Math.max(count, systematic)) {
    const [path, { get }] = draw.of(paths);
    const given = new Map(basis(get, draw.chance(0.05)));
    for (let left = draw.below(5); left > 0; left -= 1) {
      const parameter = draw.of(inQuery(get));
      const value = parameter && drawValue(draw, parameter.name);
      if (value !== undefined) given.set(parameter.name, value);
    }
    if (draw.chance(0.05)) given.set('asof', '2015-01-30');
    questions.push({ path: filled(path) + query([...given]), ...(draw.chance(0.1) && { key: 'free' }) });
  }
  return questions;
}

/** Answers the questions one after the other: a command may find the files that an earlier one wrote. */
async function answerAll(program, questions, received) {
  for (const [index, question] of questions.entries()) {
    received(
      question,
      await (question.path === undefined ? program.run(question) : program.request(question)),
    );
    if (process.stderr.isTTY && index % 20 === 0) process.stderr.write(`\r${index}/${questions.length} `);
  }
}

const words = ({ line, remote, input, method, path, key }) =>
  path === undefined
    ? `asof ${line.join(' ')}${remote ? ' (of a service)' : ''}${input ? ` < ${input.trim().split('\n').at(-1)}` : ''}`
    : `${method ?? 'GET'} ${path}${key ? ` (key ${key})` : ''}`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    commands: { type: 'string', default: '900' },
    requests: { type: 'string', default: '500' },
    tools: { type: 'string', default: '120' },
    program: { type: 'string', default: join(root, 'dist', 'asof.cjs') },
    all: { type: 'boolean', default: false },
  },
});
const [verb, file] = positionals;
if (!['record', 'compare'].includes(verb) || file === undefined) {
  process.stderr.write('usage: record-answers.mjs record|compare FILE; see the first lines of the script\n');
  process.exit(2);
}
const program = new Program(resolve(options.program));
const today = new Date().toISOString().slice(0, 10);
try {
  await program.serve();
  if (verb === 'record') {
    const draw = new Draw(Number(options.seed));
    const questions = [
      ...(await drawCommands(program, draw, Number(options.commands))),
      ...(await drawTools(program, draw, Number(options.tools))),
      ...(await drawRequests(program, draw, Number(options.requests))),
    ];
    const lines = [];
    await answerAll(program, questions, (question, answer) =>
      lines.push(JSON.stringify({ question, answer })),
    );
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, `${JSON.stringify({ today, seed: options.seed })}\n${lines.join('\n')}\n`);
    process.stdout.write(`${lines.length} questions recorded\n`);
  } else {
    const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
    if (JSON.parse(head).today !== today)
      process.stderr.write(`recorded on ${JSON.parse(head).today}: answers that name today differ\n`);
    const recorded = lines.map((line) => JSON.parse(line));
    let differing = 0;
    const answers = recorded.values();
    await answerAll(
      program,
      recorded.map(({ question }) => question),
      (question, answer) => {
        const before = answers.next().value.answer;
        const parts = Object.keys(before).filter(
          (part) => JSON.stringify(before[part]) !== JSON.stringify(answer[part]),
        );
        if (parts.length === 0) return;
        differing += 1;
        if (differing > 40 && !options.all) return;
        process.stdout.write(`\n${words(question)}\n`);
        for (const part of parts)
          process.stdout.write(
            `  - ${part}: ${JSON.stringify(before[part])}\n  + ${part}: ${JSON.stringify(answer[part])}\n`,
          );
      },
    );
    process.stdout.write(`${differing} of ${recorded.length} answers differ\n`);
    process.exitCode = differing === 0 ? 0 : 1;
  }
} finally {
  program.stop();
}
