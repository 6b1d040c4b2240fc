import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { due } from '../../../src/operations/calendar/due.ts';
import { createService } from '../../../src/service/service.ts';
import { openStore, writing } from '../../../src/store/open.ts';
import { newJobsStore } from '../../support/calendars.ts';
import { expectShown } from '../../support/command.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { scratchFolder } from '../../support/folders.ts';
import { ask } from '../../support/http-service.ts';
import { type LoopbackFred, loopbackFred, loopbackKey } from '../../support/pull/loopback-fred.ts';
import { testData } from '../../support/repository.ts';

// Waits for the pace of a source take no time.
vi.mock('../../../src/client/remote/exchange.ts', async (original) => ({
  ...(await original<object>()),
  waitFor: async () => undefined,
}));

let fred: LoopbackFred;
let home: string;
let now: string;

/** A series of FRED with a value on each of some days of publication; the values are made. */
function series(id: string, release: number | undefined, ...days: readonly string[]) {
  const rows = days.map((day, i) => ({
    ...{ date: `${day.slice(0, 7)}-01`, realtime_start: day, realtime_end: '9999-12-31', value: `${i + 1}` },
  }));
  const description = { id, title: `The series ${id}`, units: 'Persons', frequency_short: 'M' };
  return { description, rows, ...(release !== undefined && { release: { id: release, name: 'A release' } }) };
}

beforeAll(async () => {
  fred = await loopbackFred({
    series: {
      // The days of the jobs report and of consumer prices, as ALFRED lists them.
      PAYEMS: series('PAYEMS', 50, '2023-06-02', '2023-07-07', '2025-09-05', '2025-11-20'),
      CPIAUCSL: series('CPIAUCSL', 10, '2023-06-13', '2023-07-12'),
      // In a release that no calendar of this test names.
      OTHER: series('OTHER', 999, '2023-06-02'),
    },
  });
});

beforeEach(() => {
  fred.restore();
  home = scratchFolder();
});

/** Runs a transcript at a time, which is also that of FRED. */
async function at(time: string, text: string): Promise<void> {
  now = time;
  fred.state.today = time.slice(0, 10);
  await expectShown(text, () => ({
    env: { HOME: home, FRED_API_KEY: loopbackKey, ASOF_FRED_URL: fred.url },
    now,
  }));
}

const calendar = (name: string) => join(testData, name);
const bls2023 = calendar('recordings/calendar/bls-2023.ics.gz');
const header = 'source,name,release,released,time,zone,last_run,next';

describe('asof due', () => {
  it('exits with 9 before the minute of a release and with 0 after it, and asof pull --due pulls that alone', async () => {
    await at(
      '2023-06-14T10:00:00Z',
      `$ asof import ${bls2023} --as-of 2023-06-14 -q\n$ asof pull fred PAYEMS CPIAUCSL -q`,
    );
    // 08:30 in New York, in summer.
    await at(
      '2023-07-07T12:29:00Z',
      `
      $ asof due
      ${header}
      ! asof: no rows: nothing was released since the last pull; the next is Employment Situation on 2023-07-07T12:30:00Z (PAYEMS)
      [exit 9]
      $ asof pull --due
      ! nothing was released since its last pull; asof due says what is next
      `,
    );
    await at(
      '2023-07-07T12:31:00Z',
      `
      $ asof due
      ${header}
      fred,PAYEMS,Employment Situation,2023-07-07,08:30,America/New_York,2023-06-14T10:00:00Z,2023-08-04
      $ asof pull --due -v
      …
      ! PAYEMS  1 new vintage, 1 new date, 2 requests
      ! pulled 1 of 1: 1 new vintage, 1 new date; 2 requests in … s
      $ asof due -q
      ${header}
      [exit 9]
      `,
    );
    expect(fred.asked.slice(-2)).toEqual(['series/observations', 'series']);
    await at(
      '2023-07-07T12:32:00Z',
      `
      $ asof due --every --columns name,at,last_run,next_at,due,overdue
      name,at,last_run,next_at,due,overdue
      CPIAUCSL,2023-06-13T12:30:00Z,2023-06-14T10:00:00Z,2023-07-12T12:30:00Z,false,
      PAYEMS,2023-07-07T12:30:00Z,2023-07-07T12:31:00Z,2023-08-04T12:30:00Z,false,
      `,
    );
  });

  it('has asof pull --due try again for a day, while the source has not loaded the release', async () => {
    await at(
      '2023-12-07T10:00:00Z',
      `$ asof import ${bls2023} --as-of 2023-10-01 -q\n$ asof pull fred PAYEMS -q`,
    );
    // FRED of this test has no vintage of this day.
    const names = '$ asof due -q --columns name --no-header';
    await at('2023-12-08T13:31:00Z', `${names}\nPAYEMS\n$ asof pull --due -q\n${names}\nPAYEMS`);
    await at('2023-12-09T13:31:00Z', `${names}\n[exit 9]`);
  });

  it('is the hour later in winter', async () => {
    await at(
      '2023-10-07T10:00:00Z',
      `$ asof import ${bls2023} --as-of 2023-10-01 -q\n$ asof pull fred PAYEMS -q`,
    );
    await at('2023-12-08T13:00:00Z', '$ asof pull --full -q');
    await at('2023-12-08T13:29:00Z', `$ asof due -q\n${header}\n[exit 9]`);
    await at(
      '2023-12-08T13:31:00Z',
      `$ asof due -q --columns name,released\nname,released\nPAYEMS,2023-12-08`,
    );
  });

  it('does not send anybody to a release whose plan has vanished, as in the lapse of 2025', async () => {
    // Both calendars are made: the plans before the lapse, and what the calendar of the BLS said after it.
    await at(
      '2025-10-01T10:00:00Z',
      `$ asof import ${calendar('calendar/bls-2025-10-01.ics')} -q\n$ asof pull fred PAYEMS -q`,
    );
    const before = '$ asof due -q --columns name,released --no-header';
    await at('2025-10-03T12:29:00Z', `${before}\n[exit 9]`);
    await at('2025-10-03T12:31:00Z', `${before}\nPAYEMS,2025-10-03`);
    const later = calendar('calendar/bls-2026-01-02.ics');
    await at('2025-10-02T10:00:00Z', `$ asof import ${later} --as-of 2025-10-02 -q`);
    await at(
      '2025-10-03T12:31:00Z',
      `
      $ asof due --no-header
      ! asof: no rows: nothing was released since the last pull; the next is Employment Situation on 2025-11-20T13:30:00Z (PAYEMS)
      [exit 9]
      `,
    );
    await at('2025-11-20T13:31:00Z', `${before}\nPAYEMS,2025-11-20`);
  });

  it('says which items no calendar has', async () => {
    await at(
      '2023-06-14T10:00:00Z',
      `$ asof import ${bls2023} --as-of 2023-06-14 -q\n$ asof pull fred PAYEMS OTHER -q`,
    );
    await at(
      '2023-07-07T12:31:00Z',
      `
      $ asof due --columns name
      name
      PAYEMS
      ! asof: no calendar has a coming release of fred OTHER: asof pull brings their news
      `,
    );
  });

  it('says what to do without a calendar, and with nothing to follow', async () => {
    await at(
      '2023-06-14T10:00:00Z',
      `
      $ asof pull fred OTHER -q
      $ asof due --no-header
      ! asof: no calendar has a coming release of fred OTHER: asof pull brings their news
      ! asof: no rows: nothing was released since the last pull, and nothing is planned; \`asof pull calendar\` brings the plans
      [exit 9]
      `,
    );
    home = scratchFolder();
    await at(
      '2023-06-14T10:00:00Z',
      `
      $ asof due --no-header
      ! …
      [exit 9]
      $ asof pull fred GDP --due
      ! asof: --due pulls what the store follows: leave out the names
      [exit 2]
      `,
    );
  });
});

describe('a release without a vintage of a followed series a day later', () => {
  const plan = () => {
    const path = join(home, 'plan.txt');
    writeFileSync(path, 'jobs.csv obs PAYEMS\nprices.csv obs CPIAUCSL\n');
    return path;
  };
  const overdueAt = async (time: string) => {
    const store = await openStore(join(home, '.local/share/asof/asof.db'));
    const service = createService({ store, clock: () => new Date(time) });
    return service.overdue().finally(() => store.close());
  };

  it('is overdue in /readyz and in a snapshot of that series', async () => {
    await at(
      '2023-06-14T10:00:00Z',
      `$ asof import ${bls2023} --as-of 2023-06-14 -q\n$ asof pull fred PAYEMS CPIAUCSL -q`,
    );
    expect(await overdueAt('2023-07-08T12:29:00Z')).toEqual([]);
    const jobs = { release: 'bls:employment-situation', name: 'Employment Situation', date: '2023-07-07' };
    expect(await overdueAt('2023-07-08T12:31:00Z')).toEqual([{ ...jobs, items: 1 }]);
    await at(
      '2023-07-09T10:00:00Z',
      `
      $ asof snapshot ${plan()} --out ${home}/desk
      ! asof: PAYEMS is covered to 2023-06-14
      ! asof: CPIAUCSL is covered to 2023-06-14
      ! asof: PAYEMS is overdue: Employment Situation of 2023-07-07 has passed, and it has no vintage since
      $ asof snapshot ${plan()} --out ${home}/desk --as-of 2023-07-06
      ! asof: PAYEMS is covered to 2023-06-14
      ! asof: CPIAUCSL is covered to 2023-06-14
      $ asof pull -q
      $ asof snapshot ${plan()} --out ${home}/desk
      `,
    );
    expect(await overdueAt('2023-07-09T12:31:00Z')).toEqual([]);
  });
});

it('a pull of what is due fails where the store follows nothing, as a mistyped path in a crontab does', async () => {
  await at(
    '2025-10-03T12:29:00Z',
    `
    $ asof pull --due -q
    ! asof: the store follows nothing yet
    !       name what to follow, such as asof pull rtdsm ROUTPUT
    [exit 2]
    `,
  );
});

onEveryEngine((engine) => {
  it('what is due is worked out of what a store knew then', async () => {
    const path = await newJobsStore(engine.newAddress());
    await writing(path, async (writer) => {
      const record = { source: 'fred', name: 'PAYEMS', since: '', bookmark: '{}', left: '' };
      await writer.follow({ ...record, upTo: '2025-09-30', lastRun: '2025-09-30T10:00:00.000Z' });
      await writer.commit();
    });
    const dueAt = async (time: string) =>
      (await ask(path, due, [], { now: time })).results.map(({ name, at }) => `${name} ${at}`);
    expect(await dueAt('2025-10-03T12:29:00Z')).toEqual([]);
    expect(await dueAt('2025-10-03T12:31:00Z')).toEqual(['PAYEMS 2025-10-03T12:30:00Z']);
    // The store saw the calendar without the plans of the lapse in February.
    expect(await dueAt('2026-02-21T12:00:00Z')).toEqual(['PAYEMS 2026-02-11T13:30:00Z']);
  });
});
