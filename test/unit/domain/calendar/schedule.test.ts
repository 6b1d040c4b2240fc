import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { releaseOf, releaseOfStored } from '../../../../src/domain/calendar/releases.ts';
import { scheduleOf } from '../../../../src/domain/calendar/schedule.ts';
import { type Sighting, sortedEntries } from '../../../../src/domain/calendar/sighting.ts';
import { instantOf, instantText, localTimeOf, zoneNamed } from '../../../../src/domain/calendar/zones.ts';

const jobs = 'Employment Situation';

/** A look at the calendar of the BLS, with the days of the jobs report, at 08:30. */
function look(seenAt: string, days: readonly string[], range = ['2025-01-01', '2026-12-31']): Sighting {
  const zone = 'America/New_York';
  const [from = '', to = ''] = range;
  const entries = days.map((day) => ({ release: jobs, day, time: '08:30', zone }));
  return { source: 'BLS', scope: '', seenAt, from, to, lists: 'plans', entries: sortedEntries(entries) };
}

// The plan before the lapse of 2025 is made by hand from what the BLS had announced; the other is what its file
// says since: https://www.bls.gov/schedule/news_release/empsit.htm
const before = look('2025-09-15', [
  '2025-09-05',
  '2025-10-03',
  '2025-11-07',
  '2025-12-05',
  '2026-01-09',
  '2026-02-06',
]);
const after = look('2026-02-20', ['2025-09-05', '2025-11-20', '2025-12-16', '2026-01-09', '2026-02-11']);
/** The days on which the jobs report appeared, as ALFRED lists them. */
const past: Sighting = {
  ...{
    source: 'FRED',
    scope: '50',
    seenAt: '2026-02-20',
    from: '2025-09-05',
    to: '2026-02-11',
    lists: 'events',
  },
  entries: ['2025-09-05', '2025-11-20', '2025-12-16', '2026-01-09', '2026-02-11'].map((day) => ({
    release: '50',
    day,
  })),
};

const rows = (asOf: string, sightings: readonly Sighting[] = [before, after, past]) =>
  scheduleOf(sightings, [], asOf).map(({ day, status, since }) => `${day} ${status} ${since}`);

describe('the jobs report in the lapse of 2025', () => {
  it('is planned for 3 October as known on 2 October, once both calendars were seen', () => {
    expect(rows('2025-10-02')).toEqual([
      '2025-09-05 released 2025-09-05',
      '2025-10-03 planned 2025-09-15',
      '2025-11-07 planned 2025-09-15',
      '2025-12-05 planned 2025-09-15',
      '2026-01-09 planned 2025-09-15',
      '2026-02-06 planned 2025-09-15',
    ]);
  });

  it('passed without a release as known in November', () => {
    expect(rows('2025-11-10').slice(1, 3)).toEqual([
      '2025-10-03 passed 2025-10-04',
      '2025-11-07 passed 2025-11-08',
    ]);
  });

  it('vanished from the calendar where it moved or was cancelled, and was released on other days', () => {
    expect(rows('2026-02-20')).toEqual([
      '2025-09-05 released 2025-09-05',
      '2025-10-03 vanished 2026-02-20',
      '2025-11-07 vanished 2026-02-20',
      '2025-11-20 released 2025-11-20',
      '2025-12-05 vanished 2026-02-20',
      '2025-12-16 released 2025-12-16',
      '2026-01-09 released 2026-01-09',
      '2026-02-06 vanished 2026-02-20',
      '2026-02-11 released 2026-02-11',
    ]);
  });

  it('passes at its second on the day of the question, and is planned until then', () => {
    const on = (now: string) =>
      scheduleOf([before], [], '2025-10-03', now)
        .filter(({ day }) => day === '2025-10-03')
        .map(({ status, since }) => [status, since]);
    // 08:30 in New York is 12:30 in UTC in October.
    expect(on('2025-10-03T12:29:59Z')).toEqual([['planned', '2025-09-15']]);
    expect(on('2025-10-03T12:30:00Z')).toEqual([['passed', '2025-10-03']]);
    const entries = [{ release: jobs, day: '2025-10-03' }];
    const untimed: Sighting = { ...before, source: 'Own', entries };
    expect(scheduleOf([untimed], [], '2025-10-03', '2025-10-03T23:59:59Z')).toMatchObject([
      { status: 'planned' },
    ]);
  });

  it('has the time of the calendar, and both sources, where two list a day', () => {
    const [row] = scheduleOf([after, past], [], '2026-02-20').filter(({ day }) => day === '2025-12-16');
    expect(row).toMatchObject({
      ...{ time: '08:30', zone: 'America/New_York', at: '2025-12-16T13:30:00Z', certainty: 'official time' },
      ...{
        sources: ['BLS', 'FRED'],
        evidence: 'FRED lists the day among past ones',
        knownFrom: '2025-12-16',
      },
    });
  });

  it('is proven by a vintage of one of its series too', () => {
    const release = releaseOf('BLS', jobs);
    const found = scheduleOf([before], [{ release, seriesId: 'PAYEMS', days: ['2025-11-20'] }], '2025-11-20');
    expect(found.filter(({ status }) => status === 'released')).toMatchObject([
      { day: '2025-11-20', evidence: 'vintage of PAYEMS', certainty: 'usual time', time: '08:30' },
    ]);
  });

  it('stays as it was seen where a later calendar does not cover the day', () => {
    expect(
      rows('2026-06-01', [before, look('2026-06-01', ['2026-06-05'], ['2026-01-01', '2026-12-31'])])[1],
    ).toBe('2025-10-03 passed 2025-10-04');
  });

  it('is planned again where the calendar lists it again', () => {
    const again = look('2026-02-21', ['2026-02-06'], ['2026-02-01', '2026-02-28']);
    expect(rows('2026-02-05', [before])).toContain('2026-02-06 planned 2025-09-15');
    const listed = look('2025-10-10', [], ['2026-02-01', '2026-02-28']);
    expect(rows('2025-10-10', [before, listed])).toContain('2026-02-06 vanished 2025-10-10');
    expect(rows('2026-02-21', [before, listed, again])).toContain('2026-02-06 passed 2026-02-21');
  });
});

describe('a calendar', () => {
  const zone = 'America/New_York';
  const bea = (seenAt: string, ...entries: Sighting['entries']): Sighting => ({
    ...{ source: 'BEA', scope: '', seenAt, from: '2026-01-01', to: '2026-12-31', lists: 'plans' },
    entries: sortedEntries(entries),
  });
  const day = '2026-04-09';

  it('may rename a title without a plan that vanishes', () => {
    const looks = [
      bea('2026-01-02', { release: 'Gross Domestic Product', day, time: '08:30', zone }),
      bea('2026-02-02', { release: 'GDP', day, time: '08:30', zone }),
    ];
    expect(scheduleOf(looks, [], '2026-03-01')).toMatchObject([
      { day, status: 'planned', since: '2026-01-02', time: '08:30', movedTo: undefined },
    ]);
  });

  it('has one row for two periods of one release on a day, also if an earlier look had one', () => {
    const first = { release: 'GDP', day, time: '08:30', zone, period: '4th Quarter 2025' };
    const looks = [
      bea('2026-01-02', first),
      bea('2026-02-02', first, { ...first, period: '3rd Quarter 2025' }),
    ];
    expect(scheduleOf(looks, [], '2026-03-01')).toMatchObject([
      { day, status: 'planned', period: '3rd Quarter 2025; 4th Quarter 2025' },
    ]);
  });

  it('that contradicts another about the time leaves the day without one', () => {
    const looks = [
      bea('2026-01-02', { release: 'GDP', day, time: '08:30', zone }),
      { ...bea('2026-01-03', { release: 'GDP', day, time: '10:00', zone }), source: 'BEA JSON' },
    ];
    expect(scheduleOf(looks, [], '2026-03-01')).toMatchObject([
      { day, time: '', at: '', certainty: 'official day', sources: ['BEA', 'BEA JSON'] },
    ]);
  });

  it('that lists a release at two times leaves the day without one, also beside another calendar', () => {
    const zone = 'America/New_York';
    const two = ['08:30', '10:00'].map((time) => ({ release: jobs, day: '2025-10-03', time, zone }));
    const sightings = [
      { ...before, source: 'BLS extra', entries: two },
      { ...before, seenAt: '2025-09-16' },
    ];
    const [day] = scheduleOf(sightings, [], '2025-10-01').filter((one) => one.day === '2025-10-03');
    expect(day).toMatchObject({ time: '', at: '', certainty: 'official day' });
  });

  it('in UTC has the day and the time where it is published, also near midnight', () => {
    // 20:30 in New York on 3 October is half an hour past midnight of the fourth in UTC.
    const entries = [{ release: jobs, day: '2025-10-04', time: '00:30', zone: 'UTC' }];
    expect(scheduleOf([{ ...before, entries }], [], '2025-10-01')).toMatchObject([
      { day: '2025-10-03', time: '20:30', zone: 'America/New_York', at: '2025-10-04T00:30:00Z' },
    ]);
  });

  it('that was looked at last has the word', () => {
    const gdp = { release: 'GDP', day, time: '08:30', zone };
    const fred: Sighting = {
      ...{ source: 'FRED', scope: '', seenAt: '2026-02-10', from: '2026-01-01', to: '2026-12-31' },
      ...{ lists: 'plans', entries: [{ release: '53', day: '2026-04-08' }] },
    };
    const planned = [
      bea('2026-01-15', gdp),
      { ...fred, seenAt: '2026-01-16', entries: [{ release: '53', day }] },
    ];
    const statusOf = (looks: readonly Sighting[]) =>
      scheduleOf(looks, [], '2026-03-01').find((one) => one.day === day)?.status;
    expect(statusOf([...planned, fred])).toBe('vanished');
    expect(statusOf([...planned, fred, bea('2026-02-11', gdp)])).toBe('planned');
  });

  it('of another country means another release by the same title', () => {
    const title = 'Consumer Price Index';
    expect(releaseOf('BLS', title).id).toBe('bls:consumer-price-index');
    expect(releaseOf('ONS release calendar', title)).toEqual({ id: 'ons:consumer-price-index', name: title });
    expect(releaseOf('Eurostat', 'GDP').id).toBe('eurostat:gdp');
  });
});

describe('a schedule', () => {
  const days = fc.constantFrom('2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08', '2026-01-09');
  const looks = fc.uniqueArray(
    fc.record({
      seenAt: days,
      listed: fc.uniqueArray(days),
      lists: fc.constantFrom('plans' as const, 'events' as const),
    }),
    { selector: ({ seenAt, lists }) => `${seenAt} ${lists}` },
  );
  const sightingOf = ({
    seenAt,
    listed,
    lists,
  }: {
    seenAt: string;
    listed: string[];
    lists: 'events' | 'plans';
  }) => ({
    ...look(seenAt, listed, ['2026-01-01', '2026-01-31']),
    lists,
  });

  it('as of a day does not depend on later looks or on the order of looks', () => {
    fc.assert(
      fc.property(looks, days, fc.integer(), (made, asOf, seed) => {
        const all = made.map(sightingOf);
        const shuffled = [...all].sort(
          (a, b) => ((a.seenAt.charCodeAt(9) * seed) % 7) - ((b.seenAt.charCodeAt(9) * seed) % 7),
        );
        const known = all.filter(({ seenAt, lists }) => lists === 'events' || seenAt <= asOf);
        expect(scheduleOf(shuffled, [], asOf)).toEqual(scheduleOf(known, [], asOf));
      }),
    );
  });

  it('has no row that was known later than the day, and each release once a day', () => {
    fc.assert(
      fc.property(looks, days, (made, asOf) => {
        const found = scheduleOf(made.map(sightingOf), [], asOf);
        expect(found.filter(({ knownFrom, since }) => knownFrom > asOf || since > asOf)).toEqual([]);
        expect(new Set(found.map(({ day }) => day)).size).toBe(found.length);
      }),
    );
  });
});

describe('a time in a zone', () => {
  const newYork = 'America/New_York';

  it.each([
    // 08:30 in New York is 13:30 UTC in winter and 12:30 in summer (the BEA writes both).
    ['2025-01-30', '08:30', newYork, '2025-01-30T13:30:00Z'],
    ['2026-07-30', '08:30', newYork, '2026-07-30T12:30:00Z'],
    // The days on which clocks change in 2026: 8 March and 1 November.
    ['2026-03-06', '08:30', newYork, '2026-03-06T13:30:00Z'],
    ['2026-03-09', '08:30', newYork, '2026-03-09T12:30:00Z'],
    ['2026-10-30', '08:30', newYork, '2026-10-30T12:30:00Z'],
    ['2026-11-02', '08:30', newYork, '2026-11-02T13:30:00Z'],
    ['2026-11-01', '01:30', newYork, '2026-11-01T06:30:00Z'],
    ['2026-08-19', '11:00', 'Europe/Luxembourg', '2026-08-19T09:00:00Z'],
    ['2026-08-19', '11:00', 'UTC', '2026-08-19T11:00:00Z'],
  ])('%s %s %s is %s', (day, time, zone, instant) => {
    const found = instantOf({ day, time }, zone);
    expect(found && instantText(found)).toBe(instant);
    expect(found && localTimeOf(found, zone)).toEqual({ day, time });
  });

  it.each([
    ['2026-03-08', '02:30', 'an hour that clocks skip'],
    ['2026-02-30', '08:30', 'a day that does not exist'],
    ['2026-02-03', '24:30', 'a time that does not exist'],
  ])('%s %s, %s, is no instant', (day, time) => {
    expect(instantOf({ day, time }, newYork)).toBeUndefined();
  });

  it.each([
    ['US-Eastern', newYork],
    ['America/New_York', newYork],
    ['CET', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['EST', undefined],
    ['Mars/Olympus', undefined],
    ['', undefined],
  ])('named %s is of the zone %s', (name, zone) => {
    expect(zoneNamed(name)).toBe(zone);
  });
});

describe('the release of a stored series', () => {
  it.each([
    ['PI', '', 'FRED', 'bea:personal-income-and-outlays'],
    ['UNRATE', '', 'Philadelphia Fed Real-Time Data Set', 'bls:employment-situation'],
    ['INDPRO', '', 'FRED-MD', 'frb:industrial-production-and-capacity-utilization'],
    ['X', 'fred:10', 'FRED', 'bls:consumer-price-index'],
    ['X', 'fred:320', 'FRED', 'fred:320'],
    ['GDP', '', '', 'bea:gross-domestic-product'],
    // A series of another publisher may have any id.
    ['PI', '', 'Bank of Canada', undefined],
    ['PI', '', 'My panel', undefined],
  ])('%s, stated %j, of %j, is %s', (id, release, publishers, expected) => {
    expect(releaseOfStored({ id, release, publishers })?.id).toBe(expected);
  });
});
