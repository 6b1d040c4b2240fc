import type { Coverage, Row } from '../../operations/envelope.ts';
import { seriesShow } from '../../operations/index.ts';
import type { Wanted } from '../options/ids.ts';
import { type KnowledgeFlags, knowledgeDay } from '../options/knowledge.ts';
import type { Question } from './answer.ts';
import type { Session } from './session.ts';

/** So many series are named; of more, a few and their number. */
const mostNamed = 3;

/** Says when days of knowledge lie before a series' first vintage, or after the last day that the store speaks for. */
export async function noteCoverage(
  answered: readonly Wanted[],
  days: readonly string[],
  { client, talk }: Pick<Session, 'client' | 'talk'>,
): Promise<void> {
  if (days.length === 0 || !talk.notes) return;
  const outside: string[] = [];
  for (const { id, row } of answered) {
    const series = row ?? (await client.ask(seriesShow, [['id', id]])).results[0];
    const bounds = series === undefined ? [] : boundsPassed(series, days);
    if (bounds.length > 0) outside.push(`${id} is covered ${bounds.join(' ')}`);
  }
  if (outside.length <= mostNamed) for (const line of outside) talk.note(`asof: ${line}`);
  else {
    const named = outside.slice(0, mostNamed).join(', ');
    talk.note(
      `asof: ${named}, and ${outside.length - mostNamed} more series do not cover ${days.join(' or ')}`,
    );
  }
}

/** The same of the day of knowledge that flags name which are no parameters of the operation. */
export async function noteKnowledgeDay(
  answered: readonly Question[],
  flags: KnowledgeFlags,
  session: Session,
): Promise<void> {
  const asOf = knowledgeDay(flags, session.io, session.talk);
  if (asOf === undefined) return;
  await noteCoverage(
    answered.map(({ label }) => ({ id: label })),
    [asOf],
    session,
  );
}

/** The bounds of what is known of a series that any of the days lies beyond. */
function boundsPassed(row: Row, days: readonly string[]): readonly string[] {
  const [first, last] = [dayIn(row.first_vintage), dayIn(row.covered_to)];
  return [
    ...(first !== '' && days.some((day) => day < first) ? [`from ${first}`] : []),
    ...(last !== '' && days.some((day) => day > last) ? [`to ${last}`] : []),
  ];
}

/** What the knowledge of a series covers, for people: `first vintage 1991-12-04, last 2024-12-19, …`. */
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
