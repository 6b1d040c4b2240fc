import type { Ask } from '../../answering/answer.ts';
import { descriptionOf, kindTexts } from '../../answering/notes.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { type Day, earlier } from '../../domain/series/date.ts';
import { type Horizon, horizonName } from '../../domain/series/releases.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import { unitText } from '../../domain/series/units.ts';
import { Problem } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { ChartMark, ChartSummary, Drawing } from '../../operations/drawing.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Version } from '../../operations/value.ts';
import type { RealTimePanelQuery } from './panel-rows.ts';
import { panelSeries } from './real-time-panel.ts';

const mostLines = 8;

type SeriesView = {
  /** What the values are. */
  readonly state: (summary: ChartSummary) => string;
  readonly mark: (row: Row, about: Row | undefined) => ChartMark;
};

/** The drawing of series over their dates: lines of one unit share a scale, each other unit has its own panel. */
export async function observationsDrawing(asked: DrawnObservations, context: Ask): Promise<Drawing> {
  return seriesDrawing(await resolveSeries(asked, asked.as_of, context), context, {
    state: (summary) => stateText(summary, asked.release === 'first'),
    mark: (row) => observationMark(row, row.date),
  });
}

type DrawnObservations = {
  readonly ids: readonly string[];
  readonly skip_missing?: boolean | undefined;
  readonly as_of: Day | undefined;
  readonly release?: 'first' | undefined;
};

/** The drawing of the newest values known on each day of a rhythm, over those days. */
export async function realTimePanelDrawing(query: RealTimePanelQuery, context: Ask): Promise<Drawing> {
  const { as_of_each: each, transformation } = query;
  return seriesDrawing(await panelSeries(query, context), context, {
    state: () => `The newest value known on each ${typeof each === 'string' ? each : 'as-of date'}`,
    mark(row, about) {
      const units = transformation?.units ?? 'lin';
      const unit = unitText(units, String(about?.units ?? ''));
      const mark = observationMark({ ...row, unit }, row.as_of);
      return { ...mark, source: about?.source };
    },
  });
}

async function seriesDrawing(
  series: readonly ResolvedSeries[],
  context: Ask,
  { state, mark }: SeriesView,
): Promise<Drawing> {
  if (series.length > mostLines)
    throw new Problem('bad-input', `a chart shows at most ${mostLines} series, not ${series.length}`, {
      hints: ['name fewer ids', 'a panel in csv has any number side by side'],
    });
  const ids = series.map(({ id }) => id);
  const about = new Map<string, Row | undefined>();
  for (const one of series) about.set(one.id, await descriptionOf(one, context));
  /** The series with values, or all series if none has any. */
  const seen = ({ lines }: ChartSummary) => {
    const found = ids.filter((id) => lines.includes(id));
    return found.length === 0 ? ids : found;
  };
  // A series that does not exist is an error, not an empty line.
  const empty = (summary: ChartSummary) =>
    ids.filter((id) => about.get(id) !== undefined && !seen(summary).includes(id));
  return {
    axis: 'day',
    words: (summary) => ({
      title: titleOfAll(seen(summary), about),
      subtitle: [state(summary), ...kindTexts(seen(summary), context), ...emptyText(empty(summary))],
    }),
    key: (summary) => {
      const ids = seen(summary);
      return ids.length === 1 ? [] : ids.flatMap((id) => named(id, about.get(id)));
    },
    marks: (row) => [mark(row, about.get(String(row.series_id)))],
  };
}

function stateText({ asOf, published }: ChartSummary, isFirst: boolean): string {
  const newest = published === undefined ? '' : `, the newest published on ${published}`;
  if (isFirst) return `First releases${asOf === undefined ? newest : `, as known on ${asOf}`}`;
  return asOf === undefined ? `Latest values${newest}` : `As known on ${asOf}`;
}

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

/** One series with its title; several by their ids, because the key has their titles. */
function titleOfAll(ids: readonly string[], about: ReadonlyMap<string, Row | undefined>): string {
  const [id = '', ...others] = ids;
  return others.length === 0 ? titled(id, about.get(id)) : listed(ids, 'and');
}

function emptyText(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [] : [`none of ${listed(ids, 'and')}`];
}

function titleOf(id: string, row: Row | undefined): string | undefined {
  const title = row?.title;
  return typeof title !== 'string' || title === '' || title === id ? undefined : title;
}

function titled(id: string, row: Row | undefined): string {
  const title = titleOf(id, row);
  return title === undefined ? id : `${id}: ${title}`;
}

/** The drawing of the value of one date over the dates on which it was published, as steps. */
export async function revisionsDrawing(
  { id, date }: { readonly id: string; readonly date: Day },
  context: Ask,
): Promise<Drawing> {
  const series = await descriptionOf({ id }, context);
  const covered = typeof series?.covered_to === 'string' ? series.covered_to : undefined;
  return {
    axis: 'day',
    stepped: true,
    // After the day to which the series is covered, the value may have changed.
    until: ({ asOf }) =>
      asOf !== undefined && covered !== undefined ? earlier(asOf, covered) : (asOf ?? covered),
    words: ({ asOf, published }) => ({
      title: titled(id, series),
      // Without an as-of date, the last value is drawn to the end of the coverage.
      subtitle: [
        `The value for ${date} as it was published${upTo(asOf ?? (published && covered) ?? published)}`,
        ...kindTexts([id], context),
      ],
    }),
    marks: (row) => [observationMark(row, row.as_of_date)],
  };
}

/** The drawing of the values of a series at some horizons, over its dates. */
export async function releasesDrawing(
  { id, as_of: asOf }: { readonly id: string; readonly as_of: Day | undefined },
  horizons: readonly Horizon[],
  units: Transformation | undefined,
  context: Ask,
): Promise<Drawing> {
  const series = await descriptionOf({ id }, context);
  return {
    axis: 'day',
    words: () => ({
      title: titled(id, series),
      subtitle: [
        `Values at ${listed(horizons.map(horizonName), 'and')}${upTo(asOf)}`,
        ...kindTexts([id], context),
      ],
    }),
    marks: (row) =>
      horizons.map((horizon) => {
        const name = horizonName(horizon);
        const { units: published = '', frequency = '', source } = series ?? {};
        const unit = units === undefined ? published : unitText(units.units, String(published));
        const about = { series_id: name, unit, frequency, value: row[name] ?? null };
        return { ...observationMark(about, row.date), source };
      }),
  };
}

function upTo(day: string | undefined): string {
  return day === undefined ? '' : `, up to ${day}`;
}

/** The drawing of how many dates each vintage of a series changed. */
export async function vintagesDrawing(
  { id, as_of: asOf }: { readonly id: string; readonly as_of: Day | undefined },
  context: Ask,
): Promise<Drawing> {
  const series = await descriptionOf({ id }, context);
  return {
    axis: 'day',
    words: () => ({
      title: titled(id, series),
      subtitle: [`Dates that each vintage changed${upTo(asOf)}`, ...kindTexts([id], context)],
    }),
    marks: (row) =>
      ['added', 'revised', 'withdrawn'].map((change) => ({
        line: change,
        label: change,
        unit: 'Number of dates',
        frequency: '',
        at: String(row.as_of_date),
        value: row[change] ?? null,
      })),
  };
}

/** What is drawn: the days, the column with the values of each, and how these are transformed. */
type DrawnDays = {
  readonly days: readonly Version[];
  readonly columns: readonly string[];
  readonly transformation: Transformation | undefined;
};

/** The drawing of series as of several days over their dates, with a line for each series and day. */
export async function versionsDrawing(
  series: readonly ResolvedSeries[],
  { days, columns, transformation }: DrawnDays,
  context: Ask,
): Promise<Drawing> {
  const count = series.length * days.length;
  if (count > mostLines)
    throw new Problem('bad-input', `a chart shows at most ${mostLines} lines, not ${count}`, {
      hints: ['name fewer ids or days', 'csv has any number side by side'],
    });
  const about = new Map<string, Row | undefined>();
  for (const one of series) about.set(one.id, await descriptionOf(one, context));
  const ids = series.map(({ id }) => id);
  return {
    axis: 'day',
    words: () => ({
      title: titleOfAll(ids, about),
      subtitle: [
        `As known on ${listed(
          days.map((day) => (day === 'latest' ? 'the latest vintage' : day)),
          'and',
        )}`,
        ...kindTexts(ids, context),
      ],
    }),
    marks(row) {
      const id = String(row.series_id ?? '');
      const { units = '', frequency: own = '', source } = about.get(id) ?? {};
      const unit = unitText(transformation?.units ?? 'lin', String(units));
      const frequency = transformation?.aggregation?.frequency.toUpperCase() ?? own;
      return days.map((day, i) => {
        const name = ids.length === 1 ? day : `${id} ${day}`;
        const cells = { series_id: name, unit, frequency, value: row[columns[i] ?? ''] ?? null };
        return { ...observationMark(cells, row.date), source: source ?? row.source };
      });
    },
  };
}
