import { earlier } from '../../domain/series/date.ts';
import type { Drawing } from '../../render/chart/drawing.ts';
import type { Asking } from '../answer.ts';
import type { RevisionsQuery } from '../query.ts';
import { descriptionOf, observationMark, titled } from './observations.ts';

/** The drawing of the value of one date over the dates on which it was published, as steps. */
export async function revisionsDrawing({ id, date }: RevisionsQuery, asking: Asking): Promise<Drawing> {
  const series = await descriptionOf({ id }, asking);
  const covered = typeof series?.covered_to === 'string' ? series.covered_to : undefined;
  return {
    axis: 'day',
    form: 'steps',
    // After the day to which the series is covered, the value may be another one.
    until: ({ asOf }) =>
      asOf !== undefined && covered !== undefined ? earlier(asOf, covered) : (asOf ?? covered),
    words: ({ asOf, published }) => ({
      title: titled(id, series),
      // Without an as-of date the last value is drawn to the end of what is covered.
      subtitle: `The value for ${date} as it was published${upTo(asOf ?? (published && covered) ?? published)}`,
    }),
    key: () => [],
    marks: (row) => [observationMark(row, row.as_of_date)],
  };
}

function upTo(day: string | undefined): string {
  return day === undefined ? '' : `, up to ${day}`;
}
