import type { Statement } from '../domain/series/statements.ts';
import { Vintages } from '../domain/series/transformer.ts';
import { type Day, placeAmong } from '../domain/values/date.ts';
import { groupBy } from '../domain/values/groups.ts';
import { cell, orNothing, type PageService, type ServedRow, ServiceFailure } from './page-service.ts';

/** Makes the vintages of a series from statements in any order, at most one for a date and day. */
export function historyOf(statements: readonly Pick<Statement, 'asOf' | 'date' | 'value'>[]): Vintages {
  const byDate = groupBy(statements, ({ date }) => date);
  for (const changes of byDate.values()) changes.sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
  return new Vintages(byDate);
}

/** Finds the newest of ascending days on or before a day; returns its position, or -1 if all are later. */
export function positionOf(days: readonly Day[], day: Day): number {
  const place = placeAmong(days, day);
  return days[place] === day ? place : place - 1;
}

/** A series with all that was published. */
export type LoadedSeries = Awaited<ReturnType<typeof loadSeries>>;

/** The service has no series of an id, and a search for the id finds others. */
export class UnknownSeries extends ServiceFailure {
  readonly id: string;
  readonly nearest: readonly ServedRow[];

  constructor({ status, message }: ServiceFailure, id: string, nearest: readonly ServedRow[]) {
    super(status, message);
    this.id = id;
    this.nearest = nearest;
  }
}

const mostNearest = 5;

/** Requests everything about a series, by its id or an alias; throws UnknownSeries if there is none. */
export async function loadSeries(typed: string, service: PageService) {
  const path = `series/${encodeURIComponent(typed)}`;
  const [{ rows }, revisions, newestFirst, releases, next] = await Promise.all([
    service.page(path),
    service.rows(`${path}/revisions`),
    service.rows(`${path}/vintages`),
    service.rows(`${path}/observations`, { release: 'first' }),
    service.page(`${path}/next`),
  ]).catch(async (error) => {
    if (!(error instanceof ServiceFailure) || error.status !== 404) throw error;
    const found = await orNothing(service.search(typed, mostNearest));
    throw new UnknownSeries(error, typed, found?.rows ?? []);
  });
  const id = cell(rows[0], 'id');
  const history = historyOf(
    revisions.map((row) => ({
      date: cell(row, 'date'),
      asOf: cell(row, 'as_of_date'),
      value: row.value === null ? null : cell(row, 'value'),
    })),
  );
  const vintages = newestFirst.toReversed();
  const firstReleases = new Map(releases.map((row) => [cell(row, 'date'), cell(row, 'value')]));
  return {
    id,
    title: `${id}: ${cell(rows[0], 'title')}`,
    about: rows[0],
    // When the next figure is due, as known today.
    next: next.rows[0],
    history,
    revisions,
    // Oldest first, with their days.
    vintages,
    days: vintages.map((row) => cell(row, 'as_of_date')),
    // The kinds of vintages that are not days of publication.
    kinds: ['sampled', 'fetched'].filter((kind) =>
      vintages.some((row) => cell(row, 'vintage_kind') === kind),
    ),
    // The latest value and the first release for each date, or null.
    latest: history.dates.map((date) => history.changesOf(date).at(-1)?.value ?? null),
    first: history.dates.map((date) => firstReleases.get(date) ?? null),
  };
}
