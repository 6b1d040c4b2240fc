import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../../src/index.ts';
import { nextRelease } from '../../../src/operations/calendar/next.ts';
import { beforeTheLapse, newJobsStore, writeSightings } from '../../support/calendars.ts';
import { asof } from '../../support/command.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { folder } from '../../support/example-stores.ts';
import { ask, newHttpService } from '../../support/http-service.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';

let store = '';
beforeAll(async () => {
  store = await newJobsStore();
});

const run = (...line: readonly string[]) => asof([...line, '--store', store]);

/** The first row of `asof next PAYEMS` as of a day, without what is said of its release. */
async function nextOn(asOf: string) {
  const { rows } = await open(store).then((from) => from.nextRelease('PAYEMS', { asOf }));
  return rows[0];
}

describe('the next jobs report in the lapse of 2025', () => {
  it.each([
    // What the BLS had planned, and what ALFRED lists as made.
    ['2025-10-02', '2025-10-03', 'official time', null, '2025-09-05', 27],
    ['2025-10-03', '2025-10-03', 'official time', null, '2025-09-05', 28],
    ['2025-10-04', '2025-11-07', 'official time', '2025-10-03', '2025-09-05', 29],
    ['2025-11-19', '2025-12-05', 'official time', '2025-10-03', '2025-09-05', 75],
    ['2025-11-20', '2025-12-05', 'official time', null, '2025-11-20', 0],
    ['2025-12-16', '2026-01-09', 'official time', null, '2025-12-16', 0],
    // The median of 27, 29, 35, 76, 26, 24 and 33 days after 11 February.
    ['2026-02-12', '2026-03-12', 'projected', null, '2026-02-11', 1],
  ])('as known on %s is due on %s, %s', async (asOf, due, certainty, overdue_since, as_of_date, days_ago) => {
    expect(await nextOn(asOf)).toMatchObject({ due, certainty, overdue_since, as_of_date, days_ago });
  });

  it('has the time, the zone, the instant, the release and the calendar', async () => {
    expect(await nextOn('2025-10-02')).toMatchObject({
      ...{ series_id: 'PAYEMS', time: '08:30', zone: 'America/New_York', at: '2025-10-03T12:30:00Z' },
      ...{ release: 'bls:employment-situation', name: 'Employment Situation', source: 'BLS' },
      ...{ newest_date: '2025-08-01', reason: '' },
    });
  });

  it('says in notes what is late, and what is projected', async () => {
    expect((await run('next', 'PAYEMS', '--as-of', '2025-10-10')).err).toBe(
      'asof: PAYEMS was due on 2025-10-03, and no figure since is stored: pull it, or it is late\n',
    );
    expect((await run('next', 'PAYEMS', '--as-of', '2026-02-12')).err).toBe(
      'asof: no calendar lists a next day of PAYEMS: 2026-03-12 is projected from its vintages; `asof pull calendar` brings the plans\n',
    );
  });

  it('is told by the description of the series as known today', async () => {
    const { err } = await asof(['series', 'show', 'PAYEMS', '--store', store], {
      now: '2026-02-15T12:00:00Z',
    });
    expect(err).toContain('the next figure is expected around 2026-03-12, by the rhythm of its vintages');
    const early = await asof(['series', 'show', 'PAYEMS', '--store', store], { now: '2026-02-01T12:00:00Z' });
    expect(early.err).toContain(
      'the next figure is due on 2026-02-06 at 08:30 (America/New_York): Employment Situation, official time',
    );
  });
});

describe('the next figures of several series', () => {
  it('have a row each, in the order of the ids, and a reason where none is known', async () => {
    const { code, out, err } = await run('next', 'other', 'PAYEMS', '--as-of', '2025-10-02');
    expect(code).toBe(0);
    expect(out).toBe(
      'series_id,due,time,zone,name,certainty,newest_date,as_of_date,days_ago\n' +
        'OTHER,,,,,,2025-02-01,2025-03-03,213\n' +
        'PAYEMS,2025-10-03,08:30,America/New_York,Employment Situation,official time,2025-08-01,2025-09-05,27\n',
    );
    expect(err).toBe(
      'asof: no calendar lists a next day of OTHER, and none is projected: 2 vintages are too few for a rhythm\n',
    );
  });

  it('leave out a series that was unknown on the day', async () => {
    const { code, out, err } = await run('next', 'PAYEMS', '--as-of', '2025-06-05');
    expect([code, out.split('\n').length]).toEqual([0, 2]);
    expect(err).toContain('nothing was known of PAYEMS on 2025-06-05');
  });

  it('fail with an unknown series, or leave it out', async () => {
    expect(await run('next', 'PAYEMS', 'NOPE')).toMatchObject({ code: 3, out: '' });
    const left = await run('next', 'PAYEMS', 'NOPE', '--skip-missing');
    expect([left.code, left.out.split('\n').length]).toEqual([0, 3]);
  });

  it('are never projected from vintages that are no days of publication', async () => {
    const path = newStorePath(folder);
    const lines = ['01', '02', '03', '04', '05'].map(
      (month) => `CPIAUCSL 2025-${month}-01 2025-${month}-15 1.${month}`,
    );
    const metadata = 'series_id,title,vintage_kind\nCPIAUCSL,Prices,sampled\n';
    await importFiles(path, { 'metadata.csv': metadata, 'facts.csv': facts(...lines) });
    const { out, err } = await asof(['next', 'CPIAUCSL', '--as-of', '2025-05-16', '--store', path]);
    expect(out).toContain('CPIAUCSL,,,,Consumer Price Index,,2025-05-01,2025-05-15,1');
    expect(err).toContain('none is projected: its newest vintage is sampled, not of a day of publication');
  });
});

describe('the calendar', () => {
  const october = ['calendar', '--from', '2025-10-01', '--to', '2025-11-30'];

  it('on a terminal has a date once, its weekday and the as-of date, and says what statuses mean', async () => {
    const surroundings = { stdoutIsTerminal: true, columns: 80, env: { NO_COLOR: '1' } };
    const { out } = await asof([...october, '--as-of', '2025-10-02', '--store', store], surroundings);
    expect(out.split('\n')).toEqual([
      'date            time   name                  status',
      '2025-10-03 Fri  08:30  Employment Situation  planned',
      '2025-11-07 Fri  08:30  Employment Situation  planned',
      'times in America/New_York',
      '',
    ]);
    const today = await asof([...october, '--store', store], {
      ...surroundings,
      now: '2026-02-20T12:00:00Z',
    });
    expect(today.err).toBe(
      'asof: vanished: the calendar lists the day no more, so the release moved or was cancelled\n',
    );
    const before = await asof([...october, '--as-of', '2025-11-10', '--store', store], surroundings);
    expect(before.err).toBe(
      'asof: passed: nothing stored proves a release on the day; a vintage of one of its series would\n',
    );
  });

  it('lists a release whose time has come as passed, and the next one after it', async () => {
    const own = newStorePath(folder);
    await writeSightings(own, [beforeTheLapse]);
    const statusAt = async (now: string) =>
      (await asof([...october, '--columns', 'date,status', '--csv', '--store', own], { now })).out;
    expect(await statusAt('2025-10-03T12:29:00Z')).toContain('2025-10-03,planned');
    expect(await statusAt('2025-10-03T12:30:00Z')).toContain('2025-10-03,passed');
  });

  it('names what was asked for where it lists nothing, and takes an alias for a series', async () => {
    const { code, err } = await run(...october, '--release', 'zzz');
    expect([code, err]).toEqual([
      0,
      'asof: no rows: no release whose name has "zzz" is known; `asof pull calendar` brings the calendars of the BLS and the BEA\n',
    ]);
    expect((await run(...october, '--series', 'OTHER')).err).toContain(
      'no release in which OTHER appears is known',
    );
    const notes: string[] = [];
    const from = await open(store, { onNote: ({ text }) => void notes.push(text) });
    await from.calendar({ release: 'zzz' });
    expect(notes).toEqual([expect.stringContaining("; 'from' reaches further back;")]);
    expect((await run('calendar', '--release', 'zzz')).err).toContain('; --from reaches further back;');
    await run('series', 'alias', 'JOBS', 'PAYEMS');
    const [byAlias, byId] = [
      await run(...october, '--series', 'jobs'),
      await run(...october, '--series', 'PAYEMS'),
    ];
    expect(byAlias).toMatchObject({ code: 0, out: byId.out });
    expect(byId.out).toContain('America/New_York');
  });

  it('is a file for a calendar program, the same each time', async () => {
    const calendars = [];
    for (const name of ['one.ics', 'two.ics', 'packed.ics.gz']) {
      const file = join(folder, name);
      expect(await run(...october, '-o', file)).toMatchObject({ code: 0, out: '' });
      const bytes = readFileSync(file);
      calendars.push((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
    }
    expect(new Set(calendars).size).toBe(1);
    expect(calendars[0]?.match(/^(DTSTART|STATUS).*$/gm)).toEqual([
      ...['DTSTART:20251003T123000Z', 'STATUS:CANCELLED', 'DTSTART:20251107T133000Z', 'STATUS:CANCELLED'],
      ...['DTSTART:20251120T133000Z', 'STATUS:CONFIRMED'],
    ]);
    const printed = await asof([...october, '-f', 'ics', '--store', store], { stdoutIsTerminal: true });
    expect(printed.out).toBe(calendars[0]?.replaceAll('\r\n', '\n'));
  });

  it.each([
    [['obs', 'PAYEMS'], 'these rows are none: choose another format'],
    [['next', 'PAYEMS'], 'these rows are none: choose another format'],
    [['store', 'info'], 'these rows are none: choose another format'],
    [['calendar', '--columns', 'date'], 'ics has no columns: leave out --columns'],
  ])('alone is a file for a calendar program, not %j', async (line, reason) => {
    const { code, out, err } = await run(...line, '-f', 'ics');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(reason);
  });
});

describe('a release on the as-of date without a figure in the store', () => {
  it('is overdue the day after, as `asof due` has it', async () => {
    const path = await newJobsStore(newStorePath(folder));
    const past = { ...{ source: 'FRED', scope: '50', seenAt: '2026-03-06' }, lists: 'events' } as const;
    const entries = [{ release: '50', day: '2026-03-06' }];
    await writeSightings(path, [{ ...past, from: '2026-03-06', to: '2026-03-06', entries }]);
    const since = async (asOf: string) => {
      const from = await open(path);
      const { rows } = await from.nextRelease('PAYEMS', { asOf });
      await from.close();
      return rows[0]?.overdue_since;
    };
    expect([await since('2026-03-06'), await since('2026-03-07')]).toEqual([null, '2026-03-06']);
  });
});

describe('an answer of a service about the next release', () => {
  it('has a new tag once another calendar is stored', async () => {
    const service = await newHttpService({ newStore: () => newJobsStore(newStorePath(folder)) });
    const path = '/v1/series/PAYEMS/next?as_of=2025-10-02';
    const first = await service.get(path);
    const tag = first.headers.get('etag') ?? '';
    expect((await service.get(path, { 'if-none-match': tag })).status).toBe(304);
    await writeSightings(service.path, [{ ...beforeTheLapse, seenAt: '2025-10-01', entries: [] }]);
    expect((await service.get(path, { 'if-none-match': tag })).status).toBe(200);
    await service.close();
  });
});

onEveryEngine((engine) => {
  it('the next release is found in the calendars of a store', async () => {
    const path = await newJobsStore(engine.newAddress());
    const texts = [
      ['id', 'PAYEMS'],
      ['as_of', '2025-10-10'],
    ] as const;
    const [row] = (await ask(path, nextRelease, texts, { now: '2026-03-15T12:00:00Z' })).results;
    expect(row).toMatchObject({ due: '2025-11-07', overdue_since: '2025-10-03', as_of_date: '2025-09-05' });
  });
});
