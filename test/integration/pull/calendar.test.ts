import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { principalReleases } from '../../../src/domain/calendar/releases.ts';
import type { Sighting } from '../../../src/domain/calendar/sighting.ts';
import { writing } from '../../../src/store/open.ts';
import { expectShown } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  blsOf2023,
  type LoopbackCalendar,
  loopbackCalendar,
  madeBls,
} from '../../support/pull/loopback-calendar.ts';
import { type LoopbackFred, loopbackFred, loopbackKey } from '../../support/pull/loopback-fred.ts';
import { puller } from '../../support/pull/pulling.ts';
import { reading } from '../../support/scratch-store.ts';

// Waits for the pace of a source take no time.
vi.mock('../../../src/client/remote/exchange.ts', async (original) => ({
  ...(await original<object>()),
  waitFor: async () => undefined,
}));

let publishers: LoopbackCalendar;
let fred: LoopbackFred;

beforeEach(async () => {
  publishers = await loopbackCalendar();
  fred = await loopbackFred({ today: '2026-02-03' });
});

/** A new store that looks at some calendars; FRED answers on its own address. */
function newStore(...calendar: readonly string[]) {
  const settings = { ...publishers.settings, ...fred.settings };
  const own = puller({ ...publishers, settings }, { request: { calendar } });
  const sightings = () => reading(own.store, (view) => view.calendar.sightings());
  /** The looks in short: source, what it lists, when it was seen, the days that it covers, and its entries. */
  const looks = async () =>
    (await sightings()).map(
      ({ source, lists, seenAt, from, to, entries }) =>
        `${source} ${lists} ${seenAt} ${from}..${to} ${entries.length}`,
    );
  return { ...own, sightings, looks };
}

const jobsIn = ({ entries }: Sighting) =>
  entries
    .filter(({ release }) => release === 'Employment Situation')
    .map(({ day, time }) => `${day} ${time}`);

describe('a look at the calendar of the BLS', () => {
  it('is stored with its second, also if nothing has changed', async () => {
    const { pull, looks } = newStore('BLS');
    expect((await pull('2026-02-03T18:00:07.500Z')).ends).toEqual(['BLS pulled']);
    const { subjects, asked } = await pull('2026-02-04T06:00:00Z', { request: undefined });
    expect(subjects).toMatchObject([{ counts: { looks: 1, new_days: 0 }, upTo: '2026-02-04' }]);
    expect(asked).toEqual(['bls']);
    // The recorded file has 321 events, from 2023-01-04 on.
    expect(blsOf2023().match(/BEGIN:VEVENT/g)).toHaveLength(321);
    expect(await looks()).toEqual([
      'BLS plans 2026-02-03T18:00:07Z 2023-01-04..2024-12-20 321',
      'BLS plans 2026-02-04T06:00:00Z 2023-01-04..2024-12-20 321',
    ]);
  });

  it('keeps the plans that later looks no longer have', async () => {
    const { pull, sightings } = newStore('bls');
    publishers.calendars.bls = { body: madeBls('2025-10-01'), type: 'text/calendar' };
    await pull('2025-10-01T10:00:00Z');
    publishers.calendars.bls = { body: madeBls('2026-01-02'), type: 'text/calendar' };
    await pull('2026-01-02T10:00:00Z');
    const [before, after] = (await sightings()).map(jobsIn);
    expect(before).toContain('2025-10-03 08:30');
    expect(after).not.toContain('2025-10-03 08:30');
    expect(after).toContain('2025-11-20 08:30');
  });
});

it('refuses the calendar of another publisher at the address of one', async () => {
  const { pull, store } = newStore('BLS');
  publishers.calendars.bls = publishers.calendars.bea;
  const { ends, subjects } = await pull('2026-02-03T18:00:00Z');
  expect(ends).toEqual(['BLS failed: bad-answer']);
  expect(JSON.stringify(subjects)).toContain('is the calendar of');
  expect(existsSync(store)).toBe(false);
});

describe('a web page in the place of a calendar', () => {
  const page = '<!DOCTYPE html><html><head><title>Access Denied</title></head></html>';

  it.each([
    ['bls.ics', 'BLS', { status: 403, body: page }, 'https://www.bls.gov/schedule/news_release/bls.ics'],
    ['bls.ics', 'BLS', { status: 200, body: page }, 'https://www.bls.gov/schedule/news_release/bls.ics'],
    [
      'online-calendar-subscription.ics',
      'BEA',
      { status: 200, body: page },
      'https://www.bea.gov/news/schedule/ics/online-calendar-subscription.ics',
    ],
  ])('is refused by the name %s, with a way out: %s', async (name, source, reply, address) => {
    publishers.trouble = () => reply;
    const { pull } = newStore(source);
    const { kind, said, hints, asked, created, followed } = await pull('2026-02-03T18:00:00Z', {
      retries: 2,
    });
    expect([kind, said]).toEqual([
      'bad-answer',
      `the ${source} sent a web page in place of ${name} (HTTP ${reply.status}), and asof stored nothing from it`,
    ]);
    expect(hints).toEqual([
      `save ${address} with a browser, and import it with the day on which you saved it:`,
      `asof import ${name} --as-of YYYY-MM-DD`,
    ]);
    // A page is not asked for again.
    expect([asked.length, created, followed]).toEqual([1, false, []]);
  });

  it('leaves the earlier looks in the store', async () => {
    const { pull, looks } = newStore('BLS');
    await pull('2026-02-03T18:00:00Z');
    publishers.trouble = () => ({ status: 403, body: page });
    expect((await pull('2026-02-04T18:00:00Z')).kind).toBe('bad-answer');
    expect(await looks()).toHaveLength(1);
  });
});

describe('looks at the calendars of the BEA', () => {
  it('are two, and one that has not changed since says the same again', async () => {
    const { pull, looks, sightings } = newStore('BEA');
    expect((await pull('2026-02-03T18:00:00Z')).asked).toEqual(['bea', 'json']);
    expect((await pull('2026-02-04T18:00:00Z')).asked).toEqual(['bea', 'json unchanged']);
    // The pace lets one request a second go.
    expect((await looks()).filter((text) => text.startsWith('BEA JSON'))).toEqual([
      'BEA JSON plans 2026-02-03T18:00:01Z 2026-01-22..2026-12-23 28',
      'BEA JSON plans 2026-02-04T18:00:01Z 2026-01-22..2026-12-23 28',
    ]);
    const [first, second] = (await sightings()).filter(({ source }) => source === 'BEA JSON');
    expect(second?.entries).toEqual(first?.entries);
    // Another version of the file is read.
    const { json } = publishers.calendars;
    const body = json.body.replace('"2026-12-23T13:30:00+00:00"]', '"2026-12-22T13:30:00+00:00"]');
    publishers.calendars.json = { ...json, body, version: '"2"' };
    const { asked, subjects } = await pull('2026-02-05T18:00:00Z');
    expect([asked, subjects[0]?.counts]).toEqual([['bea', 'json'], { looks: 2, new_days: 1 }]);
  });

  it('ask for the whole file with --full, and go on from the look before an undo', async () => {
    const { store, pull, looks } = newStore('BEA');
    await pull('2026-02-03T18:00:00Z');
    expect((await pull('2026-02-04T18:00:00Z', { full: true })).asked).toEqual(['bea', 'json']);
    const last = (await reading(store, (view) => view.sources.imports())).at(-1)?.number ?? 0;
    await writing(store, async (writer) => {
      await writer.undo(last, async () => undefined);
      await writer.commit();
    });
    expect(await looks()).toHaveLength(3);
    expect((await pull('2026-02-05T18:00:00Z')).asked.at(-1)).toBe('json unchanged');
    expect((await looks()).at(-1)).toBe('BEA JSON plans 2026-02-05T18:00:01Z 2026-01-22..2026-12-23 28');
  });
});

describe('looks at the calendar of FRED', () => {
  const jobs = { release_id: 50, release_name: 'Employment Situation' };
  // What FRED lists in the first months of 2026: the jobs report was made on 11 February, the plan had been the 6th.
  const days = [
    { ...jobs, date: '2026-01-09', hasData: true },
    { ...jobs, date: '2026-02-06' },
    { ...jobs, date: '2026-03-06' },
    { ...jobs, date: '2026-04-03' },
  ];

  it('tell planned days from those on which something was released, page by page', async () => {
    fred.restore({ releaseDays: days, maxRows: 2 });
    const { pull, looks, sightings } = newStore('FRED');
    expect((await pull('2026-02-03T18:00:00Z')).ends).toEqual(['FRED pulled']);
    expect(fred.asked).toEqual(['releases/dates', 'releases/dates', 'releases/dates']);
    expect(
      fred.queries.map(({ offset, include_release_dates_with_no_data: flag = '' }) => [offset, flag]),
    ).toEqual([
      ['0', 'true'],
      ['2', 'true'],
      ['0', ''],
    ]);
    expect(await looks()).toEqual([
      'FRED events 2026-02-03T18:00:02Z 2026-01-01..2026-02-03 1',
      'FRED plans 2026-02-03T18:00:01Z 2026-01-01..9999-12-31 4',
    ]);
    const [events] = await sightings();
    expect(events?.entries).toEqual([{ release: '50', name: 'Employment Situation', day: '2026-01-09' }]);
  });

  it('begin a month before the last one', async () => {
    fred.restore({ releaseDays: days });
    const { pull } = newStore('FRED');
    await pull('2026-02-03T18:00:00Z');
    await pull('2026-03-10T18:00:00Z');
    expect(fred.queries.map(({ realtime_start: from }) => from)).toEqual([
      ...['2026-01-01', '2026-01-01', '2026-01-03', '2026-01-03'],
    ]);
  });

  it('have no list of past days before the first release of a year', async () => {
    fred.restore({ releaseDays: days.slice(1) });
    const { pull, looks } = newStore('FRED');
    expect((await pull('2026-01-01T18:00:00Z')).ends).toEqual(['FRED pulled']);
    expect(await looks()).toHaveLength(1);
  });
});

describe('asof pull calendar', () => {
  let home: string;
  const env = (key: string) => ({
    ...{ HOME: home, FRED_API_KEY: key, ASOF_FRED_URL: fred.url, ASOF_CALENDAR_URL: publishers.url },
  });
  const shown = (text: string, key = '') =>
    expectShown(text, () => ({ env: env(key), now: '2026-02-03T18:00:00Z' }));

  beforeEach(() => {
    home = scratchFolder();
    const jobs = { release_id: 50, release_name: 'Employment Situation', date: '2026-03-06' };
    fred.restore({ releaseDays: [jobs] });
  });

  it('looks at the BLS and the BEA, and at FRED with a key, which goes to FRED alone', async () => {
    await shown('$ asof pull calendar -q');
    expect([publishers.asked, fred.asked]).toEqual([['bls', 'bea', 'json'], []]);
    home = scratchFolder();
    await shown(
      `
      $ asof pull calendar --dry-run
      ! BLS  1 request: bls.ics
      ! BEA  2 requests: online-calendar-subscription.ics and release_dates.json
      ! FRED  2 requests: the planned days, and those that are over
      ! dry run: sent no requests; the pull takes at least 5 requests and 4 s
      $ asof pull calendar
      ! pulled 3 of 3: 4 looks, 3… new days; 5 requests in … s
      ! made a new store: …
      ! asof now answers from this store instead of the sample; asof store merge sample --skip-known adds the sample's data
      $ asof pull --list --columns source,name,up_to,left
      source,name,up_to,left
      calendar,BEA,2026-02-03,
      calendar,BLS,2026-02-03,
      calendar,FRED,2026-02-03,
      $ asof calendar --from 2026-03-06 --to 2026-03-06 --columns date,time,name,status,certainty,source
      date,time,name,status,certainty,source
      2026-03-06,08:30,Employment Situation,planned,usual time,FRED
    `,
      loopbackKey,
    );
    expect(fred.asked).toEqual(['releases/dates', 'releases/dates']);
    expect(fred.queries.map(({ api_key: key }) => key)).toEqual([loopbackKey, loopbackKey]);
    expect(publishers.queries).toEqual(Array(6).fill(''));
  });

  it('needs a key for FRED, and refuses what is no calendar', async () => {
    await shown(`
      $ asof pull calendar BLS FRED
      ! pulled 1 of 2: 1 look, … new days; 1 request in … s
      …
      ! asof: no key for FRED
      …
      [exit 4]
      $ asof pull calendar ECB
      ! asof: "ECB" is not a calendar: use BLS, BEA, FRED or ALFRED
      [exit 2]
    `);
    expect(fred.asked).toEqual([]);
  });

  it('shows a page with a way out', async () => {
    publishers.trouble = () => ({ status: 403, body: '<!DOCTYPE html><title>Access Denied</title>' });
    await shown(`
      $ asof pull calendar BLS
      …
      ! asof: the BLS sent a web page in place of bls.ics (HTTP 403), and asof stored nothing from it
      !       save https://www.bls.gov/schedule/news_release/bls.ics with a browser, and import it with the day on which you saved it:
      !       asof import bls.ics --as-of YYYY-MM-DD
      [exit 8]
    `);
  });
});

describe('the past days of ALFRED', () => {
  it('prove without a key that a planned release was made', async () => {
    const { pull, looks, store } = newStore('BLS', 'ALFRED');
    publishers.calendars.bls = { body: madeBls('2026-01-02'), type: 'text/calendar' };
    publishers.past = Object.fromEntries(
      principalReleases.map(({ fred: number }) => [number, ['2025-01-10']]),
    );
    // The days of the jobs report around the lapse of 2025, as ALFRED lists them.
    publishers.past['50'] = ['2025-09-05', '2025-11-20', '2025-12-16'];
    const { ends } = await pull('2026-01-02T10:00:00Z');
    expect(ends).toEqual(['BLS pulled', 'ALFRED pulled']);
    expect(await looks()).toContainEqual(
      expect.stringMatching(/^FRED events 2026-01-02T10:00:\d\dZ 2025-09-05[.][.]2025-12-16 3$/),
    );
    const bookmarks = (await reading(store, (view) => view.sources.followed())).map(
      ({ name, bookmark }) => `${name} ${Object.keys(JSON.parse(bookmark))}`,
    );
    expect(bookmarks).toEqual(['ALFRED ', 'BLS BLS']);
    await expectShown(
      `
      $ asof calendar --release employment --from 2025-11-01 --as-of 2026-01-05 --columns date,status,evidence -q
      date,status,evidence
      2025-11-20,released,FRED lists the day among past ones
      2025-12-16,released,FRED lists the day among past ones
      2026-01-09,planned,
      2026-02-11,planned,
      2026-03-06,planned,
      2026-04-03,planned,
      `,
      () => ({ env: { ASOF_STORE: store, HOME: scratchFolder() }, now: '2026-01-06T10:00:00Z' }),
    );
    // A day that ALFRED adds late, before its last one.
    publishers.past['50'] = ['2025-09-05', '2025-10-22', '2025-11-20', '2025-12-16'];
    const { ends: again } = await pull('2026-01-03T10:00:00Z', { request: undefined });
    expect(again).toEqual(['ALFRED pulled', 'BLS pulled']);
    expect(await looks()).toContainEqual(
      expect.stringMatching(/^FRED events 2026-01-03T10:00:\d\dZ 2025-09-05[.][.]2025-12-16 4$/),
    );
  });

  it('are refused where a page comes in their place, and the other calendars are kept', async () => {
    const { pull, looks } = newStore('ALFRED', 'BLS');
    const { ends } = await pull('2026-02-03T10:00:00Z');
    expect(ends).toEqual(['ALFRED failed: bad-answer', 'BLS pulled']);
    expect(await looks()).toHaveLength(1);
  });
});
