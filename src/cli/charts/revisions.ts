import { earlier } from '../../domain/series/date.ts';
import type { ParamTexts } from '../../operations/param.ts';
import type { Drawing } from '../../render/chart/drawing.ts';
import type { Question } from '../run/answer.ts';
import type { Session } from '../run/session.ts';
import { described, titled } from './described.ts';
import { observationMark } from './observations.ts';

/** The value of one date over the days on which it was published: each stands until the next. */
export async function revisionsDrawing(
  questions: readonly Question[],
  given: ParamTexts,
  session: Session,
): Promise<Drawing> {
  const [question] = questions;
  const series = question && (await described(question, session));
  const date = given.find(([name]) => name === 'date')?.[1] ?? '';
  const covered = typeof series?.covered_to === 'string' ? series.covered_to : undefined;
  return {
    axis: 'day',
    form: 'steps',
    // Whether the value still stands after the day to which the series is covered, nobody knows.
    until: ({ asOf }) =>
      asOf !== undefined && covered !== undefined ? earlier(asOf, covered) : (asOf ?? covered),
    words: ({ asOf, published }) => ({
      title: titled(question?.label ?? '', series),
      // Without a day of knowledge the last value stands to the end of what is covered, and so does its line.
      subtitle: `The value for ${date} as it was published${upTo(asOf ?? (published && covered) ?? published)}`,
    }),
    key: () => [],
    marks: (row) => [observationMark(row, row.as_of_date)],
  };
}

function upTo(day: string | undefined): string {
  return day === undefined ? '' : `, up to ${day}`;
}
