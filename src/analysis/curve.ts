import { pagesOf } from '../client/pagination.ts';
import { spreadInBasisPoints } from '../domain/series/arithmetic.ts';
import { addDays, type Day, weekendDay } from '../domain/series/date.ts';
import { type CurveType, monthsOf } from '../domain/treasury/curve.ts';
import type { RateRow } from '../operations/curve.ts';
import type { Envelope } from '../operations/envelope.ts';
import { curve, yields } from '../operations/figures.ts';
import { commandNaming } from '../operations/operation.ts';
import type { ParamTexts, QueryParams } from '../operations/param.ts';
import { type QueryAnswer, type QueryContext, textsOf } from './answer.ts';
import { type CurveComparisonRow, comparisonLayout } from './layouts.ts';
import type { YieldCurveQuery } from './query.ts';
import { curveDrawing } from './rate-charts.ts';

/** The curve of a day, or of the newest day up to it; with `vs` compared with the curve of another day. */
export async function answerCurve(query: YieldCurveQuery, context: QueryContext): Promise<QueryAnswer> {
  const { vs } = query;
  return vs === undefined ? answerOneCurve(query, context) : answerComparison({ ...query, vs }, context);
}

/** The curve of a day, or of the newest day up to it. */
export async function answerOneCurve(
  query: YieldCurveQuery,
  context: QueryContext,
): Promise<QueryAnswer<RateRow>> {
  const { fields, columns } = curve;
  return { fields, columns, ...drawn(query, context), pages: curvePages(query, context) };
}

/** The curve of a day, or of the newest day up to it, compared with the curve of another day. */
export async function answerComparison(
  query: YieldCurveQuery & { readonly vs: Day },
  context: QueryContext,
): Promise<QueryAnswer<CurveComparisonRow>> {
  const { fields, columns } = comparisonLayout;
  return { fields, columns, ...drawn(query, context), pages: compare(query, context) };
}

function drawn(query: YieldCurveQuery, { chart }: QueryContext) {
  return chart === true ? { drawing: curveDrawing(query) } : {};
}

async function* curvePages(query: YieldCurveQuery, context: QueryContext): AsyncGenerator<Envelope<RateRow>> {
  const texts = await curveTexts(query, query.date, context);
  yield* received(query, texts, context);
}

async function* received(
  query: YieldCurveQuery,
  texts: ParamTexts,
  context: QueryContext,
): AsyncGenerator<Envelope<RateRow>> {
  for await (const page of pagesOf(context.client, curve, texts, {}, context.signal)) {
    if (query.date !== undefined) noteMissing(page, query, query.date, context);
    yield page;
  }
}

async function* compare(
  query: YieldCurveQuery & { readonly vs: Day },
  context: QueryContext,
): AsyncGenerator<Envelope<CurveComparisonRow>> {
  const { vs } = query;
  const texts = await curveTexts(query, query.date, context);
  const other = await context.client.ask(curve, await curveTexts(query, vs, context));
  noteMissing(other, query, vs, context);
  for await (const page of received(query, texts, context)) yield compared(page, other);
}

/** The parameters of the curve of a date, or of the newest day up to it. */
async function curveTexts(
  { curveType, onOrBefore }: YieldCurveQuery,
  date: Day | undefined,
  context: QueryContext,
): Promise<ParamTexts> {
  const type = typeParam(curveType);
  if (date === undefined) return textsOf(type);
  const used = onOrBefore ? await newestUpTo(date, type, context) : date;
  if (used !== date) context.note?.({ kind: 'empty', text: `no curve on ${date}; this is ${used}` });
  return textsOf({ date: used, ...type });
}

function typeParam(curveType: CurveType | undefined): QueryParams {
  return curveType === undefined ? {} : { curve_type: curveType };
}

/** Notes that a day has no curve, and how to get the previous one. */
function noteMissing(
  { results }: Envelope<RateRow>,
  { onOrBefore }: YieldCurveQuery,
  date: Day,
  { note, naming = commandNaming }: QueryContext,
): void {
  if (results.length > 0) return;
  const weekend = weekendDay(date);
  const named = weekend === undefined ? date : `${date}, a ${weekend}`;
  note?.(
    onOrBefore
      ? { kind: 'empty', text: `no curve on or before ${date}` }
      : {
          kind: 'no curve',
          text: `no curve on ${named}; ${naming.param('on_or_before')} takes the newest one before it`,
        },
  );
}

/**
 * The trade date of the newest curve up to `date`, found among the rates over time; `date` itself if there is none.
 * Asks until nothing newer is found, because another service may not give the newest rates first.
 */
async function newestUpTo(date: Day, type: QueryParams, { client }: QueryContext): Promise<Day> {
  const newestOf = async (params: QueryParams): Promise<Day> => {
    const page = await client.ask(yields, textsOf({ ...type, ...params, to: date }));
    const days = page.results.map(({ trade_date }) => trade_date);
    return (
      days
        .filter((day) => day <= date)
        .sort()
        .at(-1) ?? ''
    );
  };
  let newest = await newestOf({ limit: 1 });
  while (newest !== '' && newest < date) {
    const next = await newestOf({ from: addDays(newest, 1), limit: 1000 });
    if (next <= newest) break;
    newest = next;
  }
  return newest === '' ? date : newest;
}

/** Two curves compared: a row for each maturity that either has, shortest first. */
export function compared(curve: Envelope<RateRow>, other: Envelope<RateRow>): Envelope<CurveComparisonRow> {
  const [rates, otherRates] = [byMaturity(curve), byMaturity(other)];
  const names = new Set([...rates.keys(), ...otherRates.keys()]);
  const results = [...names]
    .sort((a, b) => monthsOf(a) - monthsOf(b))
    .map((maturity) => {
      const [row, vs] = [rates.get(maturity), otherRates.get(maturity)];
      const [rate, vsRate] = [row?.rate ?? null, vs?.rate ?? null];
      return {
        maturity,
        rate,
        vs_rate: vsRate,
        change_bps: change(rate, vsRate),
        trade_date: curve.results[0]?.trade_date ?? null,
        vs_trade_date: other.results[0]?.trade_date ?? null,
        curve_type: (row ?? vs)?.curve_type ?? '',
        source: [...new Set([row, vs].flatMap((one) => one?.source ?? []))].join('; '),
      };
    });
  return { ...curve, object: 'yield_curve_comparison', results, results_count: results.length };
}

function byMaturity({ results }: Envelope<RateRow>): ReadonlyMap<string, RateRow> {
  return new Map(results.map((row) => [row.maturity, row]));
}

function change(rate: string | null, other: string | null): string | null {
  return rate === null || other === null ? null : spreadInBasisPoints(rate, other);
}
