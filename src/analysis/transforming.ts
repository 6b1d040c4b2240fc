import type { AskOptions, Client } from '../client/client.ts';
import { largestPage, pagesOf } from '../client/pagination.ts';
import type { Day } from '../domain/series/date.ts';
import { frequencyOf, parseFrequency } from '../domain/series/series.ts';
import { firstInput, type Transformation, Transformer, vintageOf } from '../domain/series/transformation.ts';
import { unitText } from '../domain/series/units.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { type Params, type ParamTexts, textOf, without } from '../operations/param.ts';
import type { QueryContext } from './answer.ts';

/** Asks the questions that transformed values are made of. */
type Asking = Pick<QueryContext, 'client' | 'signal'>;

/**
 * The same client, whose values of series by date are transformed, each from the values of the one vintage that the
 * question is about. The values before the first date that a transformation needs are asked for too.
 */
export function transforming(source: Asking, transformation: Transformation): Client {
  const { client } = source;
  return {
    ...client,
    ask<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts, options?: AskOptions) {
      if (operation.command.features?.includes('units') !== true)
        return client.ask(operation, texts, options);
      if (textOf(texts, 'release') !== undefined)
        throw new Problem(
          'bad-input',
          'first releases are shown as they were published: leave out the units',
        );
      return transformedPage(operation, texts, transformation, source);
    },
  };
}

/**
 * The transformed values of a series on one page, newest first. Of a limit below that of a page, at least one more row
 * is there if there are more, which shows where the page is cut; any other limit is for the client to apply.
 */
async function transformedPage<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  transformation: Transformation,
  { client, signal }: Asking,
): Promise<Envelope<R>> {
  const limit = Number(textOf(texts, 'limit') ?? largestPage);
  const asked = inputsOf(texts, transformation);
  const rows: R[] = [];
  let head: Envelope<R> | undefined;
  let results: readonly R[] | undefined;
  for await (const page of pagesOf(client, operation, asked, {}, signal)) {
    head ??= page;
    for (const row of page.results) rows.push(row);
    const oldest = page.results.at(-1);
    if (limit === largestPage || oldest === undefined) continue;
    // What may be computed from dates on later pages waits for these.
    const ready = transformed(rows, texts, transformation).filter(
      (row) => (firstInput(dateIn(row)) ?? '') >= dateIn(oldest),
    );
    if (ready.length <= limit) continue;
    results = ready;
    break;
  }
  if (head === undefined) throw new Error('a listing has at least one page');
  results ??= transformed(rows, texts, transformation);
  const { next_cursor: _, series, ...rest } = head;
  const frequency = results[0]?.frequency;
  return {
    ...rest,
    ...(series !== undefined && {
      series: typeof frequency === 'string' ? { ...series, frequency } : series,
    }),
    results,
    results_count: results.length,
    has_more: false,
  };
}

/** The question for all values that the answer is computed from. */
function inputsOf(texts: ParamTexts, { aggregation }: Transformation): ParamTexts {
  const from = textOf(texts, 'from');
  const first = from === undefined ? undefined : firstInput(from);
  const others = without(without(texts, 'limit'), 'from');
  return [
    // Whether a period is complete shows in the dates after it.
    ...(aggregation === undefined ? others : without(others, 'to')),
    ...(first === undefined ? [] : [['from', first] as const]),
  ];
}

/** The rows of transformed values, newest first, for the dates that were asked for. */
function transformed<R extends Row>(
  rows: readonly R[],
  texts: ParamTexts,
  transformation: Transformation,
): readonly R[] {
  const [id = '', from = '', to = '~'] = ['id', 'from', 'to'].map((name) => textOf(texts, name));
  const [any] = rows;
  if (any === undefined) return [];
  // Another service may leave the frequency open, which the dates imply as they do in a store.
  const own = parseFrequency(String(any.frequency ?? '')) ?? frequencyOf(rows.map(dateIn));
  const transformer = new Transformer(id, own, transformation);
  const vintage = vintageOf(
    rows.map((row) => ({ date: dateIn(row), value: String(row.value), asOf: String(row.as_of_date) })),
  );
  const dates = [...new Set(rows.map((row) => transformer.dateOf(dateIn(row))))];
  const { units } = transformation;
  return dates.flatMap((date) => {
    const result = date < from || date > to ? undefined : transformer.valueIn(vintage, date);
    if (result === undefined) return [];
    const frequency = own === '' ? own : transformer.frequency;
    const { value, since: as_of_date } = result;
    return [{ ...any, date, value, as_of_date, unit: unitText(units, String(any.unit ?? '')), frequency }];
  });
}

function dateIn({ date }: Row): Day {
  return String(date);
}
