import { addDays, type Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';

/** What a source names, but does not give as it should. */
export type Outstanding = {
  /** `filing 0000789019-26-000012`, `2017-04-14`. */
  readonly name: string;
  /** The day on which it first failed. */
  readonly since: Day;
  readonly why: string;
};

/** The items to ask for again, and those that have failed for too long. */
export type MissingItems<T = Outstanding> = { readonly left: readonly T[]; readonly givenUp: readonly T[] };

/** A pull asks for an item again in the runs of this number of days. */
const patience = 30;

/** More names would hide what they are about; a message on several lines may have more. */
const mostNamed = 5;
const mostLines = 100;

/** Divides items that failed today: those to ask for again, and those that have failed for too long. */
export function divide<T extends Pick<Outstanding, 'since'>>(
  failed: readonly T[],
  today: Day,
): MissingItems<T> {
  const isLate = ({ since }: T) => today > addDays(since, patience);
  return { left: failed.filter((item) => !isLate(item)), givenUp: failed.filter(isLate) };
}

/** What is missing, in one line; empty if nothing. */
export function missingText({ left, givenUp }: MissingItems): string {
  const given = givenUp.length === 0 ? '' : `given up after ${patience} days: ${named(givenUp)}`;
  return [named(left), given].filter((text) => text !== '').join('; ');
}

function named(items: readonly Outstanding[]): string {
  const shown = items.slice(0, mostNamed).map(({ name, why }) => `${name} (${why})`);
  const more = items.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** The failure of a source that does not give all of a subject; undefined if nothing is missing. */
export function missingProblem(
  { left, givenUp }: MissingItems,
  title: string,
  subject: string,
): Problem | undefined {
  const lines = [
    ...left.map(({ name, since, why }) => `${name}: ${why}; asked for since ${since}`),
    ...givenUp.map(({ name, why }) => `${name}: ${why}; given up after ${patience} days`),
  ];
  if (lines.length === 0) return undefined;
  const again = `asof pull asks for it again, for ${patience} days since it first failed`;
  const more = lines.length > mostLines ? [`… and ${lines.length - mostLines} more`] : [];
  return new Problem('bad-answer', `${title} does not give all of ${subject}; the rest is stored`, {
    hints: [
      ...(left.length > 0 ? [again] : []),
      ...(givenUp.length > 0 ? ['--full asks once more for what was given up'] : []),
    ],
    list: [...lines.slice(0, mostLines), ...more],
  });
}

/** Why a document was refused, without its name. */
export function reasonIn({ detail, refusal }: Problem): string {
  return refusal?.reason ?? detail;
}
