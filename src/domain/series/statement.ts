import type { Day } from './date.ts';

/** On day `asOf`, the value of `seriesId` for `date` was `value` (exact decimal text), or was withdrawn (null). */
export type Statement = {
  readonly seriesId: string;
  readonly date: Day;
  readonly asOf: Day;
  readonly value: string | null;
};
