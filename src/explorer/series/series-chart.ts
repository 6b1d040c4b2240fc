import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { recessionsOn } from '../../domain/calendar/recessions.ts';
import type { Units } from '../../domain/series/transformation.ts';
import { changeBetween } from '../../domain/values/arithmetic.ts';
import type { Day } from '../../domain/values/date.ts';
import { grouped } from '../../errors/wording.ts';
import type { Tip } from '../chart/line-chart.ts';
import type { PlotData, PlotLine, PlotValues } from '../chart/plot-data.ts';
import { Choice, DayField, Field, type InputEvent, Offer } from '../controls/fields.ts';
import { type LoadedSeries, loadSeries, positionOf, UnknownSeries } from '../history.ts';
import { cell, orNothing, type PageContext, ServiceFailure, useAnswer } from '../page-service.ts';
import { type PageState, ranges, unitChoices } from '../state.ts';
import { type ShownRange, ShownValues } from './shown-values.ts';

/** A series beside another one, in the same units. */
type OtherSeries = {
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

type ChartedSeries = {
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

/** Parts of a chart that a user may hide. */
const hideable = [
  ['latest', 'Latest'],
  ['first', 'First release'],
  ['recessions', 'U.S. recessions'],
] as const;

/** Makes the chart of a series as of a day, its controls, and the id of the second series that is beside it. */
export function useSeriesChart(shown: Omit<ChartedSeries, 'faint' | 'other'>, context: PageContext) {
  const { series, values, state } = shown;
  const other = useOther(state.with, state.units, series, context);
  const faint = useFaint(values, series, state, other?.joined);
  const bar = useMemo(() => html`<${ChartBar} ...${{ values, context, state }} />`, [values, context, state]);
  const legend = useMemo(
    () => html`<${Legend} ...${{ series, context, state }} />`,
    [series, context, state],
  );
  return { other: other?.series.id, bar, legend, ...chartOf({ ...shown, faint, other }) };
}

/** Makes the chart of a series as of a day, with what is said of it. */
function chartOf(charted: ChartedSeries) {
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
    chart,
    description,
    words: {
      title: series.title,
      subtitle: subtitleOf(charted, chart),
      source: cell(series.about, 'source'),
    },
    tipOf: (i: number) => tipOf(charted, chart, i),
  };
}

/** Tells whether a logarithmic scale can show the values: levels above 0. */
function canBeLog({ units, latest }: ShownValues): boolean {
  return units === 'lin' && latest.every((value) => value === null || Number(value) > 0);
}

/** Tells whether to shade recessions of the United States, which say nothing of series of other places. */
function showsRecessions({ about }: Pick<LoadedSeries, 'about'>, hidden: readonly string[]): boolean {
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
  const rows: Tip['rows'] = [
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

type BarProps = { readonly context: PageContext; readonly state: PageState };

/** Shows the units, the scale and the dates of the chart. */
function ChartBar({ values, context, state }: BarProps & { readonly values: ShownValues }): VNode {
  const { from, to } = state;
  const isCut = from !== undefined || to !== undefined;
  const log = state.log === 'on';
  return html`
    <div class="controls inline">
      <${Choice} label="Units" options=${unitChoices} value=${values.units}
        onChoose=${(name: string) => context.go({ units: name === 'lin' ? '' : name })} />
      <div class="choice">
        <button type="button" aria-pressed=${log ? 'true' : 'false'} disabled=${!canBeLog(values)}
          onClick=${() => context.go({ log: log ? '' : 'on' })}>Log</button>
      </div>
      <${Choice} label="Years on show" options=${ranges} value=${isCut ? undefined : (state.range ?? '20y')}
        onChoose=${(name: string) => context.go({ range: name === '20y' ? '' : name, from: '', to: '' })} />
      <${DayField} label="From" name="from" day=${from} context=${context} />
      <${DayField} label="To" name="to" day=${to} context=${context} />
    </div>`;
}

/** Shows which lines the chart has, and what else may be in it. */
function Legend({ series, context, state }: BarProps & { readonly series: LoadedSeries }): VNode {
  const hidden = (state.hide ?? '').split(',');
  const toggle = (name: string) => () => {
    const names = hideable.map(([one]) => one).filter((one) => hidden.includes(one) !== (one === name));
    context.go({ hide: names.join(',') });
  };
  const shown = hideable.filter(([name]) => name !== 'recessions' || showsRecessions(series, []));
  const isAll = state.vintages === 'all';
  return html`
    <div class="controls inline">
      ${shown.map(
        ([name, label]) =>
          html`<${Check} label=${label} swatch=${name} isOn=${!hidden.includes(name)} onChange=${toggle(name)} />`,
      )}
      <${Check} label="All vintages" swatch="faint" isOn=${isAll} onChange=${() => context.go({ vintages: isAll ? '' : 'all' })} />
      <${OtherField} key=${state.with} ...${{ context, state }} />
    </div>`;
}

type CheckProps = {
  readonly label: string;
  readonly isOn: boolean;
  /** The class of the colour of its line. */
  readonly swatch: string;
  readonly onChange: () => void;
};

function Check({ label, isOn, swatch, onChange }: CheckProps): VNode {
  return html`
    <label class="box">
      <input type="checkbox" checked=${isOn} onChange=${onChange} />
      <span class="swatch ${swatch}" />${label}
    </label>`;
}

/** Asks for a second series, and offers those that a search finds. */
function OtherField({ context, state }: BarProps): VNode {
  const none: readonly (readonly [id: string, title: string])[] = [];
  const [typed, setTyped] = useState(state.with ?? '');
  const [found, setFound] = useState(none);
  const find = async ({ currentTarget }: InputEvent) => {
    setTyped(currentTarget.value);
    const q = currentTarget.value.trim();
    if (q === '') return;
    const answer = await orNothing(context.service.search(q, 8));
    setFound(answer?.rows.map((row) => [cell(row, 'id'), cell(row, 'title')]) ?? none);
  };
  const take = ({ currentTarget }: InputEvent) =>
    context.go({ with: currentTarget.value.trim().toUpperCase() });
  return html`
    <${Field} label="Compare with">
      <input list="others" size="14" autocomplete="off" spellcheck=${false} placeholder="UNRATE …" value=${typed}
        onInput=${find} onChange=${take} />
      <datalist id="others">${found.map(([id, title]) => html`<option value=${id}>${title}</option>`)}</datalist>
    <//>`;
}

/** Requests a second series; warns if there is none, and offers the nearest. */
function useOther(
  id: string | undefined,
  units: string | undefined,
  { history }: LoadedSeries,
  context: PageContext,
): OtherSeries | undefined {
  const fail = (error: unknown) => {
    if (!(error instanceof ServiceFailure)) return context.fail(error);
    const nearest = error instanceof UnknownSeries ? error.nearest.map((row) => cell(row, 'id')) : [];
    const offers = nearest.map(
      (other) => html` <${Offer} ...${{ context, change: { with: other } }}>Compare with ${other}<//>`,
    );
    context.warn([html`${error.message}.${offers}`]);
  };
  const answer = useAnswer(id, () => loadSeries(id ?? '', context.service), fail);
  const series = answer?.question === id ? answer?.value : undefined;
  return useMemo(() => {
    if (series === undefined) return undefined;
    const joined = new JoinedDates(history.dates, series.history.dates);
    return { series, values: new ShownValues(series, units), joined };
  }, [series, units]);
}

const mostVintages = 400;

/** Returns the values of all vintages on show; of many, as many as a chart can tell apart. */
function useFaint(
  values: ShownValues,
  { days }: LoadedSeries,
  state: PageState,
  joined: JoinedDates | undefined,
): readonly PlotValues[] {
  return useMemo(() => {
    if (state.vintages !== 'all') return [];
    const every = Math.ceil(days.length / mostVintages);
    const some = days.filter((_, i) => (days.length - 1 - i) % every === 0);
    return some.map((day) => {
      const own = values.on(day, { from: '', to: '9' }).map((one) => one?.value ?? null);
      return joined?.place(own) ?? own;
    });
  }, [values, state.vintages, joined]);
}
