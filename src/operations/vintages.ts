import { changedSince } from './cursor.ts';
import { operation, pageOf } from './operation.ts';
import { checkRange, dayParam, paging, seriesIdParam } from './params.ts';
import { existing } from './series.ts';

/** The days on which a series was published, newest first, with the number of dates that each changed, and the coverage of the series. */
export const vintages = operation({
  name: 'vintages',
  command: {
    words: 'vintages',
    heading: 'Series',
    argument: 'id',
    features: ['as-of'],
    analysis: 'vintages',
  },
  summary: 'The days on which a series was published, and what each changed',
  path: '/v1/series/{id}/vintages',
  object: 'vintage_list',
  members: ['coverage'],
  params: {
    id: seriesIdParam(),
    from: dayParam('First day of publication.', { field: 'as_of_date', is: 'from' }),
    to: dayParam('Last day of publication.', { field: 'as_of_date', is: 'to' }),
    ...paging,
  },
  fields: [
    {
      name: 'as_of_date',
      type: 'day',
      description: 'The vintage date: a day of publication, unless the vintage is sampled or fetched.',
    },
    {
      name: 'added',
      type: 'integer',
      description: 'Dates that got their first value, or a value after a withdrawal.',
    },
    { name: 'revised', type: 'integer', description: 'Dates whose value changed to another number.' },
    { name: 'withdrawn', type: 'integer', description: 'Dates that lost their value.' },
    {
      name: 'vintage_kind',
      type: 'text',
      description: 'How the vintage came about: exact (a day of publication), fetched, sampled or unknown.',
      extension: true,
    },
  ],
  columns: ['as_of_date', 'added', 'revised', 'withdrawn'],
  knownBy: 'as_of_date',
  boundBy: 'to',
  check: ({ from, to }) => checkRange(from, to),
  needsVintageAccess: () => true,
  async run({ id, from, to, limit }, { view, position }) {
    const before = position?.key[0];
    const page = await view.vintages({
      seriesId: id,
      limit: limit + 1,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(before !== undefined && { before }),
    });
    const { series, rows, firstDate } = existing(page, id);
    const { version, firstVintage, lastVintage, coveredTo } = series;
    if (position !== undefined && position.version !== version) throw changedSince();
    return {
      ...pageOf(
        rows,
        limit,
        ({ asOfDate, kind, ...counts }) => ({ as_of_date: asOfDate, ...counts, vintage_kind: kind }),
        ({ asOfDate }) => ({ key: [asOfDate], version }),
      ),
      coverage: {
        first_vintage: firstVintage,
        last_vintage: lastVintage,
        first_date: firstDate ?? null,
        covered_to: coveredTo,
      },
    };
  },
});
