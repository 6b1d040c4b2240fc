import { createHash } from 'node:crypto';
import { releaseOfStored } from '../../domain/calendar/releases.ts';
import type { ReleaseClock, releaseClocks } from '../../domain/calendar/times.ts';
import { vintageKinds } from '../../domain/series/series.ts';
import { addDays } from '../../domain/values/date.ts';
import { defined } from '../../platform/defined.ts';
import type { Series, StoreState, StoreView } from '../../store/store.ts';
import { changedSince, checkVersion, pageOf } from '../envelope.ts';
import { extension, field, nullableExtension } from '../field.ts';
import { operation } from '../operation.ts';
import { dayRange, paging, seriesIdParam } from '../param.ts';
import { existing } from './series.ts';

/** The publication days of a series, newest first, and their changes. */
export const vintages = operation({
  name: 'vintages',
  command: {
    words: 'vintages',
    heading: 'Series',
    argument: 'id',
    examples: `
# the vintage dates of GDP in 2009
asof vintages GDP --from 2009-01-01 --to 2009-12-31
# the last five
asof vintages UNRATE --limit 5
`,
  },
  summary: 'List the days on which a series was published, and what changed',
  description: 'Newest day first, with the numbers of dates that got a value, changed it, or lost it.',
  path: '/v1/series/{id}/vintages',
  object: 'vintage_list',
  members: ['coverage'],
  params: { id: seriesIdParam(), ...dayRange('day of publication', 'as_of_date'), ...paging },
  fields: [
    field(
      'as_of_date',
      'day',
      'The vintage date: a day of publication, unless the vintage is sampled or fetched.',
    ),
    field('added', 'integer', 'Number of dates with a value that had none in the vintage before.'),
    field('revised', 'integer', 'Number of dates whose value changed.'),
    field('withdrawn', 'integer', 'Number of dates whose value was withdrawn.'),
    extension(
      'vintage_kind',
      'text',
      'How the vintage came about: exact (a day of publication), fetched, sampled or unknown.',
      { choices: vintageKinds },
    ),
    nullableExtension(
      'released_at',
      'moment',
      'The time of the release on that day, derived from calendars: the official time of its one event.',
    ),
    extension(
      'known_since',
      'moment',
      'The time from which known_at counts it: released_at, or the end of the day where its publisher is (UTC-12 if unknown).',
    ),
  ],
  columns: ['as_of_date', 'added', 'revised', 'withdrawn'],
  example: { id: 'GDP', from: '2015-01-01', to: '2015-01-30', limit: '1' },
  knownBy: 'as_of_date',
  boundBy: 'to',
  order: [{ field: 'as_of_date', falling: true }],
  identity: ['as_of_date'],
  needsVintageAccess: () => true,
  readsCalendars: () => true,
  async run({ id, from, to, limit }, { view, position }) {
    const [before, times] = position?.key ?? [];
    const [page, clocks] = await Promise.all([
      view.series.vintages({ seriesId: id, limit: limit + 1, ...defined({ from, to, before }) }),
      clocksIn(view),
    ]);
    const { series, rows, firstDate } = existing(page, id);
    const { version, firstVintage, lastVintage, coveredTo } = series;
    checkVersion(position, version);
    const clock = clocks(series);
    const timesNow = createHash('sha256').update(clock.timesText()).digest('base64url').slice(0, 16);
    // A calendar that was imported between two pages may have changed released_at.
    if ((times ?? timesNow) !== timesNow) throw changedSince();
    return {
      ...pageOf(
        rows,
        limit,
        ({ asOfDate, kind, ...counts }) => ({
          as_of_date: asOfDate,
          ...counts,
          vintage_kind: kind,
          released_at: clock.releasedAt({ asOfDate, kind }) ?? null,
          known_since: clock.knownSince({ asOfDate, kind }),
        }),
        ({ asOfDate }) => ({ key: [asOfDate, timesNow], version }),
      ),
      coverage: {
        first_vintage: firstVintage,
        last_vintage: lastVintage,
        first_date: firstDate ?? null,
        covered_to: coveredTo,
      },
    };
  },
});

/** The clocks of releases in each state of a store; all series of a panel ask for them. */
const known = new WeakMap<StoreState, Promise<ReturnType<typeof releaseClocks>>>();

async function readClocks({
  calendar,
}: Pick<StoreView, 'calendar'>): Promise<ReturnType<typeof releaseClocks>> {
  // Loaded here: most questions are as of a day.
  const { releaseClocks } = await import('../../domain/calendar/times.ts');
  return releaseClocks(await calendar.sightings());
}

/** Reads from calendars when releases appeared; returns the clock of a series. */
async function clocksIn(
  view: Pick<StoreView, 'calendar' | 'state'>,
): Promise<(series: Series) => ReleaseClock> {
  const state = await view.state();
  const reading = known.get(state) ?? readClocks(view);
  known.set(state, reading);
  reading.catch(() => known.delete(state));
  const clocks = await reading;
  return (series) => clocks(releaseOfStored(series));
}

/** Finds the as-of date of what was known of a series at an instant. */
export async function knownAt(
  view: Pick<StoreView, 'calendar' | 'series' | 'state'>,
  seriesId: string,
  instant: string,
) {
  // The day may be another one where the series dates its vintages.
  const to = addDays(instant.slice(0, 10), 1);
  const [page, clocks] = await Promise.all([
    view.series.vintages({ seriesId, to, limit: 3 }),
    clocksIn(view),
  ]);
  const { series, rows } = existing(page, seriesId);
  const clock = clocks(series);
  const day = clock.dayAt(instant);
  const newest = rows.find(({ asOfDate }) => asOfDate <= day);
  const { asOf, rule } = clock.asOfAt(instant, newest);
  return { asOf, known_at: { instant, rule, seen: clock.seen ?? null } };
}
