import type { Statement } from '../../domain/series/revision-history.ts';
import {
  type CurveMaturity,
  type CurvePoint,
  h15Source,
  maturityNamed,
} from '../../domain/treasury/curve.ts';
import type { Day } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { ReadOptions } from '../formats/format.ts';
import { CurveChecks } from '../formats/treasury.ts';

/** A rate, its first day, and the last day without one. */
type StatedRate = { value?: string; asOf?: Day; gone?: Day };

/** The rates among a file's statements (DGS10); revisions are refused. */
export class Rates {
  readonly #file: SourceFile;
  readonly #stored: ReadonlySet<string>;
  readonly #checks: CurveChecks;
  readonly #stated = new Map<string, Map<Day, StatedRate>>();

  /** `held` are the ids that are stored as series. */
  constructor(file: SourceFile, held: ReadonlySet<string>, options: ReadOptions) {
    this.#file = file;
    this.#stored = held;
    this.#checks = new CurveChecks(file, options);
  }

  has(seriesId: string): boolean {
    return !this.#stored.has(seriesId) && maturityNamed(seriesId) !== undefined;
  }

  add(seriesId: string, { date, asOf, value }: Statement): void {
    if (this.#checks.skips(date)) return;
    const dates = entryOf(this.#stated, seriesId, () => new Map<Day, StatedRate>());
    const rate = entryOf(dates, date, (): StatedRate => ({}));
    if (value === null) {
      if (asOf > (rate.gone ?? '')) rate.gone = asOf;
      return;
    }
    if (rate.value !== undefined && rate.asOf !== undefined && !sameNumber(rate.value, value)) {
      const values = `${rate.value} as of ${rate.asOf} and ${value} as of ${asOf}`;
      throw this.#changed(seriesId, date, `it is ${values}`);
    }
    rate.value ??= value;
    if (rate.asOf === undefined || asOf < rate.asOf) rate.asOf = asOf;
  }

  points(): readonly CurvePoint[] {
    const points: CurvePoint[] = [];
    for (const [seriesId, dates] of this.#stated) {
      const maturity = maturityNamed(seriesId);
      if (maturity === undefined) continue;
      for (const point of this.#pointsOf(seriesId, maturity, dates)) points.push(point);
    }
    this.#checks.checkRates(points);
    return points;
  }

  get skippedDays(): readonly Day[] {
    return this.#checks.skippedDays;
  }

  notes(): readonly string[] {
    const ids = [...this.#stated.keys()].sort();
    if (ids.length === 0) return [];
    const are = ids.length === 1 ? 'is a maturity' : 'are maturities';
    return [`${ids.join(', ')} ${are} of the curves: each rate is known from its trade date`];
  }

  #pointsOf(
    seriesId: string,
    { curveType, maturity }: CurveMaturity,
    dates: ReadonlyMap<Day, StatedRate>,
  ): readonly CurvePoint[] {
    const points: CurvePoint[] = [];
    for (const [date, { value, asOf = '', gone = '' }] of dates) {
      if (value === undefined) continue;
      if (gone > asOf)
        throw this.#changed(seriesId, date, `${value} as of ${asOf} is withdrawn as of ${gone}`);
      points.push({ curveType, maturity, tradeDate: date, rate: value, source: h15Source });
    }
    this.#checks.checkDates(new Set(points.map(({ tradeDate }) => tradeDate)), { column: seriesId });
    for (const point of points) {
      const place = () => ({ column: seriesId, value: `${point.rate} of ${point.tradeDate}` });
      this.#checks.checkPoint(point, place);
    }
    return points;
  }

  #changed(seriesId: string, date: Day, reason: string): Error {
    return refusal(
      this.#file,
      { column: seriesId, value: date },
      `${reason}, but a curve has one rate for each trade date`,
      [`--id ${seriesId}=NAME keeps it as a series with its revisions`],
    );
  }
}
