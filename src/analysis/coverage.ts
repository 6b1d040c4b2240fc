import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Coverage, Row } from '../operations/envelope.ts';
import { seriesShow } from '../operations/index.ts';
import type { QueryContext } from './answer.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** The most series that a note names. */
const mostNamed = 3;

/**
 * Notes which as-of dates are before the first vintage of a series, or after the last day that the store covers. The
 * answer is the same where the service does not say it: no more is asked after the first series that it does not say it of.
 */
export async function noteOutside(
  answered: readonly ResolvedSeries[],
  days: readonly Day[],
  context: QueryContext,
): Promise<void> {
  const { note } = context;
  if (days.length === 0 || note === undefined) return;
  const outside: string[] = [];
  for (const one of answered) {
    const { id } = one;
    const series = await descriptionOf(one, context);
    if (series === undefined || !saysCoverage(series)) break;
    const bounds = boundsPassed(series, days);
    if (bounds.length > 0) outside.push(`${id} is covered ${bounds.join(' ')}`);
  }
  const more = outside.length - mostNamed;
  const texts =
    more <= 0
      ? outside
      : [
          `${outside.slice(0, mostNamed).join(', ')}, and ${more} more series do not cover ${days.join(' or ')}`,
        ];
  for (const text of texts) note({ kind: 'outside coverage', text });
}

/** The description of a series, asked for once; undefined where it cannot be had, which is noted. */
export async function descriptionOf(
  { id, row }: ResolvedSeries,
  { client, signal, note }: QueryContext,
): Promise<Row | undefined> {
  if (row !== undefined) return row;
  try {
    return (await client.ask(seriesShow, [['id', id]], { once: true })).results[0];
  } catch (error) {
    if (!(error instanceof Problem) || signal.aborted) throw error;
    note?.({ kind: 'unknown', text: `no description of ${id}: ${error.detail}` });
    return undefined;
  }
}

/** Another service may say nothing of what its series cover. */
function saysCoverage({ first_vintage, covered_to }: Row): boolean {
  return dayIn(first_vintage) !== '' || dayIn(covered_to) !== '';
}

/** The bounds of what is known of a series that any of the days is outside of. */
function boundsPassed(row: Row, days: readonly Day[]): readonly string[] {
  const [first, last] = [dayIn(row.first_vintage), dayIn(row.covered_to)];
  return [
    ...(first !== '' && days.some((day) => day < first) ? [`from ${first}`] : []),
    ...(last !== '' && days.some((day) => day > last) ? [`to ${last}`] : []),
  ];
}

/** What a series covers, in words: `first vintage 1991-12-04, last 2024-12-19, …`. */
export function coverageText({ first_vintage, last_vintage, first_date, covered_to }: Coverage): string {
  return [
    `first vintage ${dayIn(first_vintage)}`,
    `last ${dayIn(last_vintage)}`,
    ...(first_date === null ? [] : [`dates from ${dayIn(first_date)}`]),
    `covered to ${dayIn(covered_to)}`,
  ].join(', ');
}

function dayIn(cell: unknown): string {
  return String(cell ?? '');
}
