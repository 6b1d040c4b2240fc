import { describe, expect, it } from 'vitest';
import { fredDates } from '../../../../../src/import/formats/calendar/dates.ts';
import { recognise } from '../../../../../src/import/formats/recognise.ts';
import { readData, testData } from '../../../../support/repository.ts';
import { readAll, realFile, refusalOf, refuses, sourceFile } from '../../../../support/source-file.ts';

const format = fredDates();
const asOf = '2025-01-20';

type Row = { readonly release_id: number; readonly date: string; readonly release_name?: string };

const of = (release_id: number, ...dates: readonly string[]): readonly Row[] =>
  dates.map((date) => ({ release_id, date }));
const named = (release_name: string, rows: readonly Row[]) => rows.map((row) => ({ ...row, release_name }));

/** An answer of FRED with some rows; by default it is whole, and has them by day. */
const answer = (release_dates: readonly unknown[], other = {}) =>
  JSON.stringify({
    ...{
      realtime_start: '2025-01-01',
      realtime_end: '9999-12-31',
      order_by: 'release_date',
      sort_order: 'asc',
    },
    ...{ count: release_dates.length, offset: 0, limit: 1000, ...other, release_dates },
  });

const read = async (text: string, options: object = { asOf }, reader = format) =>
  (await readAll(reader, sourceFile('dates.json', text), options)).sightings;

/** The sightings in short: what they cover, and their days. */
const inShort = async (...given: Parameters<typeof read>) =>
  (await read(...given)).map(({ source, scope, lists, from, to, entries }) =>
    [source, lists, scope, `${from}..${to}`, ...entries.map(({ day }) => day.slice(5))].join(' '),
  );

describe('real answers of FRED', () => {
  it('about one release have all of its days, and are confined to it', async () => {
    const file = realFile(testData, 'macro/fred-api/catalogue-release_dates.json');
    expect((await recognise(file)).kind).toBe('fred-release-dates');
    const { sightings, notes } = await readAll(format, file, { asOf });
    // Read by the pattern of a row: the text is in no other order than that of its days.
    const dates = [
      ...readData(testData, 'macro/fred-api/catalogue-release_dates.json')
        .toString()
        .matchAll(/"date":"([-\d]+)"/g),
    ];
    expect(dates).toHaveLength(930);
    expect(sightings.flatMap(({ entries }) => entries)).toEqual(
      dates.map(([, day]) => ({ release: '10', day })),
    );
    expect(sightings.map(({ entries, ...look }) => look)).toEqual([
      { source: 'FRED past days', scope: '10', seenAt: asOf, from: '1776-07-04', to: asOf, lists: 'plans' },
    ]);
    expect(notes).toEqual([expect.stringContaining('prove no release')]);
  });

  it('about all releases have their names', async () => {
    const file = realFile(testData, 'macro/fred-api/catalogue-releases_dates.json');
    const { sightings } = await readAll(format, file, { asOf });
    const [sighting] = sightings;
    expect(sighting).toMatchObject({ scope: '', from: '2025-01-01', to: asOf });
    const text = readData(testData, 'macro/fred-api/catalogue-releases_dates.json').toString();
    const rows = text.match(/"release_id":50,"release_name":"[^"]*","date":"[^"]*"/g);
    expect(rows).toEqual(['"release_id":50,"release_name":"Employment Situation","date":"2025-01-10"']);
    expect(sighting?.entries.filter(({ release }) => release === '50')).toEqual([
      { release: '50', name: 'Employment Situation', day: '2025-01-10' },
    ]);
    expect(sighting?.entries).toHaveLength(422);
  });
});

describe('an answer of FRED', () => {
  const jobs = of(50, '2025-01-10', '2025-02-07', '2025-03-07');
  const all = named('Jobs', jobs);

  it('with a day after that of the look lists planned days, and covers all that it was asked for', async () => {
    expect(await inShort(answer(jobs))).toEqual(['FRED plans 50 2025-01-01..9999-12-31 01-10 02-07 03-07']);
    expect(await inShort(answer(jobs, { realtime_end: '2025-12-31' }))).toEqual([
      'FRED plans 50 2025-01-01..2025-12-31 01-10 02-07 03-07',
    ]);
    expect(await inShort(answer(all))).toEqual(['FRED plans  2025-01-01..9999-12-31 01-10 02-07 03-07']);
  });

  it('without one covers the days up to the look, and is kept apart', async () => {
    expect(await inShort(answer(jobs), { asOf: '2025-03-07' })).toEqual([
      'FRED past days plans 50 2025-01-01..2025-03-07 01-10 02-07 03-07',
    ]);
    expect(await inShort(answer(jobs, { realtime_end: '2025-03-07' }), { asOf: '2025-04-01' })).toEqual([
      'FRED past days plans 50 2025-01-01..2025-03-07 01-10 02-07 03-07',
    ]);
  });

  it('that was not asked for planned days proves its days', async () => {
    expect(await inShort(answer(jobs), { asOf: '2025-04-01' }, fredDates('events'))).toEqual([
      'FRED events 50 2025-01-01..2025-04-01 01-10 02-07 03-07',
    ]);
    expect(await inShort(answer(jobs), { asOf: '2025-04-01' }, fredDates('plans'))).toEqual([
      'FRED plans 50 2025-01-01..9999-12-31 01-10 02-07 03-07',
    ]);
  });

  it('has a day once that it lists twice', async () => {
    expect(await inShort(answer([...jobs, ...jobs]))).toEqual([
      'FRED plans 50 2025-01-01..9999-12-31 01-10 02-07 03-07',
    ]);
  });

  it('that is a page about one release covers the days from its first to its last', async () => {
    const page = (offset: number, order: string, rows = jobs) =>
      inShort(answer(rows, { count: 5, offset, sort_order: order }));
    expect(await page(0, 'asc')).toEqual(['FRED plans 50 2025-01-01..2025-03-07 01-10 02-07 03-07']);
    expect(await page(1, 'asc')).toEqual(['FRED plans 50 2025-01-10..2025-03-07 01-10 02-07 03-07']);
    expect(await page(2, 'asc')).toEqual(['FRED plans 50 2025-01-10..9999-12-31 01-10 02-07 03-07']);
    expect(await page(0, 'desc')).toEqual(['FRED plans 50 2025-01-10..9999-12-31 01-10 02-07 03-07']);
    expect(await page(2, 'desc')).toEqual(['FRED plans 50 2025-01-01..2025-03-07 01-10 02-07 03-07']);
  });

  it('that is a page about all releases covers the days between, and single releases on the days it may share', async () => {
    const page = (offset: number, order: string) =>
      inShort(answer(all, { count: 5, offset, sort_order: order }));
    expect(await page(0, 'asc')).toEqual([
      'FRED plans  2025-01-01..2025-03-06 01-10 02-07',
      'FRED plans 50 2025-03-07..2025-03-07 03-07',
    ]);
    expect(await page(1, 'desc')).toEqual([
      'FRED plans  2025-01-11..2025-03-06 02-07',
      'FRED plans 50 2025-01-10..2025-01-10 01-10',
      'FRED plans 50 2025-03-07..2025-03-07 03-07',
    ]);
    expect(await inShort(answer(all.slice(0, 1), { count: 5, offset: 2 }), { asOf: '2025-01-01' })).toEqual([
      'FRED plans 50 2025-01-10..2025-01-10 01-10',
    ]);
  });

  it('has no day of its own', async () => {
    expect(await refusalOf(format, sourceFile('dates.json', answer(jobs)))).toContain('pass --as-of');
    expect((await read(answer(jobs), { seenAt: '2025-01-20T14:56:02Z' }))[0]?.seenAt).toBe(
      '2025-01-20T14:56:02Z',
    );
  });

  refuses(
    format,
    'dates.json',
    {
      ', column "release_dates": the answer has no dates': answer([]),
      ', row 1, column "release_id": "undefined": not the number of a release': answer([
        { date: '2025-01-10' },
      ]),
      ', row 1, column "date": "2025-02-30": there is no such date': answer(of(50, '2025-02-30')),
      ', row 1, column "release_name": "5": this field has an unexpected value': answer([
        { release_id: 50, release_name: 5, date: '2025-01-10' },
      ]),
      ', column "release_id": dates of the releases 50 and 10 without their names: no answer of FRED has both':
        answer([...of(50, '2025-01-10'), ...of(10, '2025-01-15')]),
      ', column "order_by": "release_name": the answer has 3 of 5 dates in another order than that of their days, and covers none':
        answer(all, { count: 5, order_by: 'release_name' }),
      ', column "count": this field is missing': answer(jobs, { count: undefined }),
      ', column "realtime_start": "soon": not a date: use YYYY-MM-DD': answer(jobs, {
        realtime_start: 'soon',
      }),
    },
    { asOf },
  );
});
