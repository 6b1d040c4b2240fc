import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asof, linesOf, statements } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { everyCommand } from '../../../support/lines.ts';
import { builtProgram } from '../../../support/repository.ts';

const folder = newFolder();
const store = folder.path('store.db');

beforeAll(async () => {
  const facts = ['GDP', 'GDPC1', 'UNRATE', 'GNP'].map((id) => `${id},2020-01-01,2020-02-01,1`);
  const titles = 'series_id,title,units,frequency,seasonal_adjustment,source\nGNP,Gross: product,,,,\n';
  const files = [folder.write('facts.csv', statements(facts)), folder.write('titles.csv', titles)];
  const { code, err } = await asof(['import', ...files, '--store', store]);
  if (code !== 0) throw new Error(err);
  await asof(['import', folder.path('facts.csv'), '--store', folder.path('home store.db')]);
});

/** The completions that fish gets for a line, without descriptions; their kind comes first, if there is one. */
async function offered(line: string, env: Readonly<Record<string, string>> = { ASOF_STORE: store }) {
  const sent = line.split(' ').slice(1);
  const { code, out, err } = await asof(['completion', 'fish', '--', ...sent], { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return linesOf(out).map((text) => text.split('\t')[0] ?? '');
}

const everyFormat = [
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

describe('completion offers', () => {
  it.each<readonly [line: string, words: readonly string[]]>([
    ['asof obs', ['observations']],
    ['asof v', ['vintages', 'verify']],
    ['asof series ', ['search', 'show', 'rename', 'rm']],
    ['asof keys re', ['revoke']],
    ['asof config ', ['get', 'set', 'unset', 'list', 'path']],
    ['asof help s', ['series', 'spread', 'snapshot', 'store', 'serve']],
    [
      'asof insider clusters --code ',
      ['P', 'S', 'V', 'A', 'D', 'F', 'I', 'M', 'C', 'E', 'H', 'O', 'X', 'G', 'L', 'W', 'Z', 'J', 'K', 'U'],
    ],
    ['asof help e', ['explore', 'environment', 'exit-codes']],
    ['asof help series s', ['search', 'show']],
    ['asof completion ', ['bash', 'zsh', 'fish']],
    ['asof obs g', ['GDP', 'GDPC1', 'GNP']],
    ['asof observations GD', ['GDP', 'GDPC1']],
    ['asof obs gdp g', ['GDPC1', 'GNP']],
    ['asof obs --csv gd', ['GDP', 'GDPC1']],
    ['asof obs --limit 3 gd', ['GDP', 'GDPC1']],
    ['asof obs -- gd', ['GDP', 'GDPC1']],
    ['asof obs -- --cs', []],
    ['asof obs --format=csv gd', ['GDP', 'GDPC1']],
    ['asof obs --format= gd', ['GDP', 'GDPC1']],
    ['asof obs -fcsv gd', ['GDP', 'GDPC1']],
    ['asof series show u', ['UNRATE']],
    ['asof revisions u', ['UNRATE']],
    ['asof revisions UNRATE u', []],
    ['asof vintages u', ['UNRATE']],
    ['asof panel UNRATE gd', ['GDP', 'GDPC1']],
    ['asof facts u', ['UNRATE']],
    ['asof diff u', ['UNRATE']],
    ['asof diff UNRATE ', ['GDP', 'GDPC1', 'GNP', 'today', 'yesterday']],
    ['asof diff UNRATE t', ['today']],
    ['asof diff UNRATE gd', ['GDP', 'GDPC1']],
    ['asof diff UNRATE GDP 2020-01-01 t', ['today']],
    ['asof diff UNRATE 2020-01-01 g', []],
    ['asof diff UNRATE 2020-01-01 2020-02-01 t', []],
    ['asof import x.json --series u', ['UNRATE']],
    ['asof obs --as-of ', ['today', 'yesterday']],
    ['asof obs --as-of=', ['today', 'yesterday']],
    ['asof obs --as-of 2', []],
    ['asof obs --format ', everyFormat],
    ['asof obs -f', ['-f']],
    ['asof obs -fc', ['csv']],
    ['asof obs --format=t', ['table', 'tsv']],
    ['asof obs --sort ', ['desc', 'asc']],
    [
      'asof panel --as-of-each ',
      ['day', 'business-day', 'friday', 'week-end', 'month-end', 'quarter-end', 'year-end'],
    ],
    ['asof series search --match ', ['id', 'title', 'any', 'words']],
    ['asof curve --type ', ['par', 'tips']],
    ['asof curve --type T', ['TIPS']],
    ['asof yields --maturity 1', ['1M', '1.5M', '1Y', '10Y']],
    ['asof yields --maturity 10Y', ['10Y']],
    ['asof spread --long 3', ['3M', '3Y', '30Y']],
    ['asof import --kind fred-m', ['fred-md']],
    ['asof keys create --plan ', ['free', 'pro']],
    ['asof config get base', ['base_url']],
    ['asof config set format ', everyFormat],
    ['asof config set timeout ', []],
    ['asof obs GDP --columns ', ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source']],
    ['asof obs --columns=s', ['series_id', 'source']],
    ['asof obs GDP --columns date,value,s', ['date,value,series_id', 'date,value,source']],
    ['asof obs GDP --limit x --columns va', ['value']],
    ['asof revisions --columns p', ['percent']],
    ['asof series show --columns vin', ['vintage_kind']],
    ['asof curve --vs 2024-12-23 --columns vs', ['vs_rate', 'vs_trade_date']],
    ['asof curve --columns vs', []],
    ['asof diff GDP --columns o', ['old']],
    ['asof panel GDP UNRATE --wide --columns date,', ['date,GDP', 'date,UNRATE']],
    ['asof panel GDP --columns val', ['value']],
    ['asof panel GDP --as-of-each month-end --columns val', ['value']],
    ['asof yields --wide --columns 10', ['10Y']],
    ['asof curve --on', ['--on-or-before']],
    ['asof obs --known', ['--known-before']],
    ['asof obs --csv --cs', []],
    ['asof import --id A=B --i', ['--id']],
    ['asof obs --nothing-like-it x', []],
    ['asof nothing ', []],
    ['asof obs --limit ', []],
    ['asof keys revoke g', []],
  ])('%s', async (line, words) => {
    const [kind, ...rest] = await offered(line);
    expect({ kind, rest }).toEqual({ kind: 'words', rest: words });
  });

  it.each([
    'asof import ',
    'asof import a.csv b',
    'asof obs GDP -o ',
    'asof obs GDP --output=r',
    'asof obs GDP --store ',
    'asof serve --plans ',
    'asof keys list --access ',
    'asof config set store ',
  ])('file names after %s', async (line) => {
    expect(await offered(line)).toEqual(['files']);
  });

  it('every command that help lists, and what each is for', async () => {
    const [help = ''] = (await asof(['help'])).out.split('\nTopics:');
    const { out } = await asof(['completion', 'zsh', '--', '']);
    const listed = [...help.matchAll(/^ {2}([a-z]+)(?:\|[a-z]+)?\s(?:[^A-Z\n]*)([A-Z].*)$/gm)].map(
      ([, name, summary]) => `${name}\t${summary}`,
    );
    expect(listed.length).toBeGreaterThan(10);
    expect(linesOf(out).slice(1)).toEqual(listed);
  });

  it('every flag that help lists', async () => {
    const help = (await asof(['observations', '--help'])).out;
    const listed = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
    expect(listed.length).toBeGreaterThan(20);
    const [, ...flags] = await offered('asof obs GDP --');
    expect(flags.sort()).toEqual(listed.sort());
  });

  it('flags where nothing else can come', async () => {
    expect(await offered('asof curve ')).toContain('--on-or-before');
  });

  it('the titles of series', async () => {
    const { out } = await asof(['completion', 'zsh', '--', 'obs', 'gn'], { env: { ASOF_STORE: store } });
    expect(out).toBe('words\t\nGNP\tGross: product\n');
  });

  it('the ids of the store that is typed, also from a home', async () => {
    expect(await offered(`asof obs --store ${store} un`, {})).toEqual(['words', 'UNRATE']);
    const { out } = await asof(['completion', 'bash', '--', 'asof obs --store ~/home\\ store.db un', 'un'], {
      env: { HOME: folder.path('.') },
    });
    expect(out).toBe('words\nUNRATE\n');
  });

  it('the ids of the sample where there is no store, and makes none', async () => {
    const env = { HOME: folder.path('empty home') };
    expect(await offered('asof obs payem', env)).toEqual(['words', 'PAYEMS']);
    expect(existsSync(env.HOME)).toBe(false);
  });

  // The sample has filings of MAIA Biotechnology and of 23andMe, as their documents say.
  it('the tickers that the store has filings of', async () => {
    const env = { HOME: folder.path('empty home') };
    expect(await offered('asof insider filings --ticker m', env)).toEqual(['words', 'MAIA', 'ME']);
    expect(await offered('asof insider clusters --ticker=mai', env)).toEqual(['words', 'MAIA']);
    expect(await offered('asof insider filings --ticker ')).toEqual(['words']);
    const { out } = await asof(['completion', 'zsh', '--', 'insider', 'filings', '--ticker', 'mai'], { env });
    expect(out).toBe('words\t\nMAIA\tMAIA Biotechnology, Inc.\n');
  });

  it('the plans of a file that is typed', async () => {
    const plan = { monthly_limit: 1, daily_limit: 1, rate_per_minute: 1, vintage_access: true };
    const file = folder.write('plans.json', JSON.stringify([{ name: 'gold', ...plan }]));
    expect(await offered(`asof keys create --plans ${file} --plan `)).toEqual(['words', 'gold']);
  });
});

describe('completion offers nothing where it cannot help:', () => {
  it.each<readonly [what: string, env: () => Readonly<Record<string, string>>]>([
    ['a store that does not exist', () => ({ ASOF_STORE: folder.path('nope.db') })],
    ['a file that is not a store', () => ({ ASOF_STORE: folder.path('facts.csv') })],
    ['an invalid address', () => ({ ASOF_BASE_URL: 'no address' })],
    ['a service that does not run', () => ({ ASOF_BASE_URL: 'http://127.0.0.1:1' })],
    ['an invalid key', () => ({ ASOF_BASE_URL: 'http://127.0.0.1:1', ASOF_API_KEY: 'a b' })],
    [
      'settings that are damaged',
      () => {
        folder.write('config.json', '{');
        return { ASOF_CONFIG_DIR: folder.path('.') };
      },
    ],
  ])('%s', async (_, env) => {
    const before = readdirSync(folder.path('.'));
    expect(await offered('asof obs G', env())).toEqual(['words']);
    expect(readdirSync(folder.path('.')).filter((name) => name !== 'config.json')).toEqual(before);
  });
});

describe('completion over a service', () => {
  const asked: string[] = [];
  let answering = true;
  const service = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (!answering) return;
    const series = (id: string) => ({
      id,
      title: id,
      units: '',
      observation_count: 1,
      last_updated: '2020-01-01T00:00:00Z',
      source: '',
      frequency: 'M',
    });
    const text = new URL(request.url ?? '', 'http://service').searchParams.get('q') ?? '';
    const ids = ['--output=x', 'A-GDP', 'GDP', 'GDPX'].filter((id) => id.includes(text.toUpperCase()));
    const results = ids.map(series);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        object: 'series_list',
        request_id: 'req_1',
        status: 'ok',
        results,
        results_count: results.length,
        has_more: true,
        next_cursor: 'more',
      }),
    );
  });
  let env: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    env = { ASOF_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` };
  });
  afterAll(() => {
    service.closeAllConnections();
    service.close();
  });

  it('takes one request for ids', async () => {
    asked.length = 0;
    expect(await offered('asof obs gd', env)).toEqual(['words', 'GDP', 'GDPX']);
    expect(asked).toEqual(['/v1/series?q=gd&limit=1000']);
  });

  it('takes one request for tickers', async () => {
    asked.length = 0;
    expect(await offered('asof insider filings --ticker m', env)).toEqual(['words']);
    expect(asked).toEqual(['/v1/insider/filings?from=1900-01-01&limit=1000']);
  });

  it('does not offer an id that would be read as a flag', async () => {
    expect(await offered('asof obs ', env)).toEqual(['words', 'A-GDP', 'GDP', 'GDPX']);
  });

  it('sends no request for anything but ids', async () => {
    asked.length = 0;
    for (const line of ['asof o', 'asof obs --', 'asof obs --format ', 'asof obs GDP --as-of '])
      await offered(line, env);
    expect(asked).toEqual([]);
  });

  it('ends within two seconds if the service never answers', () => {
    answering = false;
    const begun = Date.now();
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [builtProgram, 'completion', 'fish', '--', 'obs', 'g'],
      {
        env: { ...env, HOME: folder.path('home') },
        encoding: 'utf8',
      },
    );
    // The server runs in this process, which is blocked: like a host that drops packets, it never answers.
    expect({ stdout, stderr, status }).toEqual({ stdout: 'words\t\n', stderr: '', status: 0 });
    expect(Date.now() - begun).toBeLessThan(2500);
  });
});

describe('the completion process', () => {
  it('ends with its answer, even if it still waits for something', () => {
    // Like the lookup of a host name, which cannot be cancelled.
    const waiting = folder.write('waiting.cjs', 'setInterval(() => undefined, 1000);');
    const begun = Date.now();
    const { stdout, status } = spawnSync(
      process.execPath,
      ['-r', waiting, builtProgram, 'completion', 'fish', '--', 'obs', 'un'],
      {
        env: { ASOF_STORE: store, HOME: folder.path('home') },
        encoding: 'utf8',
        timeout: 10_000,
        killSignal: 'SIGKILL',
      },
    );
    expect({ stdout, status }).toEqual({ stdout: 'words\t\nUNRATE\t\n', status: 0 });
    expect(Date.now() - begun).toBeLessThan(5000);
  });
});

/** The names in help of values that asof cannot complete. */
const freeValues =
  'column cursor dates days form host n name name=id numbers old=new origin port seconds text time url';
const freeArguments = 'text import key-id new words names';

describe('completion knows', () => {
  it('the values of every flag, or that asof cannot complete them', () => {
    const unknown = everyCommand.flatMap(({ words, flags }) =>
      flags
        .filter(({ value, choices }) => value !== undefined && choices === undefined && !value.includes('|'))
        .filter(
          ({ value = '', complete }) => (complete === undefined) !== freeValues.split(' ').includes(value),
        )
        .map(({ name, value }) => `${words} --${name} <${value}>`),
    );
    expect(unknown).toEqual([]);
  });

  it('the values of every argument, or that asof cannot complete them', () => {
    const unknown = everyCommand.flatMap(({ words, args }) =>
      args
        .filter(
          ({ name, choices, complete }) =>
            choices === undefined && (complete === undefined) !== freeArguments.split(' ').includes(name),
        )
        .map(({ name }) => `${words} <${name}>`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the script for bash', () => {
  /** What the function leaves in COMPREPLY for a line, when bash calls it as it does at TAB. */
  function replies(line: string, words: readonly string[], before = '') {
    const bin = join(folder.path('.'), 'bin');
    spawnSync('mkdir', ['-p', bin]);
    folder.write('bin/asof', `#!/bin/sh\nexec '${process.execPath}' '${builtProgram}' "$@"\n`);
    spawnSync('chmod', ['755', join(bin, 'asof')]);
    const script = `${before}
source <(asof completion bash); source <(asof completion bash)
COMP_LINE=$LINE COMP_POINT=\${#LINE} COMP_CWORD=$(($# - 1)) COMP_WORDS=("$@")
_asof asof "\${COMP_WORDS[COMP_CWORD]}" ''
(( \${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], {
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path('home'), ASOF_STORE: store, LINE: line },
      encoding: 'utf8',
    });
    return { stdout, stderr };
  }

  it.each<readonly [line: string, words: readonly string[], replies: readonly string[]]>([
    ['asof obs g', ['asof', 'obs', 'g'], ['GDP', 'GDPC1', 'GNP']],
    ['asof obs --format=c', ['asof', 'obs', '--format', '=', 'c'], ['csv']],
    ['asof obs --format=c', ['asof', 'obs', '--format=c'], ['--format=csv']],
    ['asof obs --format=', ['asof', 'obs', '--format', '=', ''], everyFormat],
    ['asof obs x', ['asof', 'obs', 'x'], []],
  ])('answers %s, split as %j', (line, words, expected) => {
    expect(replies(line, words)).toEqual({
      stdout: expected.map((word) => `${word}\n`).join(''),
      stderr: '',
    });
  });

  it.each(['set -eu', 'shopt -s nullglob failglob', 'IFS=o', 'set -f', 'set -o posix', 'set -o noclobber'])(
    'works under %s',
    (before) => {
      expect(replies('asof obs unr', ['asof', 'obs', 'unr'], before)).toEqual({
        stdout: 'UNRATE\n',
        stderr: '',
      });
    },
  );
});
