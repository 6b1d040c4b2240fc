import type { Ask } from '../../answering/answer.ts';
import type { Demands } from '../../answering/basis.ts';
import { composed } from '../../answering/composed.ts';
import { type BoundValues, type Question, question, typed } from '../../answering/question.ts';
import { resolveSeries } from '../../answering/series-ids.ts';
import { addDays, type Day, parseDay, type Rhythm, rhythms } from '../../domain/values/date.ts';
import { contradiction, Problem, refused, type Sentence } from '../../errors/problem.ts';
import type { WideRow } from '../../operations/envelope.ts';
import type { RowLayout } from '../../operations/field.ts';
import {
  checkKnown,
  dayOfKnown,
  knownParams,
  lastKnown,
  type Param,
  type Params,
  type ParamsOf,
  type ParamValues,
  param,
  periodRange,
  versionOf,
} from '../../operations/param.ts';
import type { ObservationRow } from '../../operations/series/observations.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { choice, day, flag, integer, type Value } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { observationsOfSeveral } from './observations.ts';
import {
  asOfDates,
  beyondParam,
  laggedName,
  longPanelLayout,
  type PanelForm,
  type PanelRow,
  panelRows,
  type RealTimePanelQuery,
  widePanelLayout,
} from './panel-rows.ts';
import { aboutAsOf, boundAsOf, severalSeries, skipMissing, sortParam, unitsParams } from './shared.ts';
import { readVersions } from './version-answers.ts';

type DaysOfFile = { readonly file: string };

const asOfEach: Param<Rhythm | readonly Day[] | DaysOfFile | undefined, false> = {
  ...param(
    oneOrDays(rhythms),
    'The as-of dates: those of a schedule from `from` to `to`, or a list of dates.',
    undefined,
  ),
  typed: {
    flags: [
      {
        name: 'as-of-each',
        value: 'period',
        about: 'newest values known on each of these days from --from to --to',
        choices: rhythms,
      },
      {
        name: 'as-of-file',
        value: 'file',
        complete: 'files',
        about: 'newest values known on each day in a CSV file; - is standard input',
      },
    ],
    read: typedEach,
  },
};

function typedEach(line: TypedLine): Rhythm | DaysOfFile | undefined {
  const [rhythm, file] = [line.choice('as-of-each', rhythms), line.text('as-of-file')];
  const each = file === undefined ? rhythm : { file };
  if (rhythm !== undefined && file !== undefined)
    throw new Problem('bad-input', 'use either --as-of-each or --as-of-file');
  return each;
}

const params = {
  ...knownParams,
  as_of_each: asOfEach,
  known_before_each: param(flag, 'Only what was published before each of these days.', undefined),
  from: { ...periodRange.from, help: { about: 'first date; with --as-of-each, first as-of date' } },
  to: { ...periodRange.to, help: { about: 'last date; with --as-of-each, last as-of date' } },
  wide: param(flag, 'One column per series.', undefined),
  last: param(integer(1, 1000), 'The newest n observations on each as-of date (default 1).', undefined),
  lag: param(integer(0, 1000), 'Skip the newest n observations on each as-of date.', undefined),
  with_dates: param(flag, 'Add the observation date of each value to a wide panel.', undefined),
  beyond: { ...beyondParam('cells of as-of dates after a series ends'), fallback: undefined },
  sort: sortParam,
  skip_missing: skipMissing,
  ...unitsParams,
} satisfies Params;

type PanelValues = ParamValues<typeof params> & { readonly ids: readonly string[] };

/** Parameters only for a panel as of many days, in the order of refusal. */
const ofManyDays = ['beyond', 'with_dates', 'last', 'lag', 'known_before_each'] as const;

type PanelGiven = ParamsOf<{ readonly params: typeof params }>;

type OneDay = 'asOf' | 'knownAt' | 'knownBefore';

type OfAnyPanel = Omit<PanelGiven, OneDay | 'asOfEach' | 'from' | 'to' | keyof OfManyDays>;

type OfManyDays = Pick<PanelGiven, 'beyond' | 'knownBeforeEach' | 'lag' | 'last' | 'withDates'>;

type AsOfOneDay = Pick<PanelGiven, OneDay | 'from' | 'to'> & {
  readonly [K in keyof OfManyDays | 'asOfEach']?: undefined;
};

type AsOfEachDay = OfManyDays & { readonly [K in OneDay]?: undefined } & (
    | { readonly asOfEach: Rhythm; readonly from: Day; readonly to: Day }
    | (Pick<PanelGiven, 'from' | 'to'> & { readonly asOfEach: readonly Day[] })
  );

/** The parameters of a panel. */
export type PanelParams = OfAnyPanel & (AsOfEachDay | AsOfOneDay) & Demands;

type Ids = string | readonly string[];

const about: Sentence = ({ param }) =>
  `Several series side by side as known on one day. With ${param('as_of_each')}, the newest value of each series that was known on each day of a schedule: a panel for backtests, without look-ahead.`;

/** Several series side by side, as known on one day or on each of many days. */
export const panel = question({
  name: 'panel',
  about,
  command: {
    words: 'panel',
    heading: 'Series',
    summary: 'Show several series side by side, as they were known',
    examples: `
# two series side by side, as known on a date
asof panel GDP UNRATE --as-of 2009-01-30 --from 2008-01-01 --wide
# a minute before a release; without a calendar, what was known at the end of the day before
asof panel GDP UNRATE --known-at 2009-01-30T08:29-05:00 --from 2008-01-01
# for a backtest: the newest values known at each month-end
asof panel GDP PAYEMS --as-of-each month-end --from 2008-10-01 --to 2009-02-28 --sort asc
# inflation and growth beside a level, each as known then (asof help units)
asof panel CPIAUCSL:yoy GDPC1:saar UNRATE --as-of 2009-01-30 --from 2008-01-01 --wide
# into a Parquet file, for DuckDB or pandas
asof panel GDP UNRATE --as-of 2009-01-30 -o panel.parquet
`,
  },
  endpoint: {
    path: '/v1/panel',
    object: 'panel',
    heading: 'Series',
    summary: 'Several series side by side, as they were known on one day or on many',
    description: (voice) =>
      `${about(voice)} The answer has no pages. With \`wide\` a row has the day, and a text or null under each id as it was asked for.`,
    layout: longPanelLayout,
    knownBy: 'as_of',
    mayBeWide: true,
    members: ['as_of', 'known_at', 'missing'],
    example: { ids: 'GDP', as_of_each: 'month-end', from: '2015-01-01', to: '2015-01-31' },
  },
  args: [severalSeries((line) => line.args)],
  params,
  method:
    typed<
      [
        [[ids: Ids, params: PanelParams & { readonly wide: true }], WideRow],
        [[ids: Ids, params?: PanelParams & { readonly wide?: false | undefined }], PanelRow],
        [[ids: Ids, params?: PanelParams], PanelRow | WideRow],
      ]
    >(),
  // Refuses parameters of both kinds of panel together, and days that have not begun.
  check(values, { latest, inPlan = false }) {
    const { as_of_each: each, known_before_each, from, to, wide, with_dates } = values;
    checkKnown(values);
    if (each === undefined) {
      const name = ofManyDays.find((one) => values[one] !== undefined && values[one] !== false);
      if (name === undefined) return;
      throw contradiction(
        name,
        ({ param }) => `${param(name)} is only for panels of as-of dates: use ${param('as_of_each')}`,
      );
    }
    const one = (['as_of', 'known_at'] as const).find((name) => values[name] !== undefined);
    if (one !== undefined)
      throw contradiction(one, ({ param }) => `use either ${param(one)} or ${param('as_of_each')}`);
    const missing = from === undefined ? 'from' : to === undefined && !inPlan ? 'to' : undefined;
    if (typeof each === 'string' && missing !== undefined)
      throw contradiction(
        missing,
        ({ param }) =>
          `${param('as_of_each')} needs ${param('from')} and ${param('to')}: the first and the last as-of date`,
      );
    if (with_dates === true && wide !== true)
      throw contradiction(
        'with_dates',
        ({ param }) => `${param('with_dates')} needs ${param('wide')}: a long panel has the dates`,
      );
    if (isOfFile(each)) {
      if (!inPlan) return;
      throw new Problem('bad-input', 'a plan cannot use --as-of-file: the file may change', {
        hints: ['use --as-of-each'],
      });
    }
    if (typeof each === 'string' && to === undefined) return;
    const newest = asOfDates({ as_of_each: each, from, to }).at(-1) ?? '';
    if ((known_before_each === true ? addDays(newest, -1) : newest) <= latest) return;
    const name = typeof each === 'string' ? 'to' : 'as_of_each';
    throw contradiction(
      name,
      ({ param }) => `${param(name)} ${newest} is in the future: nothing is known as of that date yet`,
    );
  },
  layout: layoutOf,
  drawing: (values) => async (ask) => {
    const { observationsDrawing, realTimePanelDrawing } = await import('./drawings.ts');
    if (values.as_of_each === undefined) return observationsDrawing(values, ask);
    return realTimePanelDrawing(await realTimeOf(values, ask), ask);
  },
  showsNewest: ({ as_of, known_at, as_of_each, to }) =>
    [as_of, known_at, as_of_each, to].every((one) => one === undefined),
  knownOn(values) {
    const { as_of_each: each, to } = values;
    if (each === undefined) return lastKnown(values);
    return isList(each) ? asOfDates({ ...values, as_of_each: each }).at(-1) : to;
  },
  aboutValues({ as_of, known_at, as_of_each: each, known_before_each, from, to, lag = 0, beyond }) {
    if (each === undefined) return aboutAsOf(versionOf({ as_of, known_at }));
    const text = isList(each)
      ? daysText(each)
      : isOfFile(each)
        ? `the days of ${each.file}`
        : `each ${each} from ${from} to ${to}`;
    const repeated = 'on days after the coverage the newest value that is known';
    return [
      ...aboutAsOf(known_before_each === true ? `${text}, known before each` : text),
      ...(lag > 0 ? [['Lag', `the newest ${lag} skipped`] as const] : []),
      ...(beyond === 'repeat' ? [['Beyond', repeated] as const] : []),
    ];
  },
  bind: (values, day) => (values.as_of_each === undefined ? boundAsOf(values, day) : boundTo(values, day)),
  async reading(values, ask) {
    if (values.as_of_each === undefined)
      return { series: await resolveSeries(values, dayOfKnown(values), ask), reads: 1 };
    const { readingOfRealTimePanel } = await import('./real-time-panel.ts');
    return readingOfRealTimePanel(await realTimeOf(values, ask), ask);
  },
  async answer(values, ask) {
    if (values.as_of_each !== undefined) {
      // Loaded here: other questions start faster without histories.
      const { answerRealTimePanel } = await import('./real-time-panel.ts');
      return answerRealTimePanel(await realTimeOf(values, ask), ask);
    }
    // A chart shows observations, which state units and sources; the question may have parameters that a panel lacks.
    const drawn: Question = observationsOfSeveral;
    if (ask.drawn) {
      const asked = { ...values, sort: undefined };
      return { ...drawn.layout(asked), ...(await drawn.answer(asked, ask)) };
    }
    return composed<PanelRow | WideRow>(ask, (counting) => asOfOneDay(values, counting));
  },
});

function isOfFile(each: PanelValues['as_of_each']): each is DaysOfFile {
  return typeof each === 'object' && 'file' in each;
}

function isList(each: PanelValues['as_of_each']): each is readonly Day[] {
  return typeof each === 'object' && !isOfFile(each);
}

/** Returns the ids as typed, with each series once. */
function namesOf(ids: readonly string[]): readonly string[] {
  const byId = new Map([...ids].reverse().map((typed) => [typed.toUpperCase(), typed]));
  return [...new Set(ids.map((id) => id.toUpperCase()))].map((id) => byId.get(id) ?? id);
}

function layoutOf(values: PanelValues): RowLayout | undefined {
  const { ids, wide, as_of_each, last = 1, lag = 0, with_dates } = values;
  if (wide !== true) return longPanelLayout;
  if (ids.some((id) => id.includes('*'))) return undefined;
  const names = namesOf(ids);
  if (as_of_each === undefined) return widePanelLayout('date', names, false);
  const lagged = names.flatMap((typed) => Array.from({ length: last }, (_, i) => laggedName(typed, lag + i)));
  return widePanelLayout('as_of', lagged, with_dates === true);
}

function boundTo(values: PanelValues, day: Day): BoundValues<PanelValues> {
  const { as_of_each: each, from, to = day } = values;
  const bound = { ...values, to };
  const days: BoundValues<PanelValues>['days'] = [
    ...(from === undefined ? [] : [['from', from] as const]),
    ['to', to],
    ...(isList(each) ? each.map((one) => ['the as-of date', one] as const) : []),
  ];
  // A later day is refused by its name.
  if (each !== undefined && !isOfFile(each) && days.every(([, one]) => one <= day))
    asOfDates({ ...bound, as_of_each: each });
  return { values: bound, days, words: values.to === undefined ? ['--to', day] : [] };
}

function daysText(days: readonly Day[]): string {
  const sorted = [...new Set(days)].sort();
  if (sorted.length <= 10) return sorted.join(', ');
  return `${sorted.length} days from ${sorted[0]} to ${sorted.at(-1)}`;
}

async function realTimeOf(values: PanelValues, ask: Ask): Promise<PanelForm & RealTimePanelQuery> {
  const { as_of_each: each, known_before_each: strict = false, beyond = 'empty' } = values;
  if (each === undefined) throw new Error('the panel is as of one day');
  const as_of_each = isOfFile(each) ? await daysOfFile(each.file, strict, ask) : each;
  return { ...values, as_of_each, beyond, panel };
}

/** Reads the days in the first column of a file. */
async function daysOfFile(file: string, strict: boolean, { tables }: Ask): Promise<readonly Day[]> {
  if (tables === undefined) throw new Error('there are no tables here');
  // Loaded here: most panels read no file.
  const { daysIn } = await import('../../answering/table.ts');
  const options = { strict, hints: ['the days are in the first column'], mayLackHeader: true };
  return [...(await daysIn(await tables.open(file), 0, tables, options)).values()];
}

async function asOfOneDay(values: PanelValues, ask: Ask) {
  const version = versionOf(values);
  const all = await readVersions({ ...values, days: [version] }, ask);
  const dayOf = (id: string) => (version === 'latest' ? undefined : ask.basis.dayOf(id, version));
  const columns = all.map(({ series, found: [rows = new Map<Day, ObservationRow>()] }) => {
    const kind = ask.basis.vintageOn(series.id, version === 'latest' ? undefined : version)?.vintage_kind;
    const points = Array.from(rows, ([date, { value, as_of_date: asOfDate }]) => {
      return { date, value, asOfDate, kind };
    });
    return { series, days: [...rows.keys()], points };
  });
  // An instant may come to another day, or by another rule, for the next series.
  const days = new Set(all.map(({ series }) => dayOf(series.id)));
  const rules = new Set(all.map(({ series }) => ask.basis.resolved(series.id, version)?.rule));
  const [asOf, rule] = [
    days.size === 1 ? [...days][0] : undefined,
    rules.size === 1 ? [...rules][0] : undefined,
  ];
  const knownAt = rule && { instant: version, rule };
  return { ...panelRows(columns, values, 'date', dayOf), ...defined({ asOf, knownAt }) };
}

/** Accepts one of a few words, or a list of dates. */
function oneOrDays<const T extends string>(choices: readonly T[]): Value<T | readonly Day[]> {
  const isWordOf = (given: unknown): given is T => choices.some((one) => one === given);
  return {
    check(value, name, clock) {
      if (Array.isArray(value) && value.length > 0) return value.map((one) => day.check(one, name, clock));
      if (isWordOf(value)) return value;
      const reason = `use ${choices.join(', ')}, or a list of dates such as ["2015-01-30"]`;
      throw refused({ param: name, value, reason });
    },
    parse(given, name) {
      if (isWordOf(given)) return given;
      const parts = given.split(',');
      if (parts.every((part) => parseDay(part) !== undefined)) return parts;
      const reason = `use ${choices.join(', ')}, or dates (YYYY-MM-DD) separated by commas`;
      throw refused({ param: name, value: given, reason });
    },
    schema: { anyOf: [choice(choices).schema, { type: 'array', items: day.schema, minItems: 1 }] },
    placeholder: 'dates',
  };
}
