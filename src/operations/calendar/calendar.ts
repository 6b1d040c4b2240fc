import {
  certainties,
  keyOfRelease,
  releaseStatuses,
  type ScheduledRelease,
} from '../../domain/calendar/schedule.ts';
import { addDays } from '../../domain/values/date.ts';
import { changedSince, checkVersion, pageOf } from '../envelope.ts';
import { field, nullable, rowsFrom } from '../field.ts';
import { operation } from '../operation.ts';
import { asOfParam, paging, param, textOf } from '../param.ts';
import { existing } from '../series/series.ts';
import { day, filter, seriesId } from '../value.ts';
import { periodField, scheduleIn, zoneField } from './schedule.ts';

const fields = [
  field('date', 'day', 'The day of the release, in the zone of its publisher.'),
  field('time', 'text', 'The time of day there, HH:MM; empty if only the day is known.', { rank: 'high' }),
  zoneField,
  nullable('at', 'moment', 'The date and time in UTC.'),
  field('release', 'text', 'Identifier of the release.', { rank: 'low' }),
  field('name', 'text', 'What is released.', { rank: 'high' }),
  periodField,
  field(
    'status',
    'text',
    'planned; released; passed (nothing proves that it was released); moved; cancelled; vanished (the calendar lists it no more).',
    { choices: releaseStatuses, rank: 'high' },
  ),
  field('since', 'day', 'The day from which the status was known.'),
  field(
    'known_from',
    'day',
    'The first day on which the row was known: the calendar was seen, or it was released.',
  ),
  nullable('moved_to', 'day', 'The day to which the calendar moved the same period.'),
  field(
    'certainty',
    'text',
    'How certain day and time are: official time; usual time (of the release, on an official or proven day); official day; projected.',
    { choices: certainties },
  ),
  field('source', 'text', 'The calendars that list it, and `stored vintages` if they prove it.', {
    rank: 'low',
  }),
  field('evidence', 'text', 'What proves that it was released; empty if nothing does.'),
] as const;

const calendarRow = rowsFrom(fields);

const daysBefore = 7;

const statusNotes = [
  ['passed', 'passed: nothing stored proves a release on the day; a vintage of one of its series would'],
  ['vanished', 'vanished: the calendar lists the day no more, so the release moved or was cancelled'],
] as const;

/** The releases of statistics: planned, made, moved and vanished. */
export const calendar = operation({
  name: 'calendar',
  command: {
    words: 'calendar',
    heading: 'Calendar',
    examples: `
# what was released in the last week, and what is planned (needs a calendar)
asof calendar
# the plans as events for a calendar program (needs a calendar)
asof calendar -o releases.ics
# the days on which GDP was published in 2015
asof calendar --series GDP --from 2015-01-01 --to 2015-12-31
# what was planned for October 2025 as known on the second (needs a calendar)
asof calendar --release "employment situation" --from 2025-10-01 --as-of 2025-10-02
`,
  },
  summary: 'Show when statistics were released, and when they are due',
  description:
    'By day. A plan is known from the day on which a calendar was seen, a release from its own day; what a calendar lists no more has vanished. The default begins a week before the as-of date, which is today by default.',
  path: '/v1/calendar',
  object: 'release_list',
  members: ['as_of'],
  params: {
    from: param(day, 'First day of a release.', undefined, {
      bounds: { field: 'date', is: 'from' },
      ofPeriod: true,
      extension: true,
    }),
    to: param(day, 'Last day of a release.', undefined, {
      bounds: { field: 'date', is: 'to' },
      ofPeriod: true,
      // A service that knows neither day would answer about this week.
      extension: true,
    }),
    release: param(filter, 'A part of the name of a release in any case, or its id.', undefined),
    series: param(
      { ...seriesId, parse: seriesId.check },
      'The releases in which this series appears.',
      undefined,
      { complete: 'ids', namesSeries: true },
    ),
    as_of: asOfParam(),
    ...paging,
  },
  fields,
  columns: ['date', 'time', 'zone', 'name', 'period', 'status', 'certainty', 'source'],
  example: { series: 'GDP', from: '2015-01-01', to: '2015-03-31', limit: '1' },
  byDay: true,
  knownBy: 'known_from',
  boundBy: 'as_of',
  order: [{ field: 'date' }],
  identity: ['date', 'release'],
  dependsOnToday: () => true,
  dependsOnNow: (texts) => textOf(texts, 'as_of') === undefined,
  readsCalendars: () => true,
  async remark(rows) {
    const isProven = rows.length > 0 && rows.every(({ source }) => source === 'stored vintages');
    return [
      ...(isProven
        ? ['no calendar lists these days: stored vintages prove them; `asof pull calendar` brings the plans']
        : []),
      ...statusNotes.flatMap(([status, text]) => (rows.some((row) => row.status === status) ? [text] : [])),
    ];
  },
  async whyEmpty(texts, _ask, naming) {
    const begin =
      textOf(texts, 'from') === undefined
        ? ` from a week ago on; ${naming.param('from')} reaches further back`
        : '';
    const [name, id] = ['release', 'series'].map((param) => textOf(texts, param));
    const named = name === undefined ? '' : ` whose name has ${JSON.stringify(name)}`;
    const ofSeries = id === undefined ? '' : ` in which ${id} appears`;
    return `no release${named}${ofSeries} is known${begin}; \`asof pull calendar\` brings the calendars of the BLS and the BEA`;
  },
  async run({ from: asked, to, release, series: id, as_of, limit }, { view, position, clock }) {
    const asOf = as_of ?? clock.today;
    const from = asked ?? (to === undefined ? addDays(asOf, -daysBefore) : undefined);
    const { revision } = await view.state();
    checkVersion(position, revision);
    const series = id === undefined ? undefined : existing(await view.series.find(id), id);
    const now = as_of === undefined ? clock.now : undefined;
    const found = (await scheduleIn(view, { series, from, to, asOf, now })).filter((one) =>
      isMeant(one, release),
    );
    const [last, day = asOf] = position?.key ?? [];
    const begin = last === undefined ? 0 : found.findIndex((one) => keyOfRelease(one) === last) + 1;
    // Past midnight, other rows have other states; without the row of the cursor, the list would begin again.
    if (day !== asOf || (last !== undefined && begin === 0)) throw changedSince();
    return {
      ...pageOf(found.slice(begin, begin + limit + 1), limit, rowOf, (one) => ({
        key: as_of === undefined ? [keyOfRelease(one), asOf] : [keyOfRelease(one)],
        version: revision,
      })),
      ...(as_of !== undefined && { as_of }),
    };
  },
});

function isMeant({ release: { id, name } }: ScheduledRelease, text: string | undefined): boolean {
  if (text === undefined) return true;
  const asked = text.trim().toLowerCase();
  return id === asked || name.toLowerCase().includes(asked);
}

function rowOf({ day: date, at, release, sources, ...rest }: ScheduledRelease) {
  const own = { date, at: at === '' ? undefined : at, release: release.id, name: release.name };
  return calendarRow({ ...own, source: sources.join('; ') }, rest);
}
