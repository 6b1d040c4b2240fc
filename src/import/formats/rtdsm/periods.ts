import { type Day, dayOf, type Frequency } from '../../../domain/series/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';

/** The label of a row, such as `1947:Q1` or `1947:01`, and its row in the file. */
type PeriodLabel = { readonly row: number; readonly label: string };

/** The first day of the period of a row, and how long its period is. */
type RowPeriod = { readonly row: number; readonly date: Day; readonly frequency: Frequency };

/** The year and the number of a label without Q. */
type NumberedPeriod = { readonly year: number; readonly number: number };

/** Variables of the data set that are quarterly. Their labels are `1947:Q1`, and `1947:01` in some copies. */
const quarterly: ReadonlySet<string> = new Set(
  `NCON NCPROFAT NCPROFATW NOUTPUT NPI NPSAV NDPI OLI OPH P PCON PCONX PIMP PROPI PTI RATESAV RCON RCOND RCONG RCONHH
  RCONND RCONS RCONSHH RCONSNP REX RFS RG RGF RGSL RIMP RINVBF RINVCHI RINVRESID RNX ROUTPUT RRI RTS ULC WSD`.split(
    /\s+/,
  ),
);

/** Variables of the data set that are monthly. */
const monthly: ReadonlySet<string> = new Set(
  `BASEBASA CPI CUM CUT DIVBASA EMPLOY H HG HS HSTARTS IPM IPT LFC LFPART M1 M2 NBRBASA NBRECBASA PCPI PCPIX POP PPPI
  PPPIX RUC TRBASA`.split(/\s+/),
);

/**
 * The periods of rows. `1947:01` is a month, unless a variable is given and the labels of its rows count quarters: 01 to
 * 04, and then 01 of the next year. Where there are too few rows to tell, the variable decides; an unknown one is refused.
 */
export function periodsOf(
  file: SourceFile,
  labels: readonly PeriodLabel[],
  variable?: string,
): readonly RowPeriod[] {
  const [first] = labels;
  const ofQuarters = /:Q/.test(first?.label ?? '');
  const asQuarters = variable !== undefined && !ofQuarters && countsQuarters(file, labels, variable);
  return labels.map(({ row, label }) => {
    const [, year, quarter, number] = /^(\d{4}):(?:Q([1-4])|(\d\d))$/.exec(label) ?? [];
    const isQuarter = quarter !== undefined;
    const month = isQuarter || asQuarters ? 3 * Number(quarter ?? number) - 2 : Number(number);
    const date = dayOf(Number(year), month, 1);
    if (date === undefined)
      throw refusal(file, { row, column: 'A DATE', value: label }, 'not a date such as 1947:Q1 or 1947:01');
    if (isQuarter !== ofQuarters)
      throw refusal(file, { row, column: 'A DATE', value: label }, 'the file mixes months and quarters');
    return { row, date, frequency: isQuarter || asQuarters ? 'Q' : 'M' };
  });
}

function countsQuarters(file: SourceFile, labels: readonly PeriodLabel[], variable: string): boolean {
  const periods = labels.map(({ label }): NumberedPeriod => {
    const [year, number] = label.split(':').map(Number);
    return { year: year ?? 0, number: number ?? 0 };
  });
  if (periods.some(({ number }) => number > 4) || !periods.every(followsAsQuarter)) return false;
  if (new Set(periods.map(({ year }) => year)).size > 1 || quarterly.has(variable)) return true;
  if (monthly.has(variable)) return false;
  const { row = 0, label: value = '' } = labels[0] ?? {};
  const reason =
    'this could be a month or a quarter, and the file is too short to decide it; write 1947:Q1 for quarters';
  throw refusal(file, { row, column: 'A DATE', value }, reason);
}

function followsAsQuarter(
  { year, number }: NumberedPeriod,
  index: number,
  all: readonly NumberedPeriod[],
): boolean {
  const before = all[index - 1];
  return before === undefined || 4 * year + number === 4 * before.year + before.number + 1;
}
