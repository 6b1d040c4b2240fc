import { addDays, type Day } from '../values/date.ts';
import type { Release } from './releases.ts';
import type { ScheduledRelease } from './schedule.ts';
import { endOfDay, instantText } from './zones.ts';

type AwaitedItem = {
  readonly source: string;
  readonly name: string;
  /** Undefined if no calendar can name it. */
  readonly release: Release | undefined;
  /** The time of the last pull; undefined before the first. */
  readonly lastRun: string | undefined;
  /** The newest vintage of its series; undefined without one. */
  readonly lastVintage: Day | undefined;
};

/** A followed item beside its calendar. */
export type DueItem = AwaitedItem & {
  /** The newest release whose time has passed. */
  readonly released: ScheduledRelease | undefined;
  /** The first planned release that is still to come. */
  readonly next: ScheduledRelease | undefined;
  /** True if a pull may bring it: it was released after the last one, or just now and has not arrived. */
  readonly isDue: boolean;
  /** The first release after its newest vintage, if the release is overdue. */
  readonly overdue: ScheduledRelease | undefined;
};

/** The hours after a release within which its figures should have arrived; until then, pulls try again. */
export const overdueAfter = 24;

/** The statuses of a day on which figures are expected, or appeared. */
const openStatuses: ReadonlySet<ScheduledRelease['status']> = new Set(['planned', 'passed', 'released']);

/** Works out which items were released since their last pulls, or have not arrived, by a schedule as known at `now`, a UTC second. */
export function dueItems(
  items: readonly AwaitedItem[],
  schedule: readonly ScheduledRelease[],
  now: string,
): readonly DueItem[] {
  return items.map((item) => {
    const own = schedule.filter(
      ({ release, status }) => release.id === item.release?.id && openStatuses.has(status),
    );
    const past = own.filter((one) => hasPassed(one, now));
    const released = past.at(-1);
    const { lastVintage } = item;
    return {
      ...item,
      released,
      next: own.find((one) => one.status === 'planned' && !hasPassed(one, now)),
      isDue:
        released !== undefined &&
        (isAfter(released, item.lastRun ?? '', now) || isAwaited(released, item, now)),
      overdue: lastVintage === undefined ? undefined : firstOverdue(own, lastVintage, now),
    };
  });
}

/**
 * Finds the first release after the newest vintage of a series that is overdue at `now`, a UTC second.
 * A release is overdue once it passed more than `overdueAfter` hours ago. `schedule` is of the series, by day.
 */
export function firstOverdue(
  schedule: readonly ScheduledRelease[],
  lastVintage: Day,
  now: string,
): ScheduledRelease | undefined {
  return schedule.find((one) => openStatuses.has(one.status) && one.day > lastVintage && isLate(one, now));
}

/** Returns the UTC seconds between which something was released: the same two if its time is known. */
function boundsOf({ at, day, release }: ScheduledRelease): { readonly begin: string; readonly end: string } {
  if (at !== '') return { begin: at, end: at };
  const ended = (date: Day) => instantText(endOfDay(date, release.zone ?? 'UTC'));
  return { begin: ended(addDays(day, -1)), end: ended(day) };
}

/** Tells whether the time of a release has passed: of a day without a time its end, unless something proves it. */
function hasPassed(one: ScheduledRelease, now: string): boolean {
  const { begin, end } = boundsOf(one);
  return (one.status === 'released' ? begin : end) <= now;
}

/** Tells whether a release may still arrive: a source takes a while to load it. */
function isAwaited(one: ScheduledRelease, { lastVintage }: AwaitedItem, now: string): boolean {
  return lastVintage !== undefined && lastVintage < one.day && !isLate(one, now);
}

/** Tells whether a release passed more than `overdueAfter` hours ago. */
function isLate(one: ScheduledRelease, now: string): boolean {
  return boundsOf(one).end <= instantText(new Date(Date.parse(now) - overdueAfter * 3_600_000));
}

/** Tells whether a pull missed a release. */
function isAfter(one: ScheduledRelease, lastRun: string, now: string): boolean {
  const ran = lastRun === '' ? '' : `${lastRun.slice(0, 19)}Z`;
  const { begin, end } = boundsOf(one);
  // Of a day without a time, a pull on that day may have come too early: its end counts.
  return ran <= begin || (ran <= end && end <= now);
}
