import { changeBetween } from '../domain/series/change.ts';
import type { Day } from '../domain/series/date.ts';
import { sameNumber } from '../domain/series/decimal.ts';
import { observations } from '../operations/index.ts';
import type { ObservationRow } from '../operations/observations.ts';
import { type QueryAnswer, type QueryContext, rowsOf } from './answer.ts';
import { type ComposedContext, composed, eachOf, estimated, pagesExpected } from './composed.ts';
import { noteBasis } from './coverage.ts';
import { type DiffRow, diffLayout } from './layouts.ts';
import type { DiffQuery } from './query.ts';

/** What two as-of dates disagree on, newest date first. */
export function answerDiff(query: DiffQuery, context: QueryContext): Promise<QueryAnswer<DiffRow>> {
  return composed(context, (counting) => compare(query, counting));
}

async function compare(query: DiffQuery, context: ComposedContext) {
  const { id, days, from, to } = query;
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const { done, failures } = await eachOf(days, (day) =>
    rowsOf(context, observations, { id, as_of: day, ...range }),
  );
  const shown = { object: 'diff', ...diffLayout } as const;
  const [failure] = failures;
  if (failure !== undefined) return { ...shown, rows: [], failures: [{ id, error: failure.error }] };
  await noteBasis([{ id }], days, context);
  const [before = [], after = []] = done;
  return { ...shown, rows: differences(id, before, after), failures: [] };
}

/** How many requests a diff takes, in words. */
export function estimateDiff({ id, days }: DiffQuery, context: QueryContext): Promise<string> {
  return estimated(context, async (counting) => {
    const pages = await pagesExpected({ id }, counting);
    const checks = (context.note === undefined ? 0 : 1) + counting.checks();
    return `this diff takes about ${days.length * pages + checks} requests`;
  });
}

/** The dates for which two answers have different numbers, or that only one of them has. */
function differences(
  id: string,
  before: readonly ObservationRow[],
  after: readonly ObservationRow[],
): readonly DiffRow[] {
  const [old, now] = [valuesByDate(before), valuesByDate(after)];
  const dates = [...new Set([...old.keys(), ...now.keys()])].sort().reverse();
  return dates.flatMap((date) => {
    const [was, is] = [old.get(date) ?? null, now.get(date) ?? null];
    if (sameNumber(was, is)) return [];
    const change = was === null || is === null ? { change: null, percent: null } : changeBetween(was, is);
    const kind = was === null ? 'added' : is === null ? 'withdrawn' : 'revised';
    return [{ series_id: id, date, old: was, new: is, ...change, kind }];
  });
}

function valuesByDate(rows: readonly ObservationRow[]): ReadonlyMap<Day, string> {
  return new Map(rows.map(({ date, value }) => [date, value]));
}
