import { recessionsOn } from '../../domain/calendar/recessions.ts';
import type { Units } from '../../domain/series/transformation.ts';
import { changeBetween } from '../../domain/values/arithmetic.ts';
import type { Day } from '../../domain/values/date.ts';
import { grouped } from '../../errors/wording.ts';
import type { Tip, TipRow } from '../chart/line-chart.ts';
import type { PlotData, PlotLine, PlotValues } from '../chart/plot-data.ts';
import { type LoadedSeries, positionOf } from '../history.ts';
import { cell } from '../page-service.ts';
import type { PageState } from '../state.ts';
import type { ShownRange, ShownValues } from './shown-values.ts';

/** A series beside another one, in the same units. */
export type OtherSeries = {
  readonly series: LoadedSeries;
  readonly values: ShownValues;
  readonly joined: JoinedDates;
};

/** The dates of two series together; what was placed at them once is not placed again. */
export class JoinedDates {
  /** Ascending. */
  readonly at: readonly Day[];
  readonly #places: readonly (readonly number[])[];
  readonly #placed = new WeakMap<PlotValues, PlotValues>();

  constructor(first: readonly Day[], second: readonly Day[]) {
    this.at = [...new Set([...first, ...second])].sort();
    this.#places = [first, second].map((dates) => {
      const places = new Map(dates.map((date, i) => [date, i]));
      return this.at.map((date) => places.get(date) ?? -1);
    });
  }

  /** Places the values of one of the series at the dates of both. */
  place(values: PlotValues, which: 'first' | 'second' = 'first'): PlotValues {
    const known = this.#placed.get(values);
    if (known !== undefined) return known;
    const places = this.#places[which === 'first' ? 0 : 1] ?? [];
    const placed = places.map((i) => (i < 0 ? undefined : (values[i] ?? null)));
    this.#placed.set(values, placed);
    return placed;
  }
}

export type ChartedSeries = {
  readonly series: LoadedSeries;
  readonly values: ShownValues;
  readonly state: PageState;
  readonly asOf: Day;
  readonly range: ShownRange;
  /** What was known on the day of each date on show. */
  readonly known: ReturnType<ShownValues['on']>;
  readonly other?: OtherSeries | undefined;
  /** The values of every vintage on show, at the dates of the chart. */
  readonly faint: readonly PlotValues[];
};

type SeriesPlot = PlotData & {
  readonly description: string;
  readonly subtitle: string;
  readonly tipOf: (i: number) => Tip | undefined;
};

/** Parts of a chart that a user may hide. */
export const hideable = [
  ['latest', 'Latest'],
  ['first', 'First release'],
  ['recessions', 'U.S. recessions'],
] as const;

/** Makes the chart of a series as of a day, with what is said of it. */
export function chartOf(charted: ChartedSeries): SeriesPlot {
  const { series, values, state, asOf, range, known, other, faint } = charted;
  const { id, days, next } = series;
  const { dates } = series.history;
  const hidden = (state.hide ?? '').split(',');
  const placed = (own: PlotValues) => other?.joined.place(own) ?? own;
  const line = (name: 'latest' | 'first', label: string, own: readonly (string | null)[]) => {
    return { label, colour: `--${name}`, values: placed(own), isHidden: hidden.includes(name) };
  };
  const own = known.map((one) => one?.value ?? null);
  const beside = otherLine(charted);
  const lines: readonly PlotLine[] = [
    { ...line('latest', 'latest', values.latest), width: 2 },
    { ...line('first', 'first release', values.first), form: 'dots' },
    ...(beside === undefined ? [] : [beside]),
    { label: asOf, colour: '--as-of', width: 2.5, values: placed(own) },
  ];
  const due = cell(next, 'due');
  const chart: PlotData = {
    axis: 'day',
    at: other?.joined.at ?? dates,
    ...range,
    lines,
    faint,
    unit: values.unit,
    ...(beside?.isOther === true && { otherUnit: other?.values.unit }),
    isLog: state.log === 'on' && canBeLog(values),
    // Nobody knew on the day how long a recession would last.
    bands: showsRecessions(series, hidden) ? recessionsOn(asOf).map((one) => ({ to: asOf, ...one })) : [],
    ticks: days,
    marks: [
      { day: asOf, label: `as of ${asOf}` },
      ...(state.date === undefined ? [] : [{ day: state.date, label: state.date }]),
      ...(due === '' ? [] : [{ day: due, label: `next: ${due}` }]),
    ],
  };
  const newest = dates[known.findLastIndex((one) => one !== undefined)];
  const description =
    newest === undefined
      ? `Chart of ${id}: nothing was known on ${asOf}.`
      : `Chart of ${id} as of ${asOf}: the newest value known is ${known[dates.indexOf(newest)]?.value} for ${newest}.`;
  return {
    ...chart,
    description,
    subtitle: subtitleOf(charted, chart),
    tipOf: (i) => tipOf(charted, chart, i),
  };
}

/** Tells whether a logarithmic scale can show the values: levels above 0. */
export function canBeLog({ units, latest }: ShownValues): boolean {
  return units === 'lin' && latest.every((value) => value === null || Number(value) > 0);
}

/** Tells whether to shade recessions of the United States, which say nothing of series of other places. */
export function showsRecessions({ about }: Pick<LoadedSeries, 'about'>, hidden: readonly string[]): boolean {
  return !hidden.includes('recessions') && !/\b(?:ECB|Eurostat|OECD)\b/.test(cell(about, 'source'));
}

function otherLine({ other, values, asOf, range }: ChartedSeries): PlotLine | undefined {
  if (other === undefined) return undefined;
  const known = other.values.on(asOf, range).map((one) => one?.value ?? null);
  return {
    ...{ label: other.series.id, colour: '--other', width: 2, values: other.joined.place(known, 'second') },
    ...(other.values.unit !== values.unit && { isOther: true }),
  };
}

function subtitleOf(
  { series, asOf, state, other }: ChartedSeries,
  { lines, bands = [], faint = [], from = '' }: PlotData,
): string {
  const shown = lines.filter(({ isHidden }) => isHidden === false).map(({ label }) => label);
  const beside = shown.map((label, i) => `${i === 0 ? ', beside' : ' and'} ${label}`).join('');
  const isShaded = bands.some(({ to }) => to > from);
  return [
    `As known on ${asOf}${beside}`,
    ...(other === undefined ? [] : [`${other.series.id} as known on the same day`]),
    ...(faint.length === 0 ? [] : [`${faint.length} vintages as faint lines`]),
    ...(state.log === 'on' ? ['logarithmic scale'] : []),
    ...series.kinds.map((kind) => `${series.id} is ${kind}`),
    ...(isShaded ? [`shaded: recessions as announced by NBER up to ${asOf}`] : []),
  ].join('; ');
}

function tipOf(
  { series, values, asOf, known, other }: ChartedSeries,
  { lines, at }: PlotData,
  position: number,
): Tip | undefined {
  const date = at[position];
  if (date === undefined) return undefined;
  // Of two series of different frequencies, one has no value of some dates: that of the date before is still its newest.
  const { dates } = series.history;
  const i = positionOf(dates, date);
  const [then, now] = [known[i]?.value, values.latest[i]];
  const said = (value: string | null | undefined, none: string) => (value ? grouped(value) : none);
  const rows: TipRow[] = [
    { label: `as of ${asOf}`, value: said(then, 'not known'), colour: 'as-of' },
    { label: 'latest', value: said(now, 'none'), colour: 'latest' },
    { label: 'first release', value: said(values.first[i], 'not recorded'), colour: 'first' },
    ...(then !== undefined && now
      ? [{ label: 'latest − as of', value: differenceText(then, now, values.units) }]
      : []),
  ];
  const own = lines.find(({ colour }) => colour === '--other')?.values.slice(0, position + 1);
  const beside = own?.findLast((value) => value !== undefined);
  const others = other && beside ? [{ label: other.series.id, value: grouped(beside), colour: 'other' }] : [];
  const heading = i < 0 || dates[i] === date ? date : `${date}, ${series.id} of ${dates[i]}`;
  return { heading, rows: i < 0 ? others : [...rows, ...others] };
}

function differenceText(then: string, now: string, units: Units): string {
  const { change, percent } = changeBetween(then, now);
  const sign = change.startsWith('-') || Number(change) === 0 ? '' : '+';
  return `${sign}${grouped(change)}${units === 'lin' && percent !== null ? ` (${sign}${Number(percent).toFixed(2)} %)` : ''}`;
}
