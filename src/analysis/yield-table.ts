import { lastRows, pagesOf } from '../client/pagination.ts';
import { Problem } from '../errors/problem.ts';
import type { RateRow } from '../operations/curve.ts';
import type { Envelope } from '../operations/envelope.ts';
import { yields } from '../operations/figures.ts';
import type { ParamTexts } from '../operations/param.ts';
import { explainEmpty, type QueryAnswer, type QueryContext, textsOf } from './answer.ts';
import { type WideRow, yieldTableLayout } from './layouts.ts';
import type { YieldTableQuery } from './query.ts';
import { yieldTableDrawing } from './rate-charts.ts';

/** Treasury rates with a row for each date and a column for each maturity. */
export function answerYieldTable(query: YieldTableQuery, context: QueryContext): QueryAnswer<WideRow> {
  const layout = yieldTableLayout(query);
  const { curveType, maturity, from, to, limit, first } = query;
  const texts = textsOf({
    ...(maturity !== undefined && { maturity }),
    ...(curveType !== undefined && { curve_type: curveType }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  const [, ...maturities] = layout.columns;
  const rates = pagesOf(context.client, yields, texts, {}, context.signal);
  const table = tablePages(rates, maturities);
  const rows = first === undefined ? rowsUpTo(limit, table, context) : lastRows(table, first);
  const pages = explained(rows, texts, context);
  const drawing = context.chart === true ? { drawing: yieldTableDrawing(query) } : {};
  return { ...layout, ...drawing, pages };
}

/** A row for each date from rows for each rate; null for a maturity without a rate on that date. */
export async function* tablePages(
  pages: AsyncIterable<Envelope<RateRow>>,
  maturities: readonly string[],
): AsyncGenerator<Envelope<WideRow>> {
  const none = Object.fromEntries(maturities.map((name) => [name, null]));
  let day: WideRow | undefined;
  let waiting: Envelope<WideRow> | undefined;
  for await (const page of pages) {
    if (waiting !== undefined) yield waiting;
    const days: WideRow[] = [];
    for (const { trade_date, maturity, rate } of page.results) {
      if (day !== undefined && day.trade_date !== trade_date) {
        refuseDisorder(day.trade_date, trade_date);
        days.push(day);
        day = undefined;
      }
      day = { ...(day ?? { trade_date, ...none }), [maturity]: rate };
    }
    waiting = tablePage(page, days);
  }
  // Only now is the previous date complete.
  if (waiting !== undefined)
    yield tablePage(waiting, day === undefined ? waiting.results : [...waiting.results, day]);
}

function tablePage(page: Envelope<unknown>, results: readonly WideRow[]): Envelope<WideRow> {
  return { ...page, object: 'yield_table', results, results_count: results.length };
}

/** Refuses rates of one date that are not together: they would make two rows of it. */
function refuseDisorder(one: unknown, next: unknown): void {
  if (String(next) < String(one)) return;
  throw new Problem('bad-answer', `the service gives rates of ${String(next)} after those of ${String(one)}`);
}

/** The rows up to a limit; requests no more pages than they need. */
async function* rowsUpTo(
  limit: number | undefined,
  pages: AsyncIterable<Envelope<WideRow>>,
  { progress }: QueryContext,
): AsyncGenerator<Envelope<WideRow>> {
  let [left, rows] = [limit ?? Number.POSITIVE_INFINITY, 0];
  for await (const page of pages) {
    const results = page.results.slice(0, left);
    left -= results.length;
    rows += results.length;
    const has_more = results.length < page.results.length || page.has_more;
    yield { ...page, results, results_count: results.length, has_more };
    progress?.({ done: rows, unit: 'rows' });
    if (left <= 0) return;
  }
}

/** The same pages; where they have no rows, notes why. */
async function* explained(
  pages: AsyncIterable<Envelope<WideRow>>,
  texts: ParamTexts,
  context: QueryContext,
): AsyncGenerator<Envelope<WideRow>> {
  let isEmpty = true;
  for await (const page of pages) {
    isEmpty &&= page.results.length === 0;
    yield page;
  }
  if (isEmpty) await explainEmpty(yields, texts, context);
}
