import { type Recession, recessionsOn } from '../domain/calendar/recessions.ts';
import { addDays, type Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Drawing } from '../operations/drawing.ts';
import { observations } from '../operations/series/observations.ts';
import { defined } from '../platform/defined.ts';
import { type Ask, rowsOf } from './answer.ts';
import type { Query } from './question.ts';

/** FRED's series that is 1 in the months of a recession. */
const indicator = 'USREC';

/** Adds recessions known on the as-of date to a drawing, from USREC or as NBER announced them. */
export async function withRecessions(drawing: Drawing, query: Query, context: Ask): Promise<Drawing> {
  if (drawing.axis !== 'day')
    throw new Problem('bad-input', 'a chart of a yield curve has no dates to shade: leave out --recessions');
  const asOf = query.question.knownOn?.(query.values);
  const stored = await storedRecessions(asOf, context);
  return {
    ...drawing,
    bands: stored ?? recessionsOn(asOf),
    words: (summary) => {
      const { title, subtitle } = drawing.words(summary);
      if (!summary.shaded) return { title, subtitle };
      const from = stored === undefined ? 'as announced by NBER' : `from ${indicator}`;
      const shaded = subtitle.length === 0 ? 'Shaded' : 'shaded';
      return { title, subtitle: [...subtitle, `${shaded}: recessions ${from}`] };
    },
  };
}

async function storedRecessions(
  asOf: Day | undefined,
  context: Ask,
): Promise<readonly Recession[] | undefined> {
  try {
    const rows = await rowsOf(context, observations, { id: indicator, ...defined({ as_of: asOf }) });
    return rows.length === 0 ? undefined : recessionsIn(rows);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** Finds recessions in a monthly series of 1 and 0; one that lasts to the newest month has no last day. */
export function recessionsIn(
  observations: readonly { readonly date: Day; readonly value: string }[],
): readonly Recession[] {
  const ascending = [...observations].sort((a, b) => (a.date < b.date ? -1 : 1));
  const found: { from: Day; to?: Day }[] = [];
  for (const { date, value } of ascending) {
    const open = found.at(-1);
    if (Number(value) === 1) {
      if (open === undefined || open.to !== undefined) found.push({ from: date });
    } else if (open !== undefined && open.to === undefined) open.to = addDays(date, -1);
  }
  return found;
}
