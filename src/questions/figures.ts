import { calendar } from '../operations/calendar/calendar.ts';
import { due } from '../operations/calendar/due.ts';
import { ping } from '../operations/ping.ts';
import { spread, yields } from '../operations/rates/yields.ts';
import { seriesSearch, seriesShow } from '../operations/series/series.ts';
import { check } from './files/check.ts';
import { join } from './files/join.ts';
import { asking } from './operation-question.ts';
import { curve, yieldTable } from './rates/rates.ts';
import { nextRelease, nextReleases } from './series/next.ts';
import { observations, observationsOfSeveral } from './series/observations.ts';
import { panel } from './series/panel.ts';
import { revisions } from './series/revisions.ts';
import { diff, versions } from './series/versions.ts';
import { vintages } from './series/vintages.ts';

/** The questions about series and rates that have the path of an operation. */
export const ofOperations = {
  ping: asking(ping),
  seriesSearch: asking(seriesSearch),
  seriesShow: asking(seriesShow),
  /** Returns the values of a series, as known on a day. */
  observations,
  /**
   * Returns every value of one `date` or each date, newest date first, with the size of each change.
   * With `release` or `after`, returns the values at these releases; with `stats`, statistics of the revisions;
   * with `wide`, the triangle of all vintages, a column for each.
   */
  revisions,
  /** Returns the vintage dates of a series with their changes, newest first; without `asOf` also its coverage. */
  vintages,
  /** Returns the treasury curve of a day, by default the newest one; with `vs`, compares it with another day's. */
  curve,
  /** Returns releases by day: what is planned, was released, moved or vanished, as known on a day. */
  calendar: asking(calendar),
  /** Returns the followed items that were released since their last pull; with `every`, all followed items. */
  due: asking(due),
  /** Returns when the next figure of a series is due, and how old its newest one is. */
  nextRelease,
  yields: asking(yields),
  spread: asking(spread),
};

/** The questions about series and rates that take several answers of operations. */
export const compositions = {
  /** Returns when the next figures of several series are due, in the order of their ids. */
  nextReleases,
  /**
   * Returns the values of several series, one series after the other, as known on a day.
   * `limit` and `first` count dates of each series.
   */
  observationsOfSeveral,
  /** Returns treasury rates, newest date first, with a column for each maturity; `limit` counts dates. */
  yieldTable,
  /** Returns the dates whose values differ between two as-of days, newest first; with `allRows` all dates. */
  diff,
  /**
   * Returns the values of series as of several days, a column for each day; `latest` is the newest vintage.
   * With `change`, returns how the last day differs from the first; with `allRows`, dates that only some days know.
   */
  versions,
  /**
   * Returns several series as known on one day; with `asOfEach`, their newest values known on each day of a rhythm.
   * An id with `*` means every series whose id matches. With `wide` there is a column for each series.
   */
  panel,
  /** Returns the rows of a table in their order, each with the newest values of series known on its day. */
  join,
  /** Returns the values of a table that were not known on the day of their row, each with the known value. */
  check,
};
