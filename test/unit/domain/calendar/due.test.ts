import { describe, expect, it } from 'vitest';
import { dueItems } from '../../../../src/domain/calendar/due.ts';
import { releaseOfStored } from '../../../../src/domain/calendar/releases.ts';
import { scheduleOf } from '../../../../src/domain/calendar/schedule.ts';
import type { CalendarEntry, Sighting } from '../../../../src/domain/calendar/sighting.ts';
import { endOfDay } from '../../../../src/domain/calendar/zones.ts';

/** A look at a calendar that covers three years; an entry reads `2025-10-03 08:30`, at FRED `2025-10-03`. */
function look(source: string, seenAt: string, ...entries: readonly string[]): Sighting {
  const release = source === 'FRED' ? '50' : 'Employment Situation';
  return {
    ...{ source, scope: '', seenAt, from: '2024-01-01', to: '2026-12-31', lists: 'plans' },
    entries: entries.map((text): CalendarEntry => {
      const [day = '', time] = text.split(' ');
      return { release, day, ...(time !== undefined && { time, zone: 'America/New_York' }) };
    }),
  };
}

type Asked = { readonly now: string; readonly lastRun?: string; readonly lastVintage?: string | undefined };

/** Works out whether PAYEMS is due at a time. */
function payems(sightings: readonly Sighting[], { now, lastRun, lastVintage }: Asked) {
  const release = releaseOfStored({ id: 'PAYEMS', release: '', publishers: 'FRED' });
  const item = { source: 'fred', name: 'PAYEMS', release, lastRun, lastVintage };
  const [found] = dueItems([item], scheduleOf(sightings, [], now.slice(0, 10)), now);
  const { released, next, isDue = false, overdue } = found ?? {};
  return { isDue, released: released?.day, next: next?.at, overdue: overdue?.day };
}

const isDue = (sightings: readonly Sighting[], asked: Asked) => payems(sightings, asked).isDue;

describe('a followed series', () => {
  // The jobs reports of June and December 2025 at 08:30 in New York: summer and winter time.
  const plans = [look('BLS', '2025-06-01T10:00:00Z', '2025-07-03 08:30', '2025-12-16 08:30')];

  it.each([
    ['2025-07-03T12:29:00Z', false],
    ['2025-07-03T12:31:00Z', true],
    ['2025-12-16T13:29:00Z', false],
    ['2025-12-16T13:31:00Z', true],
  ])('that was pulled the day before is at %s due: %s', (now, due) => {
    const lastRun = now.replace(
      /-(\d\d)T.*/,
      (_, day) => `-${String(day - 1).padStart(2, '0')}T20:00:00.000Z`,
    );
    expect(isDue(plans, { now, lastRun })).toBe(due);
  });

  it('is due no more after a pull, and says when it is due next', () => {
    const lastRun = '2025-07-03T12:35:00.000Z';
    expect(payems(plans, { now: '2025-07-03T12:36:00Z', lastRun })).toEqual({
      ...{ isDue: false, released: '2025-07-03', next: '2025-12-16T13:30:00Z', overdue: undefined },
    });
  });

  it('stays due for a day after a pull that came before the source had loaded it', () => {
    const lastRun = '2025-07-03T12:35:00.000Z';
    const stillDue = (now: string, lastVintage: string) => isDue(plans, { now, lastRun, lastVintage });
    expect(stillDue('2025-07-03T12:45:00Z', '2025-06-06')).toBe(true);
    expect(stillDue('2025-07-04T12:29:00Z', '2025-06-06')).toBe(true);
    expect(stillDue('2025-07-04T12:30:00Z', '2025-06-06')).toBe(false);
    expect(stillDue('2025-07-03T12:45:00Z', '2025-07-03')).toBe(false);
  });

  it('is due if it was never pulled', () => {
    expect(isDue(plans, { now: '2025-07-04T00:00:00Z' })).toBe(true);
    expect(isDue(plans, { now: '2025-07-03T00:00:00Z' })).toBe(false);
  });

  it('is overdue a day after a release without a vintage since', () => {
    const overdue = (now: string, lastVintage?: string) => payems(plans, { now, lastVintage }).overdue;
    expect(overdue('2025-07-04T12:29:00Z', '2025-06-06')).toBeUndefined();
    expect(overdue('2025-07-04T12:31:00Z', '2025-06-06')).toBe('2025-07-03');
    expect(overdue('2025-07-04T12:31:00Z', '2025-07-03')).toBeUndefined();
    expect(overdue('2025-07-04T12:31:00Z')).toBeUndefined();
  });
});

describe('a followed series that missed two releases', () => {
  it('is overdue since the first', () => {
    const plans = [look('BLS', '2025-06-01T10:00:00Z', '2025-06-06 08:30', '2025-07-03 08:30')];
    expect(payems(plans, { now: '2025-07-10T12:00:00Z', lastVintage: '2025-05-02' }).overdue).toBe(
      '2025-06-06',
    );
  });
});

describe('a plan of a day without a time', () => {
  // FRED states days; the usual time of the jobs report is known, that of an unknown release is not.
  const release = { id: 'fred:999', name: 'A release' };
  const plan: Sighting = {
    ...look('FRED', '2025-06-01T10:00:00Z'),
    entries: [{ release: '999', name: 'A release', day: '2025-07-03' }],
  };
  const past: Sighting = { ...plan, lists: 'events', seenAt: '2025-07-03T15:00:00Z' };
  const at = (now: string, lastRun: string, sightings = [plan]) => {
    const item = { source: 'fred', name: 'S', release, lastRun, lastVintage: undefined };
    return dueItems([item], scheduleOf(sightings, [], now.slice(0, 10)), now)[0]?.isDue;
  };

  it('counts as released at the end of the day', () => {
    expect(at('2025-07-03T23:59:59Z', '2025-07-02T10:00:00.000Z')).toBe(false);
    expect(at('2025-07-04T00:00:00Z', '2025-07-02T10:00:00.000Z')).toBe(true);
    expect(at('2025-07-04T00:00:00Z', '2025-07-03T10:00:00.000Z')).toBe(true);
    expect(at('2025-07-05T00:00:00Z', '2025-07-04T00:10:00.000Z')).toBe(false);
  });

  it('counts as released an hour after midnight where clocks skip the first hour of the next day', () => {
    // Brazil put its clocks forward at the midnight that ended 14 October 2017, from UTC-3 to UTC-2.
    const day = scheduleOf([plan], [], '2025-07-04').map((one) => ({
      ...one,
      day: '2017-10-14',
      release: { ...one.release, zone: 'America/Sao_Paulo' },
    }));
    const item = { source: 'fred', name: 'S', release, lastRun: undefined, lastVintage: undefined };
    const dueAt = (now: string) => dueItems([item], day, now)[0]?.isDue;
    expect([dueAt('2017-10-15T02:59:59Z'), dueAt('2017-10-15T03:00:00Z')]).toEqual([false, true]);
  });

  it('has ended when the day begins that Samoa skipped', () => {
    // Samoa went from UTC-10 to UTC+14 at the end of 29 December 2011: no 30 December.
    expect(endOfDay('2011-12-29', 'Pacific/Apia').toISOString()).toBe('2011-12-30T10:00:00.000Z');
  });

  it('counts as released on the day if a calendar says that it was', () => {
    expect(at('2025-07-03T15:10:00Z', '2025-07-02T10:00:00.000Z', [plan, past])).toBe(true);
    expect(at('2025-07-03T15:10:00Z', '2025-07-03T15:05:00.000Z', [plan, past])).toBe(false);
  });

  it('counts from the usual time of the release, if that is known', () => {
    const jobs = [look('FRED', '2025-06-01T10:00:00Z', '2025-07-03')];
    const lastRun = '2025-07-02T10:00:00.000Z';
    expect(isDue(jobs, { now: '2025-07-03T12:29:00Z', lastRun })).toBe(false);
    expect(isDue(jobs, { now: '2025-07-03T12:31:00Z', lastRun })).toBe(true);
  });
});

describe('the jobs report in the lapse of 2025', () => {
  // What the BLS had planned, made by hand from its announcements, and what its calendar said afterwards.
  const before = look(
    'BLS',
    '2025-09-15T10:00:00Z',
    '2025-09-05 08:30',
    '2025-10-03 08:30',
    '2025-11-07 08:30',
  );
  const after = look(
    'BLS',
    '2025-10-02T10:00:00Z',
    '2025-09-05 08:30',
    '2025-11-20 08:30',
    '2025-12-16 08:30',
  );
  const lastRun = '2025-09-30T10:00:00.000Z';

  it('is due on 3 October while it is planned, and not once the plan has vanished', () => {
    const now = '2025-10-03T12:31:00Z';
    expect(payems([before], { now, lastRun })).toMatchObject({ isDue: true, next: '2025-11-07T13:30:00Z' });
    expect(payems([before, after], { now, lastRun })).toEqual({
      ...{ isDue: false, released: '2025-09-05', next: '2025-11-20T13:30:00Z', overdue: undefined },
    });
  });

  it('is not overdue once the plan has vanished', () => {
    const asked = { now: '2025-10-06T12:00:00Z', lastRun, lastVintage: '2025-09-05' };
    expect(payems([before], asked).overdue).toBe('2025-10-03');
    expect(payems([before, after], asked).overdue).toBeUndefined();
  });

  it('is due after a release that only evidence shows', () => {
    const past: Sighting = {
      ...look('FRED', '2025-11-20T14:00:00Z', '2025-11-20'),
      lists: 'events',
    };
    expect(isDue([past], { now: '2025-11-20T14:05:00Z', lastRun })).toBe(true);
  });
});
