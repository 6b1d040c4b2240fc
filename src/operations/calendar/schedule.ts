import { principalReleases, releaseOfStored, seriesOfRelease } from '../../domain/calendar/releases.ts';
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

/** Reads the vintages that prove releases, of the stored series of principal releases and of the one asked for. */
async function evidenceIn(
  { series: all }: Pick<StoreView, 'series'>,
  { series: asked, from, to, asOf }: ScheduleQuery,
): Promise<readonly VintageEvidence[]> {
  const ids = principalReleases.flatMap(({ id }) => seriesOfRelease(id));
  const stored = await all.search({ text: '', ids, limit: ids.length });
  const inOrder = [...stored].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  const others = inOrder.filter(({ id }) => id !== asked?.id);
  const wanted = asked && releaseOfStored(asked)?.id;
  const last = to === undefined || to > asOf ? asOf : to;
  const found = [...(asked === undefined ? [] : [asked]), ...others].map(
    async (series): Promise<VintageEvidence | undefined> => {
      const release = releaseOfStored(series);
      if (release === undefined || (asked !== undefined && release.id !== wanted)) return undefined;
      const query = { seriesId: series.id, limit: mostVintages, to: last, ...defined({ from }) };
      // A sampled or fetched vintage is of another day than its release.
      const exact = ((await all.vintages(query))?.rows ?? []).filter(({ kind }) => kind === 'exact');
      return { release, seriesId: series.id, days: exact.map(({ asOfDate }) => asOfDate) };
    },
  );
  return (await Promise.all(found)).flatMap((one) => one ?? []);
}
