import { changeBetween } from '../domain/series/arithmetic.ts';
import type { Day } from '../domain/series/date.ts';
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
import {
  kindsNote,
  type LoadedSeries,
  loadSeries,
  numbersOf,
  positionOf,
  type StatedValue,
} from './history.ts';
import { LineChart } from './line-chart.ts';
import { cell, type PageContext, type ServedRow } from './page-service.ts';
import { RevisionsView } from './revisions-view.ts';
import { commandLine, type PageState, quoted } from './state.ts';

const lines = [
  { label: 'Latest', colour: '--latest', width: 2 },
  { label: 'First release', colour: '--first', form: 'dots' },
  { label: 'As of', colour: '--as-of', width: 2.5 },
] as const;

/** The names in the address of the lines that can be hidden, by their position. */
const hideable = ['latest', 'first'] as const;

const columns = [
  { head: 'Date' },
  ...['As of', 'Published', 'First release', 'Latest', 'Change', 'Percent'].map((head) => ({
    head,
    isNumber: true,
  })),
];

/** The view of a series, all of whose data are requested at once; afterwards each day is shown without a request. */
export async function openSeries(id: string, context: PageContext): Promise<PageView> {
  return new SeriesExplorer(context, await loadSeries(id, context.service));
}

/** A series as of a day, its first releases and latest values beside it, and the revisions of a date. */
class SeriesExplorer implements PageView {
  readonly element: HTMLElement;
  readonly title: string;
  readonly #context: PageContext;
  readonly #series: LoadedSeries;
  readonly #latest: readonly (StatedValue | undefined)[];
  /** The numbers of the lines that are the same on every day. */
  readonly #constant: readonly (readonly (number | null)[])[];
  readonly #days: readonly Day[];
  readonly #chart: LineChart;
  readonly #slider: DaySlider;
  readonly #readout = el('p', { class: 'readout', 'aria-hidden': 'true' });
  readonly #notes = el('p', { class: 'note', role: 'status' });
  readonly #data: DataList;
  readonly #revisions: RevisionsView;
  readonly #from = dayField((from) => this.#context.go({ from }, 'soon'));
  readonly #to = dayField((to) => this.#context.go({ to }, 'soon'));
  readonly #boxes = hideable.map((name) => this.#box(name));
  readonly #table: DataTable;
  /** The numbers of the dates that the table shows, newest first. */
  #rows: readonly number[] = [];
  #state: PageState = { view: 'series' };
  #shown: readonly (StatedValue | undefined)[] = [];
  #asOf: Day = '';

  constructor(context: PageContext, series: LoadedSeries) {
    this.#context = context;
    this.#series = series;
    const { id, about, vintages, history, firstReleases } = series;
    this.#latest = history.latest();
    const first = history.dates.map((date) => firstReleases.get(date));
    this.#constant = [this.#latest.map((one) => one?.value), first].map(numbersOf);
    this.#days = vintages.map((row) => cell(row, 'as_of_date'));
    this.title = `${id}: ${cell(about, 'title')}`;
    this.#slider = new DaySlider('As of', this.#days, {
      onMove: (day) => this.#step(day),
      onSettle: (day) => context.go({ 'as-of': day }, 'soon'),
    });
    this.#chart = new LineChart(lines, 'day', {
      onPick: (i) => context.go({ date: history.dates[i] ?? '' }),
      onHover: (i) => this.#hover(i),
      onZoom: (from, to) => context.go({ from, to }),
    });
    this.#data = new DataList(context.service, () => this.#picture());
    this.#revisions = new RevisionsView(context, series);
    this.#table = new DataTable('Values, newest date first; a date opens its revisions', columns, (i) =>
      context.go({ date: history.dates[this.#rows[i] ?? -1] ?? '' }),
    );
    this.element = this.#layout();
  }

  update(state: PageState): void {
    const { from, to, hide = '' } = state;
    this.#state = state;
    const { dates } = this.#series.history;
    this.#rows = [...dates.keys()].filter((i) => isWithin(dates[i], state)).reverse();
    showIn(this.#from, from ?? '');
    showIn(this.#to, to ?? '');
    const hidden = hideable.flatMap((name, i) => (hide.split(',').includes(name) ? [i] : []));
    for (const [i, box] of this.#boxes.entries()) box.checked = !hidden.includes(i);
    this.#chart.hide(new Set(hidden));
    this.#show(state['as-of'] ?? this.#days.at(-1) ?? '');
    this.#revisions.update(state.date, this.#asOf);
  }

  #layout(): HTMLElement {
    const { id, about, vintages } = this.#series;
    const facts = [cell(about, 'units'), frequencyName(cell(about, 'frequency')), cell(about, 'source')];
    return el(
      'article',
      {},
      el('h1', {}, el('span', { class: 'id' }, id), ' ', cell(about, 'title')),
      el('p', { class: 'facts' }, facts.filter((text) => text !== '').join(' · ')),
      el('p', { class: 'facts' }, vintagesText(vintages)),
      this.#slider.element,
      this.#notes,
      el('figure', {}, this.#chart.element, el('figcaption', {}, this.#readout)),
      el(
        'div',
        { class: 'controls' },
        ...this.#boxes.map((box, i) =>
          el('label', { class: 'box' }, box, el('span', { class: `swatch ${hideable[i]}` }), lines[i]?.label),
        ),
        labelled('From', this.#from),
        labelled('To', this.#to),
        button('All dates', () => this.#context.go({ from: '', to: '' })),
      ),
      this.#data.element,
      this.#revisions.element,
      el('h2', {}, 'Values'),
      el('p', { class: 'note' }, 'The change is from the value as of the day to the latest value.'),
      this.#table.element,
    );
  }

  /** A step of the slider; its script is measured, as it must not hold up the pointer. */
  #step(day: Day): void {
    const start = performance.now();
    this.#show(day);
    // After the drawing, which the chart has put into the same queue.
    queueMicrotask(() => performance.measure('as-of step', { start }));
  }

  #show(day: Day): void {
    const { history, id } = this.#series;
    this.#asOf = day;
    this.#shown = history.asOf(day);
    const position = positionOf(this.#days, day);
    const { from, to, date } = this.#state;
    this.#chart.draw({
      at: history.dates,
      values: [...this.#constant, numbersOf(this.#shown.map((one) => one?.value))],
      from,
      to,
      marks: [{ day, label: `as of ${day}` }, ...(date === undefined ? [] : [{ day: date, label: date }])],
    });
    const newest = this.#shown.findLast((one) => one !== undefined);
    this.#chart.describe(
      newest === undefined
        ? `Chart of ${id}: nothing was known on ${day}.`
        : `Chart of ${id} as of ${day}: the newest value known is ${newest.value} for ${newest.date}. The table below has all values.`,
    );
    this.#slider.show(day, position, vintageText(this.#series, position));
    this.#notes.textContent = this.#noteOn(day);
    this.#data.show(this.#sources(day));
    this.#hover(undefined);
    this.#table.show(this.#rows.length, (row) => this.#rowAt(this.#rows[row] ?? -1));
  }

  #rowAt(i: number): readonly string[] {
    const { history, firstReleases } = this.#series;
    const date = history.dates[i] ?? '';
    const [known, latest] = [this.#shown[i], this.#latest[i]];
    const change = known?.value && latest?.value ? changeBetween(known.value, latest.value) : undefined;
    return [
      date,
      known?.value ?? '',
      known?.asOf ?? '',
      firstReleases.get(date) ?? '',
      latest?.value ?? '',
      change?.change ?? '',
      change?.percent ?? '',
    ];
  }

  #noteOn(day: Day): string {
    const covered = cell(this.#series.about, 'covered_to');
    if (day < (this.#days[0] ?? ''))
      return `Nothing was recorded before ${this.#days[0]}, the first vintage.`;
    return covered !== '' && day > covered ? `The data cover ${this.#series.id} to ${covered}.` : '';
  }

  #hover(index: number | undefined): void {
    const { history, firstReleases } = this.#series;
    const date = index === undefined ? undefined : history.dates[index];
    this.#readout.textContent =
      index === undefined || date === undefined
        ? 'A click on a point opens its revisions; dragging selects dates.'
        : [
            date,
            `as of ${this.#asOf}: ${this.#shown[index]?.value ?? 'not known'}`,
            `first release: ${firstReleases.get(date) ?? 'not recorded'}`,
            `latest: ${this.#latest[index]?.value ?? 'none'}`,
          ].join(' · ');
  }

  #sources(day: Day): readonly DataSource[] {
    const { id } = this.#series;
    const { from, to } = this.#state;
    const words = `observations ${quoted(id)}`;
    type Texts = { readonly [name: string]: string };
    const source = (name: string, colour: string, flags: Texts, params: Texts, ending: string) => ({
      name,
      colour,
      command: commandLine(words, { ...flags, '--from': from, '--to': to, ...this.#context.connection }),
      path: `series/${encodeURIComponent(id)}/observations`,
      params: { ...params, from, to },
      file: `${id}-${ending}`,
    });
    return [
      source('As of', 'as-of', { '--as-of': day }, { as_of: day }, `as-of-${day}`),
      source('Latest', 'latest', {}, {}, 'latest'),
      source('First release', 'first', { '--first-release': '' }, { release: 'first' }, 'first-release'),
    ];
  }

  #picture(): Picture {
    const { id, about, history, firstReleases } = this.#series;
    const { hide = '' } = this.#state;
    const day = this.#asOf;
    const within = history.dates.flatMap((date, i) =>
      isWithin(date, this.#state) ? [[date, i] as const] : [],
    );
    const line = (label: string, valueAt: (date: Day, i: number) => string | null | undefined) => ({
      label,
      values: within.map(([date, i]) => [date, valueAt(date, i) ?? null] as const),
    });
    const hidden = hide.split(',');
    const others = [
      ...(hidden.includes('latest') ? [] : [line('latest', (_, i) => this.#latest[i]?.value)]),
      ...(hidden.includes('first') ? [] : [line('first release', (date) => firstReleases.get(date))]),
    ];
    return {
      title: this.title,
      subtitle: `As known on ${day}${others.length === 0 ? '' : `, beside ${others.map(({ label }) => label).join(' and ')}`}${kindsNote(this.#series)}`,
      axis: 'day',
      form: 'line',
      unit: cell(about, 'units'),
      frequency: cell(about, 'frequency'),
      source: cell(about, 'source'),
      // Later lines cover earlier ones, here as in the page.
      lines: [...others, line(day, (_, i) => this.#shown[i]?.value)],
      file: `${id}-as-of-${day}`,
    };
  }

  #box(name: (typeof hideable)[number]): HTMLInputElement {
    const box = el('input', { type: 'checkbox' });
    return on(box, 'change', () => {
      const hidden = hideable.filter((one, i) =>
        one === name ? !box.checked : this.#boxes[i]?.checked === false,
      );
      this.#context.go({ hide: hidden.join(',') });
    });
  }
}

function isWithin(date: Day | undefined, { from = '', to = '9' }: PageState): boolean {
  return date !== undefined && date >= from && date <= to;
}

/** What the vintage at a position changed; positions before the first have none. */
function vintageText({ vintages }: LoadedSeries, position: number): string {
  const row = vintages[position];
  if (row === undefined) return 'before the first vintage';
  const changes = ['added', 'revised', 'withdrawn'].flatMap((name) =>
    Number(row[name]) > 0 ? [`${cell(row, name)} ${name}`] : [],
  );
  const about = changes.length === 0 ? 'no changes' : changes.join(', ');
  return `vintage ${position + 1} of ${vintages.length}, ${cell(row, 'as_of_date')}: ${about}`;
}

/** A count of vintages and the days of the first and the last, and how they came about. */
function vintagesText(vintages: readonly ServedRow[]): string {
  const [first, last] = [vintages[0], vintages.at(-1)].map((row) => cell(row, 'as_of_date'));
  const range =
    vintages.length === 1 ? `1 vintage of ${first}` : `${vintages.length} vintages from ${first} to ${last}`;
  return range + kindsText(vintages);
}

/** How vintages came about, where they are not all days of publication. */
function kindsText(vintages: readonly ServedRow[]): string {
  const kinds = new Set(vintages.map((row) => cell(row, 'vintage_kind')));
  if (kinds.has('sampled'))
    return '; sampled: values may have been published before the vintage that first has them';
  return kinds.has('fetched')
    ? '; some were fetched: their values may have been published before that day'
    : '';
}

const frequencyNames: Readonly<Record<string, string>> = {
  D: 'daily',
  W: 'weekly',
  BW: 'every two weeks',
  M: 'monthly',
  Q: 'quarterly',
  SA: 'twice a year',
  A: 'annual',
};

/** A frequency code in words; empty if it is unknown. */
function frequencyName(code: string): string {
  return frequencyNames[code] ?? '';
}
