import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/values/date.ts';
import { open } from '../../../src/index.ts';
import type { PullOptions } from '../../../src/pull/options.ts';
import { asof } from '../../support/command.ts';
import {
  fredFaults,
  type HistoryRow,
  type LoopbackFred,
  type LoopbackSeries,
  loopbackFred,
  recordedGdp,
} from '../../support/pull/loopback-fred.ts';
import { contentOf, importHistory, type Puller, puller } from '../../support/pull/pulling.ts';
import { readData, testData } from '../../support/repository.ts';
import { reading } from '../../support/scratch-store.ts';

let fred: LoopbackFred;
let own: Puller;

beforeAll(async () => {
  fred = await loopbackFred({ series: {}, today: '2024-07-01' });
});

beforeEach(() => {
  own = puller(fred, { request: { fred: ['S'] } });
  fred.restore();
});

const described = (id: string, frequency = 'M') => ({
  ...{ id, title: `The series ${id}`, units: 'Units' },
  frequency_short: frequency,
});

/** Rows that read `2024-01-01 2024-03-15 2024-06-13 1`; with `-` for an end they have not ended. */
function rowsOf(...lines: readonly string[]): readonly HistoryRow[] {
  return lines.map((line) => {
    const [date = '', realtime_start = '', end = '', value = ''] = line.split(' ');
    return { date, realtime_start, realtime_end: end === '-' ? '9999-12-31' : end, value };
  });
}

/** FRED has these rows of the series S from now on. */
function publish(...lines: readonly string[]): void {
  fred.state.series.S = { description: described('S'), rows: rowsOf(...lines) };
}

/** Pulls on a day, which is then that of FRED too. */
function pull(on = fred.state.today, options: Partial<PullOptions> = {}) {
  fred.state.today = on;
  return own.pull(`${on}T18:00:00Z`, options);
}

const statements = async () =>
  (await contentOf(own.store, 'S')).statements.map(
    ({ date, asOf, value, kind }) => `${date} ${asOf} ${value} ${kind}`,
  );

const ofS = [
  '2024-01-01 2024-03-15 2024-06-13 1',
  '2024-01-01 2024-06-14 - 2',
  '2024-02-01 2024-06-14 - 3',
] as const;
const allOfS = [
  '2024-01-01 2024-03-15 1 exact',
  '2024-01-01 2024-06-14 2 exact',
  '2024-02-01 2024-06-14 3 exact',
];

describe('the release of a series of FRED', () => {
  // The Consumer Price Index, as FRED recorded it.
  const { releases } = JSON.parse(readData(testData, 'macro/fred-api/catalogue-release.json').toString());
  const releaseOf = () => reading(own.store, async (view) => (await view.series.find('S'))?.release);
  const give = (release?: Readonly<Record<string, unknown>>) => {
    publish(...ofS);
    if (release !== undefined) fred.state.series.S = { ...fred.state.series.S, release } as LoopbackSeries;
  };

  it('is stored by the first pull, and not asked for again', async () => {
    give(releases[0]);
    expect((await pull()).asked).toEqual([
      ...['series', 'series/vintagedates', 'series/observations', 'series/release'],
    ]);
    expect(await releaseOf()).toBe('fred:10');
    expect((await pull('2024-07-02')).asked).toEqual(['series/observations']);
    expect((await statements()).slice(0, 3)).toEqual(allOfS);
  });

  it('is asked for once if FRED names none', async () => {
    give();
    expect((await pull()).asked.at(-1)).toBe('series/release');
    expect((await pull('2024-07-02')).asked).toEqual(['series/observations']);
    expect(await releaseOf()).toBe('');
  });

  it('is filled in by the next pull of a store that does not know it', async () => {
    give(releases[0]);
    await importHistory({ description: described('S'), rows: rowsOf(...ofS) }, '2024-07-01', own);
    expect(await releaseOf()).toBe('');
    expect((await pull('2024-07-02')).asked.at(-1)).toBe('series/release');
    expect(await releaseOf()).toBe('fred:10');
  });

  it.each([
    ['fails', { status: 502, body: '<html></html>' }, 'FRED answered with HTTP 502'],
    ['is throttled', fredFaults.throttled, 'FRED asks for a pause: HTTP 429'],
    [
      'has another form',
      { status: 200, body: '{"releases":[{"id":"ten"}]}' },
      'series/release has changed: a release has the id "ten"',
    ],
  ])(
    'is a note if the request %s: the pull keeps the series, and the next one asks again',
    async (_, fault, said) => {
      give(releases[0]);
      fred.trouble = (_number, what) => (what === 'series/release' ? fault : undefined);
      const { ends, notes } = await pull(undefined, { maxWait: 0 });
      expect([ends, notes]).toEqual([['S pulled'], [expect.stringContaining(said)]]);
      expect(notes[0]).toMatch(/^its release is not known yet: .*; the next run asks again$/);
      expect(await statements()).toEqual(allOfS);
      fred.trouble = () => undefined;
      expect((await pull('2024-07-02')).asked).toEqual(['series/observations', 'series/release']);
      expect(await releaseOf()).toBe('fred:10');
    },
  );
});

describe('an answer of FRED that is not what was asked for', () => {
  const ofT = (path: string) =>
    `FRED's answer to ${path} is about something else: asof asked for series_id S and got T`;
  const rowOfT = ({ observations }: Record<string, unknown>) => ({
    observations: (observations as object[]).map((row, i) => ({ ...row, series_id: i === 1 ? 'T' : 'S' })),
  });
  const observations = 'series/observations';

  it.each<[title: string, at: string, change: (answer: Record<string, unknown>) => object, reason: string]>([
    ['describes another series', 'series', () => ({ seriess: [described('T')] }), ofT('series')],
    ['has observations of another series', observations, () => ({ series_id: 'T' }), ofT(observations)],
    ['has a row of another series', observations, rowOfT, ofT(observations)],
    [
      'has vintage dates of another series',
      'series/vintagedates',
      () => ({ series_id: 'T' }),
      ofT('series/vintagedates'),
    ],
    [
      'has no observations',
      observations,
      () => ({ observations: undefined }),
      'series/observations has changed: the answer has no observations',
    ],
    ['has other units', observations, () => ({ units: 'pch' }), 'and stored nothing from it'],
  ])('is refused by name if it %s, and is asked for again', async (_, at, change, reason) => {
    publish(...ofS);
    fred.state.change = (path, answer) => (path === at ? { ...answer, ...change(answer) } : answer);
    expect(await pull()).toMatchObject({
      ends: ['S failed: bad-answer'],
      said: expect.stringContaining(reason),
      stored: false,
    });
    fred.state.change = (_path, answer) => answer;
    expect((await pull()).ends).toEqual(['S pulled']);
    expect(await statements()).toEqual(allOfS);
  });

  it('is refused if it is about another period, in a later pull too', async () => {
    publish(...ofS);
    await pull('2024-06-20');
    fred.state.change = (path, answer) =>
      path === 'series/observations' ? { ...answer, realtime_start: '2024-01-01' } : answer;
    expect((await pull('2024-07-01')).said).toContain(
      'asof asked for realtime_start 2024-06-14 and got 2024-01-01',
    );
    expect(await statements()).toEqual(allOfS);
  });

  it.each([
    [{ release_id: 11 }, 'asof asked for release_id 10 and got 11'],
    [{ seriess: [{ id: 'S; T' }] }, 'a series has the id "S; T"'],
  ])('is refused if it is a list of another release, or of what is no id: %j', async (changed, reason) => {
    publish(...ofS);
    fred.state.change = (path, answer) => (path === 'release/series' ? { ...answer, ...changed } : answer);
    expect((await pull(undefined, { request: { fred: ['release 10'] } })).said).toContain(reason);
  });
});

describe('a date that FRED adds to its past', () => {
  const added = '2023-12-01 2024-03-15 - 9';

  it('is known from its own vintage on, not from the day of the window', async () => {
    publish(...ofS);
    await pull('2024-06-20');
    publish(added, ...ofS);
    const { length: from } = fred.queries;
    expect((await pull('2024-07-01')).ends).toEqual(['S pulled']);
    expect(await statements()).toEqual(['2023-12-01 2024-03-15 9 exact', ...allOfS]);
    expect(fred.queries.slice(from)).toMatchObject([
      { realtime_start: '2024-06-14' },
      { realtime_start: '1776-07-04', observation_start: '2023-12-01', observation_end: '2023-12-01' },
      {},
    ]);
  });

  it('is known with all its vintages if FRED gives them in several answers, and clips each', async () => {
    fred.state.maxVintages = 1;
    publish(...ofS);
    await pull('2024-06-20');
    publish(added, '2023-11-01 2024-03-15 2024-06-13 7', '2023-11-01 2024-06-14 - 8', ...ofS);
    await pull('2024-07-01');
    expect((await statements()).slice(0, 3)).toEqual([
      '2023-11-01 2024-03-15 7 exact',
      '2023-11-01 2024-06-14 8 exact',
      '2023-12-01 2024-03-15 9 exact',
    ]);
  });

  it('is stored of no answer if FRED gives two that differ', async () => {
    publish(...ofS);
    await pull('2024-06-20');
    publish(added, ...ofS);
    fred.state.change = (path, answer) =>
      path === 'series/observations' && answer.observation_start === '2023-12-01'
        ? { ...answer, count: 0, observations: [] }
        : answer;
    expect((await pull('2024-07-01')).said).toContain("FRED's answers about S contradict each other");
    expect(await statements()).toEqual(allOfS);
  });
});

describe('a history that begins with --since', () => {
  it('has no day of publication on its first day, which the window made', async () => {
    publish(...ofS, '2023-12-01 2024-03-15 2024-06-13 4', '2023-12-01 2024-06-14 - 5');
    await pull('2024-06-20', { since: '2024-05-01' });
    expect(await statements()).toEqual([
      '2023-12-01 2024-05-01 4 fetched',
      '2023-12-01 2024-06-14 5 exact',
      '2024-01-01 2024-05-01 1 fetched',
      '2024-01-01 2024-06-14 2 exact',
      '2024-02-01 2024-06-14 3 exact',
    ]);
  });

  it('begins yesterday if today is asked for, because today is not over', async () => {
    publish(...ofS);
    await pull('2024-06-13', { since: '2024-06-13' });
    expect(await statements()).toEqual(['2024-01-01 2024-06-12 1 fetched']);
    expect((await pull('2024-07-01')).ends).toEqual(['S pulled']);
    expect(await statements()).toContain('2024-01-01 2024-06-14 2 exact');
  });
});

describe('asof pull fred --full', () => {
  const full = { full: true };

  it.each([
    [
      'removed',
      ['2024-01-01 2024-03-15 - 1'],
      ['2024-01-01 as of 2024-06-14: 1, against 2', '2024-02-01 as of 2024-06-14: withdrawn, against 3'],
    ],
    [
      'moved to the day after',
      ['2024-01-01 2024-03-15 2024-06-14 1', '2024-01-01 2024-06-15 - 2', '2024-02-01 2024-06-15 - 3'],
      ['2024-01-01 as of 2024-06-14: 1, against 2', '2024-02-01 as of 2024-06-14: withdrawn, against 3'],
    ],
    [
      'moved to the day before',
      ['2024-01-01 2024-03-15 2024-06-12 1', '2024-01-01 2024-06-13 - 2', '2024-02-01 2024-06-13 - 3'],
      ['2024-01-01 as of 2024-06-13: 2, against 1', '2024-02-01 as of 2024-06-13: 3, against withdrawn'],
    ],
    [
      'emptied of a date',
      ['2024-01-01 2024-03-15 2024-06-13 1', '2024-01-01 2024-06-14 - 2'],
      ['2024-02-01 as of 2024-06-14: withdrawn, against 3'],
    ],
  ])('names the statements of a vintage that FRED has %s, and keeps them', async (_, lines, conflicts) => {
    for (const maxVintages of [1, 2000]) {
      own = puller(fred, { request: { fred: ['S'] } });
      fred.state.maxVintages = maxVintages;
      publish(...ofS);
      await pull('2024-06-20');
      publish(...lines);
      const { ends, said } = await pull('2024-07-01', full);
      expect(ends).toEqual(['S conflict: bad-answer']);
      const [, ...listed] = said.split('\n');
      expect(listed.map((line) => line.replace(/^.*: S /, ''))).toEqual(conflicts);
      expect(await statements()).toEqual(allOfS);
    }
  });

  it('is not needed where the newest vintage has moved to the day after, because every pull begins with it', async () => {
    publish(...ofS);
    await pull('2024-06-20');
    // Of the date that the store knows from the 14th on, FRED has nothing on that day.
    publish(ofS[0], ofS[1], '2024-02-01 2024-06-15 - 3');
    const { ends, said } = await pull('2024-07-01');
    expect([ends, said]).toEqual([
      ['S conflict: bad-answer'],
      expect.stringContaining('S 2024-02-01 as of 2024-06-14: withdrawn, against 3'),
    ]);
  });

  it('keeps how far the store is, so that the next pull asks for what is new alone', async () => {
    publish(...ofS);
    await pull('2024-06-20');
    expect((await pull('2024-06-20', full)).ends).toEqual(['S nothing-new']);
    const { length: from } = fred.queries;
    await pull('2024-06-21');
    expect(fred.queries.slice(from).map((query) => query.realtime_start)).toEqual(['2024-06-14']);
  });
});

describe('a date whose periods end, although nothing follows,', () => {
  const ended = [
    '2024-01-01 2024-03-15 2024-06-20 1',
    '2024-02-01 2024-06-14 - 3',
    '2024-03-01 2024-06-21 - 4',
  ];
  const refused = {
    ends: ['S failed: bad-answer'],
    said: expect.stringMatching(/2024-01-01.* ends .*nothing follows/),
  };

  it.each([1, 2, 2000])('is refused by the first pull, in windows of %i vintages', async (maxVintages) => {
    fred.state.maxVintages = maxVintages;
    publish(...ended);
    expect(await pull()).toMatchObject(refused);
  });

  it('is refused by a later pull', async () => {
    publish('2024-01-01 2024-03-15 - 1', '2024-02-01 2024-06-14 - 3');
    await pull('2024-06-15');
    publish(...ended);
    expect(await pull('2024-07-01')).toMatchObject(refused);
  });
});

describe('a vintage that changes only some dates of a series', () => {
  const months = Array.from({ length: 60 }, (_, i) =>
    new Date(Date.UTC(2015, i, 1)).toISOString().slice(0, 10),
  );
  const weekdays = Array.from({ length: 60 }, (_, i) =>
    addDays('2020-01-03', 7 * Math.floor(i / 5) + ((i % 5) + 2 * Number(i % 5 > 0))),
  );

  it.each([
    ['quarter months', 'M', months, 3],
    ['Januaries', 'M', months, 12],
    ['first quarters', 'Q', months.filter((_, i) => i % 3 === 0), 4],
    ['Fridays', 'D', weekdays, 5],
  ])('says nothing about its frequency: %s', async (_, frequency, dates, each) => {
    const publishAll = (isChanged: (i: number) => boolean) => {
      const lines = dates.flatMap((date, i) =>
        isChanged(i)
          ? [`${date} 2024-01-10 2024-06-13 1`, `${date} 2024-06-14 - 2`]
          : [`${date} 2024-01-10 - 1`],
      );
      fred.state.series.S = { description: described('S', frequency), rows: rowsOf(...lines) };
    };
    publishAll(() => false);
    await pull('2024-06-01');
    publishAll((i) => i % each === 0);
    expect((await pull('2024-07-01')).ends).toEqual(['S pulled']);
    expect((await reading(own.store, (view) => view.series.find('S')))?.frequency).toBe(frequency);
  });
});

describe('a series that FRED no longer has', () => {
  it.each([
    ['with vintages', false],
    ['without vintages', true],
  ])(
    'is named as such if it was one %s, with the way to unfollow it, and its facts stay',
    async (_, withoutVintages) => {
      fred.state.series.S = { description: described('S'), rows: rowsOf(...ofS), withoutVintages };
      await pull('2024-06-20');
      const before = await contentOf(own.store, 'S');
      expect((await pull()).asked).toEqual(['series/observations']);
      fred.state.series = {};
      for (const full of [false, true])
        expect(await pull('2024-06-20', { full })).toMatchObject({
          kind: 'not-found',
          said: 'FRED no longer has the series S, which it gave up to 2024-06-20; the facts stay in the store',
          hints: ['asof unfollow fred S stops following it'],
        });
      expect(await contentOf(own.store, 'S')).toEqual(before);
    },
  );
});

it('a clock that is days ahead of FRED stops the pull, which says both days', async () => {
  publish(...ofS);
  expect(await own.pull('2024-07-03T18:00:00Z')).toMatchObject({
    kind: 'local-io',
    said: 'the clock of this machine says 2024-07-03, and that of FRED 2024-07-01',
    stored: false,
  });
});

it('a failure of FRED names the series that was asked for', async () => {
  publish(...ofS);
  fred.trouble = () => fredFaults.badGateway;
  expect((await pull()).said).toMatch(/^S: FRED answered with HTTP 502$/);
});

describe('the values of a series without vintages', () => {
  // FRED says of no request that its day has not come.
  const serve = (today: string, isDated: string, ...lines: readonly string[]) => {
    fred.state.today = today;
    fred.isDated = new Date(isDated);
    fred.state.series.S = { description: described('S'), rows: rowsOf(...lines), withoutVintages: true };
  };

  it.each([
    ['that is behind', '2024-06-20T18:00:00Z', '2024-06-21T12:00:00Z', '2024-06-21'],
    ['that is ahead', '2024-06-22T12:00:00Z', '2024-06-21T18:00:00Z', '2024-06-22'],
    ['that is right', '2024-06-21T18:00:00Z', '2024-06-21T18:00:00Z', '2024-06-21'],
  ])(
    'are known from the later of the day of the source and that of a clock %s on',
    async (_, ours, theirs, known) => {
      serve('2024-06-23', theirs, '2024-01-01 2024-03-15 - 1');
      await own.pull(ours);
      expect(await statements()).toEqual([`2024-01-01 ${known} 1 fetched`]);
    },
  );

  it('stay known as they were if FRED refuses to give them', async () => {
    serve('2024-06-30', '2024-06-21T18:00:00Z', '2024-01-01 2024-03-15 - 1');
    expect((await own.pull('2024-06-21T18:00:00Z')).notes).toEqual([
      'S has no vintages at FRED: its values count as known from the day of each run on',
    ]);
    const before = await contentOf(own.store, 'S');
    serve('2024-06-30', '2024-06-25T18:00:00Z');
    const { said } = await own.pull('2024-06-25T18:00:00Z');
    expect(said).toBe("FRED's answers about S contradict each other");
    expect(await contentOf(own.store, 'S')).toEqual(before);
  });
});

describe('a new description of a series', () => {
  const chained = 'Billions of Chained 2017 Dollars';

  beforeEach(async () => {
    fred.state.series.GDP = recordedGdp('2023-01-01');
    own = puller(fred, { request: { fred: ['GDP'] } });
    await pull('2024-11-27');
  });

  function describeAnew() {
    const { description, rows } = recordedGdp('2023-01-01');
    fred.state.series.GDP = { description: { ...description, units: chained }, rows };
  }

  it('is stored with its day, together with the next vintage', async () => {
    describeAnew();
    expect((await pull('2024-12-01')).asked).toEqual(['series/observations']);
    const noticed = await pull('2025-01-27');
    expect(noticed.asked).toEqual(['series/observations', 'series']);
    expect(noticed.notes.join()).toContain(chained);
    expect(await reading(own.store, (view) => view.series.descriptionChanges('GDP'))).toMatchObject([
      { field: 'units', before: 'Billions of Dollars', after: chained, changedOn: '2025-01-27' },
    ]);
  });

  it('is shown by asof series show with its changes, and with the days of the pulls', async () => {
    const notes: string[] = [];
    const library = await open(own.store, { onNote: ({ text }) => notes.push(text) });
    await library.seriesShow('GDP');
    await library.close();
    expect(notes).toEqual([
      'the date of a vintage is the day on which the figures appeared',
      'asof pulls GDP from fred since 2024-11-27: up to 2024-11-27, last pulled 2024-11-27T18:00Z',
    ]);
    describeAnew();
    await pull('2025-01-27');
    const { err, out } = await asof(['series', 'show', 'gdp', '--store', own.store, '--json']);
    expect(err.split('\n').slice(1, 3)).toEqual([
      'asof: asof pulls GDP from fred since 2024-11-27: up to 2025-01-27, last pulled 2025-01-27T18:00Z',
      `asof: units changed on 2025-01-27: "Billions of Dollars" -> "${chained}"`,
    ]);
    expect(JSON.parse(out).results[0].description_changes).toEqual([
      { changed_on: '2025-01-27T00:00:00Z', field: 'units', before: 'Billions of Dollars', after: chained },
    ]);
    expect((await asof(['series', 'show', 'GDP', '-f', 'csv'])).err).not.toContain('pulled');
  });
});
