import type { CurveType } from '../../domain/treasury/curve.ts';
import { yields } from '../../operations/figures.ts';
import type { Param } from '../../operations/param.ts';

/** The kind of a curve; a service is asked for it only if it was named. */
export const curveType: Param<CurveType | undefined, false> = {
  ...yields.params.curve_type,
  fallback: undefined,
};
