import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/series/date.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  type HistoryRow,
  type LoopbackFred,
  loopbackFred,
  loopbackKey,
  wellBehaved,
} from '../../support/pull/loopback-fred.ts';
import { contentOf, pullFrom } from '../../support/pull/pulled-store.ts';
import { pullAt } from '../../support/pull/pulling.ts';
import { newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();

let fred: LoopbackFred;
let store: string;

beforeAll(async () => {
  fred = await loopbackFred();
});

beforeEach(() => {
  store = newStorePath(folder);
  fred.requests.length = 0;
  Object.assign(fred.state, { ...wellBehaved(), today: '2024-07-01', series: {} });
});

afterAll(() => fred.close());

const described = (id: string, frequency = 'M') => ({
  id,
  title: `The series ${id}`,
  units: 'Units',
  frequency_short: frequency,
});

/** Rows that read `2024-01-01 2024-03-15 2024-06-13 1`; without an end they have not ended. */
function rowsOf(...lines: readonly string[]): readonly HistoryRow[] {
  return lines.map((line) => {
    const [date = '', realtime_start = '', end = '', value = ''] = line.split(' ');
    return { date, realtime_start, realtime_end: end === '-' ? '9999-12-31' : end, value };
  });
}

/** FRED has these rows of a series from now on. */
function publish(id: string, ...lines: readonly string[]): void {
  fred.state.series[id] = { description: described(id), rows: rowsOf(...lines) };
}

/** Pulls, on a day if one is given; how it ended, and why it failed. */
async function pull(on?: string, options: Parameters<typeof pullFrom>[2] = { request: { fred: ['S'] } }) {
  if (on !== undefined) fred.state.today = on;
  const { subjects, stops } = await pullFrom(fred, store, { retries: 0, ...options });
  const [subject] = subjects;
  return {
    outcome: subject?.outcome,
    detail: subject?.problem?.detail ?? '',
    kind: subject?.problem?.kind,
    stops,
  };
}

const statementsOf = async (id = 'S') =>
  (await contentOf(store, id)).statements.map(
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

describe('an answer of FRED about another series', () => {
  const changes: readonly (readonly [string, string, (answer: Record<string, unknown>) => object])[] = [
    ['describes another series', 'series', () => ({ seriess: [described('T')] })],
    ['says that its observations are of another series', 'series/observations', () => ({ series_id: 'T' })],
    [
      'has a row of another series',
      'series/observations',
      ({ observations }) => ({
        observations: (observations as readonly object[]).map((row, i) => ({
          ...row,
          series_id: i === 1 ? 'T' : 'S',
        })),
      }),
    ],
    ['says that its vintage dates are of another series', 'series/vintagedates', () => ({ series_id: 'T' })],
  ];

  it.each(changes)('is refused by name if it %s, and is asked for again', async (_, at, change) => {
    publish('S', ...ofS);
    fred.state.change = (path, answer) => (path === at ? { ...answer, ...change(answer) } : answer);
    const { outcome, detail, kind } = await pull();
    expect([outcome, kind]).toEqual(['failed', 'bad-answer']);
    expect(detail).toContain(
      `FRED's answer to ${at} is about something else: asked for series_id S, it gave T`,
    );
    expect(await reading(store, (view) => view.series.find('S')).catch(() => undefined)).toBeUndefined();
    fred.state.change = (_path, answer) => answer;
    expect((await pull()).outcome).toBe('pulled');
    expect(await statementsOf()).toEqual(allOfS);
  });

  it('is refused if it is about another period, in a later pull too', async () => {
    publish('S', ...ofS);
    await pull('2024-06-20');
    fred.state.change = (path, answer) =>
      path === 'series/observations' ? { ...answer, realtime_start: '2024-01-01' } : answer;
    expect((await pull('2024-07-01')).detail).toContain(
      'asked for realtime_start 2024-06-14, it gave 2024-01-01',
    );
    expect(await statementsOf()).toEqual(allOfS);
  });

  it('is refused if it lists another release, or what is no id', async () => {
    publish('S', ...ofS);
    fred.state.change = (path, answer) =>
      path === 'release/series' ? { ...answer, release_id: 11 } : answer;
    const other = await pull(undefined, { request: { fred: ['release 10'] } });
    expect(other.stops[0]?.problem.detail).toContain('asked for release_id 10, it gave 11');
    fred.state.change = (path, answer) =>
      path === 'release/series' ? { ...answer, seriess: [{ id: 'S; T' }] } : answer;
    const noId = await pull(undefined, { request: { fred: ['release 10'] } });
    expect(noId.stops[0]?.problem.detail).toContain('a series has the id "S; T"');
  });

  it('gives no suggestions for a mistyped id, which is unknown all the same', async () => {
    fred.state.change = (path, answer) =>
      path === 'series/search' ? { ...answer, count: 1, seriess: [described('UNLIKE')] } : answer;
    expect(await pull(undefined, { request: { fred: ['GDPX'] } })).toMatchObject({
      kind: 'not-found',
      detail: "FRED has no series 'GDPX'",
    });
  });
});

describe('a date that FRED adds to its past', () => {
  const added = '2023-12-01 2024-03-15 - 9';

  it('is known from its own vintage on, not from the day of the window', async () => {
    publish('S', ...ofS);
    await pull('2024-06-20');
    publish('S', added, ...ofS);
    fred.requests.length = 0;
    expect((await pull('2024-07-01')).outcome).toBe('pulled');
    expect(await statementsOf()).toEqual(['2023-12-01 2024-03-15 9 exact', ...allOfS]);
    expect(fred.requests.map(({ query }) => query)).toMatchObject([
      { realtime_start: '2024-06-14' },
      { realtime_start: '1776-07-04', observation_start: '2023-12-01', observation_end: '2023-12-01' },
      {},
    ]);
  });

  it('is known with all its vintages if FRED gives them in several answers, and clips each', async () => {
    fred.state.maxVintages = 1;
    publish('S', ...ofS);
    await pull('2024-06-20');
    publish('S', added, '2023-11-01 2024-03-15 2024-06-13 7', '2023-11-01 2024-06-14 - 8', ...ofS);
    await pull('2024-07-01');
    expect((await statementsOf()).slice(0, 3)).toEqual([
      '2023-11-01 2024-03-15 7 exact',
      '2023-11-01 2024-06-14 8 exact',
      '2023-12-01 2024-03-15 9 exact',
    ]);
  });

  it('is stored of no answer if FRED gives two that differ', async () => {
    publish('S', ...ofS);
    await pull('2024-06-20');
    publish('S', added, ...ofS);
    fred.state.change = (path, answer) =>
      path === 'series/observations' && answer.observation_start === '2023-12-01'
        ? { ...answer, count: 0, observations: [] }
        : answer;
    expect((await pull('2024-07-01')).detail).toContain(
      "FRED's answers about the vintages of S contradict each other",
    );
    expect(await statementsOf()).toEqual(allOfS);
  });
});

describe('a history that begins with --since', () => {
  it('has no day of publication on its first day, which the window made', async () => {
    publish('S', ...ofS, '2023-12-01 2024-03-15 2024-06-13 4', '2023-12-01 2024-06-14 - 5');
    const options = { request: { fred: ['S'] }, since: '2024-05-01' };
    await pull('2024-06-20', options);
    expect(await statementsOf()).toEqual([
      '2023-12-01 2024-05-01 4 fetched',
      '2023-12-01 2024-06-14 5 exact',
      '2024-01-01 2024-05-01 1 fetched',
      '2024-01-01 2024-06-14 2 exact',
      '2024-02-01 2024-06-14 3 exact',
    ]);
  });

  it('begins yesterday if today is asked for, because today is not over', async () => {
    publish('S', ...ofS);
    await pull('2024-06-13', { request: { fred: ['S'] }, since: '2024-06-13' });
    expect(await statementsOf()).toEqual(['2024-01-01 2024-06-12 1 fetched']);
    expect((await pull('2024-07-01', {})).outcome).toBe('pulled');
    expect(await statementsOf()).toContain('2024-01-01 2024-06-14 2 exact');
  });
});

describe('asof pull fred --full', () => {
  const full = { request: { fred: ['S'] }, full: true };

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
      store = newStorePath(folder);
      fred.state.maxVintages = maxVintages;
      publish('S', ...ofS);
      await pull('2024-06-20');
      publish('S', ...lines);
      const { outcome, detail, kind } = await pull('2024-07-01', full);
      expect([outcome, kind]).toEqual(['conflict', 'bad-answer']);
      expect(
        detail
          .split('\n')
          .slice(1)
          .map((line) => line.replace(/^.*: S /, '')),
      ).toEqual(conflicts);
      expect(await statementsOf()).toEqual(allOfS);
    }
  });

  it('is not needed where the newest vintage has moved to the day after, because every pull begins with it', async () => {
    publish('S', ...ofS);
    await pull('2024-06-20');
    // Of the date that the store knows from the 14th on, FRED has nothing on that day.
    publish('S', ofS[0], ofS[1], '2024-02-01 2024-06-15 - 3');
    const { outcome, detail } = await pull('2024-07-01');
    expect([outcome, detail]).toEqual([
      'conflict',
      expect.stringContaining('S 2024-02-01 as of 2024-06-14: withdrawn, against 3'),
    ]);
  });

  it('keeps how far the store is, so that the next pull asks for what is new alone', async () => {
    publish('S', ...ofS);
    await pull('2024-06-20');
    expect((await pull('2024-06-20', full)).outcome).toBe('nothing-new');
    fred.requests.length = 0;
    await pull('2024-06-21');
    expect(fred.requests.map(({ query }) => query.realtime_start)).toEqual(['2024-06-14']);
  });
});

describe('a date whose periods end, although nothing follows,', () => {
  const ended = [
    '2024-01-01 2024-03-15 2024-06-20 1',
    '2024-02-01 2024-06-14 - 3',
    '2024-03-01 2024-06-21 - 4',
  ];

  it.each([1, 2, 2000])('is refused by the first pull, in windows of %i vintages', async (maxVintages) => {
    fred.state.maxVintages = maxVintages;
    publish('S', ...ended);
    const { outcome, detail } = await pull();
    expect([outcome, detail]).toEqual([
      'failed',
      expect.stringMatching(/2024-01-01.* ends .*nothing follows/),
    ]);
  });

  it('is refused by a later pull', async () => {
    publish('S', '2024-01-01 2024-03-15 - 1', '2024-02-01 2024-06-14 - 3');
    await pull('2024-06-15');
    publish('S', ...ended);
    const { outcome, detail } = await pull('2024-07-01');
    expect([outcome, detail]).toEqual([
      'failed',
      expect.stringMatching(/2024-01-01.* ends .*nothing follows/),
    ]);
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
    const lines = (changed: boolean) =>
      dates.flatMap((date, i) =>
        changed && i % each === 0
          ? [`${date} 2024-01-10 2024-06-13 1`, `${date} 2024-06-14 - 2`]
          : [`${date} 2024-01-10 - 1`],
      );
    const series = (changed: boolean) => ({
      description: described('S', frequency),
      rows: rowsOf(...lines(changed)),
    });
    fred.state.series.S = series(false);
    await pull('2024-06-01');
    fred.state.series.S = series(true);
    expect(await pull('2024-07-01')).toMatchObject({ outcome: 'pulled', detail: '' });
    expect((await reading(store, (view) => view.series.find('S')))?.frequency).toBe(frequency);
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
      const before = await contentOf(store, 'S');
      fred.state.series = {};
      for (const full of [false, true]) {
        const { subjects } = await pullFrom(fred, store, { full });
        expect(subjects[0]?.problem).toMatchObject({
          kind: 'not-found',
          detail:
            'FRED no longer has the series S, which it gave up to 2024-06-20; the facts stay in the store',
          hints: ['asof unfollow fred S stops following it'],
        });
      }
      expect(await contentOf(store, 'S')).toEqual(before);
    },
  );
});

describe('a failure of FRED', () => {
  it('names the series that was asked for', async () => {
    publish('S', ...ofS);
    fred.state.fault = () => 'bad-gateway';
    expect((await pull()).detail).toMatch(/^S: http:.*\/series answered 502$/);
  });
});

describe('the values of a series without vintages', () => {
  it.each([
    ['that is behind', '2024-06-20T18:00:00Z', '2024-06-21T12:00:00Z', '2024-06-21'],
    ['that is ahead', '2024-06-22T12:00:00Z', '2024-06-21T18:00:00Z', '2024-06-22'],
    ['that is right', '2024-06-21T18:00:00Z', '2024-06-21T18:00:00Z', '2024-06-21'],
  ])(
    'are known from the later of the day of the source and that of a clock %s on',
    async (_, ours, theirs, known) => {
      // FRED says of no request that its day has not come.
      Object.assign(fred.state, { today: '2024-06-23', isDated: new Date(theirs) });
      const rows = rowsOf('2024-01-01 2024-03-15 - 1');
      fred.state.series.S = { description: described('S'), rows, withoutVintages: true };
      const settings = { fred: { url: fred.url, key: loopbackKey } };
      await pullAt(ours, { store, settings, request: { fred: ['S'] } });
      expect(await statementsOf()).toEqual([`2024-01-01 ${known} 1 fetched`]);
    },
  );

  it('stay known as they were if FRED refuses to give them', async () => {
    const settings = { fred: { url: fred.url, key: loopbackKey } };
    const series = { description: described('S'), withoutVintages: true };
    const publishOn = (moment: string, ...rows: readonly string[]) => {
      // FRED says of no request that its day has not come.
      Object.assign(fred.state, { today: '2024-06-30', isDated: new Date(moment) });
      fred.state.series.S = { ...series, rows: rowsOf(...rows) };
      return pullAt(moment, { store, settings, request: { fred: ['S'] } });
    };
    await publishOn('2024-06-21T18:00:00Z', '2024-01-01 2024-03-15 - 1');
    const before = await contentOf(store, 'S');
    const { subjects } = await publishOn('2024-06-25T18:00:00Z');
    expect(subjects[0]?.problem?.detail).toBe('FRED refused the observations of S: nothing then');
    expect(await contentOf(store, 'S')).toEqual(before);
  });
});
