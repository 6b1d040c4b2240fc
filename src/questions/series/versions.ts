import { type Ask, type QueryAnswer, rowsOf, textsOf } from '../../answering/answer.ts';
import { type ComposedRows, composed, eachOf } from '../../answering/composed.ts';
import { descriptionOf, explainSeries, noteBasis } from '../../answering/notes.ts';
import { argument, question, transformationIn } from '../../answering/question.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { changeBetween, rescalingOf } from '../../domain/values/arithmetic.ts';
import { type Day, parseDay } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import type { Row, WideRow } from '../../operations/envelope.ts';
import { field, nullable, type RowFrom, type RowLayout, rowsFrom, showing } from '../../operations/field.ts';
import {
  dayOfKnown,
  knownIn,
  lastKnown,
  type Params,
  type ParamValues,
  param,
  periodRange,
  versionOf,
} from '../../operations/param.ts';
import { type ObservationRow, observations } from '../../operations/series/observations.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import {
  flag,
  integer,
  placeOfVersion,
  type Version,
  versions as versionsValue,
} from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import type { SortOrder } from './panel-rows.ts';
import {
  aboutAsOf,
  countsOwnPeriods,
  growthInstead,
  oneFrequency,
  type SeriesArgument,
  severalSeries,
  skipMissing,
  sortParam,
  unitsParams,
} from './shared.ts';

const versionsParams = {
  ...periodRange,
  limit: param(integer(1), 'The newest dates, at most this number.', undefined),
  sort: sortParam,
  skip_missing: skipMissing,
  ...unitsParams,
} satisfies Params;

type AskedOfDays = ParamValues<Omit<typeof versionsParams, 'limit' | 'sort'>> & {
  readonly limit?: number | undefined;
  readonly sort?: SortOrder | undefined;
  readonly ids: readonly string[];
  readonly days: readonly Version[];
};

/** The day on which an answer as of several days was known, and each of these days in words. */
const knownOnDays = {
  knownOn: ({ days }: OnDays): Day | undefined =>
    days.includes('latest')
      ? undefined
      : days
          .flatMap((day) => lastKnown(knownIn(day)) ?? [])
          .sort()
          .at(-1),
  aboutValues: ({ days }: OnDays) => days.flatMap((day) => aboutAsOf(day)),
};

type OnDays = { readonly days: readonly Version[] };

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
  if (['as-of', 'known-before', 'known-at'].some((name) => line.has(name)))
    throw new Problem(
      'bad-input',
      '--vintages names the as-of dates: leave out --as-of, --known-before and --known-at',
    );
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
  askedBy: { words: ['observations'], reads: ['as-of', 'known-before', 'known-at'] },
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
    answerVersions(values, ask, (all) => ({
      object: 'versions',
      ...layoutOf(values.days),
      rows: all.flatMap(({ series, dates, found }) =>
        dates.map((date): WideRow => {
          const cells = values.days.map((day, i) => [day, found[i]?.get(date)?.value ?? null] as const);
          return { date, series_id: series.id, ...Object.fromEntries(cells) };
        }),
      ),
    })),
});

function layoutOf(days: readonly Version[]): RowLayout {
  return showing([
    field('date', 'day', 'The period of the values, as its first day.'),
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

/** Composes an answer from the values of series as of several days. */
function answerVersions<R extends Row>(
  asked: AskedOfDays,
  ask: Ask,
  make: (all: readonly SeriesVersions[], ask: Ask) => ComposedRows<R>,
): Promise<QueryAnswer<R>> {
  return composed(ask, async (counting) => {
    const all = await readVersions(asked, counting);
    return { ...make(all, counting), hasMore: all.some(({ hasMore }) => hasMore) };
  });
}

/** Reads the values of series as of several days; notes what they are based on. */
export async function readVersions(asked: AskedOfDays, ask: Ask): Promise<readonly SeriesVersions[]> {
  const { days, from, to } = asked;
  const series = await seriesOf(asked, ask);
  const all = await eachOf(series, ask, (one) => versionsOf(one, asked, ask));
  await noteBasis(series, days, ask);
  for (const one of all) noteRescalings(one, days, ask);
  if (all.every(({ dates }) => dates.length === 0)) await explainSeries(all, { days, from, to }, ask);
  return all;
}

/** Resolves the series of a question about several days. */
function seriesOf(asked: AskedOfDays, ask: Ask): Promise<readonly ResolvedSeries[]> {
  const days = asked.days.map((day) => dayOfKnown(knownIn(day)) ?? '~').sort();
  return resolveSeries(asked, days.at(-1), ask);
}

function drawingOfDays(asked: AskedOfDays, columns: readonly string[]) {
  return async (ask: Ask) => {
    const { versionsDrawing } = await import('./drawings.ts');
    const transformation = transformationIn(asked);
    return versionsDrawing(await seriesOf(asked, ask), { days: asked.days, columns, transformation }, ask);
  };
}

/** Adds a note if the unit changed between two days, or if all values changed by about the same factor. */
function noteRescalings(
  { series: { id }, dates, found }: SeriesVersions,
  days: readonly Version[],
  { note, naming }: Ask,
): void {
  if (note === undefined) return;
  const wayOut = growthInstead(naming);
  for (const [i, other] of found.slice(1).entries()) {
    const [before, after] = [found[i], other].map((rows) => rows?.values().next().value?.unit ?? '');
    if (before !== '' && after !== '' && before !== after) {
      const texts = [before, after].map((unit, n) => `${JSON.stringify(unit)} on ${days[i + n]}`);
      note({ kind: 'rescaled', text: `${id}: the unit is ${texts.join(', and ')}; ${wayOut}` });
      continue;
    }
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
        `if units or base year changed, ${wayOut}`,
    });
  }
}

async function versionsOf(series: ResolvedSeries, asked: AskedOfDays, ask: Ask): Promise<SeriesVersions> {
  const { days, from, to, sort, limit } = asked;
  const { id } = series;
  const known = await Promise.all(
    days.map((day) => rowsOf(ask, observations, { id, ...defined({ ...knownIn(day), from, to }) })),
  );
  const transformation = transformationIn(asked);
  if (countsOwnPeriods(transformation) && known.some((rows) => rows.length > 0)) {
    const requireSame = oneFrequency(id, transformation);
    for (const [i, day] of days.entries())
      requireSame(day, known[i]?.[0]?.frequency ?? (await frequencyOn(series, day, ask)));
  }
  const found = known.map((rows) => new Map(rows.map((row) => [row.date, row])));
  const dates = inOrder(new Set(found.flatMap((version) => [...version.keys()])), 'desc');
  const shown = dates.slice(0, limit);
  return { series, dates: inOrder(shown, sort), found, hasMore: shown.length < dates.length };
}

/** Reads the frequency of a series as known on a day; empty if the service does not say it. */
async function frequencyOn(series: ResolvedSeries, day: Version, ask: Ask): Promise<string> {
  if (day === 'latest') return String((await descriptionOf(series, ask))?.frequency ?? '');
  const { series: known } = await ask.client.ask(
    observations,
    textsOf(defined({ id: series.id, ...knownIn(day), limit: 1 })),
  );
  return known?.frequency ?? '';
}

function inOrder(days: Iterable<Day>, sort: AskedOfDays['sort']): readonly Day[] {
  const ascending = [...days].sort();
  return sort === 'asc' ? ascending : ascending.reverse();
}

const comparedFields = [
  field('date', 'day', 'The period of the values, as its first day.'),
  nullable('value', 'decimal', 'The value as of the first day.'),
  nullable('vs_value', 'decimal', 'The value as of the other day.'),
  nullable('change', 'decimal', 'Exact difference: the value as of the other day less the first.'),
  nullable(
    'percent',
    'decimal',
    'The difference in percent of the first value, to four decimals; empty if that value is 0.',
  ),
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
const comparedRow = rowsFrom(comparedFields);

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
  return [versionOf({ as_of: line.asOf(), known_at: line.knownAt() }), named[0] ?? 'latest'];
}

// The labels are the names that editors show.
const comparedArgs: readonly [ids: SeriesArgument, days: typeof twoDays] = [
  severalSeries((line) => line.args),
  twoDays,
];

/** The values of series as of two days, compared. */
export const compare = question({
  name: 'compare',
  about: 'The values of series as of one day beside those as of another.',
  askedBy: { words: ['observations', 'panel'], reads: ['as-of', 'known-before', 'known-at'] },
  args: comparedArgs,
  params: versionsParams,
  layout: () => comparedLayout,
  drawing: (values) => drawingOfDays(values, ['value', 'vs_value']),
  ...knownOnDays,
  bind(values, day) {
    const [first, second] = values.days;
    const days = [onDay(first, day), onDay(second, day)] as const;
    return {
      values: { ...values, days },
      days: days.map((one) => ['vs', one]),
      // A line names its first day by a flag.
      words: first === 'latest' ? ['--as-of', day] : [],
    };
  },
  reading: async (values, ask) => ({ series: await seriesOf(values, ask), reads: 2 }),
  answer: (values, ask): Promise<QueryAnswer<ComparedRow>> =>
    answerVersions(values, ask, (all) => ({
      object: 'comparison',
      ...comparedLayout,
      rows: comparedRows(all),
    })),
});

function comparedRows(all: readonly SeriesVersions[]): readonly ComparedRow[] {
  return all.flatMap(({ series: { id }, dates, found: [then, other] }) =>
    dates.map((date) => {
      const [row, vs] = [then?.get(date), other?.get(date)];
      const { unit = '', frequency = '', source = '' } = row ?? vs ?? {};
      const change = row && vs && changeBetween(row.value, vs.value);
      return comparedRow(
        { date, seriesId: id, unit, frequency, source, value: row?.value, asOfDate: row?.as_of_date },
        { vsValue: vs?.value, vsAsOfDate: vs?.as_of_date, ...change },
      );
    }),
  );
}

const diffFields = [
  field('series_id', 'text', 'Identifier of the series.'),
  field('date', 'day', 'The period of the values, as its first day.'),
  nullable('old', 'decimal', 'The value as of the first date.'),
  nullable('new', 'decimal', 'The value as of the other date.'),
  nullable('change', 'decimal', 'The new value less the old, exact.'),
  nullable('percent', 'decimal', 'The difference in percent of the old value.'),
  field('kind', 'text', 'What changed: added, revised, withdrawn or unchanged.'),
] as const;

/** A date whose value differs between two as-of dates; with `all_rows`, also a date whose value is the same. */
export type DiffRow = RowFrom<(typeof diffFields)[number]>;

const diffLayout = showing(diffFields);

const aboutDiff = 'The dates whose values differ between two as-of dates, newest first.';

const diffDays = argument(
  'days',
  versionsValue(2),
  'The two as-of dates, the earlier one first; latest is the newest vintage.',
  {
    flags: [{ name: 'known-before', about: 'use only what was published before each of the two dates' }],
    args: [
      { name: 'date1', complete: 'days', about: 'first as-of date' },
      { name: 'date2', complete: 'days', about: 'second as-of date; latest is the newest vintage' },
    ],
    read: typedDiffDays,
  },
);

function typedDiffDays(line: TypedLine): readonly [Version, Version] {
  const strict = line.has('known-before');
  const known = (index: number, name: string) =>
    strict ? line.known(line.dayArg(index, name), name, true) : line.versionArg(index, name);
  const names = line.args.slice(0, -2);
  const [first, second] = [known(names.length, 'first date'), known(names.length + 1, 'second date')];
  const dates = [...names.filter((id) => parseDay(id) !== undefined), first, second];
  if (dates.length > 2)
    throw new Problem(
      'bad-input',
      `diff compares two dates, and these are ${dates.length}: ${dates.join(', ')}`,
    );
  return [first, second];
}

const diffArgs: readonly [ids: SeriesArgument, days: typeof diffDays] = [
  severalSeries((line) => line.args.slice(0, -2)),
  diffDays,
];

/** The values of series as of two days, compared. */
export const diff = question({
  name: 'diff',
  about: aboutDiff,
  command: {
    words: 'diff',
    heading: 'Series',
    summary: 'Compare series as of two dates',
    examples: `
# what the annual revision of July 2009 changed
asof diff GDP 2009-07-30 2009-07-31 --from 2008-01-01
# several series, and the dates that did not change
asof diff GDP GDPC1 2009-07-30 2009-07-31 --from 2008-01-01 --all-rows
# in a script: exit code 1 means that there are differences
asof diff GDP 2009-07-30 2009-07-31 --exit-code -o changes.csv || echo "GDP was revised"
`,
    flags: [{ name: 'exit-code', about: 'exit with code 1 when there are differences' }],
  },
  endpoint: {
    path: '/v1/diff',
    object: 'diff',
    heading: 'Series',
    summary: 'The dates whose values differ between two as-of dates',
    description: `${aboutDiff} \`days\` are the two as-of dates. The answer has no pages.`,
    layout: diffLayout,
    members: ['missing'],
    example: { ids: 'GDP', days: '2015-01-30,2015-02-27', from: '2014-10-01' },
  },
  args: diffArgs,
  params: {
    ...periodRange,
    ...unitsParams,
    all_rows: param(flag, 'Include dates with the same value.', undefined),
    skip_missing: skipMissing,
  },
  layout: () => diffLayout,
  ...knownOnDays,
  bind(values, day) {
    const days = [onDay(values.days[0], day), onDay(values.days[1], day)] as const;
    const named = [['the first date', days[0]] as const, ['the second date', days[1]] as const];
    return { values: { ...values, days }, days: named, words: [] };
  },
  reading: async (values, ask) => ({ series: await seriesOf(values, ask), reads: 2 }),
  answer(values, ask): Promise<QueryAnswer<DiffRow>> {
    const [first, second] = values.days;
    return answerVersions(values, ask, (all, { note }) => {
      const text = `${second} is earlier than ${first}: the changes run from the later date to the earlier`;
      if (placeOfVersion(first) > placeOfVersion(second)) note?.({ kind: 'remark', text });
      const rows = comparedRows(all).map(
        ({ series_id, date, value: old, vs_value, change, percent }): DiffRow => ({
          ...{ series_id, date, old, new: vs_value, change, percent },
          kind: kindOf(old, vs_value),
        }),
      );
      const differing = rows.filter(({ kind }) => kind !== 'unchanged');
      return {
        object: 'diff',
        ...diffLayout,
        rows: values.all_rows === true ? rows : differing,
        differs: differing.length > 0,
      };
    });
  },
});

function kindOf(was: string | null, is: string | null): string {
  if (was === null) return 'added';
  if (is === null) return 'withdrawn';
  return sameNumber(was, is) ? 'unchanged' : 'revised';
}
