import type { Transformation } from '../domain/series/transformation.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import { commandNaming, type Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import { explainEmpty, type QueryAnswer, type QueryContext } from './answer.ts';
import { type Query, transformationIn } from './question.ts';

/** Answers a query, with no more requests than the next page takes. */
export async function run({ question, values }: Query, context: QueryContext): Promise<QueryAnswer> {
  const transformation = question.transformsOwn === true ? undefined : transformationIn(values);
  const answer = await question.answer(values, await transformedContext(transformation, context));
  if (context.recessions !== true || answer.drawing === undefined) return answer;
  const { withRecessions } = await import('./recessions.ts');
  return { ...answer, drawing: await withRecessions(answer.drawing, { question, values }, context) };
}

/** The same context; for transformed values, its client gives these. */
async function transformedContext(
  transformation: Transformation | undefined,
  context: QueryContext,
): Promise<QueryContext> {
  if (transformation === undefined) return context;
  // Loaded here: most queries ask for values as published.
  const { transforming, whyNoResult } = await import('./transforming.ts');
  return {
    ...context,
    client: transforming(context, transformation),
    noResult: (operation, texts) => whyNoResult(operation, texts, transformation, context),
  };
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
