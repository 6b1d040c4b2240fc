import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { placeOfZone } from '../../domain/calendar/zones.ts';
import { thenAndNow } from '../../domain/series/in-words.ts';
import { addDays, type Day, type Frequency, shortWeekday, utcDay } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { counted, grouped } from '../../errors/wording.ts';
import { DataRow } from '../controls/data-row.ts';
import { aboutOf, endText, SeriesLinks } from '../controls/series-search.ts';
import {
  cell,
  type OpenedView,
  orNothing,
  type PageContext,
  type ServedRow,
  ServiceFailure,
  useAnswer,
} from '../page-service.ts';
import { searchOf } from '../state.ts';

/** Opens the first page with the series of a store and a difference; the newest values follow. */
export async function openHome(context: PageContext): Promise<OpenedView> {
  const calendar = openComingReleases(context);
  const { rows, hasMore } = await context.service.page('series', { limit: '1000' });
  const groups = groupsOf(rows);
  const [coming, hero] = await Promise.all([calendar, orNothing(heroOf(knownOf(groups)[0], context))]);
  const count = hasMore
    ? 'The first 1,000 series; the search finds the others.'
    : `${counted(rows.length, 'series', 'series')}.`;
  const home = html`<${Home} ...${{ groups, context, coming, hero }} count=${rows.length === 0 ? '' : count} />`;
  return { title: 'Explorer', show: () => home };
}

type HomeProps = {
  readonly groups: readonly SeriesGroup[];
  readonly count: string;
  readonly coming: VNode;
  readonly hero: Hero | undefined;
  readonly context: PageContext;
};

/** The newest values of a series, oldest first, and the date of the last. */
type Preview = { readonly values: readonly string[]; readonly date: string };

/** A sentence about a series, and the day of which it speaks. */
type Hero = { readonly sentence: string; readonly end: string; readonly href: string };

function Home({ groups, count, coming, hero, context }: HomeProps): VNode {
  const known = knownOf(groups);
  const previews = useAnswer('previews', () => orNothing(previewsOf(known, context)), context.fail)?.value;
  return html`
    <article>
      <h1>Economic series as they were known on a day</h1>
      <p class="lead">Choose a series, and move the slider: the chart shows what was known on that day.</p>
      ${hero && html`<p class="sentence hero"><a href=${hero.href}>${hero.sentence}</a> <small>${hero.end}</small></p>`}
      ${groups.length === 0 && html`<p class="facts">There is no series yet: asof import and asof pull add series.</p>`}
      <div class="topics">
        ${groups.map(
          ({ name, known: best }) =>
            best.length > 0 &&
            html`
              <section>
                <h2>${name}</h2>
                <ul class="cards">${best.map((one) => html`<${Card} ...${one} preview=${previews?.get(cell(one.row, 'id'))} />`)}</ul>
              </section>`,
        )}
      </div>
      ${coming}
      ${groups.map(
        ({ name, others }) =>
          others.length > 0 &&
          html`
            <section>
              <h2>${known.length > 0 ? `More: ${name}` : name}</h2>
              <${Others} rows=${others} />
            </section>`,
      )}
      <p class="facts">${count}</p>
    </article>`;
}

/** Lists the best-known series of all groups. */
function knownOf(groups: readonly SeriesGroup[]): readonly ServedRow[] {
  return groups.flatMap((group) => group.known.map(({ row }) => row));
}

function hrefOf(row: ServedRow): string {
  return searchOf({ view: 'series', series: cell(row, 'id') });
}

type CardProps = SeriesGroup['known'][number] & { readonly preview: Preview | undefined };

/** Shows a series with its newest value and a small line of the last years. */
function Card({ name, row, preview }: CardProps): VNode {
  return html`
    <li class="card">
      <a href=${hrefOf(row)}>
        <span class="name">${name}</span>${' '}<span class="id">${cell(row, 'id')}</span>
      </a>
      <p class="newest">
        <b>${grouped(preview?.values.at(-1) ?? '')}</b>${' '}
        <span class="about">${preview?.date}</span>
      </p>
      <${Sparkline} values=${preview?.values ?? []} />
      <p class="about">${aboutOf(row)}</p>
    </li>`;
}

const [sparkWidth, sparkHeight] = [120, 36];

function Sparkline({ values }: { readonly values: readonly string[] }): VNode {
  const numbers = values.map(Number);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const points = numbers.map((value, i) => {
    const x = 2 + ((sparkWidth - 4) * i) / Math.max(1, numbers.length - 1);
    const y = 2 + (sparkHeight - 4) * (1 - (value - least) / (most - least || 1));
    return `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return html`
    <svg class="spark" viewBox="0 0 ${sparkWidth} ${sparkHeight}" aria-hidden="true"><path d=${points.join('')} /></svg>`;
}

const shownOthers = 8;

/** Lists the other series of a group; of many, all only when asked for. */
function Others({ rows }: { readonly rows: readonly ServedRow[] }): VNode {
  const [isAll, setAll] = useState(rows.length <= shownOthers + 1);
  return html`
    <div>
      <${SeriesLinks} class="columns" rows=${isAll ? rows : rows.slice(0, shownOthers)} />
      ${!isAll && html`<button type="button" class="link" onClick=${() => setAll(true)}>${grouped(rows.length - shownOthers)} more</button>`}
    </div>`;
}

/** How a series of a frequency is asked for, to show about ten years; days and weeks as months. */
const previewed: Readonly<Record<string, { readonly limit: string; readonly frequency?: string }>> = {
  D: { limit: '120', frequency: 'm' },
  W: { limit: '120', frequency: 'm' },
  M: { limit: '120' },
  Q: { limit: '40' },
};

async function previewsOf(
  rows: readonly ServedRow[],
  { service }: PageContext,
): Promise<ReadonlyMap<string, Preview>> {
  const byFrequency = groupBy(rows, (row) => cell(row, 'frequency'));
  const answers = await Promise.all(
    [...byFrequency].map(([frequency, own]) => {
      const ids = own.map((row) => cell(row, 'id')).join();
      return service.rows('observations', { ids, ...(previewed[frequency] ?? { limit: '20' }) });
    }),
  );
  const byId = groupBy(answers.flat(), (row) => cell(row, 'series_id'));
  const previewOf = (own: readonly ServedRow[]) => {
    return { values: own.map((row) => cell(row, 'value')).reverse(), date: cell(own[0], 'date').slice(0, 7) };
  };
  return new Map([...byId].map(([id, own]) => [id, previewOf(own)]));
}

/** Says what a value of a series was a year before the newest vintage, and what it is today. */
async function heroOf(row: ServedRow | undefined, { service }: PageContext): Promise<Hero | undefined> {
  const [id, newest] = ['id', 'last_vintage'].map((name) => cell(row, name));
  if (id === undefined || !newest) return undefined;
  const day = addDays(newest, -365);
  const path = `series/${encodeURIComponent(id)}/observations`;
  const {
    rows: [then],
  } = await service.page(path, { as_of: day, limit: '1' });
  const date = cell(then, 'date');
  const now = date === '' ? undefined : (await service.page(path, { from: date, to: date })).rows[0];
  if (now === undefined) return undefined;
  const subject = {
    name: id,
    date,
    frequency: cell(row, 'frequency') as Frequency,
    unit: cell(row, 'units'),
  };
  const sentence = thenAndNow(
    subject,
    { day, value: cell(then, 'value') },
    { day: 'latest', value: cell(now, 'value') },
  );
  return {
    sentence: `${sentence}.`,
    end: endText(row),
    href: searchOf({ view: 'series', series: id, 'as-of': day }),
  };
}

/** In days from today. */
const ahead = 14;

/** Requests the releases of the next two weeks, and returns the strip that shows them. */
async function openComingReleases(context: PageContext): Promise<VNode> {
  const today = utcDay(new Date());
  const range = { from: today, to: addDays(today, ahead) };
  try {
    return stripOf(await context.service.rows('calendar', range), range, context);
  } catch (error) {
    // The rest of the page needs no calendar.
    if (!(error instanceof ServiceFailure)) throw error;
    return html`<p class="note">No calendar: ${error.message}.</p>`;
  }
}

type ShownDays = { readonly from: Day; readonly to: Day };

/** Shows the releases that are planned or made, a list for each day. */
function stripOf(rows: readonly ServedRow[], range: ShownDays, context: PageContext): VNode {
  const open = rows.filter((row) => ['planned', 'released'].includes(cell(row, 'status')));
  const source = {
    name: 'Calendar',
    words: ['calendar'],
    path: 'calendar',
    params: range,
    file: `calendar-${range.from}`,
  };
  const days = [...groupBy(open, (row) => cell(row, 'date'))];
  return html`
    <section aria-label="Coming releases">
      <h2>Coming releases</h2>
      ${
        days.length === 0
          ? html`<p class="note">No calendar of this store lists a release in the next two weeks; asof pull calendar brings the plans.</p>`
          : html`
            <ul class="strip">
              ${days.map(
                ([day, own]) => html`
                  <li>
                    <h3><time datetime=${day}>${shortWeekday(day)} ${day}</time>${day === range.from && ' (today)'}</h3>
                    <ul>${own.map((row) => html`<li>${releaseText(row)}</li>`)}</ul>
                  </li>`,
              )}
            </ul>
            <${DataRow} context=${context} sources=${[source]} />`
      }
    </section>`;
}

/** Says what is released: `08:30 (New York) Employment Situation`; a usual time is about. */
function releaseText(row: ServedRow): string {
  const [time, zone, name, period] = ['time', 'zone', 'name', 'period'].map((field) => cell(row, field));
  const about = cell(row, 'certainty') === 'official time' ? '' : 'about ';
  const when = time === '' ? [] : [`${about}${time} (${placeOfZone(zone ?? '')})`];
  const state = cell(row, 'status') === 'released' ? ['released'] : [];
  return [...when, [name, period].filter((text) => text !== '').join(', '), ...state].join(' · ');
}

type Topic = {
  readonly name: string;
  /** Its best-known series with short names; the first two that a store has are shown with their values. */
  readonly known: Readonly<Record<string, string>>;
  /** Finds its other series by their titles. */
  readonly words: RegExp;
};

/** The subjects of the first page in its order. */
const topics: readonly Topic[] = [
  {
    name: 'Output',
    known: {
      GDP: 'Gross domestic product',
      INDPRO: 'Industrial production',
      GDPC1: 'Real gross domestic product',
    },
    words:
      /gross domestic|industrial production|output|capacity|orders|inventor|sales|income|consumption|investment|profit|saving|activity|business condition/i,
  },
  {
    name: 'Jobs',
    known: { PAYEMS: 'Nonfarm employment', UNRATE: 'Unemployment rate' },
    words: /employ|payroll|job|labou?r|wage|earnings|hours|claims/i,
  },
  {
    name: 'Prices',
    known: { CPIAUCSL: 'Consumer prices', PCEPILFE: 'Core PCE prices', PCEPI: 'PCE prices' },
    words: /price|inflation|deflator|unit labor cost|hicp/i,
  },
  {
    name: 'Rates',
    known: {
      FEDFUNDS: 'Federal funds rate',
      DGS10: '10-year Treasury yield',
      T10Y2Y: '10-year minus 2-year yield',
    },
    words: /yield|interest|treasury|federal funds|money stock|exchange rate/i,
  },
  {
    name: 'Housing',
    known: {
      HOUST: 'Housing starts',
      CSUSHPISA: 'House prices',
      HSN1F: 'New houses sold',
      PERMIT: 'Building permits',
    },
    words: /housing|house|home|mortgage|building permit|construction|residential/i,
  },
  {
    name: 'Trade',
    known: { BOPGSTB: 'Trade balance', BOPTEXP: 'Exports', BOPTIMP: 'Imports', NETEXC: 'Real net exports' },
    words: /export|import|trade balance|current account|balance of payments/i,
  },
];

/** Those whose words say more of a title than those of others: export prices are prices, and exports are no output. */
const bySpecificity = ['Prices', 'Housing', 'Trade', 'Rates', 'Jobs', 'Output'];

type KnownSeries = { readonly name: string; readonly row: ServedRow };

/** Series of one subject: the best known, and the others. */
type SeriesGroup = {
  readonly name: string;
  readonly known: readonly KnownSeries[];
  readonly others: readonly ServedRow[];
};

const mostKnown = 2;

/** Groups series by subject; those without one are grouped by their source. */
export function groupsOf(rows: readonly ServedRow[]): readonly SeriesGroup[] {
  const ordered = bySpecificity.flatMap((name) => topics.filter((topic) => topic.name === name));
  const topicOf = (row: ServedRow) =>
    topics.find(({ known }) => Object.hasOwn(known, cell(row, 'id'))) ??
    ordered.find(({ words }) => words.test(cell(row, 'title')));
  const named = groupBy(rows, topicOf);
  const groups = topics.map((topic) => {
    const own = named.get(topic) ?? [];
    const known = Object.entries(topic.known)
      .flatMap(([id, name]) => own.filter((row) => cell(row, 'id') === id).map((row) => ({ name, row })))
      .slice(0, mostKnown);
    return { name: topic.name, known, others: own.filter((one) => !known.some(({ row }) => row === one)) };
  });
  const rest = groupBy(named.get(undefined) ?? [], (row) => cell(row, 'source') || 'Without a source');
  const bySource = [...rest].map(([source, others]) => ({ name: source, known: [], others }));
  return [...groups, ...bySource].filter(({ known, others }) => known.length + others.length > 0);
}
