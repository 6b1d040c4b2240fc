import { type Ask, explainSeries, rowsOf } from '../../answering/answer.ts';
import type { Demands } from '../../answering/basis.ts';
import { composed, eachOf } from '../../answering/composed.ts';
import { noteBasis } from '../../answering/coverage.ts';
import { requireOneFrequency } from '../../answering/one-frequency.ts';
import { argument, question, transformationIn } from '../../answering/question.ts';
import { noteRescaling } from '../../answering/rescaling.ts';
import { resolveSeries } from '../../answering/series-ids.ts';
import { changeBetween } from '../../domain/series/arithmetic.ts';
import { type Day, parseDay } from '../../domain/series/date.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { type Field, type RowFrom, showing } from '../../operations/field.ts';
import { observations } from '../../operations/figures.ts';
import type { ObservationRow } from '../../operations/observations.ts';
import type { ParamsOf } from '../../operations/param.ts';
import { param } from '../../operations/params.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { flag, twoVersions, type Version } from '../../operations/value.ts';
import {
  knownOnDays,
  rangeParams,
  type SeriesArgument,
  severalSeries,
  skipMissing,
  unitsParams,
} from './shared.ts';

const fields = [
  { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
  { name: 'date', type: 'day', description: 'The period that the values belong to.' },
  { name: 'old', type: 'decimal', description: 'The value as of the first date.', nullable: true },
  { name: 'new', type: 'decimal', description: 'The value as of the other date.', nullable: true },
  { name: 'change', type: 'decimal', description: 'Exact difference.', nullable: true },
  { name: 'percent', type: 'decimal', description: 'The same in percent of the old value.', nullable: true },
  { name: 'kind', type: 'text', description: 'added, revised, withdrawn or unchanged.' },
] as const satisfies readonly Field[];

/** A date whose value differs between two as-of dates; with `all_rows`, also a date whose value is the same. */
export type DiffRow = RowFrom<(typeof fields)[number]>;

const layout = showing(fields);
const about = 'The dates for which series had other values as of one day than as of another, newest first.';

const twoDays = argument(
  'days',
  twoVersions,
  'The two as-of dates, the earlier one first; latest is the newest vintage.',
  {
    flags: [{ name: 'known-before', about: 'use only what was published before each of the two dates' }],
    args: [
      { name: 'date1', complete: 'days', about: 'first as-of date' },
      { name: 'date2', complete: 'days', about: 'second as-of date; latest is the newest vintage' },
    ],
    read: typedDays,
  },
);

function typedDays(line: TypedLine): readonly [Version, Version] {
  const strict = line.has('known-before');
  const known = (index: number, name: string) =>
    line.arg(index) === 'latest' && !strict ? 'latest' : line.known(line.dayArg(index, name), name, strict);
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

// The labels are the names that editors show.
const args: readonly [ids: SeriesArgument, days: typeof twoDays] = [
  severalSeries((line) => line.args.slice(0, -2)),
  twoDays,
];

/** The values of series as of two days, compared. */
export const diff = question({
  name: 'diff',
  about,
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
    summary: 'The dates for which series had other values as of one day than as of another',
    description: `${about} \`days\` are the two as-of dates. The answer has no pages.`,
    layout,
    members: ['missing'],
    example: {
      params: { ids: 'GDP', days: '2015-01-30,2015-02-27', from: '2014-10-01' },
      row: {
        series_id: 'GDP',
        date: '2014-10-01',
        old: '17710.7',
        new: '17701.3',
        change: '-9.4',
        percent: '-0.0531',
        kind: 'revised',
      },
    },
  },
  args,
  params: {
    ...rangeParams,
    ...unitsParams,
    all_rows: param(flag, 'Also gives the dates with the same value.', undefined, {
      help: { about: 'include dates with the same value' },
    }),
    skip_missing: skipMissing,
  },
  layout: () => layout,
  ...knownOnDays,
  bind(values, day) {
    const [first, second] = values.days.map((one) => (one === 'latest' ? day : one));
    const bound = [first ?? day, second ?? day] as const;
    return {
      values: { ...values, days: bound },
      days: [
        ['the first date', bound[0]],
        ['the second date', bound[1]],
      ],
      words: [],
    };
  },
  reading: async (values, ask) => ({ series: await seriesOf(values, ask), asOf: 2 }),
  answer: (values, ask) =>
    composed(ask, async (counting) => {
      const { days, from, to, all_rows } = values;
      const all = await seriesOf(values, counting);
      const done = await eachOf(all, counting, async (series) => {
        const { id } = series;
        const [before = [], after = []] = await Promise.all(
          days.map((day) =>
            rowsOf(counting, observations, {
              id,
              ...(day !== 'latest' && { as_of: day }),
              ...(from !== undefined && { from }),
              ...(to !== undefined && { to }),
            }),
          ),
        );
        const versions = days.map((day, i) => ({ day, rows: i === 0 ? before : after }));
        await requireOneFrequency(series, versions, transformationIn(values), counting);
        const unit = (before[0] ?? after[0])?.unit ?? '';
        return { series, unit, rows: changesOf(id, before, after) };
      });
      const series = done.map((one) => one.series);
      await noteBasis(
        series,
        days.filter((day) => day !== 'latest'),
        counting,
      );
      const [first, second] = days;
      if (first > second)
        counting.note?.({
          kind: 'remark',
          text: `${second} is earlier than ${first}: changes are shown back in time`,
        });
      for (const one of done) noteRescaling({ id: one.series.id, unit: one.unit }, one.rows, counting);
      const rows = done.flatMap((one) => one.rows);
      if (rows.length === 0) await explainSeries(done, { days, from, to }, counting);
      const differing = rows.filter(({ kind }) => kind !== 'unchanged');
      const differs = differing.length > 0;
      return { object: 'diff', ...layout, rows: all_rows === true ? rows : differing, differs };
    }),
});

type Asked = {
  readonly ids: readonly string[];
  readonly skip_missing: boolean | undefined;
  readonly days: readonly Version[];
};

function seriesOf(asked: Asked, ask: Ask) {
  const { ids, skip_missing } = asked;
  return resolveSeries({ ids, skipMissing: skip_missing === true, asOf: knownOnDays.knownOn(asked) }, ask);
}

/** The parameters of a comparison of two as-of dates. */
export type DiffParams = ParamsOf<typeof diff> & Demands;

/** Every date that either answer has, newest first. */
function changesOf(
  id: string,
  before: readonly ObservationRow[],
  after: readonly ObservationRow[],
): readonly DiffRow[] {
  const [old, now] = [valuesByDate(before), valuesByDate(after)];
  const dates = [...new Set([...old.keys(), ...now.keys()])].sort().reverse();
  return dates.map((date) => {
    const [was, is] = [old.get(date) ?? null, now.get(date) ?? null];
    const change = was === null || is === null ? { change: null, percent: null } : changeBetween(was, is);
    return { series_id: id, date, old: was, new: is, ...change, kind: kindOf(was, is) };
  });
}

function kindOf(was: string | null, is: string | null): string {
  if (was === null) return 'added';
  if (is === null) return 'withdrawn';
  return sameNumber(was, is) ? 'unchanged' : 'revised';
}

function valuesByDate(rows: readonly ObservationRow[]): ReadonlyMap<Day, string> {
  return new Map(rows.map(({ date, value }) => [date, value]));
}
