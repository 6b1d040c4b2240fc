import { scaleLinear, scaleUtc } from 'd3-scale';
import { addDays } from '../../domain/series/date.ts';
import type { Across } from './chart.ts';

/** A place on an axis that is named. */
type Tick = { readonly at: number; readonly label: string };

/** A scale with its ticks; `place` tells where between 0 and 1 a value lies. */
export type Axis = { readonly ticks: readonly Tick[]; readonly place: (value: number) => number };

/** Two numbers closer than this, in proportion, are drawn as one. */
const resolution = 1e-12;

/** The axis of values from `low` to `high` with about so many ticks, whose ends are ticks. */
export function valueAxis(low: number, high: number, count: number): Axis {
  const values = roundValues(widened(low, high), count);
  return { ticks: labelled(values), place: between(values[0] ?? low, values.at(-1) ?? high) };
}

/** Evenly spaced round values from one at or below a range to one at or above it. */
function roundValues([low, high]: readonly [number, number], count: number): readonly number[] {
  // The ends are rounded for the range, the ticks chosen for the rounded ends: with some counts these do not meet.
  for (let tried = count; tried < count + 10; tried += 1) {
    const values = scaleLinear().domain([low, high]).nice(tried).ticks(tried);
    const [first = high, last = low] = [values[0], values.at(-1)];
    if (first <= low && last >= high) return values;
  }
  return [low, high];
}

/** Equal values have a scale around them. */
function widened(low: number, high: number): readonly [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > size * resolution) return [low, high];
  const margin = size === 0 ? 1 : size / 20;
  return [low - margin, high + margin];
}

function between(first: number, last: number): (value: number) => number {
  return (value) => (first === last ? 0.5 : (value - first) / (last - first));
}

/** Numbers from here on, and steps with more decimals, are labelled with a power of ten. */
const [longNumber, mostDecimals] = [1e15, 9];

/** Labels that say exactly where ticks are, all with the same decimals. */
function labelled(values: readonly number[]): readonly Tick[] {
  const [first = 0, second = first] = values;
  const nearEnough = Math.abs(second - first) * 1e-6;
  const exact = (text: (value: number, digits: number) => string) => (digits: number) =>
    values.every((value) => Math.abs(Number(text(value, digits)) - value) <= nearEnough);
  const plain = decimalsFor(exact(fixed), mostDecimals);
  if (plain !== undefined && values.every((value) => Math.abs(value) < longNumber))
    return values.map((at) => ({ at, label: grouped(fixed(at, plain)) }));
  const digits = decimalsFor(exact(scientific), 17) ?? 17;
  return values.map((at) => ({ at, label: scientific(at, digits) }));
}

function decimalsFor(exact: (digits: number) => boolean, most: number): number | undefined {
  for (let digits = 0; digits <= most; digits += 1) if (exact(digits)) return digits;
  return undefined;
}

function fixed(value: number, decimals: number): string {
  // Not -0.
  return (value === 0 ? 0 : value).toFixed(decimals);
}

function scientific(value: number, digits: number): string {
  return value === 0 ? '0' : value.toExponential(digits).replace('e+', 'e');
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}

/** The axis below, with as many ticks as `fits` allows. */
export function acrossAxis(across: Across, fits: (axis: Axis) => boolean): Axis {
  return across.kind === 'day' ? dayAxis(across.first, across.last, fits) : maturityAxis(across.names, fits);
}

/** No axis needs more dates than this. */
const mostDates = 12;

/** Days to scale; ticks are years, months or days, and where no two of these fit, the first and the last day. */
function dayAxis(first: number, last: number, fits: (axis: Axis) => boolean): Axis {
  const place = between(first, last);
  const scale = scaleUtc().domain([first * day, last * day]);
  const even = Array.from({ length: mostDates }, (_, i) =>
    scale
      .ticks(mostDates - i)
      .map((date) => date.getTime() / day)
      .filter(Number.isInteger),
  );
  // Between quarters and years d3 has nothing, so that most of two years would be without any date.
  for (const days of [...even, ...even.map(everySecond)]) {
    const ticks = dated(days);
    if (ticks.length > 1 && fits({ ticks, place })) return { ticks, place };
  }
  const ends = dated([...new Set([first, last])], 10);
  return [ends, ends.slice(-1)].map((ticks) => ({ ticks, place })).find(fits) ?? { ticks: [], place };
}

const day = 86_400_000;

/** Half of the days, as evenly spaced; those that fall on a new year, where one does. */
function everySecond(days: readonly number[]): readonly number[] {
  const newYear = days.findIndex((at) => addDays('1970-01-01', at).endsWith('-01-01'));
  return days.filter((_, i) => i % 2 === Math.max(newYear, 0) % 2);
}

/** Days as `2015`, `2015-07` or `2015-07-03`: as short as all of them allow, unless a length is given. */
function dated(days: readonly number[], given?: number): readonly Tick[] {
  const texts = days.map((at) => addDays('1970-01-01', at));
  const ending = (end: string) => texts.every((text) => text.endsWith(end));
  const length = given ?? (ending('-01-01') ? 4 : ending('-01') ? 7 : 10);
  return texts.map((text, i) => ({ at: days[i] ?? 0, label: text.slice(0, length) }));
}

/** Maturities evenly, each in the middle of its share; where not all labels fit, every second one, or third … */
function maturityAxis(names: readonly string[], fits: (axis: Axis) => boolean): Axis {
  const place = (index: number): number => (index + 0.5) / names.length;
  const all = names.map((label, at) => ({ at, label }));
  for (let each = 1; each < names.length; each += 1) {
    const ticks = all.filter(({ at }) => (names.length - 1 - at) % each === 0);
    if (fits({ ticks, place })) return { ticks, place };
  }
  return { ticks: all.slice(-1), place };
}
