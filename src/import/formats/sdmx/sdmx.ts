import type { Day, KnownFrequency } from '../../../domain/values/date.ts';
import { parsePeriod, sdmxFrequency } from '../../../domain/values/period.ts';
import type { TableRow } from '../../readers/rows.ts';

/** Reads the period of a row of SDMX-CSV; throws a refusal if it is not one of the frequency of the row. */
export function periodIn(row: TableRow): { readonly start: Day; readonly frequency: KnownFrequency } {
  const code = row.cell('FREQ');
  const frequency = sdmxFrequency(code);
  if (frequency === undefined) throw row.refusal('FREQ', 'not a frequency of SDMX, such as Q');
  const period = parsePeriod(row.cell('TIME_PERIOD'));
  if (period?.frequency === frequency) return { start: period.start, frequency };
  const reason = `not a period of the frequency ${code}, such as 2015-Q1, 2015-01 or 2015`;
  throw row.refusal('TIME_PERIOD', reason);
}
