import { frequencies, unitOn } from '../../domain/series/series.ts';
import type { Day } from '../../domain/values/date.ts';
import { defined } from '../../platform/defined.ts';
import type { Series, StoredObservation } from '../../store/store.ts';
import { changedSince, checkVersion, countInPage, cutToPage } from '../envelope.ts';
import { extension, field } from '../field.ts';
import { operation, type RowOf } from '../operation.ts';
import {
  checkDates,
  checkKnown,
  knownParams,
  paging,
  param,
  periodRange,
  seriesIdParam,
  textOf,
} from '../param.ts';
import { choice, day, integer } from '../value.ts';
import { type DescribedOnDays, describedOnDays } from './history.ts';
import { existing } from './series.ts';
import { knownAt, vintages } from './vintages.ts';

const date = field('date', 'day', 'The period of the value, as its first day.');

const value = field('value', 'decimal', 'Exact decimal value.', { rank: 'high' });

const about = [
  field(
    'as_of_date',
    'day',
    'The first vintage with this value: the day of its publication, or a later day if the vintage is sampled or fetched.',
  ),
  field('series_id', 'text', 'Identifier of the series.', { mayLack: true }),
  field('unit', 'text', 'Unit of the series.', { mayLack: true, rank: 'low' }),
  field('frequency', 'text', 'Frequency code of the series; empty if unknown.', {
    choices: [...frequencies, ''],
    mayLack: true,
    rank: 'low',
  }),
  field('source', 'text', 'Name of the data source.', { mayLack: true, rank: 'low' }),
] as const;

/** The fields of an observation that may be a withdrawal, which has no value. */
const revisionFields = [
  date,
  { ...value, nullable: true },
  ...about,
  extension(
    'vintage_kind',
    'text',
    'How the vintage of as_of_date came about: exact, fetched, sampled or unknown.',
  ),
] as const;

/** The values of a series, newest date first, as they were known on a day. */
export const observations = operation({
  name: 'observations',
  command: {
    words: 'observations',
    heading: 'Series',
    alias: 'obs',
    argument: 'id',
    examples: `
# GDP as it was known at the end of 30 January 2015
asof observations GDP --as-of 2015-01-30
# inflation as known then: growth from a year ago (asof help units has all)
asof obs CPIAUCSL --units yoy --as-of 2009-01-30 --from 2008-01-01
# first releases of every series whose id begins with PCE
asof obs "PCE*" --first-release --from 2015-01-01 -o first.csv
# a chart; -o unrate.svg makes a file of it
asof obs UNRATE --as-of 2020-06-30 --from 2000-01-01 --plot
# values known at the end of January 2009 beside the latest values
asof obs GDP --as-of 2009-01-30 --vs latest --from 2007-01-01
`,
  },
  summary: 'Show the values of series as they were known on a day',
  description: ({ param }) =>
    `Newest date first, one row for each date that had a value. With ${param('as_of')} or ${param('known_at')} nothing that was published later counts; without them the latest values are the answer. ${param('release', 'first')} gives the first published value of each date.`,
  path: '/v1/series/{id}/observations',
  object: 'observation_series',
  members: ['as_of', 'known_at', 'series', 'vintage', 'covered_to'],
  inContract: true,
  params: {
    id: seriesIdParam('series_id'),
    ...knownParams,
    release: param(choice(['first']), "`first`: each date's first published value.", undefined, {
      flag: 'first-release',
      help: { about: "each date's first published value" },
      extension: true,
    }),
    ...periodRange,
    ...paging,
  },
  fields: [date, value, ...about],
  columns: ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source'],
  example: { id: 'GDP', as_of: '2015-01-30', from: '2014-01-01', to: '2014-12-31', limit: '1' },
  knownBy: 'as_of_date',
  boundBy: 'as_of',
  order: [{ field: 'date', falling: true }],
  identity: ['date'],
  isTransformable: true,
  check: checkKnown,
  readsCalendars: (texts) => textOf(texts, 'known_at') !== undefined,
  async whyEmpty(texts, ask): Promise<string | undefined> {
    const [id = '', from, to] = ['id', 'from', 'to'].map((name) => textOf(texts, name));
    if (from === undefined && to === undefined) return undefined;
    const known = texts.filter(([name]) => ['id', 'as_of', 'known_at', 'release'].includes(name));
    const { results } = await ask(observations, [...known, ['limit', '1']]);
    const newest = results[0]?.date;
    if (typeof newest !== 'string') return undefined;
    if (from !== undefined && from > newest) return `the newest date of ${id} is ${newest}`;
    const { coverage } =
      // The first date may have been published after the as-of date.
      (textOf(texts, 'as_of') ?? textOf(texts, 'known_at')) === undefined
        ? await ask(vintages, Object.entries({ id, limit: '1' }))
        : {};
    const oldest = coverage?.first_date ?? undefined;
    if (to !== undefined && oldest !== undefined && to < oldest) return `${id} begins on ${oldest}`;
    const begin = from ?? oldest;
    const range = `${begin === undefined ? '' : ` from ${begin}`} to ${to ?? newest}`;
    return `${id} has no date${range}; a date is the first day of its period`;
  },
  needsVintageAccess: ({ as_of, known_at, release }) => (as_of ?? known_at ?? release) !== undefined,
  async run({ id, as_of: given, known_at: instant, release, from, to, limit }, { view, position }) {
    const [before, day] = position?.key ?? [];
    const known = instant === undefined ? undefined : await knownAt(view, id, instant);
    const as_of = known?.asOf ?? given;
    // A calendar that was imported between two pages may have moved the day.
    if (known !== undefined && (day ?? known.asOf) !== known.asOf) throw changedSince();
    const firstRelease = release === 'first';
    const [page, described] = await Promise.all([
      view.series.observations({
        ...{ seriesId: id, firstRelease, limit: limit + 1 },
        ...defined({ asOf: as_of, from, to, before }),
      }),
      // First releases are of many vintages.
      firstRelease ? view.series.descriptionChanges(id) : [],
    ]);
    const { series, rows, vintage } = existing(page, id);
    const { title, frequency, units, source, version, coveredTo } = series;
    const { newest, kinds = '' } = vintage;
    checkVersion(position, version);
    const { rows: shown, ...more } = cutToPage(rows, limit, ({ date }) => ({
      key: known === undefined ? [date] : [date, known.asOf],
      version,
    }));
    const common = { series_id: id, frequency, source };
    return {
      rows: rowsFor(rows, common, units, () =>
        shown.map((one) => observationRow(one, unitOn(one.asOfDate, units, described), common)),
      ),
      ...more,
      ...(as_of !== undefined && { as_of, series: { id, title, frequency } }),
      ...(known && { known_at: known.known_at }),
      vintage:
        kinds === ''
          ? { as_of_date: newest?.asOf ?? null, vintage_kind: newest?.kind ?? '' }
          : { as_of_date: null, vintage_kind: kinds },
      covered_to: coveredTo,
    };
  },
});

/** The value of a series for a date. */
export type ObservationRow = RowOf<typeof observations>;

type CommonCells = Pick<Series, 'frequency' | 'source'> & { readonly series_id: string };

function observationRow({ date, value, asOfDate }: StoredObservation, unit: string, common: CommonCells) {
  const { series_id, frequency, source } = common;
  return { date, value, as_of_date: asOfDate, series_id, unit, frequency, source };
}

type MadeRows = CommonCells & {
  readonly units: string;
  readonly rows: readonly ReturnType<typeof observationRow>[];
};

/** The rows of the pages that a store keeps, which it gives again for other days. */
const made = new WeakMap<readonly StoredObservation[], MadeRows>();

/** Returns the rows for stored ones that are frozen as they were made before, if what they have in common is the same. */
function rowsFor(
  stored: readonly StoredObservation[],
  common: CommonCells,
  units: string,
  make: () => MadeRows['rows'],
): MadeRows['rows'] {
  if (!Object.isFrozen(stored)) return make();
  const before = made.get(stored);
  const { frequency, source, series_id } = common;
  const isSame = before?.units === units && before.frequency === frequency && before.source === source;
  if (isSame && before.series_id === series_id) return before.rows;
  const rows = Object.freeze(make());
  made.set(stored, { ...common, units, rows });
  return rows;
}

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
  async run({ id, date, from, to, limit }, { view, position }) {
    let described: Promise<DescribedOnDays> | undefined;
    const changesOf = async (first?: Day, last?: Day) => {
      const found = view.series.history({ seriesId: id, from: first, to: last });
      described ??= describedOnDays(view, id);
      const [page, onDay] = await Promise.all([found, described]);
      const { series, rows, vintages } = existing(page, id);
      const kinds = new Map(vintages.map(({ asOf, kind }) => [asOf, kind]));
      const changes = rows.map(({ date, asOf, value }) => ({
        date,
        value,
        as_of_date: asOf,
        series_id: series.id,
        ...onDay(series, asOf),
        source: series.source,
        vintage_kind: kinds.get(asOf) ?? ('unknown' as const),
      }));
      return { rows: changes, covered_to: series.coveredTo };
    };
    if (date !== undefined) return changesOf(date, date);
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
