import type { AskOptions, Client } from '../client/client.ts';
import { pagesOf, questionFor } from '../client/pagination.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import { commandNaming, type Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { Drawing } from '../render/chart/drawing.ts';
import {
  counted,
  type Difference,
  explainEmpty,
  failureOf,
  type Outcome,
  pagesAbout,
  type QueryAnswer,
  type QueryContext,
  textsOf,
  type WrittenPage,
} from './answer.ts';
import { knowledgeDay, noteBasis } from './coverage.ts';
import type { OperationQuery, Query } from './query.ts';
import { transformationIn } from './question.ts';
import {
  type FailedSeries,
  foundOf,
  isUnknown,
  missingMember,
  type ResolvedSeries,
  resolveSeries,
} from './series-ids.ts';

/** Answers a query, with no more requests than the next page takes; the pages return the outcome. */
export async function run(query: Query, ask: QueryContext): Promise<QueryAnswer<Row, Outcome>> {
  const { drawing, pages, written, ...shown } = await answered(query, ask);
  return {
    ...shown,
    ...(drawing && { drawing: await shaded(drawing, query, ask) }),
    ...(written && { written: { ...written, pages: () => completed(written.pages(), query, ask) } }),
    pages: completed(pages, query, ask),
  };
}

async function shaded(drawing: Drawing, query: Query, ask: QueryContext): Promise<Drawing> {
  if (ask.recessions !== true) return drawing;
  const { withRecessions } = await import('./recessions.ts');
  return withRecessions(drawing, query, ask);
}

/** Yields the same pages; returns the outcome. */
async function* completed<P extends Envelope | WrittenPage>(
  pages: AsyncGenerator<P, Difference | undefined>,
  query: Query,
  ask: QueryContext,
): AsyncGenerator<P, Outcome> {
  const found: { difference?: Difference | undefined } = {};
  const all = async function* () {
    found.difference = yield* pages;
  };
  let rows = 0;
  let cursor: string | undefined;
  for await (const page of all()) {
    rows += 'bytes' in page ? page.rows : page.results.length;
    cursor = 'bytes' in page ? undefined : page.next_cursor;
    yield page;
  }
  const about = async () => (await import('./about.ts')).aboutAnswer(query, ask);
  return { ...found.difference, ...(cursor !== undefined && { cursor }), rows, basis: ask.basis, about };
}

async function answered(query: Query, asked: QueryContext): Promise<QueryAnswer> {
  if (query.kind === 'question') {
    const { question, values } = query;
    const transformation = question.transformsOwn === true ? undefined : transformationIn(values);
    return question.answer(values, await transformedContext({ transformation }, asked));
  }
  return answerOperation(query, await transformedContext(query, asked));
}

/** The same context; for a query of transformed values, its client gives these. */
export async function transformedContext<
  C extends Pick<QueryContext, 'client' | 'naming' | 'noResult' | 'signal'>,
>(query: { readonly transformation?: Transformation | undefined }, context: C): Promise<C> {
  const { transformation } = query;
  if (transformation === undefined) return context;
  // Loaded here: most queries ask for values as published.
  const { transforming, whyNoResult } = await import('./transforming.ts');
  return {
    ...context,
    client: transforming(context, transformation),
    noResult: (operation, texts) => whyNoResult(operation, texts, transformation, context),
  };
}

/** Answers with the rows of an operation: streamed page by page, one series after the other. */
export async function answerOperation(query: OperationQuery, context: QueryContext): Promise<QueryAnswer> {
  const { operation, ids, skipMissing } = query;
  const asked = ids && { ids, ...(skipMissing && { skipMissing }), asOf: knowledgeDay(query) };
  const series = asked && (await resolveSeries(asked, context));
  if (query.cursor !== undefined && series !== undefined && series.length !== 1)
    throw new Problem('bad-input', `a cursor continues one series, not ${series.length}`);
  const drawing = context.chart === true ? await drawingOf(operation, query, series, context) : undefined;
  const { fields, columns, card } = operation;
  const shown = { fields, columns, ...(card === true && { card }), ...(drawing && { drawing }) };
  if (series === undefined) return { ...shown, pages: pagesOfOne(query, operation, context) };
  return { ...shown, pages: pagesOfSeveral(query, operation, series, context) };
}

async function drawingOf(
  { chart }: Operation,
  { params }: OperationQuery,
  series: readonly ResolvedSeries[] | undefined,
  context: QueryContext,
): Promise<Drawing | undefined> {
  // Loaded here: most queries draw nothing.
  if (chart === 'spread') return (await import('./rate-charts.ts')).spreadDrawing(params);
  if (chart === 'yields') return (await import('./rate-charts.ts')).yieldsDrawing(params);
  return series && (await import('./charts.ts')).observationsDrawing(series, params, context);
}

/** The pages of an operation that runs once; if it has an id, for one series. */
function pagesOfOne(
  query: OperationQuery,
  operation: Operation,
  context: QueryContext,
): AsyncGenerator<Envelope> {
  const { client, signal, progress } = context;
  const texts = textsOf(query.params);
  const pages = remarked(
    operation,
    texts,
    counted(pagesOf(client, operation, texts, query, signal), progress),
    context,
  );
  const { id } = query.params;
  return id === undefined ? pages : pagesAbout(String(id), pages);
}

/**
 * The same pages; notes what the operation says about the rows of the first one, or why there are none. A Problem
 * before the first page if what was asked about does not exist.
 */
export async function* remarked<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  pages: AsyncIterable<Envelope<R>>,
  context: QueryContext,
): AsyncGenerator<Envelope<R>> {
  const { naming = commandNaming } = context;
  let isFirst = true;
  for await (const page of pages) {
    if (isFirst) {
      if (context.note !== undefined) {
        const followed = async () => (await context.client.followed?.()) ?? [];
        const remark = (await operation.remark?.(page.results, texts, { followed, naming })) ?? [];
        for (const text of [remark].flat()) context.note({ kind: 'remark', text });
      }
      if (page.results.length === 0 && !page.has_more) await explainEmpty(operation, texts, context);
    }
    isFirst = false;
    yield page;
  }
}

async function* pagesOfSeveral(
  query: OperationQuery,
  operation: Operation,
  series: readonly ResolvedSeries[],
  context: QueryContext,
): AsyncGenerator<Envelope> {
  const total = expectedRows(operation, query, series);
  const questions = series.map(({ id }): ParamTexts => [['id', id], ...textsOf(query.params)]);
  const first = questions.map((texts) => questionFor(operation, texts, query));
  const reading = { ...context, client: await expecting(series, operation, first, context) };
  const isJoined = series.length > 1 || context.basis.missing.size > 0;
  let rows = 0;
  for (const [done, { id }] of series.entries()) {
    const texts = questions[done] ?? [];
    const pages = remarked(operation, texts, sorted(query, operation, texts, reading), context);
    for await (const page of pagesAbout(id, pages)) {
      if (isJoined) yield joinable(page, context);
      else yield query.unpaged === true ? withoutPages(page) : page;
      rows += page.results.length;
      context.progress?.(
        total !== undefined || series.length === 1
          ? { done: rows, unit: 'rows', ...(total !== undefined && { total }) }
          : { done, total: series.length, unit: 'series', rows },
      );
    }
  }
  const { as_of: asOf } = query.params;
  await noteBasis(series, asOf === undefined ? [] : [String(asOf)], context);
}

/**
 * The same client, which reads the answers to the first questions about these series ahead: of a store if that is
 * faster, and of a service to find out that all series exist before any row is given.
 */
async function expecting(
  series: readonly ResolvedSeries[],
  operation: Operation,
  questions: readonly ParamTexts[],
  context: QueryContext,
): Promise<Client> {
  const { client } = context;
  if (questions.length < 2) return client;
  if (client.offers !== undefined) {
    const answers = await firstAnswers(series, operation, questions, context);
    return {
      ...client,
      async ask<R extends Row>(asked: Operation<Params, R>, texts: ParamTexts, options?: AskOptions) {
        const key = JSON.stringify(texts);
        const answer = asked.name === operation.name ? answers.get(key) : undefined;
        if (!answers.delete(key) || answer === undefined) return client.ask(asked, texts, options);
        // The answer of the same operation.
        return answer as Envelope<R>;
      },
    };
  }
  if (client.expect === undefined) return client;
  const expected = await client.expect(operation, questions);
  return { ...client, ask: (asked, texts, options) => client.ask(asked, texts, { ...options, expected }) };
}

/** The answers to questions about series that are not known to exist, one for each; throws if one does not. */
async function firstAnswers(
  series: readonly ResolvedSeries[],
  operation: Operation,
  questions: readonly ParamTexts[],
  context: QueryContext,
): Promise<Map<string, Envelope>> {
  const answers = new Map<string, Envelope>();
  const failures: FailedSeries[] = [];
  for (const [done, { id, row }] of series.entries()) {
    const question = row === undefined ? questions[done] : undefined;
    if (question === undefined) continue;
    context.progress?.({ done, total: series.length, unit: 'series' });
    try {
      answers.set(JSON.stringify(question), await context.client.ask(operation, question));
    } catch (error) {
      if (!isUnknown(error)) throw failureOf(id, error);
      failures.push({ id, error: failureOf(id, error) });
    }
  }
  foundOf([...answers.keys()], failures, false, context);
  return answers;
}

/** The number of rows of whole series as known now, if their descriptions were looked up; otherwise unknown. */
function expectedRows(
  { countedBy }: Operation,
  { params, limit, first, cursor, transformation }: OperationQuery,
  series: readonly ResolvedSeries[],
): number | undefined {
  if (
    transformation !== undefined ||
    countedBy === undefined ||
    [limit, first, cursor].some((part) => part !== undefined)
  )
    return undefined;
  if (Object.keys(params).length > 0) return undefined;
  let sum = 0;
  for (const { row } of series) {
    if (row === undefined) return undefined;
    sum += Number(row[countedBy]);
  }
  return sum;
}

/** The pages of one series, with the rows in the order of the query. */
async function* sorted(
  query: OperationQuery,
  operation: Operation,
  texts: ParamTexts,
  { client, signal }: QueryContext,
): AsyncGenerator<Envelope> {
  const pages = pagesOf(client, operation, texts, query, signal);
  if (query.sort !== 'asc') {
    yield* pages;
    return;
  }
  const rows: Row[] = [];
  let last: Envelope | undefined;
  for await (const page of pages) {
    for (const row of page.results) rows.push(row);
    last = page;
  }
  // An operation with an order gives its pages newest first, whatever the order of the service.
  if (last !== undefined) yield { ...last, results: rows.reverse(), results_count: rows.length };
}

/** A page as a part of an answer about several series, without the members about a single one. */
function joinable(page: Envelope, context: QueryContext): Envelope {
  const { series: _series, vintage: _vintage, covered_to: _to, ...rest } = withoutPages(page);
  const { results, results_count, has_more, ...head } = rest;
  return { ...head, ...missingMember(context), results, results_count, has_more };
}

function withoutPages({ next_cursor: _, ...page }: Envelope): Envelope {
  return { ...page, has_more: false };
}
