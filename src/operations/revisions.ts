import { observationRow, observations } from './observations.ts';
import { operation } from './operation.ts';
import { requiredPeriodParam, seriesIdParam } from './params.ts';
import { existing } from './series.ts';

/** Every value that was ever published for one date, in the order of publication; a withdrawal is a row without a value. */
export const revisions = operation({
  name: 'revisions',
  command: { words: 'revisions', argument: 'id' },
  summary: 'Every value that was published for one date, and how it changed',
  path: '/v1/series/{id}/revisions',
  object: 'revision_series',
  params: { id: seriesIdParam(), date: requiredPeriodParam('The date whose values are wanted.') },
  fields: observations.fields.map((field) => (field.name === 'value' ? { ...field, nullable: true } : field)),
  columns: observations.columns,
  knownBy: 'as_of_date',
  needsVintageAccess: () => true,
  async run({ id, date }, { view }) {
    const { series, rows } = existing(await view.revisions(id, date), id);
    return { rows: rows.map((revision) => observationRow(series, { date, ...revision })) };
  },
});
