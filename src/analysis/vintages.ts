import { pagesOf } from '../client/pagination.ts';
import { earlier } from '../domain/series/date.ts';
import type { Envelope } from '../operations/envelope.ts';
import { vintages } from '../operations/figures.ts';
import type { RowOf } from '../operations/operation.ts';
import { counted, pagesAbout, type QueryAnswer, type QueryContext, textsOf } from './answer.ts';
import { vintagesDrawing } from './charts.ts';
import { coverageText, noteBasis } from './coverage.ts';
import type { VintagesQuery } from './query.ts';

type Vintage = RowOf<typeof vintages>;

/** The vintage dates of a series up to an as-of date; without one, also what the series covers. */
export async function answerVintages(
  query: VintagesQuery,
  context: QueryContext,
): Promise<QueryAnswer<Vintage>> {
  const { fields, columns } = vintages;
  const drawing = context.chart === true ? await vintagesDrawing(query, context) : undefined;
  const shown = { fields, columns, ...(drawing && { drawing }) };
  return { ...shown, pages: pagesAbout(query.id, pages(query, context)) };
}

async function* pages(query: VintagesQuery, context: QueryContext): AsyncGenerator<Envelope<Vintage>> {
  const { id, from, asOf } = query;
  const { client, signal, note, progress } = context;
  const to = asOf === undefined ? query.to : earlier(query.to ?? asOf, asOf);
  const texts = textsOf({ id, ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  let isFirst = true;
  for await (const page of counted(pagesOf(client, vintages, texts, query, signal), progress)) {
    if (isFirst && asOf === undefined && page.coverage !== undefined)
      note?.({ kind: 'coverage', text: coverageText(page.coverage) });
    isFirst = false;
    context.basis.add(
      query.id,
      to,
      page.coverage?.covered_to,
      page.results.map(({ vintage_kind }) => vintage_kind ?? ''),
    );
    yield asOf === undefined ? page : withoutCoverage(page);
  }
  if (asOf !== undefined) await noteBasis([{ id }], [asOf], context);
}

/** The page without its coverage: today's coverage includes days after the as-of date. */
function withoutCoverage<R>({ coverage: _, ...page }: Envelope<R>): Envelope<R> {
  return page;
}
