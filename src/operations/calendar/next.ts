import { firstOverdue, overdueAfter } from '../../domain/calendar/due.ts';
import { projectedDay, rhythmVintages } from '../../domain/calendar/next.ts';
import { releaseOfStored } from '../../domain/calendar/releases.ts';
import { certainties, type ScheduledRelease } from '../../domain/calendar/schedule.ts';
import { endOfDay, instantText } from '../../domain/calendar/zones.ts';
import { type Day, dayNumber } from '../../domain/values/date.ts';
import { defined } from '../../platform/defined.ts';
import type { VintageCounts } from '../../store/store.ts';
import { field, nullable, type RowFrom, rowsFrom } from '../field.ts';
import { operation } from '../operation.ts';
import { asOfParam, seriesIdParam, textOf } from '../param.ts';
import { existing } from '../series/series.ts';
import { periodField, scheduleIn, zoneField } from './schedule.ts';

const fields = [
  field('series_id', 'text', 'Identifier of the series.'),
  nullable(
    'due',
    'day',
    'The day of the next release, in the zone of its publisher; empty if none is known.',
  ),
  field('time', 'text', 'The time of day there, HH:MM; empty if only the day is known.'),
  zoneField,
  nullable('at', 'moment', 'The date and time in UTC.'),
  field('release', 'text', 'Identifier of the release; empty if unknown.', { rank: 'low' }),
  field('name', 'text', 'What is released; empty if unknown.', { rank: 'low' }),
  periodField,
  field('certainty', 'text', 'As in a calendar; projected is a day by the rhythm of the vintages.', {
    choices: [...certainties, 'projected', ''],
  }),
  field('source', 'text', 'The calendars that list the day, or `its vintages`; empty without a day.', {
    rank: 'low',
  }),
  nullable(
    'overdue_since',
    'day',
    `The first day after the newest vintage on which a release was planned, made or projected, if the as-of date ends more than ${overdueAfter} hours later: its figure is not stored.`,
  ),
  field('newest_date', 'day', 'The newest date with a value.'),
  field('as_of_date', 'day', 'The first vintage with that value.', { happened: true }),
  field('days_ago', 'integer', 'Days since that vintage.'),
  field('reason', 'text', 'Why no day is known; empty with a day.'),
] as const;

const nextRow = rowsFrom(fields);

/** The next release of a series. */
export type NextRelease = RowFrom<(typeof fields)[number]>;

/** The next release of a series, and the age of its newest value. */
export const nextRelease = operation({
  name: 'next_release',
  command: {
    words: 'next',
    heading: 'Calendar',
    argument: 'id',
    examples: `
# when the next figures are due, and how old the newest ones are
asof next GDP CPIAUCSL
# as known on 30 January 2015
asof next GDP UNRATE --as-of 2015-01-30
# with the time in UTC, the release, the calendar, and why no day is known
asof next GDP --columns all
`,
  },
  summary: 'Show when the next figure of a series is due, and how old the newest is',
  description:
    'The next planned day of the release in which a series appears, as calendars listed it by the as-of date (default: today). Where no calendar lists a day, the rhythm of the vintages projects one.',
  path: '/v1/series/{id}/next',
  object: 'next_release',
  members: ['as_of'],
  params: { id: seriesIdParam('series_id'), as_of: asOfParam() },
  fields,
  columns: [
    ...(['series_id', 'due', 'time', 'zone', 'name', 'certainty'] as const),
    ...(['newest_date', 'as_of_date', 'days_ago'] as const),
  ],
  example: { id: 'GDP', as_of: '2015-01-15' },
  knownBy: 'as_of_date',
  boundBy: 'as_of',
  identity: ['series_id'],
  readsCalendars: () => true,
  dependsOnNow: (texts) => textOf(texts, 'as_of') === undefined,
  remark: (rows) => Promise.resolve(rows.flatMap(remarksOn)),
  async whyEmpty(texts) {
    return `nothing was known of ${textOf(texts, 'id')} on ${textOf(texts, 'as_of') ?? 'this day'}`;
  },
  async run({ id, as_of }, { view, clock }) {
    const asOf = as_of ?? clock.today;
    const [found, vintages] = await Promise.all([
      view.series.observations({ seriesId: id, limit: 1, asOf }),
      view.series.vintages({ seriesId: id, limit: rhythmVintages, to: asOf }),
    ]);
    const { series, rows } = existing(found, id);
    const [newest] = rows;
    const days = vintages?.rows ?? [];
    const [last] = days;
    if (newest === undefined || last === undefined) return { rows: [], ...defined({ as_of }) };
    const now = as_of === undefined ? clock.now : undefined;
    const listed = await scheduleIn(view, { series, from: last.asOfDate, asOf, now });
    const { id: release = '', name = '' } = releaseOfStored(series) ?? {};
    const daysAgo = dayNumber(asOf) - dayNumber(newest.asOfDate);
    const own = { seriesId: series.id, newestDate: newest.date, asOfDate: newest.asOfDate, daysAgo };
    return {
      rows: [nextRow({ ...own, release, name }, whenOf(listed, days, asOf))],
      ...defined({ as_of }),
    };
  },
});

const unknown = { time: '', zone: '', period: '', certainty: '', source: '', reason: '' };

/** Returns what a calendar says of the next release, or what the newest vintages, newest first, let expect. */
function whenOf(listed: readonly ScheduledRelease[], vintages: readonly VintageCounts[], asOf: Day) {
  const [last] = vintages;
  const now = instantText(endOfDay(asOf, listed[0]?.release.zone ?? 'UTC'));
  const overdueSince = last && firstOverdue(listed, last.asOfDate, now)?.day;
  const next = listed.find(({ day, status }) => day >= asOf && status === 'planned');
  if (next !== undefined) {
    const { day: due, at, sources, ...when } = next;
    return {
      ...{ due, ...(at !== '' && { at }), time: when.time, zone: when.zone, period: when.period },
      ...{ certainty: when.certainty, source: sources.join('; '), overdueSince, reason: '' },
    };
  }
  const none = { ...unknown, overdueSince };
  if (last !== undefined && last.kind !== 'exact')
    return { ...none, reason: `its newest vintage is ${last.kind}, not of a day of publication` };
  const exact = vintages.filter(({ kind }) => kind === 'exact').map(({ asOfDate }) => asOfDate);
  const projected = projectedDay(exact, asOf);
  if ('reason' in projected) return { ...none, reason: projected.reason };
  const { day: due, passed } = projected;
  const own = { due, certainty: 'projected', source: 'its vintages' };
  return { ...none, ...own, overdueSince: overdueSince ?? passed };
}

function remarksOn({
  series_id: id,
  due,
  certainty,
  overdue_since: since,
  reason,
}: NextRelease): readonly string[] {
  const late =
    since === null
      ? []
      : [
          `${id} was ${certainty === 'projected' ? 'expected around' : 'due on'} ${since}, and no figure since is stored: pull it, or it is late`,
        ];
  if (due === null)
    return [...late, `no calendar lists a next day of ${id}, and none is projected: ${reason}`];
  if (certainty !== 'projected') return late;
  return [
    ...late,
    `no calendar lists a next day of ${id}: ${due} is projected from its vintages; \`asof pull calendar\` brings the plans`,
  ];
}

/** Says in a sentence when the next figure is due; undefined if no day is known. */
export function dueText({ due, time, zone, certainty, name }: NextRelease): string | undefined {
  if (due === null) return undefined;
  if (certainty === 'projected')
    return `the next figure is expected around ${due}, by the rhythm of its vintages`;
  const when = time === '' ? due : `${due} at ${time} (${zone})`;
  return `the next figure is due on ${when}: ${name}, ${certainty}`;
}
