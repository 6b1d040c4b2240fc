import { rowsOf } from '../../src/answering/answer.ts';
import { composed, eachOf } from '../../src/answering/composed.ts';
import { type Question, question } from '../../src/answering/question.ts';
import { resolveSeries } from '../../src/answering/series-ids.ts';
import { contradiction } from '../../src/errors/problem.ts';
import { pageOf } from '../../src/operations/envelope.ts';
import { type Field, showing } from '../../src/operations/field.ts';
import { operation } from '../../src/operations/operation.ts';
import { asOfParam, paging, param, periodRange } from '../../src/operations/param.ts';
import { observations } from '../../src/operations/series/observations.ts';
import { day, flag, integer } from '../../src/operations/value.ts';
import { aboutAsOf, boundAsOf, severalSeries, skipMissing } from '../../src/questions/series/shared.ts';

/** An operation that asof does not have, declared as a new file in src/operations would declare it. */
export const sources = operation({
  name: 'data_sources',
  command: { words: 'sources', alias: 'src', heading: 'Series' },
  summary: 'List the sources of series',
  description: 'By name, the last first.',
  path: '/v1/sources',
  object: 'source_list',
  params: {
    min_series: param(integer(1, 1000), 'Series that a source has at least.', 1),
    to: param(day, 'Last day of a last vintage.', undefined, { bounds: { field: 'last_vintage', is: 'to' } }),
    ...paging,
  },
  fields: [
    { name: 'source', type: 'text', description: 'Name of the data source.' },
    { name: 'series_count', type: 'integer', description: 'Its series.' },
    { name: 'last_vintage', type: 'day', description: 'The last vintage of any of them.', nullable: true },
  ],
  columns: ['source', 'series_count', 'last_vintage'],
  example: { limit: '1' },
  knownBy: 'last_vintage',
  boundBy: 'to',
  async run({ min_series, to = '9999-12-31', limit }, { view, position }) {
    const series = await view.series.search({ text: '', limit: 1000 });
    const rows = [...new Set(series.map(({ source }) => source))].sort().map((source) => {
      const own = series.filter((one) => one.source === source);
      const days = own.map(({ lastVintage }) => lastVintage).sort();
      return { source, series_count: own.length, last_vintage: days.at(-1) ?? null };
    });
    const after = position?.key[0];
    const asked = rows
      .reverse()
      .filter(({ series_count, last_vintage }) => series_count >= min_series && (last_vintage ?? '') <= to)
      .filter(({ source }) => after === undefined || source < after);
    return pageOf(
      asked.slice(0, limit + 1),
      limit,
      (row) => row,
      ({ source }) => ({ key: [source] }),
    );
  },
});

const fields = [
  { name: 'date', type: 'day', description: 'The period of the values.' },
  { name: 'series', type: 'integer', description: 'The series that have a value.' },
  { name: 'missing', type: 'integer', description: 'The series that have none.' },
] as const satisfies readonly Field[];

const layout = showing(fields);
const about = 'How many of several series have a value for each date, newest first.';

const command = {
  words: 'gaps',
  heading: 'Series',
  summary: 'Count the series that have a value',
  examples: '# which dates lack a value of one of the two\nasof gaps GDP UNRATE --only-gaps\n',
} as const;

const endpoint: NonNullable<Question['endpoint']> = {
  path: '/v1/gaps',
  object: 'gaps',
  heading: 'Series',
  summary: 'The series that have a value, by date',
  description: about,
  layout,
  members: ['as_of'],
  example: { ids: 'GDP,GDPC1', least: '1' },
};

/** A question that asof does not have and that asks others, declared as a new file in src/questions would declare it. */
export const gaps = question({
  name: 'value_gaps',
  about,
  command,
  endpoint,
  args: [severalSeries((line) => line.args)],
  params: {
    as_of: asOfParam(),
    ...periodRange,
    only_gaps: param(flag, 'Leaves out dates for which no value is missing.', undefined),
    least: param(integer(1, 9), 'Series that a date has at least.', 1),
    skip_missing: skipMissing,
  },
  check({ only_gaps, ids }) {
    if (only_gaps === true && ids.length === 1)
      throw contradiction('only_gaps', ({ param: named }) => `${named('only_gaps')} needs two series`);
  },
  layout: () => layout,
  knownOn: ({ as_of }) => as_of,
  aboutValues: ({ as_of }) => aboutAsOf(as_of),
  bind: boundAsOf,
  answer: ({ ids, as_of, from, to, only_gaps, least, skip_missing }, ask) =>
    composed(ask, async (counting) => {
      const all = await resolveSeries({ ids, skip_missing }, as_of, counting);
      const found = await eachOf(all, counting, ({ id }) =>
        rowsOf(counting, observations, {
          id,
          ...(as_of !== undefined && { as_of }),
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
        }),
      );
      const counts = new Map<string, number>();
      for (const { date } of found.flat()) counts.set(date, (counts.get(date) ?? 0) + 1);
      const rows = [...counts]
        .map(([date, series]) => ({ date, series, missing: all.length - series }))
        .filter(({ series, missing }) => series >= least && (only_gaps !== true || missing > 0))
        .sort((one, other) => (one.date < other.date ? 1 : -1));
      return { object: 'gaps', ...layout, rows, ...(as_of !== undefined && { asOf: as_of }) };
    }),
});

const most = param(integer(1, 9), 'Series that a date has at most.', undefined);

/** The same question with a parameter more, which is a line in its declaration. */
export const gapsAtMost = {
  ...gaps,
  name: 'gaps_at_most',
  command: { ...command, words: 'gaps-at-most' },
  endpoint: { ...endpoint, path: '/v1/gaps-at-most' },
  params: { ...gaps.params, most },
};
