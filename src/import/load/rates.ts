import type { Statement } from '../../domain/series/statements.ts';
import { type CurvePoint, h15Source, maturityNamed } from '../../domain/treasury/curve.ts';
import type { Day } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { ReadOptions } from '../formats/format.ts';
import { CurveChecks } from '../formats/treasury.ts';

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

  add(seriesId: string, { date, asOf, value }: Omit<Statement, 'seriesId'>): void {
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
    const points = [...this.#stated].flatMap(([seriesId, dates]) => this.#pointsOf(seriesId, dates));
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

  #pointsOf(seriesId: string, dates: ReadonlyMap<Day, StatedRate>): readonly CurvePoint[] {
    const curve = maturityNamed(seriesId);
    const points = [...dates].flatMap(([tradeDate, { value, asOf = '', gone = '' }]): CurvePoint[] => {
      if (value === undefined || curve === undefined) return [];
      if (gone > asOf)
        throw this.#changed(seriesId, tradeDate, `${value} as of ${asOf} is withdrawn as of ${gone}`);
      return [{ ...curve, tradeDate, rate: value, source: h15Source }];
    });
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
