import type { Day } from '../domain/series/date.ts';
import { type Recession, recessionsIn, recessionsOn } from '../domain/series/recessions.ts';
import { Problem } from '../errors/problem.ts';
import type { Drawing } from '../operations/drawing.ts';
import { observations } from '../operations/figures.ts';
import { defined } from '../platform/defined.ts';
import { type Ask, rowsOf } from './answer.ts';
import type { Query } from './question.ts';

/** The series that is 1 in the months of a recession; FRED has it. */
const indicator = 'USREC';

/** The same drawing with the recessions known on the as-of date, from USREC or as NBER announced them. */
export async function withRecessions(drawing: Drawing, query: Query, context: Ask): Promise<Drawing> {
  if (drawing.axis !== 'day')
    throw new Problem('bad-input', 'a chart over maturities shows no recessions: leave out --recessions');
  const asOf = query.question.knownOn?.(query.values);
  const held = await heldRecessions(asOf, context);
  return {
    ...drawing,
    bands: held ?? recessionsOn(asOf),
    words: (summary) => {
      const { title, subtitle } = drawing.words(summary);
      const from = held === undefined ? 'as announced by NBER' : `from ${indicator}`;
      return {
        title,
        subtitle: [...subtitle, `shaded: recessions ${from}`],
      };
    },
  };
}

async function heldRecessions(
  asOf: Day | undefined,
  context: Ask,
): Promise<readonly Recession[] | undefined> {
  try {
    const rows = await rowsOf(context, observations, {
      id: indicator,
      ...defined({ as_of: asOf }),
    });
    return rows.length === 0 ? undefined : recessionsIn(rows);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not-found') return undefined;
    throw error;
  }
}
