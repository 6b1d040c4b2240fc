import type { Query } from '../answering/question.ts';
import type { Client } from '../client/client.ts';
import { parseInstant } from '../domain/calendar/zones.ts';
import { type Day, parseDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';
import { commandNaming, type Naming, type Operation } from '../operations/operation.ts';
import { boundIn, isAboutKnowledge, type ParamTexts, without } from '../operations/param.ts';

type BoundQuery = {
  readonly query: Query;
  readonly asOf: Day;
  /** The words that bind its command line in the same way; empty if the line has its own dates. */
  readonly words: readonly string[];
};

/**
 * Binds a query to a day; throws a Problem if it is for a later day, or cannot be bound.
 * `naming` is for a query that is not a line of a plan.
 */
export function bind({ question, values: asked }: Query, day: Day, naming?: Naming): BoundQuery {
  const { bind, command, name } = question;
  if (bind === undefined) throw new Problem('bad-input', `'${command?.words ?? name}' has no as-of date`);
  const { values, days, asOf = day, words } = bind(asked, day);
  const later = days.find(([, text]) => text.slice(0, 10) > day);
  if (later === undefined) return { query: { question, values }, asOf, words };
  const [param, text] = later;
  const named = param.startsWith('the ') ? param : (naming ?? commandNaming).param(param);
  const whole = naming === undefined ? 'the snapshot' : 'every answer here';
  throw new Problem('bad-input', `${named} ${text} is later than ${day}, the as-of date of ${whole}`);
}

/**
 * Returns a client whose answers contain only what was known on a day; it refuses requests for a later day.
 * It omits followed items, because those are about today.
 */
export function boundedClient({ followed: _, ...client }: Client, day: Day): Client {
  return {
    ...client,
    async ask(operation, texts, options) {
      if (operation.knownBy === undefined)
        throw new Problem('bad-input', `${operation.name} has no as-of date`);
      const bound = upTo(day, operation, texts);
      for (let asked = bound; ; ) {
        const answer = await client.ask(operation, asked, options);
        const page = knownOn(day, operation, answer);
        const isEmptied = page.results.length === 0 && answer.results.length > 0;
        if (!isEmptied || page.next_cursor === undefined) return page;
        // An empty page would look like the end of the listing.
        asked = [...without(bound, 'cursor'), ['cursor', page.next_cursor]];
      }
    },
  };
}

function upTo(
  day: Day,
  { params, boundBy }: Pick<Operation, 'boundBy' | 'params'>,
  texts: ParamTexts,
): ParamTexts {
  for (const [name, text] of texts)
    if (isAboutKnowledge(params[name]) && isLater(text, day))
      throw new Problem('bad-input', `'${name}' ${text} is later than ${day}`, { field: name });
  const isBound = boundBy === undefined || boundIn({ boundBy }, texts) !== undefined;
  return isBound ? texts : [...texts, [boundBy, day]];
}

/** Tells whether a day, or the UTC day of an instant, is later than another; false for any other text. */
function isLater(text: string, day: Day): boolean {
  const own = parseInstant(text)?.slice(0, 10) ?? parseDay(text);
  return own !== undefined && own > day;
}

/**
 * Removes the rows that were not known on a day.
 * Rows without a day of knowledge go too, except the description of a series, which no day bounds.
 */
function knownOn<R extends Row>(
  day: Day,
  { knownBy = '', boundBy, fields }: Pick<Operation, 'boundBy' | 'fields' | 'knownBy'>,
  { coverage: _, ...page }: Envelope<R>,
): Envelope<R> {
  const known = page.results.filter((row) => {
    const since = String(row[knownBy] ?? '');
    return since === '' ? boundBy === undefined : since <= day;
  });
  const lists = fields.filter((field) => field.knownBy !== undefined);
  const results = lists.length === 0 ? known : known.map((row) => withoutLater(day, row, lists));
  return { ...page, results, results_count: results.length };
}

function withoutLater<R extends Row>(day: Day, row: R, lists: readonly Field[]): R {
  const entries = lists.flatMap(({ name, knownBy = '' }) => {
    const list = row[name];
    if (!Array.isArray(list)) return [];
    return [[name, list.filter((entry) => String(entry?.[knownBy] ?? '') <= day)] as const];
  });
  return { ...row, ...Object.fromEntries(entries) };
}
