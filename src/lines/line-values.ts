import type { SortOrder } from '../analysis/query.ts';
import { transformationIn } from '../analysis/question.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { inVoice, Problem } from '../errors/problem.ts';
import { commandNaming } from '../operations/operation.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import { sortParam, unitsParams } from '../questions/series/shared.ts';
import { typedValue } from './param-flags.ts';

/** The order of the rows; newest first unless the line says otherwise. */
export function sortIn(line: TypedLine): SortOrder {
  return sortParam.typed.read(line) ?? 'desc';
}

/** The series of a line, by the ids that were typed. */
export function seriesIn(line: TypedLine, ids: readonly string[]) {
  return { ids, ...(line.has('skip-missing') && { skipMissing: true }) };
}

/** The transformation that the flags of units ask for. */
export function transformedIn(line: TypedLine): { readonly transformation?: Transformation } {
  const typed = Object.entries(unitsParams).map(([name, param]) => [name, typedValue(name, param, line)]);
  const transformation = inVoice(commandNaming, () => transformationIn(Object.fromEntries(typed)));
  if (transformation === undefined) return {};
  if (line.has('cursor'))
    throw new Problem(
      'bad-input',
      'use either --cursor or --units and --frequency: a cursor continues published rows',
    );
  return { transformation };
}
