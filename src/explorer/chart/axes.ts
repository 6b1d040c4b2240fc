import type uPlot from 'uplot';
import { shortDays } from '../../domain/values/date.ts';
import { grouped } from '../../errors/wording.ts';
import { colourOf, dayAt, fonts, type PlotData } from './plot-data.ts';

const axisStyle: uPlot.Axis = {
  font: `12px ${fonts}`,
  stroke: () => colourOf('--soft'),
  ticks: { show: true, stroke: () => colourOf('--grid'), width: 1, size: 5 },
  grid: { stroke: () => colourOf('--grid'), width: 1 },
};

const [day, month, year] = [86_400, 86_400 * 30, 86_400 * 365];

/** Steps between dates on an axis, in seconds; those of months and years are about as long. */
const daySteps = [
  ...[1, 2, 3, 5, 7, 10, 15].map((count) => count * day),
  ...[1, 2, 3, 4, 6].map((count) => count * month),
  ...[1, 2, 5, 10, 20, 25, 50, 100].map((count) => count * year),
];

/** Makes the axes of a chart; `names` returns the maturities that are on show when the axis is drawn. */
export function axesOf(data: PlotData, names: () => readonly string[]): uPlot.Axis[] {
  const hasOther = data.lines.some(({ isOther }) => isOther);
  const first = data.axis === 'day' ? dayAxis(data) : maturityAxis(names);
  return [first, valueAxis(false), ...(hasOther ? [valueAxis(true)] : [])];
}

/** Makes the axis of days, with round years; points that are a month apart have no ticks between them. */
function dayAxis({ at }: PlotData): uPlot.Axis {
  const span = Date.parse(at.at(-1) ?? '') - Date.parse(at[0] ?? '');
  const least = span / 1000 / Math.max(1, at.length - 1) > 27 * day ? month : day;
  return {
    ...axisStyle,
    space: (_plot, _axis, first, last) => (last - first > 4 * year ? 56 : 84),
    size: 34,
    incrs: daySteps.filter((step) => step >= least),
    splits: (_plot, _axis, first, last, step) => roundDays(first, last, step),
    values: (_plot, splits) => [...shortDays(splits.map(dayAt))],
  };
}

function roundDays(first: number, last: number, step: number): number[] {
  if (step < month) return multiples(first, last, step);
  const months = step < year ? step / month : (step / year) * 12;
  const place = (seconds: number) => {
    const date = new Date(seconds * 1000);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  const found = multiples(place(first), place(last), months);
  const days = found.map((count) => Date.UTC(Math.floor(count / 12), count % 12) / 1000);
  return days.filter((one) => one >= first && one <= last);
}

function multiples(first: number, last: number, step: number): number[] {
  const begin = Math.ceil(first / step - 1e-9);
  const count = Math.max(0, Math.floor(last / step + 1e-9) - begin + 1);
  return Array.from({ length: count }, (_, i) => (begin + i) * step);
}

function maturityAxis(names: () => readonly string[]): uPlot.Axis {
  return {
    ...axisStyle,
    grid: { show: false },
    size: 34,
    splits: () => names().map((_, i) => i),
    values: (plot) => {
      const width = plot.bbox.width / devicePixelRatio;
      const every = Math.ceil((names().length * 34) / Math.max(1, width));
      return names().map((name, i) => (i % every === 0 ? name : ''));
    },
  };
}

/** Makes the axis of values, to the left, or to the right for the other unit. */
function valueAxis(isOther: boolean): uPlot.Axis {
  const right = { scale: 'other', side: 1, grid: { show: false } };
  return {
    ...axisStyle,
    space: 40,
    ...(isOther && right),
    splits: (plot, _axis, least, most) =>
      roundValues(least, most, Math.max(3, Math.floor(plot.height / 50)), !isOther && isLog(plot)),
    filter: (_plot, splits) => splits,
    values: (_plot, splits) => numberLabels(splits),
    size: (_plot, values) => Math.max(34, ...(values ?? []).map((text) => 16 + 7 * text.length)),
  };
}

function isLog({ scales }: uPlot): boolean {
  return scales.y?.distr === 3;
}

/** Returns at most about `count` round values; over more than a power of ten of a logarithm, 1, 2 and 5 of each. */
function roundValues(least: number, most: number, count: number, isLogarithm: boolean): number[] {
  if (isLogarithm && most / least > 10) {
    const from = Math.floor(Math.log10(least));
    const powers = Array.from({ length: Math.ceil(Math.log10(most)) - from }, (_, i) => from + i);
    const steps = powers.length > 3 ? [1] : [1, 2, 5];
    const found = powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
    return found.filter((value) => value >= least && value <= most);
  }
  const rough = (most - least) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10) * power;
  return multiples(least, most, step);
}

function numberLabels(splits: readonly number[]): string[] {
  const [first = 0, second = first] = splits;
  const step = Math.abs(second - first) || Math.abs(first) || 1;
  const isPlain = splits.every((value) => Math.abs(value) < 1e12) && step >= 1e-7;
  if (!isPlain) return splits.map((value) => (value === 0 ? '0' : value.toExponential(1).replace('e+', 'e')));
  // The fewest decimals that all values need.
  const decimals = [0, 1, 2, 3, 4, 5, 6, 7, 8].find((count) =>
    splits.every((value) => Math.abs(Number(value.toFixed(count)) - value) < step * 1e-6),
  );
  return splits.map((value) => grouped((value || 0).toFixed(decimals ?? 8)));
}
