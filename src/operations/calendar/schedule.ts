import { principalReleases, releaseOfStored, seriesOfRelease } from '../../domain/calendar/releases.ts';
import { type ScheduledRelease, scheduleOf, type VintageEvidence } from '../../domain/calendar/schedule.ts';
import type { Day } from '../../domain/values/date.ts';
import { defined } from '../../platform/defined.ts';
import type { Series, StoreView } from '../../store/store.ts';
import { field } from '../field.ts';

/** The zone of a time of day. */
export const zoneField = field(
  'zone',
  'text',
  'The zone of the time in the tz database; empty without a time.',
);

/** The period of a release. */
export const periodField = field(
  'period',
  'text',
  'The period that is published, in the words of the calendar; empty if it names none.',
);

/** Selects releases: those of a series, between two days (inclusive), as known on a day. */
type ScheduleQuery = {
  readonly series?: Series | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  readonly asOf: Day;
  /** The UTC second of the question, if it asks for what is known now. */
  readonly now?: string | undefined;
};

const mostVintages = 100_000;

/** Lists releases by day, as known on a day from calendars and from the vintages of the store. */
export async function scheduleIn(
  view: Pick<StoreView, 'calendar' | 'series'>,
  { series, from, to, asOf, now }: ScheduleQuery,
): Promise<readonly ScheduledRelease[]> {
  const release = series && releaseOfStored(series);
  if (series !== undefined && release === undefined) return [];
  const [sightings, vintages] = await Promise.all([
    view.calendar.sightings({ upTo: asOf, from }),
    evidenceIn(view, { series, from, to, asOf }),
  ]);
  return scheduleOf(sightings, vintages, asOf, now).filter(
    (one) =>
      (from === undefined || one.day >= from) &&
      (to === undefined || one.day <= to) &&
      (release === undefined || one.release.id === release.id),
  );
}

/** Reads the vintages that prove releases, of the stored series of principal releases and of the one asked for. */
async function evidenceIn(
  { series: all }: Pick<StoreView, 'series'>,
  { series: asked, from, to, asOf }: ScheduleQuery,
): Promise<readonly VintageEvidence[]> {
  const wanted = asked && releaseOfStored(asked)?.id;
  const releases = wanted === undefined ? principalReleases.map(({ id }) => id) : [wanted];
  const ids = releases.flatMap(seriesOfRelease);
  const stored = await all.search({ text: '', ids, limit: ids.length });
  const inOrder = [...stored].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  const others = inOrder.filter(({ id }) => id !== asked?.id);
  const last = to === undefined || to > asOf ? asOf : to;
  const found = [...(asked === undefined ? [] : [asked]), ...others].map(
    async (series): Promise<VintageEvidence | undefined> => {
      const release = releaseOfStored(series);
      if (release === undefined || (wanted !== undefined && release.id !== wanted)) return undefined;
      const query = { seriesId: series.id, limit: mostVintages, to: last, ...defined({ from }) };
      // A sampled or fetched vintage is of another day than its release.
      const exact = ((await all.vintages(query))?.rows ?? []).filter(({ kind }) => kind === 'exact');
      return { release, seriesId: series.id, days: exact.map(({ asOfDate }) => asOfDate) };
    },
  );
  return (await Promise.all(found)).flatMap((one) => one ?? []);
}
