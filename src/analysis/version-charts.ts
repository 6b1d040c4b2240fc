import { unitText } from '../domain/series/units.ts';
import { Problem } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import type { Version } from '../operations/value.ts';
import type { Drawing } from '../render/chart/drawing.ts';
import type { QueryContext } from './answer.ts';
import { kindTexts, mostLines, observationMark, titleOfAll } from './charts.ts';
import { descriptionOf } from './coverage.ts';
import type { VersionsQuery } from './query.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** The drawing of series as of several days over their dates, with a line for each series and day. */
export async function versionsDrawing(
  series: readonly ResolvedSeries[],
  { days, compared, transformation }: VersionsQuery,
  context: QueryContext,
): Promise<Drawing> {
  const count = series.length * days.length;
  if (count > mostLines)
    throw new Problem('bad-input', `a chart shows at most ${mostLines} lines, not ${count}`, {
      hints: ['name fewer ids or days', 'csv has any number side by side'],
    });
  const about = new Map<string, Row | undefined>();
  for (const one of series) about.set(one.id, await descriptionOf(one, context));
  const ids = series.map(({ id }) => id);
  const columns: readonly string[] = compared ? ['value', 'vs_value'] : days;
  return {
    axis: 'day',
    form: 'line',
    words: () => ({
      title: titleOfAll(ids, about),
      subtitle: [
        `As known on ${listed(days.map(dayText), 'and')}`,
        ...kindTexts(ids, (id) =>
          days
            .map((day) => context.basis.vintageOn(id, day === 'latest' ? undefined : day)?.vintage_kind)
            .join('; '),
        ),
      ].join('; '),
    }),
    key: () => [],
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

/** A day in a sentence about what was known then. */
function dayText(day: Version): string {
  return day === 'latest' ? 'the latest vintage' : day;
}
