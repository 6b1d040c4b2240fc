import type { Day } from '../../../domain/series/date.ts';
import {
  type CurveFault,
  type CurvePoint,
  impossibleDates,
  impossiblePoint,
  impossibleRates,
} from '../../../domain/treasury/curve.ts';
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

  /** Refuses a point that cannot be, with its place in the file. */
  checkPoint(point: CurvePoint, place: FilePlace): void {
    this.#refuse(impossiblePoint(point), place);
  }

  /** Refuses points whose rates are all zero on a trade date; `row` is theirs if they are of one. */
  checkRates(points: readonly CurvePoint[], row?: number): void {
    const fault = impossibleRates(points);
    if (fault !== undefined)
      this.#refuse(fault, { value: fault.tradeDate, ...(row !== undefined && { row }) });
  }

  /** Refuses the trade dates of a file if they are those of averages. */
  checkDates(days: ReadonlySet<Day>, place: FilePlace = {}): void {
    const reason = impossibleDates(days);
    if (reason !== undefined) throw refusal(this.#file, place, reason);
  }

  #refuse(fault: CurveFault | undefined, place: FilePlace): void {
    if (fault === undefined) return;
    const { reason, tradeDate } = fault;
    const hints =
      tradeDate === undefined ? [] : [`--skip-days ${tradeDate} imports the other days of the file`];
    throw refusal(this.#file, place, reason, hints);
  }
}
