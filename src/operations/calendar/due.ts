import { type DueItem, dueItems, overdueAfter } from '../../domain/calendar/due.ts';
import { releaseOfStored } from '../../domain/calendar/releases.ts';
import { keyOfRelease } from '../../domain/calendar/schedule.ts';
import { addDays } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { someOf } from '../../errors/wording.ts';
import type { StoreView } from '../../store/store.ts';
import { field, nullable, type RowFrom, rowsFrom } from '../field.ts';
import { type AskMore, operation } from '../operation.ts';
import { param } from '../param.ts';
import { type Clock, flag } from '../value.ts';
import { scheduleIn, zoneField } from './schedule.ts';

/** The days of calendars that are read before today; annual releases are within them. */
const daysRead = 400;

/** The items that are calendars themselves. */
const calendarSource = 'calendar';

/** Lists the followed items of a store beside what calendars and vintages say of their releases. */
export async function dueIn(
  view: Pick<StoreView, 'calendar' | 'series' | 'sources'>,
  { now, today }: Clock,
): Promise<readonly DueItem[]> {
  const followed = (await view.sources.followed()).filter(({ source }) => source !== calendarSource);
  if (followed.length === 0) return [];
  const ids = followed.map(({ name }) => name);
  const [stored, schedule] = await Promise.all([
    view.series.search({ text: '', ids, limit: ids.length }),
    scheduleIn(view, { from: addDays(today, -daysRead), asOf: today, now }),
  ]);
  const byId = new Map(stored.map((series) => [series.id, series]));
  const items = followed.map(({ source, name, lastRun }) => {
    const series = byId.get(name);
    const release = releaseOfStored(series ?? { id: name, release: '', publishers: source.toUpperCase() });
    return { source, name, release, lastRun, lastVintage: series?.lastVintage };
  });
  return dueItems(items, schedule, now);
}

const fields = [
  field('source', 'text', 'The live source.'),
  field('name', 'text', 'The followed item, in the words of the source.', { rank: 'high' }),
  field('release', 'text', 'What is released; empty if neither the source nor asof knows it.', {
    rank: 'high',
  }),
  nullable('released', 'day', 'The day of the newest release whose time has passed.'),
  field('time', 'text', 'The time of that release, HH:MM; empty if only the day is known.'),
  zoneField,
  nullable('at', 'moment', 'The date and time of that release in UTC.'),
  nullable('last_run', 'moment', 'When the item was pulled last.'),
  nullable('next', 'day', 'The day of the next planned release.'),
  nullable('next_at', 'moment', 'The date and time of the next planned release in UTC.'),
  field(
    'due',
    'boolean',
    `True if it was released after the last pull, or less than ${overdueAfter} hours ago and has no vintage since.`,
  ),
  nullable(
    'overdue',
    'day',
    `The day of the first release after the newest vintage of the series, if it passed more than ${overdueAfter} hours ago.`,
  ),
] as const;

type DueRow = RowFrom<(typeof fields)[number]>;

const dueRow = rowsFrom(fields);

/** The followed items that were released since their last pulls. */
export const due = operation({
  name: 'due',
  command: {
    words: 'due',
    heading: 'Calendar',
    exitsWithoutRows: true,
    examples: `
# what was released since its last pull, or exit code 9 (needs a store that follows something)
asof due
# from cron: pull what was released, again until it has arrived (needs a store that follows something)
asof due --quiet && asof pull --due
# when every followed item is due next (needs a store that follows something)
asof due --every
`,
  },
  summary: 'Show which followed items were released since their last pull',
  description:
    'By calendars and stored vintages. A planned time that has passed counts as released; a plan that has vanished, moved or was cancelled does not. A pull may come before the source has loaded a release: for 24 hours, it stays due until its vintage is stored. Of a release without a time, the end of the day counts. Items without a release in a calendar, such as curves and filings, are never due.',
  path: '/v1/calendar/due',
  object: 'due_list',
  dependsOnNow: () => true,
  forOwner: true,
  params: { every: param(flag, 'Also the items that are not due.', undefined) },
  fields,
  columns: ['source', 'name', 'release', 'released', 'time', 'zone', 'last_run', 'next'],
  example: { every: 'true' },
  identity: ['source', 'name'],
  async remark(_rows, _texts, { ask }) {
    const unplanned = (await everyItem(ask)).filter(({ next }) => next === null);
    if (unplanned.length === 0) return [];
    const named = [...groupBy(unplanned, ({ source }) => source)].map(
      ([source, own]) => `${source} ${namesOf(own)}`,
    );
    return [`no calendar has a coming release of ${named.join('; ')}: asof pull brings their news`];
  },
  async whyEmpty(_texts, ask) {
    const items = await everyItem(ask);
    if (items.length === 0)
      return 'the store follows nothing yet; `asof pull` does, such as asof pull fred GDP';
    const coming = items.filter(({ next }) => next !== null);
    const first = coming.map(({ next, next_at: at }) => at ?? next ?? '').sort()[0];
    const soonest = coming.filter(({ next, next_at: at }) => (at ?? next) === first);
    const nothing = 'nothing was released since the last pull';
    if (first === undefined)
      return `${nothing}, and nothing is planned; \`asof pull calendar\` brings the plans`;
    return `${nothing}; the next is ${soonest[0]?.release} on ${first} (${namesOf(soonest)})`;
  },
  async run({ every = false }, { view, clock }) {
    const items = await dueIn(view, clock);
    return { rows: items.filter(({ isDue }) => isDue || every).map(rowOf) };
  },
});

async function everyItem(ask: AskMore): Promise<readonly DueRow[]> {
  return (await ask(due, [['every', 'true']])).results;
}

function namesOf(rows: readonly DueRow[]): string {
  const names = rows.map(({ name }) => name);
  return someOf(names, 5).join(', ');
}

function rowOf({ source, name, release, lastRun, released, next, isDue, overdue }: DueItem) {
  return dueRow(
    { source, name, release: (released ?? next)?.release.name ?? release?.name ?? '', due: isDue },
    {
      released: released?.day,
      time: released?.time ?? '',
      zone: released?.zone ?? '',
      at: released?.at || undefined,
      lastRun: lastRun === undefined ? undefined : `${lastRun.slice(0, 19)}Z`,
      next: next?.day,
      nextAt: next?.at || undefined,
      overdue: overdue?.day,
    },
  );
}

/** Lists the releases that are overdue, each with the number of its items. */
export function overdueIn(items: readonly DueItem[]) {
  const late = items.flatMap(({ overdue }) => overdue ?? []);
  const byRelease = groupBy(late, keyOfRelease);
  return [...byRelease.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : { release: first.release.id, name: first.release.name, date: first.day, items: 1 + others.length },
  );
}
