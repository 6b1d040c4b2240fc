import { type Ask, type QueryAnswer, rowsOf, textsOf } from '../../answering/answer.ts';
import { type ComposedRows, composed, eachOf } from '../../answering/composed.ts';
import { descriptionOf, explainSeries, noteBasis } from '../../answering/notes.ts';
import { argument, question, transformationIn } from '../../answering/question.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import { changeBetween, rescalingOf } from '../../domain/values/arithmetic.ts';
import type { Day } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Row, WideRow } from '../../operations/envelope.ts';
import { field, nullable, type RowFrom, type RowLayout, showing } from '../../operations/field.ts';
import { type Params, type ParamValues, param, periodRange } from '../../operations/param.ts';
import { type ObservationRow, observations } from '../../operations/series/observations.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { choice, integer, type Version, versions as versionsValue } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { namesOf, type SortOrder } from './panel-rows.ts';
import {
  countsOwnPeriods,
  knownOnDays,
  OneFrequency,
  type SeriesArgument,
  severalSeries,
  skipMissing,
  unitsParams,
} from './shared.ts';

const versionsParams = {
  ...periodRange,
  limit: param(integer(1), 'The newest dates, at most this number.', undefined),
  sort: param(choice(['asc', 'desc']), 'The newest date first unless `asc`.', undefined),
  skip_missing: skipMissing,
  ...unitsParams,
} satisfies Params;

type AskedOfDays = ParamValues<Omit<typeof versionsParams, 'limit' | 'sort'>> & {
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
  if (line.has('as-of') || line.has('known-before'))
    throw new Problem('bad-input', '--vintages names the as-of dates: leave out --as-of and --known-before');
  const repeated = days.find((day, i) => days.indexOf(day) < i);
  if (repeated !== undefined) throw new Problem('bad-input', `--vintages names ${repeated} twice`);
  return days;
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
  askedBy: { words: ['observations'], reads: ['as-of', 'known-before'] },
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

function layoutOf(days: readonly Version[]): RowLayout {
  return showing([
    field('date', 'day', 'The period that the values belong to.'),
    field('series_id', 'text', 'Identifier of the series.'),
    ...days.map((day) => nullable(day, 'decimal', `The value as of ${day}.`)),
  ]);
}

function onDay(version: Version, day: Day): Day {
  return version === 'latest' ? day : version;
}

type SeriesVersions = {
  readonly series: ResolvedSeries;
  /** Dates with a value on any day, in the requested order. */
  readonly dates: readonly Day[];
  readonly hasMore: boolean;
  readonly found: readonly ReadonlyMap<Day, ObservationRow>[];
};

type VersionsAnswer<R extends Row> = Pick<ComposedRows<R>, 'object'> & {
  readonly remark?: string;
  readonly layout: (names: readonly string[]) => RowLayout;
  readonly rows: (all: readonly SeriesVersions[]) => Pick<ComposedRows<R>, 'differs' | 'rows'>;
};

/** Composes an answer as of several days. */
export function answerVersions<R extends Row>(
  asked: AskedOfDays,
  ask: Ask,
  { object, layout, remark, rows }: VersionsAnswer<R>,
): Promise<QueryAnswer<R>> {
  const { days, from, to } = asked;
  return composed(ask, async (counting) => {
    const all = await seriesOf(asked, counting);
    const done = await eachOf(all, counting, (series) => versionsOf(series, asked, counting));
    await noteBasis(
      done.map(({ series }) => series),
      days,
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

/** Resolves the series of a question about several days. */
export function seriesOf(asked: AskedOfDays, ask: Ask): Promise<readonly ResolvedSeries[]> {
  return resolveSeries(asked, knownOnDays.knownOn(asked), ask);
}

function drawingOfDays(asked: AskedOfDays, columns: readonly string[]) {
  return async (ask: Ask) => {
    const { versionsDrawing } = await import('./drawings.ts');
    const transformation = transformationIn(asked);
    return versionsDrawing(await seriesOf(asked, ask), { days: asked.days, columns, transformation }, ask);
  };
}

/** Adds a note if all values changed by about the same factor. */
function noteRescalings({ series: { id }, dates, found }: SeriesVersions, { note, naming }: Ask): void {
  if (note === undefined) return;
  for (const [i, other] of found.slice(1).entries()) {
    const pairs = dates.flatMap((date) => {
      const [was, is] = [found[i]?.get(date), other.get(date)];
      return was === undefined || is === undefined ? [] : [{ old: was.value, new: is.value }];
    });
    const [first] = found[i]?.values() ?? [];
    const rescaling = rescalingOf(pairs, first?.unit ?? '');
    if (rescaling === undefined) continue;
    const { count, least, most } = rescaling;
    const factors = new Set([least, most].map((factor) => String(+factor.toPrecision(4))));
    const values =
      count === 1 ? 'value of the only common date is' : `values of all ${count} common dates are`;
    note({
      kind: 'rescaled',
      text:
        `${id}: the new ${values} ${[...factors].join(' to ')} times the old; ` +
        `if units or base year changed, compare growth rates, not levels (${naming.param('units', 'pch')})`,
    });
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
    kept.add(
      day,
      rows[0]?.frequency ?? (await frequencyOn(series, day === 'latest' ? undefined : day, context)),
    );
}

function inOrder(days: Iterable<Day>, sort: AskedOfDays['sort']): readonly Day[] {
  const ascending = [...days].sort();
  return sort === 'asc' ? ascending : ascending.reverse();
}

const comparedFields = [
  field('date', 'day', 'The period that the values belong to.'),
  nullable('value', 'decimal', 'The value as of the first day.'),
  nullable('vs_value', 'decimal', 'The value as of the other day.'),
  nullable('change', 'decimal', 'Exact difference: the value as of the other day less the first.'),
  nullable('percent', 'decimal', 'The same in percent of the first, four decimals; empty where that is 0.'),
  nullable('as_of_date', 'day', 'The first vintage with the first value.'),
  nullable('vs_as_of_date', 'day', 'The first vintage with the other value.'),
  field('series_id', 'text', 'Identifier of the series.'),
  field('unit', 'text', 'Unit of the series.'),
  field('frequency', 'text', 'Frequency code of the series.'),
  field('source', 'text', 'Name of the data source.'),
] as const;

/** The values of a date as of two days, compared. */
export type ComparedRow = RowFrom<(typeof comparedFields)[number]>;

const comparedLayout = showing(comparedFields);

const twoDays = argument('days', versionsValue(2), 'As-of dates; latest is the newest vintage.', {
  flags: [
    {
      name: 'vs',
      value: 'date',
      complete: 'days',
      about: 'compare with the values as of another date, or with the latest ones',
    },
  ],
  read: typedTwoDays,
});

function typedTwoDays(line: TypedLine): readonly [Version, Version] {
  const named = line.versions('vs') ?? [];
  if (named.length > 1)
    throw new Problem('bad-input', `--vs takes one date, and these are ${named.length}`, {
      hints: ['--vintages takes several'],
    });
  return [line.asOf() ?? 'latest', named[0] ?? 'latest'];
}

type AskedOfTwoDays = ParamValues<typeof versionsParams> & {
  readonly ids: readonly string[];
  readonly days: readonly [Version, Version];
};

// The labels are the names that editors show.
const comparedArgs: readonly [ids: SeriesArgument, days: typeof twoDays] = [
  severalSeries((line) => line.args),
  twoDays,
];

const either = {
  name: 'compare',
  args: comparedArgs,
  params: versionsParams,
  drawing: (values: AskedOfTwoDays) => drawingOfDays(values, ['value', 'vs_value']),
  ...knownOnDays,
  bind(values: AskedOfTwoDays, day: string) {
    const [first, second] = values.days;
    const days = [onDay(first, day), onDay(second, day)] as const;
    return {
      values: { ...values, days },
      days: days.map((one) => ['vs', one] as const),
      // A line names its first day by a flag.
      words: first === 'latest' ? ['--as-of', day] : [],
    };
  },
  reading: async (values: AskedOfTwoDays, ask: Ask) => ({
    series: await seriesOf(values, ask),
    reads: 2,
  }),
} as const;

const wideCompare = question({
  ...either,
  layout: ({ ids }) => (ids.some((id) => id.includes('*')) ? undefined : wideLayout(namesOf(ids))),
  // A chart shows the rows of the long form.
  answer: (values, ask): Promise<QueryAnswer<ComparedRow | WideRow>> =>
    ask.drawn ? answerLong(values, ask) : answerWide(values, ask),
});

/** The values of series as of two days, compared. */
export const compare = question({
  ...either,
  about: 'The values of series as of one day beside those as of another.',
  askedBy: {
    words: ['observations', 'panel'],
    reads: ['as-of', 'known-before'],
    together: { flag: 'wide', question: wideCompare },
  },
  layout: () => comparedLayout,
  answer: answerLong,
});

function answerLong(values: AskedOfTwoDays, ask: Ask): Promise<QueryAnswer<ComparedRow>> {
  return answerVersions(values, ask, {
    object: 'comparison',
    layout: () => comparedLayout,
    rows: (all) => ({ rows: comparedRows(all) }),
  });
}

function answerWide(values: AskedOfTwoDays, ask: Ask): Promise<QueryAnswer<WideRow>> {
  return answerVersions(values, ask, {
    object: 'comparison',
    layout: wideLayout,
    rows(all) {
      const bySeries = all.map((one) => new Map(comparedRows([one]).map((row) => [row.date, row])));
      const dates = inOrder(new Set(all.flatMap((one) => one.dates)), values.sort);
      const rows = dates.map((date): WideRow => {
        const cells = all.flatMap(({ series: { id, typed = id } }, i) => {
          const {
            value = null,
            vs_value = null,
            change = null,
            percent = null,
          } = bySeries[i]?.get(date) ?? {};
          const four = [value, vs_value, change, percent];
          return columnsOf(typed).map((name, at) => [name, four[at] ?? null] as const);
        });
        return { date, ...Object.fromEntries(cells) };
      });
      return { rows };
    },
  });
}

function columnsOf(typed: string): readonly [string, string, string, string] {
  return [typed === 'date' ? 'DATE' : typed, `${typed}_vs`, `${typed}_change`, `${typed}_percent`];
}

function wideLayout(names: readonly string[]): RowLayout {
  const columns = names.flatMap((name) =>
    columnsOf(name).map((column) => nullable(column, 'decimal', `Compared values of ${name}.`)),
  );
  return showing([field('date', 'day', 'What the row is about.'), ...columns]);
}

function comparedRows(all: readonly SeriesVersions[]): readonly ComparedRow[] {
  return all.flatMap(({ dates, found: [then, other] }) =>
    dates.map((date) => {
      const [row, vs] = [then?.get(date), other?.get(date)];
      const { series_id = '', unit = '', frequency = '', source = '' } = row ?? vs ?? {};
      const change =
        row === undefined || vs === undefined
          ? { change: null, percent: null }
          : changeBetween(row.value, vs.value);
      return {
        date,
        value: row?.value ?? null,
        vs_value: vs?.value ?? null,
        ...change,
        as_of_date: row?.as_of_date ?? null,
        vs_as_of_date: vs?.as_of_date ?? null,
        series_id,
        unit,
        frequency,
        source,
      };
    }),
  );
}

/** Reads the frequency of a series as known on a day, or now; empty if the service does not say it. */
async function frequencyOn(series: ResolvedSeries, day: Day | undefined, context: Ask): Promise<string> {
  if (day === undefined) return String((await descriptionOf(series, context))?.frequency ?? '');
  const texts = textsOf({ id: series.id, as_of: day, limit: 1 });
  return (await context.client.ask(observations, texts)).series?.frequency ?? '';
}
