import { dateTime } from '../model/date.ts';
import { changedSince } from './cursor.ts';
import { operation } from './operation.ts';
import { asOfParam, checkRange, choiceParam, dayParam, paging, seriesIdParam } from './params.ts';
import { existingSeries } from './series.ts';

/** The values of a series, newest date first, as they were known on a day. */
export const observations = operation({
  name: 'observations',
  command: { words: 'observations', argument: 'id' },
  summary: 'The values of series, as they were known on a day',
  path: '/v1/series/{id}/observations',
  object: 'observation_series',
  members: ['as_of', 'series'],
  params: {
    id: seriesIdParam(),
    as_of: asOfParam(),
    release: choiceParam(
      "`first`: each date's first published value.",
      ['first'],
      undefined,
      'first-release',
    ),
    from: dayParam('First date.'),
    to: dayParam('Last date.'),
    ...paging,
  },
  fields: [
    { name: 'date', type: 'day', description: 'The period that the value belongs to, as its first day.' },
    { name: 'value', type: 'decimal', description: 'Exact decimal value.' },
    { name: 'as_of_date', type: 'day', description: 'The day on which this value was published.' },
    { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
    { name: 'unit', type: 'text', description: 'Unit of the series.' },
    { name: 'frequency', type: 'text', description: 'Frequency code of the series.' },
    { name: 'source', type: 'text', description: 'Name of the data source.' },
  ],
  columns: ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source'],
  check: ({ from, to }) => checkRange(from, to),
  needsVintageAccess: ({ as_of, release }) => as_of !== undefined || release !== undefined,
  async run({ id, as_of, release, from, to, limit }, { store, position }) {
    const series = await existingSeries(store, id);
    const before = position?.key[0];
    const found = await store.observations({
      seriesId: id,
      firstRelease: release === 'first',
      limit: limit + 1,
      ...(as_of !== undefined && { asOf: as_of }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(before !== undefined && { before }),
    });
    // An import may have come between the two reads; the first page is then refused when it is continued.
    if (position !== undefined && (await store.findSeries(id))?.version !== position.version)
      throw changedSince();
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const { title, units: unit, frequency, source, version } = series;
    return {
      rows: page.map(({ date, value, asOfDate }) => ({
        date: dateTime(date),
        value,
        as_of_date: dateTime(asOfDate),
        series_id: id,
        unit,
        frequency,
        source,
      })),
      ...(found.length > limit && last !== undefined && { next: { key: [last.date], version } }),
      ...(as_of !== undefined && { asOf: as_of, series: { id, title, frequency } }),
    };
  },
});
