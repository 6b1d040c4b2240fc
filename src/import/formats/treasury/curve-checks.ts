import type { Day } from '../../../domain/series/date.ts';
import type { CurvePoint } from '../../../domain/treasury/curve.ts';
import {
  type CurveFault,
  impossibleDates,
  impossiblePoint,
  impossibleRates,
} from '../../../domain/treasury/curve-faults.ts';
import type { Problem } from '../../../errors/problem.ts';
import { type FilePlace, refusal, type SourceFile } from '../../files/source-file.ts';
import type { ReadOptions } from '../format.ts';

/** Refuses what no curve can be in one file, and leaves out the trade dates that the user skips. */
export class CurveChecks {
  readonly #file: SourceFile;
  readonly #skip: ReadonlySet<Day>;
  readonly #skipped = new Set<Day>();

  constructor(file: SourceFile, { skipDays = [] }: Pick<ReadOptions, 'skipDays'>) {
    this.#file = file;
    this.#skip = new Set(skipDays);
  }

  /** Says whether the user skips a trade date of the file. */
  skips(tradeDate: Day): boolean {
    if (!this.#skip.has(tradeDate)) return false;
    this.#skipped.add(tradeDate);
    return true;
  }

  /** The trade dates of the file that were skipped, ascending. */
  get skippedDays(): readonly Day[] {
    return [...this.#skipped].sort();
  }

  /** Refuses a point that cannot be; `placeOf` finds its place in the file, which may take long. */
  checkPoint(point: CurvePoint, placeOf: () => FilePlace): void {
    const fault = impossiblePoint(point);
    if (fault !== undefined) throw this.#refusal(fault, placeOf());
  }

  /** Refuses points whose rates are all zero on a trade date. */
  checkRates(points: readonly CurvePoint[], placeOf: () => FilePlace = () => ({})): void {
    const fault = impossibleRates(points);
    if (fault !== undefined) throw this.#refusal(fault, { ...placeOf(), value: fault.tradeDate });
  }

  /** Refuses the trade dates of a file if they are those of averages. */
  checkDates(days: ReadonlySet<Day>, place: FilePlace = {}): void {
    const reason = impossibleDates(days);
    if (reason !== undefined) throw refusal(this.#file, place, reason);
  }

  #refusal({ reason, tradeDate }: CurveFault, place: FilePlace): Problem {
    const hints =
      tradeDate === undefined ? [] : [`--skip-days ${tradeDate} imports the other days of the file`];
    return refusal(this.#file, place, reason, hints);
  }
}
