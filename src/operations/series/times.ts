import { releaseOfStored } from '../../domain/calendar/releases.ts';
import { type ReleaseClock, releaseClocks } from '../../domain/calendar/times.ts';
import { addDays } from '../../domain/values/date.ts';
import type { Series, StoreState, StoreView } from '../../store/store.ts';
import { existing } from './series.ts';

/** The clocks of releases in each state of a store; all series of a panel ask for them. */
const known = new WeakMap<StoreState, Promise<ReturnType<typeof releaseClocks>>>();

/** Reads from calendars when releases appeared; returns the clock of a series. */
export async function clocksIn(
  view: Pick<StoreView, 'calendar' | 'state'>,
): Promise<(series: Series) => ReleaseClock> {
  const state = await view.state();
  const reading = known.get(state) ?? view.calendar.sightings().then(releaseClocks);
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
