import type { QueryAnswer } from '../../answering/answer.ts';
import { argument, question } from '../../answering/question.ts';
import { changeBetween } from '../../domain/values/arithmetic.ts';
import { type Day, parseDay } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { field, nullable, type RowFrom, showing } from '../../operations/field.ts';
import { param, periodRange } from '../../operations/param.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { flag, twoVersions, type Version } from '../../operations/value.ts';
import { knownOnDays, type SeriesArgument, severalSeries, skipMissing, unitsParams } from './shared.ts';
import { answerVersions, seriesOf } from './versions.ts';

const fields = [
  field('series_id', 'text', 'Identifier of the series.'),
  field('date', 'day', 'The period that the values belong to.'),
  nullable('old', 'decimal', 'The value as of the first date.'),
  nullable('new', 'decimal', 'The value as of the other date.'),
  nullable('change', 'decimal', 'Exact difference.'),
  nullable('percent', 'decimal', 'The same in percent of the old value.'),
  field('kind', 'text', 'added, revised, withdrawn or unchanged.'),
] as const;

/** A date whose value differs between two as-of dates; with `all_rows`, also a date whose value is the same. */
export type DiffRow = RowFrom<(typeof fields)[number]>;

const layout = showing(fields);
const about = 'The dates whose values differ between two as-of dates, newest first.';

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
    summary: 'The dates whose values differ between two as-of dates',
    description: `${about} \`days\` are the two as-of dates. The answer has no pages.`,
    layout,
    members: ['missing'],
    example: { ids: 'GDP', days: '2015-01-30,2015-02-27', from: '2014-10-01' },
  },
  args,
  params: {
    ...periodRange,
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
  reading: async (values, ask) => ({ series: await seriesOf(values, ask), reads: 2 }),
  answer(values, ask): Promise<QueryAnswer<DiffRow>> {
    const [first, second] = values.days;
    return answerVersions(values, ask, {
      object: 'diff',
      layout: () => layout,
      ...(first > second && {
        remark: `${second} is earlier than ${first}: the changes run from the later date to the earlier`,
      }),
      rows(all) {
        const rows = all.flatMap(({ series: { id }, dates, found: [before, after] }) =>
          dates.map((date) =>
            diffRow(id, date, before?.get(date)?.value ?? null, after?.get(date)?.value ?? null),
          ),
        );
        const differing = rows.filter(({ kind }) => kind !== 'unchanged');
        return { rows: values.all_rows === true ? rows : differing, differs: differing.length > 0 };
      },
    });
  },
});

function diffRow(id: string, date: Day, was: string | null, is: string | null): DiffRow {
  const change = was === null || is === null ? { change: null, percent: null } : changeBetween(was, is);
  return { series_id: id, date, old: was, new: is, ...change, kind: kindOf(was, is) };
}

function kindOf(was: string | null, is: string | null): string {
  if (was === null) return 'added';
  if (is === null) return 'withdrawn';
  return sameNumber(was, is) ? 'unchanged' : 'revised';
}
