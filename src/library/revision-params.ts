import type { Demands } from '../analysis/basis.ts';
import type { Day } from '../domain/series/date.ts';
import type { TransformationParams } from '../domain/series/transformation.ts';
import { choice, day } from '../operations/value.ts';
import { described, extentKinds, skipMissing } from './arguments.ts';
import type { SeveralParams } from './panel-params.ts';
import { unitsKinds } from './units-params.ts';

/** The parameters of values as of several days: the newest dates from `from` to `to`, at most `limit`. */
export type VersionsParams = TransformationParams &
  SeveralParams &
  Demands & {
    readonly from?: Day | undefined;
    readonly to?: Day | undefined;
    readonly limit?: number | undefined;
    readonly sort?: 'asc' | 'desc' | undefined;
  };

/** What the parameters of values as of several days may be. */
export const versionKinds = {
  from: described('First date.', day),
  to: described('Last date.', day),
  limit: described('The newest dates, at most this number.', extentKinds.limit),
  sort: described('The newest date first unless `asc`.', choice(['asc', 'desc'])),
  skipMissing,
  ...unitsKinds,
};
