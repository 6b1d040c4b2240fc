import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { changeBetween } from '../../domain/values/arithmetic.ts';
import type { Day } from '../../domain/values/date.ts';
import { DataList, type DataSource, type Picture } from '../downloads.ts';
import { DayField, DaySlider, useMoved } from '../fields.ts';
import { type LoadedSeries, loadSeries, positionOf } from '../history.ts';
import { LineChart, type PlotData } from '../line-chart.ts';
import {
  type AskedParams,
  cell,
  type OpenedView,
  type PageContext,
  type ServedRow,
} from '../page-service.ts';
import type { PageState } from '../state.ts';
import { DataTable } from './data-table.ts';

const hideable = [
  ['latest', 'Latest'],
  ['first', 'First release'],
] as const;

const heads = ['Date', 'As of', 'Published', 'First release', 'Latest', 'Change', 'Percent'];

/** Opens a series with requests for all its data; each day is then shown without a request. */
export async function openSeries(id: string, context: PageContext): Promise<OpenedView> {
  const series = await loadSeries(id, context.service);
  return {
    title: series.title,
    show: (state) => html`<${SeriesView} ...${{ series, context, state }} />`,
  };
}

type SeriesProps = { readonly series: LoadedSeries; readonly context: PageContext };

function SeriesView({ series, context, state }: SeriesProps & { readonly state: PageState }): VNode {
  const { id, about, next, history, vintages, days, latest, first } = series;
  const { dates } = history;
  const { from, to, date } = state;
  const settled = state['as-of'] ?? days.at(-1) ?? '';
  const [asOf, move] = useMoved(state, settled);
  const vintage = history.on(asOf);
  const known = dates.map((date) => vintage.valueOf(date));
  const hidden = (state.hide ?? '').split(',');
  const toggle = (name: string) => {
    const names = hideable.map(([one]) => one).filter((one) => hidden.includes(one) !== (one === name));
    context.go({ hide: names.join(',') });
  };

  const hideableLine = (name: 'latest' | 'first', label: string, values: readonly (string | null)[]) => {
    return { label, colour: `--${name}`, values, isHidden: hidden.includes(name) };
  };
  const due = cell(next, 'due');
  const chart: PlotData = {
    axis: 'day',
    at: dates,
    from,
    // The next release has room after the newest date.
    to: to ?? (due > (dates.at(-1) ?? '') ? due : undefined),
    lines: [
      { ...hideableLine('latest', 'latest', latest), width: 2 },
      { ...hideableLine('first', 'first release', first), form: 'dots' },
      { label: asOf, colour: '--as-of', width: 2.5, values: known.map((one) => one?.value ?? null) },
    ],
  };
  const marks = [
    { day: asOf, label: `as of ${asOf}` },
    ...(date === undefined ? [] : [{ day: date, label: date }]),
    ...(due === '' ? [] : [{ day: due, label: `next: ${due}` }]),
  ];
  const others = chart.lines.filter(({ isHidden }) => isHidden === false);
  const beside = others.map(({ label }, i) => `${i === 0 ? ', beside' : ' and'} ${label}`);
  const subtitle = `As known on ${asOf}${beside.join('')}`;
  const { newest } = vintage;
  const description =
    newest === undefined
      ? `Chart of ${id}: nothing was known on ${asOf}.`
      : `Chart of ${id} as of ${asOf}: the newest value known is ${vintage.valueOf(newest)?.value} for ${newest}. The table below has all values.`;
  const readout = (i: number | undefined) =>
    i === undefined || dates[i] === undefined
      ? 'A click on a point opens its revisions; dragging selects dates.'
      : [
          dates[i],
          `as of ${asOf}: ${known[i]?.value ?? 'not known'}`,
          `first release: ${first[i] ?? 'not recorded'}`,
          `latest: ${latest[i] ?? 'none'}`,
        ].join(' · ');
  const openDate = (date: Day) => context.go({ date });

  // The dates of the table, newest first.
  const shown = useMemo(() => {
    const isShown = (date = '') => date >= (from ?? '') && date <= (to ?? '9');
    return [...dates.keys()].filter((i) => isShown(dates[i])).reverse();
  }, [dates, from, to]);
  const cellsOf = (row: number) => {
    const i = shown[row] ?? -1;
    const [value, now] = [known[i]?.value, latest[i]];
    const change = value && now ? changeBetween(value, now) : undefined;
    return [dates[i], value, known[i]?.asOf, first[i], now, change?.change, change?.percent].map(
      (text) => text ?? '',
    );
  };

  // The panel follows only the address.
  const panel = useMemo(
    () => html`<${RevisionsPanel} ...${{ series, context, date, asOf: settled }} />`,
    [series, context, date, settled],
  );
  const facts = [cell(about, 'units'), frequencyNames[cell(about, 'frequency')] ?? '', cell(about, 'source')];
  return html`
    <article>
      <h1><span class="id">${id}</span> ${cell(about, 'title')}</h1>
      <p class="facts">${facts.filter((text) => text !== '').join(' · ')}</p>
      <p class="facts">${vintagesText(vintages)}; ticks on the time axis</p>
      ${due !== '' && html`<p class="facts">${nextText(next)}</p>`}
      <${DaySlider} label="As of" days=${days} day=${asOf} about=${vintageText(vintages, positionOf(days, asOf))}
        onMove=${move}
        onSettle=${(day: Day) => context.go({ 'as-of': day }, 'soon')} />
      <p class="note" role="status">${noteOn(asOf, series)}</p>
      <${LineChart} ...${{ chart, marks, ticks: days, description, readout }} onPick=${(i: number) => openDate(dates[i] ?? '')}
        onZoom=${(from: Day, to: Day) => context.go({ from, to })} />
      <div class="controls">
        ${hideable.map(
          ([name, label]) => html`
            <label class="box">
              <input type="checkbox" checked=${!hidden.includes(name)} onChange=${() => toggle(name)} />
              <span class="swatch ${name}" />${label}
            </label>`,
        )}
        <${DayField} label="From" day=${from} onDay=${(from: string) => context.go({ from }, 'soon')} />
        <${DayField} label="To" day=${to} onDay=${(to: string) => context.go({ to }, 'soon')} />
        <button type="button" onClick=${() => context.go({ from: '', to: '' })}>All dates</button>
      </div>
      <${DataList} context=${context} sources=${sourcesOf(id, asOf, state)}
        picture=${pictureOf(series, subtitle, chart, `${id}-as-of-${asOf}`)} />
      ${panel}
      <h2>Values</h2>
      <p class="note">The change is from the value as of the day to the latest value.</p>
      <${DataTable} caption="Values, newest date first; a date opens its revisions" heads=${heads}
        rows=${shown.length} cellsOf=${cellsOf} onOpen=${openDate} />
    </article>`;
}

function sourcesOf(id: string, day: Day, { from, to }: PageState): readonly DataSource[] {
  const source = (name: string, colour: string, params: AskedParams, ending: string) => ({
    name,
    colour,
    words: ['observations', id],
    path: `series/${encodeURIComponent(id)}/observations`,
    params: { ...params, from, to },
    file: `${id}-${ending}`,
  });
  return [
    source('As of', 'as-of', { as_of: day }, `as-of-${day}`),
    source('Latest', 'latest', {}, 'latest'),
    source('First release', 'first', { release: 'first' }, 'first-release'),
  ];
}

/** Returns a picture of a chart; says of vintages that they are samples, in the words of the command line. */
function pictureOf(series: LoadedSeries, subtitle: string, chart: PlotData, file: string): Picture {
  const { id, title, about, vintages } = series;
  const kinds = kindsOf(vintages).map((kind) => `; ${id} is ${kind}`);
  return {
    title,
    subtitle: [subtitle, ...kinds].join(''),
    unit: cell(about, 'units'),
    // Steps have no gaps.
    frequency: chart.lines.some(({ form }) => form === 'steps') ? '' : cell(about, 'frequency'),
    source: cell(about, 'source'),
    chart,
    file,
  };
}

/** Says when the next figure is due, and how old the newest is. */
function nextText(row: ServedRow | undefined): string {
  const [due, time, zone, certainty, ago] = ['due', 'time', 'zone', 'certainty', 'days_ago'].map((name) =>
    cell(row, name),
  );
  const when = time === '' ? due : `${due} at ${time} (${zone})`;
  return `Next release: ${when}, ${certainty}. The newest figure is ${ago} ${ago === '1' ? 'day' : 'days'} old.`;
}

function noteOn(day: Day, { id, about, days: [first = ''] }: LoadedSeries): string {
  const covered = cell(about, 'covered_to');
  if (day < first) return `Nothing was recorded before ${first}, the first vintage.`;
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

/** Lists the kinds of vintages that are not days of publication. */
function kindsOf(vintages: readonly ServedRow[]): readonly string[] {
  const kinds = new Set(vintages.map((row) => cell(row, 'vintage_kind')));
  return Object.keys(kindNotes).filter((kind) => kinds.has(kind));
}

const kindNotes: Readonly<Record<string, string>> = {
  sampled: '; sampled: values may have been published before the vintage that first has them',
  fetched: '; some were fetched: their values may have been published before that day',
};

/** Says how many vintages there are, their days, and their kind if not all are days of publication. */
function vintagesText(vintages: readonly ServedRow[]): string {
  const [first, last] = [vintages[0], vintages.at(-1)].map((row) => cell(row, 'as_of_date'));
  const range =
    vintages.length === 1 ? `1 vintage of ${first}` : `${vintages.length} vintages from ${first} to ${last}`;
  const [kind = ''] = kindsOf(vintages);
  return range + (kindNotes[kind] ?? '');
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

const revisionHeads = ['Published', 'Value', 'Change', 'Percent', 'Days since the first'];

type RevisionsProps = SeriesProps & {
  readonly date: Day | undefined;
  /** On this day, later revisions were unknown. */
  readonly asOf: Day;
};

/** Shows the values published for one date, as steps and as a table. */
function RevisionsPanel({ series, context, date, asOf }: RevisionsProps): VNode {
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
    // The panel is below the chart and above the table, perhaps far from the click.
    section.current?.scrollIntoView({ block: 'nearest' });
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
      ${rows.length > 0 && revisionsOf({ series, context, date, asOf }, rows)}
    </section>`;
}

function revisionsOf(
  { series, context, date = '', asOf }: RevisionsProps,
  rows: readonly ServedRow[],
): VNode {
  const { id, about } = series;
  const days = rows.map((row) => cell(row, 'as_of_date'));
  const values = rows.map((row) => (row.value === null ? null : cell(row, 'value')));
  // The newest value lasts to the end of the coverage.
  const covered = cell(about, 'covered_to');
  const isCovered = covered > (days.at(-1) ?? '');
  const drawn = isCovered ? [...values, values.at(-1)] : values;
  const chart: PlotData = {
    axis: 'day',
    at: isCovered ? [...days, covered] : days,
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
    words: ['revisions', id],
    path: `series/${encodeURIComponent(id)}/revisions`,
    params: { date },
    file: `${id}-revisions-${date}`,
  };
  const subtitle = `The value for ${date} as it was published`;
  const cellsOf = (i: number) => [
    days[i] ?? '',
    values[i] ?? 'withdrawn',
    ...['change', 'percent', 'days'].map((name) => cell(rows[i], name)),
  ];
  return html`
    <div>
      <${LineChart} ...${{ chart, description, readout }} marks=${[{ day: asOf, label: `as of ${asOf}` }]} />
      <${DataList} context=${context} sources=${[source]}
        picture=${pictureOf(series, subtitle, { ...chart, at: days }, source.file)} />
      <${DataTable} caption="Values in the order of their publication" heads=${revisionHeads}
        rows=${rows.length} cellsOf=${cellsOf} />
    </div>`;
}
