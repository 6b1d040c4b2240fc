import { observationRow, revisionFields } from './observations.ts';
import { operation } from './operation.ts';
import { requiredPeriodParam, seriesIdParam } from './params.ts';
import { existing } from './series.ts';

/** Every value that was ever published for one date, in the order of publication; a withdrawal is a row without a value. */
export const revisions = operation({
  name: 'revisions',
  command: {
    words: 'revisions',
    heading: 'Series',
    argument: 'id',
    features: ['as-of'],
    analysis: 'revisions',
    examples: `
# how often the fourth quarter of 2008 was revised
asof revisions GDP --date 2008-10-01
# the revisions known by the end of 2010, in percent
asof revisions GDP --date 2008-10-01 --as-of 2010-12-31 --columns as_of_date,value,percent
# the same as a chart of steps
asof revisions GDPC1 --date 2008-10-01 --plot
`,
  },
  summary: 'Every value that was published for one date, and how it changed',
  description: 'In the order of publication, one row for each change. A withdrawal is a row without a value.',
  path: '/v1/series/{id}/revisions',
  object: 'revision_series',
  members: ['covered_to'],
  params: {
    id: seriesIdParam('series_id'),
    date: requiredPeriodParam('The date of the values.', { field: 'date', is: 'equal' }),
  },
  fields: revisionFields,
  columns: ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source'],
  example: {
    params: { id: 'GDP', date: '2014-10-01' },
    row: {
      date: '2014-10-01',
      value: '17710.7',
      as_of_date: '2015-01-30',
      series_id: 'GDP',
      unit: 'Billions of Dollars',
      frequency: 'Q',
      source: 'FRED',
      vintage_kind: 'exact',
    },
    head: { covered_to: '2024-12-19' },
  },
  knownBy: 'as_of_date',
  chart: 'revisions',
  needsVintageAccess: () => true,
  async run({ id, date }, { view }) {
    const { series, rows } = existing(await view.revisions(id, date), id);
    return {
      rows: rows.map(({ kind, ...revision }) => ({
        ...observationRow(series, { date, ...revision }),
        vintage_kind: kind,
      })),
      coveredTo: series.coveredTo,
    };
  },
});
