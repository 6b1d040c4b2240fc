import { type Change, knownOn } from '../domain/series/revision-history.ts';
import { kindOf, type VintageKind } from '../domain/series/series.ts';
import { type Day, type Frequency, storedDate } from '../domain/values/date.ts';
import { type DateSet, type DateSetText, parseDateSet } from '../domain/values/date-set.ts';
import { addTo, entryOf } from '../domain/values/groups.ts';
import type { WholeView } from '../store/store.ts';

/** A date, and the day of a vintage that states its value. */
type StatedCell = { readonly date: Day; readonly asOf: Day };

/** The dates of a vintage; an answer does not say of which kind it is. */
type ListedVintage = { readonly dates: Pick<DateSet, 'has' | 'days'>; readonly kind?: VintageKind };

/** What the vintages of a series state, in a store or in an answer. */
export class History {
  /** By day, oldest first. */
  readonly vintages = new Map<Day, ListedVintage>();
  /** By date, oldest first. */
  readonly #changes = new Map<Day, Change[]>();
  readonly #frequency: Frequency;

  private constructor(frequency: Frequency = '') {
    this.#frequency = frequency;
  }

  /** Collects the statements of an answer, in any order. */
  static of(statements: readonly (StatedCell & Change)[]): History {
    const history = new History();
    const days = new Map<Day, Set<Day>>();
    for (const { date, asOf, value } of [...statements].sort(byDay)) {
      addTo(history.#changes, date, { asOf, value });
      entryOf(days, asOf, () => new Set()).add(date);
    }
    for (const [asOf, dates] of days)
      history.vintages.set(asOf, { dates: { has: (date) => dates.has(date), days: () => [...dates] } });
    return history;
  }

  /** Reads the history of a stored series; undefined without facts, which may have been removed. */
  static async stored(view: WholeView, seriesId: string): Promise<History | undefined> {
    const contents = await view.contents.series(seriesId);
    if (contents === undefined || contents.vintages.length === 0) return undefined;
    const { normalisedBy, stated } = contents;
    const history = new History(normalisedBy);
    const sets = new Map<DateSetText, DateSet>();
    for (const { asOf, dates: text, kind } of contents.vintages) {
      const dates = entryOf(sets, text, () => parseDateSet(text, normalisedBy));
      history.vintages.set(asOf, { dates, kind: kindOf(kind, stated.vintageKind) });
    }
    for await (const batch of view.contents.changes(seriesId))
      for (const change of batch) addTo(history.#changes, change.date, change);
    return history;
  }

  /** Returns the stored date for a date of the publisher. */
  readonly dateOf = (date: Day): Day => storedDate(date, this.#frequency);

  /** Returns the value of a date on a day; null if no vintage up to that day has one. */
  valueOn(date: Day, asOf: Day): string | null {
    return knownOn(this.#changes.get(this.dateOf(date)) ?? [], asOf);
  }

  /** Tells whether a statement about a date was made on a day. */
  isStated(date: Day, asOf: Day): boolean {
    return this.vintages.get(asOf)?.dates.has(this.dateOf(date)) === true;
  }

  /** Tells whether a vintage mentions a date; with `upTo`, a vintage up to that day. */
  isMentioned(date: Day, upTo?: Day): boolean {
    const start = this.dateOf(date);
    for (const [asOf, { dates }] of this.vintages) {
      if (upTo !== undefined && asOf > upTo) return false;
      if (dates.has(start)) return true;
    }
    return false;
  }

  /** Lists all that is stated, by vintage. */
  cells(): readonly StatedCell[] {
    return Array.from(this.vintages).flatMap(([asOf, { dates }]) =>
      dates.days().map((date) => ({ date, asOf })),
    );
  }

  /** Lists where values change, by date. */
  changes(): readonly StatedCell[] {
    return Array.from(this.#changes).flatMap(([date, own]) => own.map(({ asOf }) => ({ date, asOf })));
  }
}

function byDay(a: StatedCell, b: StatedCell): number {
  return a.asOf < b.asOf ? -1 : Number(a.asOf > b.asOf);
}
