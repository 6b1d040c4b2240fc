import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Note, open } from '../../src/index.ts';
import { openStore } from '../../src/store/open.ts';
import { agreeing, days, onePerKey, runs } from '../support/arbitrary.ts';
import { asof, everyCommand } from '../support/command.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { worldUpTo } from '../support/example-stores.ts';
import { newFolder } from '../support/folders.ts';
import type { ModelStatement } from '../support/knowledge.ts';
import { type Running, startService } from '../support/modes.ts';

/** Command lines as of a day D, with an earlier day E and N, the day after D. */
const lines: Readonly<Record<string, readonly string[]>> = {
  observations: [
    'observations * --as-of D',
    'observations * --known-before N',
    'observations * --as-of D --first-release',
    'observations * --known-at T',
    'observations X1 --known-at T --json --units pch',
    'observations GDP --as-of D --json',
    'observations GDP X1 WAIT --as-of D --from 1950-01-01 --to 1950-02-01',
    'observations X1 --as-of D --units pch --json',
    'observations X1 --as-of D --frequency a --partial',
    'observations * --as-of D --units chg',
    'observations * --as-of D --first-release --units pch',
    'observations DGS10 T10Y2Y --as-of D --units chg',
    'observations GDP CPI --known-before N --units pc1 --frequency q --partial',
    'observations GDP CPI --vintages E,D --units pch',
    'observations X1 --as-of E --vs D',
    'observations NOPE* --as-of D',
  ],
  revisions: [
    'revisions GDP --date 2020-02-01 --as-of D',
    'revisions X1 --date 2020-02-02 --as-of D',
    'revisions GDP --date 2020-02-01 --known-before N --json',
    'revisions X1 --as-of D',
    'revisions X1 --as-of D --release 1,2,final --units pch',
    'revisions X1 --as-of D --wide --units pch',
    'revisions CPI --as-of D --stats',
    'revisions X1 --date 2020-02-01 --as-of D --summary --units chg',
  ],
  vintages: ['vintages GDP --as-of D', 'vintages GDP --known-before N --json', 'vintages GDP --to D -q'],
  calendar: [
    'calendar --as-of D --from 2019-01-01',
    'calendar --as-of D --from 2019-01-01 --series GDP --json',
    'calendar --known-before N --from E --release gross',
  ],
  next: ['next * --as-of D', 'next GDP X1 --known-before N --columns all', 'next WAIT GDP --as-of D --json'],
  diff: [
    'diff GDP CPI WAIT E D --units pch',
    'diff X1 E D',
    'diff GDP E D',
    'diff GDP D E --json',
    'diff GDP E N --known-before',
    'diff * E D',
  ],
  panel: [
    'panel * --as-of D',
    'panel * --known-at T --wide',
    'panel * --as-of D --wide --json',
    'panel GDP CPI WAIT --as-of D --wide --frequency sa --aggregate sum --partial',
    'panel GDP X1 --known-before N --wide --json',
    'panel GDP WAIT --as-of D --wide --units pch',
    // The curves end on the day that they cover, so their days after it are empty; no pattern here matches them.
    'panel *A* GDP X1 --as-of-each month-end --from 2019-12-15 --to D',
    'panel GDP CPI --as-of-each week-end --from 2020-01-01 --to D --wide',
    'panel GDP --as-of-each day --from E --to D --json',
    'panel *A* GDP --as-of-each friday --from E --to D --last 3 --wide',
    'panel GDP X1 WAIT --as-of-each day --from E --to D --units pch --wide',
    'panel GDP X1 --as-of-each day --from E --to D --units chg --known-before-each',
  ],
  insider: [
    'insider filings --as-of D --from 2019-01-01',
    'insider filings --as-of D --days 300 --json',
    'insider clusters --as-of D --min-insiders 2 --days 30',
    'insider clusters --as-of D --min-insiders 2 --days 30 --explain',
    'insider clusters --as-of D --min-insiders 2 --days 30 --signals',
    'insider clusters --as-of D --ticker SVN',
  ],
};

/** Commands with an as-of date that later tests ask in their own way. */
const others: Readonly<Record<string, string>> = {
  mcp: 'a session is a test of its own',
  snapshot: 'its plan is a list of its own',
};

/** What is asked without an as-of day: today bounds the answer. */
const today: readonly string[] = [
  'observations *',
  'observations * --units chg',
  'observations X1 --units pch --json',
  'observations * --first-release',
  'observations X1 --vs latest --as-of E',
  'observations GDP --limit 2 --json',
  'series search -f csv --columns id,observation_count,last_updated,frequency,first_vintage,covered_to',
  'series search prices --json',
  'series search prises',
  'series search zzzz',
  'series show X1 --json',
  'series show GDP --json',
  'vintages GDP',
  'vintages X1 --json',
  'revisions X1',
  'revisions GDP --release 1,final',
  'diff * E latest',
  'panel * --wide',
  'panel GDP X1 --as-of-each month-end --from 2019-12-15 --to D --units pch',
  'calendar --from 2019-01-01',
  'next GDP X1 --columns all',
  'curve',
  'curve --vs E --on-or-before',
  'yields',
  'yields --wide --json',
  'spread',
  'insider filings --from 2019-01-01',
  'insider filings --days 300',
  'insider filings --ticker AIT',
  'insider clusters --min-insiders 2 --days 30',
  'insider clusters --min-insiders 2 --days 30 --explain',
  'insider clusters --min-insiders 2 --days 30 --signals',
  'facts GDP X1',
];

/** Tables whose rows are joined with and checked against what was known. */
const tables: readonly string[] = [
  'join - --on day GDP X1 WAIT --with-dates',
  'join - --on day * --with-age --beyond repeat -q',
  'join - --on day GDP X1 --units pch --strict',
];

const dayAfter = (day: string, count: number) =>
  new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);

/** A line for each kind of file of a snapshot, which its day bounds. */
const plan: readonly string[] = [
  "all.csv obs '*'",
  'gdp.json obs GDP --json',
  "first.csv obs '*' --first-release",
  'story.json revisions GDP --date 2020-02-01',
  'vintages.json vintages GDP',
  "long.csv panel '*'",
  "wide.csv panel '*' --wide",
  // The coverage of the curves, which ends the values of their series otherwise, is that of the store.
  "each.csv panel '*' --as-of-each month-end --from 2019-11-15 --beyond repeat",
  'diff.csv diff GDP E D',
  'calendar.csv calendar --from 2019-01-01',
  "next.csv next '*'",
  'curve.csv curve',
  'rates.csv yields --wide',
  'spread.csv spread --short 2Y',
  'filings.csv insider filings --from 2019-01-01',
  'clusters.csv insider clusters --min-insiders 2 --days 30',
  'explained.json insider clusters --min-insiders 2 --days 30 --explain',
  'signals.csv insider clusters --min-insiders 2 --days 30 --signals',
];

function filled(line: string, { day, earlier }: World): string[] {
  const dates = {
    ...{ D: day, E: earlier, N: dayAfter(day, 1), 'E,D': `${earlier},${day}` },
    T: `${day}T18:00-05:00`,
  };
  const texts: Readonly<Record<string, string>> = dates;
  return line.split(' ').map((word) => texts[word] ?? word);
}

/** A text without what differs between two requests for one answer. */
function plain(text: string): string {
  return text
    .replace(/req_[0-9a-f]{32}/g, 'req_')
    .replace(/^ *request req_\n/gm, '')
    .replace(/"next_cursor": ?"[^"]+"/g, '"next_cursor"')
    .replace(/127\.0\.0\.1:\d+/g, 'host');
}

/** What a command line writes: the answer, the notes and the exit code. */
async function written(
  line: readonly string[],
  env: Readonly<Record<string, string>>,
  now?: string,
  stdin?: string,
) {
  const surroundings = {
    env,
    ...(now !== undefined && { now }),
    ...(stdin !== undefined && { stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }) }),
  };
  const { code, out, err } = await asof(line, surroundings);
  // Only what is known, or that the day is early, makes a line wrong: two refusals of a typing error are alike.
  if (code === 2)
    expect(err).toMatch(
      /the frequency of|judging by its dates|is after --to|names \S+ twice|is the as-of date itself|there is no \w+ from/,
    );
  return `${line.join(' ')}\n${plain(out)}${plain(err)}exit ${code}`;
}

/** Two days in a history of statements, and the stores of all of it and of what was known on the later day. */
type World = {
  readonly said: readonly ModelStatement[];
  readonly day: string;
  readonly earlier: string;
  readonly whole: string;
  readonly cut: string;
};

const history = fc.record({
  said: agreeing.map((items) => onePerKey(items.map((item) => item.said))),
  day: fc.constantFrom(...days, '2020-03-01', '2020-07-31', '2022-05-05'),
  back: fc.integer({ min: 0, max: 400 }),
});

/** A world in which LATE has vintages without a value on the day, and a frequency that dates imply afterwards. */
const withdrawn: { readonly said: readonly ModelStatement[]; readonly day: string; readonly back: number } = {
  said: [
    { series: 'CPI', date: '2020-03-01', asOf: '2024-02-29', value: null },
    { series: 'CPI', date: '2020-05-01', asOf: '2025-12-31', value: null },
  ],
  day: '2024-02-29',
  back: 7,
};

/** That world and random ones, each with a store of everything and one that ends on the day. */
async function worldsOf(count: number, newAddress: () => string): Promise<readonly World[]> {
  const worlds: World[] = [];
  for (const { said, day, back } of [withdrawn, ...fc.sample(history, count - 1)]) {
    const [whole, cut] = [newAddress(), newAddress()];
    await worldUpTo('9999-12-31', said, whole);
    await worldUpTo(day, said, cut);
    const earlier = [dayAfter(day, -back), '2019-12-31'].sort().at(-1) ?? '';
    worlds.push({ said, day, earlier, whole, cut });
  }
  return worlds;
}

let worlds: readonly World[] = [];
beforeAll(async () => {
  worlds = await worldsOf(runs(5), sqlite.newAddress);
});

/** Checks that what is asked of both stores of some worlds is answered alike. */
async function comparing(
  some: readonly World[],
  ask: (store: string, world: World) => Promise<readonly string[]>,
): Promise<void> {
  for (const world of some) {
    const [answers, expected] = [await ask(world.whole, world), await ask(world.cut, world)];
    for (const [i, answer] of answers.entries()) expect(answer, JSON.stringify(world)).toBe(expected[i]);
  }
}

/** The results of work for each of some lines, one after the other. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<string>): Promise<readonly string[]> {
  const done: string[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

/** Starts a service of a store, asks it, and stops it. */
async function serving<T>(store: string, ask: (service: Running) => Promise<T>, now?: string): Promise<T> {
  const service = await startService({
    openStore: () => openStore(store),
    ...(now !== undefined && { clock: () => new Date(now) }),
  });
  return ask(service).finally(service.stop);
}

/** The answers of a service to paths, with the headers that say something about them. */
function fetched({ url, key }: Running, paths: readonly string[]): Promise<readonly string[]> {
  const own = ['date', 'etag', 'x-request-id', 'content-length', 'transfer-encoding'];
  return each(paths, async (path) => {
    const answer = await fetch(`${url}/v1/${path}`, { headers: { 'X-API-Key': key } });
    const headers = [...answer.headers].filter(
      ([name]) => !own.includes(name) && !name.startsWith('ratelimit'),
    );
    return plain(`${path} ${answer.status} ${JSON.stringify(headers)} ${await answer.text()}`);
  });
}

/** The answers of an assistant's session to requests, in their order. */
async function session(line: readonly string[], requests: readonly string[]): Promise<readonly string[]> {
  const stdin = new PassThrough();
  stdin.write(requests.join(''));
  let answers = 0;
  const onWrite = (text: string) => {
    answers += text.split('\n').length - 1;
    if (answers === requests.length) stdin.end();
  };
  const { code, out } = await asof(line, { stdin, onWrite });
  expect(code).toBe(0);
  return plain(out).trimEnd().split('\n');
}

/** The moment at which a day is today, and the latest day anywhere on Earth. */
const momentOn = (day: string) => `${day}T09:00:00Z`;

describe('nothing published after a day changes an answer as of that day', () => {
  it('in any command that takes an as-of date: all are tested', () => {
    const bounded = everyCommand.filter(({ flags }) =>
      flags.some(({ name }) => name === 'as-of' || name === 'known-before'),
    );
    const names = new Set(bounded.map(({ words }) => words.split(' ')[0] ?? ''));
    const tested = [...names].filter((name) => name !== 'import' && !(name in others));
    expect(tested.sort()).toEqual(Object.keys(lines).sort());
  });

  it.each(Object.keys(lines))('in asof %s', async (command) => {
    await comparing(worlds, (store, world) =>
      each(lines[command] ?? [], (line) => written(filled(line, world), { ASOF_STORE: store })),
    );
  });

  it('in a join of rows up to that day', async () => {
    await comparing(worlds, (store, { day, earlier }) => {
      const rows = `day\n${earlier}\n${day}\n`;
      return each(tables, (line) => written(line.split(' '), { ASOF_STORE: store }, undefined, rows));
    });
  });

  it('in any file of a snapshot of that day', async () => {
    await comparing(worlds, async (store, world) => {
      const folder = newFolder();
      const file = folder.write('plan.txt', plan.map((text) => filled(text, world).join(' ')).join('\n'));
      const line = ['snapshot', file, '--out', folder.path('snap'), '--as-of', world.day, '-q'];
      const ended = await asof([...line, '--store', store]);
      expect(ended).toEqual({ code: 0, out: '', err: '' });
      return plan.map((text) => folder.read(`snap/${text.split(' ')[0]}`));
    });
  });

  it('in any answer of the library, its basis and notes among it', async () => {
    await comparing(worlds, async (store, { day: asOf, earlier }) => {
      const notes: Note[] = [];
      const library = await open(store, { onNote: (note) => void notes.push(note) });
      const range = { from: earlier, to: asOf };
      const ids = ['GDP', 'X1', 'WAIT'];
      const answers: readonly (() => Promise<unknown>)[] = [
        ...[...ids, 'DGS10'].map((id) => () => library.observations(id, { asOf })),
        () => library.observations('X1', { asOf, units: 'pch' }),
        () => library.observations('GDP', { asOf, release: 'first' }),
        () => library.panel(['*'], { asOf, wide: true }),
        () => library.panel(ids, { asOfEach: 'month-end', ...range, units: 'pch' }),
        () => library.panel(['*A*', 'GDP'], { asOfEach: [earlier, asOf], last: 2 }),
        () => library.diff(ids, [earlier, asOf]),
        () => library.versions(['X1'], [earlier, asOf], { change: true }),
        () => library.versions(['*'], [earlier, asOf]),
        () => library.revisions('X1', { asOf }),
        () => library.revisions('CPI', { asOf, release: [1, 'final'] }),
        () => library.revisions('X1', { asOf, wide: true }),
        () => library.vintages('GDP', { asOf }),
        () => library.insiderFilings({ asOf, from: '2019-01-01' }),
        () => library.insiderClusters({ asOf, minInsiders: 2, days: 30 }),
      ];
      const texts = await each(answers, async (ask) => JSON.stringify(await ask().catch(String)));
      await library.close();
      return [...texts.map(plain), JSON.stringify(notes)].map((text) =>
        text.replace(/"nextCursor":"[^"]+"/, ''),
      );
    });
  });

  it('over HTTP: neither a body nor a header, nor what a command makes of it', async () => {
    await comparing(worlds.slice(0, runs(2)), (store, world) => {
      const { day, earlier } = world;
      const paths = [
        ...['GDP', 'X1', 'WAIT', 'DGS10'].map((id) => `series/${id}/observations?as_of=${day}`),
        `series/GDP/observations?as_of=${day}&release=first`,
        `observations?ids=GDP,X1&as_of=${day}&format=csv`,
        `observations?ids=*&as_of=${day}`,
        `panel?ids=*&as_of=${day}&wide=true`,
        `panel?ids=GDP,X1,WAIT&as_of_each=month-end&from=2019-12-15&to=${day}&units=pch`,
        `diff?ids=*&old=${earlier}&new=${day}`,
        `insider/filings?as_of=${day}&from=2019-01-01`,
        `insider/clusters?as_of=${day}&min_insiders=2&days=30`,
        `insider/clusters/signals?as_of=${day}&min_insiders=2&days=30`,
      ];
      return serving(store, async (service) => {
        const remote = { ASOF_BASE_URL: service.url, ASOF_API_KEY: service.key };
        const asked = Object.values(lines).flatMap((all) => all.slice(0, 4));
        const commands = await each(asked, (line) => written(filled(line, world), remote));
        return [...(await fetched(service, paths)), ...commands];
      });
    });
  });

  it('in a session of asof mcp', async () => {
    await comparing(worlds.slice(0, runs(3)), (store, { day, earlier }) => {
      const calls: readonly (readonly [tool: string, values: object])[] = [
        ...['GDP', 'X1', 'WAIT', 'DGS10'].flatMap(
          (id) =>
            [
              ['observations', { id }],
              ['observations', { id, units: 'chg' }],
              ['vintages', { id }],
              ['revisions', { id }],
              ['series_show', { id }],
            ] as const,
        ),
        ['observations', { id: 'LATE' }],
        ['observations', { id: 'GPD' }],
        ['series_search', {}],
        ['series_search', { q: 'prices' }],
        ['series_search', { q: 'prises' }],
        ['panel', { ids: ['*'], wide: true }],
        ['panel', { ids: ['X1', 'WAIT'], asOfEach: 'month-end', from: '2019-12-15', units: 'pch' }],
        ['diff', { ids: ['*'], days: [earlier, 'latest'] }],
        ['versions', { ids: ['X1'], days: [earlier, 'latest'], change: true, units: 'pch' }],
        ['versions', { ids: ['GDP'], days: [earlier, 'latest'] }],
        ['calendar', { from: '2019-01-01' }],
        ['next_release', { id: 'GDP' }],
        ['curve', {}],
        ['yields', {}],
        ['yield_table', {}],
        ['spread', { long: '10Y', short: '2Y' }],
        ['insider_filings', { from: '2019-01-01' }],
        ['insider_filings', { ticker: 'AIT' }],
        ['insider_clusters', { minInsiders: 2, days: 30 }],
        ['insider_cluster_explanations', { minInsiders: 2, days: 30 }],
        ['insider_cluster_signals', { minInsiders: 2, days: 30 }],
      ];
      const handshake = {
        ...{ protocolVersion: '2025-06-18', capabilities: {} },
        clientInfo: { name: 'test', version: '1' },
      };
      const requests = [
        { id: 0, method: 'initialize', params: handshake },
        ...calls.map(([name, values], i) => ({
          ...{ id: i + 1, method: 'tools/call' },
          params: { name, arguments: values },
        })),
      ].map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
      return session(['mcp', '--as-of', day, '--store', store], requests);
    });
  });

  it('and without an as-of date, later data only add revisions and vintages', async () => {
    for (const { whole, cut } of worlds) {
      const rows = async (line: string, store: string) =>
        (await asof([...line.split(' '), '--no-header', '--store', store])).out;
      const revisions = 'revisions GDP --date 2020-02-01';
      expect((await rows(revisions, whole)).startsWith(await rows(revisions, cut))).toBe(true);
      expect((await rows('vintages GDP', whole)).endsWith(await rows('vintages GDP', cut))).toBe(true);
    }
  });
});

describe('today, that of the clock, bounds every answer without an as-of day', () => {
  onEveryEngine((engine) => {
    let own: readonly World[] = [];
    beforeAll(async () => {
      own = engine === sqlite ? worlds.slice(0, runs(3)) : await worldsOf(runs(2), engine.newAddress);
    });

    it('of a command: a store of everything answers as one that ends today', async () => {
      await comparing(own, (store, world) =>
        each(today, (line) => written(filled(line, world), { ASOF_STORE: store }, momentOn(world.day))),
      );
    });

    it('of a service', async () => {
      const paths = ['series', 'series/X1', 'series/GDP/observations', 'series/GDP/vintages']
        .concat(['treasury/yields', 'treasury/yields/curve', 'insider/filings?from=2019-01-01'])
        .concat('panel?ids=*&wide=true');
      await comparing(own.slice(0, runs(1)), (store, { day }) =>
        serving(store, (service) => fetched(service, paths), momentOn(day)),
      );
    });
  });

  it('of the library that open() gives, whose clock it is', async () => {
    const said = [
      { series: 'GDP', date: '2020-01-01', asOf: '2020-02-15', value: '1' },
      { series: 'GDP', date: '2020-01-01', asOf: '2020-06-30', value: '2' },
    ];
    const store = await worldUpTo('9999-12-31', said, sqlite.newAddress());
    // At 09:59 UTC it is 15 February everywhere on Earth but where it is still the 14th; at 10:00 the 16th begins.
    const library = await open(store, { clock: () => new Date('2020-02-15T09:59:59Z') });
    const { rows, basis } = await library.observations('GDP', { limit: 1 });
    expect(rows).toMatchObject([{ date: '2020-01-01', value: '1', as_of_date: '2020-02-15' }]);
    expect(basis).toMatchObject([{ subject: 'GDP', covered_to: '2020-02-15' }]);
    expect((await library.seriesShow('GDP')).rows).toMatchObject([{ last_vintage: '2020-02-15' }]);
    await expect(library.observations('GDP', { asOf: '2020-02-16' })).rejects.toThrow('2020-02-16');
    const facts: string[] = [];
    for await (const { date, as_of_date } of library.facts('GDP')) facts.push(`${date} ${as_of_date}`);
    expect(facts).toEqual(['2019-11-01 2019-12-01', '2020-01-01 2020-02-15']);
    await library.close();
  });
});
