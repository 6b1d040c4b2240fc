import { changeBetween, rescalingOf } from '../domain/series/arithmetic.ts';
import type { Day } from '../domain/series/date.ts';
import { sameNumber } from '../domain/series/decimal.ts';
import { counted } from '../errors/wording.ts';
import { observations } from '../operations/figures.ts';
import type { ObservationRow } from '../operations/observations.ts';
import { commandNaming } from '../operations/operation.ts';
import { explainSeries, type QueryAnswer, type QueryContext, rowsOf } from './answer.ts';
import { type ComposedContext, composed, eachOf, estimated, pagesExpected } from './composed.ts';
import { knowledgeDay, noteBasis } from './coverage.ts';
import { type DiffRow, diffLayout } from './layouts.ts';
import { requireOneFrequency } from './one-frequency.ts';
import { undescribed } from './panel.ts';
import type { DiffQuery } from './query.ts';
import { resolveSeries } from './series-ids.ts';

/** What two as-of dates disagree on: series by series, newest date first. */
export function answerDiff(query: DiffQuery, context: QueryContext): Promise<QueryAnswer<DiffRow>> {
  return composed(context, (counting) => compare(query, counting));
}

async function compare(query: DiffQuery, context: ComposedContext) {
  const { days, from, to, allRows } = query;
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const all = await resolveSeries({ ...query, asOf: knowledgeDay(query) }, context);
  const done = await eachOf(all, context, async (series) => {
    const { id } = series;
    const [before = [], after = []] = await Promise.all(
      days.map((day) =>
        rowsOf(context, observations, { id, ...(day !== 'latest' && { as_of: day }), ...range }),
      ),
    );
    const versions = days.map((day, i) => ({ day, rows: i === 0 ? before : after }));
    await requireOneFrequency(series, versions, query.transformation, context);
    const unit = (before[0] ?? after[0])?.unit ?? '';
    return { series, unit, rows: compared(id, before, after) };
  });
  await noteBasis(
    done.map(({ series }) => series),
    days.filter((day) => day !== 'latest'),
    context,
  );
  const [first, second] = days;
  if (first > second)
    context.note?.({
      kind: 'remark',
      text: `${second} is earlier than ${first}: changes are shown back in time`,
    });
  for (const { series, unit, rows } of done) noteRescaling({ id: series.id, unit }, rows, context);
  const rows = done.flatMap((one) => one.rows);
  if (rows.length === 0) await explainSeries(done, query, context);
  const differing = rows.filter(({ kind }) => kind !== 'unchanged');
  return {
    object: 'diff',
    ...diffLayout,
    rows: allRows ? rows : differing,
    differs: differing.length > 0,
  } as const;
}

/** The number of requests that a diff takes, in words. */
export function estimateDiff(query: DiffQuery, context: QueryContext): Promise<string> {
  return estimated(context, async (counting) => {
    const series = await resolveSeries({ ...query, asOf: knowledgeDay(query) }, counting);
    const pages = await Promise.all(series.map((one) => pagesExpected(one, counting)));
    const described = context.note === undefined ? 0 : undescribed(series);
    const values = query.days.length * pages.reduce((sum, count) => sum + count, 0);
    return `this diff takes about ${counted(values + described + counting.checks(), 'request')}`;
  });
}

/** Every date that either answer has, newest first. */
function compared(
  id: string,
  before: readonly ObservationRow[],
  after: readonly ObservationRow[],
): readonly DiffRow[] {
  const [old, now] = [valuesByDate(before), valuesByDate(after)];
  const dates = [...new Set([...old.keys(), ...now.keys()])].sort().reverse();
  return dates.map((date) => {
    const [was, is] = [old.get(date) ?? null, now.get(date) ?? null];
    const change = was === null || is === null ? { change: null, percent: null } : changeBetween(was, is);
    return { series_id: id, date, old: was, new: is, ...change, kind: kindOf(was, is) };
  });
}

function kindOf(was: string | null, is: string | null): string {
  if (was === null) return 'added';
  if (is === null) return 'withdrawn';
  return sameNumber(was, is) ? 'unchanged' : 'revised';
}

function valuesByDate(rows: readonly ObservationRow[]): ReadonlyMap<Day, string> {
  return new Map(rows.map(({ date, value }) => [date, value]));
}

/**
 * Notes that all values changed by about the same factor. A store has one unit for all vintages, so the note leaves
 * the reason open.
 */
export function noteRescaling(
  { id, unit }: { readonly id: string; readonly unit: string },
  rows: readonly Pick<DiffRow, 'new' | 'old'>[],
  { note, naming = commandNaming }: QueryContext,
): void {
  if (note === undefined) return;
  const pairs = rows.flatMap((row) =>
    row.old === null || row.new === null ? [] : [{ old: row.old, new: row.new }],
  );
  const rescaling = rescalingOf(pairs, unit);
  if (rescaling === undefined) return;
  const factors = new Set([rescaling.least, rescaling.most].map((factor) => String(+factor.toPrecision(4))));
  note({
    kind: 'rescaled',
    text:
      `${id}: the new ${count(rescaling.count)} ${[...factors].join(' to ')} times the old; ` +
      `if units or base year changed, compare growth rates, not levels (${naming.param('units', 'pch')})`,
  });
}

function count(dates: number): string {
  return dates === 1 ? 'value of the only common date is' : `values of all ${dates} common dates are`;
}
