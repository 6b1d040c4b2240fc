import type { Client } from '../client/client.ts';
import { closest } from '../model/closest.ts';
import type { Row } from '../model/envelope.ts';
import { seriesSearch } from '../operations/index.ts';
import { Problem } from '../problem.ts';
import { pagesOf } from './pages.ts';

/** A series that a command is about; `row` is what the service says of it, where that was asked already. */
export type Wanted = { readonly id: string; readonly row?: Row };

/** The series that typed ids mean: upper case, and for an id with `*` every series whose id matches. */
export async function wantedSeries(client: Client, typed: readonly string[]): Promise<readonly Wanted[]> {
  const wanted = new Map<string, Wanted>();
  let known: readonly Row[] | undefined;
  for (const text of typed) {
    const id = text.toUpperCase();
    if (!id.includes('*')) {
      wanted.set(id, wanted.get(id) ?? { id });
      continue;
    }
    known ??= await allSeries(client);
    const matching = known.filter((row) => matches(id, String(row.id)));
    if (matching.length === 0) throw new Problem('not-found', `no series matches '${text}'`);
    for (const row of matching) wanted.set(String(row.id), { id: String(row.id), row });
  }
  return [...wanted.values()];
}

async function allSeries(client: Client): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pagesOf(client, seriesSearch, [], { limit: undefined, cursor: undefined })) {
    rows.push(...page.results);
  }
  return rows;
}

function matches(pattern: string, id: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(id);
}

/** The same failure, with the id that was probably meant where the series does not exist. */
export async function withSuggestion(client: Client, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind !== 'not-found') return error;
  try {
    const meant = closest(
      id,
      (await allSeries(client)).map((row) => String(row.id)),
    );
    return meant === undefined ? error : error.hinting(`did you mean ${meant}?`);
  } catch {
    return error;
  }
}
