import { html } from 'htm/preact';
import { Component, createRef, type VNode } from 'preact';
import type { Day } from '../domain/series/date.ts';
import { DataTable } from './data-table.ts';
import { DataList, type Picture } from './downloads.ts';
import { kindsNote, type LoadedSeries } from './history.ts';
import { LineChart, type PlotData } from './line-chart.ts';
import type { PageContext } from './opened-view.ts';
import { cell, type ServedRow } from './page-service.ts';
import { quoted } from './state.ts';

const heads = ['Published', 'Value', 'Change', 'Percent', 'Days since the first'];

type RevisionsPanelProps = {
  readonly series: LoadedSeries;
  readonly context: PageContext;
  readonly date: Day | undefined;
  /** Revisions after this day were still to come on it. */
  readonly asOf: Day;
};

/** Every value that was published for one date, as steps, and as a table; hidden without a date. */
export class RevisionsPanel extends Component<RevisionsPanelProps> {
  readonly #section = createRef<HTMLElement>();
  readonly #heading = createRef<HTMLHeadingElement>();
  /** What had the focus before a date was opened. */
  #opener: Element | null = null;

  /** Moves the focus into the panel and back. A page that opens with a date shows its chart first. */
  override componentDidUpdate({ date: before }: RevisionsPanelProps): void {
    const { date } = this.props;
    if (date === before) return;
    const focused = document.activeElement;
    const isInside = this.#section.current?.contains(focused) === true;
    if (date === undefined) {
      if (isInside && this.#opener instanceof HTMLElement) this.#opener.focus();
      return;
    }
    if (!isInside) this.#opener = focused;
    this.#heading.current?.focus({ preventScroll: true });
    // The panel is below the chart, and above the table: what was clicked may be far from it.
    this.#section.current?.scrollIntoView({ block: 'nearest' });
  }

  render({ series, context, date, asOf }: RevisionsPanelProps): VNode {
    const rows = series.revisions
      .filter((row) => row.date === date)
      .toSorted((a, b) => (cell(a, 'as_of_date') < cell(b, 'as_of_date') ? -1 : 1));
    const said = date === undefined || rows.length > 0 ? '' : `No value was published for ${date}.`;
    return html`
      <section class="panel" aria-label="Revisions" hidden=${date === undefined} ref=${this.#section}>
        <div class="heading">
          <h2 tabindex="-1" ref=${this.#heading}>Revisions of ${date}</h2>
          <button type="button" onClick=${() => context.go({ date: '' })}>Close</button>
        </div>
        <p role="status" class="note">${said}</p>
        ${rows.length > 0 && html`<${Revisions} ...${{ series, context, date, asOf, rows }} />`}
      </section>`;
  }
}

type RevisionsProps = {
  readonly series: LoadedSeries;
  readonly context: PageContext;
  readonly date: Day;
  readonly asOf: Day;
  readonly rows: readonly ServedRow[];
};

function Revisions({ series, context, date, asOf, rows }: RevisionsProps): VNode {
  const { id, about } = series;
  const days = rows.map((row) => cell(row, 'as_of_date'));
  const values = rows.map((row) => (row.value === null ? null : cell(row, 'value')));
  // The newest value holds to the end of what is known.
  const covered = cell(about, 'covered_to');
  const [at, drawn] =
    covered > (days.at(-1) ?? '')
      ? [
          [...days, covered],
          [...values, values.at(-1)],
        ]
      : [days, values];
  const chart: PlotData = {
    axis: 'day',
    at,
    lines: [{ label: id, colour: '--as-of', width: 2, form: 'steps', values: drawn }],
  };
  const later = days.filter((day) => day > asOf).length;
  const description = `Chart of the ${rows.length} values that were published for ${date}, ${later} of them after ${asOf}. The table below has all.`;
  const readout = (i: number | undefined) => {
    if (i === undefined) return 'Each step is a publication of another value.';
    const row = rows[i] ?? rows.at(-1);
    const change = cell(row, 'change');
    return [
      `published ${cell(row, 'as_of_date')}: ${cell(row, 'value') || 'withdrawn'}`,
      ...(change === '' ? [] : [`change ${change} (${cell(row, 'percent')} %)`]),
    ].join(' · ');
  };
  const source = {
    name: 'Revisions',
    colour: 'as-of',
    words: `revisions ${quoted(id)}`,
    path: `series/${encodeURIComponent(id)}/revisions`,
    params: { date },
    file: `${id}-revisions-${date}`,
  };
  const picture: Picture = {
    title: series.title,
    subtitle: `The value for ${date} as it was published${kindsNote(series)}`,
    unit: cell(about, 'units'),
    frequency: '',
    source: cell(about, 'source'),
    chart: { ...chart, at: days },
    file: source.file,
  };
  const cellsOf = (i: number) => [
    days[i] ?? '',
    values[i] ?? 'withdrawn',
    ...['change', 'percent', 'days'].map((name) => cell(rows[i], name)),
  ];
  return html`
    <div>
      <${LineChart} ...${{ chart, description, readout }} marks=${[{ day: asOf, label: `as of ${asOf}` }]} />
      <${DataList} context=${context} sources=${[source]} picture=${picture} />
      <${DataTable} caption="Values in the order of their publication" heads=${heads}
        rows=${rows.length} cellsOf=${cellsOf} />
    </div>`;
}
