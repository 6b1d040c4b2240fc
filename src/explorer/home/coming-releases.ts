import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { placeOfZone } from '../../domain/calendar/zones.ts';
import { addDays, type Day, shortWeekday, utcDay } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { DataRow } from '../controls/data-row.ts';
import { cell, type PageContext, type ServedRow, ServiceFailure } from '../page-service.ts';

/** In days from today. */
const ahead = 14;

/** Requests the releases of the next two weeks, and returns the strip that shows them. */
export async function openComingReleases(context: PageContext): Promise<VNode> {
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
