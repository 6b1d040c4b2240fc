import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import type { ParamTexts } from '../../operations/param.ts';
import type { ChartMark, ChartSummary, Drawing } from '../../render/chart/drawing.ts';
import type { Question } from '../run/answer.ts';
import type { Session } from '../run/session.ts';
import { described, titled, titleOf } from './described.ts';

/** More lines than this nobody can tell apart. */
const mostLines = 8;

/** Series over their dates: lines of one unit over one scale, each other unit in a panel of its own. */
export async function observationsDrawing(
  questions: readonly Question[],
  given: ParamTexts,
  session: Session,
): Promise<Drawing> {
  if (questions.length > mostLines)
    throw new Problem(
      'bad-input',
      `a chart shows ${mostLines} series at most, and these are ${questions.length}`,
      {
        hints: ['name fewer ids', 'asof panel puts any number side by side'],
      },
    );
  const ids = questions.map(({ label }) => label);
  const rows: (Row | undefined)[] = [];
  for (const question of questions) rows.push(await described(question, session));
  const about = new Map(ids.map((id, i) => [id, rows[i]]));
  /** The series to be seen: those with values, or where there are none, all. */
  const seen = ({ lines }: ChartSummary) => {
    const found = ids.filter((id) => lines.includes(id));
    return found.length === 0 ? ids : found;
  };
  // A series that does not exist is an error of its own.
  const empty = (told: ChartSummary) =>
    ids.filter((id) => about.get(id) !== undefined && !seen(told).includes(id));
  const first = given.some(([name]) => name === 'release');
  return {
    axis: 'day',
    form: 'line',
    words: (told) => ({
      title: titleOfAll(seen(told), about),
      subtitle: [knowledge(told, first), ...noneOf(empty(told))].join('; '),
    }),
    key: (told) => {
      const ids = seen(told);
      return ids.length === 1 ? [] : ids.flatMap((id) => named(id, about.get(id)));
    },
    marks: (row) => [observationMark(row, row.date)],
  };
}

/** Which state of knowledge the values are of. */
function knowledge({ asOf, published }: ChartSummary, firstReleases: boolean): string {
  const newest = published === undefined ? '' : `, the newest published on ${published}`;
  if (firstReleases) return `First releases${asOf === undefined ? newest : `, as known on ${asOf}`}`;
  return asOf === undefined ? `Latest values${newest}` : `As known on ${asOf}`;
}

/** An observation as a mark at a day. */
export function observationMark(row: Row, day: Row[string] | undefined): ChartMark {
  const { series_id, unit, frequency, value = null } = row;
  const id = String(series_id ?? '');
  return {
    line: id,
    label: id,
    unit: String(unit ?? ''),
    frequency: String(frequency ?? ''),
    at: String(day),
    value,
  };
}

function named(id: string, row: Row | undefined): readonly (readonly [string, string])[] {
  const title = titleOf(id, row);
  return title === undefined ? [] : [[id, title]];
}

/** One series with its title; of several the ids, since the key has their titles. */
function titleOfAll(ids: readonly string[], about: ReadonlyMap<string, Row | undefined>): string {
  const [id = '', ...others] = ids;
  return others.length === 0 ? titled(id, about.get(id)) : listed(ids);
}

function noneOf(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [] : [`none of ${listed(ids)}`];
}

function listed(ids: readonly string[]): string {
  return [ids.slice(0, -1).join(', '), ids.at(-1)].filter((part) => part !== '').join(' and ');
}
