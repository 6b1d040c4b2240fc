import type { AskOptions } from '../client/client.ts';
import { largestPage, pagesOf } from '../client/pagination.ts';
import { frequencies, frequencyOf, parseFrequency } from '../domain/series/series.ts';
import { isComparison, type Transformation, unitText } from '../domain/series/transformation.ts';
import {
  DailyTransformers,
  firstInput,
  Transformer,
  type VintageValues,
} from '../domain/series/transformer.ts';
import type { Day, Frequency } from '../domain/values/date.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { type Params, type ParamTexts, textOf, without } from '../operations/param.ts';
import type { Ask, Note } from './answer.ts';
import { historyOf } from './history.ts';

type AskContext = Pick<Ask, 'client' | 'signal'>;

/** Wraps a context so that its client computes values from one vintage, for which it asks for earlier inputs. */
export function transforming(context: Ask, transformation: Transformation): Ask {
  const { client } = context;
  return {
    ...context,
    client: {
      ...client,
      ask<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts, options?: AskOptions) {
        if (operation.isTransformable !== true) return client.ask(operation, texts, options);
        return transformedPage(operation, texts, transformation, context);
      },
    },
    noResult: (operation, texts) => whyNoResult(operation, texts, transformation, context),
  };
}

/**
 * Computes the transformed values of a series on one page, newest first.
 * With a limit below a full page, one row more shows where to cut; the client applies any other limit.
 */
async function transformedPage<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  transformation: Transformation,
  { client, signal }: AskContext,
): Promise<Envelope<R>> {
  const ofFirstReleases = textOf(texts, 'release') !== undefined;
  const limit = ofFirstReleases ? largestPage : Number(textOf(texts, 'limit') ?? largestPage);
  const asked = inputsOf(texts, transformation);
  const rows: R[] = [];
  let head: Envelope<R> | undefined;
  let results: readonly R[] | undefined;
  for await (const page of pagesOf(client, operation, asked, { stopsEarly: limit !== largestPage }, signal)) {
    head ??= page;
    for (const row of page.results) rows.push(row);
    const oldest = page.results.at(-1);
    if (limit === largestPage || oldest === undefined) continue;
    // Results that may depend on later pages wait for them.
    const ready = transformed(rows, texts, transformation).filter(
      (row) => (firstInput(dateIn(row)) ?? '') >= dateIn(oldest),
    );
    if (ready.length <= limit) continue;
    results = ready;
    break;
  }
  if (head === undefined) throw new Error('a listing has at least one page');
  if (ofFirstReleases)
    return onePage(
      head,
      await firstReleases(rows, asked, [...without(texts, 'as_of'), ...asOfText(head)], transformation, {
        client,
        signal,
      }),
    );
  results ??= transformed(rows, texts, transformation);
  const { series } = head;
  const frequency = results[0]?.frequency;
  const described = series !== undefined && typeof frequency === 'string' && { ...series, frequency };
  return onePage({ ...head, ...(described && { series: described }) }, results);
}

function asOfText({ as_of }: Pick<Envelope, 'as_of'>): ParamTexts {
  return as_of === undefined ? [] : [['as_of', as_of]];
}

/** Computes the result for each date in the vintage of its first release; the rows have all dates with a release. */
async function firstReleases<R extends Row>(
  rows: readonly R[],
  inputs: ParamTexts,
  texts: ParamTexts,
  transformation: Transformation,
  context: AskContext,
): Promise<readonly R[]> {
  const [id = '', asOf = '~'] = ['id', 'as_of'].map((name) => textOf(texts, name));
  const range = inputs.filter(([name]) => name === 'from' || name === 'to');
  const history = await historyOf({ id, ...Object.fromEntries(range) }, context);
  const { vintages } = history;
  const transformers = new DailyTransformers(id, await history.frequencies(), transformation, asOf);
  const [any, transformer] = [rows[0], transformers.on(asOf)];
  if (any === undefined || transformer === undefined) return [];
  return datesAsked(rows, texts, transformer).flatMap((date): R[] => {
    const day = transformer.firstDay(vintages, date);
    if (day === undefined || day > asOf) return [];
    // That day's frequency: growth of a quarter then stays growth of a quarter.
    const ofDay = transformers.on(day);
    const result = ofDay?.valueIn(vintages.on(day), date);
    if (ofDay === undefined || result === undefined) return [];
    return [resultRow(any, date, result, ofDay.frequency, transformation)];
  });
}

function onePage<R>({ next_cursor: _, ...head }: Envelope<R>, results: readonly R[]): Envelope<R> {
  return { ...head, results, results_count: results.length, has_more: false };
}

/** Says why a series has no results for the requested dates; undefined if it has no values for them. */
async function whyNoResult<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  { units, aggregation }: Transformation,
  { client, naming }: AskContext & Pick<Ask, 'naming'>,
): Promise<Note | undefined> {
  if (operation.isTransformable !== true) return undefined;
  const { results } = await client.ask(operation, [...without(texts, 'limit'), ['limit', '50']], {
    once: true,
  });
  if (results.length === 0) return undefined;
  const has = `${textOf(texts, 'id') ?? ''} has values`;
  if (aggregation === undefined) {
    const own = parseFrequency(String(results[0]?.frequency ?? ''));
    const spacing = parseFrequency(frequencyOf(results.map(dateIn)));
    const isSparse =
      own !== undefined && spacing !== undefined && frequencies.indexOf(spacing) > frequencies.indexOf(own);
    const reason =
      isComparison(units) && isSparse
        ? `its frequency is ${own}, but these values have the spacing of ${spacing}, so the values to compare with are missing`
        : 'the earlier value is missing, or the formula has no result';
    return { kind: 'empty', text: `${has}, but no ${units}: ${reason}` };
  }
  const { frequency, partial = false } = aggregation;
  const isRange = ['from', 'to'].some((name) => textOf(texts, name) !== undefined);
  const period = `${partial ? '' : 'complete '}${periodNames[frequency]}${isRange ? ' that begins in this range' : ''}`;
  const computed = units === 'lin' ? '' : ` for which ${units} can be computed`;
  const wayOut = partial ? '' : `; ${naming.param('partial')} shows periods that are not complete`;
  return { kind: partial ? 'empty' : 'incomplete', text: `${has}, but no ${period}${computed}${wayOut}` };
}

const periodNames = { w: 'week', m: 'month', q: 'quarter', sa: 'half year', a: 'year' } as const;

function inputsOf(texts: ParamTexts, { aggregation }: Transformation): ParamTexts {
  const from = textOf(texts, 'from');
  const first = from === undefined ? undefined : firstInput(from);
  const others = without(without(texts, 'limit'), 'from');
  return [
    // Later dates show whether a period is complete.
    ...(aggregation === undefined ? others : without(others, 'to')),
    ...(first === undefined ? [] : [['from', first] as const]),
  ];
}

function transformed<R extends Row>(
  rows: readonly R[],
  texts: ParamTexts,
  transformation: Transformation,
): readonly R[] {
  const [any] = rows;
  if (any === undefined) return [];
  // Another service may not state the frequency; the dates then imply it, as in a store.
  const own = parseFrequency(String(any.frequency ?? '')) ?? frequencyOf(rows.map(dateIn));
  const transformer = new Transformer(textOf(texts, 'id') ?? '', own, transformation);
  const vintage = vintageOf(
    rows.map((row) => ({ date: dateIn(row), value: String(row.value), asOf: String(row.as_of_date) })),
  );
  const frequency = own === '' ? own : transformer.frequency;
  return datesAsked(rows, texts, transformer).flatMap((date) => {
    const result = transformer.valueIn(vintage, date);
    return result === undefined ? [] : [resultRow(any, date, result, frequency, transformation)];
  });
}

function resultRow<R extends Row>(
  any: R,
  date: Day,
  { value, since: as_of_date }: { readonly value: string; readonly since: Day },
  frequency: Frequency,
  { units }: Transformation,
): R {
  return { ...any, date, value, as_of_date, unit: unitText(units, String(any.unit ?? '')), frequency };
}

/** Makes a vintage from values. */
export function vintageOf(
  values: readonly { readonly date: Day; readonly value: string; readonly asOf: Day }[],
): VintageValues {
  const byDate = new Map(values.map((one) => [one.date, one]));
  const dates = [...byDate.keys()].sort();
  return { dates, newest: dates.at(-1), valueOf: (date) => byDate.get(date) };
}

function datesAsked(rows: readonly Row[], texts: ParamTexts, transformer: Transformer): readonly Day[] {
  const [from = '', to = '~'] = ['from', 'to'].map((name) => textOf(texts, name));
  const dates = new Set(rows.map((row) => transformer.dateOf(dateIn(row))));
  return [...dates].filter((date) => date >= from && date <= to);
}

function dateIn({ date }: Row): Day {
  return String(date);
}
