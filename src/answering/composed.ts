import pLimit from 'p-limit';
import { dataChanged, isDataChange } from '../client/client.ts';
import { largestPage } from '../client/pagination.ts';
import { isFinal, throttled } from '../client/throttling.ts';
import { type Day, dayNumber, parseDay } from '../domain/values/date.ts';
import { counted } from '../errors/wording.ts';
import type { Envelope, KnownInstant, Row } from '../operations/envelope.ts';
import type { RowLayout } from '../operations/field.ts';
import { seriesShow } from '../operations/series/series.ts';
import { defined } from '../platform/defined.ts';
import { type Ask, type Difference, failureOf, type QueryAnswer } from './answer.ts';
import { knowingAliases } from './basis.ts';
import type { Query, Reading } from './question.ts';
import { foundOf, missingMember } from './series-ids.ts';

/** An answer composed from several requests. */
export type ComposedRows<R extends Row> = Pick<QueryAnswer, 'byColumn' | 'isText' | 'sentence'> &
  Partial<RowLayout> & {
    readonly object: string;
    readonly asOf?: Day;
    readonly knownAt?: KnownInstant;
    readonly kinds?: { readonly [column: string]: string };
    /** All rows, or pages of rows that are computed as they are read. */
    readonly rows: Iterable<R> | AsyncGenerator<readonly R[], Difference | undefined>;
    readonly hasMore?: boolean;
    readonly differs?: boolean;
  };

/** Composes an answer from one state of the data; throws a Problem if the data changes meanwhile. */
export async function composed<R extends Row>(
  context: Ask,
  compose: (context: Ask) => Promise<ComposedRows<R>>,
): Promise<QueryAnswer<R>> {
  let requestId = '';
  const client = throttled(context.client, context.signal, (id) => {
    requestId ||= id;
    context.progress?.({ done: client.requests(), unit: 'requests' });
  });
  const watch = await client.watch();
  const made = await compose({ ...context, client });
  if (await watch.changed()) throw dataChanged();
  const { fields, columns, sentence, isText, byColumn } = made;
  const shown = defined({ fields, columns, sentence, isText, byColumn });
  return { ...shown, pages: pagesOf(made, requestId, context) };
}

/** The number of rows in a page, after which a slow reader is waited for. */
const pageSize = 1000;

async function* pagesOf<R extends Row>(
  { object, asOf, knownAt, kinds, rows, hasMore = false, differs }: ComposedRows<R>,
  id: string,
  context: Ask,
): AsyncGenerator<Envelope<R>, Difference | undefined> {
  let difference = differs === undefined ? undefined : { differs };
  const pages = async function* () {
    if (Symbol.asyncIterator in rows) difference = yield* rows;
    else yield* inPages(rows);
  };
  const page = (results: readonly R[]): Envelope<R> => ({
    object,
    request_id: id,
    status: 'ok',
    ...defined({ as_of: asOf, known_at: knownAt }),
    ...(kinds !== undefined && Object.keys(kinds).length > 0 && { vintage_kinds: kinds }),
    ...missingMember(context),
    results,
    results_count: results.length,
    has_more: hasMore,
  });
  let isEmpty = true;
  for await (const results of pages()) {
    isEmpty = false;
    yield page(results);
  }
  if (isEmpty) yield page([]);
  return difference;
}

function* inPages<R>(rows: Iterable<R>): Generator<readonly R[]> {
  let page: R[] = [];
  for (const row of rows) {
    if (page.length === pageSize) {
      yield page;
      page = [];
    }
    page.push(row);
  }
  if (page.length > 0) yield page;
}

const seriesAtOnce = 4;

/** Works on a few series at once, and waits for all; throws the first failure, or one that stops them all. */
export async function eachOf<T extends { readonly id: string }, R>(
  all: readonly T[],
  context: Ask,
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const limit = pLimit(seriesAtOnce);
  const outcomes = await Promise.all(
    all.map((one) =>
      limit(work, one).then(
        (value) => ({ value }),
        (error: unknown) => ({ id: one.id, error: failureOf(one.id, error) }),
      ),
    ),
  );
  for (const one of outcomes)
    if ('error' in one && (isFinal(one.error) || isDataChange(one.error))) throw one.error;
  return foundOf<{ readonly value: R }>(outcomes, false, context).map(({ value }) => value);
}

/** Says in words how many requests an answer takes at most; asks for descriptions of its series. */
export function mostRequests({ question, values }: Query, context: Ask): Promise<string> {
  return knowingAliases(values, context, (meant) => mostOf({ question, values: meant }, context));
}

async function mostOf({ question, values }: Query, context: Ask): Promise<string> {
  const client = throttled(context.client, context.signal, () => undefined);
  const watch = await client.watch();
  const counting = { ...context, client };
  const reading = await question.reading?.(values, counting);
  if (reading === undefined) throw new Error(`${question.name} has no dry run`);
  const found = client.requests();
  const described = await eachOf(reading.series, counting, async ({ id, row }) =>
    mostOfOne(row ?? (await client.ask(seriesShow, [['id', id]])).results[0], reading),
  );
  const together = typeof reading.reads === 'object' ? reading.reads.requests : 0;
  const most = described.reduce((sum, one) => sum + one, found + together + watch.requests());
  return `this ${question.name} takes at most ${counted(most, 'request')}`;
}

function mostOfOne(row: Row | undefined, { reads }: Reading): number {
  if (typeof reads === 'object') return 1;
  const dates = Number(row?.observation_count ?? 0);
  // One page more: an earlier vintage may have dates that were withdrawn since.
  if (reads !== 'histories') return 1 + reads * (1 + Math.ceil(dates / largestPage));
  const [first, last] = [row?.first_vintage, row?.last_vintage].map((cell) => parseDay(String(cell ?? '')));
  const days = first === undefined || last === undefined ? 1 : dayNumber(last) - dayNumber(first) + 1;
  // Each page of a history has at least one date. A demand for exact vintages also asks about the last day.
  return 4 + Math.ceil(days / largestPage) + dates;
}
