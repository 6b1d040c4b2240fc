import { type Ask, failureOf, type QueryAnswer, textsOf } from '../../answering/answer.ts';
import { eachOf } from '../../answering/composed.ts';
import { noteBasis } from '../../answering/notes.ts';
import { commandOf, question, transformationIn } from '../../answering/question.ts';
import { askingFor, remarked } from '../../answering/run.ts';
import { missingMember, type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import type { AskOptions, Client } from '../../client/client.ts';
import { type Extent, largestPage, pagesOf, questionFor } from '../../client/pagination.ts';
import { throttled } from '../../client/throttling.ts';
import { type NamedSeries, namedSeries, nameOfSeries } from '../../domain/series/transformation.ts';
import { parseDay } from '../../domain/values/date.ts';
import { contradiction, Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import {
  checkKnown,
  dayOfKnown,
  type Known,
  lastKnown,
  type Params,
  type ParamTexts,
  type ParamValues,
  versionOf,
} from '../../operations/param.ts';
import type { ObservationRow } from '../../operations/series/observations.ts';
import { observations as listing } from '../../operations/series/observations.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { defined } from '../../platform/defined.ts';
import type { SortOrder } from './panel-rows.ts';
import {
  aboutAsOf,
  boundAsOf,
  extentParams,
  ofOneSeries,
  ofSeveralSeries,
  ownValues,
  skipMissing,
  sortParam,
  unitsParams,
} from './shared.ts';

const { id: _id, limit: _limit, cursor: _cursor, ...own } = listing.params;
const { limit, first } = extentParams;

const params = {
  ...own,
  limit,
  first,
  cursor: extentParams.cursor,
  ...unitsParams,
} satisfies Params;

const perSeries = (about: string) => ({ help: { about: `maximum rows per series, ${about}` } });

const severalParams = {
  ...own,
  sort: sortParam,
  ...unitsParams,
  skip_missing: skipMissing,
  limit: { ...limit, ...perSeries('the newest') },
  first: { ...first, ...perSeries('the oldest') },
  cursor: extentParams.cursor,
} satisfies Params;

// Picked, because the parameters of both questions are inferred from what checks and answers take.
type AskedValues = Pick<ParamValues<typeof params>, keyof typeof params>;

/** The parameters for each series; an answer without pages has a null cursor. */
type ObservationsAsked = Omit<AskedValues, 'cursor'> & {
  readonly cursor: string | null | undefined;
  readonly sort?: SortOrder | undefined;
};

const shared = {
  layout: () => listing,
  knownOn: (values: Known) => lastKnown(values),
  aboutValues: ({ as_of, known_at, ...values }: AskedValues) =>
    aboutAsOf(versionOf({ as_of, known_at }), ownValues(listing, { ...values, id: undefined })),
  showsNewest: ({ as_of, known_at, to }: AskedValues) => (as_of ?? known_at ?? to) === undefined,
  bind: boundAsOf,
};

function typedIds({ args }: TypedLine): readonly string[] {
  const date = args.find((id) => parseDay(id) !== undefined);
  if (date === undefined) return args;
  throw new Problem('bad-input', `${date} is a date, not the id of a series`, {
    hints: [`did you mean --as-of ${date}?`],
  });
}

/** The values of several series, one series after the other. */
export const observationsOfSeveral = question({
  name: 'observations_of_several',
  command: { ...commandOf(listing), comparedAfter: 'partial' },
  endpoint: {
    path: '/v1/observations',
    object: listing.object,
    heading: 'Series',
    summary: 'The values of several series, as they were known on a day',
    description:
      'One series after the other, in the order of `ids`, newest date first unless `sort` is `asc`; `limit` and `first` count dates of each, and `has_more` says whether they left out some. The answer has no pages. That for one id also says what the series is, from which vintage it comes, and to which day it is covered.',
    layout: listing,
    members: ['as_of', 'known_at', 'missing', 'series', 'vintage', 'covered_to'],
    example: { ids: 'GDP,UNRATE', as_of: '2015-01-30', from: '2014-10-01' },
    fixed: { cursor: null },
  },
  args: ofSeveralSeries(typedIds),
  params: severalParams,
  ...shared,
  drawing: (values) => async (ask) => (await import('./drawings.ts')).observationsDrawing(values, ask),
  check(values) {
    checkKnown(values);
    if (typeof values.cursor !== 'string') return;
    checkCursor(values, namedSeries(values.ids[0] ?? ''));
    if (values.ids.length !== 1)
      throw contradiction('cursor', ({ param }) => `${param('cursor')} continues one series: name one id`);
  },
  async answer({ ids, skip_missing, ...values }, ask): Promise<QueryAnswer<ObservationRow>> {
    const series = await resolveSeries({ ids, skip_missing }, dayOfKnown(values), ask);
    if (typeof values.cursor === 'string' && series.length !== 1)
      throw new Problem('bad-input', `a cursor continues one series, not ${series.length}`);
    return answerOf(series, values, ask);
  },
});

/** The values of one series. */
export const observations = question({
  name: 'observations',
  operation: listing,
  args: ofOneSeries,
  params,
  all: observationsOfSeveral,
  ...shared,
  drawing:
    ({ id, ...values }) =>
    async (ask) =>
      (await import('./drawings.ts')).observationsDrawing({ ids: [id], ...values }, ask),
  check(values) {
    checkKnown(values);
    checkCursor(values);
  },
  answer: async ({ id, ...values }, ask): Promise<QueryAnswer<ObservationRow>> =>
    answerOf([{ id }], values, ask),
});

function checkCursor(values: Partial<AskedValues>, series?: NamedSeries): void {
  if (values.cursor === undefined || transformationIn(values, series) === undefined) return;
  throw contradiction(
    'cursor',
    ({ param }) =>
      `use either ${param('cursor')} or ${param('units')} and ${param('frequency')}: a cursor continues published rows`,
  );
}

function answerOf(
  series: readonly ResolvedSeries[],
  asked: ObservationsAsked,
  ask: Ask,
): QueryAnswer<ObservationRow> {
  return { pages: pagesOfSeveral(series, asked, ask) };
}

/** The rows that are enough for a page: each page takes a tenth of a millisecond besides its rows. */
const rowsTogether = 1000;

/** Pages that wait for others, to become one. */
class SmallPages {
  readonly #enough: number;
  #pages: Envelope<ObservationRow>[] = [];
  #rows = 0;

  constructor(enough: number) {
    this.#enough = enough;
  }

  /** Adds a page; returns true if they have enough rows. */
  add(page: Envelope<ObservationRow>): boolean {
    this.#pages.push(page);
    this.#rows += page.results.length;
    return this.#rows >= this.#enough;
  }

  /** Returns the page of all rows, if there is one, and begins again. */
  take(): readonly Envelope<ObservationRow>[] {
    const pages = this.#pages;
    this.#pages = [];
    this.#rows = 0;
    const last = pages.at(-1);
    if (last === undefined || pages.length === 1) return pages;
    const results = pages.flatMap((page) => page.results);
    return [{ ...last, results, results_count: results.length }];
  }
}

async function* pagesOfSeveral(
  series: readonly ResolvedSeries[],
  asked: ObservationsAsked,
  context: Ask,
): AsyncGenerator<Envelope<ObservationRow>> {
  const { cursor } = asked;
  const queries = series.map(({ id }) => textsOf(ownValues(listing, { ...asked, id })));
  const first = queries.map((texts) => questionFor(listing, texts, extentOf(asked)));
  const reading = await readingAhead(series, asked, first, context);
  const isJoined = series.length > 1 || context.basis.missing.size > 0;
  // A reader does not wait for the rows of a service that are there.
  const small = new SmallPages(context.client.offers === undefined ? rowsTogether : 0);
  let rows = 0;
  let isCut = false;
  for (const [done, one] of series.entries()) {
    const texts = queries[done] ?? [];
    const ask = reading[done] ?? context;
    const pages = remarked(listing, texts, sorted(asked, texts, ask), ask);
    const { length: total } = series;
    try {
      for await (const answered of pages) {
        const page = withOwnName(answered, one);
        isCut ||= page.has_more;
        rows += page.results.length;
        if (!isJoined) yield cursor === null ? withoutCursor(page) : page;
        else if (small.add(joinable(page, isCut, context))) for (const one of small.take()) yield one;
        context.progress?.(
          total === 1 ? { done: rows, unit: 'rows' } : { done, total, unit: 'series', rows },
        );
      }
    } catch (error) {
      throw failureOf(one.id, error);
    }
  }
  for (const one of small.take()) yield one;
  await noteBasis(series, [versionOf(asked)], context);
}

function extentOf({ limit, first, cursor }: ObservationsAsked): Extent {
  return defined({ limit, first, cursor: cursor ?? undefined });
}

/** Names a series in units of its own as it was asked for. */
function withOwnName(page: Envelope<ObservationRow>, series: ResolvedSeries): Envelope<ObservationRow> {
  if (series.units === undefined) return page;
  const name = nameOfSeries(series);
  return { ...page, results: page.results.map((row) => ({ ...row, series_id: name })) };
}

/**
 * Returns for each series what asks for its values.
 * It reads ahead: from a store if that is faster, from a service to learn which series exist.
 */
async function readingAhead(
  series: readonly ResolvedSeries[],
  asked: ObservationsAsked,
  queries: readonly ParamTexts[],
  context: Ask,
): Promise<readonly Ask[]> {
  const { client, signal, progress } = context;
  const asking = (through: Client) => {
    const ask = { ...context, client: through };
    return Promise.all(series.map((one) => askingFor(one, asked, ask)));
  };
  if (queries.length < 2) return asking(client);
  if (client.offers === undefined) {
    const { limit, first, from, to } = asked;
    const isWhole = (limit ?? first ?? from ?? to) === undefined;
    // A store gives a whole series with more values than a page has alone, in larger pages.
    const short = queries.filter(
      (_, i) => !(isWhole && Number(series[i]?.row?.observation_count) > largestPage),
    );
    const expected = await client.expect?.(listing, short);
    return asking({
      ...client,
      ask: (operation, texts, options) => client.ask(operation, texts, defined({ ...options, expected })),
    });
  }
  const asks = await asking(throttled(client, signal, () => undefined));
  const unknown = series.flatMap(({ id, row }, i) => (row === undefined ? [{ id, i }] : []));
  let done = 0;
  const found = await eachOf(unknown, context, async ({ i }) => {
    const answer = await asks[i]?.client.ask(listing, queries[i] ?? []);
    done += 1;
    progress?.({ done, total: series.length, unit: 'series' });
    return [i, answer] as const;
  });
  const answers = new Map<number, Envelope | undefined>(found);
  return asks.map((ask, i) => {
    const first = JSON.stringify(queries[i]);
    return {
      ...ask,
      client: {
        ...ask.client,
        async ask<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts, options?: AskOptions) {
          const isFirst = operation.name === listing.name && JSON.stringify(texts) === first;
          const answer = isFirst ? answers.get(i) : undefined;
          if (answer === undefined) return ask.client.ask(operation, texts, options);
          answers.delete(i);
          // The answer of the same operation.
          return answer as Envelope<R>;
        },
      },
    };
  });
}

function sorted(
  asked: ObservationsAsked,
  texts: ParamTexts,
  { client, signal }: Ask,
): AsyncGenerator<Envelope<ObservationRow>> {
  const pages = pagesOf(client, listing, texts, extentOf(asked), signal);
  return asked.sort === 'asc' ? oldestFirst(pages) : pages;
}

async function* oldestFirst(
  pages: AsyncIterable<Envelope<ObservationRow>>,
): AsyncGenerator<Envelope<ObservationRow>> {
  const rows: ObservationRow[] = [];
  let last: Envelope<ObservationRow> | undefined;
  for await (const page of pages) {
    for (const row of page.results) rows.push(row);
    last = page;
  }
  // The pages of an operation with an order are newest first, whatever the order of the service.
  if (last !== undefined) yield { ...last, results: rows.reverse(), results_count: rows.length };
}

/** Returns a page with what all series have in common; `has_more` says whether a series up to this one has more rows. */
function joinable(page: Envelope<ObservationRow>, has_more: boolean, context: Ask): Envelope<ObservationRow> {
  const { series: _series, vintage: _vintage, covered_to: _to, next_cursor: _, ...rest } = page;
  const { results, results_count, has_more: _own, known_at, as_of, ...head } = rest;
  return {
    ...head,
    // The day to which an instant came for one series may be another one for the next.
    ...(known_at === undefined && as_of !== undefined && { as_of }),
    ...missingMember(context),
    ...{ results, results_count, has_more },
  };
}

function withoutCursor({ next_cursor: _, ...page }: Envelope<ObservationRow>): Envelope<ObservationRow> {
  return page;
}
