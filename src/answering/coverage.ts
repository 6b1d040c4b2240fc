import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Coverage, Row } from '../operations/envelope.ts';
import { seriesShow } from '../operations/figures.ts';
import type { Ask } from './answer.ts';
import { inexactText } from './basis.ts';
import type { Query } from './question.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** The most series that a note names. */
const mostNamed = 3;

/** Notes which as-of dates are outside of what a series covers, and which answers come from samples. */
export async function noteBasis(
  answered: readonly ResolvedSeries[],
  days: readonly Day[],
  context: Ask,
): Promise<void> {
  await noteOutside(answered, days, context);
  for (const text of sampleTexts(answered, days, context)) context.note?.({ kind: 'sampled', text });
}

/**
 * Notes which as-of dates are before the first vintage of a series, or after the last day that it covers. Stops at
 * the first series whose coverage the service does not state: it then states none.
 */
export async function noteOutside(
  answered: readonly ResolvedSeries[],
  days: readonly Day[],
  context: Ask,
): Promise<void> {
  const { note } = context;
  if (days.length === 0 || note === undefined) return;
  const outside: string[] = [];
  for (const one of answered) {
    const { id } = one;
    const series = boundsIn(one, days, context) ?? (await descriptionOf(one, context));
    if (series === undefined || !saysCoverage(series)) break;
    outside.push(...outsideTexts(id, series, days));
  }
  const more = outside.length - mostNamed;
  const texts =
    more <= 0
      ? outside
      : [
          `${outside.slice(0, mostNamed).join(', ')}, and ${more} more series ${more === 1 ? 'does' : 'do'} not cover ${days.join(' or ')}`,
        ];
  for (const text of texts) note({ kind: 'outside coverage', text });
}

/** The coverage of a series, if the answers so far stated what these days need. */
function boundsIn({ id }: ResolvedSeries, days: readonly Day[], { basis }: Ask): Row | undefined {
  const vintages = days.flatMap((day) => basis.vintageOn(id, day) ?? []);
  const coveredTo = basis.coveredTo(id);
  if (vintages.length < days.length || coveredTo === undefined) return undefined;
  const last = [...days].sort().at(-1) ?? '';
  const covered_to = basis.reaches(id, last) ? last : coveredTo;
  const before = vintages.filter(
    ({ as_of_date, vintage_kind }) => as_of_date === null && vintage_kind === '',
  );
  // On which day it begins is known if any of the days is later.
  if (before.length > 0 && before.length < days.length) return undefined;
  return { first_vintage: before.length > 0 ? unknownLater : null, covered_to };
}

/** Stands for the first vintage of a series that begins after all days of an answer. */
const unknownLater = '~';

/** Says for each series and day that its answer is from a sample; for many series only names some. */
function sampleTexts(
  answered: readonly ResolvedSeries[],
  days: readonly Day[],
  { basis }: Ask,
): readonly string[] {
  const found = answered.flatMap(({ id }) => {
    const texts = days.flatMap((day) => {
      const vintage = basis.vintageOn(id, day);
      // What was fetched on the day itself is what was known then, and about an unknown vintage there is nothing to
      // say.
      if (vintage === undefined || vintage.vintage_kind === 'unknown') return [];
      if (vintage.vintage_kind === 'fetched' && vintage.as_of_date === day) return [];
      return inexactText(id, day, vintage) ?? [];
    });
    return texts.length === 0 ? [] : [{ id, texts }];
  });
  if (found.length <= mostNamed) return found.flatMap(({ texts }) => texts);
  const named = found.slice(0, mostNamed).map(({ id }) => id);
  const more = found.length - mostNamed;
  return [
    `${named.join(', ')}, and ${more} more series are not exact: their vintages are not days of publication`,
  ];
}

/** The description of a series, requested once; undefined if the request fails, which is noted. */
export async function descriptionOf(
  { id, row }: ResolvedSeries,
  { client, signal, note }: Ask,
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

/** Whether a description states the coverage; another service may not. */
function saysCoverage({ first_vintage, covered_to }: Row): boolean {
  return dayIn(first_vintage) !== '' || dayIn(covered_to) !== '';
}

/** What some of the days exceed of the coverage of a series; names no day after them. */
function outsideTexts(id: string, row: Row, days: readonly Day[]): readonly string[] {
  const [first, to, last] = [dayIn(row.first_vintage), dayIn(row.covered_to), [...days].sort().at(-1) ?? ''];
  if (first > last) return [`${id} has no vintage up to ${last}`];
  const bounds = [
    ...(first !== '' && days.some((day) => day < first) ? [`from ${first}`] : []),
    ...(to !== '' && last > to ? [`to ${to}`] : []),
  ];
  return bounds.length === 0 ? [] : [`${id} is covered ${bounds.join(' ')}`];
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

/** The last day on which the contents of an answer were known; undefined for the newest data. */
export function knowledgeDay({ question, values }: Query): Day | undefined {
  return question.knownOn?.(values);
}
