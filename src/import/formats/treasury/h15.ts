import { parseDay } from '../../../domain/series/date.ts';
import { headerOf } from '../../readers/csv-table.ts';
import { isCurveColumn } from '../fred/columns.ts';
import type { Format } from '../format.ts';
import { readCurveCsv } from './curve-csv.ts';
import { type Tenor, tenorOf } from './tenor.ts';

const source = 'Federal Reserve H.15';

/** `DGS10`, `DGS3MO`, `DFII10`. */
const rateId = /^(DGS|DFII)(\d+)(MO)?$/i;

/** The curves of the Federal Reserve's H.15 release as FRED gives them: its series `DGS…` are of the par curve, `DFII…` of the real one. */
export const h15Csv: Format = {
  kind: 'h15-csv',
  summary: 'Treasury curves of the H.15 release (FRED CSV of series DGS… or DFII…)',
  source,
  whole: false,
  takesAsOf: false,
  recognise: (head) => {
    const names = headerOf(head);
    return (
      names.some(isDate) && names.length > 1 && names.every((name) => isDate(name) || isCurveColumn(name))
    );
  },
  read: (file) =>
    readCurveCsv(file, { source, isDate, tenor, parseDate: parseDay, dateForm: 'YYYY-MM-DD', noRate: '.' }),
};

function isDate(header: string): boolean {
  return /^(?:observation_)?date$/i.test(header);
}

function tenor(header: string): Tenor | undefined {
  const [, series = '', count = '', months] = rateId.exec(header) ?? [];
  return tenorOf(series.toUpperCase() === 'DFII' ? 'TIPS' : 'PAR', count, months ?? 'YEAR');
}
