import { type Day, parseDay } from '../../../domain/series/date.ts';

/** Whether a FRED id is a point of a treasury curve (`DGS10`, `DGS1MO`, `DFII10`), which is no macro series here. */
export function isCurveColumn(name: string): boolean {
  return /^(?:DGS\d+(?:MO)?|DFII\d+)$/i.test(name);
}

/** Whether the first column of a FRED or ALFRED download is called that. */
export function isDateColumn(name: string | undefined): boolean {
  return name === 'observation_date' || name === 'DATE';
}

/** Whether a column of ALFRED has the form of a series and its vintage: `GDPC1_20150130`, `GDPC1_2015-01-30`. */
export function isVintageColumn(name: string): boolean {
  return vintageColumn.test(name);
}

/** The series' name and the vintage of an ALFRED column, or undefined when it is no such column. */
export function splitVintageColumn(
  name: string,
): { readonly series: string; readonly vintage: Day } | undefined {
  const [, series, year, month, day] = vintageColumn.exec(name) ?? [];
  const vintage = parseDay(`${year}-${month}-${day}`);
  return series === undefined || vintage === undefined ? undefined : { series, vintage };
}

const vintageColumn = /^(.+)_(?=\d{8}$|\d{4}-\d\d-\d\d$)(\d{4})-?(\d\d)-?(\d\d)$/;
