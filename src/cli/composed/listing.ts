import type { Row } from '../../operations/envelope.ts';
import { seriesShow } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Params, ParamTexts } from '../../operations/param.ts';
import type { Wanted } from '../options/ids.ts';
import { type Extent, everything, largestPage, pagesOf } from '../run/pages.ts';
import type { Session } from '../run/session.ts';

/** What it takes to ask. */
type Asking = Pick<Session, 'client' | 'io'>;

/** All rows of a listing, or as many as `extent` wants. */
export async function collected<R extends Row>(
  { client, io }: Asking,
  operation: Operation<Params, R>,
  given: ParamTexts,
  extent: Extent = everything,
): Promise<readonly R[]> {
  const rows: R[] = [];
  for await (const page of pagesOf(client, operation, given, extent, io.signal))
    for (const row of page.results) rows.push(row);
  return rows;
}

/** About how many pages all observations of a series fill. */
export async function pagesExpected({ id, row }: Wanted, { client }: Asking): Promise<number> {
  const series = row ?? (await client.ask(seriesShow, [['id', id]])).results[0];
  return Math.max(1, Math.ceil(Number(series?.observation_count ?? 0) / largestPage));
}
