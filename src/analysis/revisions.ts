import { pagesOf } from '../client/pagination.ts';
import { type Day, dayNumber, periodStart, weekendDay } from '../domain/series/date.ts';
import { changeBetween } from '../domain/series/decimal.ts';
import { parseFrequency } from '../domain/series/series.ts';
import type { Envelope } from '../operations/envelope.ts';
import { observations, revisions, seriesShow } from '../operations/index.ts';
import type { RowOf } from '../operations/operation.ts';
import { type Failure, pagesOrFailure, type QueryAnswer, type QueryContext, rowsOf } from './answer.ts';
import { revisionsDrawing } from './charts.ts';
import { descriptionOf, noteBasis } from './coverage.ts';
import { type RevisionRow, revisionLayout } from './layouts.ts';
import type { RevisionsQuery } from './query.ts';

type PublishedValue = RowOf<typeof revisions>;

/** Every value of one date, with the size and the lateness of each change. */
export async function answerRevisions(
  query: RevisionsQuery,
  context: QueryContext,
): Promise<QueryAnswer<RevisionRow>> {
  const failures: Failure[] = [];
  const drawing = context.chart === true ? await revisionsDrawing(query, context) : undefined;
  return {
    ...revisionLayout,
    ...(drawing && { drawing }),
    failures,
    pages: pagesOrFailure(query.id, pages(query, context), failures),
  };
}

async function* pages(query: RevisionsQuery, context: QueryContext): AsyncGenerator<Envelope<RevisionRow>> {
  const { id, date, asOf } = query;
  const texts = [
    ['id', id],
    ['date', date],
  ] as const;
  for await (const page of pagesOf(context.client, revisions, texts, {}, context.signal)) {
    const [first] = page.results;
    const known = page.results.filter((row) => asOf === undefined || row.as_of_date <= asOf);
    context.basis.add(
      id,
      asOf,
      page.covered_to,
      known.map(({ vintage_kind }) => vintage_kind ?? ''),
    );
    if (known.some(({ vintage_kind }) => vintage_kind === 'sampled'))
      context.note?.({
        kind: 'sampled',
        text: `${id} is sampled: these are the first samples with each value`,
      });
    if (known.length === 0 && context.explained === true) await noteEmpty(query, context);
    const released =
      first !== undefined && (await isFirstRelease(first, context)) ? first.as_of_date : undefined;
    yield compared(page, asOf, released);
  }
  if (asOf !== undefined) await noteBasis([{ id }], [asOf], context);
}

/** Notes that a date has no value, and how the date differs from those of the series. Says nothing of what was published after the as-of date. */
async function noteEmpty({ id, date, asOf }: RevisionsQuery, context: QueryContext): Promise<void> {
  const frequency = parseFrequency(String((await descriptionOf({ id }, context))?.frequency ?? ''));
  const period = periodStart(date, frequency ?? '');
  const weekend = frequency === 'D' ? weekendDay(date) : undefined;
  const reasons = [
    ...(period === date ? [] : [`; its period begins on ${period}`]),
    ...(weekend === undefined ? [] : [`, a ${weekend}`]),
  ];
  const known = asOf === undefined ? 'was published' : `was known on ${asOf}`;
  context.note?.({ kind: 'empty', text: `no value of ${id} ${known} for ${date}${reasons.join('')}` });
}

/**
 * Whether the first value that is known of a date is its first release. It is not for the dates up to the newest one in
 * the first vintage of the series: these were published before the record begins.
 */
async function isFirstRelease({ series_id, date }: PublishedValue, context: QueryContext): Promise<boolean> {
  const id = series_id;
  const [series] = (await context.client.ask(seriesShow, [['id', id]])).results;
  const begin = series?.first_vintage ?? '';
  // Another service may not say where its record begins.
  if (begin === '') return true;
  const [newest] = await rowsOf(context, observations, { id, as_of: begin }, { limit: 1 });
  return newest === undefined || date > newest.date;
}

/** The page up to an as-of date, each row compared with the one before and with the day of the first release. */
function compared(
  page: Envelope<PublishedValue>,
  asOf: Day | undefined,
  released: Day | undefined,
): Envelope<RevisionRow> {
  const { covered_to: _, ...rest } = page;
  const known = page.results.filter((row) => asOf === undefined || row.as_of_date <= asOf);
  const results = known.map((row, i) => {
    const [before, value] = [known[i - 1]?.value, row.value];
    const change =
      before == null || value === null ? { change: null, percent: null } : changeBetween(before, value);
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
