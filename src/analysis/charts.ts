import { earlier } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Cell, Row } from '../operations/envelope.ts';
import type { ChartMark, ChartSummary, Drawing } from '../render/chart/drawing.ts';
import type { QueryContext } from './answer.ts';
import { descriptionOf } from './coverage.ts';
import type { QueryParams, RevisionsQuery, YieldCurveQuery } from './query.ts';
import { listed, type ResolvedSeries } from './series-ids.ts';

/** The most lines that people can tell apart. */
const mostLines = 8;

/** The drawing of series over their dates: lines of one unit share a scale, each other unit has its own panel. */
export async function observationsDrawing(
  series: readonly ResolvedSeries[],
  { release }: QueryParams,
  context: QueryContext,
): Promise<Drawing> {
  if (series.length > mostLines)
    throw new Problem('bad-input', `a chart shows at most ${mostLines} series, not ${series.length}`, {
      hints: ['name fewer ids', 'a panel puts any number side by side'],
    });
  const ids = series.map(({ id }) => id);
  const about = new Map<string, Row | undefined>();
  for (const one of series) about.set(one.id, await descriptionOf(one, context));
  /** The series with values, or all where none has any. */
  const seen = ({ lines }: ChartSummary) => {
    const found = ids.filter((id) => lines.includes(id));
    return found.length === 0 ? ids : found;
  };
  // A series that does not exist is an error, and not an empty one.
  const empty = (summary: ChartSummary) =>
    ids.filter((id) => about.get(id) !== undefined && !seen(summary).includes(id));
  return {
    axis: 'day',
    form: 'line',
    words: (summary) => ({
      title: titleOfAll(seen(summary), about),
      subtitle: [stateText(summary, release === 'first'), ...emptyText(empty(summary))].join('; '),
    }),
    key: (summary) => {
      const ids = seen(summary);
      return ids.length === 1 ? [] : ids.flatMap((id) => named(id, about.get(id)));
    },
    marks: (row) => [observationMark(row, row.date)],
  };
}

/** As of which date, or of which publication, the values are. */
function stateText({ asOf, published }: ChartSummary, isFirst: boolean): string {
  const newest = published === undefined ? '' : `, the newest published on ${published}`;
  if (isFirst) return `First releases${asOf === undefined ? newest : `, as known on ${asOf}`}`;
  return asOf === undefined ? `Latest values${newest}` : `As known on ${asOf}`;
}

/** An observation as a mark at a day. */
function observationMark(row: Row, day: Row[string] | undefined): ChartMark {
  const { series_id, unit, frequency, value = null } = row;
  const id = String(series_id ?? '');
  return {
    line: id,
    label: id,
    unit: String(unit ?? ''),
    frequency: String(frequency ?? ''),
    at: String(day),
    value,
  };
}

function named(id: string, row: Row | undefined): readonly (readonly [string, string])[] {
  const title = titleOf(id, row);
  return title === undefined ? [] : [[id, title]];
}

/** One series with its title; several as their ids, since the key has their titles. */
function titleOfAll(ids: readonly string[], about: ReadonlyMap<string, Row | undefined>): string {
  const [id = '', ...others] = ids;
  return others.length === 0 ? titled(id, about.get(id)) : listed(ids, 'and');
}

function emptyText(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [] : [`none of ${listed(ids, 'and')}`];
}

/** The title of a series, where it has one that is not just its id. */
function titleOf(id: string, row: Row | undefined): string | undefined {
  const title = row?.title;
  return typeof title !== 'string' || title === '' || title === id ? undefined : title;
}

/** The id of a series with its title, where it has one. */
function titled(id: string, row: Row | undefined): string {
  const title = titleOf(id, row);
  return title === undefined ? id : `${id}: ${title}`;
}

/** The drawing of the value of one date over the dates on which it was published, as steps. */
export async function revisionsDrawing(
  { id, date }: RevisionsQuery,
  context: QueryContext,
): Promise<Drawing> {
  const series = await descriptionOf({ id }, context);
  const covered = typeof series?.covered_to === 'string' ? series.covered_to : undefined;
  return {
    axis: 'day',
    form: 'steps',
    // After the day to which the series is covered, the value may be another one.
    until: ({ asOf }) =>
      asOf !== undefined && covered !== undefined ? earlier(asOf, covered) : (asOf ?? covered),
    words: ({ asOf, published }) => ({
      title: titled(id, series),
      // Without an as-of date the last value is drawn to the end of what is covered.
      subtitle: `The value for ${date} as it was published${upTo(asOf ?? (published && covered) ?? published)}`,
    }),
    key: () => [],
    marks: (row) => [observationMark(row, row.as_of_date)],
  };
}

function upTo(day: string | undefined): string {
  return day === undefined ? '' : `, up to ${day}`;
}

/** The drawing of the distance between two treasury rates over time. */
export function spreadDrawing({ curve_type }: QueryParams): Drawing {
  const name = curveName(curve_type);
  return {
    axis: 'day',
    form: 'line',
    words: ({ lines }) => ({ title: [name, ...lines].join(': '), subtitle: '' }),
    key: () => [],
    marks: ({ trade_date, spread_bps = null, long_maturity, short_maturity }) => [
      {
        line: 'spread',
        label: `${long_maturity} less ${short_maturity}`,
        unit: 'Basis points',
        frequency: 'D',
        at: String(trade_date),
        value: spread_bps,
      },
    ],
  };
}

/** The name of a kind of curve in the title of a chart. */
function curveName(type: unknown): string {
  return type === 'TIPS' ? 'Treasury real yield curve (TIPS)' : 'Treasury par yield curve';
}

/** The drawing of one or two curves over their maturities. */
export function curveDrawing({ curveType, vs }: YieldCurveQuery): Drawing {
  const title = curveName(curveType);
  return {
    axis: 'maturity',
    form: 'line',
    words: ({ lines }) => ({ title, subtitle: lines.join(' and ') }),
    key: () => [],
    marks: vs === undefined ? ownMarks : (row) => [...ownMarks(row), ...otherMarks(row)],
  };
}

function ownMarks(row: Row): readonly ChartMark[] {
  return marksOf(row, 'rate', row.trade_date, row.rate);
}

function otherMarks(row: Row): readonly ChartMark[] {
  return marksOf(row, 'vs_rate', row.vs_trade_date, row.vs_rate);
}

/** A day without a curve makes no line. */
function marksOf(
  { maturity }: Row,
  line: string,
  day: Cell | undefined,
  rate: Cell | undefined,
): readonly ChartMark[] {
  if (typeof day !== 'string') return [];
  return [{ line, label: day, unit: 'Percent', frequency: '', at: String(maturity), value: rate ?? null }];
}
