import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type CurveType, maturitiesOf } from '../../domain/treasury/curve.ts';
import { spreadInBasisPoints } from '../../domain/values/arithmetic.ts';
import { addDays, type Day } from '../../domain/values/date.ts';
import { LineChart } from '../chart/line-chart.ts';
import type { PlotData } from '../chart/plot-data.ts';
import { DataRow, type DataSource } from '../controls/data-row.ts';
import { DataTable } from '../controls/data-table.ts';
import { DaySlider, useMoved } from '../controls/day-slider.ts';
import { Choice, DayField, Offer } from '../controls/fields.ts';
import { positionOf } from '../history.ts';
import type { OpenedView, PageContext } from '../page-service.ts';
import type { PageState } from '../state.ts';

type CurveRates = ReadonlyMap<string, string>;

const titles = { PAR: 'Treasury par yield curve', TIPS: 'Treasury real yield curve (TIPS)' } as const;

const heads = ['Maturity', 'Rate', 'Compared', 'Change'];

/** All curves since 1990 exceed the rows of many plans (100,000): each decade is one request. */
const parts: readonly { readonly from?: Day; readonly to?: Day }[] = [
  { to: '1999-12-31' },
  { from: '2000-01-01', to: '2009-12-31' },
  { from: '2010-01-01', to: '2019-12-31' },
  { from: '2020-01-01' },
];

/** Opens all curves of a type with requests at once; each day is then shown without a request. */
export async function openCurves(state: PageState, context: PageContext): Promise<OpenedView> {
  const type = state.type?.toUpperCase() === 'TIPS' ? 'TIPS' : 'PAR';
  const answers = await Promise.all(
    parts.map((part) => context.service.columns('treasury/yields', 3, { curve_type: type, ...part })),
  );
  const rates = new Map<Day, Map<string, string>>();
  for (const [day = '', maturity = '', rate = ''] of answers.flat())
    rates.set(day, (rates.get(day) ?? new Map()).set(maturity, rate));
  const title = titles[type];
  const days = [...rates.keys()].sort();
  const newest = days.at(-1);
  return {
    title,
    show: (state) => {
      if (newest !== undefined)
        return html`<${CurveView} ...${{ type, title, days, rates, newest, context, state }} />`;
      return html`
        <article>
          <h1>${title}</h1>
          <p class="facts">There are no curves of this type.</p>
          <div class="controls"><${TypeField} ...${{ type, context }} /></div>
        </article>`;
    },
  };
}

function TypeField({ type, context }: Pick<CurveViewProps, 'context' | 'type'>): VNode {
  const options = [
    ['PAR', 'Par yields'],
    ['TIPS', 'Real yields (TIPS)'],
  ] as const;
  const choose = (value: string) => context.go({ type: value === 'PAR' ? '' : value });
  return html`<${Choice} label="Curve" options=${options} value=${type} onChoose=${choose} />`;
}

type CurveViewProps = {
  readonly type: CurveType;
  readonly title: string;
  readonly days: readonly Day[];
  readonly rates: ReadonlyMap<Day, CurveRates>;
  readonly newest: Day;
  readonly context: PageContext;
  readonly state: PageState;
};

function CurveView({ type, title, days, rates, newest, context, state }: CurveViewProps): VNode {
  const [date, move] = useMoved(state, state.date ?? newest);
  const { vs } = state;
  const onOrBefore = (day: Day) => days[positionOf(days, day)];
  // A first visit compares with a year before; like every state, it has its address.
  useLayoutEffect(() => {
    if (state.date === undefined && vs === undefined)
      context.go({ date: newest, vs: onOrBefore(addDays(newest, -365)) ?? '' }, 'replace');
    // The curves of the other type may go on longer.
    if (state.date !== undefined && state.date > newest) {
      const other = vs !== undefined && vs < newest ? vs : addDays(newest, -365);
      context.go({ date: newest, ...(vs !== undefined && { vs: onOrBefore(other) ?? '' }) }, 'replace');
      context.warn([`There is no curve for ${state.date}: these curves end on ${newest}, which is shown.`]);
    }
  }, [state]);
  const compare = (label: string, back: number) => html`
    <button type="button" onClick=${() => context.go({ vs: onOrBefore(addDays(date, -back)) ?? '' })}>
      ${label}
    </button>`;

  const [curve, other] = [rates.get(date), rates.get(vs ?? '')];
  const shown = maturitiesOf(type).filter((name) => curve?.has(name) === true || other?.has(name) === true);
  const line = (label: Day, colour: string, width: number, of: CurveRates | undefined) => {
    return { label, colour, width, values: shown.map((name) => of?.get(name)) };
  };
  const drawn = useRef<LineChart>(null);
  const chart: PlotData = {
    axis: 'maturity',
    unit: 'Percent',
    at: shown,
    lines: [
      { ...line(vs ?? '', '--latest', 2, other), isHidden: vs === undefined },
      line(date, '--as-of', 2.5, curve),
    ],
  };
  const description =
    curve === undefined
      ? `Chart of the yield curve: no curve of ${date}.`
      : `Chart of the yield curve of ${date}: ${[...curve].map(([name, rate]) => `${name} ${rate}`).join(', ')} percent.`;
  const tipOf = (i: number) => {
    const rowOf = (day: Day, colour: string, of: CurveRates | undefined) => {
      return { label: day, colour, value: of?.get(shown[i] ?? '') ?? 'none' };
    };
    const compared = vs === undefined ? [] : [rowOf(vs, 'latest', other)];
    return { heading: shown[i] ?? '', rows: [rowOf(date, 'as-of', curve), ...compared] };
  };

  const missing = [date, vs].flatMap((day, i) => {
    if (day === undefined || rates.has(day)) return [];
    const before = onOrBefore(day) ?? days[0] ?? '';
    const change = i === 0 ? { date: before } : { vs: before };
    return html`There is no curve for ${day}. <${Offer} ...${{ context, change }}>Show ${before}<//> `;
  });
  const cellsOf = (row: number) => {
    const name = shown[row] ?? '';
    const [rate, compared] = [curve?.get(name), other?.get(name)];
    const change = rate === undefined || compared === undefined ? '' : spreadInBasisPoints(rate, compared);
    return [name, rate ?? '', compared ?? '', change];
  };
  const source = (name: string, date: Day): DataSource => ({
    name,
    words: ['curve'],
    path: 'treasury/yields/curve',
    params: { date, curve_type: type },
    file: `curve-${type.toLowerCase()}-${date}`,
  });
  const sources = [source('Curve', date), ...(vs === undefined ? [] : [source('Compared', vs)])];
  const subtitle = [date, ...(vs === undefined ? [] : [vs])].join(' and ');
  const words = { title, subtitle, source: 'U.S. Treasury' };
  const place =
    curve === undefined ? 'not a trade date' : `trade date ${positionOf(days, date) + 1} of ${days.length}`;
  return html`
    <article>
      <h1>${title}</h1>
      <p class="facts">${days.length} trade dates from ${days[0]} to ${newest}; never revised</p>
      <${DaySlider} label="Date" name="date" ...${{ context, days, move }} day=${date} about="${date}, ${place}" />
      <p class="note" role="status">${missing}</p>
      <${LineChart} ...${{ chart, description, words, tipOf, drawn }} />
      <div class="controls">
        <${TypeField} ...${{ type, context }} />
        <${DayField} label="Compare with" name="vs" day=${vs} context=${context} />
        ${compare('A month before', 30)}
        ${compare('A year before', 365)}
        <button type="button" onClick=${() => context.go({ vs: '', date })}>No comparison</button>
      </div>
      <${DataRow} ...${{ context, sources, drawn }} />
      <${DataTable} caption="Rates in percent, and the change in basis points" heads=${heads}
        rows=${shown.length} cellsOf=${cellsOf} />
    </article>`;
}
