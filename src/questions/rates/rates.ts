import { type Ask, type QueryAnswer, rowsOf, textsOf } from '../../answering/answer.ts';
import type { Demands } from '../../answering/basis.ts';
import { explainEmpty } from '../../answering/notes.ts';
import { commandOf, question, typed } from '../../answering/question.ts';
import { firstRows, lastRows, pagesOf } from '../../client/pagination.ts';
import { type CurveType, maturitiesOf, monthsOf } from '../../domain/treasury/curve.ts';
import { spreadInBasisPoints } from '../../domain/values/arithmetic.ts';
import { type Day, weekendDay } from '../../domain/values/date.ts';
import type { Envelope, WideRow } from '../../operations/envelope.ts';
import {
  type Field,
  field,
  nullable,
  type RowFrom,
  type RowLayout,
  rowsFrom,
  showing,
} from '../../operations/field.ts';
import {
  type Param,
  type Params,
  type ParamsOf,
  type ParamTexts,
  type ParamValues,
  param,
  type QueryParams,
} from '../../operations/param.ts';
import {
  curveDrawing,
  curve as curveOperation,
  type RateRow,
  yields,
  yieldTableDrawing,
} from '../../operations/rates/yields.ts';
import { day, flag, integer } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';

/** The kind of a curve; a request names it only if the user did. */
const curveType: Param<CurveType | undefined, false> = {
  ...yields.params.curve_type,
  fallback: undefined,
};

const comparisonFields = [
  field('maturity', 'text', 'Maturity label.'),
  nullable('rate', 'decimal', 'Rate in percent; empty if the curve has none for the maturity.'),
  nullable('vs_rate', 'decimal', 'Rate of the other curve.'),
  nullable('change_bps', 'decimal', 'Rate less that of the other curve, in basis points.'),
  nullable('trade_date', 'day', 'Date of the curve.'),
  nullable('vs_trade_date', 'day', 'Date of the other curve.'),
  field('curve_type', 'text', 'PAR or TIPS.'),
  field('source', 'text', 'Names of the data sources of both.'),
] as const;

const comparisonRow = rowsFrom(comparisonFields);

/** The rates of a maturity on two curves. */
export type CurveComparisonRow = RowFrom<(typeof comparisonFields)[number]>;

/** The layout of two compared curves; `source` is shown only on request. */
const comparisonLayout: RowLayout = showing(comparisonFields, 'source');

const params = {
  date: curveOperation.params.date,
  curve_type: curveType,
  on_or_before: param(flag, 'Use the newest curve on or before the date.', undefined),
  vs: param(day, 'Compare with the curve of another date, in basis points.', undefined),
} satisfies Params;

type AskedCurve = ParamValues<typeof params>;

/** The parameters of a curve; with `vs` it is compared with the curve of another day. */
export type CurveParams = ParamsOf<{ readonly params: typeof params }> & Demands;

/** The curve of a day, or the newest one; with `vs`, compared with another day's. */
export const curve = question({
  name: 'curve',
  operation: curveOperation,
  command: commandOf(curveOperation),
  method:
    typed<
      [
        [asked: [params: CurveParams & { readonly vs: Day }], row: CurveComparisonRow],
        [asked: [params?: CurveParams & { readonly vs?: undefined }], row: RateRow],
        [asked: [params?: CurveParams], row: CurveComparisonRow | RateRow],
      ]
    >(),
  args: [],
  params,
  layout: ({ vs }) => (vs === undefined ? curveOperation : comparisonLayout),
  drawing: (values) => async () => curveDrawing(values),
  showsNewest: ({ date }) => date === undefined,
  bind(values, to) {
    const { date = to, vs = date, on_or_before } = values;
    const days = [['date', date] as const, ['vs', vs] as const];
    if (values.date !== undefined) return { values, days, words: [] };
    // A curve without a date is the newest one.
    const nearest = on_or_before === true ? [] : ['--on-or-before'];
    return { values: { ...values, date, on_or_before: true }, days, words: ['--date', to, ...nearest] };
  },
  answer: async (values, ask): Promise<QueryAnswer<RateRow | CurveComparisonRow>> => ({
    pages: curvePages(values, ask),
  }),
});

async function* curvePages(
  query: AskedCurve,
  context: Ask,
): AsyncGenerator<Envelope<RateRow | CurveComparisonRow>> {
  const { date, vs } = query;
  const { client, signal } = context;
  const texts = await curveTexts(query, date, context);
  let other: Envelope<RateRow> | undefined;
  if (vs !== undefined) {
    other = await client.ask(curveOperation, await curveTexts(query, vs, context));
    noteMissing(other, query, vs, context);
  }
  for await (const page of pagesOf(client, curveOperation, texts, {}, signal)) {
    if (date !== undefined) noteMissing(page, query, date, context);
    yield other === undefined ? page : compared(page, other);
  }
}

async function curveTexts(
  { curve_type, on_or_before }: AskedCurve,
  date: Day | undefined,
  context: Ask,
): Promise<ParamTexts> {
  const type = defined({ curve_type });
  if (date === undefined) return textsOf(type);
  const used = on_or_before === true ? await newestUpTo(date, type, context) : date;
  if (used !== date)
    context.note?.({ kind: 'empty', text: `no curve on ${date}; the newest one before it is from ${used}` });
  return textsOf({ date: used, ...type });
}

function noteMissing(
  { results }: Envelope<RateRow>,
  { on_or_before }: AskedCurve,
  date: Day,
  { note, naming }: Ask,
): void {
  if (results.length > 0) return;
  const weekend = weekendDay(date);
  const named = weekend === undefined ? date : `${date}, a ${weekend}`;
  note?.(
    on_or_before === true
      ? { kind: 'empty', text: `no curve on or before ${date}` }
      : {
          kind: 'no curve',
          text: `no curve on ${named}; ${naming.param('on_or_before')} takes the newest one before it`,
        },
  );
}

/** Finds the trade date of the newest curve up to `date`; `date` itself if there is no curve. */
async function newestUpTo(date: Day, type: QueryParams, ask: Ask): Promise<Day> {
  // More rows than a curve has: rows of two curves show whether a service gives the newest first.
  const [newest] = await rowsOf(ask, yields, { ...type, to: date }, { limit: 20 });
  return newest?.trade_date ?? date;
}

/** Compares two curves: a row for each maturity of either, shortest first. */
export function compared(own: Envelope<RateRow>, other: Envelope<RateRow>): Envelope<CurveComparisonRow> {
  const [rates, otherRates] = [byMaturity(own), byMaturity(other)];
  const names = new Set([...rates.keys(), ...otherRates.keys()]);
  const [tradeDate, vsTradeDate] = [own, other].map(({ results }) => results[0]?.trade_date);
  const results = [...names]
    .sort((a, b) => monthsOf(a) - monthsOf(b))
    .map((maturity) => {
      const [row, vs] = [rates.get(maturity), otherRates.get(maturity)];
      return comparisonRow(
        { maturity, rate: row?.rate, vsRate: vs?.rate, tradeDate, vsTradeDate },
        {
          changeBps: row && vs && spreadInBasisPoints(row.rate, vs.rate),
          curveType: (row ?? vs)?.curve_type ?? '',
          source: [...new Set([row, vs].flatMap((one) => one?.source ?? []))].join('; '),
        },
      );
    });
  return { ...own, object: 'yield_curve_comparison', results, results_count: results.length };
}

function byMaturity({ results }: Envelope<RateRow>): ReadonlyMap<string, RateRow> {
  return new Map(results.map((row) => [row.maturity, row]));
}

const { maturity, from, to } = yields.params;

const tableParams = {
  maturity,
  curve_type: curve.params.curve_type,
  from,
  to,
  limit: param(integer(1), 'Most rows.', undefined),
  first: param(integer(1), 'Most rows, the oldest ones.', undefined),
} satisfies Params;

type AskedYields = ParamValues<typeof tableParams>;

/** Treasury rates with a row for each date and a column for each maturity. */
export const yieldTable = question({
  name: 'yield_table',
  about:
    'Treasury rates with a row for each date and a column for each maturity, newest first; `limit` and `first` count dates.',
  askedBy: {
    words: ['yields'],
    flags: [
      {
        name: 'wide',
        about: 'one row per date, one column per maturity; --limit and --first count dates',
      },
    ],
  },
  args: [],
  params: tableParams,
  layout: layoutOf,
  drawing: (values) => async () => yieldTableDrawing(values),
  knownOn: ({ to }) => to,
  bind(values, day) {
    const { from, to = day } = values;
    return {
      values: { ...values, to },
      days: [...(from === undefined ? [] : [['from', from] as const]), ['to', to]],
      words: values.to === undefined ? ['--to', day] : [],
    };
  },
  async answer(values, ask): Promise<QueryAnswer<WideRow>> {
    const { limit, first, maturity, curve_type, from, to } = values;
    const texts = textsOf(defined({ maturity, curve_type, from, to }));
    const [, ...maturities] = layoutOf(values).columns;
    const rates = pagesOf(ask.client, yields, texts, { stopsEarly: limit !== undefined }, ask.signal);
    const table = tablePages(rates, maturities);
    const rows = first === undefined ? firstRows(table, limit) : lastRows(table, first);
    return { pages: explained(rows, texts, ask) };
  },
});

function layoutOf({ curve_type = 'PAR', maturity }: AskedYields): RowLayout {
  const names = maturity === undefined ? maturitiesOf(curve_type) : [maturity];
  return showing([
    field('trade_date', 'day', 'Date of the curve.'),
    ...names.map((name): Field => nullable(name, 'decimal', 'Rate in percent.')),
  ]);
}

/** Yields a row for each date from rows for each rate; null for a maturity without a rate on that date. */
async function* tablePages(
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

async function* explained(
  pages: AsyncIterable<Envelope<WideRow>>,
  texts: ParamTexts,
  ask: Ask,
): AsyncGenerator<Envelope<WideRow>> {
  let rows = 0;
  for await (const page of pages) {
    rows += page.results.length;
    yield page;
    ask.progress?.({ done: rows, unit: 'rows' });
  }
  if (rows === 0) await explainEmpty(yields, texts, ask);
}
