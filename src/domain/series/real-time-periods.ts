import type { Day } from './date.ts';

/** A vintage date, and whether it added values, revised some, or withdrew some. */
export type Publication = {
  readonly asOf: Day;
  readonly adds: boolean;
  readonly revises: boolean;
  readonly withdraws: boolean;
};

/** The first value that was published for a date. */
export type FirstRelease = { readonly date: Day; readonly value: string; readonly asOf: Day };

/** As-of dates between which nothing was published; `since` is the last publication before them, if there is one. */
export type RealTimePeriod = { readonly days: readonly Day[]; readonly since: Day | undefined };

/** Groups as-of dates by real-time period; both the dates and the publications are ascending. */
export function realTimePeriodsOf(
  days: readonly Day[],
  publications: readonly Publication[],
): readonly RealTimePeriod[] {
  const periods: { days: Day[]; since: Day | undefined }[] = [];
  let next = 0;
  let since: Day | undefined;
  for (const day of days) {
    for (let one = publications[next]; one !== undefined && one.asOf <= day; one = publications[next]) {
      if (one.adds || one.revises || one.withdraws) since = one.asOf;
      next += 1;
    }
    const last = periods.at(-1);
    if (last !== undefined && last.since === since) last.days.push(day);
    else periods.push({ days: [day], since });
  }
  return periods;
}

/** The newest date that has a value, as first released, and whether that value may have been revised since. */
export type Newest = { readonly release: FirstRelease; readonly revised: boolean };

/**
 * The newest date that has a value in each real-time period, from first releases alone: the newest date released
 * until then, unless something was withdrawn after its release. Omits the periods for which that is not certain.
 */
export function newestByFirstRelease(
  periods: readonly RealTimePeriod[],
  publications: readonly Publication[],
  releases: readonly FirstRelease[],
): ReadonlyMap<RealTimePeriod, Newest> {
  const inOrder = [...releases].sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
  const lastWithdrawal = lastUpTo(publications.filter(({ withdraws }) => withdraws));
  const lastRevision = lastUpTo(publications.filter(({ revises }) => revises));
  const newest = new Map<RealTimePeriod, Newest>();
  let next = 0;
  let release: FirstRelease | undefined;
  for (const period of periods) {
    const { since } = period;
    if (since === undefined) continue;
    for (let one = inOrder[next]; one !== undefined && one.asOf <= since; one = inOrder[next]) {
      if (release === undefined || one.date > release.date) release = one;
      next += 1;
    }
    const [withdrawal, revision] = [lastWithdrawal(since), lastRevision(since)];
    if (release !== undefined && withdrawal <= release.asOf)
      newest.set(period, { release, revised: revision > release.asOf });
  }
  return newest;
}

/** The last of some publications up to a day, for days that ascend; empty before the first. */
function lastUpTo(publications: readonly Publication[]): (day: Day) => Day {
  let passed = 0;
  return (day) => {
    while ((publications[passed]?.asOf ?? '~') <= day) passed += 1;
    return publications[passed - 1]?.asOf ?? '';
  };
}
