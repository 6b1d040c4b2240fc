import { parseSeriesId } from '../../domain/series/series.ts';
import { dayOf } from '../../domain/values/date.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { isWorkbook, readSheets } from '../readers/xlsx.ts';
import type { ImportFormat } from './format.ts';
import { readVintageCsv, type VintageColumn, type VintageTable, vintageBatches } from './vintage-table.ts';

/**
 * The Real-Time Data Set of the Philadelphia Fed: a workbook per variable, a column per vintage.
 * A vintage is dated the 15th of its month or of the middle month of its quarter.
 */
export const rtdsm: ImportFormat = {
  kind: 'rtdsm',
  summary: [
    'Philadelphia Fed real-time data set',
    ' (ROUTPUTQvQd.xlsx, or a CSV of it), one vintage per column',
  ],
  source: 'Philadelphia Fed Real-Time Data Set',
  vintageKind: 'sampled',
  whole: true,
  recognise: ({ header, sheets = [{ head: { header } }] }) =>
    sheets.every(
      ({
        head: {
          header: [date, ...columns],
        },
      }) => date === 'DATE' && columns.length > 0 && columns.every((name) => vintageName.test(name)),
    ),
  async *read(file) {
    const inWorkbook = isWorkbook(await file.head());
    let ofQuarters: boolean | undefined;
    let variable: string | undefined;
    const table = await readVintageCsv(inWorkbook ? await onlySheet(file) : file, {
      column(name) {
        const column = columnOf(file, name);
        variable ??= column.seriesId;
        if (column.seriesId === variable) return column;
        throw refusal(file, { row: 1, column: name }, `not a vintage of ${variable}, as the first column is`);
      },
      date(label) {
        const [, year, quarter, month] = /^(\d{4}):(?:Q([1-4])|(\d\d))$/.exec(label) ?? [];
        ofQuarters ??= quarter !== undefined;
        if (ofQuarters !== (quarter !== undefined)) return undefined;
        return dayOf(Number(year), quarter === undefined ? Number(month) : 3 * Number(quarter) - 2, 1);
      },
      dateForm: '1947:Q1 or 1947:01, in one form throughout',
    });
    // The publisher's workbooks write quarters as 1947:Q1.
    const counted = !inWorkbook && ofQuarters !== true && countsQuarters(file, table, variable ?? '');
    const rows = counted ? table.rows.map((row) => ({ ...row, date: quarterOf(row.date) })) : table.rows;
    yield* vintageBatches(
      file,
      { ...table, rows },
      {
        withdrawals: missingTexts.realTimeDataSet,
        frequency: counted || ofQuarters === true ? 'Q' : 'M',
      },
    );
  },
};

async function onlySheet(file: SourceFile): Promise<SourceFile> {
  const [sheet, ...others] = await readSheets(file);
  if (sheet !== undefined && others.length === 0) return { ...sheet.csv, path: file.path };
  throw refusal(file, {}, `the workbook has ${others.length + 1} sheets; expected one`);
}

/** A variable and its vintage: `ROUTPUT65Q4`, `EMPLOY64M12`. */
const vintageName = /^(.+?)(\d\d)(?:Q([1-4])|M(\d{1,2}))$/i;

function columnOf(file: SourceFile, name: string): Omit<VintageColumn, 'name'> {
  const [, prefix = '', digits = '', quarter, month] = vintageName.exec(name) ?? [];
  const seriesId = parseSeriesId(prefix);
  const year = Number(digits) + (Number(digits) >= 60 ? 1900 : 2000);
  const vintage = dayOf(year, quarter === undefined ? Number(month) : 3 * Number(quarter) - 1, 15);
  if (seriesId !== undefined && vintage !== undefined) return { seriesId, vintage };
  const reason = 'not a variable and its vintage, such as ROUTPUT65Q4 or EMPLOY64M12';
  throw refusal(file, { row: 1, column: name }, reason);
}

/** Quarterly variables of the data set. Their labels are `1947:Q1`, and `1947:01` in some copies. */
const quarterly: ReadonlySet<string> = new Set(
  `NCON NCPROFAT NCPROFATW NOUTPUT NPI NPSAV NDPI OLI OPH P PCON PCONX PIMP PROPI PTI RATESAV RCON RCOND RCONG RCONHH
  RCONND RCONS RCONSHH RCONSNP REX RFS RG RGF RGSL RIMP RINVBF RINVCHI RINVRESID RNX ROUTPUT RRI RTS ULC WSD`.split(
    /\s+/,
  ),
);

const monthly: ReadonlySet<string> = new Set(
  `BASEBASA CPI CUM CUT DIVBASA EMPLOY H HG HS HSTARTS IPM IPT LFC LFPART M1 M2 NBRBASA NBRECBASA PCPI PCPIX POP PPPI
  PPPIX RUC TRBASA`.split(/\s+/),
);

/**
 * Tells whether `1947:01` is a quarter: the rows count 01 to 04, then 01 again.
 * With too few rows to tell, the variable decides; throws for an unknown variable.
 */
function countsQuarters(file: SourceFile, { rows }: VintageTable, variable: string): boolean {
  const periods = rows.map(({ date }) => {
    const [year = 0, number = 0] = date.split('-').map(Number);
    return { year, number, place: 4 * year + number };
  });
  const [first] = periods;
  const isRun = periods.every(
    ({ number, place }, index) => number <= 4 && place === (first?.place ?? 0) + index,
  );
  if (!isRun) return false;
  if (periods.at(-1)?.year !== first?.year || quarterly.has(variable)) return true;
  if (monthly.has(variable)) return false;
  const reason =
    'this could be a month or a quarter, and the file is too short to decide it; write 1947:Q1 for quarters';
  throw refusal(file, { row: rows[0]?.row ?? 0, value: rows[0]?.date.slice(0, 7) ?? '' }, reason);
}

function quarterOf(date: string): string {
  const [year, number] = date.split('-').map(Number);
  return dayOf(year ?? 0, 3 * (number ?? 0) - 2, 1) ?? date;
}
