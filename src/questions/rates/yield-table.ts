import { type Ask, type QueryAnswer, textsOf } from '../../answering/answer.ts';
import { explainEmpty } from '../../answering/notes.ts';
import { question } from '../../answering/question.ts';
import { lastRows, pagesOf } from '../../client/pagination.ts';
import { maturitiesOf } from '../../domain/treasury/curve.ts';
import type { Envelope, WideRow } from '../../operations/envelope.ts';
import { type Field, field, nullable, type RowLayout, showing } from '../../operations/field.ts';
import { type Params, type ParamTexts, type ParamValues, param } from '../../operations/param.ts';
import type { RateRow } from '../../operations/rates/yields.ts';
import { yields } from '../../operations/rates/yields.ts';
import { integer } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { curve } from './curve.ts';

const { maturity, from, to } = yields.params;

const params = {
  maturity,
  curve_type: curve.params.curve_type,
  from,
  to,
  limit: param(integer(1), 'Most rows.', undefined),
  first: param(integer(1), 'Most rows, the oldest ones.', undefined),
} satisfies Params;

type AskedYields = ParamValues<typeof params>;

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
  params,
  layout: layoutOf,
  drawing: (values) => async () =>
    (await import('../../operations/rates/drawings.ts')).yieldTableDrawing(values),
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
    const layout = layoutOf(values);
    const { limit, first, maturity, curve_type, from, to } = values;
    const texts = textsOf(defined({ maturity, curve_type, from, to }));
    const [, ...maturities] = layout.columns;
    const rates = pagesOf(ask.client, yields, texts, {}, ask.signal);
    const table = tablePages(rates, maturities);
    const rows = first === undefined ? table : lastRows(table, first);
    return { ...layout, pages: rowsUpTo(limit, rows, texts, ask) };
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

async function* rowsUpTo(
  limit = Number.POSITIVE_INFINITY,
  pages: AsyncIterable<Envelope<WideRow>>,
  texts: ParamTexts,
  ask: Ask,
): AsyncGenerator<Envelope<WideRow>> {
  let rows = 0;
  for await (const page of pages) {
    const results = page.results.slice(0, limit - rows);
    rows += results.length;
    const has_more = results.length < page.results.length || page.has_more;
    yield { ...page, results, results_count: results.length, has_more };
    ask.progress?.({ done: rows, unit: 'rows' });
    if (rows >= limit) return;
  }
  if (rows === 0) await explainEmpty(yields, texts, ask);
}
