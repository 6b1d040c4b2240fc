import { frequencies, matchRank } from '../domain/series/series.ts';
import { Problem } from '../errors/problem.ts';
import type { Series } from '../store/store.ts';
import type { Field, RowFrom } from './field.ts';
import { operation, pageOf } from './operation.ts';
import { choiceParam, paging, seriesIdParam, textParam } from './params.ts';

const fields = [
  { name: 'id', type: 'text', description: 'Series identifier, upper case.' },
  { name: 'title', type: 'text', description: 'Series title.' },
  { name: 'units', type: 'text', description: 'Unit of the values.' },
  {
    name: 'observation_count',
    type: 'integer',
    description: 'Dates that have a value in the latest vintage.',
  },
  { name: 'last_updated', type: 'instant', description: 'The last vintage.' },
  { name: 'source', type: 'text', description: 'Data source name.' },
  {
    name: 'frequency',
    type: 'text',
    description: 'D, W, BW, M, Q, SA or A; empty if unknown.',
    choices: [...frequencies, ''],
    extension: true,
  },
  { name: 'seasonal_adjustment', type: 'text', description: 'Such as SA, SAAR, NSA.', extension: true },
  {
    name: 'first_vintage',
    type: 'day',
    description: 'The first vintage date.',
    extension: true,
  },
  {
    name: 'last_vintage',
    type: 'day',
    description: 'The last vintage date.',
    extension: true,
  },
  {
    name: 'covered_to',
    type: 'day',
    description: 'The last day that any import speaks for.',
    extension: true,
  },
  {
    name: 'vintage_kind',
    type: 'text',
    description:
      'How its vintages came about: exact (days of publication), fetched, sampled (what was known on some days) or unknown; several are separated by "; ".',
    extension: true,
  },
] as const satisfies readonly Field[];

type ListedSeries = RowFrom<(typeof fields)[number]>;

const columns = ['id', 'title', 'units', 'frequency', 'observation_count', 'last_updated', 'source'] as const;

/** A series of the sample. */
const gdp = {
  id: 'GDP',
  title: 'Gross Domestic Product',
  units: 'Billions of Dollars',
  observation_count: 311,
  last_updated: '2024-12-19',
  source: 'FRED',
  frequency: 'Q',
  seasonal_adjustment: 'SAAR',
  first_vintage: '1991-12-04',
  last_vintage: '2024-12-19',
  covered_to: '2024-12-19',
  vintage_kind: 'exact',
};

/** The series whose id or title matches a text. */
export const seriesSearch = operation({
  name: 'series_search',
  command: { words: 'series search', heading: 'Series', argument: 'q', defaults: { match: 'any' } },
  summary: 'Find series by id or title',
  description:
    'By id. `match=title` finds titles of which every word of the text begins a word; with `match=any` series found by id come before those found by title.',
  path: '/v1/series',
  object: 'series_list',
  inContract: true,
  params: {
    q: textParam('Search text; case is ignored.'),
    match: choiceParam('Where to search for the text.', ['id', 'title', 'any'], 'id', { extension: true }),
    ...paging,
  },
  fields,
  columns,
  example: { params: { q: 'GDP', match: 'id', limit: '1' }, row: gdp },
  knownBy: 'first_vintage',
  substitute({ q, match }) {
    // The contract's search is by id; without a text every series matches.
    if (match === 'id' || q === '') return undefined;
    return { select: (rows) => matching(rows, q, match), keyOf: ({ id }) => id };
  },
  async run({ q, match, limit }, { view, position }) {
    const after = position?.key;
    const found = await view.searchSeries({ text: q, match, limit: limit + 1, ...(after && { after }) });
    return pageOf(found, limit, seriesRow, ({ id }) => ({ key: [id] }));
  },
});

/** The description of one series. */
export const seriesShow = operation({
  name: 'series_show',
  command: { words: 'series show', heading: 'Series', argument: 'id' },
  summary: 'Describe one series: title, units, coverage',
  description: 'What the series is, how many dates have a value, and which days its vintages span.',
  path: '/v1/series/{id}',
  object: 'series',
  inContract: true,
  params: { id: seriesIdParam('id') },
  fields,
  columns,
  example: { params: { id: 'GDP' }, row: gdp },
  knownBy: 'first_vintage',
  async run({ id }, { view }) {
    return { rows: [seriesRow(existing(await view.findSeries(id), id))] };
  },
});

/** What the store found for the series with this id; the contract's 404 if it has no such series. */
export function existing<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Problem('not-found', `series '${id}' not found`);
  return found;
}

function seriesRow(series: Series) {
  return {
    id: series.id,
    title: series.title,
    units: series.units,
    observation_count: series.observationCount,
    last_updated: series.lastVintage,
    source: series.source,
    frequency: series.frequency,
    seasonal_adjustment: series.seasonalAdjustment,
    first_vintage: series.firstVintage,
    last_vintage: series.lastVintage,
    covered_to: series.coveredTo,
    vintage_kind: series.vintageKind,
  };
}

/** The series that match a text: those that match by id before those by title, each group sorted by id. */
function matching(
  rows: readonly ListedSeries[],
  text: string,
  match: 'id' | 'title' | 'any',
): readonly ListedSeries[] {
  const ranked = rows.flatMap((row) => {
    const rank = matchRank(row, text, match);
    return rank === undefined ? [] : [{ row, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || (a.row.id < b.row.id ? -1 : 1));
  return ranked.map(({ row }) => row);
}
