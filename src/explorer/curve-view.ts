import { spreadInBasisPoints } from '../domain/series/arithmetic.ts';
import { addDays, type Day } from '../domain/series/date.ts';
import { type CurveType, maturitiesOf } from '../domain/treasury/curve.ts';
import { DataList, type DataSource, type Picture } from './downloads.ts';
import {
  button,
  DataTable,
  DaySlider,
  dayField,
  el,
  labelled,
  on,
  type PageView,
  showIn,
} from './elements.ts';
import { positionOf } from './history.ts';
import { LineChart } from './line-chart.ts';
import type { PageContext } from './page-service.ts';
import { commandLine, type PageState } from './state.ts';

type CurveRates = ReadonlyMap<string, string>;

type Curves = {
  readonly type: CurveType;
  readonly days: readonly Day[];
  readonly rates: ReadonlyMap<Day, CurveRates>;
};

const typeNames = { PAR: 'Treasury par yield curve', TIPS: 'Treasury real yield curve (TIPS)' } as const;

/** The type of curve that a state asks for. */
export function curveTypeOf({ type }: PageState): CurveType {
  return type?.toUpperCase() === 'TIPS' ? 'TIPS' : 'PAR';
}

/** All curves since 1990 exceed the rates that many plans give at once (100,000): each decade is one request. */
const parts: readonly { readonly from?: Day; readonly to?: Day }[] = [
  { to: '1999-12-31' },
  { from: '2000-01-01', to: '2009-12-31' },
  { from: '2010-01-01', to: '2019-12-31' },
  { from: '2020-01-01' },
];

/** The view of all curves of a type, which are requested at once; afterwards each day is shown without a request. */
export async function openCurves(type: CurveType, context: PageContext): Promise<PageView> {
  const answers = await Promise.all(
    parts.map((part) => context.service.columns('treasury/yields', 3, { curve_type: type, ...part })),
  );
  const rows = answers.flat();
  const rates = new Map<Day, Map<string, string>>();
  for (const [day = '', maturity = '', rate = ''] of rows) {
    const known = rates.get(day);
    if (known === undefined) rates.set(day, new Map([[maturity, rate]]));
    else known.set(maturity, rate);
  }
  return new CurveView(context, { type, days: [...rates.keys()].sort(), rates });
}

/** The yield curve of a day compared with that of another. */
class CurveView implements PageView {
  readonly element: HTMLElement;
  readonly title: string;
  readonly #context: PageContext;
  readonly #curves: Curves;
  readonly #maturities: readonly string[];
  readonly #chart: LineChart;
  readonly #slider: DaySlider;
  readonly #readout = el('p', { class: 'readout', 'aria-hidden': 'true' });
  readonly #notes = el('p', { class: 'note', role: 'status' });
  readonly #data: DataList;
  readonly #table: DataTable;
  readonly #vs = dayField((vs) => this.#context.go({ vs }, 'soon'));
  #date: Day = '';
  /** The maturities that the curve or the other has. */
  #shown: readonly string[] = [];
  #other: Day | undefined;

  constructor(context: PageContext, curves: Curves) {
    this.#context = context;
    this.#curves = curves;
    const { type, days } = curves;
    this.title = typeNames[type];
    this.#maturities = maturitiesOf(type);
    this.#slider = new DaySlider('Date', days, {
      onMove: (day) => this.#step(day),
      onSettle: (date) => context.go({ date }, 'soon'),
    });
    this.#chart = new LineChart(
      [
        { label: 'Compared', colour: '--latest', width: 2 },
        { label: 'Curve', colour: '--as-of', width: 2.5 },
      ],
      'name',
      { onHover: (i) => this.#hover(i) },
    );
    this.#data = new DataList(context.service, () => this.#picture());
    this.#table = new DataTable('Rates in percent, and the change in basis points', [
      { head: 'Maturity' },
      ...['Rate', 'Compared', 'Change'].map((head) => ({ head, isNumber: true })),
    ]);
    this.element = this.#layout();
  }

  update(state: PageState): void {
    const { days } = this.#curves;
    const newest = days.at(-1);
    if (newest === undefined) return;
    // A first visit compares with a year before; its address says so, like that of every other state.
    if (state.date === undefined && state.vs === undefined) {
      this.#context.go({ date: newest, vs: this.#onOrBefore(addDays(newest, -365)) ?? '' }, 'replace');
      return;
    }
    this.#other = state.vs;
    showIn(this.#vs, state.vs ?? '');
    this.#show(state.date ?? newest);
  }

  #layout(): HTMLElement {
    const { type, days } = this.#curves;
    const types = el(
      'select',
      {},
      el('option', { value: 'PAR' }, 'Par yields'),
      el('option', { value: 'TIPS' }, 'Real yields (TIPS)'),
    );
    types.value = type;
    on(types, 'change', () => this.#context.go({ type: types.value === 'PAR' ? '' : types.value }));
    if (days.length === 0)
      return el(
        'article',
        {},
        el('h1', {}, this.title),
        el('p', { class: 'facts' }, 'There are no curves of this type.'),
        el('div', { class: 'controls' }, labelled('Curve', types)),
      );
    const compare = (label: string, back: number) =>
      button(label, () => this.#context.go({ vs: this.#onOrBefore(addDays(this.#date, -back)) ?? '' }));
    return el(
      'article',
      {},
      el('h1', {}, this.title),
      el(
        'p',
        { class: 'facts' },
        `${days.length} trade dates from ${days[0]} to ${days.at(-1)}; never revised`,
      ),
      this.#slider.element,
      this.#notes,
      el('figure', {}, this.#chart.element, el('figcaption', {}, this.#readout)),
      el(
        'div',
        { class: 'controls' },
        labelled('Curve', types),
        labelled('Compare with', this.#vs),
        compare('A month before', 30),
        compare('A year before', 365),
        button('No comparison', () => this.#context.go({ vs: '', date: this.#date })),
      ),
      this.#data.element,
      el('h2', {}, 'Rates'),
      this.#table.element,
    );
  }

  #onOrBefore(day: Day): Day | undefined {
    return this.#curves.days[positionOf(this.#curves.days, day)];
  }

  #step(day: Day): void {
    const start = performance.now();
    this.#show(day);
    queueMicrotask(() => performance.measure('curve step', { start }));
  }

  #show(date: Day): void {
    const { days, rates } = this.#curves;
    this.#date = date;
    const position = positionOf(days, date);
    const [curve, other] = [rates.get(date), this.#other === undefined ? undefined : rates.get(this.#other)];
    const shown = this.#maturities.filter((name) => curve?.has(name) === true || other?.has(name) === true);
    this.#shown = shown;
    const numbers = (of: CurveRates | undefined) =>
      shown.map((name) => (of?.has(name) === true ? Number(of.get(name)) : null));
    this.#chart.draw({ at: shown, values: [numbers(other), numbers(curve)] });
    this.#chart.describe(
      curve === undefined
        ? `Chart of the yield curve: there is none of ${date}.`
        : `Chart of the yield curve of ${date}: ${[...curve].map(([name, rate]) => `${name} ${rate}`).join(', ')} percent.`,
    );
    const about = curve === undefined ? 'not a trade date' : `trade date ${position + 1} of ${days.length}`;
    this.#slider.show(date, position, `${date}, ${about}`);
    this.#notes.textContent = [date, this.#other]
      .flatMap((day) => (day !== undefined && !rates.has(day) ? [this.#missing(day)] : []))
      .join(' ');
    this.#data.show(this.#sources());
    this.#table.show(shown.length, (i) => {
      const name = shown[i] ?? '';
      const [rate, compared] = [curve?.get(name), other?.get(name)];
      const change = rate === undefined || compared === undefined ? '' : spreadInBasisPoints(rate, compared);
      return [name, rate ?? '', compared ?? '', change];
    });
    this.#hover(undefined);
  }

  #missing(day: Day): string {
    const before = this.#onOrBefore(day);
    return `There is no curve of ${day}${before === undefined ? '' : `; the one before it is of ${before}`}.`;
  }

  #hover(index: number | undefined): void {
    const { rates } = this.#curves;
    const [curve, other] = [rates.get(this.#date), rates.get(this.#other ?? '')];
    const name = index === undefined ? undefined : this.#shown[index];
    this.#readout.textContent =
      name === undefined
        ? 'Rates in percent by maturity, at even distances.'
        : [
            name,
            `${this.#date}: ${curve?.get(name) ?? 'none'}`,
            ...(this.#other === undefined ? [] : [`${this.#other}: ${other?.get(name) ?? 'none'}`]),
          ].join(' · ');
  }

  #sources(): readonly DataSource[] {
    const { type } = this.#curves;
    const source = (name: string, colour: string, date: Day): DataSource => ({
      name,
      colour,
      command: commandLine('curve', {
        '--date': date,
        '--type': type === 'PAR' ? undefined : 'tips',
        ...this.#context.connection,
      }),
      path: 'treasury/yields/curve',
      params: { date, curve_type: type },
      file: `curve-${type.toLowerCase()}-${date}`,
    });
    const compared = this.#other === undefined ? [] : [source('Compared', 'latest', this.#other)];
    return [source('Curve', 'as-of', this.#date), ...compared];
  }

  #picture(): Picture {
    const { type, rates } = this.#curves;
    const others = this.#other === undefined ? [] : [this.#other];
    return {
      title: this.title,
      subtitle: [this.#date, ...others].join(' and '),
      axis: 'maturity',
      form: 'line',
      unit: 'Percent',
      frequency: '',
      source: 'U.S. Treasury',
      // Later lines cover earlier ones, here as in the page.
      lines: [...others, this.#date].map((day) => ({ label: day, values: [...(rates.get(day) ?? [])] })),
      file: `curve-${type.toLowerCase()}-${this.#date}`,
    };
  }
}
