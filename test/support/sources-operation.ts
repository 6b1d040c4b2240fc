import { operation } from '../../src/operations/operation.ts';
import { pageOf } from '../../src/operations/page.ts';
import { paging, param } from '../../src/operations/param.ts';
import { day, integer } from '../../src/operations/value.ts';

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
  async run({ min_series, to, limit }, { view, position }) {
    const series = await view.series.search({ text: '', limit: 1000 });
    const rows = [...new Set(series.map(({ source }) => source))]
      .sort()
      .reverse()
      .map((source) => {
        const own = series.filter((one) => one.source === source);
        return {
          source,
          series_count: own.length,
          last_vintage:
            own
              .map(({ lastVintage }) => lastVintage)
              .sort()
              .at(-1) ?? null,
        };
      })
      .filter(({ series_count }) => series_count >= min_series)
      .filter(({ last_vintage }) => to === undefined || (last_vintage ?? '') <= to)
      .filter(({ source }) => position === undefined || source < (position.key[0] ?? ''));
    return pageOf(
      rows.slice(0, limit + 1),
      limit,
      (row) => row,
      ({ source }) => ({ key: [source] }),
    );
  },
});

/** The same operation with a parameter more, which is a line in its declaration. */
export const sourcesAtMost = {
  ...sources,
  name: 'sources_at_most',
  command: { words: 'sources-at-most', heading: 'Series' },
  path: '/v1/sources-at-most',
  params: {
    ...sources.params,
    max_series: param(integer(1, 1000), 'Series that a source has at most.', 1000),
  },
} as const;
