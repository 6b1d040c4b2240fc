import { scaleLinear, scaleUtc } from 'd3-scale';
import { addDays, type Day, shortDays } from '../../domain/values/date.ts';
import { grouped } from '../../errors/wording.ts';
import type { HorizontalRange } from './chart.ts';

type AxisTick = { readonly at: number; readonly label: string };

/** A scale with its ticks; `place` maps values to 0 … 1. */
export type Axis = { readonly ticks: readonly AxisTick[]; readonly place: (value: number) => number };

/** Numbers with a smaller relative difference are drawn as one. */
const resolution = 1e-12;

/** Makes the axis of values from `low` to `high`, with about `count` ticks; its ends are ticks. */
export function valueAxis(low: number, high: number, count: number): Axis {
  const values = roundValues(widen(low, high), count);
  return { ticks: labelTicks(values), place: linearScale(values[0] ?? low, values.at(-1) ?? high) };
}

/** Makes the logarithmic axis of positive values, with at most about `count` ticks; its ends are ticks. */
export function logAxis(low: number, high: number, count: number): Axis {
  const [least, most] = widen(low, high);
  const values =
    logValues(least, most, count) ?? roundValues([least, most], count).filter((value) => value > 0);
  const [first, last] = [Math.min(values[0] ?? least, least), Math.max(values.at(-1) ?? most, most)];
  const place = linearScale(Math.log(first), Math.log(last));
  return { ticks: labelTicks(values), place: (value) => place(Math.log(value)) };
}

/** Returns round values over a range for a logarithmic scale: all, a few or one of each power of ten. */
function logValues(low: number, high: number, count: number): readonly number[] | undefined {
  for (const steps of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    const from = Math.floor(Math.log10(low));
    const all = Array.from({ length: Math.ceil(Math.log10(high)) - from + 1 }, (_, i) =>
      steps.map((step) => Number(`${step}e${from + i}`)),
    ).flat();
    const first = all.findLastIndex((value) => value <= low);
    const last = all.findIndex((value) => value >= high);
    const values = all.slice(first, last + 1);
    if (values.length >= 3 && (values.length <= count + 2 || steps.length === 1)) return values;
  }
  return undefined;
}

function roundValues([low, high]: readonly [number, number], count: number): readonly number[] {
  // d3 rounds the ends, and then chooses ticks for the rounded ends; with some counts the ticks miss the ends.
  for (let tried = count; tried < count + 10; tried += 1) {
    const values = scaleLinear().domain([low, high]).nice(tried).ticks(tried);
    const [first = high, last = low] = [values[0], values.at(-1)];
    if (first <= low && last >= high) return values;
  }
  return [low, high];
}

function widen(low: number, high: number): readonly [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > size * resolution) return [low, high];
  const margin = size === 0 ? 1 : size / 20;
  return [low - margin, high + margin];
}

function linearScale(first: number, last: number): (value: number) => number {
  return (value) => (first === last ? 0.5 : (value - first) / (last - first));
}

/** Numbers from `longNumber`, and steps with more than `mostDecimals` decimals, have labels with a power of ten. */
const [longNumber, mostDecimals] = [1e15, 9];

function labelTicks(values: readonly number[]): readonly AxisTick[] {
  const [first = 0, second = first] = values;
  const nearEnough = Math.abs(second - first) * 1e-6;
  /** Labels values with the fewest digits that tell them apart; undefined if these are more than `most`. */
  const labelled = (text: (value: number, digits: number) => string, most: number) =>
    Array.from({ length: most + 1 }, (_, digits) => values.map((value) => text(value, digits))).find(
      (labels) => values.every((value, i) => Math.abs(Number(labels[i]) - value) <= nearEnough),
    );
  // Not -0.
  const isShort = values.every((value) => Math.abs(value) < longNumber);
  const plain = isShort ? labelled((value, digits) => (value || 0).toFixed(digits), mostDecimals) : undefined;
  const labels =
    plain?.map(grouped) ??
    labelled((value, digits) => (value === 0 ? '0' : value.toExponential(digits).replace('e+', 'e')), 17);
  return values.map((at, i) => ({ at, label: labels?.[i] ?? String(at) }));
}

/** Makes the horizontal axis, with the most ticks that `fits` accepts. */
export function horizontalAxis(range: HorizontalRange, fits: (axis: Axis) => boolean): Axis {
  return range.kind === 'day' ? dayAxis(range.first, range.last, fits) : maturityAxis(range.names, fits);
}

const mostDates = 12;

/** Makes the axis of days, to scale, with ticks of years, months or days; if no two fit, the first and last day. */
function dayAxis(first: number, last: number, fits: (axis: Axis) => boolean): Axis {
  const place = linearScale(first, last);
  const scale = scaleUtc().domain([first * day, last * day]);
  const even = Array.from({ length: mostDates }, (_, i) =>
    scale
      .ticks(mostDates - i)
      .map((date) => date.getTime() / day)
      .filter(Number.isInteger),
  );
  // d3 has no steps between quarters and years; most of two years would have no date.
  for (const days of [...even, ...even.map(everySecond)]) {
    const labels = shortDays(days.map(dayOf));
    const ticks = days.map((at, i) => ({ at, label: labels[i] ?? '' }));
    if (ticks.length > 1 && fits({ ticks, place })) return { ticks, place };
  }
  const ends = [...new Set([first, last])].map((at) => ({ at, label: dayOf(at) }));
  return [ends, ends.slice(-1)].map((ticks) => ({ ticks, place })).find(fits) ?? { ticks: [], place };
}

const day = 86_400_000;

/** Keeps every second day, with a new year if there is one. */
function everySecond(days: readonly number[]): readonly number[] {
  const newYear = days.findIndex((at) => dayOf(at).endsWith('-01-01'));
  return days.filter((_, i) => i % 2 === Math.max(newYear, 0) % 2);
}

function dayOf(at: number): Day {
  return addDays('1970-01-01', at);
}

/** Makes the axis of maturities, evenly spaced, each in the middle of its share; skips labels that do not fit. */
function maturityAxis(names: readonly string[], fits: (axis: Axis) => boolean): Axis {
  const place = (index: number): number => (index + 0.5) / names.length;
  const all = names.map((label, at) => ({ at, label }));
  for (let each = 1; each < names.length; each += 1) {
    const ticks = all.filter(({ at }) => (names.length - 1 - at) % each === 0);
    if (fits({ ticks, place })) return { ticks, place };
  }
  return { ticks: all.slice(-1), place };
}
