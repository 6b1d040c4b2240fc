import type { Day } from '../values/date.ts';
import { canonicalDecimal } from '../values/decimal.ts';
import { addTo } from '../values/groups.ts';
import type { Transformer, Vintages } from './transformer.ts';

type FirstPublication = { readonly date: Day; readonly value: string; readonly asOf: Day };

/**
 * What is known about a value that was not the known one on a day.
 * The series had it later (`ahead`), earlier (`old`: another date or before a revision) or `never`.
 * `newer`: newer than a lag allows. `before`: the day is before the first vintage, and no later vintage decides it.
 */
type Misplacement =
  | { readonly kind: 'ahead' | 'newer' | 'old'; readonly published: FirstPublication }
  | { readonly kind: 'before' | 'never'; readonly published?: undefined };

/** Where a value is expected; with a lag, `newest` is its limit. */
type ExpectedPlace = {
  readonly day: Day;
  readonly newest: Day | undefined;
  readonly isLagged?: boolean;
  readonly date?: Day | undefined;
};

/** Indexes, by number, every value in any vintage of a series, or every transformed value. */
export class PublishedValues {
  readonly #byNumber = new Map<string, FirstPublication[]>();
  readonly #places: ReadonlyMap<Day, number>;
  readonly #first: Day;

  constructor(vintages: Vintages, transformer?: Transformer) {
    const dates = [...new Set(vintages.dates.map((date) => transformer?.dateOf(date) ?? date))];
    this.#first = vintages.daysOfChange(vintages.dates)[0] ?? '';
    this.#places = new Map(dates.map((date, index) => [date, index]));
    for (const date of dates)
      for (const one of publications(vintages, date, transformer))
        addTo(this.#byNumber, canonicalDecimal(one.value), one);
  }

  /**
   * Explains a value that was not the known one on a day, by the closest date with that number.
   * Of equally close ones, the later publication and, with a lag, the newer date count: no look-ahead may pass.
   */
  placed(value: string, { day, newest, isLagged = false, date }: ExpectedPlace): Misplacement {
    const all = (this.#byNumber.get(canonicalDecimal(value)) ?? []).filter(
      (one) => date === undefined || one.date === date,
    );
    // The first vintage may repeat old values, but no value is published before its period begins.
    const isLater = (one: FirstPublication) => one.asOf > this.#first || one.date > day;
    if (day < this.#first && (all.length === 0 || !all.every(isLater))) return { kind: 'before' };
    const away = (one: FirstPublication) => this.#distance(one.date, newest);
    const later = all.filter(({ asOf }) => asOf > day);
    const isNew = later.filter((one) => newest === undefined || one.date >= newest);
    const ahead = least(isNew, ({ asOf }) => asOf) ?? least(later, away);
    const isNewer = ({ date: own }: FirstPublication) => isLagged && newest !== undefined && own > newest;
    const known = all.filter(({ asOf }) => asOf <= day);
    const near = [
      ['ahead', ahead],
      ['newer', least(known.filter(isNewer), away)],
      ['old', least(known, away)],
    ] as const;
    const found = near.flatMap(([kind, published]) => (published === undefined ? [] : [{ kind, published }]));
    return least(found, ({ published }) => away(published)) ?? { kind: 'never' };
  }

  #distance(date: Day, newest: Day | undefined): number {
    const [one, other] = [this.#places.get(date), this.#places.get(newest ?? '')];
    return one === undefined || other === undefined ? 0 : Math.abs(one - other);
  }
}

function publications(
  vintages: Vintages,
  date: Day,
  transformer: Transformer | undefined,
): readonly FirstPublication[] {
  if (transformer === undefined)
    return vintages
      .changesOf(date)
      .flatMap(({ asOf, value }) => (value === null ? [] : [{ date, value, asOf }]));
  const first = transformer.firstDay(vintages, date);
  const changed = vintages.daysOfChange(transformer.inputsOf(date, vintages.dates));
  // A period may become complete on a day on which none of its values changes.
  const days = first === undefined || changed.includes(first) ? changed : [...changed, first].sort();
  const found: FirstPublication[] = [];
  for (const day of days) {
    const result = transformer.valueIn(vintages.on(day), date);
    if (result !== undefined && found.at(-1)?.value !== result.value)
      found.push({ date, value: result.value, asOf: day });
  }
  return found;
}

function least<T>(all: readonly T[], of: (one: T) => number | string): T | undefined {
  let best: T | undefined;
  for (const one of all) if (best === undefined || of(one) < of(best)) best = one;
  return best;
}
