import { html } from 'htm/preact';
import type { TargetedEvent, VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { type CurveType, maturitiesOf } from '../../domain/treasury/curve.ts';
import { spreadInBasisPoints } from '../../domain/values/arithmetic.ts';
import { addDays, type Day } from '../../domain/values/date.ts';
import { DataList, type DataSource, type Picture } from '../downloads.ts';
import { DayField, DaySlider, Field, useMoved } from '../fields.ts';
import { positionOf } from '../history.ts';
import { LineChart, type PlotData } from '../line-chart.ts';
import type { OpenedView, PageContext } from '../page-service.ts';
import type { PageState } from '../state.ts';
import { DataTable } from './data-table.ts';

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
  const choose = ({ currentTarget: { value } }: TargetedEvent<HTMLSelectElement>) =>
    context.go({ type: value === 'PAR' ? '' : value });
  return html`
    <${Field} label="Curve">
      <select value=${type} onChange=${choose}>
        <option value="PAR">Par yields</option>
        <option value="TIPS">Real yields (TIPS)</option>
      </select>
    <//>`;
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
  const chart: PlotData = {
    axis: 'maturity',
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
  const readout = (i: number | undefined) => {
    const name = shown[i ?? -1];
    if (name === undefined) return 'Rates in percent by maturity, at even distances.';
    const rateOf = (day: Day, of: CurveRates | undefined) => `${day}: ${of?.get(name) ?? 'none'}`;
    return [name, rateOf(date, curve), ...(vs === undefined ? [] : [rateOf(vs, other)])].join(' · ');
  };

  const missing = [date, vs].flatMap((day) => {
    if (day === undefined || rates.has(day)) return [];
    const before = onOrBefore(day);
    return [
      `There is no curve for ${day}.${before === undefined ? '' : ` The newest curve before it is from ${before}.`}`,
    ];
  });
  const cellsOf = (row: number) => {
    const name = shown[row] ?? '';
    const [rate, compared] = [curve?.get(name), other?.get(name)];
    const change = rate === undefined || compared === undefined ? '' : spreadInBasisPoints(rate, compared);
    return [name, rate ?? '', compared ?? '', change];
  };
  const source = (name: string, colour: string, date: Day): DataSource => ({
    name,
    colour,
    words: ['curve'],
    path: 'treasury/yields/curve',
    params: { date, curve_type: type },
    file: `curve-${type.toLowerCase()}-${date}`,
  });
  const curveSource = source('Curve', 'as-of', date);
  const sources = [curveSource, ...(vs === undefined ? [] : [source('Compared', 'latest', vs)])];
  const picture: Picture = {
    title,
    subtitle: [date, ...(vs === undefined ? [] : [vs])].join(' and '),
    unit: 'Percent',
    frequency: '',
    source: 'U.S. Treasury',
    chart,
    file: curveSource.file,
  };
  const place =
    curve === undefined ? 'not a trade date' : `trade date ${positionOf(days, date) + 1} of ${days.length}`;
  return html`
    <article>
      <h1>${title}</h1>
      <p class="facts">${days.length} trade dates from ${days[0]} to ${newest}; never revised</p>
      <${DaySlider} label="Date" days=${days} day=${date} about="${date}, ${place}"
        onMove=${move}
        onSettle=${(day: Day) => context.go({ date: day }, 'soon')} />
      <p class="note" role="status">${missing.join(' ')}</p>
      <${LineChart} ...${{ chart, description, readout }} />
      <div class="controls">
        <${TypeField} ...${{ type, context }} />
        <${DayField} label="Compare with" day=${vs} onDay=${(day: string) => context.go({ vs: day }, 'soon')} />
        ${compare('A month before', 30)}
        ${compare('A year before', 365)}
        <button type="button" onClick=${() => context.go({ vs: '', date })}>No comparison</button>
      </div>
      <${DataList} ...${{ context, sources, picture }} />
      <h2>Rates</h2>
      <${DataTable} caption="Rates in percent, and the change in basis points" heads=${heads}
        rows=${shown.length} cellsOf=${cellsOf} />
    </article>`;
}
