import type { Client } from '../client/client.ts';
import { type Day, parseDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { type Params, type ParamTexts, without } from '../operations/param.ts';
import { isAboutKnowledge } from './bind.ts';

/** The same client, whose answers hold nothing that was not known on a day; refuses to ask for a later one. */
export function boundedClient(client: Client, day: Day): Client {
  return {
    ...client,
    watch: unwatched,
    async ask<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts): Promise<Envelope<R>> {
      if (operation.knownBy === undefined)
        throw new Problem('bad-input', `${operation.name} cannot be bound to what was known on a date`);
      const bound = upTo(day, operation, texts);
      for (let cursor: string | undefined; ; ) {
        const asked =
          cursor === undefined ? bound : [...without(bound, 'cursor'), ['cursor', cursor] as const];
        const answer = await client.ask(operation, asked);
        const page = knownOn(day, operation.knownBy, answer);
        const isEmptied = page.results.length === 0 && answer.results.length > 0;
        if (!isEmptied || page.next_cursor === undefined) return page;
        // An empty page would look like the end of the listing.
        cursor = page.next_cursor;
      }
    },
  };
}

/** The state of the data is watched over all lines of a plan, and not by each query. */
const unwatched: Client['watch'] = async () => ({ changed: async () => false, requests: () => 0 });

/** The parameters with the one that bounds the operation. */
function upTo(
  day: Day,
  { params, boundBy }: Pick<Operation, 'boundBy' | 'params'>,
  texts: ParamTexts,
): ParamTexts {
  for (const [name, text] of texts)
    if (isAboutKnowledge(params[name]) && parseDay(text) !== undefined && text > day)
      throw new Problem('bad-input', `'${name}' ${text} is later than ${day}`, { field: name });
  return boundBy === undefined || texts.some(([name]) => name === boundBy)
    ? texts
    : [...texts, [boundBy, day]];
}

/** The rows that were known on a day, as far as a service says so. */
function knownOn<R extends Row>(
  day: Day,
  knownBy: string,
  { coverage: _, ...page }: Envelope<R>,
): Envelope<R> {
  const results = page.results.filter((row) => String(row[knownBy] ?? '') <= day);
  return { ...page, results, results_count: results.length };
}
