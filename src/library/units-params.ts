import {
  aggregations,
  coarserFrequencies,
  type Transformation,
  type TransformationParams,
  transformationOf,
  unitsChoices,
} from '../domain/series/transformation.ts';
import { choice, flag, integer, type NamedValues } from '../operations/value.ts';
import { described, type Kinds } from './arguments.ts';

/** The kinds of the parameters that transform values. */
export const unitsKinds: Kinds<TransformationParams> = {
  units: described(
    "A change, a growth rate or a logarithm, by FRED's names and formulas.",
    choice(unitsChoices),
  ),
  digits: described('Decimal places of computed values.', integer(0, 20)),
  frequency: described('A coarser frequency, to which values are aggregated.', choice(coarserFrequencies)),
  aggregate: described('Average, sum, or the value at the end of a period.', choice(aggregations)),
  partial: described('Also gives periods that are not complete.', flag),
};

/** Refuses parameters of units without the parameters that they need. */
export function checkUnits(values: NamedValues): void {
  transformationIn(values);
}

/** The transformation that checked parameters ask for. */
export function transformationIn(values: NamedValues): Transformation | undefined {
  return transformationOf(values as TransformationParams);
}
