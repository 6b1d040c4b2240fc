import type { Day } from '../domain/series/date.ts';
import { DataList, type Picture } from './downloads.ts';
import { button, DataTable, el, status } from './elements.ts';
import { kindsNote, type LoadedSeries, numbersOf } from './history.ts';
import { LineChart } from './line-chart.ts';
import { cell, type PageContext, type ServedRow } from './page-service.ts';
import { commandLine, quoted } from './state.ts';

const columns = [
  { head: 'Published' },
  ...['Value', 'Change', 'Percent', 'Days since the first'].map((head) => ({ head, isNumber: true })),
];

/** Every value that was published for one date, as steps, and as a table; hidden without a date. */
export class RevisionsView {
  readonly element = el('section', { class: 'panel', 'aria-label': 'Revisions' });
  readonly #context: PageContext;
  readonly #series: LoadedSeries;
  readonly #heading = el('h2', { tabindex: -1 });
  readonly #chart = new LineChart([{ label: 'Value', colour: '--as-of', width: 2, form: 'steps' }], 'day', {
    onHover: (i) => this.#hover(i),
  });
  readonly #readout = el('p', { class: 'readout', 'aria-hidden': 'true' });
  readonly #data: DataList;
  readonly #table = new DataTable('Values in the order of their publication', columns);
  readonly #none = status();
  readonly #content: HTMLElement;
  #date: Day | undefined;
  /** What had the focus before a date was opened. */
  #opener: Element | null = null;
  #isFirst = true;
  #rows: readonly ServedRow[] = [];

  constructor(context: PageContext, series: LoadedSeries) {
    this.#context = context;
    this.#series = series;
    this.#data = new DataList(context.service, () => this.#picture());
    this.element.hidden = true;
    this.#content = el(
      'div',
      {},
      el('figure', {}, this.#chart.element, el('figcaption', {}, this.#readout)),
      this.#data.element,
      this.#table.element,
    );
    this.element.append(
      el(
        'div',
        { class: 'heading' },
        this.#heading,
        button('Close', () => context.go({ date: '' })),
      ),
      this.#none,
      this.#content,
    );
  }

  /** Shows the revisions of a date; those after `asOf` were still to come on that day. */
  update(date: Day | undefined, asOf: Day): void {
    const isOther = date !== this.#date;
    const before = document.activeElement;
    const isLeft = this.element.contains(before);
    this.#date = date;
    this.element.hidden = date === undefined;
    // A page that opens with a date shows its chart first.
    const moves = isOther && !this.#isFirst;
    this.#isFirst = false;
    if (date === undefined) {
      if (isLeft && this.#opener instanceof HTMLElement) this.#opener.focus();
      return;
    }
    if (isOther && !isLeft) this.#opener = before;
    const { id, revisions } = this.#series;
    this.#rows = revisions
      .filter((row) => row.date === date)
      .toSorted((a, b) => (cell(a, 'as_of_date') < cell(b, 'as_of_date') ? -1 : 1));
    const later = this.#rows.filter((row) => cell(row, 'as_of_date') > asOf).length;
    this.#heading.textContent = `Revisions of ${date}`;
    this.#none.textContent = this.#rows.length === 0 ? `No value was published for ${date}.` : '';
    this.#content.hidden = this.#rows.length === 0;
    this.#draw(asOf);
    this.#chart.describe(
      `Chart of the ${this.#rows.length} values that were published for ${date}, ${later} of them after ${asOf}. The table below has all.`,
    );
    const words = `revisions ${quoted(id)}`;
    this.#data.show([
      {
        name: 'Revisions',
        colour: 'as-of',
        command: commandLine(words, { '--date': date, ...this.#context.connection }),
        path: `series/${encodeURIComponent(id)}/revisions`,
        params: { date },
        file: `${id}-revisions-${date}`,
      },
    ]);
    this.#table.show(this.#rows.length, (i) =>
      ['as_of_date', 'value', 'change', 'percent', 'days'].map((name) =>
        name === 'value' && this.#rows[i]?.value === null ? 'withdrawn' : cell(this.#rows[i], name),
      ),
    );
    this.#hover(undefined);
    if (!moves) return;
    this.#heading.focus({ preventScroll: true });
    // The panel is below the chart, and above the table: what was clicked may be far from it.
    this.element.scrollIntoView({ block: 'nearest' });
  }

  #draw(asOf: Day): void {
    const at = this.#rows.map((row) => cell(row, 'as_of_date'));
    const values = numbersOf(this.#rows.map(({ value }) => (value === null ? null : String(value))));
    const covered = cell(this.#series.about, 'covered_to');
    const last = values.at(-1);
    // The newest value holds to the end of what is known.
    const end = last !== undefined && covered > (at.at(-1) ?? '') ? [[covered, last] as const] : [];
    this.#chart.draw({
      at: [...at, ...end.map(([day]) => day)],
      values: [[...values, ...end.map(([, value]) => value)]],
      marks: [{ day: asOf, label: `as of ${asOf}` }],
    });
  }

  #hover(index: number | undefined): void {
    const row = index === undefined ? undefined : (this.#rows[index] ?? this.#rows.at(-1));
    this.#readout.textContent =
      row === undefined
        ? 'Each step is a publication of another value.'
        : [
            `published ${cell(row, 'as_of_date')}: ${cell(row, 'value') || 'withdrawn'}`,
            ...(cell(row, 'change') === ''
              ? []
              : [`change ${cell(row, 'change')} (${cell(row, 'percent')} %)`]),
          ].join(' · ');
  }

  #picture(): Picture {
    const { id, about } = this.#series;
    return {
      title: `${id}: ${cell(about, 'title')}`,
      subtitle: `The value for ${this.#date} as it was published${kindsNote(this.#series)}`,
      axis: 'day',
      form: 'steps',
      unit: cell(about, 'units'),
      frequency: '',
      source: cell(about, 'source'),
      lines: [
        {
          label: id,
          values: this.#rows.map((row) => [
            cell(row, 'as_of_date'),
            row.value === null ? null : cell(row, 'value'),
          ]),
        },
      ],
      file: `${id}-revisions-${this.#date}`,
    };
  }
}
