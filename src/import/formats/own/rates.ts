import { parseDecimal } from '../../../domain/series/decimal.ts';
import { type CurvePoint, curveTypes, maturitiesOf } from '../../../domain/treasury/curve.ts';
import type { SourceFile } from '../../files/source-file.ts';
import { cellReader } from '../../readers/tsv.ts';
import type { ImportFormat } from '../format.ts';
import { CurveChecks } from '../treasury/curve-checks.ts';
import { type AnswerRow, answerDay, answerHead, answerRows } from './answer.ts';

const columns = ['trade_date', 'maturity', 'rate', 'curve_type', 'source'] as const;

/** Rates of the curves as `asof curve` and `asof yields` write them, one a row. */
export const asofRates: ImportFormat = {
  kind: 'asof-rates',
  summary: 'rates as asof curve and asof yields write them (CSV, TSV, JSON, ndjson, Parquet)',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise(head) {
    const { object, columns: names } = answerHead(head);
    if (object !== undefined) return object === 'yield_curve' || object === 'yield_series';
    return (
      ['trade_date', 'maturity', 'rate'].every((name) => names.includes(name)) && !names.includes('vs_rate')
    );
  },
  async *read(file, options) {
    const checks = new CurveChecks(file, options);
    const all: CurvePoint[] = [];
    for await (const rows of answerRows(file, columns)) {
      const points = rows
        .map((row) => ({ row: row.row, point: readRate(file, row) }))
        .filter(({ point }) => !checks.skips(point.tradeDate))
        .map(({ row, point }) => {
          checks.checkPoint(point, () => ({ row, column: 'rate', value: point.rate }));
          return point;
        });
      for (const point of points) all.push(point);
      yield { points };
    }
    checks.checkRates(all);
    checks.checkDates(new Set(all.map(({ tradeDate }) => tradeDate)));
    if (checks.skippedDays.length > 0) yield { skippedDays: checks.skippedDays };
  },
};

function readRate(file: SourceFile, row: AnswerRow): CurvePoint {
  const cells = cellReader(file, row);
  const curveType = cells.required(
    'curve_type',
    (text) => curveTypes.find((type) => type === text),
    'PAR or TIPS',
  );
  const known = maturitiesOf(curveType);
  return {
    curveType,
    tradeDate: cells.required('trade_date', answerDay, 'a date of the form YYYY-MM-DD'),
    maturity: cells.required(
      'maturity',
      (text) => known.find((label) => label === text),
      `a maturity of the ${curveType} curve: ${known.join(', ')}`,
    ),
    rate: cells.required('rate', parseDecimal, 'a decimal number'),
    source: cells.required('source', (text) => text, 'the source of the rate'),
  };
}
