import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { thenAndNow } from '../../domain/series/in-words.ts';
import { changeBetween, rounded } from '../../domain/values/arithmetic.ts';
import { type Day, type Frequency, placeAmong } from '../../domain/values/date.ts';
import { LineChart } from '../chart/line-chart.ts';
import { DataRow, type DataSource } from '../controls/data-row.ts';
import { DataTable } from '../controls/data-table.ts';
import { DaySlider, useMoved } from '../controls/day-slider.ts';
import { Offer } from '../controls/fields.ts';
import { endText, frequencyNames } from '../controls/series-search.ts';
import { type LoadedSeries, loadSeries, positionOf } from '../history.ts';
import {
  type AskedParams,
  cell,
  type OpenedView,
  type PageContext,
  type ServedRow,
} from '../page-service.ts';
import { type PageState, unitChoices } from '../state.ts';
import { RevisionsPanel } from './revisions-panel.ts';
import { useSeriesChart } from './series-chart.ts';
import { firstShownDay, largestRevisions, rangeFor, type ShownRange, ShownValues } from './shown-values.ts';

const heads = ['Date', 'As of', 'Published', 'First release', 'Latest', 'Change', 'Percent'];

/** Opens a series with requests for all its data; each day is then shown without a request. */
export async function openSeries(id: string, context: PageContext): Promise<OpenedView> {
  const series = await loadSeries(id, context.service);
  const marks = largestRevisions(series);
  return {
    title: series.title,
    show: (state) => html`<${SeriesView} ...${{ series, marks, context, state }} />`,
  };
}

type SeriesProps = {
  readonly series: LoadedSeries;
  readonly marks: ReturnType<typeof largestRevisions>;
  readonly context: PageContext;
  readonly state: PageState;
};

function SeriesView({ series, marks, context, state }: SeriesProps): VNode {
  const { id, about, next, history, vintages, days } = series;
  const { dates } = history;
  const { date, units } = state;
  const settled = state['as-of'] ?? firstShownDay(days);
  const [asOf, move] = useMoved(state, settled);
  const drawn = useRef<LineChart>(null);
  const values = useMemo(() => new ShownValues(series, units), [series, units]);
  const range = rangeFor(state, dates, asOf, cell(next, 'due'));
  const known = values.on(asOf, range);
  const { other, bar, legend, ...drawing } = useSeriesChart(
    { series, values, state, asOf, range, known },
    context,
  );
  const { latest, first } = values;
  const openDate = (opened: Day) => context.go({ date: opened });

  const shown = rowsOf(dates, known, range);
  const cellsOf = (row: number) => {
    const i = shown[row] ?? -1;
    const [value, now] = [known[i]?.value, latest[i]];
    const change = value && now ? changeBetween(value, now) : undefined;
    const cells = [dates[i], value, known[i]?.asOf, first[i], now, change?.change, change?.percent];
    return cells.slice(0, values.units === 'lin' ? 7 : 6).map((text) => text ?? '');
  };

  // The panel follows only the address.
  const panel = useMemo(
    () => html`<${RevisionsPanel} ...${{ series, context, date, asOf: settled }} />`,
    [series, context, date, settled],
  );
  const facts = [
    cell(about, 'units'),
    frequencyNames[cell(about, 'frequency')] ?? '',
    cell(about, 'source'),
    vintagesText(series),
  ];
  return html`
    <article>
      <h1>${cell(about, 'title') || id} <span class="id">${id}</span></h1>
      <p class="facts">${facts.filter((text) => text !== '').join(' · ')}</p>
      ${cell(next, 'due') !== '' && html`<p class="facts">${nextText(next)}</p>`}
      <p class="sentence">${sentenceOf(series, values, asOf, date)} <small>${endText(about)}</small></p>
      <${DaySlider} label="As of" name="as-of" ...${{ context, days, marks, move }} day=${asOf}
        about=${vintageText(vintages, positionOf(days, asOf))} />
      <p class="note" role="status">${noteOn(asOf, series)}<${Nothing} ...${{ series, context, asOf, range }} isNone=${shown.length === 0} /></p>
      ${bar}
      <div class=${date === undefined ? 'chart' : 'chart beside'}>
        <div>
          <${LineChart} ...${drawing} drawn=${drawn} onPick=${(i: number) => openDate(drawing.chart.at[i] ?? '')}
            onZoom=${(from: Day, to: Day) => context.go({ from, to })} />
          ${legend}
        </div>
        ${panel}
      </div>
      <${DataRow} context=${context} sources=${sourcesOf([id, ...(other === undefined ? [] : [other])], asOf, values.units, askedRange(state, range, dates))} drawn=${drawn} />
      <${DataTable} caption="Values known on ${asOf}, newest first, then those published later; a date opens its revisions, and the change is from then to the latest value"
        heads=${heads.slice(0, values.units === 'lin' ? 7 : 6)} words=${['Date', 'Published']}
        rows=${shown.length} cellsOf=${cellsOf} onOpen=${openDate} />
    </article>`;
}

type NothingProps = Pick<SeriesProps, 'context' | 'series'> & {
  readonly asOf: Day;
  readonly range: ShownRange;
  /** Whether no date is on show. */
  readonly isNone: boolean;
};

/** Says why there is nothing of a day, or of the dates on show, and leads to the nearest. */
function Nothing({ series, context, asOf, range, isNone }: NothingProps): VNode | false {
  const [first = ''] = series.days;
  const { dates } = series.history;
  if (asOf < first)
    return html`Nothing was recorded before ${first}, the first vintage. <${Offer} ...${{ context, change: { 'as-of': first } }}>Show ${first}<//>`;
  return (
    isNone &&
    html`There is no value of ${range.from} to ${range.to}; ${series.id} has values of ${dates[0]} to ${dates.at(-1)}. <${Offer} ...${{ context, change: { from: '', to: '', range: 'max' } }}>Show these<//>`
  );
}

/** Lists the dates on show by their positions, newest first: those known on the day, then those published later. */
function rowsOf(
  dates: readonly Day[],
  known: ReturnType<ShownValues['on']>,
  { from, to }: ShownRange,
): readonly number[] {
  const rows: [number[], number[]] = [[], []];
  const first = placeAmong(dates, from);
  for (let i = positionOf(dates, to); i >= first; i -= 1) rows[known[i] === undefined ? 1 : 0].push(i);
  return rows.flat();
}

/** Returns the dates on show as parameters, without those that change nothing. */
function askedRange({ from, to }: PageState, range: ShownRange, dates: readonly Day[]): AskedDates {
  return {
    from: from ?? (range.from > (dates[0] ?? '') ? range.from : undefined),
    to: to ?? (range.to < (dates.at(-1) ?? '') ? range.to : undefined),
  };
}

type AskedDates = { readonly from: Day | undefined; readonly to: Day | undefined };

/** Returns the data of one series, or of the two that are compared. */
function sourcesOf(
  ids: readonly string[],
  day: Day,
  units: string,
  { from, to }: AskedDates,
): readonly DataSource[] {
  const [id = ''] = ids;
  const isPlain = units === 'lin' && ids.length === 1;
  const source = (name: string, params: AskedParams, ending: string) => ({
    name,
    words: ['observations', ...ids],
    path: isPlain ? `series/${encodeURIComponent(id)}/observations` : 'observations',
    params: {
      ...params,
      ...{ from, to },
      ...(!isPlain && { ids: ids.join() }),
      ...(units !== 'lin' && { units }),
    },
    file: [...ids, ...(units === 'lin' ? [] : [units]), ending].join('-'),
  });
  return [
    source('As of', { as_of: day }, `as-of-${day}`),
    source('Latest', {}, 'latest'),
    source('First release', { release: 'first' }, 'first-release'),
  ];
}

/** Says what a value of a series was on a day, and what it is today; empty if it is not known on both. */
export function sentenceOf(
  series: LoadedSeries,
  values: ShownValues,
  day: Day,
  date: Day | undefined,
): string {
  const { id, about, history } = series;
  const spoken = date ?? history.newestOn(day);
  if (spoken === undefined) return '';
  const then = values.valueOn(day, spoken)?.value;
  const now = values.latest[history.indexOf(spoken)];
  if (then === undefined || !now) return '';
  const { units, unit } = values;
  const name = units === 'lin' ? id : `${id} (${unitChoices.find(([one]) => one === units)?.[1]})`;
  const frequency = cell(about, 'frequency') as Frequency;
  // A computed value has more decimals than one reads.
  const shorter = (value: string) => (units === 'lin' ? value : rounded(value, 2));
  const subject = { name, date: spoken, frequency, unit };
  return `${thenAndNow(subject, { day, value: shorter(then) }, { day: 'latest', value: shorter(now) })}.`;
}

/** Says when the next figure is due, and how old the newest is. */
function nextText(row: ServedRow | undefined): string {
  const [due, time, zone, certainty, ago] = ['due', 'time', 'zone', 'certainty', 'days_ago'].map((name) =>
    cell(row, name),
  );
  const when = time === '' ? due : `${due} at ${time} (${zone})`;
  return `Next release: ${when}, ${certainty}. The newest figure is ${ago} ${ago === '1' ? 'day' : 'days'} old.`;
}

/** Says when the data of a series end, for a day after it. */
function noteOn(day: Day, { id, about }: LoadedSeries): string {
  const covered = cell(about, 'covered_to');
  return covered !== '' && day > covered ? `The data cover ${id} to ${covered}.` : '';
}

/** Says what the vintage at a position changed; positions before the first have none. */
function vintageText(vintages: readonly ServedRow[], position: number): string {
  const row = vintages[position];
  if (row === undefined) return 'before the first vintage';
  const changes = ['added', 'revised', 'withdrawn'].flatMap((name) =>
    Number(row[name]) > 0 ? [`${cell(row, name)} ${name}`] : [],
  );
  const about = changes.join(', ') || 'no changes';
  return `vintage ${position + 1} of ${vintages.length}, ${cell(row, 'as_of_date')}: ${about}`;
}

const kindNotes: Readonly<Record<string, string>> = {
  sampled: '; sampled: values may have been published before the vintage that first has them',
  fetched: '; some were fetched: their values may have been published before that day',
};

/** Says how many vintages there are, their days, and their kind if not all are days of publication. */
function vintagesText({ vintages, kinds: [kind = ''] }: LoadedSeries): string {
  const [first, last] = [vintages[0], vintages.at(-1)].map((row) => cell(row, 'as_of_date'));
  const range =
    vintages.length === 1 ? `1 vintage of ${first}` : `${vintages.length} vintages from ${first} to ${last}`;
  return range + (kindNotes[kind] ?? '');
}
