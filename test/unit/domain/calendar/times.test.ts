import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { releaseOfStored } from '../../../../src/domain/calendar/releases.ts';
import type { CalendarEntry, Sighting } from '../../../../src/domain/calendar/sighting.ts';
import { releaseClocks } from '../../../../src/domain/calendar/times.ts';
import { faultOfInstant, lastDayOver, parseInstant } from '../../../../src/domain/calendar/zones.ts';

const zone = 'America/New_York';
const gross = 'Gross Domestic Product';

/** A look at a calendar that covers some years; made for these tests. */
function look(
  source: string,
  seenAt: string,
  entries: readonly CalendarEntry[],
  lists: Sighting['lists'] = 'plans',
): Sighting {
  return { source, scope: '', seenAt, from: '2009-01-01', to: '2026-12-31', lists, entries };
}

const at = (day: string, time?: string, more: Partial<CalendarEntry> = {}): CalendarEntry => ({
  release: gross,
  day,
  ...(time !== undefined && { time, zone }),
  ...more,
});

const gdp = (...looks: readonly Sighting[]) =>
  releaseClocks(looks)(releaseOfStored({ id: 'GDP', release: '', publishers: 'FRED' }));
const timeOn = (day: string, ...looks: readonly Sighting[]) =>
  gdp(...looks).releasedAt({ asOfDate: day, kind: 'exact' });

describe('the time of a vintage that has only a day', () => {
  // https://www.bea.gov/news/schedule/ics/online-calendar-subscription.ics and release_dates.json
  it.each([
    ['2025-01-30', '13:30', '2025-01-30T13:30:00Z', 'in winter'],
    ['2026-07-30', '12:30', '2026-07-30T12:30:00Z', 'in summer'],
  ])('of %s, %s in UTC as the BEA writes it, is %s: 08:30 in New York %s', (day, time, instant) => {
    expect(timeOn(day, look('BEA', '2026-10-05', [at(day, time, { zone: 'UTC' })]))).toBe(instant);
    expect(timeOn(day, look('BEA', '2026-10-05', [at(day, '08:30')]))).toBe(instant);
  });

  const early = look('BEA', '2008-12-01', [at('2009-01-30', '08:30')]);
  const instant = '2009-01-30T13:30:00Z';

  it('is that of the one event of its release, whenever the calendar was seen', () => {
    expect(timeOn('2009-01-30', early)).toBe(instant);
    expect(timeOn('2009-01-30', { ...early, seenAt: '2026-10-05' })).toBe(instant);
    expect(timeOn('2009-01-31', early)).toBeUndefined();
  });

  it('is unknown for the day of a sample or a download, which is not that of the release', () => {
    for (const kind of ['sampled', 'fetched', 'unknown'])
      expect(gdp(early).releasedAt({ asOfDate: '2009-01-30', kind })).toBeUndefined();
  });

  it('is unknown where a calendar lists two events at different times, or one of two without a time', () => {
    const two = [at('2009-01-30', '08:30', { period: 'a' }), at('2009-01-30', '10:00', { period: 'b' })];
    expect(timeOn('2009-01-30', look('BEA', '2009-01-01', two))).toBeUndefined();
    const one = [at('2009-01-30', '08:30', { period: 'a' }), at('2009-01-30', undefined, { period: 'b' })];
    expect(timeOn('2009-01-30', look('BEA', '2009-01-01', one))).toBeUndefined();
  });

  it('is unknown where two calendars disagree, and known where the other has only the day', () => {
    const later = look('BEA JSON', '2009-01-02', [at('2009-01-30', '10:00')]);
    expect(timeOn('2009-01-30', early, later)).toBeUndefined();
    const dayOnly = look('FRED', '2009-01-02', [{ release: '53', day: '2009-01-30' }], 'events');
    expect(timeOn('2009-01-30', early, dayOnly)).toBe(instant);
  });

  it('is that of the newest look of a calendar, and unknown once the calendar lists the day no more', () => {
    const moved = look('BEA', '2009-01-10', [at('2009-01-30', '10:00')]);
    expect(timeOn('2009-01-30', early, moved)).toBe('2009-01-30T15:00:00Z');
    expect(timeOn('2009-01-30', early, look('BEA', '2009-01-10', []))).toBeUndefined();
    const cancelled = look('BEA', '2009-01-10', [at('2009-01-30', '08:30', { state: 'cancelled' })]);
    expect(timeOn('2009-01-30', early, cancelled)).toBeUndefined();
  });

  it('is never the usual time of a release, which no calendar states', () => {
    expect(timeOn('2009-01-30', look('BEA', '2009-01-10', [at('2009-01-30')]))).toBeUndefined();
    expect(gdp().knownSince({ asOfDate: '2009-01-30', kind: 'exact' })).toBe('2009-01-31T05:00:00Z');
  });
});

describe('a vintage without a time', () => {
  it('is known when its day has ended in the zone of its publisher, or everywhere on Earth', () => {
    const vintage = { asOfDate: '2026-03-08', kind: 'exact' };
    // The clocks of New York go forward on that day.
    expect(gdp().knownSince(vintage)).toBe('2026-03-09T04:00:00Z');
    const unknown = releaseClocks([])(releaseOfStored({ id: 'ECB:X', release: '', publishers: 'FRED' }));
    expect(unknown.knownSince(vintage)).toBe('2026-03-09T12:00:00Z');
    expect(lastDayOver('2026-03-09T11:59:59Z')).toBe('2026-03-07');
    expect(lastDayOver('2026-03-09T12:00:00Z')).toBe('2026-03-08');
  });
});

describe('the as-of date of an instant', () => {
  const instants = fc
    .date({
      min: new Date('2009-01-28T00:00:00Z'),
      max: new Date('2009-02-03T00:00:00Z'),
      noInvalidDate: true,
    })
    .map((date) => `${date.toISOString().slice(0, 17)}00Z`);
  const days = ['2009-01-29', '2009-01-30', '2009-01-31'];
  const worlds = fc.record({
    times: fc.array(fc.constantFrom(undefined, '00:00', '08:30', '13:30', '23:59'), {
      minLength: 3,
      maxLength: 3,
    }),
    vintages: fc.subarray(days),
    instants: fc.tuple(instants, instants).map((pair) => [...pair].sort()),
    id: fc.constantFrom('GDP', 'OTHER'),
  });

  it('has every vintage that counts as known by then, no later one, and never goes back', () => {
    fc.assert(
      fc.property(worlds, ({ times, vintages, instants, id }) => {
        const entries = days.flatMap((day, i) => (times[i] === undefined ? [] : [at(day, times[i])]));
        const clock = releaseClocks([look('BEA', '2009-01-01', entries)])(
          releaseOfStored({ id, release: '', publishers: 'FRED' }),
        );
        const asOfAt = (instant: string) => {
          const day = clock.dayAt(instant);
          const newest = vintages.filter((one) => one <= day).at(-1);
          return clock.asOfAt(instant, newest === undefined ? undefined : { asOfDate: newest, kind: 'exact' })
            .asOf;
        };
        for (const instant of instants) {
          const known = vintages.filter(
            (asOfDate) => clock.knownSince({ asOfDate, kind: 'exact' }) <= instant,
          );
          expect(vintages.filter((day) => day <= asOfAt(instant))).toEqual(known);
        }
        const [first = '', second = ''] = instants.map(asOfAt);
        expect(first <= second).toBe(true);
      }),
    );
  });
});

describe('the rule of an instant on the day of a release', () => {
  const clock = gdp(look('BEA', '2009-01-01', [at('2009-01-30', '08:30')]));
  const ruleAt = (instant: string, asOfDate: string, kind: string) =>
    clock.asOfAt(instant, { asOfDate, kind });

  it('is its time for a series of exact vintages, before and after it', () => {
    expect(ruleAt('2009-01-30T13:29:00Z', '2008-12-23', 'exact')).toEqual({
      asOf: '2009-01-29',
      rule: 'time',
    });
    expect(ruleAt('2009-01-30T13:30:00Z', '2009-01-30', 'exact')).toEqual({
      asOf: '2009-01-30',
      rule: 'time',
    });
  });

  it('is its time before the series has the vintage: the day counts, which the answer does not reach', () => {
    expect(ruleAt('2009-01-30T14:00:00Z', '2008-12-23', 'exact')).toEqual({
      asOf: '2009-01-30',
      rule: 'time',
    });
  });

  it('is the end of the day before for samples, which show what appeared on a later day', () => {
    for (const day of ['2008-12-23', '2009-01-30'])
      expect(ruleAt('2009-01-30T14:00:00Z', day, 'sampled')).toEqual({
        asOf: '2009-01-29',
        rule: 'day before',
      });
  });
});

describe('an instant', () => {
  it.each([
    ['2009-01-30T08:29-05:00', '2009-01-30T13:29:00Z'],
    ['2009-01-30T22:29+09:00', '2009-01-30T13:29:00Z'],
    ['2009-01-30 13:29:00Z', '2009-01-30T13:29:00Z'],
    ['2009-01-30t13:29:59.999z', '2009-01-30T13:29:59Z'],
    ['2009-01-30T00:15+0530', '2009-01-29T18:45:00Z'],
    ['2008-12-31T20:00-05:00', '2009-01-01T01:00:00Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  it.each([
    ['2009-01-30', 'a day alone is an as-of date'],
    ['2009-01-30T08:29', 'a time without a zone has no instant'],
    ['2009-01-30T08:29:00.5', 'a time without a zone has no instant'],
    ['2009-01-30T08:29 05:00', 'the sign of the offset is missing; in an address, + is written %2B'],
    ['2009-02-30T08:29Z', 'use a time with its offset'],
    ['2009-01-30T24:00Z', 'use a time with its offset'],
    ['2009-01-30T08:29-15:00', 'use a time with its offset'],
    ['2009-01-30T08:29 EST', 'use a time with its offset'],
    ['8:29', 'use a time with its offset'],
  ])('%s is refused: %s', (text, reason) => {
    expect(parseInstant(text)).toBeUndefined();
    expect(faultOfInstant(text)).toContain(reason);
  });
});
