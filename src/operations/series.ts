import { dateTime } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Series } from '../store/store.ts';
import type { Row } from './envelope.ts';
import { type Field, operation } from './operation.ts';
import { pageOf } from './page.ts';
import { choiceParam, paging, seriesIdParam, textParam } from './params.ts';

const fields: readonly Field[] = [
  { name: 'id', type: 'text', description: 'Series identifier, upper case.' },
  { name: 'title', type: 'text', description: 'Series title.' },
  { name: 'units', type: 'text', description: 'Unit of the values.' },
  {
    name: 'observation_count',
    type: 'integer',
    description: 'Dates that have a value in the latest state of knowledge.',
  },
  { name: 'last_updated', type: 'day', description: 'The last vintage.' },
  { name: 'source', type: 'text', description: 'Data source name.' },
  {
    name: 'frequency',
    type: 'text',
    description: 'D, W, BW, M, Q, SA or A; empty where unknown.',
    extension: true,
  },
  { name: 'seasonal_adjustment', type: 'text', description: 'Such as SA, SAAR, NSA.', extension: true },
  {
    name: 'first_vintage',
    type: 'day',
    description: 'The first day that anything is known of.',
    extension: true,
  },
  {
    name: 'last_vintage',
    type: 'day',
    description: 'The last day on which anything was stated.',
    extension: true,
  },
  {
    name: 'covered_to',
    type: 'day',
    description: 'The last day that any import speaks for.',
    extension: true,
  },
];

const columns = ['id', 'title', 'units', 'frequency', 'observation_count', 'last_updated', 'source'];

/** The series whose id or title answers a text. */
export const seriesSearch = operation({
  name: 'series_search',
  command: { words: 'series search', argument: 'q' },
  summary: 'Find series by id or title',
  path: '/v1/series',
  object: 'series_list',
  params: {
    q: textParam('Search text; without regard to case.'),
    match: choiceParam('What the text is looked for in.', ['id', 'title', 'any'], 'id'),
    ...paging,
  },
  fields,
  columns,
  knownBy: 'first_vintage',
  async run({ q, match, limit }, { view, position }) {
    const after = position?.key;
    const found = await view.searchSeries({ text: q, match, limit: limit + 1, ...(after && { after }) });
    return pageOf(found, limit, seriesRow, ({ id }) => ({ key: [id] }));
  },
});

/** What is known of one series besides its values. */
export const seriesShow = operation({
  name: 'series_show',
  command: { words: 'series show', argument: 'id' },
  summary: 'Describe one series: title, units, coverage',
  path: '/v1/series/{id}',
  object: 'series',
  params: { id: seriesIdParam() },
  fields,
  columns,
  knownBy: 'first_vintage',
  async run({ id }, { view }) {
    return { rows: [seriesRow(existing(await view.findSeries(id), id))] };
  },
});

/** What the store found of the series of that id; the contract's 404 where it has no such series. */
export function existing<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Problem('not-found', `series '${id}' not found`);
  return found;
}

function seriesRow(series: Series): Row {
  return {
    id: series.id,
    title: series.title,
    units: series.units,
    observation_count: series.observationCount,
    last_updated: dateTime(series.lastVintage),
    source: series.source,
    frequency: series.frequency,
    seasonal_adjustment: series.seasonalAdjustment,
    first_vintage: dateTime(series.firstVintage),
    last_vintage: dateTime(series.lastVintage),
    covered_to: dateTime(series.coveredTo),
  };
}
