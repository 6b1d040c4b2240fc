import type { Ask } from '../../answering/answer.ts';
import { descriptionOf, kindTexts } from '../../answering/notes.ts';
import { transformationIn } from '../../answering/question.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { nameOfSeries, unitText } from '../../domain/series/transformation.ts';
import { type Day, earlier } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { ChartMark, ChartSummary, Drawing } from '../../operations/drawing.ts';
import type { Row } from '../../operations/envelope.ts';
import { dayOfKnown } from '../../operations/param.ts';
import type { NamedValues, Version } from '../../operations/value.ts';
import type { RealTimePanelQuery } from './panel-rows.ts';
import { panelSeries } from './real-time-panel.ts';
import { type Horizon, horizonName } from './revision-layouts.ts';

const mostLines = 8;

/** In characters; as many as fit in a line of a picture, with its large letters. */
const longestTitle = 52;

type SeriesView = Pick<Drawing, 'bars' | 'marks' | 'stepped' | 'until'> & {
  readonly state: (summary: ChartSummary) => string;
};

type Describe = (id: Row[string] | undefined) => Row | undefined;

/** Draws series over their dates; lines of one unit share a panel and its scale. */
export async function observationsDrawing(asked: DrawnObservations, context: Ask): Promise<Drawing> {
  return seriesDrawing(await resolveSeries(asked, dayOfKnown(asked), context), asked, context, () => ({
    state: (summary) => stateText(summary, asked.release === 'first'),
    marks: (row) => [observationMark(row, row.date)],
  }));
}

type DrawnObservations = {
  readonly ids: readonly string[];
  readonly skip_missing?: boolean | undefined;
  readonly as_of: Day | undefined;
  readonly known_at?: string | undefined;
  readonly release?: 'first' | undefined;
};

function stateText({ asOf, published }: ChartSummary, isFirst: boolean): string {
  const newest = published === undefined ? '' : `, the newest published on ${published}`;
  if (isFirst) return `First releases${asOf === undefined ? newest : `, as known on ${asOf}`}`;
  return asOf === undefined ? `Latest values${newest}` : `As known on ${asOf}`;
}

/** Draws the newest values known on each day of a rhythm. */
export async function realTimePanelDrawing(query: RealTimePanelQuery, context: Ask): Promise<Drawing> {
  const { as_of_each: each } = query;
  return seriesDrawing(await panelSeries(query, context), query, context, (describe) => ({
    stepped: true,
    state: () => `The newest value known on each ${typeof each === 'string' ? each : 'as-of date'}`,
    marks(row) {
      const { units: unit = '', source } = describe(row.series_id) ?? {};
      return [{ ...observationMark({ ...row, unit }, row.as_of), source }];
    },
  }));
}

/** Draws series, which are described in the units that values ask for. */
async function seriesDrawing(
  series: readonly ResolvedSeries[],
  asked: NamedValues,
  context: Ask,
  viewOf: (describe: Describe) => SeriesView,
): Promise<Drawing> {
  if (series.length > mostLines)
    throw new Problem('bad-input', `a chart shows at most ${mostLines} series, not ${series.length}`, {
      hints: ['name fewer ids', 'a panel in csv has any number side by side'],
    });
  const ids = series.map(nameOfSeries);
  const about = new Map<unknown, Row | undefined>();
  for (const one of series) {
    const row = await descriptionOf(one, context);
    const units = unitText(transformationIn(asked, one)?.units ?? 'lin', String(row?.units ?? ''));
    about.set(nameOfSeries(one), row && { ...row, units });
  }
  const { state, ...view } = viewOf((id) => about.get(id));
  const idsOf = (names: readonly string[]) => [
    ...new Set(series.flatMap((one) => (names.includes(nameOfSeries(one)) ? one.id : []))),
  ];
  const named = (id: string) => {
    const title = about.get(id)?.title;
    return typeof title !== 'string' || title === '' || title === id ? [] : [[id, title] as const];
  };
  /** Splits the title of a chart of one series that would take two lines; its last bracket goes below. */
  const headed = (id: string): { readonly title: string; readonly bracket?: string } => {
    const whole = (named(id)[0] ?? [id]).join(': ');
    const [, title = '', bracket] = /^(.+) \(([^()]+)\)$/.exec(whole) ?? [];
    return whole.length <= longestTitle || bracket === undefined ? { title: whole } : { title, bracket };
  };
  /** Lists the series with values, or all series if none has any. */
  const seen = ({ lines }: ChartSummary) => {
    const found = ids.filter((id) => lines.includes(id));
    return found.length === 0 ? ids : found;
  };
  return {
    axis: 'day',
    ...view,
    words(summary) {
      const shown = seen(summary);
      // A series that does not exist is an error, not an empty line.
      const empty = ids.filter((id) => about.get(id) !== undefined && !shown.includes(id));
      return {
        // The key has the titles of several series.
        title: shown.length === 1 ? headed(shown[0] ?? '').title : listed(shown, 'and'),
        subtitle: [
          state(summary),
          ...kindTexts(idsOf(shown), context),
          ...(empty.length === 0 ? [] : [`none of ${listed(empty, 'and')}`]),
        ],
      };
    },
    key(summary) {
      const shown = seen(summary);
      if (shown.length > 1) return shown.flatMap(named);
      return shown.flatMap((id) => {
        const { bracket } = headed(id);
        return bracket === undefined ? [] : [[id, bracket] as const];
      });
    },
  };
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

/** Draws a date's value over the days on which it was published, as steps. */
export function revisionsDrawing(
  { id, date }: { readonly id: string; readonly date: Day },
  context: Ask,
): Promise<Drawing> {
  return seriesDrawing([{ id }], {}, context, (describe) => {
    const { covered_to: to } = describe(id) ?? {};
    const covered = typeof to === 'string' ? to : undefined;
    return {
      stepped: true,
      // After the end of the coverage the value may have changed.
      until: ({ asOf }) =>
        asOf !== undefined && covered !== undefined ? earlier(asOf, covered) : (asOf ?? covered),
      // Without an as-of date, the last value is drawn to the end of the coverage.
      state: ({ asOf, published }) =>
        `The value for ${date} as it was published${upTo(asOf ?? (published && covered) ?? published)}`,
      marks: (row) => [observationMark(row, row.as_of_date)],
    };
  });
}

type OneSeriesUpTo = { readonly id: string; readonly as_of: Day | undefined };

/** Draws a series' values at some horizons, over its dates. */
export function releasesDrawing(
  { id, as_of: asOf, ...asked }: NamedValues & OneSeriesUpTo,
  horizons: readonly Horizon[],
  context: Ask,
): Promise<Drawing> {
  return seriesDrawing([{ id }], asked, context, (describe) => ({
    state: () => `Values as published: ${listed(horizons.map(spokenHorizon), 'and')}${upTo(asOf)}`,
    marks(row) {
      const { units: unit = '', frequency = '', source } = describe(id) ?? {};
      return horizons.map(horizonName).map((name) => {
        const cells = { series_id: name, unit, frequency, value: row[name] ?? null };
        return { ...observationMark(cells, row.date), source };
      });
    },
  }));
}

function spokenHorizon(horizon: Horizon): string {
  if (horizon.kind === 'final') return 'latest';
  if (horizon.kind === 'after') return `${horizon.days} days after the first`;
  return ['first', 'second', 'third'][horizon.number - 1] ?? `release ${horizon.number}`;
}

function upTo(day: string | undefined): string {
  return day === undefined ? '' : `, up to ${day}`;
}

/** Draws the number of dates that each vintage changed. */
export function vintagesDrawing({ id, as_of: asOf }: OneSeriesUpTo, context: Ask): Promise<Drawing> {
  return seriesDrawing([{ id }], {}, context, (describe) => ({
    bars: true,
    state: () => `Dates that each vintage changed${upTo(asOf)}`,
    marks: (row) =>
      ['added', 'revised', 'withdrawn'].map((change) => {
        // Each has its own scale: a vintage adds one date, and may revise hundreds.
        const cells = { series_id: change, unit: `Dates ${change}`, value: row[change] ?? null };
        const source = describe(id)?.source;
        return { ...observationMark(cells, row.as_of_date), label: '', source };
      }),
  }));
}

type DrawnDays = NamedValues & { readonly days: readonly Version[] };

/** Draws series as of several days, with a line for each series and day. */
export async function versionsDrawing(
  series: readonly ResolvedSeries[],
  { days, ...asked }: DrawnDays,
  context: Ask,
): Promise<Drawing> {
  const count = series.length * days.length;
  if (count > mostLines)
    throw new Problem('bad-input', `a chart shows at most ${mostLines} lines, not ${count}`, {
      hints: ['name fewer ids or days', 'csv has any number side by side'],
    });
  const names = days.map((day) => (day === 'latest' ? 'the latest vintage' : day));
  const { frequency: coarser } = asked;
  return seriesDrawing(series, asked, context, (describe) => ({
    state: () => `As known on ${listed(names, 'and')}`,
    marks(row) {
      const id = String(row.series_id ?? '');
      const { units: unit = '', frequency: own = '', source } = describe(id) ?? {};
      const frequency = typeof coarser === 'string' ? coarser.toUpperCase() : own;
      return days.map((day) => {
        const name = series.length === 1 ? day : `${id} ${day}`;
        const cells = { series_id: name, unit, frequency, value: row[day] ?? null };
        return { ...observationMark(cells, row.date), source: source ?? row.source };
      });
    },
  }));
}
