import { type Day, placeAmong } from '../domain/series/date.ts';
import { groupBy } from '../domain/series/groups.ts';
import { changeOn, type Statement } from '../domain/series/revision-history.ts';
import { cell, type PageService, type ServedRow } from './page-service.ts';

/** A statement about a date of one series: its value from a day on, or null for a withdrawal. */
export type StatedValue = Pick<Statement, 'asOf' | 'date' | 'value'>;

/** Every statement about a series, to answer at once what was known on a day: the newest up to it for each date. */
export class RevisionHistory {
  /** Every date that ever had a value, oldest first. */
  readonly dates: readonly Day[];
  readonly #statements: readonly (readonly StatedValue[])[];

  /** `statements` may be in any order; there is at most one for a date and day. */
  constructor(statements: readonly StatedValue[]) {
    const byDate = groupBy(statements, ({ date }) => date);
    this.dates = [...byDate.keys()].sort();
    this.#statements = this.dates.map((date) =>
      (byDate.get(date) ?? []).sort((a, b) => (a.asOf < b.asOf ? -1 : 1)),
    );
  }

  /** Returns what was known on a day for each of `dates`, in order; undefined if nothing was, or it had been withdrawn. */
  asOf(day: Day): readonly (StatedValue | undefined)[] {
    return this.#statements.map((statements) => withValue(changeOn(statements, day)));
  }

  /** Returns what is known now for each of `dates`. */
  latest(): readonly (StatedValue | undefined)[] {
    return this.#statements.map((statements) => withValue(statements.at(-1)));
  }
}

function withValue(one: StatedValue | undefined): StatedValue | undefined {
  return one?.value === null ? undefined : one;
}

/** Finds the position of the newest of ascending days on or before a day; -1 if all are later. */
export function positionOf(days: readonly Day[], day: Day): number {
  const place = placeAmong(days, day);
  return days[place] === day ? place : place - 1;
}

/** A series, and everything that was ever published of it. */
export type LoadedSeries = {
  readonly id: string;
  readonly title: string;
  readonly about: ServedRow | undefined;
  readonly history: RevisionHistory;
  /** The rows of all revisions, with their changes. */
  readonly revisions: readonly ServedRow[];
  /** Oldest first, and their days. */
  readonly vintages: readonly ServedRow[];
  readonly days: readonly Day[];
  /** The latest value and the first release for each date of `history`; null if there is none. */
  readonly latest: readonly (string | null)[];
  readonly first: readonly (string | null)[];
};

/** Asks a service for everything about a series. */
export async function loadSeries(
  id: string,
  service: Pick<PageService, 'page' | 'rows'>,
): Promise<LoadedSeries> {
  const path = `series/${encodeURIComponent(id)}`;
  const [{ rows }, revisions, newestFirst, releases] = await Promise.all([
    service.page(path),
    service.rows(`${path}/revisions`),
    service.rows(`${path}/vintages`),
    service.rows(`${path}/observations`, { release: 'first' }),
  ]);
  const history = new RevisionHistory(
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
    history,
    revisions,
    vintages,
    days: vintages.map((row) => cell(row, 'as_of_date')),
    latest: history.latest().map((one) => one?.value ?? null),
    first: history.dates.map((date) => firstReleases.get(date) ?? null),
  };
}

/** Says how vintages came about, in the words of the charts of the command line; empty for days of publication. */
export function kindsNote({ id, vintages }: LoadedSeries): string {
  const kinds = new Set(vintages.map((row) => cell(row, 'vintage_kind')));
  return ['sampled', 'fetched'].flatMap((kind) => (kinds.has(kind) ? [`; ${id} is ${kind}`] : [])).join('');
}
