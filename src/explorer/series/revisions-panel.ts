import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Day, dayInWords, type Frequency } from '../../domain/values/date.ts';
import { periodInWords } from '../../domain/values/period.ts';
import { counted } from '../../errors/wording.ts';
import { LineChart } from '../chart/line-chart.ts';
import type { PlotData } from '../chart/plot-data.ts';
import { DataRow } from '../controls/data-row.ts';
import { DataTable } from '../controls/data-table.ts';
import type { LoadedSeries } from '../history.ts';
import { cell, type PageContext, type ServedRow } from '../page-service.ts';

const heads = ['Published', 'Value', 'Change', 'Percent', 'Days'];

type RevisionsProps = {
  readonly series: LoadedSeries;
  readonly context: PageContext;
  readonly date: Day | undefined;
  /** On this day, later revisions were unknown. */
  readonly asOf: Day;
};

/** Shows the values published for one date, as steps and as a table, beside the chart. */
export function RevisionsPanel({ series, context, date, asOf }: RevisionsProps): VNode {
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(date);
  const opener = useRef<Element>(null);
  // The focus moves into the panel and back; a page that opens with a date shows its chart first.
  useLayoutEffect(() => {
    if (before.current === date) return;
    before.current = date;
    const focused = document.activeElement;
    const isInside = section.current?.contains(focused) === true;
    if (date === undefined) {
      if (isInside && opener.current instanceof HTMLElement) opener.current.focus();
      return;
    }
    if (!isInside) opener.current = focused;
    heading.current?.focus({ preventScroll: true });
    // A date of the table may be far below the panel.
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, [date]);
  const rows = series.revisions
    .filter((row) => row.date === date)
    .toSorted((a, b) => (cell(a, 'as_of_date') < cell(b, 'as_of_date') ? -1 : 1));
  const said = date === undefined || rows.length > 0 ? '' : `No value was published for ${date}.`;
  return html`
    <section class="panel" aria-label="Revisions" hidden=${date === undefined} ref=${section}>
      <div class="heading">
        <h2 tabindex="-1" ref=${heading}>Revisions of ${date}</h2>
        <button type="button" onClick=${() => context.go({ date: '' })}>Close</button>
      </div>
      <p role="status" class="note">${said}</p>
      ${rows.length > 0 && html`<${Revisions} ...${{ series, context, date, asOf, rows }} />`}
    </section>`;
}

function Revisions({
  series,
  context,
  date = '',
  asOf,
  rows,
}: RevisionsProps & { readonly rows: readonly ServedRow[] }): VNode {
  const { id, about, title } = series;
  const drawn = useRef<LineChart>(null);
  const days = rows.map((row) => cell(row, 'as_of_date'));
  const values = rows.map((row) => (row.value === null ? null : cell(row, 'value')));
  // The newest value lasts to the end of the coverage.
  const covered = cell(about, 'covered_to');
  const isCovered = covered > (days.at(-1) ?? '');
  const chart: PlotData = {
    axis: 'day',
    at: isCovered ? [...days, covered] : days,
    unit: cell(about, 'units'),
    lines: [
      {
        ...{ label: '', colour: '--as-of', width: 2, form: 'steps' },
        values: isCovered ? [...values, values.at(-1)] : values,
      },
    ],
    marks: [{ day: asOf, label: `as of ${asOf}` }],
  };
  const later = days.filter((day) => day > asOf).length;
  const description = `Chart of the ${rows.length} values that were published for ${date}, ${later} of them after ${asOf}. The table below has all.`;
  const tipOf = (i: number) => {
    const row = rows[i] ?? rows.at(-1);
    const change = cell(row, 'change');
    return {
      heading: `published ${cell(row, 'as_of_date')}`,
      rows: [
        { label: 'Value', value: cell(row, 'value') || 'withdrawn', colour: 'as-of' },
        ...(change === '' ? [] : [{ label: 'Change', value: `${change} (${cell(row, 'percent')} %)` }]),
      ],
    };
  };
  const source = {
    name: 'Revisions',
    words: ['revisions', id],
    path: `series/${encodeURIComponent(id)}/revisions`,
    params: { date },
    file: `${id}-revisions-${date}`,
  };
  const cellsOf = (i: number) => [
    days[i] ?? '',
    values[i] ?? 'withdrawn',
    ...['change', 'percent', 'days'].map((name) => cell(rows[i], name)),
  ];
  const period = periodInWords(date, cell(about, 'frequency') as Frequency);
  const words = {
    title,
    subtitle: `The value of ${period} as it was published`,
    source: cell(about, 'source'),
  };
  const known =
    later === rows.length
      ? `Nothing of it was known on ${dayInWords(asOf)}.`
      : `On ${dayInWords(asOf)}, what is left of the dashed line was known; ${counted(later, 'value was', 'values were')} published later.`;
  return html`
    <div>
      <p class="note">${counted(rows.length, 'value was', 'values were')} published for ${period}. ${known}</p>
      <${LineChart} ...${{ chart, description, words, tipOf, drawn }} />
      <${DataRow} context=${context} sources=${[source]} drawn=${drawn} />
      <${DataTable} caption="Values in the order of their publication" heads=${heads} rows=${rows.length} cellsOf=${cellsOf} />
    </div>`;
}
