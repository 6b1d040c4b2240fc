import { pagesOf } from '../client/pagination.ts';
import { changeBetween } from '../domain/series/arithmetic.ts';
import { type Day, dayNumber, periodStart, weekendDay } from '../domain/series/date.ts';
import { parseFrequency } from '../domain/series/series.ts';
import type { Envelope } from '../operations/envelope.ts';
import { observations, revisions, seriesShow } from '../operations/figures.ts';
import type { RowOf } from '../operations/operation.ts';
import { pagesAbout, type QueryAnswer, type QueryContext, rowsOf, textsOf } from './answer.ts';
import { revisionsDrawing } from './charts.ts';
import { descriptionOf, noteBasis } from './coverage.ts';
import { type RevisionRow, revisionLayout } from './layouts.ts';
import type { RevisionsQuery } from './query.ts';

type PublishedValue = RowOf<typeof revisions>;

/** Every value of one date or of each date, with the size and the delay of each change. */
export async function answerRevisions(
  query: RevisionsQuery,
  context: QueryContext,
): Promise<QueryAnswer<RevisionRow>> {
  const { date } = query;
  const drawing =
    context.chart === true && date !== undefined
      ? await revisionsDrawing({ ...query, date }, context)
      : undefined;
  return {
    ...revisionLayout,
    ...(drawing && { drawing }),
    pages: pagesAbout(query.id, pages(query, context)),
  };
}

async function* pages(query: RevisionsQuery, context: QueryContext): AsyncGenerator<Envelope<RevisionRow>> {
  const { id, asOf } = query;
  let isSampled = false;
  let seen = false;
  let record: FirstVintage | undefined;
  for await (const page of publishedPages(query, context)) {
    const { results } = page;
    const kinds = results.map(({ vintage_kind }) => vintage_kind ?? '');
    context.basis.add(id, asOf, page.covered_to, kinds);
    if (kinds.includes('sampled') && !isSampled) {
      isSampled = true;
      const text = `${id} is sampled: these are the first samples with each value`;
      context.note?.({ kind: 'sampled', text });
    }
    seen ||= results.length > 0;
    record ??= results.length === 0 ? undefined : await firstVintageOf(id, context);
    yield compared(page, asOf, record);
  }
  if (!seen && context.explained === true) await noteEmpty(query, context);
  if (asOf !== undefined) await noteBasis([{ id }], [asOf], context);
}

/** The values published up to the as-of date, of at most `limit` dates. */
async function* publishedPages(
  { id, date, from, to, asOf, limit, cursor }: RevisionsQuery,
  context: QueryContext,
): AsyncGenerator<Envelope<PublishedValue>> {
  const texts = textsOf({
    id,
    ...(date !== undefined && { date }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  // The service would count dates that were first published after the as-of date towards its limit.
  const isCounted = asOf !== undefined && limit !== undefined;
  const extent = {
    ...(cursor !== undefined && { cursor }),
    ...(limit !== undefined && !isCounted && { limit }),
  };
  let left = isCounted ? limit : Number.POSITIVE_INFINITY;
  for await (const page of pagesOf(context.client, revisions, texts, extent, context.signal)) {
    const known = page.results.filter((row) => asOf === undefined || row.as_of_date <= asOf);
    const dates = [...new Set(known.map((row) => row.date))];
    const shown = new Set(dates.slice(0, left));
    const results = dates.length > left ? known.filter((row) => shown.has(row.date)) : known;
    left -= shown.size;
    const { next_cursor: _, ...rest } = page;
    const isCut = isCounted && left === 0;
    yield { ...(isCut ? { ...rest, has_more: true } : page), results, results_count: results.length };
    if (isCut) return;
  }
}

/**
 * Notes that a date has no value, and how it differs from the dates of the series; reveals nothing later than the
 * as-of date.
 */
async function noteEmpty({ id, date, asOf }: RevisionsQuery, context: QueryContext): Promise<void> {
  const known = asOf === undefined ? 'was published' : `was known on ${asOf}`;
  if (date === undefined) {
    context.note?.({ kind: 'empty', text: `no value of ${id} ${known} for these dates` });
    return;
  }
  const frequency = parseFrequency(await frequencyOf(id, asOf, context));
  const period = periodStart(date, frequency ?? '');
  const weekend = frequency === 'D' ? weekendDay(date) : undefined;
  const reasons = [
    ...(period === date ? [] : [`; its period begins on ${period}`]),
    ...(weekend === undefined ? [] : [`, a ${weekend}`]),
  ];
  context.note?.({ kind: 'empty', text: `no value of ${id} ${known} for ${date}${reasons.join('')}` });
}

/** The frequency of a series, as it was known on a day. */
async function frequencyOf(id: string, asOf: Day | undefined, context: QueryContext): Promise<string> {
  if (asOf === undefined) return String((await descriptionOf({ id }, context))?.frequency ?? '');
  const [newest] = await rowsOf(context, observations, { id, as_of: asOf }, { limit: 1 });
  return String(newest?.frequency ?? '');
}

/** The first vintage of a series, and the newest date in it. */
export type FirstVintage = { readonly asOf: Day; readonly newest: Day };

/**
 * The first vintage of a series; undefined if the service does not say when its record begins. The dates in that
 * vintage were, or may have been, published before the record begins, so their first releases are unknown.
 */
export async function firstVintageOf(id: string, context: QueryContext): Promise<FirstVintage | undefined> {
  const [series] = (await context.client.ask(seriesShow, [['id', id]])).results;
  const asOf = series?.first_vintage ?? '';
  if (asOf === '') return undefined;
  const [newest] = await rowsOf(context, observations, { id, as_of: asOf }, { limit: 1 });
  return { asOf, newest: newest?.date ?? '' };
}

/** The page up to an as-of date, each row compared with the previous one and with the day of the first release. */
function compared(
  page: Envelope<PublishedValue>,
  asOf: Day | undefined,
  record: FirstVintage | undefined,
): Envelope<RevisionRow> {
  const { covered_to: _, ...rest } = page;
  let released: Day | undefined;
  const results = page.results.map((row, i, rows) => {
    const before = rows[i - 1]?.date === row.date ? rows[i - 1] : undefined;
    if (before === undefined)
      released = record === undefined || row.date > record.newest ? row.as_of_date : undefined;
    const change =
      before?.value == null || row.value === null
        ? { change: null, percent: null }
        : changeBetween(before.value, row.value);
    const days = released === undefined ? null : dayNumber(row.as_of_date) - dayNumber(released);
    return { ...row, ...change, days };
  });
  return {
    ...(asOf === undefined ? page : rest),
    ...(asOf !== undefined && { as_of: asOf }),
    results,
    results_count: results.length,
  };
}
