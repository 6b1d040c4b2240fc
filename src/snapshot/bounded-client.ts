import type { ParamTexts } from '../analysis/answer.ts';
import type { Client } from '../client/client.ts';
import { type Day, parseDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { boundingParam, isAboutKnowledge } from './bind.ts';

/** The same client, whose answers hold nothing that was not known on a day; refuses to ask for a later one. */
export function boundedClient(client: Client, day: Day): Client {
  return {
    ...client,
    watch: unwatched,
    async ask(operation, texts) {
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
function upTo(day: Day, operation: Operation, texts: ParamTexts): ParamTexts {
  for (const [name, text] of texts)
    if (isAboutKnowledge(operation.params[name]) && parseDay(text) !== undefined && text > day)
      throw new Problem('bad-input', `'${name}' ${text} is later than ${day}`, { field: name });
  const bound = boundingParam(operation);
  return bound === undefined || texts.some(([name]) => name === bound) ? texts : [...texts, [bound, day]];
}

function without(texts: ParamTexts, name: string): ParamTexts {
  return texts.filter(([key]) => key !== name);
}

/** The rows that were known on a day, as far as a service says so. */
function knownOn(day: Day, knownBy: string, { coverage: _, ...page }: Envelope): Envelope {
  const results = page.results.filter((row) => String(row[knownBy] ?? '').slice(0, 10) <= day);
  return { ...page, results, results_count: results.length };
}
