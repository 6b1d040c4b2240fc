import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import { seriesShow } from '../../operations/index.ts';
import type { Question } from '../run/answer.ts';
import type { Session } from '../run/session.ts';

/** What the service says of the series of a question; undefined where it says nothing, as asking for its values will show. */
export async function described({ label, row }: Question, { client }: Session): Promise<Row | undefined> {
  if (row !== undefined) return row;
  try {
    return (await client.ask(seriesShow, [['id', label]])).results[0];
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
