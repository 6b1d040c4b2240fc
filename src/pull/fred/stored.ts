import { type Change, knownOn } from '../../domain/series/revision-history.ts';
import { kindOf, type VintageKind } from '../../domain/series/series.ts';
import { addDays, type Day, type Frequency, storedDate } from '../../domain/values/date.ts';
import { type DateSet, type DateSetText, parseDateSet } from '../../domain/values/date-set.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { addTo } from '../../domain/values/groups.ts';
import type { RealTimeValue } from '../../import/formats/fred/api.ts';
import type { WholeView } from '../../store/store.ts';

/** A date's value: null for none, undefined if the date is unknown. */
type ValueOf = (date: Day) => string | null | undefined;

type DifferingValue = {
  readonly date: Day;
  readonly asOf: Day;
  readonly held: string | null;
  readonly given: string | null;
};

type RowsByDate = ReadonlyMap<Day, readonly RealTimeValue[]>;

/** Returns an answer's value for a date as of a day; undefined if no row of the date includes the day. */
function valueIn(rows: RowsByDate, date: Day, asOf: Day): string | null | undefined {
  return rows.get(date)?.find(({ start, end }) => start <= asOf && asOf <= end)?.value;
}

type ListedVintage = { readonly dates: DateSet; readonly kind: VintageKind };

/** The stored vintages of a series, their dates and values. */
export class StoredHistory {
  /** By day, oldest first. */
  readonly #vintages = new Map<Day, ListedVintage>();
  readonly #changes = new Map<Day, Change[]>();
  readonly #frequency: Frequency;

  private constructor(frequency: Frequency) {
    this.#frequency = frequency;
  }

  static async read(view: WholeView, seriesId: string): Promise<StoredHistory | undefined> {
    const contents = await view.contents.series(seriesId);
    if (contents === undefined || contents.vintages.length === 0) return undefined;
    const { normalisedBy, stated } = contents;
    const history = new StoredHistory(normalisedBy);
    const sets = new Map<DateSetText, DateSet>();
    for (const { asOf, dates: text, kind } of contents.vintages) {
      const dates = sets.get(text) ?? parseDateSet(text, normalisedBy);
      sets.set(text, dates);
      history.#vintages.set(asOf, { dates, kind: kindOf(kind, stated.vintageKind) });
    }
    for await (const batch of view.contents.changes(seriesId))
      for (const change of batch) addTo(history.#changes, change.date, change);
    return history;
  }

  /** Returns the stored date for a date of the publisher. */
  readonly dateOf = (date: Day): Day => storedDate(date, this.#frequency);

  /** Returns the value of a date on a day; undefined if no vintage up to that day mentions the date. */
  valueOn(date: Day, asOf: Day): string | null | undefined {
    const value = this.#knownOn(date, asOf);
    return value === null && !this.#isMentioned(date, asOf) ? undefined : value;
  }

  /** Tells whether a statement about a date was made on a day. */
  isStated(date: Day, asOf: Day): boolean {
    return this.#vintages.get(asOf)?.dates.has(this.dateOf(date)) === true;
  }

  /**
   * Compares stored statements about the days of a window with the rows of an answer, which cover it;
   * `before` has the values at its start, which is undefined if the store has everything up to its first day.
   * A different value on the same day contradicts a statement. On a complete day, the same value one day earlier
   * also does: FRED has moved the statement. Samples and dates that a vintage does not list are not compared.
   * `backfilled` are dates that are not stored; the window cannot say when they were published.
   */
  compare(
    rows: RowsByDate,
    { start, end }: { readonly start: Day; readonly end: Day },
    before: ValueOf | undefined,
    complete: { readonly after: Day; readonly upTo: Day } | undefined,
  ): { readonly backfilled: ReadonlySet<Day>; readonly contradictions: readonly DifferingValue[] } {
    const backfilled = new Set<Day>();
    const contradictions: DifferingValue[] = [];
    const compare = (date: Day, asOf: Day, held: string | null, given: string | null) => {
      if (!sameNumber(held, given)) contradictions.push({ date, asOf, held, given });
    };
    for (const date of before === undefined ? rows.keys() : []) {
      const stored = this.valueOn(date, start);
      const given = valueIn(rows, date, start);
      const isNew = stored === undefined && given !== undefined && !this.#isMentioned(date);
      if (isNew) backfilled.add(date);
      else compare(date, start, stored ?? null, given ?? null);
    }
    for (const [asOf, { dates, kind }] of this.#vintages) {
      const isCompared = before === undefined ? asOf > start : asOf >= start;
      if (!isCompared || asOf > end || kind === 'sampled' || kind === 'unknown') continue;
      const isExact = kind === 'exact' && complete !== undefined;
      const isComplete = isExact && asOf > complete.after && asOf <= complete.upTo;
      for (const date of dates.days()) {
        const value = this.#knownOn(date, asOf);
        const given = valueIn(rows, date, asOf) ?? null;
        compare(date, asOf, value, given);
        if (!isComplete || !sameNumber(value, given)) continue;
        const day = addDays(asOf, -1);
        const earlier = asOf === start ? before?.(date) : valueIn(rows, date, day);
        if (earlier !== undefined && sameNumber(earlier, given))
          compare(date, day, this.valueOn(date, day) ?? null, given);
      }
    }
    return { backfilled, contradictions };
  }

  #knownOn(date: Day, asOf: Day): string | null {
    return knownOn(this.#changes.get(this.dateOf(date)) ?? [], asOf);
  }

  /** Tells whether a vintage mentions a date; with `upTo`, a vintage up to that day. */
  #isMentioned(date: Day, upTo?: Day): boolean {
    const start = this.dateOf(date);
    for (const [asOf, { dates }] of this.#vintages) {
      if (upTo !== undefined && asOf > upTo) return false;
      if (dates.has(start)) return true;
    }
    return false;
  }
}
