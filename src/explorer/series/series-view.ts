import { html } from 'htm/preact';
import type { TargetedEvent, VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { changeBetween } from '../../domain/values/arithmetic.ts';
import { type Day, placeAmong } from '../../domain/values/date.ts';
import { LineChart } from '../chart/line-chart.ts';
import type { PlotValues } from '../chart/plot-data.ts';
import { DataRow, type DataSource } from '../controls/data-row.ts';
import { DataTable } from '../controls/data-table.ts';
import { DaySlider, useMoved } from '../controls/day-slider.ts';
import { Check, Choice, DayField, Field, Offer } from '../controls/fields.ts';
import { endText, frequencyNames } from '../controls/series-search.ts';
import { type LoadedSeries, loadSeries, positionOf, UnknownSeries } from '../history.ts';
import {
  type AskedParams,
  cell,
  type OpenedView,
  orNothing,
  type PageContext,
  ServiceFailure,
  useAnswer,
} from '../page-service.ts';
import { type PageState, ranges, unitChoices } from '../state.ts';
import { RevisionsPanel } from './revisions-panel.ts';
import {
  canBeLog,
  chartOf,
  hideable,
  JoinedDates,
  type OtherSeries,
  showsRecessions,
} from './series-chart.ts';
import { firstShownDay, largestRevisions, rangeFor, type ShownRange, ShownValues } from './shown-values.ts';
import { nextText, noteOn, sentenceOf, vintagesText, vintageText } from './words.ts';

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
  const other = useOther(state.with, units, series, context);
  const faint = useFaint(values, series, state, other?.joined);
  const { description, subtitle, tipOf, ...chart } = chartOf({
    series,
    values,
    state,
    asOf,
    range,
    known,
    faint,
    other,
  });
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
  const bar = useMemo(() => html`<${ChartBar} ...${{ values, context, state }} />`, [values, context, state]);
  const legend = useMemo(
    () => html`<${Legend} ...${{ series, context, state }} />`,
    [series, context, state],
  );
  const facts = [
    cell(about, 'units'),
    frequencyNames[cell(about, 'frequency')] ?? '',
    cell(about, 'source'),
    vintagesText(series),
  ];
  const words = { title: series.title, subtitle, source: cell(about, 'source') };
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
          <${LineChart} ...${{ chart, description, words, tipOf, drawn }} onPick=${(i: number) => openDate(chart.at[i] ?? '')}
            onZoom=${(from: Day, to: Day) => context.go({ from, to })} />
          ${legend}
        </div>
        ${panel}
      </div>
      <${DataRow} context=${context} sources=${sourcesOf([id, ...(other === undefined ? [] : [other.series.id])], asOf, values.units, askedRange(state, range, dates))} drawn=${drawn} />
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

/** Asks for a second series, and offers those that a search finds. */
function OtherField({ context, state }: BarProps): VNode {
  const none: readonly (readonly [id: string, title: string])[] = [];
  const [typed, setTyped] = useState(state.with ?? '');
  const [found, setFound] = useState(none);
  const find = async ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    setTyped(currentTarget.value);
    const q = currentTarget.value.trim();
    if (q === '') return;
    const answer = await orNothing(context.service.search(q, 8));
    setFound(answer?.rows.map((row) => [cell(row, 'id'), cell(row, 'title')]) ?? none);
  };
  const take = ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
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
