import { type Units, unitText } from '../../domain/series/transformation.ts';
import { Transformer, type VintageValues } from '../../domain/series/transformer.ts';
import { rescalingOf } from '../../domain/values/arithmetic.ts';
import { type Day, type Frequency, later, monthsBefore } from '../../domain/values/date.ts';
import { addTo } from '../../domain/values/groups.ts';
import { counted } from '../../errors/wording.ts';
import type { LoadedSeries } from '../history.ts';
import { cell } from '../page-service.ts';
import type { PageState } from '../state.ts';

/** A value as shown, and the vintage that first has it. */
type ShownValue = { readonly value: string; readonly asOf: Day };

/** The values of a series in units, in every vintage. */
export class ShownValues {
  readonly units: Units;
  readonly unit: string;
  readonly #series: LoadedSeries;
  readonly #transformer: Transformer | undefined;
  #latest: readonly (string | null)[] | undefined;
  #first: readonly (string | null)[] | undefined;

  /** Takes levels of a series of unknown frequency, which has no growth. */
  constructor(series: LoadedSeries, asked: PageState['units']) {
    const frequency = cell(series.about, 'frequency') as Frequency;
    this.units = frequency === '' ? 'lin' : ((asked ?? 'lin') as Units);
    this.unit = unitText(this.units, cell(series.about, 'units'));
    this.#series = series;
    if (this.units !== 'lin')
      this.#transformer = new Transformer(series.id, frequency, { units: this.units });
  }

  /** The latest value of each date, or null. */
  get latest(): readonly (string | null)[] {
    const { latest, history } = this.#series;
    if (this.#transformer === undefined) return latest;
    const vintage = history.on('9999-12-31');
    this.#latest ??= history.dates.map((date) => this.#valueIn(vintage, date)?.value ?? null);
    return this.#latest;
  }

  /** The first release of each date, or null. */
  get first(): readonly (string | null)[] {
    const { first, history } = this.#series;
    const transformer = this.#transformer;
    if (transformer === undefined) return first;
    this.#first ??= history.dates.map((date) => {
      const day = transformer.firstDay(history, date);
      return (day && this.valueOn(day, date)?.value) ?? null;
    });
    return this.#first;
  }

  valueOn(day: Day, date: Day): ShownValue | undefined {
    return this.#valueIn(this.#series.history.on(day), date);
  }

  /** Returns what was known on a day of each date within a range; nothing of the others. */
  on(day: Day, { from, to }: ShownRange): readonly (ShownValue | undefined)[] {
    const vintage = this.#series.history.on(day);
    return vintage.dates.map((date) => (date < from || date > to ? undefined : this.#valueIn(vintage, date)));
  }

  #valueIn(vintage: VintageValues, date: Day): ShownValue | undefined {
    if (this.#transformer === undefined) return vintage.valueOf(date);
    const found = this.#transformer.valueIn(vintage, date);
    return found && { value: found.value, asOf: found.since };
  }
}

/** The first and last dates on show; the last may be later than the newest date. */
export type ShownRange = { readonly from: Day; readonly to: Day };

const rangeYears: Readonly<Record<string, number>> = { '5y': 5, '10y': 10, '20y': 20 };

/** Returns the dates on show: those of the address, or whole years about the as-of day up to the newest date. */
export function rangeFor(state: PageState, dates: readonly Day[], asOf: Day, due: Day): ShownRange {
  const [first, last] = [dates[0] ?? '', dates.at(-1) ?? ''];
  const end = due > last ? due : last;
  const years = rangeYears[state.range ?? '20y'];
  if (state.from !== undefined || state.to !== undefined || years === undefined)
    return { from: state.from ?? first, to: state.to ?? end };
  const yearOf = (day: Day) => Number(day.slice(0, 4));
  // A quarter of the time on show is before the day.
  const newest = yearOf(last) - years;
  const begin = Math.max(yearOf(first), Math.min(newest, yearOf(asOf) - Math.ceil(years / 4)));
  const [from, to] = [`${begin}-01-01`, `${begin + years}-12-31`];
  return { from: later(from, first), to: begin >= newest || to > end ? end : to };
}

/** Returns the vintage that a page shows at first: the newest of a year before the newest. */
export function firstShownDay(days: readonly Day[]): Day {
  const yearBefore = monthsBefore(days.at(-1) ?? '', 12) ?? '';
  return days.findLast((day) => day <= yearBefore) ?? days[0] ?? '';
}

const [mostMarks, leastPairs] = [5, 3];

/** Finds the vintages that revised the most by mean, without those that changed all values alike, such as a base year. */
export function largestRevisions({ history, about }: LoadedSeries) {
  const unit = cell(about, 'units');
  const isRate = /percent/i.test(unit);
  const pairs = new Map<Day, { readonly old: string; readonly new: string }[]>();
  for (const date of history.dates) {
    let before: string | null = null;
    for (const { asOf, value } of history.changesOf(date)) {
      if (before !== null && value !== null) addTo(pairs, asOf, { old: before, new: value });
      before = value ?? before;
    }
  }
  const sizeOf = (pair: { readonly old: string; readonly new: string }) => {
    const change = Math.abs(Number(pair.new) - Number(pair.old));
    return isRate ? change : (100 * change) / Math.abs(Number(pair.old));
  };
  return [...pairs]
    .filter(([, all]) => all.length >= leastPairs && rescalingOf(all, unit) === undefined)
    .map(([day, all]) => {
      const sizes = all.map(sizeOf).filter(Number.isFinite);
      const size = sizes.reduce((sum, one) => sum + one, 0) / Math.max(1, sizes.length);
      const text = `${counted(all.length, 'value')} revised by ${size.toFixed(2)}${isRate ? '' : ' %'} on average`;
      return { day, about: text, size };
    })
    .sort((a, b) => b.size - a.size)
    .slice(0, mostMarks);
}
