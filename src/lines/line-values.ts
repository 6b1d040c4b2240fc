import type { SortOrder } from '../analysis/query.ts';
import {
  aggregations,
  coarserFrequencies,
  type Transformation,
  transformationOf,
  unitsChoices,
} from '../domain/series/transformation.ts';
import { inVoice, Problem } from '../errors/problem.ts';
import { commandNaming } from '../operations/operation.ts';
import type { TypedLine } from '../operations/typed-line.ts';

/** The order of the rows; newest first unless the line says otherwise. */
export function sortIn(line: TypedLine): SortOrder {
  return line.choice('sort', ['desc', 'asc']) ?? 'desc';
}

/** The series of a line, by the ids that were typed. */
export function seriesIn(line: TypedLine, ids: readonly string[]) {
  return { ids, ...(line.has('skip-missing') && { skipMissing: true }) };
}

/** The transformation that the flags of units ask for. */
export function transformedIn(line: TypedLine): { readonly transformation?: Transformation } {
  const [units, digits] = [line.choice('units', unitsChoices), line.integer('digits', 0, 20)];
  const frequency = line.choice('frequency', coarserFrequencies);
  const aggregate = line.choice('aggregate', aggregations);
  const transformation = inVoice(commandNaming, () =>
    transformationOf({
      ...(units !== undefined && { units }),
      ...(digits !== undefined && { digits }),
      ...(frequency !== undefined && { frequency }),
      ...(aggregate !== undefined && { aggregate }),
      ...(line.has('partial') && { partial: true }),
    }),
  );
  if (transformation === undefined) return {};
  if (line.has('cursor'))
    throw new Problem(
      'bad-input',
      'use either --cursor or --units and --frequency: a cursor continues published rows',
    );
  return { transformation };
}
