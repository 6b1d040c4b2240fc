import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sighting } from '../../../src/domain/calendar/sighting.ts';
import { type Asof, type Note, open } from '../../../src/index.ts';
import { openStore } from '../../../src/store/open.ts';
import { agreeing, days, onePerKey, runs, seriesIds } from '../../support/arbitrary.ts';
import { asof } from '../../support/command.ts';
import { asAsofCsv } from '../../support/encodings.ts';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import { newFolder } from '../../support/folders.ts';
import { asOf, emptyModel, importInto, type ModelStatement } from '../../support/knowledge.ts';
import { type Running, startService } from '../../support/modes.ts';
import { facts, importFiles, importSightings } from '../../support/scratch-store.ts';

const now = '2026-03-15T12:00:00Z';
const clock = () => new Date(now);

/** A calendar of the BEA that plans GDP at these times; made for these tests, seen before or after the days. */
function calendarOf(
  events: readonly (readonly [day: string, time: string])[],
  seenAt = '2026-03-01',
): Sighting {
  const release = { release: 'Gross Domestic Product', zone: 'America/New_York' };
  return {
    ...{ source: 'BEA', scope: '', seenAt, from: '2008-01-01', to: '2026-12-31', lists: 'plans' },
    entries: events.map(([day, time]) => ({ ...release, day, time })),
  };
}

/** Facts of days of publication. */
const exact = (csv: string) =>
  csv.replace(/\n$/, '').replaceAll('\n', ',exact\n').replace(',exact', ',vintage_kind').concat(',exact\n');

/** The store behind the library, the service and the library of the service. */
type Asked = {
  readonly address: string;
  readonly service: Running;
  readonly embedded: Asof;
  readonly remote: Asof;
  readonly notes: Note[];
};

async function asking(address: string): Promise<Asked> {
  const notes: Note[] = [];
  const service = await startService({ openStore: () => openStore(address), clock });
  const onNote = (note: Note) => void notes.push(note);
  return {
    ...{ address, service, notes },
    embedded: await open(address, { clock, onNote }),
    remote: await open(service.url, { clock, key: service.key }),
  };
}

async function ended({ embedded, remote, service }: Asked): Promise<void> {
  await embedded.close();
  await remote.close();
  await service.stop();
}

/** Real days and values of ALFRED: the third quarter of 2008, and the advance estimate of the fourth. */
const published = facts(
  'GDP 2008-07-01 2008-12-23 14412.8',
  'GDP 2008-10-01 2009-01-30 14264.6',
  'GDP 2009-04-01 2009-07-31 14149.8',
  'OTHER 2008-10-01 2009-01-30 5',
);

describe('the advance estimate of GDP in the fourth quarter of 2008, of 30 January 2009,', () => {
  onEveryEngine((engine) => {
    const told: { with?: Asked; without?: Asked } = {};
    const asked = (which: keyof typeof told): Asked => {
      const one = told[which];
      if (one === undefined) throw new Error('no store was made');
      return one;
    };
    beforeAll(async () => {
      for (const which of ['with', 'without'] as const) {
        const address = engine.newAddress();
        await importFiles(address, {
          'facts.csv': exact(published),
          'metadata.csv': 'series_id,frequency\nGDP,Q\n',
        });
        if (which === 'with')
          await importSightings(address, [
            calendarOf([
              ['2008-12-23', '08:30'],
              ['2009-01-30', '08:30'],
              ['2009-07-31', '08:30'],
            ]),
            { ...calendarOf([['2008-12-23', '10:00']], '2026-03-02'), source: 'BEA JSON' },
          ]);
        told[which] = await asking(address);
      }
    });
    afterAll(async () => {
      for (const one of Object.values(told)) await ended(one);
    });

    const newest = async (of: Asof, knownAt: string) => {
      const { rows, asOf: day, knownAt: how } = await of.observations('GDP', { knownAt, limit: 1 });
      return `${rows[0]?.date} ${rows[0]?.value} as of ${day}, ${how?.rule}`;
    };

    it.each([
      ['2009-01-30T08:29-05:00', '2008-07-01 14412.8 as of 2009-01-29, time'],
      ['2009-01-30T08:30-05:00', '2008-10-01 14264.6 as of 2009-01-30, time'],
      ['2009-01-30T08:29:59.9-05:00', '2008-07-01 14412.8 as of 2009-01-29, time'],
      ['2009-01-30T22:29+09:00', '2008-07-01 14412.8 as of 2009-01-29, time'],
      ['2009-01-30T22:30+09:00', '2008-10-01 14264.6 as of 2009-01-30, time'],
      ['2009-01-30T13:30Z', '2008-10-01 14264.6 as of 2009-01-30, time'],
      // In summer the same time is an hour earlier in UTC.
      ['2009-07-31T12:29Z', '2008-10-01 14264.6 as of 2009-07-30, time'],
      ['2009-07-31T08:30-04:00', '2009-04-01 14149.8 as of 2009-07-31, time'],
      // No release is listed on this day.
      ['2009-01-31T08:30-05:00', '2008-10-01 14264.6 as of 2009-01-30, day before'],
    ])('known at %s: %s', async (instant, answer) => {
      expect(await newest(asked('with').embedded, instant)).toBe(answer);
      expect(await newest(asked('with').remote, instant)).toBe(answer);
    });

    it.each(['2009-01-30T08:29-05:00', '2009-01-30T08:30-05:00', '2009-01-30T23:59-05:00'])(
      'known at %s without a calendar: not yet, and the answer says so',
      async (instant) => {
        const { embedded, remote, notes } = asked('without');
        notes.length = 0;
        for (const of of [embedded, remote])
          expect(await newest(of, instant)).toBe('2008-07-01 14412.8 as of 2009-01-29, day before');
        expect(notes.map(({ text }) => text)).toContainEqual(
          expect.stringContaining(
            'GDP is as of the end of 2009-01-29, the day before, because no calendar gives a time of a release on the day',
          ),
        );
      },
    );

    it('is known only from the next day on if two calendars differ on its time, and the answer says so', async () => {
      const { embedded, remote, notes } = asked('with');
      for (const of of [embedded, remote]) {
        notes.length = 0;
        const { knownAt } = await of.observations('GDP', { knownAt: '2008-12-23T11:00-05:00' });
        expect(knownAt).toEqual({
          instant: '2008-12-23T16:00:00Z',
          rule: 'times differ',
          seen: '2026-03-02',
        });
      }
      await embedded.observations('GDP', { knownAt: '2008-12-23T11:00-05:00' });
      expect(notes.map(({ text }) => text)).toContain(
        'at 2008-12-23T16:00:00Z, GDP is as of the end of 2008-12-22, the day before, because calendars give several times of its release on the day (last seen on 2026-03-02)',
      );
    });

    it('is in the list of vintages with its derived time', async () => {
      const days = { from: '2009-01-01', to: '2009-07-31' };
      for (const of of [asked('with').embedded, asked('with').remote])
        expect((await of.vintages('GDP', days)).rows).toMatchObject([
          {
            as_of_date: '2009-07-31',
            released_at: '2009-07-31T12:30:00Z',
            known_since: '2009-07-31T12:30:00Z',
          },
          {
            as_of_date: '2009-01-30',
            released_at: '2009-01-30T13:30:00Z',
            known_since: '2009-01-30T13:30:00Z',
          },
        ]);
      expect((await asked('without').embedded.vintages('GDP', days)).rows).toMatchObject([
        { released_at: null, known_since: '2009-08-01T04:00:00Z' },
        { released_at: null, known_since: '2009-01-31T05:00:00Z' },
      ]);
    });

    it('is in a panel with a series whose release nobody knows, each as of its own day, in one note', async () => {
      const { embedded, remote, notes } = asked('with');
      notes.length = 0;
      const knownAt = '2009-01-30T08:30-05:00';
      const answers = await Promise.all(
        [embedded, remote].map((of) => of.panel(['GDP', 'OTHER'], { knownAt, from: '2008-10-01' })),
      );
      for (const { rows, asOf: day } of answers) {
        expect(rows).toMatchObject([{ series_id: 'GDP', value: '14264.6', as_of: '2009-01-30' }]);
        expect(day).toBeUndefined();
      }
      expect(notes.filter(({ kind }) => kind === 'known at').map(({ text }) => text)).toEqual([
        'at 2009-01-30T13:30:00Z, GDP is known to the minute, by a calendar (last seen on 2026-03-02); OTHER is as of the end of 2009-01-29, the day before, because no calendar gives a time of a release on the day',
      ]);
    });

    it('is what a comparison and a difference of two instants show', async () => {
      const instants = ['2009-01-30T08:29-05:00', '2009-01-30T08:30-05:00'] as const;
      for (const of of [asked('with').embedded, asked('with').remote]) {
        const { rows } = await of.diff('GDP', instants, { from: '2008-07-01' });
        expect(rows).toMatchObject([{ date: '2008-10-01', old: null, new: '14264.6', kind: 'added' }]);
        const range = { from: '2008-10-01', to: '2008-10-01', allRows: true };
        const compared = await of.versions('GDP', [instants[0], 'latest'], range);
        expect(compared.rows).toMatchObject([{ '2009-01-30T13:29:00Z': null, latest: '14264.6' }]);
      }
    });

    it('is beside the rows of a table from the minute of its release on', async () => {
      const times = [
        '2009-01-30T08:29-05:00',
        '2009-01-30T22:30+09:00',
        '2009-01-30T13:29:59Z',
        '2009-02-02T00:00Z',
      ];
      const rows = times.map((time) => ({ time }));
      const joined = { on: 'time', knownAt: true, beyond: 'repeat' } as const;
      for (const of of [asked('with').embedded, asked('with').remote])
        expect((await of.join(rows, ['GDP', 'OTHER'], joined)).rows).toEqual([
          { time: times[0], GDP: '14412.8', OTHER: null },
          { time: times[1], GDP: '14264.6', OTHER: null },
          { time: times[2], GDP: '14412.8', OTHER: null },
          { time: times[3], GDP: '14264.6', OTHER: '5' },
        ]);
      const { notes } = asked('with');
      expect(notes.map(({ text }) => text)).toContain(
        'some vintages of OTHER have no time that a calendar gives, or several: each counts once its day has ended',
      );
      const refused = (time: string, more = {}) =>
        asked('with').embedded.join([{ time }], ['GDP'], { ...joined, ...more });
      await expect(refused('2009-01-30 08:29')).rejects.toThrow(
        'the table, row 0, column "time": "2009-01-30 08:29" is not an instant: a time without a zone has no instant',
      );
      await expect(refused('2026-03-17T00:00Z')).rejects.toThrow('is in the future');
      await expect(refused('2009-01-30T08:29Z', { strict: true })).rejects.toThrow(
        "use either 'strict' or 'knownAt'",
      );
    });

    it('is transformed within what was known then', async () => {
      for (const of of [asked('with').embedded, asked('with').remote]) {
        const ask = async (knownAt: string) =>
          (await of.observations('GDP', { knownAt, units: 'chg' })).rows.map(({ date, value }) => [
            date,
            value,
          ]);
        expect(await ask('2009-01-30T08:29-05:00')).toEqual([]);
        expect(await ask('2009-01-30T08:30-05:00')).toEqual([['2008-10-01', '-148.2']]);
        const first = await of.observations('GDP', {
          ...{ knownAt: '2009-01-30T08:29-05:00', release: 'first', units: 'chg' },
        });
        expect(first.rows).toEqual([]);
      }
    });

    it('comes page by page from one day', async () => {
      const { service } = asked('with');
      const ask = async (query: string) =>
        (
          await fetch(`${service.url}/v1/series/GDP/observations?${query}`, {
            headers: { 'X-API-Key': service.key },
          })
        ).json();
      const known = 'known_at=2009-01-30T22:30%2B09:00&limit=1';
      const first = (await ask(known)) as { next_cursor: string };
      expect(first).toMatchObject({
        as_of: '2009-01-30',
        known_at: { instant: '2009-01-30T13:30:00Z', rule: 'time' },
        results: [{ value: '14264.6' }],
      });
      expect(await ask(`${known}&cursor=${first.next_cursor}`)).toMatchObject({
        as_of: '2009-01-30',
        results: [{ value: '14412.8' }],
      });
    });
  });
});

onEveryEngine((engine) => {
  it('an answer to an instant changes with the calendar, for caches and between two pages', async () => {
    const address = engine.newAddress();
    await importFiles(address, { 'facts.csv': exact(published) });
    const service = await startService({ openStore: () => openStore(address), clock });
    const ask = (query: string, more = {}) =>
      fetch(`${service.url}/v1/series/GDP/observations?${query}`, {
        headers: { 'X-API-Key': service.key, ...more },
      });
    const known = 'known_at=2009-01-30T08:30-05:00&limit=1';
    const before = await ask(known);
    const { next_cursor } = (await before.json()) as { next_cursor: string };
    const tag = before.headers.get('etag') ?? '';
    expect((await ask(known, { 'If-None-Match': tag })).status).toBe(304);
    await importSightings(address, [calendarOf([['2009-01-30', '08:30']])]);
    const after = await ask(known, { 'If-None-Match': tag });
    expect([after.status, await after.json()]).toMatchObject([200, { results: [{ value: '14264.6' }] }]);
    const next = await ask(`${known}&cursor=${next_cursor}`);
    expect([next.status, await next.json()]).toMatchObject([400, { field: 'cursor' }]);
    await service.stop();
  });
});

describe('a release that has passed and is not imported', () => {
  onEveryEngine((engine) => {
    it('is missing in every answer to a later instant: beyond the coverage, with a note, and refused as too old', async () => {
      const address = engine.newAddress();
      await importFiles(address, {
        'facts.csv': exact(facts('GDP 2008-07-01 2008-12-23 14412.8')),
        'metadata.csv': 'series_id,covered_to\nGDP,2009-01-29\n',
      });
      await importSightings(address, [calendarOf([['2009-01-30', '08:30']])]);
      const one = await asking(address);
      const [early, late] = ['2009-01-30T08:29-05:00', '2009-01-30T10:00-05:00'];
      const outside = 'GDP is covered to 2009-01-29';
      // In the order of the minutes of a day, with the release in their middle.
      const minutes = Array.from({ length: 9 }, (_, i) => `2009-01-30T13:${26 + i}:00Z`);
      for (const of of [one.embedded, one.remote]) {
        expect(await of.observations('GDP', { knownAt: early })).toMatchObject({ asOf: '2009-01-29' });
        expect(await of.observations('GDP', { knownAt: late })).toMatchObject({
          ...{ asOf: '2009-01-30', knownAt: { rule: 'time' } },
          rows: [{ value: '14412.8' }],
        });
        await expect(of.observations('GDP', { knownAt: late, maxAge: 0 })).rejects.toThrow(outside);
        const join = (times: readonly string[], more = {}) =>
          of.join(
            times.map((time) => ({ time })),
            ['GDP'],
            { on: 'time', knownAt: true, ...more },
          );
        expect((await join([early, late])).rows.map(({ GDP }) => GDP)).toEqual(['14412.8', null]);
        expect((await join(minutes)).rows.map(({ GDP }) => GDP)).toEqual([
          ...Array.from({ length: 4 }, () => '14412.8'),
          ...Array.from({ length: 5 }, () => null),
        ]);
        expect((await join([late], { beyond: 'repeat' })).rows).toEqual([{ time: late, GDP: '14412.8' }]);
        await expect(join([late], { beyond: 'fail' })).rejects.toThrow(
          'GDP is covered to 2009-01-29: its value on 2009-01-30 is not known',
        );
      }
      expect(one.notes.map(({ text }) => text)).toContain(outside);
      expect(one.notes.map(({ kind }) => kind)).toContain('beyond');
      await ended(one);
    });
  });
});

/** The offset of New York on the days of the generated statements. */
const offsetOn = (day: string) => (day === '2020-06-30' ? '-04:00' : '-05:00');
const second = (time: number) => new Date(time).toISOString().replace('.000', '');
const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

describe('what was known of random statements at random instants, with random calendars,', () => {
  const history = fc.record({
    said: agreeing.map((items) => onePerKey(items.map((item) => item.said))),
    /** No time, one or two for each vintage of GDP. */
    times: fc.array(fc.uniqueArray(fc.constantFrom('00:00', '08:30', '10:00', '23:59'), { maxLength: 2 }), {
      minLength: days.length,
      maxLength: days.length,
    }),
    asked: fc.array(
      fc.record({ day: fc.nat(days.length - 1), minutes: fc.integer({ min: -1500, max: 4000 }) }),
      { minLength: 3, maxLength: 3 },
    ),
  });

  onEveryEngine((engine) => {
    it('is what an as-of date shows, never newer, and the same everywhere', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ said, times, asked }) => {
          const timesOn = (day: string) => times[days.indexOf(day)] ?? [];
          /** The instant at which a vintage counts as known, by the rule in words. */
          const knownFrom = ({ series, asOf: day }: ModelStatement): number => {
            const [time, other] = series === 'GDP' ? timesOn(day) : [];
            if (time !== undefined && other === undefined)
              return Date.parse(`${day}T${time}:00${offsetOn(day)}`);
            const offset = series === 'GDP' ? offsetOn(day) : '-12:00';
            return Date.parse(`${nextDay(day)}T00:00:00${offset}`);
          };
          const address = engine.newAddress();
          await importFiles(
            address,
            { 'facts.csv': exact(asAsofCsv(said)[0]?.files['facts.csv'] ?? '') },
            { projections: true },
          );
          const events = days.flatMap((day) => timesOn(day).map((time) => [day, time] as const));
          await importSightings(address, [calendarOf(events, '2019-01-01')]);
          const one = await asking(address);
          const model = importInto(emptyModel, said).after;
          const random = asked.map(({ day, minutes }) => Date.parse(days[day] ?? '') + minutes * 60_000);
          const edges = said
            .slice(0, 2)
            .flatMap((statement) => [-1000, 0].map((ms) => knownFrom(statement) + ms));
          const instants = [...random, ...edges]
            .filter((time) => time <= Date.parse(now))
            .sort((a, b) => a - b);
          for (const series of seriesIds.filter((id) => said.some((item) => item.series === id))) {
            let before = '';
            for (const time of instants) {
              const knownAt = second(time);
              const vintages = said.filter((item) => item.series === series && knownFrom(item) <= time);
              const newest =
                vintages
                  .map((item) => item.asOf)
                  .sort()
                  .at(-1) ?? '0000';
              const expected = asOf(model, series, newest).map(({ date, value, asOfDate }) => [
                date,
                value,
                asOfDate,
              ]);
              for (const of of [one.embedded, one.remote]) {
                const { rows, asOf: day = '' } = await of.observations(series, { knownAt });
                const found = rows.map(({ date, value, as_of_date }) => [date, value, as_of_date]);
                expect(found, `${series} at ${knownAt}`).toEqual(expected);
                expect((await of.observations(series, { asOf: day })).rows).toEqual(rows);
                expect(day >= before).toBe(true);
                before = day;
              }
            }
            const rowsOf = instants.map((time) => ({ time: second(time) }));
            const { rows: joined } = await one.embedded.join(rowsOf, [series], {
              ...{ on: 'time', knownAt: true, beyond: 'repeat', withDates: true },
            });
            for (const [i, { time }] of rowsOf.entries()) {
              const [newest] = (await one.embedded.observations(series, { knownAt: time, limit: 1 })).rows;
              const { date = null, value = null } = newest ?? {};
              expect(joined[i]).toEqual({ time, [series]: value, [`${series}_date`]: date });
            }
            const { rows } = await one.remote.vintages(series);
            for (const { as_of_date, known_since } of rows)
              expect(known_since).toBe(second(knownFrom({ series, asOf: as_of_date, date: '', value: '' })));
          }
          await ended(one);
        }),
        { numRuns: runs(12, engine) },
      );
    });
  });
});

describe('a time that no answer is known at', () => {
  const address = sqlite.newAddress();
  beforeAll(() => importFiles(address, { 'facts.csv': exact(published) }));
  const refused = async (line: string) => {
    const { code, err } = await asof([...line.split(' '), '--store', address], { now });
    return `${code} ${err}`;
  };

  it.each([
    ['2009-01-30', 'a day alone is an as-of date; add a time'],
    [
      '2009-01-30T08:29',
      'a time without a zone has no instant; add its offset from UTC, as in 2009-01-30T08:29-05:00, or Z',
    ],
    ['2026-03-15T12:01Z', 'it is in the future: nothing is known at that time yet'],
    ['2026-03-15T21:01+09:00', 'it is in the future: nothing is known at that time yet'],
  ])('%s is refused: %s', async (time, reason) => {
    for (const question of ['obs GDP', 'panel GDP'])
      expect(await refused(`${question} --known-at ${time}`)).toContain(
        `2 asof: --known-at "${time}": ${reason}`,
      );
    expect(await refused(`diff GDP ${time} latest`)).toMatch(time === '2009-01-30' ? /^0/ : /^2/);
  });

  it.each([
    ['obs GDP --known-at 2009-01-30T08:29-05:00 --as-of 2009-01-30', 'use either --as-of or --known-at'],
    [
      'obs GDP --known-at 2009-01-30T08:29-05:00 --known-before 2009-01-30',
      'use either --known-before or --known-at',
    ],
    ['panel GDP --known-at 2009-01-30T08:29-05:00 --as-of 2009-01-30', 'use either --as-of or --known-at'],
    [
      'panel GDP --known-at 2009-01-30T08:29-05:00 --as-of-each day --from 2009-01-01 --to 2009-01-30',
      'use either --known-at or --as-of-each',
    ],
    [
      'obs GDP --known-at 2009-01-30T08:29-05:00 --as-of 2009-01-30 --vs latest',
      'use either --as-of or --known-at',
    ],
    [
      'obs GDP --known-at 2009-01-30T08:29-05:00 --vintages latest',
      'leave out --as-of, --known-before and --known-at',
    ],
  ])('asof %s is refused: %s', async (line, reason) => {
    expect(await refused(line)).toContain(reason);
  });

  it('is refused over HTTP by the name of the parameter', async () => {
    const service = await startService({ openStore: () => openStore(address), clock });
    const ask = async (query: string) =>
      (await fetch(`${service.url}/v1/${query}`, { headers: { 'X-API-Key': service.key } })).json();
    for (const path of ['series/GDP/observations?', 'observations?ids=GDP&', 'panel?ids=GDP&']) {
      expect(await ask(`${path}known_at=2009-01-30T08:29`)).toMatchObject({ status: 400, field: 'known_at' });
      // A plus in an address is a space.
      expect(await ask(`${path}known_at=2009-01-30T22:29+09:00`)).toMatchObject({
        detail: expect.stringContaining('in an address, + is written %2B'),
      });
      expect(await ask(`${path}known_at=2009-01-30T08:29Z&as_of=2009-01-30`)).toMatchObject({
        detail: "use either 'as_of' or 'known_at'",
        field: 'known_at',
      });
    }
    await service.stop();
  });
});

it('a snapshot has what was known at an instant up to its day, with a note, and is verified', async () => {
  const address = sqlite.newAddress();
  await importFiles(address, { 'facts.csv': exact(published) });
  const folder = newFolder();
  const plan = folder.write('plan.txt', 'gdp.csv obs GDP --known-at 2009-01-31T12:00-05:00 --limit 1\n');
  const line = ['snapshot', plan, '--out', folder.path('out'), '--store', address, '--as-of'];
  const { code, err } = await asof([...line, '2009-01-30'], { now });
  expect([code, err]).toMatchObject([
    2,
    expect.stringContaining('--known-at 2009-01-31T17:00:00Z is later than 2009-01-30'),
  ]);
  const made = await asof([...line, '2009-01-31'], { now });
  expect([made.code, made.err]).toMatchObject([
    0,
    expect.stringContaining('GDP is as of the end of 2009-01-30'),
  ]);
  expect(folder.read('out/gdp.csv')).toContain('2008-10-01,14264.6,2009-01-30');
  expect((await asof(['verify', folder.path('out'), '--store', address], { now })).code).toBe(0);
});
