import type { Ask, QueryAnswer } from '../../answering/answer.ts';
import { namesOf, type WideRow } from '../../answering/panel.ts';
import { argument, question } from '../../answering/question.ts';
import { changeBetween } from '../../domain/series/arithmetic.ts';
import { Problem } from '../../errors/problem.ts';
import { field, nullable, type RowFrom, type RowLayout, showing } from '../../operations/field.ts';
import type { ParamValues } from '../../operations/param.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { type Version, versions } from '../../operations/value.ts';
import { knownOnDays, type SeriesArgument, severalSeries } from './shared.ts';
import {
  answerVersions,
  decimalColumn,
  drawingOfDays,
  inOrder,
  onDay,
  refuseOthers,
  type SeriesVersions,
  seriesOf,
  versionsParams,
} from './versions.ts';

const fields = [
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

/** The value of a date as of one day, compared with that as of another. */
export type ComparedRow = RowFrom<(typeof fields)[number]>;

const layout = showing(fields);

const twoDays = argument('days', versions(2), 'As-of dates; latest is the newest vintage.', {
  flags: [
    {
      name: 'vs',
      value: 'date',
      complete: 'days',
      about: 'compare with the values as of another date, or with the latest ones',
    },
  ],
  read: typedDays,
});

function typedDays(line: TypedLine): readonly [Version, Version] {
  const named = line.versions('vs') ?? [];
  refuseOthers('vs', line);
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
const args: readonly [ids: SeriesArgument, days: typeof twoDays] = [
  severalSeries((line) => line.args),
  twoDays,
];

const either = {
  name: 'compare',
  args,
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
    asOf: 2,
  }),
} as const;

/** The same question with a row for each date, and the columns of the comparison for each series. */
const wideCompare = question({
  ...either,
  layout: ({ ids }) => (ids.some((id) => id.includes('*')) ? undefined : wideLayout(namesOf(ids))),
  // A chart shows the rows of the long form.
  answer: (values, ask): Promise<QueryAnswer<ComparedRow | WideRow>> =>
    ask.chart === true ? answerLong(values, ask) : answerWide(values, ask),
});

/** The values of series as of one day, compared with those as of another. */
export const compare = question({
  ...either,
  about: 'The values of series as of one day beside those as of another.',
  askedBy: { words: ['observations', 'panel'], together: { flag: 'wide', question: wideCompare } },
  layout: () => layout,
  answer: answerLong,
});

function answerLong(values: AskedOfTwoDays, ask: Ask): Promise<QueryAnswer<ComparedRow>> {
  return answerVersions(values, ask, {
    object: 'comparison',
    layout: () => layout,
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

/** The columns of a series: `GDP`, `GDP_vs`, `GDP_change`, `GDP_percent`. */
function columnsOf(typed: string): readonly [string, string, string, string] {
  return [typed === 'date' ? 'DATE' : typed, `${typed}_vs`, `${typed}_change`, `${typed}_percent`];
}

function wideLayout(names: readonly string[]): RowLayout {
  const columns = names.flatMap((name) =>
    columnsOf(name).map((column) => decimalColumn(column, `Compared values of ${name}.`)),
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
