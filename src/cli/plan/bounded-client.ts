import type { Client } from '../../client/client.ts';
import { type Day, parseDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import { type Params, type ParamTexts, without } from '../../operations/param.ts';

/** The same client, which tells nothing that was not known on a day, and refuses what asks for a later one. */
export function boundedClient(client: Client, day: Day): Client {
  return {
    ...client,
    async ask<R extends Row>(operation: Operation<Params, R>, given: ParamTexts): Promise<Envelope<R>> {
      if (operation.knownBy === undefined)
        throw new Problem('bad-input', `nothing in the answer to ${operation.command.words} is of a day`);
      const asked = upTo(day, operation, given);
      for (let cursor: string | undefined; ; ) {
        const question =
          cursor === undefined ? asked : [...without(asked, 'cursor'), ['cursor', cursor] as const];
        const answer = await client.ask(operation, question);
        const page = knownOn(day, operation.knownBy, answer);
        const emptied = page.results.length === 0 && answer.results.length > 0;
        if (!emptied || page.next_cursor === undefined) return page;
        // A page of which nothing is left would look like the end of the listing, or like a broken one.
        cursor = page.next_cursor;
      }
    },
  };
}

/** The parameters with the one by which the operation is bounded, of a kind that dates of periods are not. */
function upTo(
  day: Day,
  { params, boundBy }: Pick<Operation, 'boundBy' | 'params'>,
  given: ParamTexts,
): ParamTexts {
  const names = Object.keys(params).filter((name) => isOfKnowledge(params[name]));
  for (const [name, text] of given)
    if (names.includes(name) && parseDay(text) !== undefined && text > day) throw laterThan(day, name, text);
  if (boundBy === undefined || given.some(([name]) => name === boundBy)) return given;
  return [...given, [boundBy, day]];
}

/** Whether a parameter is a day up to which something can be known, and not the date of a period. */
export function isOfKnowledge(param: Operation['params'][string] | undefined): boolean {
  return param?.schema.format === 'date' && param.ofPeriod !== true;
}

/** The Problem of a day that lies after the day of a snapshot. */
export function laterThan(day: Day, name: string, text: string): Problem {
  return new Problem('bad-input', `'${name}' ${text} is later than ${day}, the day of the snapshot`, {
    field: name,
  });
}

function knownOn<R extends Row>(
  day: Day,
  knownBy: string,
  { coverage: _, ...page }: Envelope<R>,
): Envelope<R> {
  // What another service leaves out cannot be told.
  const results = page.results.filter((row) => String(row[knownBy] ?? '') <= day);
  return { ...page, results, results_count: results.length };
}
