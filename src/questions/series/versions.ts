import { type Ask, type QueryAnswer, rowsOf } from '../../answering/answer.ts';
import type { Demands } from '../../answering/basis.ts';
import { type ComposedRows, composed, eachOf } from '../../answering/composed.ts';
import { descriptionOf, explainSeries, noteBasis, noteRescaling } from '../../answering/notes.ts';
import { countsOwnPeriods, OneFrequency } from '../../answering/one-frequency.ts';
import type { SortOrder, WideRow } from '../../answering/panel.ts';
import { argument, question, transformationIn } from '../../answering/question.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import type { Day } from '../../domain/series/date.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import { type Field, field, nullable, type RowLayout, showing } from '../../operations/field.ts';
import { observations } from '../../operations/figures.ts';
import { type Params, type ParamsOf, type ParamValues, param, periodRange } from '../../operations/param.ts';
import type { ObservationRow } from '../../operations/series/observations.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { choice, integer, type Version, versions as versionsValue } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { knownOnDays, type SeriesArgument, severalSeries, skipMissing, unitsParams } from './shared.ts';

/** What values as of several days may be asked with besides the days. */
export const versionsParams = {
  ...periodRange,
  limit: param(integer(1), 'The newest dates, at most this number.', undefined),
  sort: param(choice(['asc', 'desc']), 'The newest date first unless `asc`.', undefined),
  skip_missing: skipMissing,
  ...unitsParams,
} satisfies Params;

/** The values of a question about several days. */
export type AskedOfDays = ParamValues<Omit<typeof versionsParams, 'limit' | 'sort'>> & {
  readonly limit?: number | undefined;
  readonly sort?: SortOrder | undefined;
  readonly ids: readonly string[];
  readonly days: readonly Version[];
};

const severalDays = argument('days', versionsValue(), 'As-of dates; latest is the newest vintage.', {
  flags: [
    {
      name: 'vintages',
      value: 'dates',
      about: 'one column per as-of date, separated by commas; latest is the newest vintage',
    },
  ],
  read: typedDays,
});

function typedDays(line: TypedLine): readonly Version[] {
  const days = line.versions('vintages') ?? [];
  refuseOthers('vintages', line);
  if (line.has('as-of') || line.has('known-before'))
    throw new Problem('bad-input', '--vintages names the as-of dates: leave out --as-of and --known-before');
  const repeated = days.find((day, i) => days.indexOf(day) < i);
  if (repeated !== undefined) throw new Problem('bad-input', `--vintages names ${repeated} twice`);
  return days;
}

/** Refuses flags of observations that say nothing about values as of several days, which a flag asks for. */
export function refuseOthers(asking: string, line: TypedLine): void {
  for (const flag of ['first-release', 'cursor', 'first'])
    if (line.has(flag)) throw new Problem('bad-input', `--${flag} does not go with --${asking}`);
}

// The labels are the names that editors show.
const args: readonly [ids: SeriesArgument, days: typeof severalDays] = [
  severalSeries((line) => line.args),
  severalDays,
];

/** The values of series as of several days. */
export const versions = question({
  name: 'versions',
  about: 'The values of series as of several days, with a column for each day.',
  askedBy: { words: ['observations'] },
  args,
  params: versionsParams,
  layout: ({ days }) => layoutOf(days),
  drawing: (values) => drawingOfDays(values, values.days),
  ...knownOnDays,
  bind(values, day) {
    const days = values.days.map((one) => onDay(one, day));
    return { values: { ...values, days }, days: days.map((one) => ['vintages', one]), words: [] };
  },
  answer: (values, ask): Promise<QueryAnswer<WideRow>> =>
    answerVersions(values, ask, {
      object: 'versions',
      layout: () => layoutOf(values.days),
      rows: (all) => ({
        rows: all.flatMap(({ series, dates, found }) =>
          dates.map((date): WideRow => {
            const cells = values.days.map((day, i) => [day, found[i]?.get(date)?.value ?? null] as const);
            return { date, series_id: series.id, ...Object.fromEntries(cells) };
          }),
        ),
      }),
    }),
});

/** The parameters of values as of several days. */
export type VersionsParams = ParamsOf<typeof versions> & Demands;

function layoutOf(days: readonly Version[]): RowLayout {
  return showing([
    field('date', 'day', 'The period that the values belong to.'),
    field('series_id', 'text', 'Identifier of the series.'),
    ...days.map((day) => decimalColumn(day, `The value as of ${day}.`)),
  ]);
}

/** Returns a column of exact numbers, some of which are missing. */
export function decimalColumn(name: string, description: string): Field {
  return nullable(name, 'decimal', description);
}

/** Returns the day that a version stands for in an answer that is bound to a day. */
export function onDay(version: Version, day: Day): Day {
  return version === 'latest' ? day : version;
}

/** The values of one series as of each of several days, by date. */
export type SeriesVersions = {
  readonly series: ResolvedSeries;
  /** The dates that any day has a value for, in the order asked for. */
  readonly dates: readonly Day[];
  /** Whether a limit left out older dates. */
  readonly hasMore: boolean;
  /** What was found as of each day. */
  readonly found: readonly ReadonlyMap<Day, ObservationRow>[];
};

type Making<R extends Row> = Pick<ComposedRows<R>, 'object'> & {
  /** What is noted besides. */
  readonly remark?: string;
  readonly layout: (names: readonly string[]) => RowLayout;
  readonly rows: (all: readonly SeriesVersions[]) => Pick<ComposedRows<R>, 'differs' | 'rows'>;
};

/** Composes an answer as of several days. */
export function answerVersions<R extends Row>(
  asked: AskedOfDays,
  ask: Ask,
  { object, layout, remark, rows }: Making<R>,
): Promise<QueryAnswer<R>> {
  const { days, from, to } = asked;
  return composed(ask, async (counting) => {
    const all = await seriesOf(asked, counting);
    const done = await eachOf(all, counting, (series) => versionsOf(series, asked, counting));
    await noteBasis(
      done.map(({ series }) => series),
      days.filter((day) => day !== 'latest'),
      counting,
    );
    if (remark !== undefined) counting.note?.({ kind: 'remark', text: remark });
    for (const one of done) noteRescalings(one, counting);
    if (done.every(({ dates }) => dates.length === 0))
      await explainSeries(done, { days, from, to }, counting);
    return {
      object,
      ...layout(done.map(({ series: { id, typed = id } }) => typed)),
      ...rows(done),
      hasMore: done.some(({ hasMore }) => hasMore),
    };
  });
}

/** Returns the series that are asked about. */
export function seriesOf(asked: AskedOfDays, ask: Ask): Promise<readonly ResolvedSeries[]> {
  return resolveSeries(asked, knownOnDays.knownOn(asked), ask);
}

/** Returns how to draw values as of several days, of which `columns` has the values of each. */
export function drawingOfDays(asked: AskedOfDays, columns: readonly string[]) {
  return async (ask: Ask) => {
    const { versionsDrawing } = await import('./drawings.ts');
    const transformation = transformationIn(asked);
    return versionsDrawing(await seriesOf(asked, ask), { days: asked.days, columns, transformation }, ask);
  };
}

function noteRescalings({ series, dates, found }: SeriesVersions, ask: Ask): void {
  for (const [i, other] of found.slice(1).entries()) {
    const rows = dates.map((date) => ({ old: found[i]?.get(date), new: other.get(date) }));
    const unit = rows.find(({ old }) => old !== undefined)?.old?.unit ?? '';
    const pairs = rows.map((row) => ({ old: row.old?.value ?? null, new: row.new?.value ?? null }));
    noteRescaling({ id: series.id, unit }, pairs, ask);
  }
}

async function versionsOf(series: ResolvedSeries, asked: AskedOfDays, ask: Ask): Promise<SeriesVersions> {
  const { days, from, to, sort, limit } = asked;
  const known = await Promise.all(
    days.map(async (day) => {
      const as_of = day === 'latest' ? undefined : day;
      return {
        day,
        rows: await rowsOf(ask, observations, { id: series.id, ...defined({ as_of, from, to }) }),
      };
    }),
  );
  await requireOneFrequency(series, known, transformationIn(asked), ask);
  const found = known.map(({ rows }) => new Map(rows.map((row) => [row.date, row])));
  const dates = inOrder(new Set(found.flatMap((version) => [...version.keys()])), 'desc');
  const shown = dates.slice(0, limit);
  return { series, dates: inOrder(shown, sort), found, hasMore: shown.length < dates.length };
}

type VersionRows = { readonly day: Version; readonly rows: readonly Pick<ObservationRow, 'frequency'>[] };

/** Refuses growth that counts quarters in one version and months in another. */
async function requireOneFrequency(
  series: ResolvedSeries,
  versions: readonly VersionRows[],
  transformation: Transformation | undefined,
  context: Ask,
): Promise<void> {
  if (!countsOwnPeriods(transformation) || versions.every(({ rows }) => rows.length === 0)) return;
  const kept = new OneFrequency(series.id, transformation);
  for (const { day, rows } of versions)
    kept.add(day, rows[0]?.frequency ?? (await frequencyOn(series, day, context)));
}

/** The frequency of a series as of a day, whose answer has no result that says it. */
async function frequencyOn(series: ResolvedSeries, day: Version, context: Ask): Promise<string> {
  if (day === 'latest') return String((await descriptionOf(series, context))?.frequency ?? '');
  const asked = [
    ['id', series.id],
    ['as_of', day],
    ['limit', '1'],
  ] as const;
  return (await context.client.ask(observations, asked)).series?.frequency ?? '';
}

/** Returns days in an order, newest first unless it is ascending. */
export function inOrder(days: Iterable<Day>, sort: AskedOfDays['sort']): readonly Day[] {
  const ascending = [...days].sort();
  return sort === 'asc' ? ascending : ascending.reverse();
}
