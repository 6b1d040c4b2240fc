import type { QueryAnswer } from '../../answering/answer.ts';
import { argument, question } from '../../answering/question.ts';
import { type Day, latestOf, parseDay } from '../../domain/values/date.ts';
import { contradiction, Problem } from '../../errors/problem.ts';
import type { WideRow } from '../../operations/envelope.ts';
import { field, nullable, type RowFrom, type RowLayout, showing } from '../../operations/field.ts';
import {
  knownIn,
  lastKnown,
  type Params,
  type ParamValues,
  param,
  periodRange,
  versionOf,
} from '../../operations/param.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { flag, integer, type Version, versions as versionsValue } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import {
  aboutAsOf,
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
  change: {
    ...param(flag, 'Add the change from the first day to the last, also in percent.', undefined),
    typed: { flags: [], read: (line) => line.has('vs') || undefined },
  },
  all_rows: {
    ...param(flag, 'Include dates that only some of the days know.', undefined),
    typed: { flags: [], read: (line) => line.has('all-rows') || undefined },
  },
  skip_missing: skipMissing,
  ...unitsParams,
} satisfies Params;

type OnDays = { readonly days: readonly Version[] };

/** The day on which an answer as of several days was known, and each of these days in words. */
const knownOnDays = {
  knownOn: ({ days }: OnDays): Day | undefined =>
    days.includes('latest') ? undefined : latestOf(days.flatMap((day) => lastKnown(knownIn(day)) ?? [])),
  showsNewest: ({ days, to }: OnDays & { readonly to: Day | undefined }) =>
    days.includes('latest') && to === undefined,
  aboutValues: ({ days }: OnDays) => days.flatMap((day) => aboutAsOf(day)),
};

const severalDays = argument('days', versionsValue(), 'As-of dates; latest is the newest vintage.', {
  flags: [
    {
      name: 'vs',
      value: 'date',
      complete: 'days',
      about: 'compare with another as-of date, or latest',
    },
    {
      name: 'vintages',
      value: 'dates',
      about: 'one column per as-of date, split by commas',
    },
    { name: 'all-rows', about: 'with these two, dates that only some days know' },
  ],
  read: typedDays,
});

function typedDays(line: TypedLine): readonly Version[] {
  const [days, others] = [line.versions('vintages'), line.versions('vs')];
  if (others !== undefined) return typedTwoDays(others, line);
  if (days === undefined) throw new Problem('bad-input', '--all-rows is for --vs and --vintages');
  if (['as-of', 'known-before', 'known-at'].some((name) => line.has(name)))
    throw new Problem(
      'bad-input',
      '--vintages names the as-of dates: leave out --as-of, --known-before and --known-at',
    );
  return eachOnce(days, '--vintages');
}

function typedTwoDays(named: readonly Version[], line: TypedLine): readonly Version[] {
  if (line.has('vintages')) throw new Problem('bad-input', 'use either --vs or --vintages');
  const [day = 'latest', ...more] = named;
  if (more.length > 0)
    throw new Problem('bad-input', `--vs takes one date, and these are ${named.length}`, {
      hints: ['--vintages takes several'],
    });
  const asOf = versionOf({ as_of: line.asOf(), known_at: line.knownAt() });
  if (asOf !== day) return [asOf, day];
  throw new Problem(
    'bad-input',
    day === 'latest'
      ? '--vs latest would compare the latest values with themselves: add --as-of'
      : `--vs ${day} is the as-of date itself`,
  );
}

/** Returns the days; refuses one that would be two columns. */
function eachOnce(days: readonly Version[], name: string): readonly Version[] {
  const repeated = days.find((day, i) => days.indexOf(day) < i);
  if (repeated === undefined) return days;
  throw new Problem('bad-input', `${name} names ${repeated} twice`);
}

// The labels are the names that editors show.
const args: readonly [ids: SeriesArgument, days: typeof severalDays] = [
  severalSeries((line) => line.args),
  severalDays,
];

/** The values of series as of several days. */
export const versions = question({
  name: 'versions',
  about:
    'The values of series as of several days, with a column for each day; `change` compares the last day with the first.',
  askedBy: { words: ['observations'], reads: ['as-of', 'known-before', 'known-at'] },
  args,
  params: versionsParams,
  check({ change, days }) {
    if (change !== true || days.length > 1) return;
    throw contradiction('change', ({ param }) => `${param('change')} needs two days`);
  },
  layout: layoutOf,
  drawing: (values) => async (ask) => {
    const { seriesOnDays } = await import('./version-answers.ts');
    const { versionsDrawing } = await import('./drawings.ts');
    return versionsDrawing(await seriesOnDays(values, ask), values, ask);
  },
  ...knownOnDays,
  bind(values, day) {
    const days = values.days.map((one) => onDay(one, day));
    const name = values.change === true ? 'vs' : 'vintages';
    return {
      values: { ...values, days: eachOnce(days, `--${name}`) },
      days: days.map((one) => [name, one]),
      // A line with --vs names its first day by a flag.
      words: values.change === true && values.days[0] === 'latest' ? ['--as-of', day] : [],
    };
  },
  answer: async (values, ask): Promise<QueryAnswer<WideRow>> =>
    (await import('./version-answers.ts')).answerVersions(values, ask),
});

type ColumnsAsked = Pick<ParamValues<typeof versionsParams>, 'change'> & OnDays;

function layoutOf({ days, change }: ColumnsAsked): RowLayout {
  return showing([
    field('date', 'day', 'The period of the values, as its first day.'),
    field('series_id', 'text', 'Identifier of the series.'),
    ...days.map((day) => nullable(day, 'decimal', `The value as of ${day}.`)),
    ...(change === true ? changeFields : []),
  ]);
}

const changeFields = [
  nullable('change', 'decimal', 'Exact difference: the value as of the last day less the first.'),
  nullable('percent', 'decimal', 'The difference in percent of the first value; empty if that value is 0.'),
] as const;

function onDay(version: Version, day: Day): Day {
  return version === 'latest' ? day : version;
}

/** Makes the fields of a diff; a terminal heads the values with their days. */
function diffFields(first?: Version, second?: Version) {
  return [
    field('series_id', 'text', 'Identifier of the series.'),
    field('date', 'day', 'The period of the values, as its first day.'),
    nullable('old', 'decimal', 'The value as of the first date.', defined({ head: first })),
    nullable('new', 'decimal', 'The value as of the other date.', defined({ head: second })),
    nullable('change', 'decimal', 'The new value less the old, exact.'),
    nullable('percent', 'decimal', 'The difference in percent of the old value.'),
    field('kind', 'text', 'What changed: added, revised, withdrawn or unchanged.'),
  ] as const;
}

/** A date whose value differs between two as-of dates; with `all_rows`, also a date whose value is the same. */
export type DiffRow = RowFrom<ReturnType<typeof diffFields>[number]>;

const aboutDiff =
  'The dates whose values differ between two as-of dates, newest first; those that only one of the days knows come last.';

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
    layout: showing(diffFields()),
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
  layout: ({ days }) => showing(diffFields(...days)),
  ...knownOnDays,
  bind(values, day) {
    const days = [onDay(values.days[0], day), onDay(values.days[1], day)] as const;
    const named = [['the first date', days[0]] as const, ['the second date', days[1]] as const];
    return { values: { ...values, days }, days: named, words: [] };
  },
  async reading(values, ask) {
    const { seriesOnDays } = await import('./version-answers.ts');
    return { series: await seriesOnDays(values, ask), reads: 2 };
  },
  answer: async (values, ask): Promise<QueryAnswer<DiffRow>> =>
    (await import('./version-answers.ts')).answerDiff(values, ask),
});
