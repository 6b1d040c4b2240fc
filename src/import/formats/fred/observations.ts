import type { Day } from '../../../domain/series/date.ts';
import { parseSeriesId, type SeriesMetadata } from '../../../domain/series/series.ts';
import type { Statement } from '../../../domain/series/statement.ts';
import { type Format, type ReadOptions, refusal, type SourceFile } from '../format.ts';
import { type Answer, endless, readAnswer } from './intervals.ts';
import { holdsSeries, readFredSeries } from './series.ts';

const batchSize = 5000;

/**
 * FRED API `series/observations` with real-time periods: each row states its value on the day its period begins.
 * The answer does not name its series: `--series` does, or the description that lies beside it.
 */
export const fredApi: Format = {
  kind: 'fred-api',
  summary: 'FRED API observations (JSON with real-time periods)',
  source: 'FRED',
  whole: false,
  takesAsOf: false,
  takesSeries: true,
  recognise: (head) =>
    /^\s*\{/.test(head) && /(?<!\\)"observations"\s*:\s*\[/.test(head) && /"realtime_start"\s*:/.test(head),
  async *read(file, options) {
    const answer = await readAnswer(file);
    const { seriesId, metadata } = await seriesOf(file, options);
    yield { metadata, coverage: [{ seriesId, coveredTo: coveredTo(answer) }] };
    for (let start = 0; start < answer.rows.length; start += batchSize) {
      yield {
        statements: answer.rows
          .slice(start, start + batchSize)
          .map(({ date, start: asOf, value }): Statement => ({ seriesId, date, asOf, value })),
      };
    }
  },
};

/** An answer without an end speaks up to its last change: when it was asked, it does not say. */
function coveredTo({ end, rows }: Answer): Day {
  if (end !== endless) return end;
  let last = '';
  for (const { start } of rows) if (start > last) last = start;
  return last;
}

type Named = { readonly seriesId: string; readonly metadata: readonly SeriesMetadata[] };

async function seriesOf(file: SourceFile, options: ReadOptions): Promise<Named> {
  if (options.series !== undefined) {
    const seriesId = parseSeriesId(options.series);
    if (seriesId !== undefined) return { seriesId, metadata: [] };
    throw refusal(file, { value: options.series }, 'not a series id');
  }
  const candidates = await describedBeside(file);
  const named = candidates.filter(({ seriesId }) => leads(seriesId, file.name));
  const [only, ...others] = named.length > 0 ? named : candidates;
  if (only !== undefined && others.length === 0 && (named.length > 0 || !leadsWithAnId(file.name))) {
    return { seriesId: only.seriesId, metadata: [only] };
  }
  const found = candidates.map(({ seriesId }) => seriesId).join(', ');
  const beside =
    found === '' ? 'no series description lies beside it' : `beside it lies what describes ${found}`;
  throw refusal(file, {}, `the answer does not name its series, and ${beside}; say --series ID`);
}

/** The series that files beside this one describe, each alone in its file. */
async function describedBeside(file: SourceFile): Promise<readonly SeriesMetadata[]> {
  const described = new Map<string, SeriesMetadata>();
  for (const sibling of await file.siblings()) {
    if (!/\.json$/i.test(sibling.name)) continue;
    if (!holdsSeries((await sibling.head()).toString('latin1'))) continue;
    const [series, ...others] = await readFredSeries(sibling);
    if (series !== undefined && others.length === 0) described.set(series.seriesId, series);
  }
  return [...described.values()];
}

/** Whether a file's name begins with an id: `GDP-observations.json` with GDP, and not with GD. */
function leads(seriesId: string, name: string): boolean {
  const upper = name.toUpperCase();
  return upper.startsWith(seriesId) && !/[A-Z0-9]/.test(upper.charAt(seriesId.length));
}

/** Whether a name begins with what looks like an id of its own, so that a neighbour's id may not be taken for it. */
function leadsWithAnId(name: string): boolean {
  return /^[A-Z][A-Z0-9]+(?![A-Za-z0-9])/.test(name);
}
