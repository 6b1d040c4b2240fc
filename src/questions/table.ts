import { check } from './files/check.ts';
import { join } from './files/join.ts';
import { curve } from './rates/curve.ts';
import { yieldTable } from './rates/yield-table.ts';
import { diff } from './series/diff.ts';
import { observations, observationsOfSeveral } from './series/observations.ts';
import { panel } from './series/panel.ts';
import { revisions } from './series/revisions.ts';
import { compare, versions } from './series/versions.ts';
import { vintages } from './series/vintages.ts';

/** Every question that is more than one operation, by the name of its method. Methods take their docstrings here. */
export const questions = {
  /** The values of series, as they were known on a day. */
  observations,
  /**
   * The values of several series, one series after the other, as they were known on a day; `limit` and `first` count
   * dates of each.
   */
  observationsOfSeveral,
  /**
   * Every value that was published for one `date` or for each date, newest date first, with the size and the lateness
   * of each change; with `release` or `after` the values at these releases, with `stats` statistics of the revisions
   * between them, with `wide` the triangle, a column for each vintage.
   */
  revisions,
  /** The vintage dates of a series and what each changed, newest first; without `asOf` also what the series covers. */
  vintages,
  /** The treasury curve of a day, by default the newest one; with `vs`, compared with the curve of another day. */
  curve,
  /** Treasury rates with a row for each date and a column for each maturity, newest first; `limit` counts dates. */
  yieldTable,
  /** The dates whose values differ between two as-of days, newest first; with `allRows` also those with equal values. */
  diff,
  /** The values of series as of one day beside those as of another, with the difference, newest first. */
  compare,
  /** The values of series as of several days, with a column for each day; `latest` is the newest vintage. */
  versions,
  /**
   * Several series side by side as known on one day; with `asOfEach`, the newest value of each known on each day of a
   * rhythm. An id with `*` means every series whose id matches. With `wide` there is a column for each series.
   */
  panel,
  /** The rows of a table in their order, each with the newest value of series that was known on its day. */
  join,
  /** The values of a table that were not known on the day of their row, each with what was known. */
  check,
};
