import { frequencyOn } from '../../domain/series/series.ts';
import type { Day } from '../../domain/values/date.ts';
import { contradiction } from '../../errors/problem.ts';
import { defined } from '../../platform/defined.ts';
import { checkVersion, countInPage } from '../envelope.ts';
import { operation } from '../operation.ts';
import { paging, param, periodRange, seriesIdParam } from '../param.ts';
import { day, integer } from '../value.ts';
import { revisionFields } from './observations.ts';
import { existing } from './series.ts';

const datesAtOnce = 32;

/** Every value published for one date or each; a withdrawal has none. */
export const revisions = operation({
  name: 'revisions',
  command: {
    words: 'revisions',
    heading: 'Series',
    argument: 'id',
    examples: `
# how often the fourth quarter of 2008 was revised
asof revisions GDP --date 2008-10-01
# the revisions known by the end of 2010, in percent
asof revisions GDP --date 2008-10-01 --as-of 2010-12-31 --columns as_of_date,value,percent
# the same as a chart of steps
asof revisions GDPC1 --date 2008-10-01 --plot
# the first three releases of each quarter, and the newest values
asof revisions GDP --release 1,2,3,final --from 2008-01-01
# how large the revisions are from release to release
asof revisions GDP --stats
`,
  },
  summary: 'Show every value published for each date, and its changes',
  description:
    'Newest date first, and for each date one row for each change, in the order of publication. A withdrawal is a row without a value. A page has whole dates.',
  path: '/v1/series/{id}/revisions',
  object: 'revision_series',
  members: ['covered_to'],
  params: {
    id: seriesIdParam('series_id'),
    date: param(day, 'The only date.', undefined, { bounds: { field: 'date', is: 'equal' }, ofPeriod: true }),
    ...periodRange,
    ...paging,
    limit: param(
      integer(1, 1000),
      'Dates in one page, which has at most 1000 rows unless one date alone has more.',
      100,
    ),
  },
  fields: revisionFields,
  columns: ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source'],
  example: { id: 'GDP', date: '2014-10-01' },
  knownBy: 'as_of_date',
  order: [{ field: 'date', falling: true }, { field: 'as_of_date' }],
  identity: ['date', 'as_of_date'],
  limitCounts: ['date'],
  check: checkDates,
  needsVintageAccess: () => true,
  async run({ id, date, from, to, limit }, { view, position, whole }) {
    const changesOf = async (first?: Day, last?: Day) => {
      const [page, frequencies] = await Promise.all([
        view.series.revisions({ seriesId: id, from: first, to: last }),
        view.series.impliedFrequencies(id),
      ]);
      const { series, rows } = existing(page, id);
      const { units, source } = series;
      const changes = rows.map(({ date, asOfDate, value, kind }) => ({
        date,
        value,
        as_of_date: asOfDate,
        series_id: series.id,
        unit: units,
        // An inferred frequency is the one implied on the day of the row.
        frequency: frequencies.length === 0 ? series.frequency : frequencyOn(frequencies, asOfDate),
        source,
        vintage_kind: kind,
      }));
      return { rows: changes, covered_to: series.coveredTo };
    };
    if (date !== undefined) return changesOf(date, date);
    if (whole === true) return changesOf(from, to);
    const before = position?.key[0];
    const dates = await view.series.dates({
      seriesId: id,
      limit: limit + 1,
      ...defined({ from, to, before }),
    });
    const { series, rows } = existing(dates, id);
    const { version, coveredTo } = series;
    checkVersion(position, version);
    const shown = rows.slice(0, limit);
    const found: Awaited<ReturnType<typeof changesOf>>['rows'][] = [];
    const isFull = () => countInPage(found.map((one) => one.length)) < found.length;
    while (found.length < shown.length && !isFull()) {
      const next = shown.slice(found.length, found.length + datesAtOnce);
      const changes = await changesOf(next.at(-1), next[0]);
      for (const day of next) found.push(changes.rows.filter((row) => row.date === day));
    }
    const count = countInPage(found.map((one) => one.length));
    const last = shown[count - 1];
    return {
      rows: found.slice(0, count).flat(),
      ...(rows.length > count && last !== undefined && { next: { key: [last], version } }),
      covered_to: coveredTo,
    };
  },
});

/** Refuses a date together with a range of dates. */
export function checkDates({
  date,
  from,
  to,
}: { readonly [K in 'date' | 'from' | 'to']: Day | undefined }): void {
  if (date === undefined || (from ?? to) === undefined) return;
  throw contradiction(
    'date',
    ({ param }) => `use either ${param('date')} or ${param('from')} and ${param('to')}`,
  );
}
