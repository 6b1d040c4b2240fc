import { addDays, type Day, type Frequency, storedDate } from '../../domain/series/date.ts';
import { type DateSet, type DateSetText, parseDateSet } from '../../domain/series/date-set.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import { addTo } from '../../domain/series/groups.ts';
import { type Change, knownOn } from '../../domain/series/revision-history.ts';
import { kindOf, type VintageKind } from '../../domain/series/series.ts';
import type { RealTimeValue } from '../../import/formats/fred/history.ts';
import type { WholeView } from '../../store/store.ts';

/** The value of a date on some day; null if there is none, undefined if the date is not known. */
type ValueOf = (date: Day) => string | null | undefined;

type DifferingValue = {
  readonly date: Day;
  readonly asOf: Day;
  readonly held: string | null;
  readonly given: string | null;
};

/** The rows of an answer by date, each date's oldest first. */
type RowsByDate = ReadonlyMap<Day, readonly RealTimeValue[]>;

/** The value that an answer has for a date as of a day; undefined if no row of the date includes the day. */
function valueIn(rows: RowsByDate, date: Day, asOf: Day): string | null | undefined {
  return rows.get(date)?.find(({ start, end }) => start <= asOf && asOf <= end)?.value;
}

function isSame(one: string | null | undefined, other: string | null | undefined): boolean {
  return one === undefined || other === undefined ? one === other : sameNumber(one, other);
}

type StoredVintage = { readonly dates: DateSet; readonly kind: VintageKind };

/** What a store has of a series: its vintages, the dates that each of them mentions, and what they say. */
export class StoredHistory {
  /** By day, oldest first. */
  readonly #vintages = new Map<Day, StoredVintage>();
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

  /** The date under which the store keeps a date of the publisher. */
  readonly dateOf = (date: Day): Day => storedDate(date, this.#frequency);

  get firstVintage(): Day {
    return this.#vintages.keys().next().value ?? '';
  }

  /** The value of a date on a day: null if there is none, undefined if no vintage up to that day mentions the date. */
  valueOn(date: Day, asOf: Day): string | null | undefined {
    const value = this.#knownOn(date, asOf);
    return value === null && !this.#isMentioned(date, asOf) ? undefined : value;
  }

  /** Whether a statement about a date was made on a day. */
  isStated(date: Day, asOf: Day): boolean {
    return this.#vintages.get(asOf)?.dates.has(this.dateOf(date)) === true;
  }

  /**
   * Compares the first day of a window, which the store knows, with an answer. A date that FRED no longer has at all
   * stays in the store. `backfilled` are the dates that the store does not know: on which day each of them was
   * published, the window cannot say.
   */
  compareStart(
    rows: RowsByDate,
    start: Day,
  ): { readonly backfilled: readonly Day[]; readonly contradictions: readonly DifferingValue[] } {
    const backfilled: Day[] = [];
    const contradictions: DifferingValue[] = [];
    for (const date of rows.keys()) {
      const stored = this.valueOn(date, start);
      const [held, given] = [stored ?? null, valueIn(rows, date, start)];
      if (stored === undefined && given !== undefined && !this.#isMentioned(date)) backfilled.push(date);
      else if (!sameNumber(held, given ?? null))
        contradictions.push({ date, asOf: start, held, given: given ?? null });
    }
    return { backfilled, contradictions };
  }

  /**
   * Compares the statements about the days of a period with the rows of an answer, which cover it. A statement is
   * contradicted if FRED says something else of its day, and on a complete day also if FRED says the same of the day
   * before, on which the store has something else: then FRED has moved the statement. Samples are approximate, and
   * are not compared; nor are dates that a vintage does not list.
   */
  compareStatements(
    rows: RowsByDate,
    { start, end }: { readonly start: Day; readonly end: Day },
    before: ValueOf,
    complete: { readonly after: Day; readonly upTo: Day } | undefined,
  ): readonly DifferingValue[] {
    const differing: DifferingValue[] = [];
    const compare = (date: Day, asOf: Day, held: string | null, given: string | null) => {
      if (!sameNumber(held, given)) differing.push({ date, asOf, held, given });
    };
    for (const [asOf, { dates, kind }] of this.#vintages) {
      if (asOf < start || asOf > end || kind === 'sampled' || kind === 'unknown') continue;
      const isExact = kind === 'exact' && complete !== undefined;
      const isComplete = isExact && asOf > complete.after && asOf <= complete.upTo;
      for (const date of dates.days()) {
        const value = this.#knownOn(date, asOf);
        const given = valueIn(rows, date, asOf) ?? null;
        compare(date, asOf, value, given);
        if (!isComplete || !sameNumber(value, given)) continue;
        const day = addDays(asOf, -1);
        const earlier = asOf === start ? before(date) : valueIn(rows, date, day);
        if (isSame(earlier, given)) compare(date, day, this.valueOn(date, day) ?? null, given);
      }
    }
    return differing;
  }

  #knownOn(date: Day, asOf: Day): string | null {
    return knownOn(this.#changes.get(this.dateOf(date)) ?? [], asOf);
  }

  /** Whether a vintage mentions a date, up to a day if one is given. */
  #isMentioned(date: Day, upTo?: Day): boolean {
    const start = this.dateOf(date);
    for (const [asOf, { dates }] of this.#vintages) {
      if (upTo !== undefined && asOf > upTo) return false;
      if (dates.has(start)) return true;
    }
    return false;
  }
}
