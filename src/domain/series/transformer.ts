import type { Decimal } from 'decimal.js';
import { Problem } from '../../errors/problem.ts';
import { Exact, type ExactValue } from '../values/arithmetic.ts';
import {
  addDays,
  type Day,
  type Frequency,
  type KnownFrequency,
  later,
  monthEnd,
  monthsBefore,
  monthsOfPeriod,
  periodStart,
  placeAmong,
  weekdayFrom,
  weekendDay,
} from '../values/date.ts';
import { decimalsOf } from '../values/decimal.ts';
import { type Change, knownOn, lastUpTo } from './revision-history.ts';
import { type FrequencySince, frequencies, frequencyOn } from './series.ts';
import {
  type Aggregation,
  formulas,
  isComparison,
  type Transformation,
  type Units,
} from './transformation.ts';
import { basesOf, transformedValue } from './units.ts';

/** The values of a series that were known on one day. */
export interface VintageValues {
  /** The dates that may have a value, ascending. */
  readonly dates: readonly Day[];
  readonly newest: Day | undefined;
  /** Returns the value of a date, and the first vintage with it. */
  valueOf(date: Day): { readonly value: string; readonly asOf: Day } | undefined;
}

type TransformedValue = { readonly value: string; readonly since: Day };

/** Computes transformed values of one series from the values of one vintage. */
export class Transformer {
  readonly frequency: KnownFrequency;
  readonly #own: KnownFrequency;
  readonly #units: Units;
  readonly #digits: number | undefined;
  readonly #aggregation: Aggregation | undefined;

  /** Throws a Problem if a frequency that matters is unknown, or coarser than the requested one. */
  constructor(id: string, frequency: Frequency, { units, digits, aggregation }: Transformation) {
    if (frequency === '' && (isComparison(units) || aggregation !== undefined))
      throw new Problem('bad-input', `the frequency of ${id} is not known, so it has no periods to compare`, {
        field: aggregation === undefined ? 'units' : 'frequency',
        hints: ['import a metadata file that states it'],
      });
    const own = frequency === '' ? 'D' : frequency;
    const target = aggregation === undefined ? own : codes[aggregation.frequency];
    if (frequencies.indexOf(own) > frequencies.indexOf(target))
      throw new Problem('bad-input', `${id} has the frequency ${own}, which is coarser than ${target}`, {
        field: 'frequency',
        hints: ['values can be aggregated only to a coarser frequency'],
      });
    const compared = formulas[units].of ?? target;
    if (compared !== target)
      throw new Problem(
        'bad-input',
        `${id} has the frequency ${target}, and ${units} compares ${periods[compared]}`,
        {
          field: 'units',
          hints: ['pch compares with the period before, whatever the frequency'],
        },
      );
    this.frequency = target;
    this.#own = own;
    this.#units = units;
    this.#digits = digits;
    this.#aggregation = own === target ? undefined : aggregation;
  }

  /** Returns the date of the transformed value to which a date contributes. */
  dateOf(date: Day): Day {
    if (this.#aggregation === undefined) return date;
    // FRED dates a week by the Friday that ends it.
    return this.frequency === 'W' ? weekdayFrom(date, 'friday') : periodStart(date, this.frequency);
  }

  /** Computes the value of a date in a vintage; undefined if an input is missing. */
  valueIn(vintage: VintageValues, date: Day): TransformedValue | undefined {
    const now = this.#exactIn(vintage, date);
    if (now === undefined) return undefined;
    let base: ExactValue | undefined;
    for (const earlier of basesOf(this.#units, date, this.frequency)) {
      base = this.#exactIn(vintage, earlier);
      if (base !== undefined) break;
    }
    const value = transformedValue(this.#units, now, base, this.frequency, this.#digits);
    return value === undefined ? undefined : { value, since: later(now.since, base?.since ?? '') };
  }

  /** Finds the first day on which a date has a value; a later date may complete a period. */
  firstDay(vintages: Vintages, date: Day): Day | undefined {
    const members = this.#membersOf(date, vintages.dates);
    const begun = members.map((member) => vintages.changesOf(member)[0]?.asOf ?? '~').sort()[0];
    if (this.#aggregation === undefined) return begun;
    const days = vintages.daysOfChange(vintages.dates);
    const since = days.slice(placeAmong(days, begun ?? '~'));
    return since.find((day) => this.#exactIn(vintages.on(day), date) !== undefined);
  }

  /** Lists the dates of a series (ascending) whose values a date's value may need. */
  inputsOf(date: Day, dates: readonly Day[]): readonly Day[] {
    return [date, ...basesOf(this.#units, date, this.frequency)].flatMap((one) =>
      this.#membersOf(one, dates),
    );
  }

  #exactIn(vintage: VintageValues, date: Day): ExactValue | undefined {
    if (this.#aggregation === undefined) {
      const found = vintage.valueOf(date);
      return found && new PublishedText(found.value, found.asOf);
    }
    const values = this.#membersOf(date, vintage.dates).flatMap((member) => {
      const found = vintage.valueOf(member);
      return found === undefined ? [] : [{ date: member, value: new PublishedText(found.value, found.asOf) }];
    });
    return this.#aggregated(date, values, vintage.newest ?? '', this.#aggregation);
  }

  /** Aggregates the values of a period (ascending); undefined without enough values, unless `partial`. */
  #aggregated(
    period: Day,
    values: readonly DatedValue[],
    newest: Day,
    { aggregate = 'avg', partial = false }: Aggregation,
  ): ExactValue | undefined {
    const last = values.at(-1);
    if (last === undefined || (!partial && !this.#isComplete(period, values, newest))) return undefined;
    if (aggregate === 'eop') return last.value;
    let [sum, decimals, since] = [new Exact(0), 0, ''];
    for (const { value } of values) {
      sum = sum.plus(value.sum);
      decimals = Math.max(decimals, value.decimals);
      since = later(since, value.since);
    }
    const count = aggregate === 'avg' ? values.length : 1;
    return { sum, count, double: sum.toNumber() / count, decimals, since };
  }

  /** Tells whether a period has as many values as FRED requires, and no further date can fall into it. */
  #isComplete(period: Day, values: readonly DatedValue[], newest: Day): boolean {
    if (values.length < (leastValues[this.#own]?.[this.frequency] ?? 1)) return false;
    const everyDay = values.some(({ date }) => weekendDay(date) !== undefined);
    return nextDate(newest, this.#own, everyDay) > boundsOf(period, this.frequency).last;
  }

  #membersOf(date: Day, dates: readonly Day[]): readonly Day[] {
    if (this.#aggregation === undefined) return [date];
    const { first, last } = boundsOf(date, this.frequency);
    return dates.slice(placeAmong(dates, first), placeAmong(dates, addDays(last, 1)));
  }
}

/** Computes transformed values on each day, by the frequency known then. */
export class DailyTransformers {
  readonly #frequencies: readonly FrequencySince[];
  readonly #make: (frequency: Frequency) => Transformer;
  readonly #made = new Map<Frequency, Transformer | undefined>();

  /** Throws a Problem if the values known on the last day cannot be transformed. */
  constructor(
    id: string,
    frequencies: readonly FrequencySince[],
    transformation: Transformation,
    last: Day = '~',
  ) {
    this.#frequencies = frequencies;
    this.#make = (frequency) => new Transformer(id, frequency, transformation);
    const known = frequencies.findLast(({ since }) => since <= last);
    if (known !== undefined) this.#made.set(known.frequency, this.#make(known.frequency));
  }

  /** Returns the transformer for a day; undefined if no value has a result then. */
  on(day: Day): Transformer | undefined {
    const frequency = frequencyOn(this.#frequencies, day);
    if (this.#made.has(frequency)) return this.#made.get(frequency);
    let made: Transformer | undefined;
    try {
      made = this.#make(frequency);
    } catch (error) {
      // Early dates may have been too few to compare, or too coarse.
      if (!(error instanceof Problem)) throw error;
    }
    this.#made.set(frequency, made);
    return made;
  }
}

/** Returns the first date needed to transform values from a date on: a base is at most a year before. */
export function firstInput(from: Day): Day | undefined {
  return monthsBefore(from, 13);
}

/** Every vintage of a series, made from the changes of each date. */
export class Vintages {
  /** Every date that ever had a value, ascending. */
  readonly dates: readonly Day[];
  readonly #changes: ReadonlyMap<Day, readonly Change[]>;
  #begun: readonly Begun[] | undefined;
  #days: readonly Day[] | undefined;

  constructor(changes: ReadonlyMap<Day, readonly Change[]>) {
    this.#changes = changes;
    this.dates = [...changes.keys()].sort();
  }

  changesOf(date: Day): readonly Change[] {
    return this.#changes.get(date) ?? [];
  }

  indexOf(date: Day): number {
    return placeAmong(this.dates, date);
  }

  on(day: Day): VintageValues {
    const newestOn = () => this.newestOn(day);
    return {
      dates: this.dates,
      get newest() {
        return newestOn();
      },
      valueOf: (date) => {
        const changes = this.changesOf(date);
        const change = changes[lastUpTo(changes, day)];
        return change === undefined || change.value === null
          ? undefined
          : { value: change.value, asOf: change.asOf };
      },
    };
  }

  /** Returns the newest date that had a value on a day. */
  newestOn(day: Day): Day | undefined {
    return this.dates[this.newestPlaceOn(day)];
  }

  /** Returns the index of the newest date that had a value on a day; -1 if none had. */
  newestPlaceOn(day: Day): number {
    this.#begun ??= newestBegun(this.dates, this.#changes);
    let place = this.#begun[lastUpTo(this.#begun, day)]?.place ?? -1;
    while (place >= 0 && knownOn(this.changesOf(this.dates[place] ?? ''), day) === null) place -= 1;
    return place;
  }

  /** Lists the days on which the value of any of these dates changed, ascending. */
  daysOfChange(dates: readonly Day[]): readonly Day[] {
    if (dates === this.dates && this.#days !== undefined) return this.#days;
    const all = new Set<Day>();
    for (const date of dates) for (const { asOf } of this.changesOf(date)) all.add(asOf);
    const found = [...all].sort();
    if (dates === this.dates) this.#days = found;
    return found;
  }
}

/** From a day on, the newest date that ever had a value, by its place among the dates. */
type Begun = { readonly asOf: Day; readonly place: number };

/** Lists the newest date that had got a value by each day, oldest day first. */
function newestBegun(dates: readonly Day[], changes: ReadonlyMap<Day, readonly Change[]>): readonly Begun[] {
  const begun: Begun[] = [];
  // An older date counts only on days before all newer ones.
  let least: Day = '~';
  for (let place = dates.length - 1; place >= 0; place -= 1) {
    const asOf = changes.get(dates[place] ?? '')?.find(({ value }) => value !== null)?.asOf;
    if (asOf === undefined || asOf >= least) continue;
    begun.push({ asOf, place });
    least = asOf;
  }
  return begun.reverse();
}

const periods: Partial<Record<KnownFrequency, string>> = { M: 'months', Q: 'quarters' };

const codes = { w: 'W', m: 'M', q: 'Q', sa: 'SA', a: 'A' } as const;

function boundsOf(period: Day, frequency: KnownFrequency): { readonly first: Day; readonly last: Day } {
  const length = monthsOfPeriod[frequency];
  if (length === undefined) return { first: addDays(period, -6), last: period };
  return { first: period, last: monthEnd(monthsBefore(period, 1 - length) ?? period) };
}

/** The least values of a complete period, as in FRED; holidays leave gaps in days and weeks. */
const leastValues: Partial<Record<KnownFrequency, Partial<Record<KnownFrequency, number>>>> = {
  D: { W: 4, BW: 8, M: 17, Q: 52, SA: 104, A: 208 },
  W: { BW: 2, M: 3, Q: 10, SA: 20, A: 39 },
  BW: { M: 2, Q: 7, SA: 13, A: 26 },
  M: { Q: 3, SA: 6, A: 12 },
  Q: { SA: 2, A: 4 },
  SA: { A: 2 },
};

type DatedValue = { readonly date: Day; readonly value: ExactValue };

/** Returns the next possible date of a series; a weekday for daily ones, unless weekends have values. */
function nextDate(date: Day, own: KnownFrequency, everyDay: boolean): Day {
  const length = monthsOfPeriod[own];
  if (length !== undefined) return monthsBefore(date, -length) ?? date;
  if (own !== 'D') return addDays(date, own === 'W' ? 7 : 14);
  let next = addDays(date, 1);
  while (!everyDay && weekendDay(next) !== undefined) next = addDays(next, 1);
  return next;
}

/** A published text, parsed on demand, as doubles usually suffice. */
class PublishedText implements ExactValue {
  readonly count = 1;
  readonly double: number;
  readonly decimals: number;
  readonly since: Day;
  readonly #text: string;

  constructor(text: string, since: Day) {
    this.#text = text;
    this.double = Number(text);
    this.decimals = decimalsOf(text);
    this.since = since;
  }

  get sum(): Decimal {
    return new Exact(this.#text);
  }
}
