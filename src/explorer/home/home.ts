import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { thenAndNow } from '../../domain/series/in-words.ts';
import { addDays, type Frequency } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { counted, grouped } from '../../errors/wording.ts';
import { aboutOf, endText, SeriesLinks } from '../controls/series-search.ts';
import {
  cell,
  type OpenedView,
  orNothing,
  type PageContext,
  type ServedRow,
  useAnswer,
} from '../page-service.ts';
import { searchOf } from '../state.ts';
import { openComingReleases } from './coming-releases.ts';
import { groupsOf, type SeriesGroup } from './topics.ts';

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
