import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import { seriesShow } from '../../operations/index.ts';
import type { Asking } from '../answer.ts';
import type { MeantSeries } from '../series-ids.ts';

/** The description of a series; undefined where there is none, which asking for its values will show. */
export async function descriptionOf({ id, row }: MeantSeries, { client }: Asking): Promise<Row | undefined> {
  if (row !== undefined) return row;
  try {
    return (await client.ask(seriesShow, [['id', id]])).results[0];
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** The title of a series, where it has one that is not just its id. */
export function titleOf(id: string, row: Row | undefined): string | undefined {
  const title = row?.title;
  return typeof title !== 'string' || title === '' || title === id ? undefined : title;
}

/** The id of a series with its title, where it has one. */
export function titled(id: string, row: Row | undefined): string {
  const title = titleOf(id, row);
  return title === undefined ? id : `${id}: ${title}`;
}
