import {
  principalReleases,
  type Release,
  releaseOfStored,
  seriesOfRelease,
} from '../../domain/calendar/releases.ts';
import { type ScheduledRelease, scheduleOf, type VintageEvidence } from '../../domain/calendar/schedule.ts';
import type { Day } from '../../domain/values/date.ts';
import { defined } from '../../platform/defined.ts';
import type { Series, StoreView } from '../../store/store.ts';

/** Selects releases: those of a series, between two days (inclusive), as known on a day. */
type ScheduleQuery = {
  readonly series?: Series | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  readonly asOf: Day;
};

const mostVintages = 100_000;

/** Lists releases by day, as known on a day from calendars and from the vintages of the store. */
export async function scheduleIn(
  view: Pick<StoreView, 'calendar' | 'series'>,
  { series, from, to, asOf }: ScheduleQuery,
): Promise<readonly ScheduledRelease[]> {
  const [sightings, vintages] = await Promise.all([
    view.calendar.sightings({ upTo: asOf, from }),
    evidenceIn(view, { series, from, to, asOf }),
  ]);
  const release = series && releaseOfStored(series);
  return scheduleOf(sightings, vintages, asOf).filter(
    (one) =>
      (from === undefined || one.day >= from) &&
      (to === undefined || one.day <= to) &&
      (series === undefined || one.release.id === release?.id),
  );
}

/** Reads the vintages that prove releases: of one series, or of the best known series of each principal release. */
async function evidenceIn(
  view: Pick<StoreView, 'series'>,
  { series, from, to, asOf }: ScheduleQuery,
): Promise<readonly VintageEvidence[]> {
  const days = async (one: Pick<Series, 'id'>, release: Release): Promise<VintageEvidence> => {
    const last = to === undefined || to > asOf ? asOf : to;
    const page = await view.series.vintages({
      seriesId: one.id,
      limit: mostVintages,
      to: last,
      ...defined({ from }),
    });
    // A sampled or fetched vintage is of another day than its release.
    const exact = (page?.rows ?? []).filter(({ kind }) => kind === 'exact');
    return { release, seriesId: one.id, days: exact.map(({ asOfDate }) => asOfDate) };
  };
  if (series !== undefined) {
    const release = releaseOfStored(series);
    return release === undefined ? [] : [await days(series, release)];
  }
  const ids = principalReleases.flatMap(({ id }) => seriesOfRelease(id));
  const stored = new Set(
    (await view.series.search({ text: '', ids, limit: ids.length })).map(({ id }) => id),
  );
  return Promise.all(
    principalReleases.flatMap((release) => {
      const best = seriesOfRelease(release.id).find((id) => stored.has(id));
      return best === undefined ? [] : days({ id: best }, release);
    }),
  );
}
