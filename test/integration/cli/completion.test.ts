import { existsSync, readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { asof, everyCommand, linesOf, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { envelope, reply, serve } from '../../support/service-double.ts';

const folder = newFolder();
const store = folder.path('store.db');

beforeAll(async () => {
  const facts = ['GDP', 'GDPC1', 'UNRATE', 'GNP'].map((id) => `${id},2020-01-01,2020-02-01,1`);
  const files = [
    folder.write('facts.csv', statements(facts)),
    folder.write('titles.csv', 'series_id,title\nGNP,Gross: product\n'),
  ];
  for (const path of [store, folder.path('home store.db')])
    expect((await asof(['import', ...files, '--store', path])).code).toBe(0);
});

type Variables = Readonly<Record<string, string>>;
const stored = { ASOF_STORE: store };

/** What a shell gets for the words that it sends. */
async function answer(shell: string, sent: readonly string[], env: Variables = stored): Promise<string> {
  const { code, out, err } = await asof(['completion', shell, '--', ...sent], { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

/** The completions that fish gets for a line, without descriptions; their kind comes first. */
async function offered(line: string, env: Variables = stored): Promise<readonly string[]> {
  const lines = linesOf(await answer('fish', line.split(' ').slice(1), env));
  return lines.map((text) => text.split('\t')[0] ?? '');
}

const everyFormat = 'table csv tsv json ndjson parquet markdown latex xlsx svg png pdf ics';

describe('completion offers', () => {
  it.each<readonly [line: string, words: string]>([
    ['asof obs', 'observations'],
    ['asof v', 'vintages verify'],
    ['asof series ', 'search show rename rm alias'],
    ['asof config ', 'get set unset list path'],
    ['asof help s', 'series spread snapshot store serve'],
    ['asof insider clusters --code ', 'P S V A D F I M C E H O X G L W Z J K U'],
    ['asof help e', 'explore environment exit-codes'],
    ['asof help series s', 'search show'],
    ['asof completion ', 'bash zsh fish'],
    ['asof obs g', 'GDP GDPC1 GNP'],
    ['asof obs gdp g', 'GDPC1 GNP'],
    ['asof obs --limit 3 gd', 'GDP GDPC1'],
    ['asof obs -- gd', 'GDP GDPC1'],
    ['asof obs -- --cs', ''],
    ['asof obs --format=csv gd', 'GDP GDPC1'],
    ['asof obs -fcsv gd', 'GDP GDPC1'],
    ['asof obs gdp:s', 'GDP:saar'],
    ['asof panel UNRATE gdp:y', 'GDP:yoy'],
    ['asof vintages gdp:s', ''],
    ['asof revisions u', 'UNRATE'],
    ['asof revisions UNRATE u', ''],
    ['asof panel UNRATE gd', 'GDP GDPC1'],
    ['asof diff UNRATE ', 'GDP GDPC1 GNP today yesterday'],
    ['asof diff UNRATE t', 'today'],
    ['asof import x.json --series u', 'UNRATE'],
    ['asof obs --as-of ', 'today yesterday'],
    ['asof obs --as-of=', 'today yesterday'],
    ['asof obs --as-of 2', ''],
    ['asof obs --format ', everyFormat],
    ['asof obs -f', '-f'],
    ['asof obs -fc', 'csv'],
    ['asof obs --format=t', 'table tsv'],
    ['asof obs --sort ', 'desc asc'],
    ['asof panel --as-of-each ', 'day business-day friday week-end month-end quarter-end year-end'],
    ['asof series search --match ', 'id title any words'],
    ['asof curve --type ', 'par tips'],
    ['asof curve --type T', 'TIPS'],
    ['asof yields --maturity 1', '1M 1.5M 1Y 10Y'],
    ['asof import --kind fred-m', 'fred-md'],
    ['asof keys create --plan ', 'free pro'],
    ['asof config get base', 'base_url'],
    ['asof config set format ', everyFormat],
    ['asof config set timeout ', ''],
    ['asof obs GDP --columns ', 'date value as_of_date series_id unit frequency source'],
    ['asof obs --columns=s', 'series_id source'],
    ['asof obs GDP --columns date,value,s', 'date,value,series_id date,value,source'],
    ['asof obs GDP --limit x --columns va', 'value'],
    ['asof revisions --columns p', 'percent'],
    ['asof curve --vs 2024-12-23 --columns vs', 'vs_rate vs_trade_date'],
    ['asof curve --columns vs', ''],
    ['asof panel GDP UNRATE --wide --columns date,', 'date,GDP date,UNRATE'],
    ['asof panel GDP --as-of-each month-end --columns val', 'value'],
    ['asof yields --wide --columns 10', '10Y'],
    ['asof curve --on', '--on-or-before'],
    ['asof obs --csv --cs', ''],
    ['asof import --id A=B --i', '--id'],
    ['asof obs --nothing-like-it x', ''],
    ['asof nothing ', ''],
  ])('%s', async (line, words) => {
    expect(await offered(line)).toEqual(['words', ...(words === '' ? [] : words.split(' '))]);
  });

  it.each([
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
    const listed = [...help.matchAll(/^ {2}([a-z]+)(?:\|[a-z]+)?\s(?:[^A-Z\n]*)([A-Z].*)$/gm)].map(
      ([, name, summary]) => `${name}\t${summary}`,
    );
    expect(listed.length).toBeGreaterThan(10);
    expect(linesOf(await answer('zsh', [''])).slice(1)).toEqual(listed);
  });

  it('every flag that help lists, also where nothing else can come', async () => {
    const topics = ['observations', 'output', 'charts', 'connection'];
    const texts = await Promise.all(topics.map(async (topic) => (await asof(['help', topic])).out));
    const help = texts.join('\n');
    const listed = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
    expect(listed.length).toBeGreaterThan(20);
    const [, ...flags] = await offered('asof obs GDP --');
    expect(flags.sort()).toEqual(listed.sort());
    expect(await offered('asof curve ')).toContain('--on-or-before');
  });

  it('the ids of the store that is typed, also from a home, with their titles', async () => {
    expect(await answer('zsh', ['obs', 'gn'])).toBe('words\t\nGNP\tGross: product\n');
    expect(await offered(`asof obs --store ${store} un`, {})).toEqual(['words', 'UNRATE']);
    const line = 'asof obs --store ~/home\\ store.db un';
    expect(await answer('bash', [line, 'un'], { HOME: folder.path('.') })).toBe('words\nUNRATE\n');
  });

  // The sample has filings of MAIA Biotechnology and of 23andMe, as their documents say.
  it('the ids and tickers of the sample where there is no store, and makes none', async () => {
    const env = { HOME: folder.path('empty home') };
    expect(await offered('asof obs payem', env)).toEqual(['words', 'PAYEMS']);
    expect(await offered('asof insider filings --ticker m', env)).toEqual(['words', 'MAIA', 'ME']);
    expect(await offered('asof insider clusters --ticker=mai', env)).toEqual(['words', 'MAIA']);
    expect(await offered('asof insider filings --ticker ')).toEqual(['words']);
    const zsh = await answer('zsh', ['insider', 'filings', '--ticker', 'mai'], env);
    expect(zsh).toBe('words\t\nMAIA\tMAIA Biotechnology, Inc.\n');
    expect(existsSync(env.HOME)).toBe(false);
  });

  it.each([
    ['c', 'csv'],
    ['--format=c', '--format=csv'],
  ])('in bash the part of --format=c that it replaces: %s', async (replaced, word) => {
    expect(await answer('bash', ['asof obs --format=c', replaced])).toBe(`words\n${word}\n`);
  });

  it('the plans of a file that is typed', async () => {
    const plan = { monthly_limit: 1, daily_limit: 1, rate_per_minute: 1, vintage_access: true };
    const file = folder.write('plans.json', JSON.stringify([{ name: 'gold', ...plan }]));
    expect(await offered(`asof keys create --plans ${file} --plan `)).toEqual(['words', 'gold']);
  });

  const damaged = newFolder();
  damaged.write('config.json', '{');
  it.each<readonly [what: string, env: Variables]>([
    ['a store that does not exist', { ASOF_STORE: folder.path('nope.db') }],
    ['a file that is not a store', { ASOF_STORE: folder.path('facts.csv') }],
    ['an invalid address', { ASOF_BASE_URL: 'no address' }],
    ['a service that does not run', { ASOF_BASE_URL: 'http://127.0.0.1:1' }],
    ['an invalid key', { ASOF_BASE_URL: 'http://127.0.0.1:1', ASOF_API_KEY: 'a b' }],
    ['settings that are damaged', { ASOF_CONFIG_DIR: damaged.path('.') }],
  ])('nothing where it cannot help: %s', async (_, env) => {
    const before = readdirSync(folder.path('.'));
    expect(await offered('asof obs G', env)).toEqual(['words']);
    expect(readdirSync(folder.path('.'))).toEqual(before);
  });
});

describe('completion over a service', () => {
  /** A service with a few series, and the paths that it was asked for. */
  async function service() {
    const { url, asked } = await serve((request, response) => {
      const text = new URL(request.url ?? '', 'http://service').searchParams.get('q') ?? '';
      const ids = ['--output=x', 'A-GDP', 'GDP', 'GDPX'].filter((id) => id.includes(text.toUpperCase()));
      const described = { units: '', observation_count: 1, source: '', frequency: 'M' };
      const series = ids.map((id) => ({ id, title: id, last_updated: '2020-01-01T00:00:00Z', ...described }));
      reply(response, 200, envelope('series_list', series, { has_more: true, next_cursor: 'more' }));
    });
    return { env: { ASOF_BASE_URL: url }, paths: () => asked.map((request) => request.url) };
  }

  it('takes one request, and does not offer an id that would be read as a flag', async () => {
    const { env, paths } = await service();
    expect(await offered('asof obs gd', env)).toEqual(['words', 'GDP', 'GDPX']);
    expect(await offered('asof insider filings --ticker m', env)).toEqual(['words']);
    expect(await offered('asof obs ', env)).toEqual(['words', 'A-GDP', 'GDP', 'GDPX']);
    expect(paths().slice(0, 2)).toEqual([
      '/v1/series?q=gd&limit=1000',
      '/v1/insider/filings?from=1900-01-01&limit=1000',
    ]);
    expect(paths()).toHaveLength(3);
  });

  it('sends no request for anything but ids', async () => {
    const { env, paths } = await service();
    for (const line of ['asof o', 'asof obs --', 'asof obs --format ', 'asof obs GDP --as-of '])
      await offered(line, env);
    expect(paths()).toEqual([]);
  });

  it('ends within two seconds if the service never answers', async () => {
    const { url } = await serve(() => undefined);
    const begun = performance.now();
    expect(await offered('asof obs g', { ASOF_BASE_URL: url })).toEqual(['words']);
    // It gives up after two seconds; a busy machine takes longer for the rest.
    expect(performance.now() - begun).toBeLessThan(6000);
  });
});

/** The names in help of values that asof cannot complete. */
const freeValues =
  'column cursor dates days form host n name name=id numbers old=new origin port seconds text time url';
const freeArguments = 'text import key-id new words';

describe('completion knows, or that asof cannot complete them,', () => {
  it('the values of every flag', () => {
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

  it('the values of every argument', () => {
    const unknown = everyCommand.flatMap(({ words, args }) =>
      args
        .filter(({ choices }) => choices === undefined)
        .filter(({ name, complete }) => (complete === undefined) !== freeArguments.split(' ').includes(name))
        .map(({ name }) => `${words} <${name}>`),
    );
    expect(unknown).toEqual([]);
  });
});
