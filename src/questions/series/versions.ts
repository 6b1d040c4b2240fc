import { type Ask, type QueryAnswer, rowsOf, textsOf } from '../../answering/answer.ts';
import { type ComposedRows, composed, eachOf } from '../../answering/composed.ts';
import { descriptionOf, explainSeries, noteBasis } from '../../answering/notes.ts';
import { argument, question, transformationIn } from '../../answering/question.ts';
import { askingFor } from '../../answering/run.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { thenAndNow } from '../../domain/series/in-words.ts';
import { parseFrequency } from '../../domain/series/series.ts';
import { nameOfSeries } from '../../domain/series/transformation.ts';
import { changeBetween, rescalingOf } from '../../domain/values/arithmetic.ts';
import { type Day, latestOf, parseDay } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { contradiction, Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import type { Row, WideRow } from '../../operations/envelope.ts';
import { field, nullable, type RowFrom, type RowLayout, showing } from '../../operations/field.ts';
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

type AskedOfDays = ParamValues<Omit<typeof versionsParams, 'all_rows' | 'change' | 'limit' | 'sort'>> & {
  readonly limit?: number | undefined;
  readonly sort?: SortOrder | undefined;
  readonly all_rows?: boolean | undefined;
  readonly ids: readonly string[];
  readonly days: readonly Version[];
};

/** The day on which an answer as of several days was known, and each of these days in words. */
const knownOnDays = {
  knownOn: ({ days }: OnDays): Day | undefined =>
    days.includes('latest') ? undefined : latestOf(days.flatMap((day) => lastKnown(knownIn(day)) ?? [])),
  showsNewest: ({ days, to }: OnDays & { readonly to: Day | undefined }) =>
    days.includes('latest') && to === undefined,
  aboutValues: ({ days }: OnDays) => days.flatMap((day) => aboutAsOf(day)),
};

type OnDays = { readonly days: readonly Version[] };

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
    const { versionsDrawing } = await import('./drawings.ts');
    return versionsDrawing(await seriesOf(values, ask), values, ask);
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
  answer: (values, ask): Promise<QueryAnswer<WideRow>> =>
    // A chart draws each day to its end.
    answerVersions({ ...values, all_rows: values.all_rows === true || Boolean(ask.drawn) }, ask, (all) => {
      if (values.change === true && all.some(({ dates }) => dates.length > 0)) noteReversed(values, ask);
      return {
        object: 'versions',
        rows: all.flatMap((one) => one.dates.map((date) => rowOf(date, one, values))),
      };
    }),
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

function rowOf(date: Day, one: SeriesVersions, { days, change }: ColumnsAsked): WideRow {
  const cells = days.map((day, i) => [day, one.found[i]?.get(date)?.value ?? null] as const);
  return {
    date,
    series_id: nameOfSeries(one.series),
    ...Object.fromEntries(cells),
    ...(change === true && changeOn(date, one)),
  };
}

function noteReversed({ days }: OnDays, { note }: Ask): void {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const text = `${last} is earlier than ${first}: the changes run from the later date to the earlier`;
  if (placeOfVersion(first) > placeOfVersion(last)) note?.({ kind: 'remark', text });
}

/** Returns the change of a date from the first day to the last; empty if one of them has no value. */
function changeOn(date: Day, { found }: SeriesVersions) {
  const [was, is] = [found[0]?.get(date), found.at(-1)?.get(date)];
  return was && is ? changeBetween(was.value, is.value) : { change: null, percent: null };
}

function onDay(version: Version, day: Day): Day {
  return version === 'latest' ? day : version;
}

type SeriesVersions = {
  readonly series: ResolvedSeries;
  /** What asks for its values. */
  readonly ask: Ask;
  /** Dates with a value on each day, or with `all_rows` on any day, in the requested order. */
  readonly dates: readonly Day[];
  /** Dates with a value on some of the days, without a row. */
  readonly omitted: number;
  readonly hasMore: boolean;
  readonly found: readonly ReadonlyMap<Day, ObservationRow>[];
};

function answerVersions<R extends Row>(
  asked: AskedOfDays,
  ask: Ask,
  make: (all: readonly SeriesVersions[], ask: Ask) => ComposedRows<R>,
): Promise<QueryAnswer<R>> {
  return composed(ask, async (counting) => {
    const all = await readVersions(asked, counting);
    const sentence = sentenceOf(all, asked);
    const hasMore = all.some((one) => one.hasMore);
    return { ...make(all, counting), ...defined({ sentence }), hasMore };
  });
}

/** Reads the values of series as of several days; notes what they are based on. */
export async function readVersions(asked: AskedOfDays, ask: Ask): Promise<readonly SeriesVersions[]> {
  const { days, from, to } = asked;
  const series = await seriesOf(asked, ask);
  const all = await eachOf(series, ask, (one) => versionsOf(one, asked, ask));
  await noteBasis(series, days, ask);
  for (const one of all) noteRescalings(one, days, ask);
  const omitted = all.reduce((sum, one) => sum + one.omitted, 0);
  const isEmpty = all.every(({ dates }) => dates.length === 0);
  if (omitted > 0)
    ask.note?.({ kind: isEmpty ? 'empty' : 'remark', text: omittedText(omitted, days.length, ask) });
  else if (isEmpty) await explainSeries(all, { days, from, to });
  return all;
}

function omittedText(count: number, days: number, { naming }: Ask): string {
  const known = days === 2 ? 'only one of the days knows' : 'only some of the days know';
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${counted(count, 'date')} that ${known} ${are} left out; ${naming.param('all_rows')} has ${them}`;
}

/** Says of one series and two days what the newest value that both know was then, and is now. */
function sentenceOf(all: readonly SeriesVersions[], asked: AskedOfDays): string | undefined {
  const { days } = asked;
  const [one] = all;
  if (one === undefined || all.length > 1 || days.length !== 2) return undefined;
  const [then, now] = one.found
    .map((rows, i) => ({ day: days[i] ?? '', rows }))
    .sort((a, b) => (placeOfVersion(a.day) < placeOfVersion(b.day) ? -1 : 1));
  const date = inOrder(then?.rows.keys() ?? [], 'desc').find((day) => now?.rows.has(day)) ?? '';
  const [was, is] = [then?.rows.get(date), now?.rows.get(date)];
  if (then === undefined || now === undefined || was === undefined || is === undefined) return undefined;
  const { unit } = is;
  const { id } = one.series;
  const isLevel = (transformationIn(asked, one.series)?.units ?? 'lin') === 'lin';
  const name = isLevel ? id : `${id} (${unit})`;
  const about = { name, date, frequency: parseFrequency(is.frequency) ?? '', unit };
  const isExact = one.ask.basis.kindsOf(id).has('exact');
  const on = ({ value, as_of_date: own }: ObservationRow, day: Version) => {
    return { day, value, recordedOn: isExact ? undefined : own };
  };
  return thenAndNow(about, on(was, then.day), on(is, now.day));
}

function seriesOf(asked: AskedOfDays, ask: Ask): Promise<readonly ResolvedSeries[]> {
  const days = asked.days.map((day) => dayOfKnown(knownIn(day)) ?? '~');
  return resolveSeries(asked, latestOf(days), ask);
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

async function versionsOf(series: ResolvedSeries, asked: AskedOfDays, context: Ask): Promise<SeriesVersions> {
  const ask = await askingFor(series, asked, context);
  const { days, from, to, sort, limit, all_rows } = asked;
  const { id } = series;
  const answers = await Promise.all(
    days.map((day) => rowsOf(ask, observations, { id, ...defined({ ...knownIn(day), from, to }) })),
  );
  const transformation = transformationIn(asked, series);
  if (countsOwnPeriods(transformation) && answers.some((rows) => rows.length > 0)) {
    const requireSame = oneFrequency(id, transformation);
    for (const [i, day] of days.entries())
      requireSame(day, answers[i]?.[0]?.frequency ?? (await frequencyOn(series, day, ask)));
  }
  const found = answers.map((rows) => new Map(rows.map((row) => [row.date, row])));
  const known = inOrder(new Set(found.flatMap((version) => [...version.keys()])), 'desc');
  const dates = all_rows === true ? known : known.filter((date) => found.every((rows) => rows.has(date)));
  const shown = dates.slice(0, limit);
  const omitted = known.length - dates.length;
  return { series, ask, dates: inOrder(shown, sort), omitted, found, hasMore: shown.length < dates.length };
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
  reading: async (values, ask) => ({ series: await seriesOf(values, ask), reads: 2 }),
  answer(values, ask): Promise<QueryAnswer<DiffRow>> {
    return answerVersions({ ...values, all_rows: true }, ask, (all) => {
      noteReversed(values, ask);
      const rows = all.flatMap((one) =>
        comparedFirst(one.dates, one.found).map((date): DiffRow => {
          const [was = null, is = null] = one.found.map((rows) => rows.get(date)?.value ?? null);
          const cells = { series_id: nameOfSeries(one.series), date, old: was, new: is };
          return { ...cells, ...changeOn(date, one), kind: kindOf(was, is) };
        }),
      );
      const differing = rows.filter(({ kind }) => kind !== 'unchanged');
      return {
        object: 'diff',
        rows: values.all_rows === true ? rows : differing,
        differs: differing.length > 0,
      };
    });
  },
});

function kindOf(was: string | null, is: string | null): string {
  if (was === null || is === null) return was === null ? 'added' : 'withdrawn';
  return sameNumber(was, is) ? 'unchanged' : 'revised';
}

/** Returns dates in their order, first those that every version knows. */
function comparedFirst(dates: readonly Day[], versions: readonly ReadonlyMap<Day, unknown>[]) {
  const unknown = (date: Day) => versions.filter((one) => !one.has(date)).length;
  return [...dates].sort((a, b) => unknown(a) - unknown(b));
}
